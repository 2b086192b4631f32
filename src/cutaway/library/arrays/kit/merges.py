"""Sorting and selection in Python, for small lines and where NumPy's functions are not called.

Merge sort from runs sorted by insertion, and quicksort's partition.
"""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.order import less, numbers_first
from cutaway.library.arrays.kit.typers import private

RUN = 16  # size of runs sorted by insertion
ONE = np.uint64(1)  # unsigned positions need no check for negative ones

# --- elements with their positions, which may be None -------------------------------------------


@private
def _insert(keys, places, start, stop):
    for k in range(start + 1, stop):
        x, n = keys[k], k
        place = None if places is None else places[k]
        while n > start and less(x, keys[n - 1]):
            keys[n] = keys[n - 1]
            if places is not None:
                places[n] = places[n - 1]
            n -= 1
        keys[n] = x
        if places is not None:
            places[n] = place


@private
def _merge(keys, places, to_keys, to_places, start, middle, stop):
    i, j, k = start, middle, start
    if middle < stop and less(keys[middle], keys[middle - 1]):
        while i < middle and j < stop:
            x, y = keys[i], keys[j]
            second = less(y, x)
            to_keys[k] = y if second else x
            if places is not None:
                to_places[k] = places[j] if second else places[i]
            j += second
            i += not second
            k += 1
    while i < middle:
        to_keys[k] = keys[i]
        if places is not None:
            to_places[k] = places[i]
        i += 1
        k += 1
    while j < stop:
        to_keys[k] = keys[j]
        if places is not None:
            to_places[k] = places[j]
        j += 1
        k += 1


@private
def _merge_even(keys, places, to_keys, to_places, start, width):
    """Merge two runs of equal width from both ends at once: neither end runs out before all are
    stored, and the two chains are independent."""
    i, j = np.uint64(start), np.uint64(start + width)
    first, last = i, np.uint64(start + 2 * width - 1)
    p, q = np.uint64(start + width - 1), last
    for _ in range(width):
        x, y = keys[i], keys[j]
        second = less(y, x)
        to_keys[first] = y if second else x
        if places is not None:
            to_places[first] = places[j] if second else places[i]
        j += np.uint64(second)
        i += np.uint64(not second)
        first += ONE
        x, y = keys[p], keys[q]
        second = less(y, x)
        to_keys[last] = x if second else y
        if places is not None:
            to_places[last] = places[p] if second else places[q]
        p -= np.uint64(second)
        q -= np.uint64(not second)
        last -= ONE


@private
def _merge_runs(keys, places, to_keys, to_places, width, count):
    even = count - count % (2 * width)
    for start in range(0, even, 2 * width):
        middle, stop = start + width, start + 2 * width
        if places is not None or less(keys[middle], keys[middle - 1]):
            _merge_even(keys, places, to_keys, to_places, start, width)
        else:
            to_keys[start:stop] = keys[start:stop]
    for start in range(even, count, 2 * width):
        middle, stop = min(start + width, count), min(start + 2 * width, count)
        _merge(keys, places, to_keys, to_places, start, middle, stop)


@private
def sort_line(keys, places, count):
    """Sort the first `count` elements of a line in C order; none is NaN."""
    for start in range(0, count, RUN):
        _insert(keys, places, start, min(start + RUN, count))
    if count <= RUN:
        return
    spare = np.empty(count, keys.dtype)
    spare_places = None if places is None else np.empty(count, np.int64)
    width = RUN
    while width < count:
        _merge_runs(keys, places, spare, spare_places, width, count)
        width *= 2
        if width >= count:
            keys[:count] = spare
            if places is not None:
                places[:count] = spare_places
            return
        _merge_runs(spare, spare_places, keys, places, width, count)
        width *= 2


@private
def merge_sort(line):
    """Sort a line in C order."""
    sort_line(line, None, numbers_first(line))


@private
def _numbered(line, keys, places):
    """Copy elements and their positions, NaNs last; returns the number of the others."""
    if line.dtype.kind != "f":
        for k in range(len(line)):
            keys[k], places[k] = line[k], k
        return len(line)
    n = 0
    for k in range(len(line)):
        x = line[k]
        if x == x:  # noqa: PLR0124
            keys[n], places[n] = x, k
            n += 1
    count = n
    for k in range(len(line)):
        x = line[k]
        if x != x:  # noqa: PLR0124
            keys[n], places[n] = x, k
            n += 1
    return count


@private
def merged_places(line):
    """The positions of a line's elements in sorted order."""
    keys, places = np.empty(len(line), line.dtype), np.empty(len(line), np.int64)
    sort_line(keys, places, _numbered(line, keys, places))
    return places


# --- selection by rank ------------------------------------------------------------------------


@private
def select_rank(line, rank, count):
    """Move the element of a rank to its position, smaller ones before and larger ones after it.

    Quickselect; if the part with the rank shrinks too slowly, it is sorted.
    """
    low, high = 0, count - 1
    steps = 64
    while high - low > RUN:
        steps -= 1
        if steps == 0:
            sort_line(line[low : high + 1], None, high + 1 - low)
            return
        middle = (low + high) >> 1
        if less(line[middle], line[low]):
            line[middle], line[low] = line[low], line[middle]
        if less(line[high], line[low]):
            line[high], line[low] = line[low], line[high]
        if less(line[high], line[middle]):
            line[high], line[middle] = line[middle], line[high]
        pivot = line[middle]
        i, j = low, high
        while i <= j:
            while less(line[i], pivot):
                i += 1
            while less(pivot, line[j]):
                j -= 1
            if i <= j:
                line[i], line[j] = line[j], line[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            return
    _insert(line, None, low, high + 1)
