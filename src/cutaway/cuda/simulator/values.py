"""Values in generated code: Python's own numbers, in the ranges of the machine's.

An integer is an int within its bits, a float32 is a float that has been rounded, a complex number a
complex, a tuple a tuple, an array a `View`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Boolean, Complex, Float, Integer, Optional, Tuple, Type

# The types whose elements a memoryview returns unchanged.
NATIVE = frozenset("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split())


def plain(ty: Type, value: Any) -> Any:
    """Convert a Python or NumPy value to its form in generated code."""
    if isinstance(ty, Optional):
        return None if value is None else plain(ty.inner, value)
    if isinstance(ty, Boolean | Integer | Float | Complex):
        return ty.coerced(value)
    if isinstance(ty, Tuple) and isinstance(value, tuple) and type(value) is tuple:
        return tuple(plain(item, one) for item, one in zip(ty.items, value, strict=True))
    return value


_CELL = memoryview(np.zeros(1, np.float32))


def single(value: float) -> float:
    """Round to a float32."""
    _CELL[0] = value
    rounded: float = _CELL[0]
    return rounded


def half(value: float) -> float:
    """Round to a float16."""
    return types.float16.coerced(value)


def single_complex(value: complex) -> complex:
    """Round to a complex64."""
    return complex(single(value.real), single(value.imag))


def exact_single(value: int) -> float:
    """Convert an integer to a float32, rounded once."""
    if -(2**53) <= value <= 2**53:
        return single(float(value))
    # The last bits decide ties: they are combined in one bit, for which 53 bits have room.
    shift = abs(value).bit_length() - 40
    kept = abs(value) >> shift
    sticky = int(kept << shift != abs(value))
    return single(math.copysign(float((kept | sticky) << shift), value))


def truncated(value: float, low: int, high: int) -> int:
    """Convert a float to an integer, as a GPU does: toward zero, to the nearest end of the range if
    it is outside, 0 for NaN."""
    try:
        whole = int(value)
    except (ValueError, OverflowError):
        return 0 if value != value else high if value > 0 else low
    return min(max(whole, low), high)


# --- division ---------------------------------------------------------------------------------


def divided(a: float, b: float) -> float:
    """Return a / b, with infinities."""
    try:
        return a / b
    except ZeroDivisionError:
        if a != a or a == 0:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def floored(a: float, b: float) -> float:
    """Return a // b of floats."""
    try:
        return a // b
    except ZeroDivisionError:
        return divided(a, b)


def rest(a: float, b: float) -> float:
    """Return a % b of floats."""
    try:
        return a % b
    except ZeroDivisionError:
        return math.nan


def complex_divided(a: complex, b: complex) -> complex:
    """Return a / b of complex numbers."""
    try:
        return a / b
    except ZeroDivisionError:
        return complex(np.complex128(a) / np.complex128(b)) if a else complex(math.nan, math.nan)


# --- powers -----------------------------------------------------------------------------------


def power(a: float, b: float) -> float:
    """Return a ** b as in C: NaN where Python returns a complex number or raises."""
    try:
        return math.pow(a, b)
    except ValueError:
        if a == 0:
            return math.copysign(math.inf, a) if b % 2 == 1 else math.inf
        return math.nan
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf


def integer_power(base: int, exponent: int, bits: int) -> int:
    """Return the low bits of a power."""
    if exponent < 0:
        raise ValueError("a negative power of an integer is not an integer; use a float")
    return pow(base, exponent, 1 << bits)


def shifted_left(value: int, count: int) -> int:
    """Return value << count, which is 0 from 64 on."""
    if count < 0:
        raise ValueError("negative shift count")
    return value << count if count < 64 else 0


def shifted_right(value: int, count: int) -> int:
    """Return value >> count."""
    if count < 0:
        raise ValueError("negative shift count")
    return value >> min(count, 64)


def quiet(function: Any) -> Any:
    """Return a function of `math` with C's results: NaN and infinity where Python raises."""

    def call(*args: float) -> Any:
        try:
            return function(*args)
        except ValueError:
            return _by_numpy(function, args)
        except OverflowError:
            return math.inf

    call.__name__ = function.__name__
    return call


NUMPY_NAMES = {"acos": "arccos", "asin": "arcsin", "atanh": "arctanh", "acosh": "arccosh"}


def _by_numpy(function: Any, args: tuple[float, ...]) -> float:
    name = NUMPY_NAMES.get(function.__name__, function.__name__)
    with np.errstate(all="ignore"):
        found = getattr(np, name, None)
        return float(found(*args)) if found is not None else math.nan
