"""Data models: the parts of a value of each type, in LLVM and in slots.

In LLVM a value is a flat tuple of first-class *parts*: an array is its owner, data pointer, shape
and strides as separate values, never a struct in memory, so that the optimizer need not take it
apart again.  Between the dispatcher and compiled code, and for results, a value travels as 8-byte
*slots*.  All of it derives from the members of the type.
"""

from __future__ import annotations

from functools import cache

from cutaway.foundation.dataclass import dataclass
from cutaway.lowering import models
from cutaway.typing import types
from cutaway.typing.types import Boolean, Float, Type, primitives
from cutaway.typing.types.structure import (
    REPRESENTATIONS,
    forget_structures,
    leaves,
    members_of,
    owners,
)

# The positions of a value's parts that own memory.
owner_positions = owners


@dataclass(frozen=True, slots=True)
class Value:
    """A value while lowering: its type and the LLVM text of each of its parts."""

    ty: Type
    parts: tuple[str, ...]


@cache
def part_types(ty: Type) -> tuple[str, ...]:
    """Return the LLVM types of the parts of a value.

    Raises ExtensionError for a type without a data model.
    """
    kinds = []
    for leaf in leaves(ty):
        if isinstance(leaf, primitives.Unknown):
            raise models.no_model(leaf.ty)
        if not isinstance(leaf, primitives.Known):
            kinds.append(leaf.llvm)
    return tuple(kinds)


def float_type(ty: Float) -> str:
    """Return the LLVM type of a float."""
    return part_types(ty)[0]


@cache
def memory_type(ty: Type) -> str:
    """Return the LLVM type of a number as an array element."""
    return "i8" if isinstance(ty, Boolean) else part_types(ty)[0]


def item_size(ty: Type) -> int:
    """Return the size in bytes of a number as an array element."""
    return types.to_dtype(ty).itemsize


def zero(llvm_type: str) -> str:
    """Return the zero of an LLVM type."""
    if llvm_type == "ptr":
        return "null"
    if llvm_type == "i1":
        return "false"
    return "0.0" if llvm_type in ("half", "float", "double") else "0"


def zero_value(ty: Type) -> Value:
    """Return a value whose parts are all zero, such as that of an undefined variable."""
    return Value(ty, tuple(map(zero, part_types(ty))))


@cache
def is_extension(ty: Type) -> bool:
    """True if an extension defines the data model of a type."""
    return any(cls in REPRESENTATIONS for cls in type(ty).__mro__)


def forget_layouts() -> None:
    """Clear the cached layouts: a data model was registered."""
    forget_structures()
    for cached in (part_types, slot_types, is_extension, models.representation):
        cached.cache_clear()


@cache
def slot_types(ty: Type) -> tuple[tuple[str, bool], ...]:
    """For each slot of a value: the LLVM type of its part, and whether it is signed."""
    part_types(ty)  # raises if there are none
    return tuple(
        ("i64", True) if isinstance(leaf, primitives.Known) else (leaf.llvm, leaf.signed)
        for leaf in leaves(ty)
        if not isinstance(leaf, primitives.Unknown)
    )


def slot_parts(value: Value) -> tuple[str, ...]:
    """Return the parts of a value, one per slot; values fixed by the type get a slot too."""
    parts = iter(value.parts)
    return tuple(
        str(leaf.value) if isinstance(leaf, primitives.Known) else next(parts)
        for leaf in leaves(value.ty)
    )


def without_known(ty: Type, slots: list[str]) -> Value:
    """Return the value in these slots, without those that the type fixes, which have no parts."""
    pairs = zip(leaves(ty), slots, strict=True)
    return Value(ty, tuple(text for leaf, text in pairs if not isinstance(leaf, primitives.Known)))


# The offset of the data of memory that compiled code allocates from its record: CUTAWAY_META_BYTES
# of runtime/cutaway_runtime.h.
META_BYTES = 64

# Where a list's header has its fields (runtime/lists.h), in bytes from the list's owner.
ITEMS, SIZE, CAPACITY, ITEM_BYTES, OWNERS = range(META_BYTES, META_BYTES + 40, 8)


MOST, LIST_CHANGES = META_BYTES + 72, META_BYTES + 80  # of a deque


def item_bytes(item: Type) -> int:
    """Return the size of an item in memory."""
    return item_size(item) if types.is_number(item) else 8 * len(slot_types(item))


def owner_bits(item: Type) -> int:
    """Return a word with a bit for each slot of an item that owns memory."""
    if types.is_number(item):
        return 0
    slots = enumerate(leaves(item))
    return sum(1 << k for k, leaf in slots if isinstance(leaf, primitives.Owner))


def part_names(ty: Type, stem: str) -> list[str]:
    """Readable names for the parts of a parameter: `arg.a.data`, `arg.a.shape.0`."""
    match ty:
        case types.Array(ndim=ndim):
            axes = [f"{stem}.{what}.{k}" for what in ("shape", "strides") for k in range(ndim)]
            return [f"{stem}.owner", f"{stem}.data", *axes]
        case types.Tuple(items=items):
            return [n for k, item in enumerate(items) for n in part_names(item, f"{stem}.{k}")]
    count = len(part_types(ty))
    return [stem] if count == 1 else [f"{stem}.{k}" for k in range(count)]


def key_fields(key: Type) -> str:
    """Return a letter for each field of a key, by which the runtime compares keys (tables.h)."""
    match key:
        case types.Str():
            return "t"
        case types.FrozenSet():
            return "q"
        case types.OpenTuple(item=item):
            inner = key_fields(item)
            if not types.is_number(item):
                return f"l({inner})"
            return {"f": "ld", "ff": "ld", "s": "le", "ss": "le"}.get(inner, "lb")
    letters = ""
    for _, member in members_of(key) or ():
        match member:
            case Type():
                letters += key_fields(member)
            case primitives.Word("double"):
                letters += "f"
            case primitives.Word("float"):
                letters += "s"
            case _:
                letters += "w"
    return letters
