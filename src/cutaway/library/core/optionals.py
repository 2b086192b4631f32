"""Values that may be None: `is None`, equality, truth."""

from __future__ import annotations

import operator

from cutaway.extending.registry import primitive
from cutaway.library.core.applied import applied, resolved
from cutaway.library.math.numbers import boolean, both_ways
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Optional, Type


def _inner(ty: Type) -> Type:
    return ty.inner if isinstance(ty, Optional) else ty


def _present(value: Value) -> str:
    return value.parts[0] if isinstance(value.ty, Optional) else "true"


def _held(value: Value) -> Value:
    return Value(_inner(value.ty), value.parts[1:]) if isinstance(value.ty, Optional) else value


def _identity_rule(arguments: Arguments) -> Signature | None:
    kinds = {type(ty) for ty in arguments.types}
    fits = kinds == {Optional, types.NoneType}
    return Signature(types.boolean, arguments.types) if fits else None


@primitive(operator.is_, _identity_rule)
def is_none(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x is None`."""
    value = next(arg for arg in args if isinstance(arg.ty, Optional))
    return boolean(build.binary("xor", "i1", _present(value), "true"))


@primitive(operator.is_not, _identity_rule)
def is_not_none(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x is not None`."""
    return boolean(_present(next(arg for arg in args if isinstance(arg.ty, Optional))))


def _equality_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not any(isinstance(ty, Optional) for ty in arguments.types):
        return None
    lhs, rhs = map(_inner, arguments.types)
    if isinstance(lhs, Array) or isinstance(rhs, Array):
        return None  # each element would be compared
    fits = types.none in (lhs, rhs) or resolved(operator.eq, lhs, rhs) is not None
    return Signature(types.boolean, arguments.types) if fits else None


@both_ways(operator.eq, operator.ne, _equality_rule)
def _equal(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    for value, other in ((lhs, rhs), (rhs, lhs)):
        if other.ty is types.none:
            return build.binary("xor", "i1", _present(value), "true")
    both = build.binary("and", "i1", _present(lhs), _present(rhs))
    same_state = build.compare("eq", "i1", _present(lhs), _present(rhs))
    same = applied(build, operator.eq, _held(lhs), _held(rhs)).parts[0]
    return build.select(both, "i1", same, same_state)


def _truth_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    if not isinstance(ty, Optional) or resolved(bool, ty.inner) is None:
        return None
    return Signature(types.boolean, (ty,))


@both_ways(bool, operator.not_, _truth_rule)
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.binary("and", "i1", _present(value), applied(build, bool, _held(value)).parts[0])
