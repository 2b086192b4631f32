"""`+ - *`, signs, division and remainder of numbers."""

from __future__ import annotations

import operator

from cutaway.extending.registry import primitive
from cutaway.library.core import messages
from cutaway.library.math.integer_division import BOTH, QUOTIENT, REST, divided
from cutaway.library.math.numbers import (
    arithmetic,
    arithmetic_type,
    float_constant,
    float_negate,
    float_op,
    in_single,
    integer_op,
    is_literal,
    is_nonzero_literal,
    kind_of,
    raise_overflow,
    real_arithmetic,
    refuse_wide_constants,
    widened,
)
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, make_tuple
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Complex, Float, Integer, Tuple, Type
from cutaway.typing.types.conversions import unify

_OPCODES = {"+": ("add", "fadd"), "-": ("sub", "fsub"), "*": ("mul", "fmul")}


def _least_integer_rule(arguments: Arguments) -> Signature | None:
    # 9223372036854775808 has the bits of the least int64: a - it is right where that fits.
    if len(arguments) != 2 or not all(map(types.is_integral, arguments.types)):
        return None
    least = type(arguments.constants[1]) is int and arguments.constants[1] == 2**63
    if not least or arguments.types[0] is types.uint64:
        return None
    return Signature(types.int64, (types.int64, types.int64))


@primitive(operator.isub, _least_integer_rule)
@primitive(operator.sub, _least_integer_rule)
def subtract_least_integer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a - 9223372036854775808`."""
    return _elementwise(build, "-", args)


refuse_wide_constants(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)
refuse_wide_constants(operator.iadd, operator.isub, operator.imul)
refuse_wide_constants(operator.ifloordiv, operator.imod, divmod)


@primitive(operator.iadd, arithmetic)
@primitive(operator.add, arithmetic)
def add(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a + b`."""
    return _elementwise(build, "+", args)


@primitive(operator.isub, arithmetic)
@primitive(operator.sub, arithmetic)
def subtract(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a - b`."""
    return _elementwise(build, "-", args)


