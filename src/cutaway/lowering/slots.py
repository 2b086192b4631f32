"""Values in slots: how results leave compiled code and arguments come in (8 bytes a slot)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from typing import Any

from cutaway.errors import InternalError
from cutaway.lowering.build.builder import Builder
from cutaway.lowering.layout import Value, slot_parts, slot_types, without_known
from cutaway.typing import types
from cutaway.typing.types import Tuple, Type
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.enums import EnumMember


def store_slots(build: Builder, value: Value, pointer: str) -> None:
    """Write a value into the slots behind a pointer."""
    pairs = zip(slot_types(value.ty), slot_parts(value), strict=True)
    for number, ((kind, signed), part) in enumerate(pairs):
        where = build.offset(pointer, str(8 * number))
        if kind.startswith("i") and kind != "i64":
            part = build.convert("sext" if signed else "zext", kind, part, "i64")
            kind = "i64"
        build.store(kind, part, where, 8)


def load_slots(build: Builder, ty: Type, pointer: str, first: int = 0) -> Value:
    """Read a value from the slots behind a pointer, starting at slot `first`."""
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
    """The Python values that slots hold: what a computed argument of an exception is made of.

    (Any: values of the program.)
    """
    slots = iter([data[k : k + 8] for k in range(0, len(data), 8)])
    return tuple(_value(ty, slots) for ty in kinds)


def _value(ty: Type, slots: Iterator[bytes]) -> Any:  # Any: a value of the program
    match ty:
        case types.Boolean():
            return bool(next(slots)[0])
        case types.Integer(signed=signed):
            return int.from_bytes(next(slots), "little", signed=signed)
        case types.Float(bits=bits):
            return struct.unpack("<d" if bits == 64 else "<f4x", next(slots))[0]
        case types.Complex(part=part):
            return complex(_value(part, slots), _value(part, slots))
        case types.NoneType() | types.Undefined():
            return None
        case types.Text():
            return ty.written([_value(item, slots) for item in ty.items])
        case types.Range():
            return range(*(_value(types.int64, slots) for _ in range(3)))
        case Tuple(items=items):
            return ty.made([_value(item, slots) for item in items])
        case (
            types.Choice(values=values) | types.Functions(values=values) | EnumMember(values=values)
        ):
            return values[int.from_bytes(next(slots), "little")]
        case types.Str() | Buffer():
            return _held_object(ty, [next(slots) for _ in slot_types(ty)])
        case types.Optional(inner=inner):
            there = next(slots)[0]
            held = _value(inner, slots)
            return held if there else None
        case types.Constant() | types.Omitted():
            return ty.value
    raise InternalError(f"a value of type {ty} cannot be an exception's argument")


def _held_object(ty: Type, slots: list[bytes]) -> Any:  # Any: a str or a buffer
    """The object that a text or buffer came from, or a new one of what compiled code holds."""
    owner, data, length, *rest = (int.from_bytes(slot, "little") for slot in slots)
    if owner:
        return ctypes.cast(owner & ~1, ctypes.py_object).value
    if isinstance(ty, Buffer):
        return ctypes.string_at(data, length)
    width = rest[0]
    encoding = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[width]
    return ctypes.string_at(data, length * width).decode(encoding, "surrogatepass")
