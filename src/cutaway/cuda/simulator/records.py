"""Records: an element of an array of records, whose fields are read and written one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cutaway.cuda.simulator.memory import AnyArray, ArrayView, Storage, c_strides
from cutaway.cuda.simulator.values import plain
from cutaway.errors import UnsupportedError
from cutaway.typing.types import FieldArray, Record
from cutaway.typing.types.elements import to_dtype

Log = Callable[[int], None]
Where = str | int  # a field's name, or its index


class Row:
    """A record in memory: `data` is a view of its bytes, which begin at an address."""

    __slots__ = ("address", "data", "dtype", "name")

    def __init__(self, data: np.void, dtype: Record, address: int, name: str) -> None:
        self.data, self.dtype, self.address, self.name = data, dtype, address, name

    def _at(self, field: Where) -> tuple[str, Any, int]:
        name = self.dtype.fields[field][0] if isinstance(field, int) else field
        found = self.dtype.field(name)
        assert found is not None
        return (name, *found)

    def field(self, field: Where, log: Log) -> Any:
        """Read a field."""
        name, ty, offset = self._at(field)
        address = self.address + offset
        shown = f"{self.name}[{name!r}]"
        if isinstance(ty, Record):
            return Row(self.data[name], ty, address, shown)
        if isinstance(ty, FieldArray):
            flat = self.data[name].reshape(-1)
            size = flat.itemsize
            storage = Storage(shown, "global", Elements(flat, ty.dtype), address, ty.dtype, size)
            storage.shape = ty.shape
            return ArrayView(storage, 0, ty.shape, c_strides(ty.shape), shown)
        log(address)
        return plain(ty, self.data[name])

    def put(self, field: Where, value: Any, log: Log, read: Log) -> None:
        """Assign a field."""
        name, ty, offset = self._at(field)
        for address in _addresses(ty, self.address + offset):
            log(address)
        if isinstance(value, Row):
            value.note(read)
            value = value.data
        elif isinstance(value, ArrayView):
            value = value.copied()
        self.data[name] = value

    def note(self, log: Log) -> None:
        """Log an access of all fields."""
        for address in _addresses(self.dtype, self.address):
            log(address)

    def take(self, other: Row, log: Log, read: Log) -> None:
        """Assign all fields of another record."""
        other.note(read)
        self.note(log)
        for name, _, _ in self.dtype.fields:
            self.data[name] = other.data[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.data[name]


def _addresses(ty: Any, address: int) -> Iterator[int]:
    """Yield the addresses of the values within a value: fields are accessed one by one, also
    those of records within records and the elements of arrays."""
    if isinstance(ty, Record):
        for _, inner, offset in ty.fields:
            yield from _addresses(inner, address + offset)
    elif isinstance(ty, FieldArray):
        step = to_dtype(ty.dtype).itemsize if isinstance(ty.dtype, Record) else 1  # see Storage
        for k in range(math.prod(ty.shape)):
            yield from _addresses(ty.dtype, address + k * step)
    else:
        yield address


def row(view: ArrayView, unit: int) -> Row:
    """Return the record at a unit of an array, relative to the view's first."""
    storage, place = view.storage, view.first + unit
    address = storage.base + place * storage.stretch
    return Row(storage.cells[place], storage.dtype, address, storage.place(place))


class Elements:
    """The elements of a NumPy array as cells."""

    __slots__ = ("array", "dtype")

    def __init__(self, array: Any, dtype: Any) -> None:
        self.array, self.dtype = array, dtype

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, unit: int) -> Any:
        return plain(self.dtype, self.array[unit])

    def __setitem__(self, unit: int, value: Any) -> None:
        self.array[unit] = value


class Column:
    """The cells of a field of an array of records: one for each byte of a record, so that addresses
    are those of the records."""

    __slots__ = ("array", "dtype", "size", "stretch")

    def __init__(self, array: AnyArray, dtype: Any, stretch: int) -> None:
        # A flat copy is avoided: only the elements of one record are contiguous.
        self.array = array[:, None] if array.ndim == 1 else array
        self.dtype, self.stretch = dtype, stretch
        self.size = to_dtype(dtype).itemsize

    def __len__(self) -> int:
        return len(self.array) * self.stretch

    def _place(self, unit: int) -> tuple[AnyArray, int]:
        record, rest = divmod(unit, self.stretch)
        return self.array[record].reshape(-1), rest // self.size

    def __getitem__(self, unit: int) -> Any:
        row, place = self._place(unit)
        return plain(self.dtype, row[place])

    def __setitem__(self, unit: int, value: Any) -> None:
        row, place = self._place(unit)
        row[place] = value


def column(view: ArrayView, field: str) -> ArrayView:
    """Return a field of all records of an array, as an array.

    Raises UnsupportedError for one that is a record itself.
    """
    under = view.storage
    field_of_type = under.dtype.field(field)
    if field_of_type is None or isinstance(field_of_type[0], Record):
        raise UnsupportedError(f"the simulator has no array of field {field!r}")
    ty, offset = field_of_type
    sides = ty.shape if isinstance(ty, FieldArray) else ()
    inner = ty.strides if isinstance(ty, FieldArray) else ()
    kind = ty.dtype if isinstance(ty, FieldArray) else ty
    cells = Column(under.cells[field], kind, under.stretch)
    size = to_dtype(kind).itemsize
    base = under.base + offset
    storage = Storage(f"{under.name}[{field!r}]", under.kind, cells, base, kind, size, under.shape)
    strides = (*(step * under.stretch for step in view.strides), *inner)
    shape = (*view.shape, *sides)
    return ArrayView(storage, view.first * under.stretch, shape, strides, storage.name)
