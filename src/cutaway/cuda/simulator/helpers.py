"""The functions that generated code calls by name."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cutaway.cuda.simulator import values
from cutaway.cuda.simulator.memory import (
    LOCAL,
    ArrayView,
    Storage,
    byte_strides,
    c_strides,
    flags,
    new_cells,
)
from cutaway.cuda.simulator.records import column, row
from cutaway.cuda.simulator.values import NUMPY_NAMES, quiet, single
from cutaway.typing.overloads.choice import lost_argument
from cutaway.typing.types.elements import to_dtype


class Missing:
    """The item of an exhausted iterator."""


MISSING = Missing()


def popc(value: int, bits: int) -> int:
    """Count the bits that are set."""
    return (value & ((1 << bits) - 1)).bit_count()


def clz(value: int, bits: int) -> int:
    """Count the zero bits above the highest bit that is set."""
    return bits - (value & ((1 << bits) - 1)).bit_length()


def ffs(value: int, bits: int) -> int:
    """Return the position of the lowest bit that is set, from 1."""
    return (value & -value).bit_length()


def brev(value: int, bits: int) -> int:
    """Reverse the order of the bits; the result is unsigned."""
    turned = int(format(value & ((1 << bits) - 1), f"0{bits}b")[::-1], 2)
    return turned


def fma(a: float, b: float, c: float) -> float:
    """Return a * b + c, rounded once."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


def fma_single(a: float, b: float, c: float) -> float:
    """Return a * b + c in float32, rounded once: exact product in float64, sum rounded to odd."""
    product = a * b
    total = product + c
    if not math.isfinite(total):
        return single(total)
    rest = Fraction(product) + Fraction(c) - Fraction(total)
    if rest and not int(np.float64(total).view(np.int64)) & 1:
        total = math.nextafter(total, math.inf if rest > 0 else -math.inf)
    return single(total)


def cbrt(value: float) -> float:
    """Return the cube root."""
    return float(np.cbrt(value))


def rsqrt(value: float) -> float:
    """Return 1 / sqrt(x)."""
    if value > 0:
        return 1 / math.sqrt(value)
    return math.copysign(math.inf, value) if value == 0 else math.nan


def sincos(value: float, is_single: bool) -> tuple[float, float]:
    """Return the sine and the cosine."""
    pair = quiet(math.sin)(value), quiet(math.cos)(value)
    return (single(pair[0]), single(pair[1])) if is_single else pair


def nonzero(value: float) -> float:
    """Return a divisor; raises ZeroDivisionError if it is zero."""
    if value == 0:
        raise ZeroDivisionError("division by zero")
    return value


def complex_power(a: complex, b: complex) -> complex:
    """Return a ** b of complex numbers."""
    with np.errstate(all="ignore"):
        return complex(np.complex128(a) ** np.complex128(b))


def of_complex(function: Any) -> Any:
    """Return a function of `cmath` with C's results instead of exceptions."""
    name = {"phase": "angle"}.get(function.__name__, function.__name__)
    other = getattr(np, NUMPY_NAMES.get(name, name), None)

    def call(*args: complex) -> Any:
        try:
            return function(*args)
        except (ValueError, OverflowError, ZeroDivisionError):
            if other is None:
                return complex(math.nan, math.nan)
            return other(*map(np.complex128, args))

    call.__name__ = f"complex_{function.__name__}"
    return call


def which(function: Any) -> Any:
    """Return the identity of one of several functions."""
    return function[0] if type(function) is tuple else function


def local_array(place: Any) -> ArrayView:
    """Allocate an array in a thread's local memory."""
    size = math.prod(place.shape)
    cells = new_cells(place.dtype, size)
    itemsize = to_dtype(place.dtype).itemsize
    storage = Storage(place.name, "local", cells, LOCAL, place.dtype, itemsize, place.shape)
    return ArrayView(storage, 0, place.shape, c_strides(place.shape))


def method(name: str) -> Any:
    """Return a function that calls a method of its first argument."""

    def call(owner: Any, *args: Any, **named: Any) -> Any:
        return getattr(owner, name)(*args, **named)

    return call


def attribute(name: str) -> Any:
    """Return a function that reads an attribute of its argument."""
    return lambda owner: getattr(owner, name)


def as_asked(value: Any, changed: Any, wanted: str, name: str) -> Any:
    """Convert a number for a signature; raises TypeError or OverflowError if its value changes,
    other than by rounding of a float."""
    is_float = isinstance(changed, float | np.floating)
    if math.isinf(changed) and not math.isinf(value) if is_float else changed != value:
        broken = not isinstance(value, int) and not (math.isfinite(value) and value == int(value))
        error = TypeError if wanted == "bool" or broken else OverflowError
        raise error(lost_argument(wanted, name))
    return changed


def getitem(owner: Any, index: Any) -> Any:
    """Return `owner[index]`."""
    return owner[index]


_OF_VALUES = (
    *(values.single, values.half, values.single_complex, values.exact_single, values.truncated),
    *(values.divided, values.floored, values.rest, values.complex_divided, values.power),
    *(values.integer_power, values.shifted_left, values.shifted_right),
)

NAMESPACE: dict[str, Any] = {
    "MISSING": MISSING,
    "F": None,  # see `cells`
    "as_asked": as_asked,
    "row": row,
    "column": column,
    "byte_strides": byte_strides,
    "flags": flags,
    **{one.__name__: one for one in _OF_VALUES},
    **{
        one.__name__: one
        for one in (
            *(popc, clz, ffs, brev, fma, fma_single, cbrt, rsqrt, sincos, nonzero),
            *(complex_power, local_array, method, attribute, getitem, which),
        )
    },
    **{f"{name}_{axis}": 1 for name in ("blockDim", "gridDim") for axis in "xyz"},
    "FENCES": False,
    "__builtins__": __builtins__,
}


def cells() -> dict[str, Any]:
    """Return the function that rounds to float32: each launch has a cell of its own, since two may
    run at once."""
    cell = memoryview(np.zeros(1, np.float32))

    def single(value: float) -> float:
        cell[0] = value
        rounded: float = cell[0]
        return rounded

    return {"F": cell, "single": single}
