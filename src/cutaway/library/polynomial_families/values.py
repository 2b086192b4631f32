"""Values of series at places: `val val2d val3d grid2d grid3d` of each family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.dtypes import promoted
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.typers import (
    are_elements,
    dimensions,
    element,
    flag,
    is_array,
    numpy,
    private,
)
from cutaway.library.polynomial_families.families import (
    FAMILIES,
    are_places,
    as_line,
    as_places,
    double_dtype,
    function_of,
    is_series,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- recurrences ------------------------------------------------------------------------------
#
# Clenshaw's rule goes down from the highest coefficient with two sums.  `low` is the next
# coefficient less a part of the upper sum, `high` the lower sum and the upper one times x.


def _step(family: str) -> Any:
    """The function that gives what each step multiplies by."""
    if family in ("cheb", "herm"):
        return private(lambda x: 2 * x)
    return private((lambda x: 1 - x) if family == "lag" else (lambda x: x))


def _low(family: str) -> Any:
    """The function that gives the lower sum."""
    if family == "cheb":
        return private(lambda c, high, n: c - high)
    if family == "leg":
        return private(lambda c, high, n: c - high * ((n - 1) / n))
    if family == "herm":
        return private(lambda c, high, n: c - high * (2 * (n - 1)))
    if family == "herme":
        return private(lambda c, high, n: c - high * (n - 1))
    return private(lambda c, high, n: c - (high * (n - 1)) / n)


def _high(family: str, cast: Any) -> Any:
    """The function that gives the upper sum; `cast` converts what is computed of places alone."""
    if family == "leg":
        return private(lambda low, high, x, step, n: low + high * step * ((2 * n - 1) / n))
    if family == "lag":
        return private(lambda low, high, x, step, n: low + (high * cast((2 * n - 1) - x)) / n)
    return private(lambda low, high, x, step, n: low + high * step)


def _clenshaw(family: str, cast: Any) -> Any:
    """The function that gives values of a series.

    Its first steps are written out, for they have other types: those of coefficients alone.
    """
    step_of, low_of, high_of = _step(family), _low(family), _high(family, cast)
    last_of = private(lambda x: x) if family == "cheb" else step_of

    def values(c, x):
        n, step, last = len(c), cast(step_of(x)), cast(last_of(x))
        if n == 0:
            raise IndexError("index -2 is out of bounds for axis 0 with size 0")
        if n == 1:
            return c[0] + cast(0 * last_of(x))
        if n == 2:
            return c[0] + c[1] * last
        low, high = low_of(c[n - 3], c[n - 1], n - 1), high_of(c[n - 2], c[n - 1], x, step, n - 1)
        if n == 3:
            return low + high * last
        down, up = low_of(c[n - 4], high, n - 2), high_of(low, high, x, step, n - 2)
        for k in range(n - 3, 1, -1):
            down, up = low_of(c[k - 2], up, k), high_of(down, up, x, step, k)
        return down + up * last

    return private(values)


def _horner(family: str, cast: Any) -> Any:
    """The function that gives values of a power series."""

    def values(c, x):
        n = len(c)
        if n == 0:
            raise IndexError("index -1 is out of bounds for axis 0 with size 0")
        total, place = c[n - 1] + cast(x * 0), cast(x)
        for k in range(n - 2, -1, -1):
            total = c[k] + total * place
        return total

    return private(values)


# --- values -----------------------------------------------------------------------------------


def _shaping(c: Any, x: Any, tensor: bool) -> Any:
    """The function that gives coefficients axes for the places."""
    ndim = max(dimensions(x), 1)
    if tensor:
        ones = (1,) * ndim
        return private(lambda c: c.reshape(c.shape + ones))
    if c.ndim - 1 >= ndim:
        return private(lambda c: c)
    ones = (1,) * (ndim - c.ndim + 1)
    return private(lambda c: c.reshape(c.shape[:1] + ones + c.shape[1:]))


def _register_values(family: str) -> None:
    """`val` of a family.

    Places are converted to the type of the result only after what is computed of them alone.
    Coefficients of a line beside places of the same type stay numbers.
    """
    summing = _horner if family == "poly" else _clenshaw

    def of_numbers(kind: np.dtype[Any]) -> Any:
        value = summing(family, private(lambda x: kind.type(x)))
        values = summing(family, private(lambda x: x.astype(kind)))
        return (
            lambda x, c, tensor=True: value(c, single(x)),
            lambda x, c, tensor=True: values(c, x),
        )

    def of_places(c: Any, x: Any, kind: np.dtype[Any], tensor: bool) -> Any:
        values = summing(family, private(lambda x: x.astype(kind)))
        own, shaped = double_dtype(c), _shaping(c, x, tensor)
        if dimensions(x):
            return lambda x, c, tensor=True: values(shaped(c.astype(own)), x)
        if c.ndim == 1:
            return lambda x, c, tensor=True: values(shaped(c.astype(own)), _one(x))[0]
        if not tensor:
            return lambda x, c, tensor=True: values(shaped(c.astype(own)), _one(x))
        return lambda x, c, tensor=True: values(shaped(c.astype(own)), _one(x))[..., 0]

    @numpy(function_of(family, "val"), by_value=True)
    def typer(x, c, tensor=True):
        if not are_places(x) or not (is_array(c) or is_series(c)):
            return None
        wide = flag(tensor)
        if wide is None:
            raise TypingError("`tensor` must be known when compiling", hint="write True or False")
        if isinstance(x, Tuple) or not isinstance(c, Array) or not c.ndim:
            value = function_of(family, "val")
            return lambda x, c, tensor=True: value(as_places(x), as_line(c), tensor=wide)
        own = double_dtype(c)
        kind = promoted(own, _dtype_of_steps(family, x))
        # Numbers divide complex ones in another way than arrays.
        plain = kind.char in ("d" if family == "lag" else "dD")
        if c.ndim == 1 and plain and c.dtype is types.from_dtype(kind):
            return of_numbers(kind)[bool(dimensions(x))]
        return of_places(c, x, kind, wide)


def _dtype_of_steps(family: str, x: Any) -> Any:
    """The type of what is computed of places alone: where that is no place itself, a bool counts
    as an integer."""
    if element(x) is types.boolean and family not in ("leg", "herme"):
        return np.dtype(np.int64) if is_array(x) else types.int64
    return x if is_array(x) else element(x)


@private
def _one(x):
    """An array of one place."""
    return np.full(1, single(x))


# --- values in two and three dimensions -------------------------------------------------------


def _register_pairs(family: str) -> None:
    """`val2d` and `grid2d`: one place after the other, beside it or across."""
    value = function_of(family, "val")

    @numpy(function_of(family, "val2d"))
    def at_pairs(x, y, c):
        if not are_elements(x, y) or not is_array(c) or dimensions(x) != dimensions(y):
            return None

        def val2d(x, y, c):
            if np.asarray(x).shape != np.asarray(y).shape:
                raise ValueError("x, y are incompatible")
            return value(y, value(x, c), tensor=False)

        return val2d if c.ndim > 1 else None

    @numpy(function_of(family, "grid2d"))
    def on_grids(x, y, c):
        if not are_elements(x, y) or not is_array(c) or c.ndim < 2:
            return None
        return lambda x, y, c: value(y, value(x, c))


def _register_triples(family: str) -> None:
    """`val3d` and `grid3d`."""
    value = function_of(family, "val")

    @numpy(function_of(family, "val3d"))
    def at_triples(x, y, z, c):
        ndim = dimensions(x)
        if not are_elements(x, y, z) or not is_array(c) or c.ndim < 3:
            return None

        def val3d(x, y, z, c):
            if (
                np.asarray(x).shape != np.asarray(y).shape
                or np.asarray(x).shape != np.asarray(z).shape
            ):
                raise ValueError("x, y, z are incompatible")
            return value(z, value(y, value(x, c), tensor=False), tensor=False)

        return val3d if ndim == dimensions(y) == dimensions(z) else None

    @numpy(function_of(family, "grid3d"))
    def on_grids(x, y, z, c):
        if not are_elements(x, y, z) or not is_array(c) or c.ndim < 3:
            return None
        return lambda x, y, z, c: value(z, value(y, value(x, c)))


for _family in FAMILIES:
    _register_values(_family)
    _register_pairs(_family)
    _register_triples(_family)
