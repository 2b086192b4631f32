"""The types of values that expose their memory: bytes, bytearray, memoryview, array.array.

Their items are Python numbers, independently of the width in memory: an item that is read is
an int64 (uint64 for unsigned 64 bits), a float64 or a bool.
"""

from __future__ import annotations

import array
import ctypes
import struct
from collections.abc import Iterable
from typing import Any

from cutaway.typing import types
from cutaway.typing.types import Array, Tuple, Type, primitives
from cutaway.typing.types.base import Typeof
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, promoted
from cutaway.typing.types.texts import is_written

# The type of an item in memory, by its format in the struct module's notation.
FORMATS: dict[str, Type] = {
    "b": types.int8,
    "B": types.uint8,
    "h": types.int16,
    "H": types.uint16,
    "i": types.int32,
    "I": types.uint32,
    "l": types.int64,
    "L": types.uint64,
    "q": types.int64,
    "Q": types.uint64,
    "n": types.int64,
    "N": types.uint64,
    "f": types.float32,
    "d": types.float64,
    "?": types.boolean,
}
CLASSES = (bytes, bytearray, memoryview, array.array)
_LETTERS = {bytes: b"b", bytearray: b"a", memoryview: b"m", array.array: b"r"}


class Buffer(types.BufferType):
    """A value of one of `CLASSES`, with the format and layout of its items."""

    __slots__ = ("cls", "format", "ndim", "layout", "readonly")
    passable = may_be_none = can_be_written = True
    python_classes = CLASSES

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Buffer | None:
        """Return the type of a buffer; None for one that compiled code cannot read."""
        kind = type(value)
        if kind is bytes:
            return bytes_type
        if kind is bytearray:
            return bytearray_type
        if kind is array.array:
            return array_type(value.typecode)
        if untyped_reason(value) is not None:
            return None
        layout = "C" if value.c_contiguous else "F" if value.f_contiguous else "A"
        return memoryview_type(value.format.removeprefix("@"), value.ndim, layout, value.readonly)

    def __init__(self, cls: type, format: str, ndim: int, layout: str, readonly: bool) -> None:
        self.cls = cls
        self.format = format
        self.ndim = ndim
        self.layout = layout
        self.readonly = readonly
        if cls is memoryview:
            extra = ", readonly" if readonly else ""
            self.name = f"memoryview({format!r}, {ndim}d, {layout}{extra})"
        else:
            self.name = f"array.array({format!r})" if cls is array.array else cls.__name__

    def members(self) -> primitives.Members:
        return self.array.members()

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("buffer", self))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        text = _LETTERS[self.cls] + self.format.encode() + bytes([self.ndim])
        return b"B" + text + self.layout.encode() + bytes([self.readonly])

    @property
    def value_class(self) -> type:
        return self.cls

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        if self.cls is not bytes:
            return None
        return None, primitives.Frozen(value), (len(value),), (1,)

    def put_together(self, items: Iterable[Any]) -> Any:
        owner, data, shape, _ = items
        if owner & 1:  # it is a Python object
            return ctypes.cast(owner & ~1, ctypes.py_object).value
        return ctypes.string_at(data, shape[0])

    def sample(self) -> Any:
        if self.cls is memoryview:
            return memoryview(bytes(8)).cast(self.format)
        return array.array(self.format, [1]) if self.cls is array.array else self.cls(b"a")

    def iterator(self) -> Type | None:
        return types.Iterator(self, self.item) if self.ndim == 1 else None

    @property
    def mutable(self) -> bool:  # some classes have an attribute instead
        """True if items can be assigned to."""
        return not self.readonly

    @property
    def item(self) -> Type:
        """The type of an item after it is read."""
        stored = FORMATS[self.format]
        if isinstance(stored, types.Float):
            return types.float64
        if isinstance(stored, types.Integer):
            return types.uint64 if stored is types.uint64 else types.int64
        return stored

    @property
    def array(self) -> Array:
        """The type of an array of the same memory; a memoryview's items may be unaligned."""
        aligned = self.cls is not memoryview
        return Array(FORMATS[self.format], self.ndim, self.layout, self.readonly, aligned)

    @property
    def shape(self) -> Tuple:
        """The type of its shape, and of its strides."""
        return Tuple((types.int64,) * self.ndim)


bytes_type = Buffer(bytes, "B", 1, "C", True)
types.CharSeq.taken = bytes_type
bytearray_type = Buffer(bytearray, "B", 1, "C", False)


def array_type(typecode: str) -> Buffer | None:
    """Return the type of an `array.array`; None for one of characters."""
    return Buffer(array.array, typecode, 1, "C", False) if typecode in FORMATS else None


def memoryview_type(format: str, ndim: int, layout: str, readonly: bool) -> Buffer:
    """Return the type of a memoryview."""
    return Buffer(memoryview, format, ndim, layout, readonly)


def untyped_reason(view: memoryview[Any]) -> tuple[str, str] | None:
    """Return the reason why a memoryview has no type, and what to pass instead; None if it has
    one."""
    try:
        format = view.format.removeprefix("@")
    except ValueError:
        return "a released memoryview", "pass it before it is released"
    if format not in FORMATS or view.itemsize != struct.calcsize(format):
        hint = "use view.cast('B') for its bytes"
        return f"a memoryview of format {view.format!r}", hint
    if not view.ndim:
        return "a memoryview without dimensions", "pass view[()]"
    if view.suboffsets:
        return "a memoryview of pointers to its rows", "pass np.array(view)"
    return None


_WRITTEN = (types.String, types.Choice)


@CONVERSIONS.add(_WRITTEN, Buffer)
def _to_bytes(source: Type, wanted: Type) -> Conversion:
    return promoted(wanted is bytes_type and is_written(source, bytes))


@UNIONS.add_both(Buffer, _WRITTEN)
def _unify_bytes(first: Type, second: Type) -> Type | None:
    return first if first is bytes_type and is_written(second, bytes) else None
