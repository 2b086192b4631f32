"""Python functions of numbers applied element by element, with broadcasting, for the library.

Arrays in C order and of one shape are gone through as one line, which LLVM turns into vector
instructions; others line by line along the last axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.lines import line_at, line_count
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, shape_of, spread
from cutaway.library.arrays.kit.typers import OPTIONS, are_elements, has_places, private
from cutaway.typing import types
from cutaway.typing.types import Array, Type


def item(x, k):
    """The k-th element of a line, or a number as it is."""
    return x[k] if np.ndim(x) else x


@overload(item, jit_options=OPTIONS)
def _item(x, k):
    return (lambda x, k: x[k]) if isinstance(x, Array) else (lambda x, k: x)


def single(x):
    """The element of an array without dimensions, or a number as it is."""
    return x[()] if isinstance(x, np.ndarray) else x


@overload(single)
def _single(x):
    return (lambda x: x[()]) if isinstance(x, Array) else (lambda x: x)


def whole(x):
    """The elements of an array in C order as one line, or a number as it is."""
    return np.ravel(x) if np.ndim(x) else x


@overload(whole)
def _whole(x):
    return (lambda x: x.ravel()) if isinstance(x, Array) else (lambda x: x)


def plain(a, dtype):
    """An array of a dtype with its elements where NumPy's loops can read them."""
    return np.require(a, dtype, "A")


@overload(plain, jit_options=OPTIONS)
def _plain(a, dtype):
    is_plain = a.dtype is types.from_dtype(dtype.value) and a.aligned
    return (lambda a, dtype: a) if is_plain else (lambda a, dtype: a.astype(dtype))


def over(x, shape):
    """An array broadcast to a shape, or a number as it is."""
    return np.broadcast_to(x, shape) if np.ndim(x) else x


@overload(over)
def _over(x, shape):
    if isinstance(x, Array):
        return lambda x, shape: spread(x, shape)
    return lambda x, shape: x


def line_of(x, k):
    """The k-th line of an array, or a number as it is."""
    return line_at(x, k) if np.ndim(x) else x


@overload(line_of)
def _line_of(x, k):
    return (lambda x, k: line_at(x, k)) if isinstance(x, Array) else (lambda x, k: x)


def covers(x, shape):
    """True if a value has an element for each place of a shape, or is a number."""
    return np.ndim(x) == 0 or x.shape == shape


@overload(covers)
def _covers(x, shape):
    if not isinstance(x, Array):
        return lambda x, shape: True
    if x.ndim != len(shape.items):
        return lambda x, shape: False
    return lambda x, shape: x.shape == shape


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


def map1(function, out, a):
    """Assign `function(x)` for each element; `out` has the shape of `a`."""
    _lines1(function, np.atleast_1d(out), np.atleast_1d(a))


@overload(map1)
def _map1(function, out, a):
    if is_plain(a):
        return lambda function, out, a: _fill1(function, out.ravel(), a.ravel())
    return lambda function, out, a: _lines1(function, out, a)


def map2(function, out, a, b):
    """Assign `function(x, y)` for each place of `out`, to which the operands are broadcast."""
    _lines2(function, np.atleast_1d(out), a, b)


@overload(map2)
def _map2(function, out, a, b):
    if out.ndim == 0:
        return lambda function, out, a, b: _fill2(function, out.ravel(), whole(a), whole(b))

    def lines(function, out, a, b):
        _lines2(function, out, a, b)

    def line_or_lines(function, out, a, b):
        if covers(a, out.shape) and covers(b, out.shape):
            _fill2(function, out.ravel(), whole(a), whole(b))
        else:
            _lines2(function, out, a, b)

    return line_or_lines if is_plain(a, b) else lines


def map3(function, out, a, b, c):
    """Assign `function(x, y, z)` for each place of `out`, to which the operands are broadcast."""
    _lines3(function, np.atleast_1d(out), a, b, c)


@overload(map3)
def _map3(function, out, a, b, c):
    if out.ndim == 0:
        return lambda function, out, a, b, c: _fill3(
            function, out.ravel(), whole(a), whole(b), whole(c)
        )

    def lines(function, out, a, b, c):
        _lines3(function, out, a, b, c)

    def line_or_lines(function, out, a, b, c):
        if covers(a, out.shape) and covers(b, out.shape) and covers(c, out.shape):
            _fill3(function, out.ravel(), whole(a), whole(b), whole(c))
        else:
            _lines3(function, out, a, b, c)

    return line_or_lines if is_plain(a, b, c) else lines


# --- the shape of the result ------------------------------------------------------------------


_OF_TWO = "operands could not be broadcast together with shapes {} {} "
_OF_THREE = "operands could not be broadcast together with shapes {} {} {} "


def shape2(a, b):
    """The shape that two operands are broadcast to.  Raises ValueError where they cannot be."""
    return np.broadcast(a, b).shape


@overload(shape2)
def _shape2(a, b):
    def shape2(a, b):
        first, second = shape_of(a), shape_of(b)
        shape = merged(first, second)
        require(is_merged(shape), _OF_TWO, (first, second))
        return shape

    return shape2 if are_elements(a, b) else None


def shape3(a, b, c):
    """The shape that three operands are broadcast to.  Raises ValueError where they cannot be."""
    return np.broadcast(a, b, c).shape


@overload(shape3)
def _shape3(a, b, c):
    def shape3(a, b, c):
        first, second, third = shape_of(a), shape_of(b), shape_of(c)
        shape = merged(merged(first, second), third)
        require(is_merged(shape), _OF_THREE, (first, second, third))
        return shape

    fits = all(are_elements(one) or has_places(one) for one in (a, b, c))
    return shape3 if fits else None


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
