"""The six families of polynomials, and the checks of coefficients that they share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial as families

from cutaway.extending.bodies import Takes, static
from cutaway.library.arrays.curves.polys import is_tuple_of_numbers, line, line_dtype
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.typers import is_array, is_number, private
from cutaway.typing.types import Tuple

# NumPy's modules by the prefix of their functions' names.
FAMILIES = {
    "poly": families.polynomial,
    "cheb": families.chebyshev,
    "leg": families.legendre,
    "herm": families.hermite,
    "herme": families.hermite_e,
    "lag": families.laguerre,
}
# The families with a three-term recurrence.
ORTHOGONAL = tuple(FAMILIES)[1:]


def function_of(family: str, name: str) -> Any:
    """A family's function: `chebval` is `val` of `cheb`."""
    return getattr(FAMILIES[family], family + name)


def is_series(argument: Any) -> bool:
    """True if an argument is a coefficient series: a number, a line, or a tuple of numbers."""
    if isinstance(argument, Tuple):
        return is_tuple_of_numbers(argument)
    return _are_points(argument) and element_dtype(argument).kind != "b"


def _are_points(argument: Any) -> bool:
    return is_number(argument) or is_array(argument)


Series = Takes("coefficients: a line or a tuple of numbers, or a number", is_series)
Coefficients = Takes(
    "an array or a tuple of coefficients, or a number", lambda c: is_series(c) or is_array(c)
)
Places = Takes(
    "an array or a tuple of numbers, or a number",
    lambda x: _are_points(x) or is_tuple_of_numbers(x),
)


@static
def series_dtype(*given: Any) -> np.dtype[Any]:
    """The common dtype of several series: integers count as float64."""
    return np.dtype(np.common_type(*(np.empty(0, line_dtype(one)) for one in given)))


@private
def trimmed(c):
    """Coefficients without trailing zeros; at least one is left."""
    size = len(c)
    while size > 1 and c[size - 1] == 0:
        size -= 1
    return c[:size]


@private
def series(c, dtype):
    """A new line of trimmed coefficients of a dtype."""
    return trimmed(checked_line(c)).astype(dtype)


@private
def checked_line(c):
    """Coefficients as a line; raises ValueError if there are none."""
    given = line(c)
    if given.size == 0:
        raise ValueError("Coefficient array is empty")
    if given.ndim > 1:
        raise ValueError("Coefficient array is not 1-d")
    return given
