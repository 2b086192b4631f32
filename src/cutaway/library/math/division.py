"""Division of numbers, and its remainder."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cutaway.extending.registry import primitive
from cutaway.library.core import messages
from cutaway.library.math import numbers
from cutaway.library.math.integer_division import BOTH, QUOTIENT, REST, divided
from cutaway.library.math.numbers import (
    Instructions,
    arithmetic_type,
    in_single,
    is_literal,
    is_nonzero_literal,
    raise_overflow,
    real_arithmetic,
    refuse_wide_constants,
    widened,
)
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Complex, Float, Integer, Tuple, Type
from cutaway.typing.types.conversions import unify

Emit = Callable[[str, str, str], str]


refuse_wide_constants(operator.floordiv, operator.mod)
refuse_wide_constants(operator.ifloordiv, operator.imod, divmod)

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
        ty: Type = types.float64 if small else arithmetic_type(arguments) or types.float64
        return Signature(types.float64, (ty, ty))
    exact = all(_is_narrow(ty) for ty in arguments.types)
    ty = types.float64 if exact else widened(arguments.types[0])
    return Signature(types.float64, (ty, ty))


def _is_narrow(ty: Type) -> bool:
    return not (isinstance(ty, Integer) and ty.bits == 64)


def _is_small(ty: Type, constant: object) -> bool:
    return _is_narrow(ty) or (type(constant) is int and abs(constant) <= _EXACT)


_EXACT = 2**53  # integers up to this convert to floats exactly


@primitive(operator.itruediv, _integer_division_rule)
@primitive(operator.truediv, _integer_division_rule)
def divide_integers(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a / b` of integers, rounded once."""
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
    end = build.block  # a target with this function in Python adds blocks
    build.jump(good)
    build.start(good)
    return Value(ty, (build.phi("double", [(quotient.parts[0], before), (exact, end)]),))


def _beyond_floats(build: FunctionBuilder, args: list[Value]) -> str | None:
    """An i1: whether one of two integers is not exactly a float; None if both are known to be."""
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
    n, (a, b) = Instructions(build, args[0].ty), args
    return Value(a.ty, (n.fast("fdiv", a.parts[0], b.parts[0]),))


def check_nonzero(build: FunctionBuilder, value: Value, message: str) -> None:
    """Raise ZeroDivisionError if a number is zero, unless the error model is NumPy's."""
    if build.flags.error_model == "numpy":
        return
    part = value.parts[0]
    if is_nonzero_literal(part):
        return
    n = Instructions(build, value.ty)
    zero = n.compare("eq" if isinstance(value.ty, Integer) else "oeq", part)
    build.raise_if(zero, ZeroDivisionError, message)


def _complex_quotient(build: FunctionBuilder, lhs: Value, rhs: Value) -> Value:
    # Smith's method, as in CPython: scale by the larger of the divisor's parts.
    n, (c, d) = Instructions(build, lhs.ty), rhs.parts
    size_c, size_d = n.size(c), n.size(d)
    if build.flags.error_model == "python":
        zero = n.compare("oeq", n.fast("fadd", size_c, size_d))
        build.raise_if(zero, ZeroDivisionError, messages.COMPLEX_DIVISION)
    first = n.compare("oge", size_c, size_d)
    denominator, *parts = smith(n, n.fast, (*lhs.parts, c, d), first)
    return Value(lhs.ty, tuple(n.fast("fdiv", part, denominator) for part in parts))


def smith(n: Instructions, op: Emit, parts: tuple[str, ...], first: str) -> tuple[str, str, str]:
    """The denominator and both numerators of a complex quotient, scaled by the larger part of the
    divisor: its first part if the i1 `first` holds.

    |c| >= |d|: (a + b r, b - a r) / (c + d r), r = d / c; else (a r + b, b r - a) / (d + c r).
    """
    a, b, c, d = parts
    large, small = n.select(first, c, d), n.select(first, d, c)
    ratio = op("fdiv", small, large)
    denominator = op("fadd", large, op("fmul", small, ratio))
    near, far = n.select(first, a, b), n.select(first, b, a)
    real = op("fadd", near, op("fmul", far, ratio))
    by_first = op("fsub", b, op("fmul", a, ratio))
    by_second = op("fsub", op("fmul", b, ratio), a)
    return denominator, real, n.select(first, by_first, by_second)


# --- floor division and remainder -------------------------------------------------------------


def _divmod_rule(arguments: Arguments) -> Signature | None:
    result = real_arithmetic(arguments)
    return None if result is None else Signature(Tuple((result.returns,) * 2), result.args)


def _register_division(
    name: str, functions: tuple[Any, ...], wanted: frozenset[str], *errors: str
) -> None:
    """Register functions for a floored quotient, a remainder with the divisor's sign, or both;
    `errors` are the messages for an integer and a float divisor of zero."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        if isinstance(args[0].ty, Integer):
            pair = _divided(build, args, wanted, errors[0])
        else:
            check_nonzero(build, args[1], errors[1])
            pair = float_divmod(build, *args)
        return make_tuple(list(pair)) if wanted is BOTH else pair[REST in wanted]

    lower.__name__ = name
    for function in functions:
        primitive(function, _divmod_rule if wanted is BOTH else real_arithmetic)(lower)


_register_division(
    "floor_divide",
    (operator.floordiv, operator.ifloordiv),
    frozenset((QUOTIENT,)),
    messages.FLOOR_DIVISION,
    messages.FLOAT_FLOOR_DIVISION,
)
_register_division(
    "remainder",
    (operator.mod, operator.imod),
    frozenset((REST,)),
    messages.MODULO,
    messages.FLOAT_MODULO,
)
_register_division(
    "quotient_and_remainder", (divmod,), BOTH, messages.DIVMOD, messages.FLOAT_DIVMOD
)


def _divided(
    build: FunctionBuilder, args: list[Value], wanted: frozenset[str], message: str
) -> tuple[Value, Value]:
    """The quotient and remainder of two integers, after the checks that may raise."""

    def check() -> None:
        check_nonzero(build, args[1], message)

    lhs, rhs = args
    if QUOTIENT in wanted and build.flags.overflow != "wrap":
        check()
        _check_quotient(build, lhs, rhs)
    raises = build.flags.error_model == "python"
    return divided(build, lhs, rhs, wanted, check if raises else None)


def _check_quotient(build: FunctionBuilder, lhs: Value, rhs: Value) -> None:
    """With overflow="raise", raise for the least integer by -1, the only quotient that
    overflows."""
    ty, part = lhs.ty, rhs.parts[0]
    assert isinstance(ty, Integer)
    if build.flags.overflow == "wrap" or not ty.signed or (is_literal(part) and part != "-1"):
        return
    n = Instructions(build, ty)
    lowest = n.compare("eq", lhs.parts[0], str(ty.low))
    raise_overflow(build, n.both(lowest, n.compare("eq", part, "-1")))


def float_divmod(build: FunctionBuilder, lhs: Value, rhs: Value) -> tuple[Value, ...]:
    """The floored quotient and the remainder of floats."""
    if lhs.ty is types.float16:
        return in_single(build, float_divmod, lhs, rhs)
    pair = numbers.float_divmod(Instructions(build, lhs.ty), lhs.parts[0], rhs.parts[0])
    return tuple(Value(lhs.ty, (part,)) for part in pair)
