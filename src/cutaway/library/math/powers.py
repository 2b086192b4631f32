"""`a ** b` and `pow`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial

from cutaway.extending.registry import primitive
from cutaway.library.core import messages
from cutaway.library.elements.table import formula
from cutaway.library.math.numbers import (
    Instructions,
    arithmetic,
    became_infinite,
    became_nan,
    in_single,
    integer_op,
    is_literal,
    raise_overflow,
    refuse_wide_constants,
)
from cutaway.library.polynomials import table as polynomials
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Complex, Float, Integer
from cutaway.typing.types.conversions import unify

refuse_wide_constants(pow, operator.pow, operator.ipow)


def _integer_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not all(map(types.is_integral, arguments.types)):
        return None
    if _is_negative_constant(arguments):
        return Signature(types.float64, (types.float64, types.float64))
    result = arithmetic(arguments)
    if result is None or not isinstance(result.returns, Integer):
        return None
    return Signature(result.returns, (result.returns, types.int64))


def _is_negative_constant(arguments: Arguments) -> bool:
    exponent = arguments.constants[1]
    return isinstance(exponent, int) and exponent < 0


@primitive(pow, _integer_rule)
@primitive(operator.ipow, _integer_rule)
@primitive(operator.pow, _integer_rule)
def integer_power(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a ** n` of integers; a constant negative `n` yields a float, a variable one raises."""
    if sig.returns is types.float64:
        return float_power(build, sig, args)
    base, exponent = args[0].parts[0], args[1].parts[0]
    assert isinstance(sig.returns, Integer)
    if is_literal(exponent) and 0 <= int(exponent) <= _LARGEST_UNROLLED:
        product = partial(integer_op, build, "mul", sig.returns)
        return Value(sig.returns, (_unrolled(product, base, int(exponent)),))
    n = Instructions(build, sig.returns)
    message = "a negative power of an integer is not an integer; use a float"
    n.raise_if(build.compare("slt", "i64", exponent, "0"), ValueError, message)
    if build.flags.overflow == "raise":
        signed = ("i64", str(int(sig.returns.signed)))
        given = [("i64", base), ("i64", exponent), signed]
        overflows = build.call("i64", "cutaway_math_ipow_overflows", given)
        raise_overflow(build, build.compare("ne", "i64", overflows, "0"))
    if not build.links.target.hosted:
        return Value(sig.returns, (_by_squaring(n, base, exponent),))
    given = [("i64", base), ("i64", exponent)]  # a call of C's loop is cheap to compile
    return Value(sig.returns, (build.call("i64", "cutaway_math_ipow", given),))


@formula("power", "iu")
def power_of_element(n: Instructions, base: str, exponent: str) -> str:
    """`a ** n` of elements; raises ValueError for a negative `n`."""
    if is_literal(exponent) and 0 <= int(exponent) <= _LARGEST_UNROLLED:
        return _unrolled(partial(n, "mul"), base, int(exponent))
    if n.ty.signed:
        message = "Integers to negative integer powers are not allowed."
        n.raise_if(n.compare("slt", exponent), ValueError, message)
    return _by_squaring(n, base, exponent)


_LARGEST_UNROLLED = 64  # up to this constant n, x ** n is unrolled into a few multiplications


def _unrolled(product: Callable[[str, str], str], base: str, exponent: int) -> str:
    result, square = "", base
    while exponent:
        if exponent & 1:
            result = product(result, square) if result else square
        exponent >>= 1
        if exponent:
            square = product(square, square)
    return result or "1"


def _by_squaring(n: Instructions, base: str, exponent: str) -> str:
    """A wrapping power with a nonnegative exponent, by squaring."""

    def step(values: list[str]) -> list[str]:
        result, square, rest = values
        odd = n.build.convert("trunc", n.kind, rest, "i1")
        product = n("mul", result, square)
        return [n.select(odd, product, result), n("mul", square, square), n("lshr", rest, "1")]

    return repeated(n, ["1", base, exponent], lambda values: n.compare("ne", values[2]), step)[0]


def repeated(
    n: Instructions,
    start: list[str],
    going_on: Callable[[list[str]], str],
    step: Callable[[list[str]], list[str]],
) -> list[str]:
    """The values after repeating a step while an i1 holds."""
    build = n.build
    before, head = build.block, build.new_label("repeat")
    inside, after = build.new_label("step"), build.new_label("result")
    build.jump(head)
    build.start(head)
    lines = [build.reserve() for _ in start]
    values = [build.fresh() for _ in start]
    build.branch(going_on(values), inside, after)
    build.start(inside)
    following = step(values)
    last = build.block
    build.jump(head)
    for line, value, first, new in zip(lines, values, start, following, strict=True):
        line.text = f"{value} = phi {n.kind} [ {first}, %{before} ], [ {new}, %{last} ]"
    build.start(after)
    return values


def _float_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not all(map(types.is_real, arguments.types)):
        return None
    if all(map(types.is_integral, arguments.types)):
        return None
    ty = unify(*arguments.types)
    return None if ty is None else Signature(ty, (ty, ty))


