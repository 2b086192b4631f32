"""Python functions of numbers applied element by element, with broadcasting, for the library.

Arrays in C order and of one shape are gone through as one line, which LLVM turns into vector
instructions; others line by line along the last axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.lines import line_at, line_count
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, shape_of, spread
from cutaway.library.arrays.kit.typers import private
from cutaway.typing.types import Array, Type


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


@private
def plain(a, dtype):
    """An array of a dtype with its elements where NumPy's loops can read them."""
    return a if a.dtype == dtype and a.flags.aligned else a.astype(dtype)


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


# --- of one, two and three operands -----------------------------------------------------------


@private
def _fill1(function, out, a):
    for k in range(len(out)):
        out[k] = function(a[k])


@private
def _fill2(function, out, a, b):
    for k in range(len(out)):
        out[k] = function(item(a, k), item(b, k))


@private
def _fill3(function, out, a, b, c):
    for k in range(len(out)):
        out[k] = function(item(a, k), item(b, k), item(c, k))


@private
def _lines1(function, out, a):
    for k in range(line_count(out)):
        _fill1(function, line_at(out, k), line_at(a, k))


@private
def _lines2(function, out, a, b):
    x, y = over(a, out.shape), over(b, out.shape)
    for k in range(line_count(out)):
        _fill2(function, line_at(out, k), line_of(x, k), line_of(y, k))


@private
def _lines3(function, out, a, b, c):
    x, y, z = over(a, out.shape), over(b, out.shape), over(c, out.shape)
    for k in range(line_count(out)):
        _fill3(function, line_at(out, k), line_of(x, k), line_of(y, k), line_of(z, k))


@private
def map1(function, out, a):
    """Assign `function(x)` for each element; `out` has the shape of `a`."""
    if is_plain(a):
        _fill1(function, out.ravel(), a.ravel())
    else:
        _lines1(function, out, a)


@private
def map2(function, out, a, b):
    """Assign `function(x, y)` at each index of `out`, to which the operands are broadcast."""
    if out.ndim == 0 or (is_plain(a, b) and covers(a, out.shape) and covers(b, out.shape)):
        _fill2(function, out.ravel(), whole(a), whole(b))
    else:
        _lines2(function, out, a, b)


@private
def map3(function, out, a, b, c):
    """Assign `function(x, y, z)` at each index of `out`, to which the operands are broadcast."""
    if out.ndim == 0 or (
        is_plain(a, b, c) and covers(a, out.shape) and covers(b, out.shape) and covers(c, out.shape)
    ):
        _fill3(function, out.ravel(), whole(a), whole(b), whole(c))
    else:
        _lines3(function, out, a, b, c)


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


def result_is_number(*operands: Type) -> bool:
    """True if no operand has dimensions: then NumPy's ufuncs give a number."""
    return not any(isinstance(one, Array) and one.ndim for one in operands)


def mapped2(function: Any, dtype: np.dtype[Any], plain: bool) -> Callable[..., Any]:
    """`function` of two operands: of each pair of elements, or where `plain` of two numbers."""

    def of_arrays(x, y):
        out = np.empty(shape2(x, y), dtype)
        map2(function, out, x, y)
        return out

    def of_numbers(x, y):
        return function(single(x), single(y))

    return private(of_numbers if plain else of_arrays)
