"""Positions in lines: normalized, searched in sorted lines, and counts of true elements."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.order import before
from cutaway.library.arrays.kit.typers import private


@private
def checked_place(k, size, axis):
    """A position counted from 0. Raises IndexError if out of range."""
    place = np.int64(k)  # `int` of a uint64 stays uint64
    if place < 0:
        place += size
    if place < 0 or place >= size:
        raise IndexError(f"index {k} is out of bounds for axis {axis} with size {size}")
    return place


@private
def require_mask(shape, given):
    """Raise IndexError if a mask's shape differs from the array's."""
    for k in range(len(given)):
        if shape[k] != given[k]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {k}; size of axis is"
                f" {shape[k]} but size of corresponding boolean axis is {given[k]}"
            )


@private
def checked_rank(kth, size):
    """A rank counted from 0. Raises ValueError if out of range."""
    rank = int(kth)
    if rank < 0:
        rank += size
    if rank < 0 or rank >= size:
        raise ValueError(f"kth(={rank}) out of bounds ({size})")
    return rank


@private
def place_from_left(a, x, cast):
    """The number of elements of a sorted line that sort before x."""
    low, size = 0, len(a)
    while size > 0:
        half = size >> 1
        skip = before(cast(a[low + half]), x)
        low = low + half + 1 if skip else low
        size = size - half - 1 if skip else half
    return low


@private
def place_from_right(a, x, cast):
    """The number of elements of a sorted line that do not sort after x."""
    low, size = 0, len(a)
    while size > 0:
        half = size >> 1
        skip = not before(x, cast(a[low + half]))
        low = low + half + 1 if skip else low
        size = size - half - 1 if skip else half
    return low


NEAR = 8  # positions after the last one that are tried first: queries are often sorted too


@private
def next_from_left(a, x, cast, last):
    """Like `place_from_left`, starting from the previous query's position."""
    end = last + NEAR
    if end <= len(a) and not before(cast(a[end - 1]), x):
        if last == 0 or before(cast(a[last - 1]), x):
            while before(cast(a[last]), x):
                last += 1
            return last
    return place_from_left(a, x, cast)


@private
def next_from_right(a, x, cast, last):
    """Like `place_from_right`, starting from the previous query's position."""
    end = last + NEAR
    if end <= len(a) and before(x, cast(a[end - 1])):
        if last == 0 or not before(x, cast(a[last - 1])):
            while not before(x, cast(a[last])):
                last += 1
            return last
    return place_from_right(a, x, cast)


@private
def count_true(line):
    """The number of nonzero elements."""
    count = 0
    for x in line.flat:
        count += bool(x)
    return count
