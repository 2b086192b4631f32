"""The lists that comprehensions build: `[f(x) for x in a]`, as numbers in contiguous memory.

A comprehension calls `appended` for each item. Items are numbers, arrays, or lists and tuples of
numbers; the first item determines the sizes of all.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT, primitive
from cutaway.library.arrays.kit.shapes import raise_uneven, replaced
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.iteration import begin
from cutaway.lowering.arrays.elements import store_element
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value, item_size
from cutaway.lowering.layout import split as split_parts
from cutaway.typing import types
from cutaway.typing.inference.questions import appended, iterate
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Array, Collected, Tuple
from cutaway.typing.types.sequences import list_of

FIRST_ROOM = 8  # initial capacity in items


# --- the parts of a list ----------------------------------------------------------------------


def collected(room, count, sizes):
    """The list of the first `count` items in an array with spare capacity."""
    return room[: count * int(np.prod(sizes))].reshape((count, *sizes)).tolist()


def room_of(items):
    """The array under a list, with its spare capacity."""
    return np.array(items).ravel()


def sizes_of(items):
    """The sizes of the items of a list."""
    return np.shape(items)[1:]


def seen_as_array(items):
    """The memory of a list as an array."""
    return np.array(items)


def _collected_rule(arguments: Arguments) -> Signature | None:
    room, _, sizes = arguments.types
    assert isinstance(room, Array) and isinstance(sizes, Tuple)
    return Signature(Collected(room.dtype, 1 + len(sizes.items)), arguments.types)


def _list_alone(arguments: Arguments) -> Collected | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return ty if isinstance(ty, Collected) else None


def _room_rule(arguments: Arguments) -> Signature | None:
    ty = _list_alone(arguments)
    return None if ty is None else Signature(Array(ty.dtype, 1, "C"), (ty,))


def _sizes_rule(arguments: Arguments) -> Signature | None:
    ty = _list_alone(arguments)
    return None if ty is None else Signature(Tuple((types.int64,) * (ty.ndim - 1)), (ty,))


def _length_rule(arguments: Arguments) -> Signature | None:
    ty = _list_alone(arguments)
    return None if ty is None else Signature(types.int64, (ty,))


def _view_rule(arguments: Arguments) -> Signature | None:
    ty = _list_alone(arguments)
    return None if ty is None else Signature(ty.array, (ty,))


def _members(value: Value) -> list[Value]:
    """The array, the count and the sizes that a list consists of."""
    members = value.ty.inner_types
    return [
        Value(ty, parts)
        for ty, parts in zip(members, split_parts(members, value.parts), strict=True)
    ]


def _held(build: FunctionBuilder, value: Value) -> Value:
    """A value with its own reference to its memory; the owner is its first part."""
    build.call("void", "cutaway_incref", [("ptr", value.parts[0])])
    return value


@primitive(collected, _collected_rule)
def make_collected(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Build the list of an array, a count and sizes."""
    return _held(build, Value(sig.returns, tuple(part for arg in args for part in arg.parts)))


@primitive(room_of, _room_rule)
def lower_room_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Return the array under a list."""
    return _held(build, _members(args[0])[0])


@primitive(sizes_of, _sizes_rule)
def lower_sizes_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Return the sizes of the items."""
    return _members(args[0])[2]


