"""The types of array elements other than numbers: times, fixed-length strings, records; and the
dtypes of all element types."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cutaway.typing.types import primitives
from cutaway.typing.types.base import Type, in_place
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, promoted
from cutaway.typing.types.numbers import BY_DTYPE


class Dated(Type):
    """A count of units of time, as in NumPy; each is `multiple` times `unit`."""

    __slots__ = ("unit", "multiple")
    arity = 2
    trailing = (1,)
    adapts = True
    kind: ClassVar[str]

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Replace an empty unit by the generic one, as in Numba."""
        (unit, *rest) = (*args, *in_place(cls, args, named))
        return cls, (unit or "generic", *rest)

    def __init__(self, unit: str, multiple: int) -> None:
        self.unit = unit
        self.multiple = multiple
        step = f"{multiple if multiple > 1 else ''}{unit}"
        self.name = self.kind if unit == "generic" else f"{self.kind}[{step}]"

    def members(self) -> primitives.Members:
        return (("count", primitives.COUNT),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"D" + cross.dtype(self)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (int(value.view(np.int64)),)

    can_be_written = True

    def put_together(self, items: Iterable[Any]) -> Any:
        assert self.value_class is not None
        (count,) = items
        return self.value_class(count, (self.unit, self.multiple))

    def sample(self) -> Any:
        assert self.value_class is not None
        return self.value_class(1, (self.unit, self.multiple))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.unit, self.multiple))


class DateTime(Dated):
    """`np.datetime64`: a moment, counted from 1970."""

    __slots__ = ()
    value_class = np.datetime64
    kind = "datetime64"
    passable = may_be_none = True


class TimeDelta(Dated):
    """`np.timedelta64`: the distance of two moments."""

    __slots__ = ()
    value_class = np.timedelta64
    kind = "timedelta64"
    passable = may_be_none = True


class FixedString(Type):
    """An element of an array of fixed-length strings or bytes: `U5`, `S5`.

    A call with its kind returns one of the classes below.  An element that is read is copied to a
    str or bytes, of type `taken`.
    """

    __slots__ = ("kind", "length")
    adapts = True
    taken: Type  # each class has it from the file of that type

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        kind, length = (*args, *in_place(cls, args, named))
        return UnicodeCharSeq if kind == "U" else CharSeq, (kind, length)

    def __init__(self, kind: str, length: int) -> None:
        self.kind = kind
        self.length = length
        self.name = f"{kind}{length}"

    def members(self) -> primitives.Members:
        """Return the members of an element, which points into its array until it is used."""
        return (("owner", primitives.POINTER), ("data", primitives.POINTER))

    def __reduce__(self) -> tuple[Any, ...]:
        return (FixedString, (self.kind, self.length))

    @property
    def count(self) -> int:
        """The same as `length`."""
        return self.length


class UnicodeCharSeq(FixedString):
    """A str of fixed length: `UnicodeCharSeq(count)`."""

    __slots__ = ()
    if TYPE_CHECKING:

        def __init__(self, count: int) -> None: ...

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        (count,) = args or named.values()
        return cls, ("U", count)


class CharSeq(FixedString):
    """Bytes of fixed length: `CharSeq(count)`."""

    __slots__ = ()
    if TYPE_CHECKING:

        def __init__(self, count: int) -> None: ...

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        (count,) = args or named.values()
        return cls, ("S", count)


