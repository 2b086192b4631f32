"""Values of series at points: `val val2d val3d grid2d grid3d` of each family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.curves.polys import inexact_line_dtype, line
from cutaway.library.arrays.kit.dtypes import element_dtype, promoted
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.takes import Flag, Operands, Tables, numpy
from cutaway.library.arrays.kit.typers import dimensions, element, is_array, private, said
from cutaway.library.linalg.kinds import in_dtype
from cutaway.library.polynomial_families.families import (
    FAMILIES,
    Coefficients,
    Places,
    function_of,
)
from cutaway.typing import types

# --- recurrences ------------------------------------------------------------------------------


def _clenshaw(family: str) -> Any:
    """The function that evaluates a series by Clenshaw's recurrence: downward from the highest
    coefficient with two sums.

    The first steps are unrolled, since their types are those of coefficients alone. Values computed
    from points alone are converted to the result's dtype afterward.
    """

    @private
    def step_of(x):
        """The factor of each step."""
        if family in ("cheb", "herm"):
            return 2 * x
        return 1 - x if family == "lag" else x

    @private
    def low_of(c, high, n):
        """The next coefficient minus a multiple of the upper sum."""
        if family == "cheb":
            return c - high
        if family == "leg":
            return c - high * ((n - 1) / n)
        if family == "herm":
            return c - high * (2 * (n - 1))
        if family == "herme":
            return c - high * (n - 1)
        return c - (high * (n - 1)) / n

    @private
    def high_of(low, high, x, step, n, dtype):
        """The lower sum plus a multiple of the upper sum and x."""
        if family == "leg":
            return low + high * step * ((2 * n - 1) / n)
        if family == "lag":
            return low + (high * in_dtype((2 * n - 1) - x, dtype)) / n
        return low + high * step

    @private
    def values(c, x, dtype):
        n, start = len(c), x if family == "cheb" else step_of(x)
        step, last = in_dtype(step_of(x), dtype), in_dtype(start, dtype)
        if n == 0:
            raise IndexError("index -2 is out of bounds for axis 0 with size 0")
        if n == 1:
            return c[0] + in_dtype(0 * start, dtype)
        if n == 2:
            return c[0] + c[1] * last
        low = low_of(c[n - 3], c[n - 1], n - 1)
        high = high_of(c[n - 2], c[n - 1], x, step, n - 1, dtype)
        if n == 3:
            return low + high * last
        down, up = low_of(c[n - 4], high, n - 2), high_of(low, high, x, step, n - 2, dtype)
        for k in range(n - 3, 1, -1):
            down, up = low_of(c[k - 2], up, k), high_of(down, up, x, step, k, dtype)
        return down + up * last

    return values


@private
def _horner(c, x, dtype):
    """The values of a power series by Horner's rule."""
    n = len(c)
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    total, place = c[n - 1] + in_dtype(x * 0, dtype), in_dtype(x, dtype)
    for k in range(n - 2, -1, -1):
        total = c[k] + total * place
    return total


# --- values -----------------------------------------------------------------------------------


@static
def _axes_of(x: Any) -> int:
    """The number of axes of the points; a single point counts as one axis."""
    return max(dimensions(x), 1)


@private
def _shaped(c, x, tensor):
    """The coefficients reshaped for the axes of the points."""
    if tensor:
        return c.reshape(c.shape + (1,) * _axes_of(x))
    if c.ndim > _axes_of(x):
        return c
    return c.reshape(c.shape[:1] + (1,) * (_axes_of(x) - c.ndim + 1) + c.shape[1:])


@static
def _values_dtype(c: Any, x: Any, family: Any) -> np.dtype[Any]:
    """The dtype of values; intermediate results of bools count as integers."""
    steps = x if is_array(x) else element(x)
    if element(x) is types.boolean and said(family) not in ("leg", "herme"):
        steps = np.dtype(np.int64) if is_array(x) else types.int64
    return promoted(inexact_line_dtype(c), steps)


@static
def _stays_numbers(c: Any, dtype: Any, family: Any) -> bool:
    """True if coefficients stay numbers beside points; complex ones may be divided differently from
    arrays."""
    plain = dtype.value.char in ("d" if said(family) == "lag" else "dD")
    return c.ndim == 1 and plain and element_dtype(c) == dtype.value


def _register_values(family: str) -> None:
    values = _horner if family == "poly" else _clenshaw(family)

    @private
    def at_places(x, c, tensor):
        dtype = _values_dtype(c, x, family)
        if _stays_numbers(c, dtype, family):
            return values(c, single(x) if dimensions(x) == 0 else x, dtype)
        shaped = _shaped(c.astype(inexact_line_dtype(c)), x, tensor)
        if dimensions(x) > 0:
            return values(shaped, x, dtype)
        found = values(shaped, np.full(1, single(x)), dtype)
        if c.ndim == 1:
            return found[0]
        return found[..., 0] if tensor else found

    @numpy(function_of(family, "val"))
    def val(x: Places, c: Coefficients, tensor: Flag = True):
        return at_places(np.array(x) if isinstance(x, tuple) else x, line(c), tensor)


# --- values in two and three dimensions -------------------------------------------------------

Box = Takes("coefficients in three dimensions or more", lambda c: is_array(c) and c.ndim > 2)


def _register_pairs(family: str) -> None:
    """Register `val2d` and `grid2d`, which evaluate at pairs of coordinates, or on their grid."""
    value = function_of(family, "val")

    @numpy(function_of(family, "val2d"))
    def val2d(x: Operands, y: Operands, c: Tables):
        if dimensions(x) != dimensions(y):
            refuse("x, y are incompatible")
        if np.asarray(x).shape != np.asarray(y).shape:
            raise ValueError("x, y are incompatible")
        return value(y, value(x, c), tensor=False)

    @numpy(function_of(family, "grid2d"))
    def grid2d(x: Operands, y: Operands, c: Tables):
        return value(y, value(x, c))


def _register_triples(family: str) -> None:
    """Register `val3d` and `grid3d`."""
    value = function_of(family, "val")

    @numpy(function_of(family, "val3d"))
    def val3d(x: Operands, y: Operands, z: Operands, c: Box):
        if dimensions(x) != dimensions(y) or dimensions(x) != dimensions(z):
            refuse("x, y, z are incompatible")
        first, second, third = np.asarray(x).shape, np.asarray(y).shape, np.asarray(z).shape
        if first != second or first != third:
            raise ValueError("x, y, z are incompatible")
        return value(z, value(y, value(x, c), tensor=False), tensor=False)

    @numpy(function_of(family, "grid3d"))
    def grid3d(x: Operands, y: Operands, z: Operands, c: Box):
        return value(z, value(y, value(x, c)))


for _family in FAMILIES:
    _register_values(_family)
    _register_pairs(_family)
    _register_triples(_family)
