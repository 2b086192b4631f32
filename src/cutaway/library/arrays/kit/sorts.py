"""Lines that are sorted, or parted at a rank, by the functions that NumPy has for their dtype.

A line here has its elements side by side, aligned.  Where NumPy's functions are not to be called,
merges and partitions in Python take their place (`kit/merges.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.lines import line_at, line_count
from cutaway.library.arrays.kit.merges import merge_sort, merged_places, select_rank
from cutaway.library.arrays.kit.order import numbers_first
from cutaway.library.arrays.kit.radix import has_keys, places_by_radix
from cutaway.library.arrays.kit.typers import OPTIONS, flag, left_out, private
from cutaway.lowering.arrays.loops import has_loop, loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Type

# What `kind` may be, and what NumPy calls the function of a dtype.
KINDS = {
    "quicksort": "sort",
    "heapsort": "sort",  # as NumPy has it
    "mergesort": "stable_sort",
    "stable": "stable_sort",
}
RADIX_FROM = 400  # elements from which on passes by radix are faster than merges
PARTED_FROM = 200  # elements from which on NumPy's partition is worth its arrays


def is_sortable(a: Any) -> bool:
    """True if the elements of an array have an order: they are numbers, times or texts."""
    dated = types.DateTime | types.TimeDelta
    if not isinstance(a, Array):
        return False
    return types.is_number(a.dtype) or isinstance(a.dtype, dated) or has_text(a)


def has_text(a: Array) -> bool:
    """True if the elements of an array are texts."""
    return isinstance(a.dtype, types.FixedString) and a.dtype.kind == "U"


def kind_of(kind: Any, stable: Any, order: Any) -> str | None:
    """The function that sorts as the arguments of `np.sort` say; None where that is not known.

    Raises TypingError where NumPy takes no such arguments.
    """
    if not left_out(order):
        raise TypingError(
            "cannot specify order when the array has no fields", hint="leave out `order`"
        )
    if not left_out(stable):
        if not left_out(kind):
            raise TypingError(
                "`kind` and keyword parameters can't be provided at the same time",
                hint="use only one of them",
            )
        steady = flag(stable)
        return None if steady is None else KINDS["stable" if steady else "quicksort"]
    if left_out(kind):
        return KINDS["quicksort"]
    if not isinstance(kind, types.String):
        return None
    if kind.value not in KINDS:
        raise TypingError(f"there is no sort of kind {kind.value!r}", hint=f"use one of {[*KINDS]}")
    return KINDS[str(kind.value)]


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
    """What sorts a line, and what sorts its places, by one of NumPy's kinds."""
    by_place = name.replace("sort", "argsort")

    def sort(line):
        line.sort(kind=kind)

    def place(line, places):
        places[:] = np.argsort(line, kind=kind)

    @primitive(sort, _sort_rule, any_elements=True)
    def lower_sort(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """One call."""
        parts = array_parts(args[0])
        address, like = loop_parts(build, _name(name, args[0].ty))
        given = f"ptr {parts.data}, i64 {parts.shape[0]}, ptr {like}"
        _raise_without_memory(build, build.result(f"call i32 {address}({given})"))
        return Value(types.none, ())

    @primitive(place, _places_rule, any_elements=True)
    def lower_place(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """One call; the places are numbered before."""
        parts, places = map(array_parts, args)
        address, like = loop_parts(build, _name(by_place, args[0].ty))
        given = f"ptr {parts.data}, ptr {places.data}, i64 {parts.shape[0]}, ptr {like}"
        _raise_without_memory(build, build.result(f"call i32 {address}({given})"))
        return Value(types.none, ())

    return sort, place


_BOTH = {"quicksort": "sort", "stable": "stable_sort"}
_BY_NAME = {name: _register(name, kind) for kind, name in _BOTH.items()}


def _has(name: str, a: Array) -> bool:
    return not has_text(a) and has_loop(_name(name, a))


# --- values -----------------------------------------------------------------------------------


def sort_all(line):
    """Sort a line."""
    line.sort()


@overload(sort_all, jit_options=OPTIONS)
def _sort_all(line):
    sort = _BY_NAME["sort"][0] if _has("sort", line) else merge_sort
    return lambda line: sort(line)


def sorting_lines(a: Array, kind: str) -> Any:
    """What sorts an array along its last axis, in place, by a kind."""
    sort = _BY_NAME[kind][0] if _has(kind, a) else merge_sort

    @private
    def in_place(a):
        for k in range(line_count(a)):
            sort(line_at(a, k))

    @private
    def aside(a):
        for k in range(line_count(a)):
            target = line_at(a, k)
            line = target.copy()
            sort(line)
            target[...] = line

    return in_place if a.layout == "C" and a.aligned else aside


# --- places -----------------------------------------------------------------------------------


def sorted_places(line):
    """The places of a line's elements in their order; equal ones stay in theirs."""
    return np.argsort(line, kind="stable")


@overload(sorted_places, jit_options=OPTIONS)
def _sorted_places(line):
    placed = placing(line, "stable_sort")
    return lambda line: placed(line)


def placing(a: Array, kind: str) -> Any:
    """What gives the places of a line's elements in their order, by a kind of sorting."""
    if not a.aligned:
        placed = placing(Array(a.dtype, 1, "C"), kind)
        return private(lambda line: placed(line.copy()))
    by_numpy, stable = _has(kind.replace("sort", "argsort"), a), kind == "stable_sort"
    place = _BY_NAME[kind][1]

    @private
    def of_numpy(line):
        places = np.arange(len(line))
        place(np.ascontiguousarray(line), places)
        return places

    @private
    def by_size(line):
        return places_by_radix(line) if len(line) >= RADIX_FROM else of_numpy(line)

    @private
    def without_numpy(line):
        return merged_places(line) if len(line) < RADIX_FROM else places_by_radix(line)

    if by_numpy:
        wide = types.to_dtype(a.dtype).itemsize > 2  # NumPy's own passes by radix are for others
        return by_size if stable and wide and has_keys(a.dtype) else of_numpy
    return without_numpy if has_keys(a.dtype) else merged_places


# --- ranks ------------------------------------------------------------------------------------


def part_by_numpy(line, ranks, places):
    """Move the elements of some ranks to their places; where `places` has room for all places,
    leave the elements and put these there."""
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
    """One call, which makes arrays for NumPy."""
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


def can_be_parted(a: Array) -> bool:
    """True if NumPy's partition can be called for the elements of an array."""
    return _has("part", a)


def part_at(line, rank):
    """Move the element of a rank to its place in a line, smaller ones before it and larger ones
    behind; NaN is last."""
    line.partition(rank)


@overload(part_at, jit_options=OPTIONS)
def _part_at(line, rank):
    def by_size(line, rank):
        if len(line) < PARTED_FROM:
            select_rank(line, rank, numbers_first(line))
        else:
            ranks, nowhere = np.empty(1, np.int64), np.empty(0, np.int64)
            ranks[0] = rank
            part_by_numpy(line, ranks, nowhere)

    def by_python(line, rank):
        select_rank(line, rank, numbers_first(line))

    return by_size if can_be_parted(line) else by_python
