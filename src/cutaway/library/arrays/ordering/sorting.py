"""Sorting: `sort argsort partition argpartition lexsort` as functions and methods, along an axis or
over all elements, by all kinds that NumPy has."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, refuse, static
from cutaway.extending.registry import method
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.merges import select_rank
from cutaway.library.arrays.kit.order import numbers_first
from cutaway.library.arrays.kit.places import checked_rank
from cutaway.library.arrays.kit.sorts import (
    are_ready,
    can_be_parted,
    has_text,
    is_sortable,
    is_steady,
    part_by_numpy,
    places_in_order,
    sort_lines,
    sort_steadily,
)
from cutaway.library.arrays.kit.takes import Integer, IntegerOrNone, numpy
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    element,
    is_array,
    is_integral,
    is_shape,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

Sortable = Takes("an array of numbers, times or texts", is_sortable)


@static
def _is_last(axis: Any) -> bool:
    """True for the default axis, the last one."""
    return said(axis) == -1


@static
def _require_writable(a: Any, what: Any) -> None:
    if a.readonly:
        raise TypingError(f"{said(what)} array is read-only", hint="copy the array first")


# --- values -----------------------------------------------------------------------------------


@body(method(Array, "sort"), **OPTIONS)
def sort_in_place(a: Sortable, axis: Integer = -1, kind=None, order=None, *, stable=None):
    """Sort an array along an axis."""
    steady = is_steady(kind, stable, order)
    _require_writable(a, "sort")
    if a.ndim == 0:
        axis_of(a, axis)  # raises AxisError
    else:
        sort_lines(a if _is_last(axis) else lines_along(a, axis), steady)


@numpy(np.sort)
def sort(a: Sortable, axis: IntegerOrNone = -1, kind=None, order=None, *, stable=None):
    """The elements sorted, along an axis or all of them."""
    steady = is_steady(kind, stable, order)
    if axis is None:
        line = a.flatten()
        sort_steadily(line, steady)
        return line
    out = np.copy(a)
    if a.ndim == 0:
        axis_of(a, axis)  # raises AxisError
    else:
        sort_lines(out if _is_last(axis) else lines_along(out, axis), steady)
    return out


# --- positions --------------------------------------------------------------------------------


@numpy(np.argsort, "argsort")
def argsort(a: Sortable, axis: IntegerOrNone = -1, kind=None, order=None, *, stable=None):
    """The positions of elements in sorted order, along an axis or of all of them."""
    steady = is_steady(kind, stable, order)
    if has_text(a) and not steady:
        refuse(
            "argsort of texts is only compiled with a kind that keeps equal ones in order",
            "write kind='stable'",
        )
    if axis is None:
        return places_in_order(a.ravel(), steady)
    if a.ndim == 0:
        axis_of(a.reshape(1), axis)
        return np.zeros(1, np.int64)
    k = axis_of(a, axis)
    if a.ndim == 1:
        return places_in_order(a, steady)
    out = np.empty(a.shape, np.int64)
    source, target = lines_along(a, k), lines_along(out, k)
    for n in range(line_count(source)):
        line_at(target, n)[:] = places_in_order(line_at(source, n), steady)
    return out


# --- partitions -------------------------------------------------------------------------------


def _is_rank(kth: Any) -> bool:
    """True if an argument is an integer, a tuple of integers, or a line of them."""
    if element(kth) is types.boolean and not isinstance(kth, Array):
        raise TypingError("Booleans unacceptable as partition index", hint="pass an integer")
    many = is_array(kth) and kth.ndim == 1 and isinstance(kth.dtype, types.Integer)
    return is_integral(kth) or many or (is_shape(kth) and bool(kth.items))


Ranks = Takes("an int, some in a tuple, or a line of ints", _is_rank)


@private
def ranks_in(kth, count):
    """The ranks counted from 0. Raises ValueError for ranks out of range."""
    many = isinstance(kth, (tuple, list, np.ndarray))
    ranks = np.array(kth, np.int64) if many else np.full(1, kth, np.int64)
    for k in range(len(ranks)):
        ranks[k] = checked_rank(ranks[k], count)
    return ranks


@static
def _require_partition(a: Any, kind: Any, order: Any) -> None:
    """Refuse a partition by another algorithm than NumPy's, or of elements without an order."""
    is_steady(types.none, types.none, order)  # refuses an order
    if said(kind) != "introselect":
        raise TypingError(
            f"select kind must be 'introselect' (got {said(kind)!r})", hint="leave out `kind`"
        )
    if not can_be_parted(a) and not types.is_number(a.dtype):
        raise TypingError(f"elements of {a} are not parted in compiled code", hint="sort them")


@private
def part_line(line, ranks):
    """Partition a line at some ranks."""
    if can_be_parted(line):
        part_by_numpy(line, ranks, np.empty(0, np.int64))
        return
    count, start = numbers_first(line), 0
    for rank in np.sort(ranks):
        if start <= rank < count:
            select_rank(line[start:], rank - start, count - start)
            start = rank + 1


