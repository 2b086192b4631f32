"""The six families of polynomials, and what all their functions ask of coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial as families

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.typers import OPTIONS, is_array, is_number, left_out, private
from cutaway.typing import types
from cutaway.typing.types import Tuple

# The modules of NumPy, by what the names of their functions begin with.
FAMILIES = {
    "poly": families.polynomial,
    "cheb": families.chebyshev,
    "leg": families.legendre,
    "herm": families.hermite,
    "herme": families.hermite_e,
    "lag": families.laguerre,
}
# Those whose functions follow a recurrence over three neighbors.
ORTHOGONAL = tuple(FAMILIES)[1:]


def function_of(family: str, name: str) -> Any:
    """A function of a family: `chebval` is `val` of `cheb`."""
    return getattr(FAMILIES[family], family + name)


def is_series(argument: Any) -> bool:
    """True if an argument is coefficients: a number, a line, or a tuple of numbers."""
    if isinstance(argument, Tuple):
        return bool(argument.items) and all(map(is_number, argument.items))
    if not is_number(argument) and not is_array(argument):
        return False
    return element_dtype(argument).kind != "b"


def are_series(*given: Any) -> bool:
    """True if all arguments are coefficients."""
    return all(map(is_series, given))


def own_dtype(argument: Any) -> np.dtype[Any]:
    """The dtype of coefficients as they are given."""
    if isinstance(argument, Tuple):
        return np.result_type(*map(element_dtype, argument.items))
    return element_dtype(argument)


def series_dtype(*given: Any) -> np.dtype[Any]:
    """The dtype that several series have in common: integers count as float64."""
    return np.dtype(np.common_type(*(np.empty(0, own_dtype(one)) for one in given)))


def double_dtype(argument: Any) -> np.dtype[Any]:
    """The dtype in which one series is computed: of bools and integers that is float64."""
    found = own_dtype(argument)
    return found if found.kind in "fc" else np.dtype(np.float64)


def as_line(c):
    """Coefficients as an array."""
    return np.atleast_1d(np.asarray(c))


@overload(as_line, jit_options=OPTIONS)
def _as_line(c):
    return (lambda c: np.array(c)) if isinstance(c, Tuple) else (lambda c: np.atleast_1d(c))


def are_places(*given: Any) -> bool:
    """True if all arguments are numbers, arrays of numbers, or tuples of numbers."""
    return all(
        bool(one.items) and all(map(is_number, one.items))
        if isinstance(one, Tuple)
        else is_number(one) or is_array(one)
        for one in given
    )


def as_places(x):
    """Places as they are, but those of a tuple as an array."""
    return np.array(x) if isinstance(x, tuple) else x


@overload(as_places, jit_options=OPTIONS)
def _as_places(x):
    return (lambda x: np.array(x)) if isinstance(x, Tuple) else (lambda x: x)


@private
def trimmed(c):
    """Coefficients up to the last that is not zero; one is always left."""
    size = len(c)
    while size > 1 and c[size - 1] == 0:
        size -= 1
    return c[:size]


def series(c, kind):
    """A new line of trimmed coefficients of a dtype."""
    return trimmed(checked_line(c)).astype(kind)


def checked_line(c):
    """Coefficients as a line; raises ValueError where they are none."""
    given = as_line(c)
    if given.size == 0:
        raise ValueError("Coefficient array is empty")
    if given.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    return given


@overload(checked_line, jit_options=OPTIONS)
def _checked_line(c):
    def of_table(c):
        if c.size == 0:
            raise ValueError("Coefficient array is empty")
        if c.size >= 0:
            raise ValueError("Coefficient array is not 1-d")
        return c.reshape(c.size)

    def of_line(c):
        given = as_line(c)
        if given.size == 0:
            raise ValueError("Coefficient array is empty")
        return given

    return of_table if is_array(c) and c.ndim > 1 else of_line


@overload(series, jit_options=OPTIONS)
def _series(c, kind):
    return lambda c, kind: trimmed(checked_line(c)).astype(kind)


def refuse(what: str, hint: str) -> None:
    """Say that something of NumPy's is not compiled."""
    raise TypingError(f"{what} is not supported in compiled code", hint=hint)


def is_whole(argument: Any) -> bool:
    """True if an argument is an integer, or the default."""
    default = not isinstance(argument, types.Type) or isinstance(argument, types.Omitted)
    return default or (types.is_integral(argument) and not left_out(argument))
