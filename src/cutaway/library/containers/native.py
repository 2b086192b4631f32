"""The classes of `cutaway.typed` in compiled code: their containers differ from others in the type
alone, by which they cross without a copy."""

from __future__ import annotations

from functools import partial

from cutaway import typed
from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.typers import OPTIONS
from cutaway.library.containers.dict_methods import Pairs
from cutaway.library.containers.dicts import set_over
from cutaway.library.containers.list_methods import Items, is_sized
from cutaway.library.containers.lists import list_over
from cutaway.lowering import lists, tables
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Class, Container, Dict, List, Set, TypeConstant

ContainerType = Takes("the type of a native container", lambda ty: isinstance(ty, TypeConstant))


def of_type(ty):
    """Return an empty native container of a type."""
    return typed.restored(ty, ())


def _typed_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    made = ty.value if isinstance(ty, TypeConstant) else None
    is_native = isinstance(made, Container) and made.native
    return Signature(made, arguments.types) if is_native else None


@primitive(of_type, _typed_rule)
def lower_of_type(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    if isinstance(sig.returns, List):
        return lists.new_list(build, sig.returns, "0")
    assert isinstance(sig.returns, Container)
    return tables.new_table(build, sig.returns)


def natively(container):
    """Return a new container as a native one."""
    classes = {list: typed.List, dict: typed.Dict, set: typed.Set}
    return classes[type(container)](container)


def _natively_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(ty.natively(), (ty,)) if isinstance(ty, Container) else None


@primitive(natively, _natively_rule, any_elements=True, shares=True)
def lower_natively(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The container itself."""
    return Value(sig.returns, args[0].parts)


@body(typed.List, **OPTIONS)
def native_list(iterable: Items = (), lsttype: ContainerType = None):
    if lsttype is not None:
        return of_type(lsttype)
    made = natively(list_over(iterable, len(iterable) if is_sized(iterable) else 0))
    made.extend(iterable)
    return made


@body(typed.Set, **OPTIONS)
def native_set(iterable: Items):
    made = natively(set_over(iterable))
    made.update(iterable)
    return made


@body(typed.Dict, **OPTIONS)
def native_dict(entries: Pairs = (), dcttype: ContainerType = None):
    if dcttype is not None:
        return of_type(dcttype)
    return natively(dict(entries))


# --- empty ones -----------------------------------------------------------------------------------


AnyType = Takes("a type", lambda ty: isinstance(ty, Class | TypeConstant))


def list_of_type(item):
    """Return an empty native list for items of a type."""
    return typed.List.empty_list(item)


def dict_of_types(key, value):
    """Return an empty native dict for keys and values of these types."""
    return typed.Dict.empty(key, value)


def set_of_type(item):
    """Return an empty native set for items of a type."""
    return typed.Set.empty(item)


def _new_rule(kind: type[Container], arguments: Arguments) -> Signature | None:
    inside = []
    for place, ty in enumerate(arguments.types):
        assert isinstance(ty, Class | TypeConstant)
        is_key = place == 0 and kind is not List
        try:
            inside.append(typed.content_type(ty.value, is_key))
        except TypeError as error:
            raise TypingError(str(error)) from None
    return Signature(kind(*inside, 0, True), arguments.types)


for _function, _kind in ((list_of_type, List), (set_of_type, Set), (dict_of_types, Dict)):
    primitive(_function, partial(_new_rule, _kind))(lower_of_type)


@body(typed.List.empty_list, **OPTIONS)
def empty_list(item_type: AnyType, allocated=0):
    return list_of_type(item_type)


@body(typed.Dict.empty, **OPTIONS)
def empty_dict(key_type: AnyType, value_type: AnyType, n_keys=0):
    return dict_of_types(key_type, value_type)


@body(typed.Set.empty, **OPTIONS)
def empty_set(item_type: AnyType):
    return set_of_type(item_type)
