"""`add subtract multiply divide power`, signs, squares and reciprocals of elements."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cutaway.library.elements.table import inline
from cutaway.library.math.numbers import float_constant, float_negate, float_op, is_literal, kind_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Complex, Float, Integer, Type
from cutaway.typing.ufuncs import Loop

# Of integers, of floats, and of bools.
_OPCODES = {
    "add": ("add", "fadd", "or"),
    "subtract": ("sub", "fsub", ""),
    "multiply": ("mul", "fmul", "and"),
}


def part_type(ty: Type) -> Float:
    """The type of a float, or of the parts of a complex number."""
    part = ty.part if isinstance(ty, Complex) else ty
    assert isinstance(part, Float)
    return part


def each_part(value: Value, function: Callable[[str], str]) -> Value:
    """A number whose parts are computed of those of another one."""
    return Value(value.ty, tuple(map(function, value.parts)))


def _register(name: str, integer: str, floating: str, logical: str) -> None:
    @inline(name, "iu")
    def of_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        return Value(a.ty, (build.binary(integer, kind_of(a.ty), a.parts[0], b.parts[0]),))

    # A product of complex numbers is NumPy's loop: it fuses on some processors.
    @inline(name, "f" if name == "multiply" else "fc")
    def of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        pairs = zip(a.parts, b.parts, strict=True)
        ty = part_type(a.ty)
        return Value(a.ty, tuple(float_op(build, floating, ty, x, y) for x, y in pairs))

    if logical:

        @inline(name, "b")
        def of_bools(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
            a, b = args
            return Value(a.ty, (build.binary(logical, "i1", a.parts[0], b.parts[0]),))


for _name, _opcodes in _OPCODES.items():
    _register(_name, *_opcodes)


@inline("divide", "f")
def divide(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a / b` of floats."""
    a, b = args
    part = float_op(build, "fdiv", part_type(a.ty), a.parts[0], b.parts[0])
    return Value(a.ty, (part,))


