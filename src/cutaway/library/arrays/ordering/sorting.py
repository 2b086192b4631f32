"""Order: `sort argsort partition argpartition lexsort`, and the methods `sort argsort partition
argpartition`, along an axis or of all elements, by each of NumPy's kinds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes
from cutaway.extending.overloads import overload, overload_method
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.merges import select_rank
from cutaway.library.arrays.kit.order import numbers_first
from cutaway.library.arrays.kit.places import checked_rank
from cutaway.library.arrays.kit.sorts import (
    can_be_parted,
    has_text,
    is_sortable,
    kind_of,
    part_by_numpy,
    placing,
    sorting_lines,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    is_array,
    is_integral,
    is_integral_or_default,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

Sortable = Takes("an array of numbers, times or texts", is_sortable)


def _last_first(a: Array, axis: Any) -> Any:
    """What gives a view of an array with an axis behind the others."""
    if axis == -1 and a.ndim:
        return private(lambda a, axis: a)
    return private(lambda a, axis: lines_along(a, axis))


# --- values -----------------------------------------------------------------------------------


@overload_method(Array, "sort", jit_options=OPTIONS)
def _sort_in_place(a, axis=-1, kind=None, order=None, *, stable=None):
    if not is_sortable(a) or not is_integral_or_default(axis) or left_out(axis):
        return None
    _require_writable(a, "sort")
    name, turned = kind_of(kind, stable, order), _last_first(a, axis)
    if name is None:
        return None
    sort_lines = sorting_lines(_turned_type(a, axis), name)

    def sort(a, axis=-1, kind=None, order=None, *, stable=None):
        sort_lines(turned(a, axis))

    def without_axes(a, axis=-1, kind=None, order=None, *, stable=None):
        axis_of(a, axis)

    return sort if a.ndim else without_axes


def _require_writable(a: Array, what: str) -> None:
    if a.readonly:
        raise TypingError(f"{what} array is read-only", hint="copy the array first")


def _turned_type(a: Array, axis: Any) -> Array:
    """The type of a view with an axis behind the others."""
    return a if axis == -1 else a.viewed(a.ndim, "A")


@numpy(np.sort)
def _sort(a, axis=-1, kind=None, order=None, *, stable=None):
    if not is_sortable(a) or not is_integral_or_default(axis):
        return None
    name = kind_of(kind, stable, order)
    if name is None:
        return None
    copied = Array(a.dtype, a.ndim, "F" if a.layout == "F" else "C")
    turned, sort_lines = _last_first(a, axis), sorting_lines(_turned_type(copied, axis), name)
    sort_line = sorting_lines(Array(a.dtype, 1, "C"), name)

    def along(a, axis=-1, kind=None, order=None, *, stable=None):
        out = np.copy(a)
        sort_lines(turned(out, axis))
        return out

    def without_axes(a, axis=-1, kind=None, order=None, *, stable=None):
        axis_of(a, axis)
        return np.copy(a)

    def flat(a, axis=-1, kind=None, order=None, *, stable=None):
        out = a.flatten()
        sort_line(out)
        return out

    if left_out(axis):
        return flat
    return along if a.ndim else without_axes


# --- places -----------------------------------------------------------------------------------


@numpy(np.argsort, "argsort")
def _argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    if not is_sortable(a) or not is_integral_or_default(axis):
        return None
    name = kind_of(kind, stable, order)
    if name is None:
        return None
    if has_text(a) and name != "stable_sort":
        raise TypingError(
            "argsort of texts is only compiled with a kind that keeps equal ones in order",
            hint="write kind='stable'",
        )
    placed = placing(a, name)

    def along(a, axis=-1, kind=None, order=None, *, stable=None):
        out = np.empty(a.shape, np.int64)
        source, target = lines_along(a, axis), lines_along(out, axis)
        for k in range(line_count(source)):
            line_at(target, k)[:] = placed(line_at(source, k))
        return out

    def flat(a, axis=-1, kind=None, order=None, *, stable=None):
        return placed(a.ravel())

    def line(a, axis=-1, kind=None, order=None, *, stable=None):
        axis_of(a, axis)
        return placed(a)

    def single(a, axis=-1, kind=None, order=None, *, stable=None):
        axis_of(a.reshape(1), axis)
        return np.zeros(1, np.int64)

    if left_out(axis):
        return flat
    return (single, line, along)[min(a.ndim, 2)]


# --- elements by their ranks ------------------------------------------------------------------


def ranks_in(kth, count):
    """The ranks of a line, counted from 0.  Raises ValueError where there are none such."""
    return np.array([checked_rank(one, count) for one in np.atleast_1d(np.array(kth))])


@overload(ranks_in, jit_options=OPTIONS)
def _ranks_in(kth, count):
    def of_one(kth, count):
        ranks = np.empty(1, np.int64)
        ranks[0] = checked_rank(kth, count)
        return ranks

    def of_many(kth, count):
        ranks = np.array(kth, np.int64)
        for k in range(len(ranks)):
            ranks[k] = checked_rank(ranks[k], count)
        return ranks

    return of_one if is_integral(kth) else of_many


def _is_rank(kth: Any) -> bool:
    """True if an argument is an integer, a tuple of some, or a line of such."""
    if isinstance(kth, types.Boolean):
        raise TypingError("Booleans unacceptable as partition index", hint="pass an integer")
    many = is_array(kth) and kth.ndim == 1 and isinstance(kth.dtype, types.Integer)
    return is_integral(kth) or many or (is_shape(kth) and bool(kth.items))


def _is_introselect(kind: Any) -> bool:
    """True if a partition is of the one kind that there is."""
    if isinstance(kind, types.String) and kind.value != "introselect":
        raise TypingError(
            f"select kind must be 'introselect' (got {kind.value!r})", hint="leave out `kind`"
        )
    return kind == "introselect" or isinstance(kind, types.String | types.Omitted)


def _parts(a: Any, kth: Any, axis: Any, kind: Any, order: Any) -> bool:
    """True if a call of a partition has an implementation."""
    if not is_sortable(a) or not is_integral_or_default(axis):
        return False
    kind_of(None, None, order)  # refuses an order
    possible = can_be_parted(a) or types.is_number(a.dtype)
    return _is_rank(kth) and _is_introselect(kind) and possible


def part_line(line, ranks):
    """Move the elements of some ranks to their places in a line."""
    line.partition(ranks)


@overload(part_line, jit_options=OPTIONS)
def _part_line(line, ranks):
    def by_numpy(line, ranks):
        nowhere = np.empty(0, np.int64)
        part_by_numpy(line, ranks, nowhere)

    def by_python(line, ranks):
        count, start = numbers_first(line), 0
        for rank in np.sort(ranks):
            if start <= rank < count:
                select_rank(line[start:], rank - start, count - start)
                start = rank + 1

    return by_numpy if can_be_parted(line) else by_python


def part_lines(lines, ranks):
    """Move the elements of some ranks to their places in each line."""
    for k in range(line_count(lines)):
        line = line_at(lines, k).copy()
        part_line(line, ranks)
        line_at(lines, k)[...] = line


@overload(part_lines, jit_options=OPTIONS)
def _part_lines(lines, ranks):
    def in_place(lines, ranks):
        for k in range(line_count(lines)):
            part_line(line_at(lines, k), ranks)

    return in_place if lines.layout == "C" and lines.aligned else part_lines


@overload_method(Array, "partition", jit_options=OPTIONS)
def _partition_in_place(a, kth, axis=-1, kind="introselect", order=None):
    if not _parts(a, kth, axis, kind, order) or left_out(axis):
        return None
    _require_writable(a, "partition")
    turned = _last_first(a, axis)

    def without_axes(a, kth, axis=-1, kind="introselect", order=None):
        axis_of(a, axis)

    def partition(a, kth, axis=-1, kind="introselect", order=None):
        lines = turned(a, axis)
        if lines.size:
            part_lines(lines, ranks_in(kth, lines.shape[-1]))

    return partition if a.ndim else without_axes


@numpy(np.partition)
def _partition(a, kth, axis=-1, kind="introselect", order=None):
    if not _parts(a, kth, axis, kind, order):
        return None
    turned = _last_first(a, axis)

    def along(a, kth, axis=-1, kind="introselect", order=None):
        out = np.copy(a)
        lines = turned(out, axis)
        if lines.size:
            part_lines(lines, ranks_in(kth, lines.shape[-1]))
        return out

    def without_axes(a, kth, axis=-1, kind="introselect", order=None):
        axis_of(a, axis)
        return np.copy(a)

    def flat(a, kth, axis=-1, kind="introselect", order=None):
        out = a.flatten()
        if len(out):
            part_line(out, ranks_in(kth, len(out)))
        return out

    if left_out(axis):
        return flat
    return along if a.ndim else without_axes


@private
def _parted_places(line, ranks):
    places = np.empty(len(line), np.int64)
    if len(line):
        part_by_numpy(np.ascontiguousarray(line), ranks, places)
    return places


@numpy(np.argpartition, "argpartition")
def _argpartition(a, kth, axis=-1, kind="introselect", order=None):
    if not _parts(a, kth, axis, kind, order):
        return None
    placed = _parted_places
    if not can_be_parted(a):  # what is sorted is parted everywhere
        by_sorting = placing(a, "sort")
        placed = private(lambda line, ranks: by_sorting(line))

    def along(a, kth, axis=-1, kind="introselect", order=None):
        out = np.empty(a.shape, np.int64)
        source, target = lines_along(a, axis), lines_along(out, axis)
        if a.size:
            ranks = ranks_in(kth, source.shape[-1])
            for k in range(line_count(source)):
                line_at(target, k)[:] = placed(line_at(source, k), ranks)
        return out

    def flat(a, kth, axis=-1, kind="introselect", order=None):
        if a.size == 0:
            return np.empty(0, np.int64)
        return placed(a.ravel(), ranks_in(kth, a.size))

    def line(a, kth, axis=-1, kind="introselect", order=None):
        axis_of(a, axis)
        return placed(a, ranks_in(kth, len(a)) if len(a) else np.empty(0, np.int64))

    def single(a, kth, axis=-1, kind="introselect", order=None):
        axis_of(a.reshape(1), axis)
        ranks_in(kth, 1)
        return np.zeros(1, np.int64)

    if left_out(axis):
        return flat
    return (single, line, along)[min(a.ndim, 2)]


# --- several keys -----------------------------------------------------------------------------


@numpy(np.lexsort)
def _lexsort(keys, axis=-1):
    if not is_integral(axis) and axis != -1 and not isinstance(axis, types.Omitted):
        return None
    if isinstance(keys, Tuple):
        return _lexsort_of_arrays(keys)
    if not is_sortable(keys) or keys.ndim == 0:
        return None
    return _lexsort_of_rows if keys.ndim > 1 else _lexsort_of_numbers


def _lexsort_of_arrays(keys: Tuple) -> Any:
    if not keys.items:
        raise TypingError(
            "need sequence of keys with len > 0 in lexsort", hint="pass one key or more"
        )
    if not all(map(is_sortable, keys.items)):
        return None
    counts = {one.ndim for one in keys.items}
    if len(counts) > 1:
        raise TypingError("all keys need to be the same shape", hint="broadcast them first")
    if counts == {0}:
        return lambda keys, axis=-1: np.int64(0)

    def lexsort(keys, axis=-1):
        _require_one_shape(keys, keys[0].shape)
        out = np.empty(keys[0].shape, np.int64)
        target = lines_along(out, axis)
        for k in range(line_count(target)):
            places = np.arange(target.shape[-1])
            line_at(target, k)[:] = ordered_by_all(places, keys, axis, k)
        return out

    return lexsort


def _require_one_shape(keys, shape):
    if any(key.shape != shape for key in keys):
        raise ValueError("all keys need to be the same shape")


@overload(_require_one_shape, jit_options=OPTIONS)
def _require_one_shape_typer(keys, shape):
    def of_several(keys, shape):
        if keys[0].shape != shape:
            raise ValueError("all keys need to be the same shape")
        _require_one_shape(keys[1:], shape)

    return of_several if keys.items else (lambda keys, shape: None)


def ordered_by_all(places, keys, axis, k):
    """Places in the order of the k-th line of each key, the last one first of all."""
    for key in keys:
        places = _ordered_by(places, line_at(lines_along(key, axis), k))
    return places


@overload(ordered_by_all, jit_options=OPTIONS)
def _ordered_by_all(places, keys, axis, k):
    def of_several(places, keys, axis, k):
        ordered = _ordered_by(places, line_at(lines_along(keys[0], axis), k))
        return ordered_by_all(ordered, keys[1:], axis, k)

    return of_several if keys.items else (lambda places, keys, axis, k: places)


@private
def _require_keys(keys):
    if len(keys) == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")


def _lexsort_of_numbers(keys, axis=-1):
    _require_keys(keys)
    return np.int64(0)


def _lexsort_of_rows(keys, axis=-1):
    _require_keys(keys)
    out = np.empty(keys.shape[1:], np.int64)
    target = lines_along(out, axis)
    for k in range(line_count(target)):
        places = np.arange(target.shape[-1])
        for row in range(len(keys)):
            places = _ordered_by(places, line_at(lines_along(keys[row], axis), k))
        line_at(target, k)[:] = places
    return out


@private
def _ordered_by(places, line):
    """Places in the order of the elements there; where these are equal the order stays."""
    taken = np.empty(len(places), line.dtype)
    for k in range(len(places)):
        taken[k] = line[places[k]]
    order = np.argsort(taken, kind="stable")
    return np.take(places, order)
