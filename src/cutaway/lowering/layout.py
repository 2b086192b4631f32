"""Data models: what a value of each type is made of, in LLVM and in slots.

In LLVM a value is a flat tuple of first-class *parts*: an array is its owner, data pointer,
shape and strides as separate values, never a struct in memory, so that nothing needs to be
taken apart again by the optimiser.  Between the dispatcher and compiled code, and for results,
a value travels as 8-byte *slots*; `descriptor` is how the C side is told about a type.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from collections.abc import Iterator as Iterable
from functools import cache
from typing import Protocol

import numpy as np

from cutaway.errors import ExtensionError, InternalError, TypingError, UnsupportedError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import place_of
from cutaway.lowering.models import (
    MachineType,
    representation,
)
from cutaway.typing import types
from cutaway.typing.types import (
    Array,
    Boolean,
    BoundMethod,
    Complex,
    Constant,
    Enumerated,
    Flat,
    Float,
    Integer,
    Iterator,
    NamedTuple,
    Omitted,
    Optional,
    Range,
    Slice,
    Tuple,
    Type,
    Zipped,
)
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.enums import EnumMember
from cutaway.typing.types.kinds import Dummy, MemInfoPointer, RawPointer
from cutaway.typing.types.representations import REPRESENTATIONS


@dataclass(frozen=True, slots=True)
class Value:
    """A value while lowering: its type and the LLVM text of each of its parts."""

    ty: Type
    parts: tuple[str, ...]


@cache
def part_types(ty: Type) -> tuple[str, ...]:
    """The LLVM types of the parts of a value."""
    match ty:
        case types.Literal():
            return ()
        case Boolean():
            return ("i1",)
        case Integer():
            return (f"i{ty.bits}",)
        case Float():
            return (float_type(ty),)
        case Complex():
            return (float_type(ty.part),) * 2
        case Tuple(items=items) | types.Text(items=items):
            return tuple(part for item in items for part in part_types(item))
        case Range(step=step):
            return ("i64",) * (3 if step is None else 2)
        case Slice(bounds=bounds):
            return tuple(part for bound in bounds for part in part_types(bound))
        case Array(ndim=ndim):
            return ("ptr", "ptr") + ("i64",) * (2 * ndim)
        case types.Choice() | types.DateTime() | types.TimeDelta() | EnumMember():
            return ("i64",)
        case types.Functions(carried=carried):
            return ("i64", *part_types(Tuple(carried)))
        case types.Str():
            return ("ptr", "ptr", "i64", "i64")
        case Buffer():
            return part_types(ty.array)
        case types.Record() | types.FixedString():
            return ("ptr", "ptr")  # the owner, and where it lies
        case types.Opaque():
            return ("ptr",)  # the object as an owner
        case Optional(inner=inner):
            return ("i1", *part_types(inner))
        case types.Closure(carried=carried):
            return tuple(part for item in carried for part in part_types(item))
        case BoundMethod(owner=owner):
            return part_types(owner)
        case Iterator(source=Range()):
            return ("ptr", "ptr", "i64", "i64")
        case Iterator(source=Array() | Flat() | Buffer()):
            return ("ptr", *part_types(ty.source))
        case Iterator(source=types.Indices(ndim=ndim)):
            return ("ptr",) + ("i64",) * ndim
        case Iterator(source=Enumerated(inner=inner)):
            return ("ptr", *part_types(inner))
        case Iterator(source=Zipped(inner=inner)):
            return tuple(part for one in inner for part in part_types(one))
        case Flat(array=array):
            return part_types(array)
        case Iterator(source=Tuple() as source):
            return ("ptr", "ptr") + ("ptr",) * len(owner_positions(source))
        case types.NoneType() | types.EllipsisType() | types.Undefined() | Omitted() | Constant():
            return ()
        case MachineType(llvm=llvm):
            return (llvm,)
        case MemInfoPointer() | RawPointer():
            return ("ptr",)
        case Dummy() if not is_extension(ty):
            return ()
    return part_types(representation(ty))


def float_type(ty: Float) -> str:
    """The LLVM type of a float."""
    return "double" if ty.bits == 64 else "float"


@cache
def memory_type(ty: Type) -> str:
    """The LLVM type of a number as an element of an array."""
    return "i8" if isinstance(ty, Boolean) else part_types(ty)[0]


def item_size(ty: Type) -> int:
    """The size in bytes of a number as an element of an array."""
    return types.to_dtype(ty).itemsize


def zero(llvm_type: str) -> str:
    """The zero of an LLVM type."""
    if llvm_type == "ptr":
        return "null"
    if llvm_type == "i1":
        return "false"
    return "0.0" if llvm_type in ("float", "double") else "0"


def functions_in(value: Value) -> dict[Type, Value]:
    """The functions of a choice, each with what it carries along."""
    assert isinstance(value.ty, types.Functions)
    found, start = {}, 1
    for function in value.ty.functions:
        count = len(part_types(function))
        found[function] = Value(function, value.parts[start : start + count])
        start += count
    return found


def zero_value(ty: Type) -> Value:
    """A value whose parts are all zero: what an undefined variable holds."""
    return Value(ty, tuple(map(zero, part_types(ty))))


@cache
def is_extension(ty: Type) -> bool:
    """Whether a type is one that an extension defines the data model of."""
    return any(cls in REPRESENTATIONS for cls in type(ty).__mro__)


def forget_layouts() -> None:
    """Ask anew for what types are made of: a data model was registered."""
    for asked in (part_types, slot_types, is_extension, representation):
        asked.cache_clear()


@cache
def slot_types(ty: Type) -> tuple[tuple[str, bool], ...]:
    """For each slot of a value: the LLVM type of its part, and whether it is signed."""
    match ty:
        case types.Literal():
            return ()
        case Integer(signed=signed):
            return ((part_types(ty)[0], signed),)
        case Tuple(items=items) | types.Text(items=items):
            return tuple(slot for item in items for slot in slot_types(item))
        case Range():
            return (("i64", True),) * 3
        case Optional(inner=inner):
            return (("i1", False), *slot_types(inner))
    if is_extension(ty):
        return slot_types(representation(ty))
    return tuple((part, False) for part in part_types(ty))


def slot_parts(value: Value) -> tuple[str, ...]:
    """The parts of a value, one a slot; a constant step of a range gets a slot too."""
    match value.ty:
        case Range(step=step) if step is not None:
            return (*value.parts, str(step))
        case Tuple(items=items) | types.Text(items=items):
            pieces = zip(items, split(items, value.parts), strict=True)
            return tuple(p for ty, parts in pieces for p in slot_parts(Value(ty, parts)))
        case Optional(inner=inner):
            return (value.parts[0], *slot_parts(Value(inner, value.parts[1:])))
    if is_extension(value.ty):
        return slot_parts(Value(representation(value.ty), value.parts))
    return value.parts


def split(items: tuple[Type, ...], parts: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The parts of a tuple, item by item."""
    start = 0
    for item in items:
        count = len(part_types(item))
        yield parts[start : start + count]
        start += count