@private
def part_lines(lines, kth):
    """Partition each line at some ranks."""
    if lines.size == 0:
        return
    ranks = ranks_in(kth, lines.shape[-1])
    for k in range(line_count(lines)):
        target = line_at(lines, k)
        if are_ready(lines):
            part_line(target, ranks)
        else:
            line = target.copy()
            part_line(line, ranks)
            target[...] = line


@body(method(Array, "partition"), **OPTIONS)
def partition_in_place(a: Sortable, kth: Ranks, axis: Integer = -1, kind="introselect", order=None):
    """Partition an array at some ranks along an axis."""
    _require_partition(a, kind, order)
    _require_writable(a, "partition")
    if a.ndim == 0:
        axis_of(a, axis)  # raises AxisError
    else:
        part_lines(a if _is_last(axis) else lines_along(a, axis), kth)


@numpy(np.partition)
def partition(a: Sortable, kth: Ranks, axis: IntegerOrNone = -1, kind="introselect", order=None):
    """A partitioned copy, along an axis or of all elements."""
    _require_partition(a, kind, order)
    if axis is None:
        line = a.flatten()
        part_lines(line, kth)
        return line
    out = np.copy(a)
    if a.ndim == 0:
        axis_of(a, axis)  # raises AxisError
    else:
        part_lines(out if _is_last(axis) else lines_along(out, axis), kth)
    return out


@private
def _parted_places(line, kth):
    """The positions of a line's elements in partitioned order."""
    places = np.empty(len(line), np.int64)
    if len(line) == 0:
        return places
    ranks = ranks_in(kth, len(line))
    if not can_be_parted(line):  # a sorted line is partitioned at every rank
        return places_in_order(line, False)
    part_by_numpy(np.ascontiguousarray(line), ranks, places)
    return places


@numpy(np.argpartition, "argpartition")
def argpartition(a: Sortable, kth: Ranks, axis: IntegerOrNone = -1, kind="introselect", order=None):
    """The positions of elements in partitioned order, along an axis or of all elements."""
    _require_partition(a, kind, order)
    if axis is None:
        return _parted_places(a.ravel(), kth)
    if a.ndim == 0:
        axis_of(a.reshape(1), axis)
        ranks_in(kth, 1)
        return np.zeros(1, np.int64)
    k = axis_of(a, axis)
    if a.ndim == 1:
        return _parted_places(a, kth)
    out = np.empty(a.shape, np.int64)
    source, target = lines_along(a, k), lines_along(out, k)
    for n in range(line_count(source) if a.size else 0):
        line_at(target, n)[:] = _parted_places(line_at(source, n), kth)
    return out


# --- several keys -----------------------------------------------------------------------------


def _are_keys(keys: Any) -> bool:
    """True if an argument is a tuple of sort keys, or an array whose rows are keys."""
    if not isinstance(keys, Tuple):
        return is_sortable(keys) and keys.ndim > 0
    if not keys.items:
        raise TypingError(
            "need sequence of keys with len > 0 in lexsort", hint="pass one key or more"
        )
    if not all(map(is_sortable, keys.items)):
        return False
    if len({one.ndim for one in keys.items}) > 1:
        raise TypingError("all keys need to be the same shape", hint="broadcast them first")
    return True


Keys = Takes("arrays, or the rows of one", _are_keys)


@numpy(np.lexsort)
def lexsort(keys: Keys, axis: Integer = -1):
    """The positions of elements sorted by several keys, the last key first."""
    if isinstance(keys, np.ndarray):
        if len(keys) == 0:
            raise TypeError("need sequence of keys with len > 0 in lexsort")
        if keys.ndim == 1:
            return np.int64(0)
    elif keys[0].ndim == 0:
        return np.int64(0)
    else:
        _require_one_shape(keys)
    out = np.empty(keys[0].shape, np.int64)
    target = lines_along(out, axis)
    for k in range(line_count(target)):
        places = np.arange(target.shape[-1])
        if isinstance(keys, np.ndarray):
            line_at(target, k)[:] = _ordered_by_rows(places, keys, axis, k)
        else:
            line_at(target, k)[:] = _ordered_by_all(places, keys, axis, k)
    return out


@private
def _require_one_shape(keys):
    for key in literal_unroll(keys):
        if key.shape != keys[0].shape:
            raise ValueError("all keys need to be the same shape")


@private
def _ordered_by_all(places, keys, axis, k):
    """Positions sorted by the k-th line of each key."""
    for key in literal_unroll(keys):
        places = _ordered_by(places, line_at(lines_along(key, axis), k))
    return places


@private
def _ordered_by_rows(places, keys, axis, k):
    for row in range(len(keys)):
        places = _ordered_by(places, line_at(lines_along(keys[row], axis), k))
    return places


@private
def _ordered_by(places, line):
    """Positions sorted by the elements there; the sort is stable."""
    taken = np.empty(len(places), line.dtype)
    for k in range(len(places)):
        taken[k] = line[places[k]]
    order = np.argsort(taken, kind="stable")
    return np.take(places, order)
