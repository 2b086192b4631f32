"""`abs min max len range`, and iteration over ranges and tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.extending.registry import attribute, primitive
from cutaway.library.core import messages
from cutaway.library.core.comparisons import compare
from cutaway.library.math.numbers import Instructions, became_infinite, raise_overflow, widened
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Complex, Float, Integer, Tuple, Type
from cutaway.typing.types.conversions import unify


def _abs_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_number(arguments.types[0]):
        return None
    ty = widened(arguments.types[0])
    return Signature(ty.part if isinstance(ty, Complex) else ty, (ty,))


@primitive(abs, _abs_rule)
def absolute(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`abs(x)`."""
    (value,) = args
    n = Instructions(build, value.ty)
    if isinstance(value.ty, Complex):
        return _modulus(n, value)
    if isinstance(value.ty, Integer) and value.ty.signed and build.flags.overflow == "raise":
        raise_overflow(build, n.compare("eq", value.parts[0], str(value.ty.low)))
    return Value(value.ty, (n.size(value.parts[0]),))


def _modulus(n: Instructions, value: Value) -> Value:
    name = "hypot" if n.ty.bits == 64 else "hypotf"
    result = n.build.call(n.kind, name, [(n.kind, part) for part in value.parts])
    if n.build.flags.error_model == "python":
        overflow = became_infinite(n.build, n.ty, result, value.parts)
        n.raise_if(overflow, OverflowError, messages.COMPLEX_OVERFLOW)
    return Value(n.ty, (result,))


# --- min and max ------------------------------------------------------------------------------


def _extremum_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) < 2 or not all(map(types.is_real, arguments.types)):
        return None
    ty = _common(arguments.types)
    return None if ty is None else Signature(ty, arguments.types)


def _tuple_extremum_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not isinstance(arguments.types[0], Tuple):
        return None
    items = arguments.types[0].items
    ty = _common(items) if items and all(map(types.is_real, items)) else None
    return None if ty is None else Signature(ty, arguments.types)


def _common(items: tuple[Type, ...]) -> Type | None:
    common: Type | None = items[0]
    for ty in items[1:]:
        common = None if common is None else unify(common, ty)
    return common


def _register_extremum(function: Any, symbol: str) -> None:
    """Register the first of the smallest, or largest, of several numbers or of a tuple's items."""

    @primitive(function, _extremum_rule)
    def of_several(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return _extremum(build, sig.returns, symbol, args)

    @primitive(function, _tuple_extremum_rule)
    def of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return _extremum(build, sig.returns, symbol, tuple_items(args[0]))

    of_several.__name__ = "smallest" if symbol == "<" else "largest"
    of_tuple.__name__ = f"{of_several.__name__}_item"


_register_extremum(min, "<")
_register_extremum(max, ">")


def _extremum(build: FunctionBuilder, ty: Type, symbol: str, args: list[Value]) -> Value:
    best = build.cast(args[0], ty)
    for value in args[1:]:
        candidate = build.cast(value, ty)
        better = compare(build, symbol, candidate, best)
        part = build.select(better, part_types(ty)[0], candidate.parts[0], best.parts[0])
        best = Value(ty, (part,))
    return best


# --- parts of numbers -------------------------------------------------------------------------


def _part(place: int) -> Callable[[FunctionBuilder, Signature, list[Value]], Value]:
    """The lowering of `z.real` or `z.imag`; a real number has itself and 0."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        (value,) = args
        if isinstance(value.ty, Complex):
            return Value(sig.returns, (value.parts[place],))
        return build.constant(sig.returns, 0) if place else build.cast(value, sig.returns)

    lower.__name__ = "imaginary_part" if place else "real_part"
    return lower


for _place, _name in enumerate(("real", "imag")):
    attribute(Complex, _name, lambda ty: ty.part)(_part(_place))
    for _cls in (types.Boolean, Integer, Float):
        attribute(_cls, _name, widened)(_part(_place))
