"""Values that are made of others: tuples, slices, arrays, choices of functions."""

from __future__ import annotations

from collections.abc import Iterator as Iterable

from cutaway.foundation.dataclass import dataclass
from cutaway.lowering.layout.parts import Value, item_size, part_types
from cutaway.typing import types
from cutaway.typing.types import Array, Span, Tuple, Type


def functions_in(value: Value) -> dict[Type, Value]:
    """Return the functions of a choice, each with its carried values."""
    assert isinstance(value.ty, types.Functions)
    functions, start = {}, 1
    for function in value.ty.functions:
        count = len(part_types(function))
        functions[function] = Value(function, value.parts[start : start + count])
        start += count
    return functions


def split(items: tuple[Type, ...], parts: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """Split the parts of a tuple by item."""
    start = 0
    for item in items:
        count = len(part_types(item))
        yield parts[start : start + count]
        start += count


def tuple_items(value: Value) -> list[Value]:
    """Return the items of a tuple value."""
    assert isinstance(value.ty, Tuple)
    items = value.ty.items
    return [Value(ty, p) for ty, p in zip(items, split(items, value.parts), strict=True)]


def slice_bounds(value: Value) -> list[Value]:
    """Return the start, stop and step of a slice."""
    assert isinstance(value.ty, Span)
    bounds = value.ty.bounds
    return [Value(ty, p) for ty, p in zip(bounds, split(bounds, value.parts), strict=True)]


def make_tuple(items: list[Value]) -> Value:
    """Make a tuple value of these items."""
    ty = Tuple(tuple(item.ty for item in items))
    return Value(ty, tuple(part for item in items for part in item.parts))


@dataclass(frozen=True, slots=True)
class ArrayParts:
    """The named parts of an array value."""

    owner: str
    data: str
    shape: tuple[str, ...]
    strides: tuple[str, ...]


def array_parts(value: Value) -> ArrayParts:
    """Return the parts of an array value by name; strides that the layout fixes are constants."""
    assert isinstance(value.ty, Array)
    ndim = value.ty.ndim
    owner, data, *rest = value.parts
    # A constant stride lets LLVM vectorize the innermost loop over contiguous elements.
    strides = list(rest[ndim:])
    if ndim and value.ty.layout != "A":
        strides[-1 if value.ty.layout == "C" else 0] = str(item_size(value.ty.dtype))
    return ArrayParts(owner, data, tuple(rest[:ndim]), tuple(strides))


def array_value(ty: Array, parts: ArrayParts) -> Value:
    """Make an array value of these parts."""
    return Value(ty, (parts.owner, parts.data, *parts.shape, *parts.strides))
