"""Functions of lines for each line of an array: along an axis, along several together, or of all.

Results that NumPy reduces lines to, one number or several for each, are written into a table with a
column for each line; then the table gets its shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.blocks import (
    block_at,
    order_of_axes,
    require_distinct,
    tuple_of_axes,
    with_axes_behind,
)
from cutaway.library.arrays.kit.several_axes import left_over, shape_with_ones, store_result
from cutaway.library.arrays.kit.typers import OPTIONS, flag, is_array, left_out, private
from cutaway.typing.types import Array


def whole_lines(a, axis):
    """A view with the axes behind the others, and these axes."""
    axes = tuple_of_axes(a, axis)
    require_distinct(axes, "repeated axis")
    return with_axes_behind(a, axes), axes


@overload(whole_lines, jit_options=OPTIONS)
def _whole_lines(a, axis):
    def of_all(a, axis):
        return a.ravel(), (0,)

    def of_number(a, axis):
        axis_of(a, axis)
        return a.reshape(1), (0,)

    def of_axes(a, axis):
        axes = tuple_of_axes(a, axis)
        require_distinct(axes, "repeated axis")
        return with_axes_behind(a, axes), axes

    if left_out(axis):
        return of_all
    return of_axes if a.ndim else of_number


def beside(x, a, axis):
    """A view of `x`, which has the shape of `a`, in the order of `whole_lines(a, axis)`."""
    return order_of_axes(x, a, tuple_of_axes(a, axis))


@overload(beside, jit_options=OPTIONS)
def _beside(x, a, axis):
    if left_out(axis) or a.ndim == 0:
        return lambda x, a, axis: x.ravel()
    return lambda x, a, axis: order_of_axes(x, a, tuple_of_axes(a, axis))


def kept_shape(a, axis):
    """The sizes of the axes that are not reduced."""
    lines, axes = whole_lines(a, axis)
    return lines.shape[: lines.ndim - len(axes)]


@overload(kept_shape, jit_options=OPTIONS)
def _kept_shape(a, axis):
    count = left_over(a, axis, False)
    if count == 0:
        return lambda a, axis: ()
    return lambda a, axis: whole_lines(a, axis)[0].shape[:count]


@private
def count_of(shape):
    """How many places a shape has."""
    count = 1
    for size in shape:
        count *= size
    return count


def reduced_to(
    first: int, a: Array, axis: Any, out: Any, keepdims: Any, always: bool = False
) -> Any:
    """What makes the result of a table with a column for each line, a function of `table first a
    axis out`; `first` counts the axes of the result that are before those of the array.  A result
    without axes is a number; with `keepdims`, or `always`, an array.  None where the arguments are
    not known."""
    if flag(keepdims) is None or not (left_out(out) or is_array(out)):
        return None
    if flag(keepdims):
        shape_of = shape_with_ones
    else:
        shape_of = kept_shape
    count = first + left_over(a, axis, keepdims)

    @private
    def shaped(table, first, a, axis, out):
        return table.reshape(first + shape_of(a, axis))

    @private
    def single(table, first, a, axis, out):
        return table[0, 0]

    @private
    def stored(table, first, a, axis, out):
        store_result(out, table.reshape(first + shape_of(a, axis)))
        return out

    if not left_out(out):
        return stored
    return shaped if count or always or flag(keepdims) else single


@private
def line_of_block(lines, k, axes):
    """A copy of the k-th block as one line."""
    return block_at(lines, k, axes).flatten()


def table_of(dtype: np.dtype[Any]) -> Any:
    """What makes a table of a dtype for the results of each line of an array."""

    @private
    def table(rows, a, axis):
        return np.empty((rows, count_of(kept_shape(a, axis))), dtype)

    return table