def tuple_items(value: Value) -> list[Value]:
    """The items of a tuple value."""
    assert isinstance(value.ty, Tuple)
    items = value.ty.items
    return [Value(ty, p) for ty, p in zip(items, split(items, value.parts), strict=True)]


def slice_bounds(value: Value) -> list[Value]:
    """Start, stop and step of a slice."""
    assert isinstance(value.ty, Slice)
    bounds = value.ty.bounds
    return [Value(ty, p) for ty, p in zip(bounds, split(bounds, value.parts), strict=True)]


def make_tuple(items: list[Value]) -> Value:
    """A tuple value of these items."""
    ty = Tuple(tuple(item.ty for item in items))
    return Value(ty, tuple(part for item in items for part in item.parts))


# How far behind its record data that compiled code allocated starts: CUTAWAY_META_BYTES of
# runtime/cutaway_runtime.h.
META_BYTES = 64


@dataclass(frozen=True, slots=True)
class ArrayParts:
    """The named parts of an array value."""

    owner: str
    data: str
    shape: tuple[str, ...]
    strides: tuple[str, ...]


def array_parts(value: Value) -> ArrayParts:
    """An array value's parts by name; strides that the layout fixes are constants."""
    assert isinstance(value.ty, Array)
    ndim = value.ty.ndim
    owner, data, *rest = value.parts
    strides = list(rest[ndim:])
    if ndim and value.ty.layout != "A":
        strides[-1 if value.ty.layout == "C" else 0] = str(item_size(value.ty.dtype))
    return ArrayParts(owner, data, tuple(rest[:ndim]), tuple(strides))


