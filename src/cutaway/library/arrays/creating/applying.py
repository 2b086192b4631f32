"""Functions applied to arrays: `apply_along_axis apply_over_axes fromfunction fromiter`; arrays
assembled from blocks: `block`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, float_or
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.shapes import (
    expanded,
    inserted,
    removed,
    shape_of,
    strided,
)
from cutaway.library.arrays.kit.takes import (
    Anything,
    Integer,
    Ints,
    NumberDtype,
    Numbers,
    Sizes,
    as_tuple,
    is_several,
    numpy,
)
from cutaway.library.arrays.kit.typers import are_elements, dimensions, private
from cutaway.typing.types import ListDisplay, Tuple

# --- along an axis ----------------------------------------------------------------------------


@private
def _collected(first, lines, axis, function, more):
    """Collect the function's result for each line; `first` is its result for the first line."""
    if len(shape_of(first)) == 0:
        out = np.empty(lines.shape[:-1], element_dtype(first))
        line = out.ravel()
        line[0] = first
        for k in range(1, len(line)):
            line[k] = function(line_at(lines, k), *more)
        return out
    count = line_count(lines)
    parts = np.empty((count, *first.shape), first.dtype)
    parts[0] = first
    for k in range(1, count):
        parts[k] = function(line_at(lines, k), *more)
    return _layers_moved(parts.reshape(lines.shape[:-1] + first.shape), axis, first.ndim)


@private
def _layers_moved(a, axis, depth):
    """A view whose last `depth` axes are moved to position `axis`."""
    shape, strides = a.shape, a.strides
    for _ in range(depth):
        size, step = shape[a.ndim - 1], strides[a.ndim - 1]
        shape = inserted(removed(shape, a.ndim - 1), axis, size)
        strides = inserted(removed(strides, a.ndim - 1), axis, step)
    return strided(a, shape, strides)


@numpy(np.apply_along_axis)
def apply_along_axis(func1d: Anything, axis: Integer, arr: Numbers, *args):
    k = axis_of(arr, axis)
    lines = lines_along(arr, k)
    if not line_count(lines):
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    return _collected(func1d(line_at(lines, 0), *args), lines, k, func1d, args)


# --- over several axes ------------------------------------------------------------------------


@private
def _in_dimensions(result, before, axis):
    """The result with as many dimensions as the array before the call, by axes of length one."""
    missing = before.ndim - len(shape_of(result))
    if missing == 0:
        return result
    if missing != 1:
        raise ValueError("function is not returning an array of the correct shape")
    return expanded(result, axis) if isinstance(result, np.ndarray) else np.full(1, result)


@private
def _applied_over(func, a, axes):
    out = a
    for axis in literal_unroll(axes):
        place = axis + a.ndim if axis < 0 else axis
        out = _in_dimensions(func(out, place), out, place)
    return out


@numpy(np.apply_over_axes)
def apply_over_axes(func: Anything, a: Numbers, axes: Sizes):
    return _applied_over(func, a, as_tuple(axes))


# --- from indices and from iterables ----------------------------------------------------------


@numpy(np.fromfunction)
def fromfunction(function: Anything, shape: Ints, *, dtype: NumberDtype = float):
    table, places, k = np.indices(shape, float_or(dtype)), (), 0
    for _ in literal_unroll(shape):
        places = (*places, table[k])
        k += 1
    return function(*places)


@private
def _grown(line):
    out = np.empty(2 * len(line) + 8, line.dtype)
    out[: len(line)] = line
    return out


@numpy(np.fromiter)
def fromiter(iter: Anything, dtype: NumberDtype, count: Integer = -1):  # noqa: A002  NumPy's name
    line, n = np.empty(max(count, 0), float_or(dtype)), 0
    for x in iter:
        if n == count:
            break
        if n == len(line):
            line = _grown(line)
        line[n] = x
        n += 1
    if n < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {n} items.")
    return line[:n].copy()


# --- blocks -----------------------------------------------------------------------------------


def _depth(ty: Any) -> int | None:
    """The nesting depth of tuples; None if the items differ in depth."""
    if not isinstance(ty, Tuple):
        return 0 if are_elements(ty) else None
    if not isinstance(ty, ListDisplay):
        raise TypingError("np.block takes lists, and no tuple", hint="write [...] for (...)")
    depths = {_depth(item) for item in ty.items}
    depth = depths.pop() if len(depths) == 1 else None
    return None if depth is None else depth + 1


def _most_dimensions(ty: Any) -> int:
    return max(map(_most_dimensions, ty.items)) if isinstance(ty, Tuple) else dimensions(ty)


@static
def _depth_of(blocks: Any) -> int:
    return _depth(blocks) or 0


@static
def _missing_axes(x: Any, blocks: Any) -> int:
    return max(_depth(blocks) or 0, _most_dimensions(blocks)) - dimensions(x)


@private
def _joined_blocks(part, whole):
    """Nested blocks joined to one array with the dimensions of the whole."""
    if is_several(part):
        return _joined_along(part, whole)
    ones = (1,) * _missing_axes(part, whole)
    if not isinstance(part, np.ndarray):
        return np.full(ones, part)
    return part if len(ones) == 0 else part.reshape(ones + part.shape)


@private
def _joined_along(blocks, whole):
    parts = ()
    for one in literal_unroll(blocks):
        parts = (*parts, _joined_blocks(one, whole))
    return np.concatenate(parts, axis=-_depth_of(blocks))


Blocks = Takes(
    "arrays, in lists of one depth", lambda blocks: _depth(blocks) is not None, takes_lists=True
)


@numpy(np.block)
def block(arrays: Blocks):
    return _joined_blocks(arrays, arrays) if is_several(arrays) else np.copy(np.asarray(arrays))
