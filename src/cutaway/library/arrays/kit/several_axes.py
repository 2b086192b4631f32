"""Reductions over several axes, one after the other, and reduced axes kept with length one."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.typers import flag, left_out, private
from cutaway.typing.types import Array, Tuple

# --- several axes -----------------------------------------------------------------------------


@private
def counted_axes(a, axes):
    """The axes counted from 0."""
    result = axes
    for k in range(len(axes)):
        result = replaced(result, k, axis_of(a, axes[k]))
    return result


# --- kept axes --------------------------------------------------------------------------------


@private
def shape_with_ones(a, axis):
    """The shape of an array with length one along the reduced axes."""
    if axis is None:
        return (1,) * a.ndim
    if not isinstance(axis, tuple):
        return replaced(a.shape, axis_of(a, axis), 1)
    shape = a.shape
    for one in axis:
        shape = replaced(shape, axis_of(a, one), 1)
    return shape


@private
def in_shape(result, shape):
    """A result, possibly a number, as an array of a shape."""
    if isinstance(result, np.ndarray):
        return result.reshape(shape)
    return array_of_one(result).reshape(shape)


@private
def array_of_one(x):
    """A number or a time as an array of length one."""
    held = np.empty(1, element_dtype(x))
    held[0] = x
    return held


# --- stored results ---------------------------------------------------------------------------


def check_out(function: Any, out: Array, ndim: int) -> None:
    """Refuse an output without the dimensions of a reduction's result."""
    if out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")
    if out.ndim != ndim:
        raise TypingError(
            f"output parameter for reduction operation {function.__name__} has the wrong number of"
            f" dimensions: Found {out.ndim} but expected {ndim}",
            hint="an output has the shape of the result",
        )


def left_over(array: Array, axis: Any, keepdims: Any) -> int:
    """The number of dimensions of a reduction's result."""
    if flag(keepdims):
        return array.ndim
    count = len(axis.items) if isinstance(axis, Tuple) else 1
    return 0 if left_out(axis) else max(array.ndim - count, 0)


@private
def stored(out, result):
    """The result, or the caller's output array after storing it."""
    if out is None:
        return result
    check_output(out, result)
    store_result(out, np.asarray(result))
    return out


@static
def check_output(out: Any, result: Any) -> None:
    """Refuse an output that cannot hold the result."""
    check_out(np.add, out, result.ndim if isinstance(result, Array) else 0)


@private
def store_result(out, result):
    """Store a result in the caller's array. Raises ValueError if the shapes differ."""
    if out.shape != result.shape:
        raise ValueError("the output array does not have the shape of the result")
    out[...] = result


# --- reduced elements -------------------------------------------------------------------------


@private
def without_nan(a, neutral):
    """The elements, with NaNs replaced by a neutral number."""
    if a.dtype.kind not in "fc":
        return a
    return np.where(np.isnan(a), a.dtype.type(neutral), a)


@private
def line_of_single(a, axis):
    """A number as a line of one element, along whose axis NumPy reduces it."""
    if axis is not None:
        require_any_axis(a, axis)
    return a.reshape(1)
