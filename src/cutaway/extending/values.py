"""Values of llvmlite.ir as extensions see them, and the parts and slots that they consist of.

In our own code a value is its parts, side by side.  An extension sees one LLVM value: a number as
itself, a tuple as an array or struct of its items, a struct model as a struct of its members, any
other value of several parts as a struct of those.  A value without parts is a null pointer.

Pointers are typed for them, as for extensions of the reference: generic ones point to bytes. LLVM
itself has opaque pointers only, and so does our own code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from llvmlite import ir

from cutaway.lowering.layout import is_extension, item_size, part_types, slot_types
from cutaway.lowering.models import MachineType, representation
from cutaway.typing.types import Boolean, Complex, FixedString, Record, Tuple, Type
from cutaway.typing.types.kinds import CPointer, EphemeralPointer

POINTER = ir.PointerType()  # in our own code, and in functions that take any
BYTES = ir.IntType(8).as_pointer()
_PLAIN = {"ptr": BYTES, "half": ir.HalfType(), "float": ir.FloatType(), "double": ir.DoubleType()}

# The pointee types of extensions' pointer models, by their text.
POINTERS: dict[str, ir.Type] = {}


@cache
def part(text: str) -> ir.Type:
    """Return the type of a part by its LLVM text."""
    return _PLAIN.get(text) or ir.IntType(int(text[1:]))


def value_type(ty: Type) -> ir.Type:
    """Return the LLVM type of a value as an extension sees it."""
    members = _members(ty)
    if members is not None:
        kinds = [value_type(member) for member in members]
        uniform = isinstance(ty, Tuple) and ty.uniform is not None
        return ir.ArrayType(kinds[0], len(kinds)) if uniform else ir.LiteralStructType(kinds)
    if is_extension(ty):
        return value_type(representation(ty))
    if isinstance(ty, CPointer):
        return data_type(ty.dtype).as_pointer(ty.addrspace or 0)
    if isinstance(ty, MachineType) and ty.shown in POINTERS:
        return POINTERS[ty.shown]
    kinds = [part(text) for text in part_types(ty)]
    if isinstance(ty, Complex) or len(kinds) > 1:
        return ir.LiteralStructType(kinds)
    return kinds[0] if kinds else BYTES


def data_type(ty: Type) -> ir.Type:
    """Return the LLVM type of a value in memory: a bool takes a byte."""
    if isinstance(ty, Boolean):
        return ir.IntType(8)
    if isinstance(ty, Record | FixedString):
        return ir.ArrayType(ir.IntType(8), item_size(ty))
    return value_type(ty)


def is_pointer(kind: Any) -> bool:
    """True if an LLVM type is a pointer type."""
    return isinstance(kind, ir.PointerType)


def pointer_to(builder: ir.IRBuilder, value: ir.Value, kind: ir.Type) -> ir.Value:
    """Cast a pointer to another pointer type, which is the same to LLVM."""
    return value if str(value.type) == str(kind) else builder.bitcast(value, kind)


def _members(ty: Type) -> tuple[Type, ...] | None:
    """Return the types of a tuple's items, or of a struct's members; None for other types."""
    if is_extension(ty):
        ty = representation(ty)
    return ty.items if isinstance(ty, Tuple) else None


def to_parts(builder: ir.IRBuilder, ty: Type, value: ir.Value) -> list[ir.Value]:
    """Return the parts of a value."""
    members = _members(ty)
    if members is not None:
        items = [builder.extract_value(value, k) for k in range(len(members))]
        pairs = zip(members, items, strict=True)
        return [inner for member, item in pairs for inner in to_parts(builder, member, item)]
    if is_extension(ty):
        return to_parts(builder, representation(ty), value)
    if isinstance(ty, EphemeralPointer):
        return [ir.Constant(BYTES, None), pointer_to(builder, value, BYTES)]
    count = len(part_types(ty))
    if count > 1:
        return [builder.extract_value(value, k) for k in range(count)]
    if count and is_pointer(value.type):
        return [pointer_to(builder, value, BYTES)]
    return [value] if count else []


def from_parts(builder: ir.IRBuilder, ty: Type, parts: Sequence[ir.Value]) -> ir.Value:
    """Return the value of these parts."""
    members = _members(ty)
    if members is not None:
        items, start = [], 0
        for member in members:
            count = len(part_types(member))
            items.append(from_parts(builder, member, parts[start : start + count]))
            start += count
        return aggregate(builder, value_type(ty), items)
    if is_extension(ty):
        return from_parts(builder, representation(ty), parts)
    if isinstance(ty, EphemeralPointer):
        return pointer_to(builder, parts[1], value_type(ty))
    if len(parts) > 1:
        return aggregate(builder, value_type(ty), parts)
    if parts and is_pointer(parts[0].type):
        return pointer_to(builder, parts[0], value_type(ty))
    return parts[0] if parts else ir.Constant(BYTES, None)


def ephemeral_places(ty: Type, start: int = 0) -> list[tuple[int, Type]]:
    """Return the positions of the parts that are addresses of iterator states, with their types."""
    members = _members(ty)
    if members is None:
        if is_extension(ty):
            return ephemeral_places(representation(ty), start)
        return [(start + 1, ty.dtype)] if isinstance(ty, EphemeralPointer) else []
    found = []
    for member in members:
        found += ephemeral_places(member, start)
        start += len(part_types(member))
    return found


def aggregate(builder: ir.IRBuilder, kind: ir.Type, items: Sequence[ir.Value]) -> ir.Value:
    """Make a struct or array of these items."""
    value = ir.Constant(kind, ir.Undefined)
    for k, item in enumerate(items):
        value = builder.insert_value(value, item, k)
    return value


def text_constant(module: ir.Module, text: str) -> ir.Value:
    """Return the address of a constant C string, in a module."""
    data = bytearray(text.encode() + b"\0")
    constant = ir.Constant(ir.ArrayType(ir.IntType(8), len(data)), data)
    name = f"{module.name}.text.{len(module.globals)}"
    held = ir.GlobalVariable(module, constant.type, name)
    held.linkage, held.global_constant, held.initializer = "private", True, constant
    return held.bitcast(BYTES)


def store_slots(builder: ir.IRBuilder, ty: Type, value: ir.Value, pointer: ir.Value) -> None:
    """Write a value into the slots at a pointer."""
    store_parts(builder, ty, to_parts(builder, ty, value), pointer)


def store_parts(
    builder: ir.IRBuilder, ty: Type, parts: Sequence[ir.Value], pointer: ir.Value
) -> None:
    """Write the parts of a value into the slots at a pointer."""
    for k, ((_, signed), one) in enumerate(zip(slot_types(ty), parts, strict=True)):
        if isinstance(one.type, ir.IntType) and one.type.width < 64:
            one = (builder.sext if signed else builder.zext)(one, ir.IntType(64))
        builder.store(one, slot(builder, pointer, k), align=8)


def load_slots(builder: ir.IRBuilder, ty: Type, pointer: ir.Value) -> ir.Value:
    """Read a value from the slots at a pointer."""
    return from_parts(builder, ty, load_parts(builder, ty, pointer))


def load_parts(builder: ir.IRBuilder, ty: Type, pointer: ir.Value) -> list[ir.Value]:
    """Read the parts of a value from the slots at a pointer."""
    parts = []
    for k, text in enumerate(part_types(ty)):
        kind = part(text)
        narrow = isinstance(kind, ir.IntType) and kind.width < 64
        wide = ir.IntType(64) if narrow else kind
        loaded = builder.load(slot(builder, pointer, k), align=8, typ=wide)
        parts.append(builder.trunc(loaded, kind) if narrow else loaded)
    return parts


def alloca_at_entry(builder: ir.IRBuilder, kind: ir.Type, count: int) -> ir.Value:
    """Allocate stack memory for at least one value in the entry block, as a generic pointer."""
    with builder.goto_entry_block():
        memory = builder.alloca(kind, ir.Constant(ir.IntType(32), max(count, 1)))
    memory.type = POINTER  # llvmlite.ir remembers the allocated type, and checks it
    memory.align = 8
    return memory


def slot(builder: ir.IRBuilder, pointer: ir.Value, number: int) -> ir.Value:
    """Return the address of a slot."""
    if not number:
        return pointer
    offset = ir.Constant(ir.IntType(64), number)
    return builder.gep(pointer, [offset], inbounds=True, source_etype=ir.IntType(64))
