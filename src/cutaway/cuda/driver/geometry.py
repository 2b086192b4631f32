"""Geometry of views whose memory cannot be read: shapes, strides and offsets as numbers."""

from __future__ import annotations

import math
import operator
from typing import Any

Numbers = tuple[int, ...]


def contiguous(shape: Numbers, itemsize: int, order: str = "C") -> Numbers:
    """Return the strides of a contiguous array."""
    sizes = shape if order == "F" else shape[::-1]
    strides, step = [], itemsize
    for size in sizes:
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides if order == "F" else strides[::-1])


def extent(shape: Numbers, strides: Numbers, itemsize: int) -> tuple[int, int]:
    """Return the offsets of an array's first byte and of its end, from its address."""
    if 0 in shape:
        return 0, 0
    spans = [(size - 1) * stride for size, stride in zip(shape, strides)]
    return sum(min(s, 0) for s in spans), sum(max(s, 0) for s in spans) + itemsize


def as_shape(shape: Any) -> Numbers:
    """Convert an integer or a sequence of integers to a shape.

    Raises TypeError or ValueError for anything else.
    """
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    found = tuple(operator.index(size) for size in sizes)
    if any(size < 0 for size in found):
        raise ValueError("negative dimensions are not allowed")
    return found


def indexed(shape: Numbers, strides: Numbers, key: Any) -> tuple[int, Numbers, Numbers]:
    """Return the offset, shape and strides of the part that an index selects.

    Raises IndexError for an index that is out of range, or that does not select a view.
    """
    keys = _full(key if isinstance(key, tuple) else (key,), len(shape))
    offset, sizes, steps, axis = 0, [], [], 0
    for one in keys:
        if one is None:
            sizes.append(1)
            steps.append(0)
            continue
        size, stride = shape[axis], strides[axis]
        axis += 1
        if isinstance(one, slice):
            chosen = range(size)[one]
            offset += chosen.start * stride if len(chosen) else 0
            sizes.append(len(chosen))
            steps.append(stride * chosen.step)
        else:
            offset += _place(one, size, axis - 1) * stride
    return offset, tuple(sizes), tuple(steps)


def _full(keys: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    """Expand an index to all axes, with slices for omitted ones."""
    used = sum(1 for key in keys if key is not None and key is not ...)
    if used > ndim:
        raise IndexError(f"too many indices: the array has {ndim} dimensions, and {used} are given")
    rest = (slice(None),) * (ndim - used)
    places = [k for k, key in enumerate(keys) if key is ...]
    if len(places) > 1:
        raise IndexError("an index has one ellipsis at most")
    at = places[0] if places else len(keys)
    return (*keys[:at], *rest, *keys[at + 1 :])


def _place(key: Any, size: int, axis: int) -> int:
    if isinstance(key, bool) or not hasattr(type(key), "__index__"):
        raise IndexError("arrays on a GPU are indexed by integers, slices, ... and None alone")
    place = operator.index(key)
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {size}")
    return place % size


def reshaped(shape: Numbers, wanted: Numbers) -> Numbers:
    """Return a new shape of the same number of elements, with -1 replaced.

    Raises ValueError if there is none.
    """
    count = math.prod(shape)
    if wanted.count(-1) > 1:
        raise ValueError("only one size can be left open")
    if -1 in wanted:
        known = -math.prod(wanted)
        if known == 0 or count % known:
            raise ValueError(f"an array of {count} elements has no shape {wanted}")
        wanted = tuple(count // known if size == -1 else size for size in wanted)
    if math.prod(wanted) != count or any(size < 0 for size in wanted):
        raise ValueError(f"an array of {count} elements has no shape {wanted}")
    return wanted


def axes_of(axis: Any, ndim: int) -> Numbers:
    """Normalize axes to numbers from 0.

    Raises IndexError for one out of range.
    """
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(range(ndim)[k] for k in axes)
