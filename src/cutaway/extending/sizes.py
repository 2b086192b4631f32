"""The sizes of LLVM types on the current machine, equal to those of a 64-bit C compiler."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from cutaway.errors import ExtensionError


def size_of(kind: ir.Type) -> int:
    """Return the size of an LLVM type in bytes, with the padding of structs.  Raises ExtensionError
    if it has none."""
    return _size_and_alignment(kind)[0]


def alignment_of(kind: ir.Type) -> int:
    """Return the alignment of an LLVM type in bytes.  Raises ExtensionError if it has none."""
    return _size_and_alignment(kind)[1]


def pointee(pointer: Any) -> ir.Type:
    """Return the type that a pointer, a value or a type, points to.

    Raises ExtensionError for anything but a pointer, and for a generic pointer.
    """
    kind = pointer if isinstance(pointer, ir.Type) else getattr(pointer, "type", None)
    if not isinstance(kind, ir.PointerType):
        raise ExtensionError(f"expected a pointer, not {pointer}")
    target = getattr(kind, "pointee", None)
    if target is None:
        raise ExtensionError(
            "the type that this pointer points to is unknown",
            hint="use builder.bitcast(pointer, kind.as_pointer())",
        )
    return target


def _size_and_alignment(kind: ir.Type) -> tuple[int, int]:
    match kind:
        case ir.IntType(width=width):
            size = max(1, 1 << (width - 1).bit_length()) // 8 or 1
            return size, min(size, 16)
        case ir.HalfType():
            return 2, 2
        case ir.FloatType():
            return 4, 4
        case ir.DoubleType() | ir.PointerType():
            return 8, 8
        case ir.ArrayType(element=element, count=count):
            size, alignment = _size_and_alignment(element)
            return size * count, alignment
        case ir.BaseStructType(elements=elements) if elements is not None:
            return _struct_size(elements, bool(getattr(kind, "packed", False)))
    raise ExtensionError(f"the size of LLVM type {kind} is unknown")


def _struct_size(elements: tuple[ir.Type, ...], packed: bool) -> tuple[int, int]:
    end, largest = 0, 1
    for element in elements:
        size, alignment = _size_and_alignment(element)
        alignment = 1 if packed else alignment
        end = -(-end // alignment) * alignment + size
        largest = max(largest, alignment)
    return -(-end // largest) * largest, largest