def array_value(ty: Array, parts: ArrayParts) -> Value:
    """An array value of these parts."""
    return Value(ty, (parts.owner, parts.data, *parts.shape, *parts.strides))


def owner_positions(ty: Type) -> tuple[int, ...]:
    """Which parts of a value are owners of memory."""
    match ty:
        case Array() | types.Record() | types.FixedString() | types.Opaque():
            return (0,)
        case types.Str() | Buffer():
            return (0,)
        case Tuple(items=items):
            found: list[int] = []
            start = 0
            for item in items:
                found.extend(start + k for k in owner_positions(item))
                start += len(part_types(item))
            return tuple(found)
        case types.Closure(carried=carried):
            return owner_positions(Tuple(carried))
        case types.Functions(carried=carried):
            return tuple(1 + k for k in owner_positions(Tuple(carried)))
        case BoundMethod(owner=owner):
            return owner_positions(owner)
        case Optional(inner=inner):
            return tuple(1 + k for k in owner_positions(inner))
        case Flat(array=array):
            return owner_positions(array)
        case Iterator(source=Array() | Flat() | Buffer()):
            return tuple(1 + k for k in owner_positions(ty.source))
        case Iterator(source=Enumerated(inner=inner)):
            return tuple(1 + k for k in owner_positions(inner))
        case Iterator(source=Zipped(inner=several)):
            return owner_positions(Tuple(several))
        case Iterator(source=Tuple()):
            return tuple(range(2, len(part_types(ty))))
        case MemInfoPointer():
            return (0,)
    return owner_positions(representation(ty)) if is_extension(ty) else ()


def _number_of(value: object, constants: list[object]) -> int:
    """The place of an object among the constants of a specialisation, which a byte tells."""
    for place, known in enumerate(constants):
        if known is value:
            return place
    if len(constants) > 255:
        raise TypingError("at most 256 different constants can be passed to or from Python")
    constants.append(value)
    return len(constants) - 1


def _number_of_dtype(ty: Type, constants: list[object]) -> int:
    """The place of a dtype among the constants; nobody else has the object, whose field names
    could be changed in place."""
    if isinstance(ty, types.Record):
        ty = ty.protected(False)
    known = (const for const in constants if isinstance(const, np.dtype))
    same = (const for const in known if types.element_type(const) is ty)
    return _number_of(next(same, None) or types.to_dtype(ty), constants)


_BUFFER_LETTERS = {bytes: b"b", bytearray: b"a", memoryview: b"m", array: b"r"}
_NUMBER_CODES = {"bool": b"?", "complex64": b"c8", "complex128": b"cg"}


class _Boxing(Protocol):
    constant: bytes
    library: object


# What is asked how a type is unboxed, or boxed as a result, by generated code; None for others.
BOXED: list[Callable[[Type, bool], _Boxing | None]] = []


def descriptor(ty: Type, constants: list[object], result: bool = False) -> bytes:
    """The type in the dispatcher's descriptor language (runtime header); objects that it refers
    to are appended to `constants`.  An extension may say otherwise for a `result`.

    Raises InternalError for a type whose values cannot cross the boundary.
    """
    for boxed in BOXED:
        found = boxed(ty, result)
        if found is not None:
            count = len(slot_types(ty))
            number = _number_of_boxing(found, constants)
            return b"Z" + bytes([number, count & 255, count >> 8])
    return _plain_descriptor(ty, constants, result)