@primitive(len, _length_rule)
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(items)`."""
    return _members(args[0])[1]


@primitive(seen_as_array, _view_rule)
def lower_seen_as_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Return the list as an array that shares its memory."""
    assert isinstance(sig.returns, Array)
    return _held(build, _as_array(build, args[0], sig.returns))


def _as_array(build: FunctionBuilder, items: Value, ty: Array) -> Value:
    room, count, sizes = _members(items)
    parts = array_parts(room)
    strides = [str(item_size(ty.dtype))]
    for size in reversed(sizes.parts):
        strides.insert(0, build.binary("mul", "i64", strides[0], size))
    shape = (count.parts[0], *sizes.parts)
    return array_value(ty, ArrayParts(parts.owner, parts.data, shape, tuple(strides)))


# --- appending --------------------------------------------------------------------------------


@overload(appended, jit_options=OPTIONS)
def _appended(items, item):
    if list_of(item) is not items or types.is_number(item):
        return None
    if isinstance(item, Collected):
        return lambda items, item: _another_row(items, seen_as_array(item), sizes_of(item))
    return lambda items, item: _row_of(items, np.ascontiguousarray(item))


def _number_rule(arguments: Arguments) -> Signature | None:
    items, item = arguments.types
    fits = types.is_number(item) and list_of(item) is items
    return Signature(items, arguments.types) if fits else None


def _one_more(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Append a number, in the same memory if there is room."""
    room, count, _ = _members(args[0])
    parts, ty = array_parts(room), room.ty
    assert isinstance(ty, Array)
    itemsize = item_size(ty.dtype)
    grow, fits, done = (build.new_label(name) for name in ("grow", "fits", "grown"))
    full = build.compare("eq", "i64", count.parts[0], parts.shape[0])
    build.branch(full, grow, fits, FIRST_COLD)
    build.start(grow)
    twice = build.binary("shl", "i64", parts.shape[0], "1")
    size = build.select(build.compare("eq", "i64", twice, "0"), "i64", str(FIRST_ROOM), twice)
    larger = array_parts(allocate(build, ty, (size,), zeroed=False))
    used = build.binary("mul", "i64", count.parts[0], str(itemsize))
    operands = [("ptr", larger.data), ("ptr", parts.data), ("i64", used), ("i1", "false")]
    build.call("void", "llvm.memcpy.p0.p0.i64", operands)
    moved = build.block
    build.jump(done)
    build.start(fits)
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    stayed = build.block
    build.jump(done)
    build.start(done)
    choices = (
        ("ptr", larger.owner, parts.owner),
        ("ptr", larger.data, parts.data),
        ("i64", size, parts.shape[0]),
    )
    owner, data, size = (
        build.phi(kind, [(new, moved), (old, stayed)]) for kind, new, old in choices
    )
    place = build.binary("mul", "i64", count.parts[0], str(itemsize))
    store_element(build, ty, args[1], build.offset(data, place))
    more = build.binary("add", "i64", count.parts[0], "1")
    return Value(sig.returns, (owner, data, size, str(itemsize), more))


CONTEXT.add(appended, Overload(_number_rule, (), _one_more, gives_new_reference=True))


@private
def _larger(room, used, wanted):
    """A copy with doubled capacity."""
    larger = np.empty(max(2 * room.size, wanted, FIRST_ROOM), room.dtype)
    larger[:used] = room[:used]
    return larger


@private
def _row_of(items, row):
    return _another_row(items, row, row.shape[1:])


@private
def _another_row(items, row, inner):
    """The list with a row appended; `inner` are the row's sizes after the first, -1 where its own
    rows differ in length."""
    room, count, sizes = room_of(items), len(items), sizes_of(items)
    shape = (row.shape[0], *inner)
    if count == 0:
        sizes = shape
    for k in range(len(sizes)):
        if sizes[k] != shape[k] or sizes[k] < 0:
            return collected(room, count + 1, replaced(sizes, k, -1))
    used = count * row.size
    if used + row.size > room.size:
        room = _larger(room, used, used + row.size)
    room[used : used + row.size] = row.ravel()
    return collected(room, count + 1, sizes)


# --- operations on lists ----------------------------------------------------------------------


@private
def checked(items):
    """The memory of a list as an array. Raises ValueError if its rows differ in length."""
    sizes = sizes_of(items)
    for k in range(len(sizes)):
        if sizes[k] < 0:
            raise_uneven(len(items), sizes, k)
    return seen_as_array(items)


def is_flat(items: Any) -> bool:
    """True for a list of numbers."""
    return isinstance(items, Collected) and items.ndim == 1


@overload(operator.getitem, jit_options=OPTIONS)
def _getitem(items, index):
    if not is_flat(items) or not types.is_integral(index):
        return None

    def item(items, index):
        place = index + len(items) if index < 0 else index
        if place < 0 or place >= len(items):
            raise IndexError("list index out of range")
        return seen_as_array(items)[place]

    return item


def _iterate_rule(arguments: Arguments) -> Signature | None:
    ty = _list_alone(arguments)
    iterator = None if ty is None else ty.array.iterator()
    return None if ty is None or iterator is None else Signature(iterator, (ty,))


@primitive(iterate, _iterate_rule)
def lower_iterate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Begin the iteration of a list, as of its array."""
    assert isinstance(args[0].ty, Collected)
    return begin(build, _as_array(build, args[0], args[0].ty.array))
