"""`floor_divide remainder divmod fmod` of elements, as NumPy rounds; a division by zero gives 0 for
integers."""

from __future__ import annotations

from cutaway.library.elements.arithmetic import part_type
from cutaway.library.elements.table import inline
from cutaway.library.math.integer_division import divided
from cutaway.library.math.numbers import float_constant, is_literal, kind_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Float, Integer
from cutaway.typing.ufuncs import Loop


@inline("floor_divide", "iu")
def floor_divide(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a // b` of integers."""
    return _divided(build, *args)[0]


@inline("remainder", "iu")
def remainder(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a % b` of integers, with the sign of `b`."""
    return _divided(build, *args)[1]


@inline("divmod", "iu")
def quotient_and_remainder(
    build: FunctionBuilder, loop: Loop, args: list[Value]
) -> tuple[Value, Value]:
    """`a // b` and `a % b` of integers."""
    return _divided(build, *args)


def _divided(build: FunctionBuilder, a: Value, b: Value) -> tuple[Value, Value]:
    """The quotient rounded down and the rest; 0 and 0 for division by 0."""
    ty, part = a.ty, b.parts[0]
    assert isinstance(ty, Integer)
    if ty.bits == 64 or is_literal(part):
        return divided(build, a, b)
    return _narrow(build, a, b, False)


def _narrow(build: FunctionBuilder, a: Value, b: Value, cuts: bool) -> tuple[Value, Value]:
    """Quotient, rounded down or cut off, and rest of integers of up to 32 bits; 0 and 0 by zero.

    Processors divide vectors of floats, but none of integers, and one divisor for many numbers
    becomes a factor.  (a + 1/2) / b is at least 1/2b away from every integer, and so not rounded
    to one: a float has more than twice the bits of the integers that it is used for.
    """
    ty, kind, part, divisor = a.ty, kind_of(a.ty), a.parts[0], b.parts[0]
    assert isinstance(ty, Integer)
    real = types.float32 if ty.bits <= 16 else types.float64
    floating = kind_of(real)
    zero = build.compare("eq", kind, divisor, "0")
    divisor = build.select(zero, kind, "1", divisor)
    convert = "sitofp" if ty.signed else "uitofp"
    x, y = (build.convert(convert, kind, one, floating) for one in (part, divisor))
    factor = build.binary("fdiv", floating, float_constant(build, real, 1.0), y)
    if ty.signed:  # of a divisor without its sign
        factor = build.math("fabs", real, factor)
        turned = build.result(f"fneg {floating} {x}")
        x = build.select(build.fcompare("olt", floating, y, "0.0"), floating, turned, x)
    size = build.math("fabs", real, x) if ty.signed and cuts else x
    half = build.binary("fadd", floating, size, float_constant(build, real, 0.5))
    result = build.math("floor", real, build.binary("fmul", floating, half, factor))
    if ty.signed and cuts:
        result = build.math("copysign", real, result, x)
    quotient = _whole(build, ty, real, result)
    rest = build.binary("sub", kind, part, build.binary("mul", kind, quotient, divisor))
    return (
        Value(ty, (build.select(zero, kind, "0", quotient),)),
        Value(ty, (build.select(zero, kind, "0", rest),)),
    )


def _whole(build: FunctionBuilder, ty: Integer, real: Float, result: str) -> str:
    """A float without a fraction as an integer by way of 32 bits with a sign, which processors
    convert to; what is one beyond the end wraps around."""
    floating, half = kind_of(real), 2.0**31
    if ty.bits < 32:
        wide = build.convert("fptosi", floating, result, "i32")
        return build.convert("trunc", "i32", wide, kind_of(ty))
    if ty.signed:
        beyond = build.fcompare("oge", floating, result, float_constant(build, real, half))
        least = float_constant(build, real, -half)
        result = build.select(beyond, floating, least, result)
        return build.convert("fptosi", floating, result, "i32")
    lowered = build.binary("fsub", floating, result, float_constant(build, real, half))
    whole = build.convert("fptosi", floating, lowered, "i32")
    return build.binary("xor", "i32", whole, str(-(1 << 31)))


@inline("fmod", "iu")
def fmod(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The rest of a division of integers that is cut off: it has the sign of `a`."""
    a, b = args
    assert isinstance(a.ty, Integer)
    kind, part = kind_of(a.ty), b.parts[0]
    if a.ty.bits < 64 and not is_literal(part):
        return _narrow(build, a, b, True)[1]
    useless = build.compare("eq", kind, part, "0")
    if a.ty.signed:  # the machine traps for the least integer by -1
        minus_one = build.compare("eq", kind, part, "-1")
        useless = build.binary("or", "i1", useless, minus_one)
    divisor = build.select(useless, kind, "1", part)
    opcode = "srem" if a.ty.signed else "urem"
    return Value(a.ty, (build.binary(opcode, kind, a.parts[0], divisor),))


@inline("fmod", "f")
def fmod_of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The rest of a division that is cut off."""
    a, b = args
    return Value(a.ty, (build.float_rest(kind_of(a.ty), a.parts[0], b.parts[0]),))


@inline("floor_divide", "f")
def floor_divide_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a // b` of floats; by zero the infinity or NaN of `a / b`."""
    return _divmod(build, args)[0]


@inline("remainder", "f")
def remainder_of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a % b` of floats, with the sign of `b`; NaN by zero."""
    return _divmod(build, args)[1]


@inline("divmod", "f")
def divmod_of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> tuple[Value, Value]:
    """`a // b` and `a % b` of floats."""
    return _divmod(build, args)


def _divmod(build: FunctionBuilder, args: list[Value]) -> tuple[Value, Value]:
    # As NumPy does it, step by step: the bits of the quotient depend on the order.
    ty, (a,), (b,) = part_type(args[0].ty), args[0].parts, args[1].parts
    kind = kind_of(ty)
    by_zero = build.fcompare("oeq", kind, b, "0.0")
    cut = build.float_rest(kind, a, b)
    plain = build.binary("fdiv", kind, a, b)
    quotient = build.binary("fdiv", kind, build.binary("fsub", kind, a, cut), b)
    uneven = build.fcompare("une", kind, cut, "0.0")
    negative = [build.fcompare("olt", kind, part, "0.0") for part in (b, cut)]
    opposite = build.binary("xor", "i1", *negative)
    adjust = build.binary("and", "i1", uneven, opposite)
    one, half = float_constant(build, ty, 1.0), float_constant(build, ty, 0.5)
    quotient = build.select(adjust, kind, build.binary("fsub", kind, quotient, one), quotient)
    rest = build.select(adjust, kind, build.binary("fadd", kind, cut, b), cut)
    rest = build.select(uneven, kind, rest, build.math("copysign", ty, "0.0", b))
    floor = build.math("floor", ty, quotient)
    above = build.fcompare("ogt", kind, build.binary("fsub", kind, quotient, floor), half)
    floor = build.select(above, kind, build.binary("fadd", kind, floor, one), floor)
    nonzero = build.fcompare("une", kind, quotient, "0.0")
    floor = build.select(nonzero, kind, floor, build.math("copysign", ty, "0.0", plain))
    return (
        Value(ty, (build.select(by_zero, kind, plain, floor),)),
        Value(ty, (build.select(by_zero, kind, cut, rest),)),
    )