@inline("divide", "c")
def divide_complex(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a / b` of complex numbers: Smith's method, by the reciprocal of the denominator."""
    ty = args[0].ty
    (a, b), (c, d) = args[0].parts, args[1].parts
    part = part_type(ty)
    kind, one = kind_of(part), float_constant(build, part, 1.0)

    def op(name: str, x: str, y: str) -> str:
        return build.binary(name, kind, x, y)

    size_c, size_d = build.math("fabs", part, c), build.math("fabs", part, d)
    first = build.fcompare("oge", kind, size_c, size_d)
    large, small = build.select(first, kind, c, d), build.select(first, kind, d, c)
    ratio = op("fdiv", small, large)
    scale = op("fdiv", one, op("fadd", large, op("fmul", small, ratio)))
    near, far = build.select(first, kind, a, b), build.select(first, kind, b, a)
    real = op("fadd", near, op("fmul", far, ratio))
    by_first = op("fsub", b, op("fmul", a, ratio))
    by_second = op("fsub", op("fmul", b, ratio), a)
    imag = build.select(first, kind, by_first, by_second)
    zero_c = build.fcompare("oeq", kind, size_c, "0.0")
    zero_d = build.fcompare("oeq", kind, size_d, "0.0")
    none = build.binary("and", "i1", zero_c, zero_d)
    real = build.select(none, kind, op("fdiv", a, size_c), op("fmul", real, scale))
    imag = build.select(none, kind, op("fdiv", b, size_d), op("fmul", imag, scale))
    return Value(ty, (real, imag))


@inline("reciprocal", "f")
def reciprocal(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`1 / a` of floats."""
    (a,) = args
    ty = part_type(a.ty)
    return Value(
        a.ty, (build.binary("fdiv", kind_of(ty), float_constant(build, ty, 1.0), a.parts[0]),)
    )


@inline("reciprocal", "iu")
def reciprocal_of_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`1 / a` cut off: 0 but for 1 and -1; of 0 what the processor makes of an infinity."""
    (a,) = args
    assert isinstance(a.ty, Integer)
    kind, part = kind_of(a.ty), a.parts[0]
    ones = [build.compare("eq", kind, part, number) for number in ("1", "-1")[: 1 + a.ty.signed]]
    itself = build.binary("or", "i1", *ones) if len(ones) == 2 else ones[0]
    of_zero = str(a.ty.low) if a.ty.signed and a.ty.bits >= 32 else "0"
    zero = build.compare("eq", kind, part, "0")
    result = build.select(itself, kind, part, "0")
    return Value(a.ty, (build.select(zero, kind, of_zero, result),))


@inline("reciprocal", "c")
def reciprocal_of_complex(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`1 / a` of complex numbers, scaled by the larger part."""
    ty, (c, d) = args[0].ty, args[0].parts
    part = part_type(ty)
    kind, one = kind_of(part), float_constant(build, part, 1.0)
    first = build.fcompare("ole", kind, build.math("fabs", part, d), build.math("fabs", part, c))
    large, small = build.select(first, kind, c, d), build.select(first, kind, d, c)
    ratio = build.binary("fdiv", kind, small, large)
    scaled = build.binary("fmul", kind, small, ratio)
    total = build.binary("fadd", kind, large, scaled)
    near, far = build.select(first, kind, one, ratio), build.select(first, kind, ratio, one)
    real = build.binary("fdiv", kind, near, total)
    imag = build.binary("fdiv", kind, build.result(f"fneg {kind} {far}"), total)
    return Value(ty, (real, imag))


@inline("sqrt", "f")
def sqrt(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The square root, which is exact to the last bit."""
    (a,) = args
    return each_part(a, lambda part: build.math("sqrt", part_type(a.ty), part))


@inline("square", "iuf")
def square(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a * a`."""
    (a,) = args
    opcode = "mul" if isinstance(a.ty, Integer) else "fmul"
    return each_part(a, lambda part: build.binary(opcode, kind_of(a.ty), part, part))


# --- signs ----------------------------------------------------------------------------------------


@inline("positive", "iuefcm")
@inline("conjugate", "iuef")
def itself(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`+a`."""
    return args[0]


@inline("negative", "ium")
def negate(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`-a` of integers; NaT and the least integer are their own negatives."""
    (a,) = args
    return each_part(a, lambda part: build.binary("sub", kind_of(a.ty), "0", part))


@inline("negative", "efc")
def negate_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`-a` of floats and complex numbers, zeros included."""
    (a,) = args
    return each_part(a, lambda part: float_negate(build, part_type(a.ty), part))


@inline("conjugate", "c")
def conjugate(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """A complex number with the other sign of its imaginary part."""
    real, imag = args[0].parts
    return Value(args[0].ty, (real, float_negate(build, part_type(args[0].ty), imag)))


@inline("absolute", "bu")
def unsigned_itself(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`abs(a)` of what has no sign."""
    return args[0]


@inline("absolute", "im")
def absolute(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`abs(a)` of integers; NaT and the least integer stay as they are."""
    (a,) = args
    return each_part(a, lambda part: integer_size(build, a.ty, part))


def integer_size(build: FunctionBuilder, ty: Type, part: str) -> str:
    """The magnitude of an integer; the least one stays as it is."""
    if isinstance(ty, Integer) and not ty.signed:
        return part
    kind = kind_of(ty)
    return build.call(kind, f"llvm.abs.{kind}", [(kind, part), ("i1", "false")])


@inline("absolute fabs", "ef")
def absolute_of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`abs(a)` of floats."""
    (a,) = args
    return each_part(a, lambda part: build.math("fabs", part_type(a.ty), part))


def _nat_has_no_sign() -> bool:
    """False where NaT is a number below zero, as in some versions of NumPy; from 2.5 on the sign of
    a duration is a float."""
    sign = np.sign(np.timedelta64("NaT", "s"))
    return bool(sign.dtype.kind != "m" or np.isnat(sign))


_NAT_HAS_NO_SIGN = _nat_has_no_sign()


@inline("sign", "ium")
def sign(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """-1, 0 or 1 with the sign of an integer."""
    (a,) = args
    kind, part = kind_of(a.ty), a.parts[0]
    signed = not isinstance(a.ty, Integer) or a.ty.signed
    above = build.compare("sgt" if signed else "ne", kind, part, "0")
    result = build.convert("zext", "i1", above, kind)
    if signed:
        below = build.compare("slt", kind, part, "0")
        result = build.select(below, kind, "-1", result)
    if not isinstance(a.ty, Integer) and _NAT_HAS_NO_SIGN:
        nat = build.compare("eq", kind, part, str(-(1 << 63)))
        if isinstance(loop.outputs[0], Float):
            number = build.cast(Value(types.int64, (result,)), loop.outputs[0]).parts[0]
            nothing = float_constant(build, loop.outputs[0], math.nan)
            kind = kind_of(loop.outputs[0])
            return Value(loop.outputs[0], (build.select(nat, kind, nothing, number),))
        result = build.select(nat, kind, part, result)
    return Value(a.ty, (result,))


@inline("sign", "f")
def sign_of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """-1.0, 0.0 or 1.0 with the sign of a float; a NaN of a NaN."""
    (a,) = args
    ty = part_type(a.ty)
    kind, part = kind_of(ty), a.parts[0]
    one, minus_one = float_constant(build, ty, 1.0), float_constant(build, ty, -1.0)
    zero = build.fcompare("oeq", kind, part, "0.0")
    below = build.select(build.fcompare("olt", kind, part, "0.0"), kind, minus_one, part)
    result = build.select(build.fcompare("ogt", kind, part, "0.0"), kind, one, below)
    return Value(a.ty, (build.select(zero, kind, "0.0", result),))


# --- powers of integers ---------------------------------------------------------------------------

NEGATIVE_POWER = "Integers to negative integer powers are not allowed."
_LARGEST_UNROLLED = 64


@inline("power", "iu")
def power(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a ** n` by squaring; raises ValueError for a negative `n`."""
    ty, base, exponent = args[0].ty, args[0].parts[0], args[1].parts[0]
    assert isinstance(ty, Integer)
    kind = kind_of(ty)
    if is_literal(exponent) and 0 <= int(exponent) <= _LARGEST_UNROLLED:
        return Value(ty, (_unrolled(build, kind, base, int(exponent)),))
    if ty.signed:
        negative = build.compare("slt", kind, exponent, "0")
        build.raise_if(negative, ValueError, NEGATIVE_POWER)

    def step(values: list[str]) -> list[str]:
        result, square, rest = values
        odd = build.convert("trunc", kind, rest, "i1")
        product = build.binary("mul", kind, result, square)
        return [
            build.select(odd, kind, product, result),
            build.binary("mul", kind, square, square),
            build.binary("lshr", kind, rest, "1"),
        ]

    def going_on(values: list[str]) -> str:
        return build.compare("ne", kind, values[2], "0")

    start = [(kind, "1"), (kind, base), (kind, exponent)]
    return Value(ty, (repeated(build, start, going_on, step)[0],))


def _unrolled(build: FunctionBuilder, kind: str, base: str, exponent: int) -> str:
    result, square = "", base
    while exponent:
        if exponent & 1:
            result = build.binary("mul", kind, result, square) if result else square
        exponent >>= 1
        if exponent:
            square = build.binary("mul", kind, square, square)
    return result or "1"


def repeated(
    build: FunctionBuilder,
    start: list[tuple[str, str]],
    going_on: Callable[[list[str]], str],
    step: Callable[[list[str]], list[str]],
) -> list[str]:
    """What values, pairs of LLVM type and value, become by steps as long as an i1 holds."""
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
    for line, value, (kind, first), new in zip(lines, values, start, following, strict=True):
        line.text = f"{value} = phi {kind} [ {first}, %{before} ], [ {new}, %{last} ]"
    build.start(after)
    return values


# --- divisors and multiples -----------------------------------------------------------------------


@inline("gcd", "iu")
def gcd(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The greatest common divisor."""
    a, b = args
    sizes = [integer_size(build, a.ty, value.parts[0]) for value in (a, b)]
    return Value(a.ty, (_common_divisor(build, kind_of(a.ty), *sizes),))


@inline("lcm", "iu")
def lcm(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The least common multiple; 0 where a number is 0."""
    a, b = args
    kind = kind_of(a.ty)
    first, second = (integer_size(build, a.ty, value.parts[0]) for value in (a, b))
    divisor = _common_divisor(build, kind, first, second)
    none = build.compare("eq", kind, divisor, "0")
    divisor = build.select(none, kind, "1", divisor)
    quotient = build.binary("udiv", kind, first, divisor)
    return Value(a.ty, (build.binary("mul", kind, quotient, second),))


def _common_divisor(build: FunctionBuilder, kind: str, first: str, second: str) -> str:
    def step(values: list[str]) -> list[str]:
        a, b = values
        return [b, build.binary("urem", kind, a, b)]

    def going_on(values: list[str]) -> str:
        return build.compare("ne", kind, values[1], "0")

    return repeated(build, [(kind, first), (kind, second)], going_on, step)[0]