class FieldArray(Type):
    """A field of a record that is an array of a fixed shape."""

    __slots__ = ("dtype", "shape")

    def __init__(self, dtype: Type, shape: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape
        self.name = f"{dtype}[{', '.join(map(str, shape))}]"

    def members(self) -> primitives.Members:
        """Return the members of the field, which is only accessed as an array."""
        return (("owner", primitives.POINTER), ("data", primitives.POINTER))

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides, in bytes, of the array, which is in C order."""
        size, strides = to_dtype(self.dtype).itemsize, []
        for count in reversed(self.shape):
            strides.insert(0, size)
            size *= count
        return tuple(strides)


class Record(Type):
    """A record, NumPy's structured scalar: a view of memory with named fields.

    `fields` are (name, type, offset in bytes); with `named` its class is np.record, whose
    fields are attributes too; `readonly` is about its memory.  The name has the offsets of fields
    unless they are packed.  Whether a dtype is aligned is not part of the type, as NumPy treats
    such dtypes as equal.
    """

    __slots__ = ("fields", "size", "named", "readonly")
    passable = True
    arity = 4
    trailing = (False,)

    def __init__(
        self,
        fields: tuple[tuple[str, Type, int], ...],
        size: int,
        named: bool,
        readonly: bool = False,
    ) -> None:
        self.fields = fields
        self.size = size
        self.named = named
        self.readonly = readonly
        ends = [0] + [offset + to_dtype(ty).itemsize for _, ty, offset in fields]
        packed = [offset for _, _, offset in fields] == ends[:-1] and size == ends[-1]
        shown = [f"{name}: {ty}{'' if packed else f' @ {at}'}" for name, ty, at in fields]
        shown += [] if packed else [f"{size} bytes"]
        shown += ["np.record"] * named + ["readonly"] * readonly
        self.name = f"record({', '.join(shown)})"

    def members(self) -> primitives.Members:
        return (("owner", primitives.OWNER), ("data", primitives.POINTER))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"V" + cross.dtype(self.protected(False)) + bytes([self.readonly])

    @property
    def value_class(self) -> type:
        return np.record if self.named else np.void

    def taken_apart(self, value: Any) -> None:
        return None

    can_be_printed = True

    def put_together(self, items: Iterable[Any]) -> Any:
        """Return a record of the same memory."""
        _, data = items
        return array_at(data, (), (), to_dtype(self))[()]

    @property
    def alignment(self) -> int:
        """The alignment of records in an array that aligns all fields, in bytes; 1 if the layout of
        the fields does not allow one."""
        largest = max((alignment_of(ty) for _, ty, _ in self.fields), default=1)
        fits = all(offset % alignment_of(ty) == 0 for _, ty, offset in self.fields)
        return largest if fits and self.size % largest == 0 else 1

    def protected(self, readonly: bool) -> Record:
        """Return the type of the same record with read-only or writable memory."""
        return Record(self.fields, self.size, self.named, readonly)

    @classmethod
    def make_c_struct(cls, fields: Iterable[tuple[str, Type]]) -> Record:
        """Return the record of a C struct: each field is at a multiple of its alignment."""
        end, largest, placed = 0, 1, []
        for name, ty in fields:
            largest = max(largest, alignment_of(ty))
            offset = _aligned(end, alignment_of(ty))
            placed.append((name, ty, offset))
            end = offset + to_dtype(ty).itemsize
        return Record(tuple(placed), _aligned(end, largest), False)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype."""
        return to_dtype(self)

    def typeof(self, name: str) -> Type:
        """Return the type of a field.  Raises KeyError if there is none of that name."""
        return self._known(name)[0]

    def offset(self, name: str) -> int:
        """Return the offset of a field in bytes.  Raises KeyError if there is none of that name."""
        return self._known(name)[1]

    def _known(self, name: str) -> tuple[Type, int]:
        own = self.field(name)
        if own is None:
            raise KeyError(name)
        return own

    def field(self, name: str) -> tuple[Type, int] | None:
        """Return the type and the offset of a field; None if there is none of that name.

        A record in an np.record is an np.record, too.
        """
        for own, ty, offset in self.fields:
            if own == name:
                inner = isinstance(ty, Record) and self.named and not ty.named
                return (Record(ty.fields, ty.size, True), offset) if inner else (ty, offset)
        return None


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def alignment_of(ty: Type) -> int:
    """Return the alignment of elements of a type, in bytes."""
    if isinstance(ty, FieldArray):
        return alignment_of(ty.dtype)
    return ty.alignment if isinstance(ty, Record) else to_dtype(ty).alignment


def to_dtype(ty: Type) -> np.dtype[Any]:
    """Return the NumPy dtype of an element type."""
    if isinstance(ty, FieldArray):
        return np.dtype((to_dtype(ty.dtype), ty.shape))
    return _record_dtype(ty) if isinstance(ty, Record) else np.dtype(ty.name)


def array_at(
    data: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]
) -> np.ndarray[Any, Any]:
    """Return an array of the memory at an address, which the caller keeps alive."""
    if 0 in shape:
        return np.empty(shape, dtype)
    ends = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    first, last = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
    memory = (ctypes.c_char * (last - first + dtype.itemsize)).from_address(data + first)
    return np.ndarray(shape, dtype, memory, -first, strides)


DEEPEST_RECORD = 20  # nested records


def element_type(dtype: np.dtype[Any], depth: int = 0) -> Type | None:
    """Return the type of the elements of arrays of a dtype; None if they cannot be passed."""
    if not dtype.isnative or depth > DEEPEST_RECORD:
        return None
    if dtype.num in _DATED:
        return _DATED[dtype.num](*np.datetime_data(dtype))
    if dtype.num in _CHARACTER_BYTES:
        length = dtype.itemsize // _CHARACTER_BYTES[dtype.num]
        return FixedString(dtype.char, length) if length else None
    if dtype.num == np.dtype("V").num:
        return _record_type(dtype, depth)
    return _BY_NUMBER.get(dtype.num)


_DATED = {np.dtype("M8").num: DateTime, np.dtype("m8").num: TimeDelta}
_BY_NUMBER = {np.dtype(c).num: BY_DTYPE[np.dtype(c)] for c in "?bhilqBHILQefdFD"}
_CHARACTER_BYTES = {np.dtype("U").num: 4, np.dtype("S").num: 1}


def _record_type(dtype: np.dtype[Any], depth: int) -> Record | None:
    if not dtype.names or dtype.type not in (np.void, np.record):
        return None
    fields: list[tuple[str, Type, int]] = []
    for name in dtype.names:
        entry = dtype.fields[name]  # not None: the dtype has names
        ty = _field_type(entry[0], depth + 1)
        if ty is None or len(entry) != 2 or type(name) is not str:  # a third is a title
            return None
        fields.append((name, ty, entry[1]))
    return Record(tuple(fields), dtype.itemsize, dtype.type is np.record)


def _field_type(dtype: np.dtype[Any], depth: int) -> Type | None:
    if dtype.subdtype is None:
        return element_type(dtype, depth)
    base, shape = dtype.subdtype
    inner = element_type(base, depth + 1)
    return None if inner is None else FieldArray(inner, shape)


def _record_dtype(ty: Record) -> np.dtype[Any]:
    # A new dtype each time: the names of a dtype's fields can be changed in place.
    names, inner, offsets = zip(*ty.fields, strict=True)
    formats = list(map(to_dtype, inner))
    described = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ty.size}
    dtype = np.dtype(described)  # NumPy's stubs accept few dicts
    return np.dtype((np.record, dtype)) if ty.named else dtype


@CONVERSIONS.add(Record, Record)
def _between_records(source: Record, wanted: Record) -> Conversion:
    return promoted(source.protected(True) is wanted)


@UNIONS.add(Record, Record)
def _unify_records(first: Record, second: Record) -> Type | None:
    shared = first.protected(True)
    return shared if shared is second.protected(True) else None