@primitive(pow, _float_rule)
@primitive(operator.ipow, _float_rule)
@primitive(operator.pow, _float_rule)
def float_power(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x ** y` of floats."""
    n = Instructions(build, sig.returns)
    x, y = args[0].parts[0], args[1].parts[0]
    if y == n.number(2.0):
        return Value(n.ty, (_square(n, x),))
    is_checked = build.flags.error_model == "python"
    if is_checked:
        pole = n.both(n.both(n.compare("oeq", x), n.compare("olt", y)), n.is_finite(y))
        n.raise_if(pole, ZeroDivisionError, messages.ZERO_TO_NEGATIVE)
    (result,) = _power(build, *args)[0].parts
    if is_checked:
        message = "a fractional power of a negative number is complex; use complex(x)"
        n.raise_if(became_nan(build, n.ty, result, [x, y]), ValueError, message)
        overflow = became_infinite(build, n.ty, result, [x, y])
        n.raise_if(overflow, OverflowError, 34, messages.POWER_OVERFLOW)
    return Value(n.ty, (result,))


_SMALL = 128.0  # its square is finite in every float type


def _square(n: Instructions, x: str) -> str:
    """`x * x`; only if the product is infinite, it is checked whether `x` was."""
    build, result = n.build, n("fmul", x, x)
    low, high = build.magnitude_of(0)
    is_small = max(-low, high) <= types.to_dtype(n.ty).type(_SMALL)
    if build.flags.error_model == "python" and not is_small:
        infinite = n.compare("oeq", result, n.number(math.inf))
        seldom, after = build.new_label("infinite"), build.new_label("square")
        build.branch(infinite, seldom, after, FIRST_COLD)
        build.start(seldom)
        overflow = became_infinite(build, n.ty, result, [x])
        n.raise_if(overflow, OverflowError, 34, messages.POWER_OVERFLOW)
        build.jump(after)
        build.start(after)
    return result


def _power(build: FunctionBuilder, x: Value, y: Value) -> tuple[Value]:
    """A power by a polynomial or by the C library."""
    if x.ty is types.float16:
        (result,) = in_single(build, _power, x, y)
        return (result,)
    assert isinstance(x.ty, Float)
    if build.flags.vector_math:
        parts = [x.parts[0], y.parts[0]]
        return (Value(x.ty, (polynomials.computed(build, "power", x.ty, parts),)),)
    kind, name = float_type(x.ty), "pow" if x.ty.bits == 64 else "powf"
    polynomials.note_c_library(build, "pow")
    return (Value(x.ty, (build.call(kind, name, [(kind, x.parts[0]), (kind, y.parts[0])]),)),)


def _complex_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not all(map(types.is_number, arguments.types)):
        return None
    if not any(isinstance(ty, Complex) for ty in arguments.types):
        return None
    return Signature(types.complex128, (types.complex128, types.complex128))


@primitive(pow, _complex_rule)
@primitive(operator.ipow, _complex_rule)
@primitive(operator.pow, _complex_rule)
def complex_power(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`z ** w`."""
    given = [("double", part) for value in args for part in value.parts]
    result = build.alloca("double", 2)
    status = build.call("i32", "cutaway_complex_pow", [*given, ("ptr", result)])
    if build.flags.error_model == "python":
        pole = build.compare("eq", "i32", status, "1")
        build.raise_if(pole, ZeroDivisionError, messages.COMPLEX_ZERO_POWER)
        overflow = build.compare("eq", "i32", status, "2")
        build.raise_if(overflow, OverflowError, "complex exponentiation")
    real = build.load("double", result, 8)
    imag = build.load("double", build.offset(result, "8"), 8)
    return Value(types.complex128, (real, imag))


def _modular_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 3 or not all(map(types.is_integral, arguments.types)):
        return None
    return Signature(types.int64, (types.int64,) * 3)


@primitive(pow, _modular_rule)
def modular_power(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`pow(a, n, m)`; a negative n takes the inverse of a."""
    base, exponent, modulus = (value.parts[0] for value in args)
    zero = build.compare("eq", "i64", modulus, "0")
    build.raise_if(zero, ValueError, messages.message_of(lambda: pow(2, 2, 0)))
    negative = build.compare("slt", "i64", exponent, "0")

    def inverse() -> str:
        result = build.call("i64", "cutaway_math_inverse", [("i64", base), ("i64", modulus)])
        missing = build.compare("eq", "i64", result, "0")
        size = build.call("i64", "llvm.abs.i64", [("i64", modulus), ("i1", "false")])
        several = build.compare("ne", "i64", size, "1")
        missing = build.binary("and", "i1", missing, several)
        build.raise_if(missing, ValueError, messages.message_of(lambda: pow(2, -1, 4)))
        return result

    base = build.either(negative, "i64", inverse, base)
    times = build.select(negative, "i64", build.binary("sub", "i64", "0", exponent), exponent)
    given = [("i64", part) for part in (base, times, modulus)]
    return Value(types.int64, (build.call("i64", "cutaway_math_powmod", given),))
