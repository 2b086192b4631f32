"""Methods and attributes of named tuples: `_replace`, `_fields`; `_asdict` is refused."""

from __future__ import annotations

from cutaway.errors import TypingError, UnsupportedError
from cutaway.extending.overloads import overload_method
from cutaway.extending.registry import CONTEXT, attribute, method
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Call, Overload, Signature, Typed
from cutaway.typing.types import String, Tuple
from cutaway.typing.types.tuples import NamedTuple


def _names_type(ty: NamedTuple) -> Tuple:
    return Tuple(tuple(types.constant_type(String, name) for name in ty.fields))


@attribute(NamedTuple, "_fields", _names_type)
def fields(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`t._fields`: the names, a constant of the type."""
    return Value(sig.returns, ())


def _replaced(call: Call) -> Typed | None:
    """The typed call of `_replace`: each field keeps its item or takes the argument of its name."""
    owner, named = call.arguments.types[0], call.keywords
    if not isinstance(owner, NamedTuple) or call.positional != 1:
        return None
    strange = [name for name in named if name not in owner.fields]
    if strange:
        raise TypingError(
            f"Got unexpected field names: {strange}", hint=f"its fields: {', '.join(owner.fields)}"
        )
    given = dict(zip(named, call.arguments.types[1:], strict=True))
    items = tuple(
        given.get(name, item) for name, item in zip(owner.fields, owner.items, strict=True)
    )

    def replace(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        whole, *values = args
        replaced = dict(zip(named, values, strict=True))
        old = dict(zip(owner.fields, tuple_items(whole), strict=True))
        parts = [part for name in owner.fields for part in replaced.get(name, old[name]).parts]
        return Value(sig.returns, tuple(parts))

    layout = tuple(range(len(call.arguments)))
    return Typed(Signature(owner.of(items), call.arguments.types), layout, replace)


_REPLACE = Overload(None, (), None, shares=True, template=_replaced)
CONTEXT.add(method(NamedTuple, "_replace"), _REPLACE)


@overload_method(NamedTuple, "_asdict")
def _asdict(t):
    raise UnsupportedError(
        "dictionaries are not supported in compiled code",
        hint="read the fields by name, or make the dictionary where the tuple is returned to",
    )