def _number_of_boxing(found: _Boxing, constants: list[object]) -> int:
    """The place of what generated code does, and behind it what keeps that loaded."""
    for place, known in enumerate(constants):
        if known is found.constant:
            return place
    number = _number_of(found.constant, constants)
    _number_of(found.library, constants)
    return number


def _plain_descriptor(ty: Type, constants: list[object], result: bool) -> bytes:
    match ty:
        case types.Literal():
            return b"L" + bytes([_number_of(ty.literal_value, constants)])
        case Integer():
            return f"{'i' if ty.signed else 'u'}{ty.bits // 8}".encode()
        case Float():
            return f"f{ty.bits // 8}".encode()
        case Boolean() | Complex():
            return _NUMBER_CODES[ty.name]
        case types.NoneType():
            return b"N"
        case Omitted():
            return b"O"
        case Range():
            return b"R"
        case NamedTuple(items=items, cls=cls):
            head = b"T" + bytes([_number_of(cls, constants)])
            return head + b"".join(descriptor(item, constants, result) for item in items) + b")"
        case Optional(inner=inner):
            return b"M" + descriptor(inner, constants, result)
        case (
            types.Choice(values=objects)
            | types.Functions(values=objects)
            | EnumMember(members=objects)
        ):
            return b"E" + bytes([_number_of(objects, constants)])
        case types.Str():
            return b"U"
        case Buffer():
            return (
                b"B"
                + _BUFFER_LETTERS[ty.cls]
                + ty.format.encode()
                + bytes([ty.ndim])
                + ty.layout.encode()
                + bytes([ty.readonly])
            )
        case Slice(start=start, stop=stop, step=step):
            given = (part is not types.none for part in (start, stop, step))
            return b"S" + bytes([sum(1 << k for k, there in enumerate(given) if there)])
        case Tuple(items=items):
            return b"(" + b"".join(descriptor(item, constants, result) for item in items) + b")"
        case types.DateTime() | types.TimeDelta():
            return b"D" + bytes([_number_of_dtype(ty, constants)])
        case types.Record(readonly=readonly):
            return b"V" + bytes([_number_of_dtype(ty, constants), readonly])
        case types.Opaque(cls=cls):
            return b"X" + bytes([_number_of(cls, constants)])
        case types.DType(value=value) if types.element_type(value) is not None:
            element = types.element_type(value)
            assert element is not None
            return b"Y" + bytes([_number_of_dtype(element, constants)])
        case Array() if types.has_other_elements(ty):
            flags = ty.readonly + 2 * (not ty.aligned)
            number = _number_of_dtype(ty.dtype, constants)
            return b"G" + bytes([number, ty.ndim]) + ty.layout.encode() + bytes([flags])
        case Array():
            number = types.to_dtype(ty.dtype).num
            flags = ty.readonly + 2 * (not ty.aligned)
            return b"A" + bytes([number, ty.ndim]) + ty.layout.encode() + bytes([flags])
        case Constant():
            return b"K" + bytes([_number_of(ty.value, constants)])
        case types.EllipsisType():
            return b"K" + bytes([_number_of(..., constants)])
    if is_extension(ty):
        raise ExtensionError(
            f"a value of type {ty} cannot be passed {'to' if result else 'from'} Python",
            place_of(type(ty)),
            f"register how: @{'box' if result else 'unbox'}({type(ty).__name__})",
        )
    if isinstance(ty, RawPointer | MemInfoPointer):
        raise UnsupportedError(
            f"a value of type {ty} cannot be passed {'to' if result else 'from'} Python",
            hint="pass the address as an integer",
        )
    raise InternalError(f"a value of type {ty} cannot be passed to or from Python")
