"""`floor_divide remainder divmod fmod` of elements, rounded as in NumPy; integers divided by zero
yield 0."""

from __future__ import annotations

from cutaway.library.elements.table import formula, inline
from cutaway.library.math.integer_division import divided
from cutaway.library.math.numbers import Instructions, float_divmod, is_literal
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Integer
from cutaway.typing.ufuncs import Loop

Pair = tuple[str, str]


@inline("divmod", "iu")
def quotient_and_remainder(
    build: FunctionBuilder, loop: Loop, args: list[Value]
) -> tuple[Value, Value]:
    """`a // b` and `a % b` of integers; 0 and 0 for division by 0."""
    a, b = args
    assert isinstance(a.ty, Integer)
    if a.ty.bits == 64 or is_literal(b.parts[0]):
        return divided(build, a, b)
    quotient, rest = _narrow(Instructions(build, a.ty), a.parts[0], b.parts[0], False)
    return Value(a.ty, (quotient,)), Value(a.ty, (rest,))


@formula("divmod", "f")
def divmod_of_floats(n: Instructions, a: str, b: str) -> Pair:
    """`a // b` and `a % b` of floats; for a zero divisor `a / b`, infinite or NaN, and NaN."""
    quotient, rest = float_divmod(n, a, b)
    by_zero = n.compare("oeq", b)
    return n.select(by_zero, n("fdiv", a, b), quotient), rest


for _place, _name in enumerate(("floor_divide", "remainder")):
    inline(_name, "iu")(
        lambda build, loop, args, k=_place: quotient_and_remainder(build, loop, args)[k]
    )
    formula(_name, "f")(lambda n, a, b, k=_place: divmod_of_floats(n, a, b)[k])


def _narrow(n: Instructions, x: str, divisor: str, cuts: bool) -> Pair:
    """Quotient, floored or truncated, and remainder of integers of up to 32 bits; 0 and 0 by zero.

    Processors divide vectors of floats but not of integers, and a loop-invariant divisor becomes a
    factor. (a + 1/2) / b is at least 1/2b away from every integer, so it is not rounded to one: the
    float has more than twice the bits of the integers.
    """
    ty, build = n.ty, n.build
    f = Instructions(build, types.float32 if ty.bits <= 16 else types.float64)
    zero = n.compare("eq", divisor)
    divisor = n.select(zero, "1", divisor)
    convert = "sitofp" if ty.signed else "uitofp"
    a, b = (build.convert(convert, n.kind, part, f.kind) for part in (x, divisor))
    factor = f("fdiv", f.number(1.0), b)
    if ty.signed:  # for a divisor without its sign
        factor = f.size(factor)
        turned = f.opposite(a)
        a = f.select(f.compare("olt", b), turned, a)
    half = f("fadd", f.size(a) if ty.signed and cuts else a, f.number(0.5))
    result = f.math("floor", f("fmul", half, factor))
    if ty.signed and cuts:
        result = f.math("copysign", result, a)
    quotient = _whole(f, ty, result)
    rest = n("sub", x, n("mul", quotient, divisor))
    return n.select(zero, "0", quotient), n.select(zero, "0", rest)


def _whole(f: Instructions, ty: Integer, result: str) -> str:
    """An integral float as an integer, through a signed 32-bit one, which processors convert to;
    the number one past the end wraps around."""
    build, half = f.build, f.number(2.0**31)
    if ty.bits < 32:
        wide = build.convert("fptosi", f.kind, result, "i32")
        return build.convert("trunc", "i32", wide, f"i{ty.bits}")
    if ty.signed:
        beyond = f.compare("oge", result, half)
        result = f.select(beyond, f.number(-(2.0**31)), result)
        return build.convert("fptosi", f.kind, result, "i32")
    whole = build.convert("fptosi", f.kind, f("fsub", result, half), "i32")
    return build.binary("xor", "i32", whole, str(-(1 << 31)))


@formula("fmod", "iu")
def fmod(n: Instructions, x: str, divisor: str) -> str:
    """The remainder of a truncating division of integers, with the sign of `a`."""
    if n.ty.bits < 64 and not is_literal(divisor):
        return _narrow(n, x, divisor, True)[1]
    useless = n.compare("eq", divisor)
    if n.ty.signed:  # the machine traps on the least integer by -1
        useless = n.either(useless, n.compare("eq", divisor, "-1"))
    return n("srem" if n.ty.signed else "urem", x, n.select(useless, "1", divisor))


@formula("fmod", "f")
def fmod_of_floats(n: Instructions, x: str, divisor: str) -> str:
    """The remainder of a truncating division."""
    return n.build.float_rest(n.kind, x, divisor)
