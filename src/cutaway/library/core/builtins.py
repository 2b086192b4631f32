"""`abs min max len range`, and iteration over ranges and tuples."""

from __future__ import annotations

from cutaway.extending.registry import attribute, primitive
from cutaway.library.core import messages
from cutaway.library.core.comparisons import compare
from cutaway.library.math.numbers import became_infinite, kind_of, raise_overflow, widened
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, part_types, tuple_items
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
    value = args[0]
    match value.ty:
        case Complex(part=part):
            return _modulus(build, part, value)
        case Float() as ty:
            return Value(ty, (build.math("fabs", ty, value.parts[0]),))
        case Integer(signed=False):
            return value
    kind, part = kind_of(value.ty), value.parts[0]
    assert isinstance(value.ty, Integer)
    negative = build.compare("slt", kind, part, "0")
    if build.flags.overflow == "raise":
        lowest = build.compare("eq", kind, part, str(value.ty.low))
        raise_overflow(build, lowest)
    negated = build.binary("sub", kind, "0", part)
    return Value(value.ty, (build.select(negative, kind, negated, part),))


def _modulus(build: FunctionBuilder, ty: Float, value: Value) -> Value:
    kind = float_type(ty)
    name = "hypot" if ty.bits == 64 else "hypotf"
    result = build.call(kind, name, [(kind, part) for part in value.parts])
    if build.flags.error_model == "python":
        overflow = became_infinite(build, ty, result, list(value.parts))
        build.raise_if(overflow, OverflowError, messages.COMPLEX_OVERFLOW)
    return Value(ty, (result,))


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


@primitive(min, _extremum_rule)
def smallest(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`min(a, b, ...)`: the first of the smallest."""
    return _extremum(build, sig.returns, "<", args)


@primitive(max, _extremum_rule)
def largest(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`max(a, b, ...)`: the first of the largest."""
    return _extremum(build, sig.returns, ">", args)


@primitive(min, _tuple_extremum_rule)
def smallest_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`min(tuple)`."""
    return _extremum(build, sig.returns, "<", tuple_items(args[0]))


@primitive(max, _tuple_extremum_rule)
def largest_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`max(tuple)`."""
    return _extremum(build, sig.returns, ">", tuple_items(args[0]))


def _extremum(build: FunctionBuilder, ty: Type, symbol: str, args: list[Value]) -> Value:
    best = build.cast(args[0], ty)
    for value in args[1:]:
        candidate = build.cast(value, ty)
        better = compare(build, symbol, candidate, best)
        part = build.select(better, part_types(ty)[0], candidate.parts[0], best.parts[0])
        best = Value(ty, (part,))
    return best


# --- parts of numbers -------------------------------------------------------------------------


@attribute(Complex, "real", lambda ty: ty.part)
def real_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`z.real`."""
    return Value(sig.returns, (args[0].parts[0],))


@attribute(Complex, "imag", lambda ty: ty.part)
def imaginary_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`z.imag`."""
    return Value(sig.returns, (args[0].parts[1],))


def _real_itself(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    return build.cast(args[0], sig.returns)


def _no_imaginary_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    return build.constant(sig.returns, 0)


for _cls in (types.Boolean, Integer, Float):
    attribute(_cls, "real", widened)(_real_itself)
    attribute(_cls, "imag", widened)(_no_imaginary_part)
