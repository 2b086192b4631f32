"""Values in slots: how results leave compiled code and arguments enter it (8 bytes per slot)."""

from __future__ import annotations

import ctypes
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from cutaway.errors import InternalError
from cutaway.lowering.build.builder import Builder
from cutaway.lowering.layout import (
    ITEMS,
    META_BYTES,
    MOST,
    Value,
    item_bytes,
    slot_parts,
    slot_types,
    without_known,
)
from cutaway.typing.types import Container, Deque, ListLike, Type, is_number, primitives
from cutaway.typing.types.elements import to_dtype
from cutaway.typing.types.structure import leaves, members_of


def store_slots(build: Builder, value: Value, pointer: str) -> None:
    """Store a value into the slots at a pointer."""
    pairs = zip(slot_types(value.ty), slot_parts(value), strict=True)
    for number, ((kind, signed), part) in enumerate(pairs):
        where = build.offset(pointer, str(8 * number))
        # The C side reads and writes whole slots.
        if kind.startswith("i") and kind != "i64":
            part = build.convert("sext" if signed else "zext", kind, part, "i64")
            kind = "i64"
        build.store(kind, part, where, 8)


def load_slots(build: Builder, ty: Type, pointer: str, first: int = 0) -> Value:
    """Load a value from the slots at a pointer, starting at slot `first`."""
    parts = []
    for number, (kind, _) in enumerate(slot_types(ty), first):
        where = build.offset(pointer, str(8 * number))
        if kind.startswith("i") and kind != "i64":
            wide = build.load("i64", where, 8)
            parts.append(build.convert("trunc", "i64", wide, kind))
        else:
            parts.append(build.load(kind, where, 8))
    return without_known(ty, parts)


def values_from_slots(kinds: tuple[Type, ...], data: bytes) -> tuple[Any, ...]:
    """Return the Python values in slots, to make the computed arguments of an exception."""
    slots = iter([data[k : k + 8] for k in range(0, len(data), 8)])
    return tuple(_value(ty, slots) for ty in kinds)


def owners_in_slots(kinds: tuple[Type, ...], data: bytes) -> list[int]:
    """Return the owners of memory among the slots of such values."""
    all_leaves = [leaf for ty in kinds for leaf in leaves(ty)]
    slots = struct.unpack_from(f"<{len(all_leaves)}Q", data)
    return [
        slot
        for leaf, slot in zip(all_leaves, slots, strict=True)
        if isinstance(leaf, primitives.Owner)
    ]


def _value(ty: Type, slots: Iterator[bytes]) -> Any:
    if isinstance(ty, Container):
        owner = int.from_bytes(next(slots), "little")
        if not isinstance(ty, ListLike):
            return _table(ty, owner)
        items = _list(ty.item, owner)
        if not isinstance(ty, Deque):
            return ty.value_class(items)
        (most,) = struct.unpack("<q", ctypes.string_at(owner + MOST, 8))
        return deque(items, None if most < 0 else most)
    members = members_of(ty)
    if members is None:
        raise InternalError(f"a value of type {ty} cannot be an exception's argument")
    items = [_member(member, slots) for _, member in members]
    try:
        return ty.put_together(items)
    except LookupError:
        raise InternalError(f"a value of type {ty} cannot be an exception's argument") from None


def _list(item: Type, owner: int) -> list[Any]:
    """The list of Python with the items of one of compiled code."""
    return _items(item, *struct.unpack("<qq", ctypes.string_at(owner + ITEMS, 16)))


def _items(item: Type, data: int, size: int) -> list[Any]:
    memory = ctypes.string_at(data, size * item_bytes(item)) if size else b""
    if is_number(item):
        made: list[Any] = np.frombuffer(memory, to_dtype(item)).tolist()
        return made
    slots = iter([memory[k : k + 8] for k in range(0, len(memory), 8)])
    return [_value(item, slots) for _ in range(size)]


def _table(ty: Container, owner: int) -> Any:
    """The set or dict of Python with the entries of a table of compiled code (tables.h)."""
    entries, _, used, _, hashes = struct.unpack("<5q", ctypes.string_at(owner + META_BYTES, 40))
    key, *value = ty.contents
    width = len(leaves(key))
    size = 8 * width + (item_bytes(value[0]) + 7) // 8 * 8 if value else 8 * width
    made: list[Any] = []
    for k in range(used):
        if any(ctypes.string_at(hashes + 8 * k, 8)):
            where = entries + k * size
            words = iter([ctypes.string_at(where + 8 * n, 8) for n in range(width)])
            one = _value(key, words)
            made.append((one, _items(value[0], where + 8 * width, 1)[0]) if value else one)
    assert ty.value_class is not None
    return ty.value_class(made)


def _member(member: primitives.Member, slots: Iterator[bytes]) -> Any:
    match member:
        case Type():
            return _value(member, slots)
        case primitives.Repeated(inner, count):
            return tuple(_member(inner, slots) for _ in range(count))
        case primitives.Known(value):
            next(slots)
            return value
        case primitives.Word("i1"):
            return bool(next(slots)[0])
        case primitives.Word("double"):
            return struct.unpack("<d", next(slots))[0]
        case primitives.Word("float"):
            return struct.unpack("<f4x", next(slots))[0]
        case primitives.Word("half"):
            return struct.unpack("<e6x", next(slots))[0]
    return int.from_bytes(next(slots), "little", signed=member.signed)
