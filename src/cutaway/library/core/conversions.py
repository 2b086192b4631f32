"""`int float complex round` as conversions; rounding to integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.core import messages
from cutaway.library.math.numbers import Instructions, became_infinite, widened
from cutaway.lowering.arrays.elements import converted_element
from cutaway.lowering.build.builder import SECOND_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Complex, Float, Integer, Omitted, Type


def _no_arguments(ty: Type, arguments: Arguments) -> Signature | None:
    return None if len(arguments) else Signature(ty, ())


@primitive(int, lambda arguments: _no_arguments(types.int64, arguments))
@primitive(float, lambda arguments: _no_arguments(types.float64, arguments))
@primitive(complex, lambda arguments: _no_arguments(types.complex128, arguments))
def zero_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`int()`, `float()`, `complex()`."""
    return build.constant(sig.returns, 0)


def _int_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_integral(arguments.types[0]):
        return None
    unsigned = arguments.types[0] is types.uint64
    ty = types.uint64 if unsigned else types.int64
    return Signature(ty, (ty,))


@primitive(math.floor, _int_rule)
@primitive(math.ceil, _int_rule)
@primitive(math.trunc, _int_rule)
@primitive(int, _int_rule)
def integer_of_integer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Return the integer itself: it needs no rounding."""
    return args[0]


def _float_to_integer_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not isinstance(arguments.types[0], Float):
        return None
    return Signature(types.int64, arguments.types)


def _register_rounding(function: Any, how: str) -> None:
    @primitive(function, _float_to_integer_rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return _rounded(build, how, args[0]) if how else checked_integer(build, args[0])

    lower.__name__ = how or "truncate"


_register_rounding(int, "")
_register_rounding(math.trunc, "")
_register_rounding(math.floor, "floor")
_register_rounding(math.ceil, "ceil")


def _rounded(build: FunctionBuilder, how: str, value: Value) -> Value:
    assert isinstance(value.ty, Float)
    return checked_integer(build, Value(value.ty, (build.math(how, value.ty, value.parts[0]),)))


def checked_integer(build: FunctionBuilder, value: Value) -> Value:
    """A float truncated to int64; raises as Python does for NaN and infinity, and OverflowError if
    the integer needs more than 64 bits."""
    if build.flags.float_to_int == "astype":
        return converted_element(build, value, types.int64)

    def complain(outside: str) -> None:
        build.raise_if(outside, OverflowError, "the integer does not fit in 64 bits")

    return integer_within(build, value, types.int64, complain)


def integer_within(
    build: FunctionBuilder, value: Value, wanted: Integer, complain: Callable[[str], None]
) -> Value:
    """A float truncated to an integer type; raises as Python does for NaN and infinity.
    If an i1 holds, `complain` raises for a number out of the type's range."""
    if value.ty is types.float16:  # the limits are out of its range
        value = build.cast(value, types.float32)
    n, (part,) = Instructions(build, value.ty), value.parts
    bad, good = build.new_label("unusual"), build.new_label("fits")
    build.branch(_is_within(n, part, wanted), good, bad, SECOND_COLD)
    build.start(bad)
    n.raise_if(n.is_nan(part), ValueError, messages.INTEGER_OF_NAN)
    n.raise_if(n.is_infinite(part), OverflowError, messages.INTEGER_OF_INFINITY)
    complain(n.compare("une", part, n.number(float(wanted.low))))
    build.jump(good)
    build.start(good)
    name = "fptosi" if wanted.signed else "fptoui"
    return Value(wanted, (build.convert(name, n.kind, part, f"i{wanted.bits}"),))


def _is_within(n: Instructions, part: str, wanted: Integer) -> str:
    """An i1: whether a truncated float is in a type's range. The least number of a wide type counts
    as outside: it is not worth a comparison on the common path."""
    limit = n.number(wanted.high + 1.0)
    if wanted is types.int64:
        return n.compare("olt", n.size(part), limit)
    below = wanted.low - 1.0 if wanted.bits < 64 else -1.0
    if n.ty.bits == 32 and wanted is types.int32:  # no float32 lies between the two
        below = float(wanted.low)
    return n.both(n.compare("ogt", part, n.number(below)), n.compare("olt", part, limit))


