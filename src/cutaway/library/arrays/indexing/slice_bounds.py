"""The elements that a slice selects along an axis, as by `slice.indices`."""

from __future__ import annotations

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, slice_bounds
from cutaway.typing import types


def slice_extent(
    build: FunctionBuilder, value: Value, size: str, inserts: bool = False
) -> tuple[str, str, str]:
    """(first index, count, step) of a slice along an axis, as by `slice.indices`.

    The first index of an empty slice is 0, or where a list `inserts` items.
    """
    start, stop, step = slice_bounds(value)
    if step.ty is types.none:
        first = _bound(build, start, size, ("0", size), "0")
        last = _bound(build, stop, size, ("0", size), size)
        count = at_least_zero(build, build.binary("sub", "i64", last, first))
        return first if inserts else _first_or_zero(build, first, count), count, "1"
    first, count, by = _stepped_extent(build, start, stop, _given_or(build, step, "1"), size)
    return first if inserts else _first_or_zero(build, first, count), count, by


def _bound(
    build: FunctionBuilder, bound: Value, size: str, limits: tuple[str, str], otherwise: str
) -> str:
    """A slice bound as an index between the two limits; `otherwise` for None."""
    if bound.ty is types.none:
        return otherwise
    result = _clamp(build, bound.parts[-1], size, *limits)
    return _given_or(build, Value(bound.ty, (*bound.parts[:-1], result)), otherwise)


def _given_or(build: FunctionBuilder, bound: Value, otherwise: str) -> str:
    """An integer, or `otherwise` for None."""
    if isinstance(bound.ty, types.Optional):
        present, part = bound.parts
        return build.select(present, "i64", part, otherwise)
    return bound.parts[0]


def _first_or_zero(build: FunctionBuilder, first: str, count: str) -> str:
    # The pointer of an empty slice stays inside the array.
    if first == "0":
        return first
    empty = build.compare("eq", "i64", count, "0")
    return build.select(empty, "i64", "0", first)


def _stepped_extent(
    build: FunctionBuilder, start: Value, stop: Value, step: str, size: str
) -> tuple[str, str, str]:
    zero = build.compare("eq", "i64", step, "0")
    build.raise_if(zero, ValueError, "slice step cannot be zero")
    up = build.compare("sgt", "i64", step, "0")
    last = build.binary("sub", "i64", size, "1")
    low, high = build.select(up, "i64", "0", "-1"), build.select(up, "i64", size, last)
    first = _bound(build, start, size, (low, high), build.select(up, "i64", "0", last))
    end = _bound(build, stop, size, (low, high), build.select(up, "i64", size, "-1"))
    forward, backward = (
        build.binary("sub", "i64", end, first),
        build.binary("sub", "i64", first, end),
    )
    span = at_least_zero(build, build.select(up, "i64", forward, backward))
    stride = build.select(up, "i64", step, build.binary("sub", "i64", "0", step))
    less = build.binary("sub", "i64", span, "1")
    steps = build.binary("add", "i64", build.binary("udiv", "i64", less, stride), "1")
    empty = build.compare("eq", "i64", span, "0")
    count = build.select(empty, "i64", "0", steps)
    return first, count, step


def _clamp(build: FunctionBuilder, bound: str, size: str, low: str, high: str) -> str:
    negative = build.compare("slt", "i64", bound, "0")
    bound = build.select(negative, "i64", build.binary("add", "i64", bound, size), bound)
    bound = build.call("i64", "llvm.smax.i64", [("i64", bound), ("i64", low)])
    return build.call("i64", "llvm.smin.i64", [("i64", bound), ("i64", high)])


def at_least_zero(build: FunctionBuilder, count: str) -> str:
    """A count, with 0 for a negative one."""
    return build.call("i64", "llvm.smax.i64", [("i64", count), ("i64", "0")])
