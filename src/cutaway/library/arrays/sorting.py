"""Sorting, in place and not: `sort argsort partition`, and what finds one element by its rank.

Lines are merged from short runs that were sorted by insertion, which is stable and takes n log n
steps on any input; the merge has no branch that depends on the data.  NaN comes last.  The places
of many elements are sorted by radix.
"""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload, overload_method
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.order import less, numbers_first
from cutaway.library.arrays.kit.places import checked_rank
from cutaway.library.arrays.kit.radix import has_keys, places_by_radix
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    is_array,
    is_integral,
    is_left_out_or,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Float

RUN = 16  # elements that are sorted by insertion
RADIX_FROM = 400  # elements from which on passes by radix are faster than merges
ONE = np.uint64(1)  # unsigned places need no look at whether they are negative

# --- order ------------------------------------------------------------------------------------


# --- values -----------------------------------------------------------------------------------


@private
def _insert(line, start, stop):  # type: ignore[no-untyped-def]
    for k in range(start + 1, stop):
        x = line[k]
        n = k
        while n > start and less(x, line[n - 1]):
            line[n] = line[n - 1]
            n -= 1
        line[n] = x


@private
def _merge(source, target, start, middle, stop):  # type: ignore[no-untyped-def]
    i, j, k = start, middle, start
    if middle < stop and less(source[middle], source[middle - 1]):
        while i < middle and j < stop:
            x, y = source[i], source[j]
            second = less(y, x)
            target[k] = y if second else x
            j += second
            i += not second
            k += 1
    while i < middle:
        target[k] = source[i]
        i += 1
        k += 1
    while j < stop:
        target[k] = source[j]
        j += 1
        k += 1


@private
def _merge_even(source, target, start, width):  # type: ignore[no-untyped-def]
    """Merge two runs of one width from both ends at once: neither end can run out of elements
    before all are placed, and neither waits for the other."""
    i, j = np.uint64(start), np.uint64(start + width)
    first, last = i, np.uint64(start + 2 * width - 1)
    p, q = np.uint64(start + width - 1), last
    for _ in range(width):
        x, y = source[i], source[j]
        second = less(y, x)
        target[first] = y if second else x
        j += np.uint64(second)
        i += np.uint64(not second)
        first += ONE
        x, y = source[p], source[q]
        second = less(y, x)
        target[last] = x if second else y
        p -= np.uint64(second)
        q -= np.uint64(not second)
        last -= ONE


@private
def _merge_runs(source, target, width, count):  # type: ignore[no-untyped-def]
    even = count - count % (2 * width)
    for start in range(0, even, 2 * width):
        middle = start + width
        if less(source[middle], source[middle - 1]):
            _merge_even(source, target, start, width)
        else:
            target[start : start + 2 * width] = source[start : start + 2 * width]
    for start in range(even, count, 2 * width):
        middle = min(start + width, count)
        _merge(source, target, start, middle, min(start + 2 * width, count))


@private
def sort_line(line, count):  # type: ignore[no-untyped-def]
    """Sort the first elements of a line in C order, none of which is NaN."""
    for start in range(0, count, RUN):
        _insert(line, start, min(start + RUN, count))
    if count <= RUN:
        return
    spare = np.empty(count, line.dtype)
    width = RUN
    while width < count:
        _merge_runs(line, spare, width, count)
        width *= 2
        if width >= count:
            line[:count] = spare
            return
        _merge_runs(spare, line, width, count)
        width *= 2


@private
def sort_all(line):  # type: ignore[no-untyped-def]
    """Sort a line in C order."""
    sort_line(line, numbers_first(line))


def sort_lines(a):  # type: ignore[no-untyped-def]
    """Sort an array along its last axis."""
    for k in range(line_count(a)):
        line = np.ascontiguousarray(line_at(a, k))
        sort_all(line)
        line_at(a, k)[...] = line


@overload(sort_lines, jit_options=OPTIONS)
def _sort_lines(a):  # type: ignore[no-untyped-def]
    def in_place(a):  # type: ignore[no-untyped-def]
        for k in range(line_count(a)):
            sort_all(line_at(a, k))

    def aside(a):  # type: ignore[no-untyped-def]
        for k in range(line_count(a)):
            target = line_at(a, k)
            line = target.copy()
            sort_all(line)
            target[...] = line

    return in_place if a.layout == "C" else aside