# --- round ------------------------------------------------------------------------------------

_ROUND_PARAMETERS, _ROUND_DEFAULTS = ("number", "ndigits"), (REQUIRED, None)


def _is_none(ty: Type) -> bool:
    return ty is types.none or (isinstance(ty, Omitted) and ty.value is None)


def _whole_rule(arguments: Arguments) -> Signature | None:
    number, digits = arguments.types
    if not types.is_real(number) or not _is_none(digits):
        return None
    if isinstance(number, Float):
        return Signature(types.int64, arguments.types)
    return Signature(widened(number), (widened(number), digits))


@primitive(round, _whole_rule, _ROUND_PARAMETERS, _ROUND_DEFAULTS)
def round_to_integer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`round(x)`, `round(x, None)`: half goes to even."""
    return _rounded(build, "roundeven", args[0]) if isinstance(args[0].ty, Float) else args[0]


def _digits_rule(arguments: Arguments) -> Signature | None:
    number, digits = arguments.types
    if not types.is_real(number) or not types.is_integral(digits) or digits is types.uint64:
        return None
    ty = widened(number)
    return Signature(ty, (ty, types.int64))


_BY_TYPE = {
    types.int64: ("i64", "cutaway_math_round_signed"),
    types.uint64: ("i64", "cutaway_math_round_unsigned"),
    types.float16: ("float", "cutaway_math_round_half"),
    types.float32: ("float", "cutaway_math_round_single"),
    types.float64: ("double", "cutaway_round"),
}


@primitive(round, _digits_rule, _ROUND_PARAMETERS, _ROUND_DEFAULTS)
def round_to_digits(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`round(x, n)`: the nearest number of `n` decimals, found exactly as in Python; float16 and
    float32 are rounded as in NumPy."""
    kind, name = _BY_TYPE[sig.returns]
    number = args[0] if sig.returns is not types.float16 else build.cast(args[0], types.float32)
    result = build.call(kind, name, [(kind, number.parts[0]), ("i64", args[1].parts[0])])
    if sig.returns is types.float16:
        return build.cast(Value(types.float32, (result,)), sig.returns)
    if sig.returns is types.float64:
        overflow = became_infinite(build, types.float64, result, [args[0].parts[0]])
        build.raise_if(overflow, OverflowError, "rounded value too large to represent")
    return Value(sig.returns, (result,))


def _float_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_real(arguments.types[0]):
        return None
    (ty,) = arguments.types
    if not isinstance(ty, Float) or ty is types.float16:
        ty = types.float64
    return Signature(ty, (ty,))


@primitive(float, _float_rule)
def to_float(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`float(x)`."""
    return args[0]


def _complex_rule(arguments: Arguments) -> Signature | None:
    if not 1 <= len(arguments) <= 2 or not all(map(types.is_number, arguments.types)):
        return None
    if len(arguments) == 2 and not all(map(types.is_real, arguments.types)):
        return None
    if isinstance(arguments.types[0], Complex):
        return Signature(types.complex128, arguments.types)
    return Signature(types.complex128, (types.float64,) * len(arguments))


@primitive(complex, _complex_rule)
def to_complex(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`complex(x)`, `complex(re, im)`."""
    if len(args) == 2:
        return Value(sig.returns, (args[0].parts[0], args[1].parts[0]))
    return build.cast(args[0], sig.returns)


# The type of each class used as a dtype.
CLASS_TYPES: dict[type, Type] = {
    **{np.dtype(name).type: ty for name, ty in types.SCALARS.items()},
    bool: types.boolean,
    int: types.int64,
    float: types.float64,
    complex: types.complex128,
}
