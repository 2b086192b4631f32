"""Positions in lines: counted from 0, searched for in sorted ones, and how many are true."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.order import before
from cutaway.library.arrays.kit.typers import private


@private
def checked_place(k, size, axis):
    """A position from 0 on.  Raises IndexError where there is none."""
    place = np.int64(k)  # `int` of a uint64 stays one
    if place < 0:
        place += size
    if place < 0 or place >= size:
        raise IndexError(f"index {k} is out of bounds for axis {axis} with size {size}")
    return place


@private
def require_mask(shape, given):
    """Raise IndexError where a mask has another shape than the array."""
    for k in range(len(given)):
        if shape[k] != given[k]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {k}; size of axis is"
                f" {shape[k]} but size of corresponding boolean axis is {given[k]}"
            )


@private
def checked_rank(kth, size):
    """A rank counted from 0.  Raises ValueError where there is none."""
    rank = int(kth)
    if rank < 0:
        rank += size
    if rank < 0 or rank >= size:
        raise ValueError(f"kth(={rank}) out of bounds ({size})")
    return rank


@private
def place_from_left(a, x, cast):
    """The number of elements of a sorted line that are before x."""
    low, size = 0, len(a)
    while size > 0:
        half = size >> 1
        skip = before(cast(a[low + half]), x)
        low = low + half + 1 if skip else low
        size = size - half - 1 if skip else half
    return low


@private
def place_from_right(a, x, cast):
    """The number of elements of a sorted line that are not after x."""
    low, size = 0, len(a)
    while size > 0:
        half = size >> 1
        skip = not before(x, cast(a[low + half]))
        low = low + half + 1 if skip else low
        size = size - half - 1 if skip else half
    return low


NEAR = 8  # places after the last one are tried first: what is looked for is often in order, too


@private
def next_from_left(a, x, cast, last):
    """The same as `place_from_left`, given the place of an element that was looked for before."""
    end = last + NEAR
    if end <= len(a) and not before(cast(a[end - 1]), x):
        if last == 0 or before(cast(a[last - 1]), x):
            while before(cast(a[last]), x):
                last += 1
            return last
    return place_from_left(a, x, cast)


@private
def next_from_right(a, x, cast, last):
    """The same as `place_from_right`, given the place of an element that was looked for before."""
    end = last + NEAR
    if end <= len(a) and before(x, cast(a[end - 1])):
        if last == 0 or not before(x, cast(a[last - 1])):
            while not before(x, cast(a[last])):
                last += 1
            return last
    return place_from_right(a, x, cast)


@private
def count_true(line):
    """The number of elements that are not zero."""
    count = 0
    for x in line.flat:
        count += bool(x)
    return count
