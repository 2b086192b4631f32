"""Operands that are arrays or numbers: their elements, lines, and result shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.lines import line_at
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, shape_of, spread
from cutaway.library.arrays.kit.typers import private
from cutaway.typing.types import Array


@private
def item(x, k):
    """The k-th element of a line; numbers unchanged."""
    return x[k] if isinstance(x, np.ndarray) else x


@private
def single(x):
    """The element of an array without dimensions; numbers unchanged."""
    return x[()] if isinstance(x, np.ndarray) else x


@private
def whole(x):
    """The elements of an array in C order as one line; numbers unchanged."""
    return x.ravel() if isinstance(x, np.ndarray) else x


@static
def _is_aligned(a: Any) -> bool:
    """True if an array's type guarantees alignment."""
    return a.aligned


@private
def plain(a, dtype):
    """An array of a dtype whose elements NumPy's loops can read: aligned."""
    return a if a.dtype == dtype and _is_aligned(a) else a.astype(dtype)


@private
def over(x, shape):
    """An array broadcast to a shape; numbers unchanged."""
    return spread(x, shape) if isinstance(x, np.ndarray) else x


@private
def line_of(x, k):
    """The k-th line of an array; numbers unchanged."""
    return line_at(x, k) if isinstance(x, np.ndarray) else x


@private
def covers(x, shape):
    """True if a value has an element at each index of a shape, or is a number."""
    if not isinstance(x, np.ndarray):
        return True
    return x.ndim == len(shape) and x.shape == shape


@static
def is_plain(*operands: Any) -> bool:
    """True if all array operands are in C order."""
    return all(not isinstance(one, Array) or one.layout == "C" for one in operands)


# --- result shapes ----------------------------------------------------------------------------


_OF_TWO = "operands could not be broadcast together with shapes {} {} "
_OF_THREE = "operands could not be broadcast together with shapes {} {} {} "


@private
def shape2(a, b):
    """The shape that two operands broadcast to. Raises ValueError if they do not."""
    first, second = shape_of(a), shape_of(b)
    shape = merged(first, second)
    require(is_merged(shape), _OF_TWO, (first, second))
    return shape


@private
def shape3(a, b, c):
    """The shape that three operands broadcast to. Raises ValueError if they do not."""
    first, second, third = shape_of(a), shape_of(b), shape_of(c)
    shape = merged(merged(first, second), third)
    require(is_merged(shape), _OF_THREE, (first, second, third))
    return shape
