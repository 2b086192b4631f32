"""Operands that are arrays or numbers: their elements, their lines, and the shape of a result."""

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
    """The k-th element of a line, or a number as it is."""
    return x[k] if isinstance(x, np.ndarray) else x


@private
def single(x):
    """The element of an array without dimensions, or a number as it is."""
    return x[()] if isinstance(x, np.ndarray) else x


@private
def whole(x):
    """The elements of an array in C order as one line, or a number as it is."""
    return x.ravel() if isinstance(x, np.ndarray) else x


@static
def _is_aligned(a: Any) -> bool:
    """True if the type of an array says that it is aligned."""
    return a.aligned


@private
def plain(a, dtype):
    """An array of a dtype with its elements where NumPy's loops can read them."""
    return a if a.dtype == dtype and _is_aligned(a) else a.astype(dtype)


@private
def over(x, shape):
    """An array broadcast to a shape, or a number as it is."""
    return spread(x, shape) if isinstance(x, np.ndarray) else x


@private
def line_of(x, k):
    """The k-th line of an array, or a number as it is."""
    return line_at(x, k) if isinstance(x, np.ndarray) else x


@private
def covers(x, shape):
    """True if a value has an element at each index of a shape, or is a number."""
    if not isinstance(x, np.ndarray):
        return True
    return x.ndim == len(shape) and x.shape == shape


@static
def is_plain(*operands: Any) -> bool:
    """True if all operands that are arrays lie in C order."""
    return all(not isinstance(one, Array) or one.layout == "C" for one in operands)


# --- the shape of the result ------------------------------------------------------------------


_OF_TWO = "operands could not be broadcast together with shapes {} {} "
_OF_THREE = "operands could not be broadcast together with shapes {} {} {} "


@private
def shape2(a, b):
    """The shape that two operands are broadcast to.  Raises ValueError where they cannot be."""
    first, second = shape_of(a), shape_of(b)
    shape = merged(first, second)
    require(is_merged(shape), _OF_TWO, (first, second))
    return shape


@private
def shape3(a, b, c):
    """The shape that three operands are broadcast to.  Raises ValueError where they cannot be."""
    first, second, third = shape_of(a), shape_of(b), shape_of(c)
    shape = merged(merged(first, second), third)
    require(is_merged(shape), _OF_THREE, (first, second, third))
    return shape
