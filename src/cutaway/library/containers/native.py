"""The classes of `cutaway.typed` in compiled code: their containers differ from others in the type
alone, by which they cross without a copy."""

from __future__ import annotations

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
def native_list(iterable: Items):
    made = natively(list_over(iterable, len(iterable) if is_sized(iterable) else 0))
    made.extend(iterable)
    return made


@body(typed.Set, **OPTIONS)
def native_set(iterable: Items):
    made = natively(set_over(iterable))
    made.update(iterable)
    return made


@body(typed.Dict, **OPTIONS)
def native_dict(entries: Pairs):
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


@primitive(list_of_type, lambda arguments: _new_rule(List, arguments))
def lower_list_of_type(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    assert isinstance(sig.returns, List)
    return lists.new_list(build, sig.returns, "0")


@primitive(set_of_type, lambda arguments: _new_rule(Set, arguments))
@primitive(dict_of_types, lambda arguments: _new_rule(Dict, arguments))
def lower_table_of_types(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    assert isinstance(sig.returns, Container)
    return tables.new_table(build, sig.returns)


@body(typed.List.empty_list, **OPTIONS)
def empty_list(item_type: AnyType, allocated=0):
    return list_of_type(item_type)


@body(typed.Dict.empty, **OPTIONS)
def empty_dict(key_type: AnyType, value_type: AnyType, n_keys=0):
    return dict_of_types(key_type, value_type)


@body(typed.Set.empty, **OPTIONS)
def empty_set(item_type: AnyType):
    return set_of_type(item_type)