@primitive(operator.imul, arithmetic)
@primitive(operator.mul, arithmetic)
def multiply(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a * b`."""
    if isinstance(sig.returns, Complex):
        return _complex_product(build, args)
    return _elementwise(build, "*", args)


def _elementwise(build: FunctionBuilder, symbol: str, args: list[Value]) -> Value:
    lhs, rhs = args
    integer, floating = _OPCODES[symbol]
    if isinstance(lhs.ty, Integer):
        part = integer_op(build, integer, lhs.ty, lhs.parts[0], rhs.parts[0])
        return Value(lhs.ty, (part,))
    ty = lhs.ty.part if isinstance(lhs.ty, Complex) else lhs.ty
    assert isinstance(ty, Float)
    pairs = zip(lhs.parts, rhs.parts, strict=True)
    return Value(lhs.ty, tuple(float_op(build, floating, ty, a, b) for a, b in pairs))


def _complex_product(build: FunctionBuilder, args: list[Value]) -> Value:
    ty = args[0].ty
    assert isinstance(ty, Complex)
    (a, b), (c, d) = args[0].parts, args[1].parts
    part = ty.part
    ac, bd = float_op(build, "fmul", part, a, c), float_op(build, "fmul", part, b, d)
    ad, bc = float_op(build, "fmul", part, a, d), float_op(build, "fmul", part, b, c)
    return Value(ty, (float_op(build, "fsub", part, ac, bd), float_op(build, "fadd", part, ad, bc)))


# --- signs ------------------------------------------------------------------------------------


def _sign_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_number(arguments.types[0]):
        return None
    ty = widened(arguments.types[0])
    return Signature(ty, (ty,))


@primitive(operator.neg, _sign_rule)
def negate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`-a`."""
    value = args[0]
    if isinstance(value.ty, Integer):
        return Value(value.ty, (integer_op(build, "sub", value.ty, "0", value.parts[0]),))
    ty = value.ty.part if isinstance(value.ty, Complex) else value.ty
    assert isinstance(ty, Float)
    return Value(value.ty, tuple(float_negate(build, ty, part) for part in value.parts))


@primitive(operator.pos, _sign_rule)
def positive(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`+a`."""
    return args[0]


# --- true division ----------------------------------------------------------------------------


def _division_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not all(map(types.is_number, arguments.types)):
        return None
    ty = unify(*arguments.types)
    return None if ty is None or types.is_integral(ty) else Signature(ty, (ty, ty))


def _integer_division_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not all(map(types.is_integral, arguments.types)):
        return None
    if types.uint64 in arguments.types and types.int64 in map(widened, arguments.types):
        small = all(map(_is_small, arguments.types, arguments.constants))
        ty: Type = types.float64 if small else _division_type(arguments)
        return Signature(types.float64, (ty, ty))
    exact = all(_is_narrow(ty) for ty in arguments.types)
    ty = types.float64 if exact else widened(arguments.types[0])
    return Signature(types.float64, (ty, ty))


def _is_narrow(ty: Type) -> bool:
    return not (isinstance(ty, Integer) and ty.bits == 64)


def _is_small(ty: Type, constant: object) -> bool:
    return _is_narrow(ty) or (type(constant) is int and abs(constant) <= _EXACT)


def _division_type(arguments: Arguments) -> Type:
    return arithmetic_type(arguments) or types.float64


_EXACT = 2**53  # integers up to this are floats without loss


@primitive(operator.itruediv, _integer_division_rule)
@primitive(operator.truediv, _integer_division_rule)
def divide_integers(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a / b` of integers: rounded once."""
    check_nonzero(build, args[1], messages.TRUE_DIVISION)
    ty = types.float64
    quotient = _float_quotient(build, [build.cast(value, ty) for value in args])
    inexact = _beyond_floats(build, args)
    if isinstance(args[0].ty, Float) or build.flags.fastmath or inexact is None:
        return quotient
    assert isinstance(args[0].ty, Integer)
    name = f"cutaway_math_divide_{'signed' if args[0].ty.signed else 'unsigned'}"
    bad, good, before = build.new_label("wide"), build.new_label("divided"), build.block
    build.branch(inexact, bad, good, FIRST_COLD)
    build.start(bad)
    exact = build.call("double", name, [("i64", value.parts[0]) for value in args])
    found = build.block  # a target that has the function in Python adds blocks
    build.jump(good)
    build.start(good)
    return Value(ty, (build.phi("double", [(quotient.parts[0], before), (exact, found)]),))


def _beyond_floats(build: FunctionBuilder, args: list[Value]) -> str | None:
    """True if one of two integers has no float of its value; None if both are known to have one."""
    together = ""
    for value in args:
        part = value.parts[0]
        if not isinstance(value.ty, Integer) or (is_literal(part) and abs(int(part)) < _EXACT):
            continue
        moved = build.binary("add", "i64", part, str(_EXACT)) if value.ty.signed else part
        together = build.binary("or", "i64", together, moved) if together else moved
    if not together:
        return None
    assert isinstance(args[0].ty, Integer)
    limit = 2 * _EXACT if args[0].ty.signed else _EXACT
    return build.compare("uge", "i64", together, str(limit))


@primitive(operator.itruediv, _division_rule)
@primitive(operator.truediv, _division_rule)
def divide(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a / b`."""
    if isinstance(args[0].ty, Complex):
        return _complex_quotient(build, *args)
    if not build.magnitude_of(1).is_nonzero:
        check_nonzero(build, args[1], messages.FLOAT_DIVISION)
    return _float_quotient(build, args)


def _float_quotient(build: FunctionBuilder, args: list[Value]) -> Value:
    ty = args[0].ty
    assert isinstance(ty, Float)
    return Value(ty, (float_op(build, "fdiv", ty, args[0].parts[0], args[1].parts[0]),))


def check_nonzero(build: FunctionBuilder, value: Value, message: str) -> None:
    """Raise ZeroDivisionError where a number is zero, unless the error model is NumPy's."""
    if build.flags.error_model == "numpy":
        return
    part = value.parts[0]
    if is_nonzero_literal(part):
        return
    if isinstance(value.ty, Integer):
        zero = build.compare("eq", kind_of(value.ty), part, "0")
    else:
        zero = build.fcompare("oeq", kind_of(value.ty), part, "0.0")
    build.raise_if(zero, ZeroDivisionError, message)


def _complex_quotient(build: FunctionBuilder, lhs: Value, rhs: Value) -> Value:
    # Smith's method, as CPython: scale by the larger of the divisor's parts.
    ty = lhs.ty
    assert isinstance(ty, Complex)
    part, kind = ty.part, float_type(ty.part)
    (a, b), (c, d) = lhs.parts, rhs.parts
    size_c, size_d = build.math("fabs", part, c), build.math("fabs", part, d)
    if build.flags.error_model == "python":
        total = float_op(build, "fadd", part, size_c, size_d)
        zero = build.fcompare("oeq", kind, total, "0.0")
        build.raise_if(zero, ZeroDivisionError, messages.COMPLEX_DIVISION)
    first = build.fcompare("oge", kind, size_c, size_d)
    large, small = build.select(first, kind, c, d), build.select(first, kind, d, c)
    ratio = float_op(build, "fdiv", part, small, large)
    scaled = float_op(build, "fmul", part, small, ratio)
    denominator = float_op(build, "fadd", part, large, scaled)
    near, far = build.select(first, kind, a, b), build.select(first, kind, b, a)
    # |c| >= |d|: (a + b r, b - a r) / denominator; else (a r + b, b r - a) / denominator.
    product = float_op(build, "fmul", part, far, ratio)
    real = float_op(build, "fadd", part, near, product)
    by_first = float_op(build, "fsub", part, b, float_op(build, "fmul", part, a, ratio))
    by_second = float_op(build, "fsub", part, float_op(build, "fmul", part, b, ratio), a)
    imag = build.select(first, kind, by_first, by_second)
    parts = (
        float_op(build, "fdiv", part, real, denominator),
        float_op(build, "fdiv", part, imag, denominator),
    )
    return Value(ty, parts)


# --- floor division and remainder -------------------------------------------------------------


@primitive(operator.ifloordiv, real_arithmetic)
@primitive(operator.floordiv, real_arithmetic)
def floor_divide(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a // b`."""
    if isinstance(sig.returns, Integer):
        return _divided(build, args, frozenset((QUOTIENT,)), messages.FLOOR_DIVISION)[0]
    check_nonzero(build, args[1], messages.FLOAT_FLOOR_DIVISION)
    return float_divmod(build, *args)[0]


@primitive(operator.imod, real_arithmetic)
@primitive(operator.mod, real_arithmetic)
def remainder(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a % b`, with the sign of `b`."""
    if isinstance(sig.returns, Integer):
        return _divided(build, args, frozenset((REST,)), messages.MODULO)[1]
    check_nonzero(build, args[1], messages.FLOAT_MODULO)
    return float_divmod(build, *args)[1]


def _divmod_rule(arguments: Arguments) -> Signature | None:
    result = real_arithmetic(arguments)
    return None if result is None else Signature(Tuple((result.returns,) * 2), result.args)


@primitive(divmod, _divmod_rule)
def quotient_and_remainder(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`divmod(a, b)`."""
    if isinstance(args[0].ty, Integer):
        return make_tuple(list(_divided(build, args, BOTH, messages.DIVMOD)))
    check_nonzero(build, args[1], messages.FLOAT_DIVMOD)
    return make_tuple(list(float_divmod(build, *args)))


def _divided(
    build: FunctionBuilder, args: list[Value], wanted: frozenset[str], message: str
) -> tuple[Value, Value]:
    """The division of two integers, after what it may raise."""

    def check() -> None:
        check_nonzero(build, args[1], message)

    lhs, rhs = args
    if QUOTIENT in wanted and build.flags.overflow != "wrap":
        check()
        _check_quotient(build, lhs, rhs)
    raises = build.flags.error_model == "python"
    return divided(build, lhs, rhs, wanted, check if raises else None)


def _check_quotient(build: FunctionBuilder, lhs: Value, rhs: Value) -> None:
    """With overflow="raise", raise for the smallest integer by -1: no other quotient is too
    large."""
    ty, part = lhs.ty, rhs.parts[0]
    assert isinstance(ty, Integer)
    if build.flags.overflow == "wrap" or not ty.signed or (is_literal(part) and part != "-1"):
        return
    kind = kind_of(ty)
    lowest = build.compare("eq", kind, lhs.parts[0], str(ty.low))
    raise_overflow(build, build.binary("and", "i1", lowest, build.compare("eq", kind, part, "-1")))


def float_divmod(build: FunctionBuilder, lhs: Value, rhs: Value) -> tuple[Value, Value]:
    """Floor and remainder such that the remainder is exact and has the divisor's sign.

    The remainder of C's fmod, moved by one divisor where the signs differ; the quotient from
    the exact multiple, so that it is never off by one.
    """
    ty = lhs.ty
    if ty is types.float16:
        quotient, remainder = in_single(build, float_divmod, lhs, rhs)
        return quotient, remainder
    assert isinstance(ty, Float)
    kind, a, b = float_type(ty), lhs.parts[0], rhs.parts[0]
    rest = build.float_rest(kind, a, b)
    multiple = build.binary("fdiv", kind, build.binary("fsub", kind, a, rest), b)
    nonzero = build.fcompare("une", kind, rest, "0.0")
    signs_differ = build.binary(
        "xor",
        "i1",
        build.fcompare("olt", kind, b, "0.0"),
        build.fcompare("olt", kind, rest, "0.0"),
    )
    move = build.binary("and", "i1", nonzero, signs_differ)
    one = float_constant(build, ty, 1.0)
    lower = build.binary("fsub", kind, multiple, one)
    multiple = build.select(move, kind, lower, multiple)
    moved = build.select(move, kind, build.binary("fadd", kind, rest, b), rest)
    zero = build.math("copysign", ty, "0.0", b)
    moved = build.select(nonzero, kind, moved, zero)
    return Value(ty, (_floor_of(build, ty, a, b, multiple),)), Value(ty, (moved,))


def _floor_of(build: FunctionBuilder, ty: Float, a: str, b: str, multiple: str) -> str:
    kind = float_type(ty)
    down = build.math("floor", ty, multiple)
    above = build.fcompare(
        "ogt",
        kind,
        build.binary("fsub", kind, multiple, down),
        float_constant(build, ty, 0.5),
    )
    up = build.binary("fadd", kind, down, float_constant(build, ty, 1.0))
    down = build.select(above, kind, up, down)
    zero = build.math("copysign", ty, "0.0", build.binary("fdiv", kind, a, b))
    nonzero = build.fcompare("une", kind, multiple, "0.0")
    return build.select(nonzero, kind, down, zero)
