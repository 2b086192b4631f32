"""Lines sorted, or partitioned at a rank, by NumPy's functions for their dtype.

The elements of a line must be contiguous and aligned. Where NumPy's functions are not called, merge
sort and quickselect in Python take their place (`kit/merges.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.lines import line_at, line_count
from cutaway.library.arrays.kit.merges import merge_sort, merged_places, select_rank
from cutaway.library.arrays.kit.order import numbers_first
from cutaway.library.arrays.kit.radix import has_keys, places_by_radix
from cutaway.library.arrays.kit.typers import flag, left_out, private, said
from cutaway.lowering.arrays.loops import has_loop, loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Type

# The values of `kind`, and whether the sort is stable.
STEADY = {"quicksort": False, "heapsort": False, "mergesort": True, "stable": True}
RADIX_FROM = 400  # length from which radix sort is faster than merge sort
PARTED_FROM = 200  # length from which NumPy's partition is worth the arrays made for it


@static
def is_sortable(a: Any) -> bool:
    """True if the elements of an array can be ordered: numbers, times or texts."""
    if not isinstance(a, Array):
        return False
    return types.is_number(a.dtype) or isinstance(a.dtype, types.Dated) or has_text(a)


@static
def has_text(a: Array) -> bool:
    """True if the elements are texts."""
    return isinstance(a.dtype, types.FixedString) and a.dtype.kind == "U"


@static
def is_steady(kind: Any, stable: Any, order: Any) -> bool:
    """True if a sort with these arguments must be stable. Raises TypingError for arguments that
    NumPy refuses, or that are not constant."""
    if not left_out(order):
        raise TypingError(
            "cannot specify order when the array has no fields", hint="leave out `order`"
        )
    if not left_out(stable) and not left_out(kind):
        raise TypingError(
            "`kind` and keyword parameters can't be provided at the same time",
            hint="use only one of them",
        )
    if not left_out(stable):
        if flag(stable) is None:
            raise TypingError("`stable` must be known when compiling", hint="write True or False")
        return bool(flag(stable))
    if left_out(kind):
        return False
    name = said(kind)
    if name is None:
        raise TypingError("`kind` must be known when compiling", hint=f"write one of {[*STEADY]}")
    if name not in STEADY:
        raise TypingError(f"there is no sort of kind {name!r}", hint=f"use one of {[*STEADY]}")
    return STEADY[name]


def _name(function: str, ty: Array) -> str:
    return f"numpy.dtype.{function}.{types.to_dtype(ty.dtype).char}"


def _is_line(ty: Type) -> bool:
    return isinstance(ty, Array) and ty.ndim == 1 and ty.aligned


def _raise_without_memory(build: FunctionBuilder, status: str) -> None:
    build.raise_if(build.compare("slt", "i32", status, "0"), MemoryError)


# --- NumPy's functions ------------------------------------------------------------------------


def _sort_rule(arguments: Arguments) -> Signature | None:
    (line,) = arguments.types
    return Signature(types.none, (line,)) if _is_line(line) else None


def _places_rule(arguments: Arguments) -> Signature | None:
    line, places = arguments.types
    fits = _is_line(line) and _is_line(places) and places.dtype is types.int64
    return Signature(types.none, (line, places)) if fits else None


def _register(name: str, kind: str) -> tuple[Any, Any]:
    """The functions that sort a line, or its elements' positions, by a kind of NumPy sort."""
    by_place = name.replace("sort", "argsort")

    def sort(line):
        line.sort(kind=kind)

    def place(line, places):
        places[:] = np.argsort(line, kind=kind)

    @primitive(sort, _sort_rule, any_elements=True)
    def lower_sort(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """Emit one call."""
        parts = array_parts(args[0])
        address, like = loop_parts(build, _name(name, args[0].ty))
        given = f"ptr {parts.data}, i64 {parts.shape[0]}, ptr {like}"
        _raise_without_memory(build, build.result(f"call i32 {address}({given})"))
        return Value(types.none, ())

    @primitive(place, _places_rule, any_elements=True)
    def lower_place(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """Emit one call; the positions are numbered before."""
        parts, places = map(array_parts, args)
        address, like = loop_parts(build, _name(by_place, args[0].ty))
        given = f"ptr {parts.data}, ptr {places.data}, i64 {parts.shape[0]}, ptr {like}"
        _raise_without_memory(build, build.result(f"call i32 {address}({given})"))
        return Value(types.none, ())

    return sort, place


_sort, _place = _register("sort", "quicksort")
_sort_steady, _place_steady = _register("stable_sort", "stable")


def _has(name: str, a: Array) -> bool:
    return not has_text(a) and has_loop(_name(name, a))


@static
def _has_sort(line: Any, steady: Any) -> bool:
    return _has("stable_sort" if flag(steady) else "sort", line)


@static
def _has_place(line: Any, steady: Any) -> bool:
    return _has("stable_argsort" if flag(steady) else "argsort", line)


@static
def _goes_by_radix(line: Any, steady: Any) -> bool:
    """True if long lines are sorted by the library's radix sort; small integers have NumPy's."""
    if not has_keys(line.dtype):
        return False
    return not _has_place(line, steady) or (
        bool(flag(steady)) and types.to_dtype(line.dtype).itemsize > 2
    )


@static
def are_ready(lines: Any) -> bool:
    """True if an array's lines are contiguous and aligned."""
    return lines.layout == "C" and lines.aligned


@static
def _is_aligned(line: Any) -> bool:
    return line.aligned


# --- values -----------------------------------------------------------------------------------


@private
def sort_steadily(line, steady):
    """Sort a line, stably if `steady`."""
    if not _has_sort(line, steady):
        merge_sort(line)
    elif steady:
        _sort_steady(line)
    else:
        _sort(line)


@private
def sort_all(line):
    """Sort a line."""
    sort_steadily(line, False)


@private
def sort_lines(a, steady):
    """Sort an array along its last axis, in place."""
    for k in range(line_count(a)):
        target = line_at(a, k)
        if are_ready(a):
            sort_steadily(target, steady)
        else:
            line = target.copy()
            sort_steadily(line, steady)
            target[...] = line


# --- positions --------------------------------------------------------------------------------


@private
def places_in_order(line, steady):
    """The positions of a line's elements in sorted order."""
    if not _is_aligned(line):
        return places_in_order(line.copy(), steady)
    if _goes_by_radix(line, steady) and len(line) >= RADIX_FROM:
        return places_by_radix(line)
    if not _has_place(line, steady):
        return merged_places(line)
    places, ready = np.arange(len(line)), np.ascontiguousarray(line)
    if steady:
        _place_steady(ready, places)
    else:
        _place(ready, places)
    return places


@private
def sorted_places(line):
    """The positions of a line's elements in sorted order, by a stable sort."""
    return places_in_order(line, True)


# --- ranks ------------------------------------------------------------------------------------


def part_by_numpy(line, ranks, places):
    """Partition a line at some ranks in place; if `places` has a line's length, store there the
    positions in partitioned order instead."""
    if len(places):
        places[:] = np.argpartition(line, ranks)
    else:
        line.partition(ranks)


def _part_rule(arguments: Arguments) -> Signature | None:
    line, ranks, places = arguments.types
    lines = _is_line(line) and _is_line(ranks) and _is_line(places)
    return Signature(types.none, arguments.types) if lines else None


@primitive(part_by_numpy, _part_rule, any_elements=True)
def lower_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one call, which makes arrays for NumPy."""
    line, ranks, places = map(array_parts, args)
    nowhere = build.compare("eq", "i64", places.shape[0], "0")
    target = build.select(nowhere, "ptr", "null", places.data)
    address, like = loop_parts(build, _name("part", args[0].ty))
    given = (
        f"ptr {line.data}, i64 {line.shape[0]}, ptr {ranks.data}, i64 {ranks.shape[0]},"
        f" ptr {target}, ptr {like}"
    )
    _raise_without_memory(build, build.result(f"call i32 {address}({given})"))
    return Value(types.none, ())


@static
def can_be_parted(a: Array) -> bool:
    """True if NumPy's partition can be called for an array's elements."""
    return _has("part", a)


@private
def part_at(line, rank):
    """Move the element of a rank to its position in a line, smaller ones before and larger ones
    after it; NaN is last."""
    if can_be_parted(line) and len(line) >= PARTED_FROM:
        ranks = np.empty(1, np.int64)
        ranks[0] = rank
        part_by_numpy(line, ranks, np.empty(0, np.int64))
    else:
        select_rank(line, rank, numbers_first(line))
