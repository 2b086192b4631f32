"""Joined arrays: `concatenate stack hstack vstack dstack column_stack`; repeated ones: `tile`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of, new_axis_of
from cutaway.library.arrays.kit.dtypes import asked_dtype, element_dtype, promoted
from cutaway.library.arrays.kit.lines import line_count, lines_along
from cutaway.library.arrays.kit.shapes import expanded, replaced, shape_of, strided
from cutaway.library.arrays.kit.sizes import size_of_all
from cutaway.library.arrays.kit.takes import (
    AnyElements,
    Axis,
    Dtype,
    Integer,
    Output,
    Sizes,
    Text,
    as_tuple,
    is_several,
    numpy,
)
from cutaway.library.arrays.kit.typers import are_alike, is_array, left_out, private, said
from cutaway.typing import types
from cutaway.typing.types import Tuple


def _are_alike(arrays: Any) -> bool:
    return isinstance(arrays, Tuple) and bool(arrays.items) and are_alike(*arrays.items)


Arrays = Takes("a tuple of arrays of numbers, or of elements of one type", _are_alike)

# --- along an axis ----------------------------------------------------------------------------


@static
def _common_dtype(arrays: Any) -> np.dtype[Any]:
    return promoted(*arrays.items)


@static
def _common_order(arrays: Any) -> str:
    return "F" if all(one.layout == "F" for one in arrays.items) else "C"


@static
def _check_dimensions(arrays: Any) -> None:
    """Refuse arrays that differ in their number of dimensions, or have none."""
    dims = {one.ndim for one in arrays.items}
    if len(dims) > 1:
        raise TypingError(
            "all the input arrays must have same number of dimensions",
            hint="reshape them, or write axis=None",
        )
    if 0 in dims:
        raise TypingError(
            "zero-dimensional arrays cannot be concatenated", hint="call np.stack, or np.hstack"
        )


@private
def _check_sizes(first, a, axis, number):
    for k in range(first.ndim):
        if k != axis and first.shape[k] != a.shape[k]:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match"
                f" exactly, but along dimension {k}, the array at index 0 has size"
                f" {first.shape[k]} and the array at index {number} has size {a.shape[k]}"
            )


@private
def _place_one(out, a, axis, start):
    lines, target = lines_along(a, axis), lines_along(out, axis)
    if a.shape[axis] and line_count(lines):
        target[..., start : start + a.shape[axis]] = lines


@private
def joined(arrays, axis):
    """Arrays of the same number of dimensions joined along an axis."""
    _check_dimensions(arrays)
    first, total, number = arrays[0], 0, 0
    place = axis_of(first, axis)
    for a in literal_unroll(arrays):
        _check_sizes(first, a, place, number)
        total += a.shape[place]
        number += 1
    shape = replaced(first.shape, place, total)
    out, start = np.empty(shape, _common_dtype(arrays), _common_order(arrays)), 0
    for a in literal_unroll(arrays):
        _place_one(out, a, place, start)
        start += a.shape[place]
    return out


@static
def _asked(arrays: Any, out: Any, dtype: Any, casting: Any) -> np.dtype[Any] | None:
    """The dtype that joined arrays are converted to, or None for their own. Raises TypingError if
    the conversion is forbidden."""
    if left_out(out) and left_out(dtype) and said(casting) == "same_kind":
        return None
    if not left_out(out) and not left_out(dtype):
        raise TypingError(
            "concatenate() only takes `out` or `dtype` as an argument, but both were provided.",
            hint="leave out one of them",
        )
    numbers, rule = all(map(is_array, arrays.items)), said(casting)
    common = types.from_dtype(promoted(*arrays.items)) if numbers else None
    requested = None if common is None else asked_dtype(dtype if left_out(out) else None, common)
    if requested is None:
        raise TypingError("only numbers are converted as arrays are joined", hint="convert them")
    requested = requested if left_out(out) else out.dtype
    for one in map(element_dtype, arrays.items):
        if not np.can_cast(one, types.to_dtype(requested), rule):
            raise TypingError(
                f"Cannot cast array data from {one!r} to {types.to_dtype(requested)!r} according to"
                f" the rule {rule!r}",
                hint="name another dtype, or casting='unsafe'",
            )
    return None if requested is common else types.to_dtype(requested)


@private
def _converted(arrays, axis, out, dtype, casting):
    """Joined arrays converted to a dtype, or stored in an output."""
    wanted = _asked(arrays, out, dtype, casting)
    result = joined(arrays, axis)
    if out is None:
        return result if wanted is None else result.astype(wanted)
    if out.ndim != result.ndim:
        raise ValueError("Output array has wrong dimensionality")
    if out.shape != result.shape:
        raise ValueError("Output array is the wrong shape")
    out[...] = result
    return out


@private
def _all_flat(arrays):
    lines = ()
    for a in literal_unroll(arrays):
        lines = (*lines, a.ravel())
    return lines


@numpy(np.concatenate)
def concatenate(
    arrays: Arrays,
    axis: Axis = 0,
    out: Output = None,
    *,
    dtype: Dtype = None,
    casting: Text = "same_kind",
):
    """Arrays joined along an axis, or all elements as one line."""
    if axis is None:
        return _converted(_all_flat(arrays), 0, out, dtype, casting)
    return _converted(arrays, axis, out, dtype, casting)


# --- along a new axis -------------------------------------------------------------------------


@numpy(np.stack)
def stack(
    arrays: Arrays,
    axis: Integer = 0,
    out: Output = None,
    *,
    dtype: Dtype = None,
    casting: Text = "same_kind",
):
    """Arrays of one shape stacked along a new axis."""
    first, layers = arrays[0], ()
    place = new_axis_of(first, axis)
    for a in literal_unroll(arrays):
        if a.shape != first.shape:
            raise ValueError("all input arrays must have the same shape")
        layers = (*layers, expanded(a, place))
    return _converted(layers, place, out, dtype, casting)


def _register_stack(function: Any, shaped: Any) -> None:
    """Register a function that joins arrays after applying `shaped` to each."""

    @numpy(function)
    def stack(tup: Arrays, *, dtype: Dtype = None, casting: Text = "same_kind"):
        parts = ()
        for a in literal_unroll(tup):
            parts = (*parts, shaped(a))
        axis = 0 if parts[0].ndim == 1 or rows else 1
        return _converted(parts, axis, None, dtype, casting)

    rows = function is np.vstack


_register_stack(np.vstack, np.atleast_2d)
_register_stack(np.hstack, np.atleast_1d)


@numpy(np.dstack)
def dstack(tup: Arrays):
    """Arrays stacked along the third axis."""
    parts = ()
    for a in literal_unroll(tup):
        parts = (*parts, np.atleast_3d(a))
    return joined(parts, 2)


@numpy(np.column_stack)
def column_stack(tup: Arrays):
    """Lines, and columns of tables, as the columns of a table."""
    parts = ()
    for a in literal_unroll(tup):
        parts = (*parts, a if a.ndim > 1 else np.atleast_2d(a).T)
    return joined(parts, 1)


# --- repetition -------------------------------------------------------------------------------


@private
def _in_turn(first, second):
    """The items of two tuples of sizes, alternating."""
    items = first + second
    for k in range(len(first)):
        items = replaced(replaced(items, 2 * k, first[k]), 2 * k + 1, second[k])
    return items


@private
def _products(first, second):
    """The products of the items of two tuples of sizes, with overflow checks."""
    sizes = first
    for k in range(len(first)):
        sizes = replaced(sizes, k, size_of_all(first[k], second[k]))
    return sizes


@private
def _is_emptied(shape, times):
    """True if a size is zero, or a repeat count is zero and no count before it is negative."""
    for size in shape:
        if size == 0:
            return True
    for count in times:
        if count <= 0:
            return bool(count == 0)
    return False


@private
def _tiled_along_last(a, count):
    last = a.ndim - 1
    size = a.shape[last]
    shape = replaced(a.shape, last, size_of_all(size, count))
    out = np.empty(shape, a.dtype) if a.size else np.empty(0, a.dtype).reshape(shape)
    for k in range(count if a.size else 0):
        out[..., k * size : (k + 1) * size] = a
    return out


@numpy(np.tile)
def tile(A: AnyElements, reps: Sizes):  # noqa: N803  NumPy's name
    """An array repeated along each axis."""
    own, repeated = shape_of(A), as_tuple(reps)
    if len(repeated) == 0:
        refuse("an array is repeated a number of times along one axis at least")
    if not is_several(reps) and len(own) > 0:
        return _tiled_along_last(A, reps)
    shape = (1,) * (len(repeated) - len(own)) + own
    times = (1,) * (len(own) - len(repeated)) + repeated
    sizes = _products(shape, times)
    nothing = _is_emptied(shape, times)  # NumPy then only reshapes
    dtype, ones = element_dtype(A), (1,) * len(shape)
    out = np.empty(0, dtype).reshape(sizes) if nothing else np.empty(sizes, dtype)
    steps = _products(shape, out.strides)  # the strides between repetitions
    blocks = strided(out, _in_turn(times, shape), _in_turn(steps, out.strides))
    blocks[...] = A.reshape(_in_turn(ones, shape)) if isinstance(A, np.ndarray) else A
    return out