def _is_kind(kind):  # type: ignore[no-untyped-def]
    return kind is None or left_out(kind) or isinstance(kind, types.String | types.Omitted)


@overload_method(Array, "sort", jit_options=OPTIONS)
def _sort_in_place(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or a.ndim == 0 or a.readonly or not _is_kind(kind):
        return None

    def last(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
        sort_lines(a)

    def along(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
        sort_lines(lines_along(a, axis))

    if axis == -1:
        return last
    return along if is_integral(axis) else None


@numpy(np.sort)
def _sort(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or a.ndim == 0 or not _is_kind(kind):
        return None

    def last(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
        out = a.copy()
        sort_lines(out)
        return out

    def along(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
        out = a.copy()
        sort_lines(lines_along(out, axis))
        return out

    def flat(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
        out = a.flatten()
        sort_lines(out)
        return out

    if axis == -1:
        return last
    if left_out(axis):
        return flat
    return along if is_integral(axis) else None


# --- places -----------------------------------------------------------------------------------


@private
def _insert_places(keys, places, start, stop):  # type: ignore[no-untyped-def]
    for k in range(start + 1, stop):
        x, place = keys[k], places[k]
        n = k
        while n > start and less(x, keys[n - 1]):
            keys[n], places[n] = keys[n - 1], places[n - 1]
            n -= 1
        keys[n], places[n] = x, place


@private
def _merge_places(keys, places, to_keys, to_places, start, middle, stop):  # type: ignore[no-untyped-def]
    i, j, k = start, middle, start
    if middle < stop and less(keys[middle], keys[middle - 1]):
        while i < middle and j < stop:
            x, y = keys[i], keys[j]
            second = less(y, x)
            to_keys[k] = y if second else x
            to_places[k] = places[j] if second else places[i]
            j += second
            i += not second
            k += 1
    while i < middle:
        to_keys[k], to_places[k] = keys[i], places[i]
        i += 1
        k += 1
    while j < stop:
        to_keys[k], to_places[k] = keys[j], places[j]
        j += 1
        k += 1


@private
def _merge_even_places(keys, places, to_keys, to_places, start, width):  # type: ignore[no-untyped-def]
    """As `_merge_even`."""
    i, j = np.uint64(start), np.uint64(start + width)
    first, last = i, np.uint64(start + 2 * width - 1)
    p, q = np.uint64(start + width - 1), last
    for _ in range(width):
        x, y = keys[i], keys[j]
        second = less(y, x)
        to_keys[first] = y if second else x
        to_places[first] = places[j] if second else places[i]
        j += np.uint64(second)
        i += np.uint64(not second)
        first += ONE
        x, y = keys[p], keys[q]
        second = less(y, x)
        to_keys[last] = x if second else y
        to_places[last] = places[p] if second else places[q]
        p -= np.uint64(second)
        q -= np.uint64(not second)
        last -= ONE


@private
def _merge_runs_of_places(keys, places, to_keys, to_places, width, count):  # type: ignore[no-untyped-def]
    even = count - count % (2 * width)
    for start in range(0, even, 2 * width):
        _merge_even_places(keys, places, to_keys, to_places, start, width)
    for start in range(even, count, 2 * width):
        middle, stop = min(start + width, count), min(start + 2 * width, count)
        _merge_places(keys, places, to_keys, to_places, start, middle, stop)


@private
def _sort_places(keys, places, count):  # type: ignore[no-untyped-def]
    for start in range(0, count, RUN):
        _insert_places(keys, places, start, min(start + RUN, count))
    if count <= RUN:
        return
    spare, spare_places = np.empty(count, keys.dtype), np.empty(count, np.int64)
    width = RUN
    while width < count:
        _merge_runs_of_places(keys, places, spare, spare_places, width, count)
        width *= 2
        if width >= count:
            keys[:count] = spare
            places[:count] = spare_places
            return
        _merge_runs_of_places(spare, spare_places, keys, places, width, count)
        width *= 2


def numbered(line, keys, places):  # type: ignore[no-untyped-def]
    """Copy elements and their places, what is no number behind; gives how many numbers are."""
    order = np.argsort(np.isnan(line), kind="stable")
    keys[:], places[:] = line[order], order
    return int(len(line) - np.isnan(line).sum())


@overload(numbered, jit_options=OPTIONS)
def _numbered(line, keys, places):  # type: ignore[no-untyped-def]
    def plain(line, keys, places):  # type: ignore[no-untyped-def]
        for k in range(len(line)):
            keys[k], places[k] = line[k], k
        return len(line)

    def of_floats(line, keys, places):  # type: ignore[no-untyped-def]
        n, behind = 0, len(line)
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
        assert n == behind
        return count

    return of_floats if isinstance(line.dtype, Float) else plain


@private
def _merged_places(line):  # type: ignore[no-untyped-def]
    keys, places = np.empty(len(line), line.dtype), np.empty(len(line), np.int64)
    _sort_places(keys, places, numbered(line, keys, places))
    return places


def sorted_places(line):  # type: ignore[no-untyped-def]
    """The places of a line's elements in their order; equal ones stay in theirs."""
    return np.argsort(line, kind="stable")


@overload(sorted_places, jit_options=OPTIONS)
def _sorted_places(line):  # type: ignore[no-untyped-def]
    def by_size(line):  # type: ignore[no-untyped-def]
        return _merged_places(line) if len(line) < RADIX_FROM else places_by_radix(line)

    return by_size if has_keys(line.dtype) else (lambda line: _merged_places(line))


@private
def place_line(out, line):  # type: ignore[no-untyped-def]
    """Put into `out` the places of a line's elements in their order."""
    out[:] = sorted_places(line)


@numpy(np.argsort, "argsort")
def _argsort(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or a.ndim == 0 or not _is_kind(kind):
        return None

    def along(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
        out = np.empty(a.shape, np.int64)
        source, target = lines_along(a, axis), lines_along(out, axis)
        for k in range(line_count(source)):
            place_line(line_at(target, k), line_at(source, k))
        return out

    def flat(a, axis=-1, kind=None):  # type: ignore[no-untyped-def]
        out = np.empty(a.size, np.int64)
        place_line(out, a.ravel())
        return out

    if left_out(axis):
        return flat
    return along if is_left_out_or(types.is_integral, axis) else None


# --- one element by its rank ------------------------------------------------------------------


@private
def select_rank(line, rank, count):  # type: ignore[no-untyped-def]
    """Move the element of a rank to its place, smaller ones before it and larger ones behind.

    By quicksort's partition, of the part that has the rank; where that does not shrink as it
    should, what is left is sorted.
    """
    low, high = 0, count - 1
    steps = 64
    while high - low > RUN:
        steps -= 1
        if steps == 0:
            sort_line(line[low : high + 1], high + 1 - low)
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
    _insert(line, low, high + 1)


@private
def _part_at_rank(line, count, kth):  # type: ignore[no-untyped-def]
    rank = checked_rank(kth, len(line))
    if rank < count:
        select_rank(line, rank, count)


@private
def _part_at_ranks(line, count, kth):  # type: ignore[no-untyped-def]
    """The ranks in their order, each behind the one before it."""
    ranks, start = np.array(kth), 0
    for k in range(len(ranks)):
        ranks[k] = checked_rank(ranks[k], len(line))
    _insert(ranks, 0, len(ranks))
    for rank in ranks:
        if start <= rank < count:
            select_rank(line[start:], rank - start, count - start)
            start = rank + 1


@numpy(np.partition)
def _partition(a, kth, axis=-1):  # type: ignore[no-untyped-def]
    many = is_shape(kth) and kth.items
    if not is_array(a) or a.ndim == 0 or not (is_integral(kth) or many):
        return None
    part = _part_at_ranks if many else _part_at_rank

    @private
    def part_lines(lines, kth):  # type: ignore[no-untyped-def]
        for k in range(line_count(lines) if lines.size else 0):
            line = line_at(lines, k)
            part(line, numbers_first(line), kth)

    def last(a, kth, axis=-1):  # type: ignore[no-untyped-def]
        out = a.copy()
        part_lines(out, kth)
        return out

    def along(a, kth, axis=-1):  # type: ignore[no-untyped-def]
        out = a.copy()
        part_lines(lines_along(out, axis), kth)
        return out

    def flat(a, kth, axis=-1):  # type: ignore[no-untyped-def]
        out = a.flatten()
        part_lines(out, kth)
        return out

    if axis == -1:
        return last
    if left_out(axis):
        return flat
    return along if is_integral(axis) else None
