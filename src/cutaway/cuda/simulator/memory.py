"""Memory of a simulated launch: the contents of arrays, and the addresses of indices.

A *storage* is a piece of memory: that of an argument, or a shared or local array.  It holds one
value per unit, and `base` is the address of its first unit: units are numbered through all storages
of a launch, so that an address identifies the element and the array.  A *view* is an array in the
kernel: a storage with a first unit, a shape and strides, in units.

    x = np.zeros(8)[::2]    Storage(8 units at 100), ArrayView(first 0, shape (4,), strides (2,))
    x[3]                    unit 6, address 106
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutaway.cuda.simulator.values import NATIVE, plain
from cutaway.typing.types import Array, Boolean, Complex, Float, Integer, Record, Tuple, Type
from cutaway.typing.types.elements import to_dtype

Cells = MutableSequence[Any]
AnyArray = NDArray[Any]
LOCAL = 1 << 60  # addresses of local memory, which is private, begin here


class Storage:
    """A piece of memory.

    `cells` holds its units, `kind` is "global", "shared", "local" or "constant"; `itemsize` is the
    size of a unit in bytes, `name` the user's name for it.  `back` is the array that the cells are
    copied from, if they are copies.  A unit has `stretch` addresses: a record, whose fields are
    accessed one by one, has one for each byte.
    """

    __slots__ = (
        "back",
        "base",
        "cells",
        "dtype",
        "itemsize",
        "kind",
        "name",
        "shape",
        "size",
        "stretch",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        cells: Cells,
        base: int,
        dtype: Type,
        itemsize: int,
        shape: tuple[int, ...] = (),
        back: AnyArray | None = None,
    ) -> None:
        self.name, self.kind, self.cells, self.base = name, kind, cells, base
        self.dtype, self.itemsize, self.shape, self.back = dtype, itemsize, shape, back
        self.size = len(cells)
        self.stretch = itemsize if isinstance(dtype, Record) else 1

    @property
    def reach(self) -> int:
        """Return the number of its addresses."""
        return self.size * self.stretch

    def element(self, address: int) -> str:
        """Name the element at an address in the user's words."""
        unit, offset = divmod(address - self.base, self.stretch)
        place = self.place(unit)
        if isinstance(self.dtype, Record):
            before = [(at, name) for name, _, at in self.dtype.fields if at <= offset]
            place += f"[{max(before)[1]!r}]" if before else ""
        return place

    def place(self, unit: int) -> str:
        """Name the element of a unit in the user's words: `x[3, 4]`."""
        if len(self.shape) < 2:
            return f"{self.name}[{unit}]"
        rest, index = unit, []
        for size in reversed(self.shape):
            rest, part = divmod(rest, size or 1)
            index.append(part)
        return f"{self.name}[{', '.join(map(str, reversed(index)))}]"

    def alike(self, cells: Any, dtype: Type) -> Storage:
        """Return a storage at the same addresses."""
        return Storage(self.name, self.kind, cells, self.base, dtype, self.itemsize, self.shape)

    def write_back(self) -> None:
        """Copy the contents of the cells to the user's array."""
        if self.back is not None and self.back.flags.writeable:
            for index, value in zip(np.ndindex(self.back.shape), self.cells, strict=True):
                self.back[index] = value


class Reinterpreted:
    """The cells of a storage as values of another type, by their bytes.

    A cell is where one of the storage begins, or of `times` as many.  Unwritten bytes count as zero
    if others of the value have been written.
    """

    __slots__ = ("dtype", "times", "under")

    def __init__(self, under: Storage, dtype: np.dtype[Any]) -> None:
        self.under, self.dtype, self.times = under, dtype, 1

    def __len__(self) -> int:
        return len(self.under.cells) * self.times

    def _bytes(self, unit: int) -> tuple[AnyArray, int, int]:
        """Return the bytes of the units that contain a value, its first unit, and its offset."""
        first, rest = divmod(unit, self.times)
        kind = to_dtype(self.under.dtype)
        count = max(1, self.dtype.itemsize // kind.itemsize)
        held = [self.under.cells[first + k] for k in range(count)]
        if all(one is None for one in held):
            return np.zeros(0, np.uint8), first, 0
        units = np.array([0 if one is None else one for one in held], kind)
        return units.view(np.uint8), first, rest * self.dtype.itemsize

    def __getitem__(self, unit: int) -> Any:
        found, _, at = self._bytes(unit)
        if not len(found):
            return None
        return found[at : at + self.dtype.itemsize].view(self.dtype)[0].item()

    def __setitem__(self, unit: int, value: Any) -> None:
        found, first, at = self._bytes(unit)
        kind = to_dtype(self.under.dtype)
        if not len(found):
            found = np.zeros(max(kind.itemsize, self.dtype.itemsize), np.uint8)
            at = unit % self.times * self.dtype.itemsize
        found[at : at + self.dtype.itemsize] = np.array([value], self.dtype).view(np.uint8)
        for k, one in enumerate(found.view(kind)):
            self.under.cells[first + k] = plain(self.under.dtype, one)


class Shifted:
    """The cells of a storage, counted from another one than the first."""

    __slots__ = ("cells", "first")

    def __init__(self, cells: Cells, first: int) -> None:
        self.cells, self.first = cells, first

    def __getitem__(self, unit: int) -> Any:
        return self.cells[self.first + unit]

    def __setitem__(self, unit: int, value: Any) -> None:
        self.cells[self.first + unit] = value


class ArrayView:
    """An array of the kernel."""

    __slots__ = ("dtype", "first", "name", "shape", "storage", "strides")

    def __init__(
        self,
        storage: Storage,
        first: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        name: str = "",
    ) -> None:
        self.storage, self.first, self.shape, self.strides = storage, first, shape, strides
        self.dtype = storage.dtype
        self.name = name or storage.name

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for side in self.shape:
            count *= side
        return count

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def parts(self) -> tuple[Any, ...]:
        """Return the values that generated code unpacks: cells and address of the first element,
        the sizes, and the strides."""
        storage, first = self.storage, self.first
        cells: Any = storage.cells
        if first:
            forward = all(step >= 0 for step in self.strides)
            if isinstance(cells, memoryview) and forward:
                cells = cells[first:]
            else:
                cells = Shifted(cells, first)
        return (cells, storage.base + first, *self.shape, *self.strides)

    # --- other views ----------------------------------------------------------------------------

    def part(self, index: tuple[Any, ...], where: Any) -> ArrayView:
        """Return the view that an index with a slice, or too few numbers, selects."""
        parts = _full(index, self.ndim)
        first, shape, strides, axis = self.first, [], [], 0
        for one in parts:
            if one is None:
                shape.append(1)
                strides.append(0)
                continue
            size, step = self.shape[axis], self.strides[axis]
            if isinstance(one, slice):
                start, stop, by = one.indices(size)
                shape.append(len(range(start, stop, by)))
                first += start * step if shape[-1] else 0
                strides.append(step * by)
            else:
                first += (one if 0 <= one < size else where.wrapped(one, self, axis)) * step
            axis += 1
        return ArrayView(self.storage, first, tuple(shape), tuple(strides), self.name)

    def viewed(self, ty: Type) -> ArrayView:
        """Return the same memory as elements of another type."""
        size, old = to_dtype(ty).itemsize, self.storage.itemsize
        cells = Reinterpreted(self.storage, to_dtype(ty))
        last = self.shape[-1] * old // size
        shape = (*self.shape[:-1], last)
        if size >= old:  # a unit stays one
            times, storage = size // old, self.storage.alike(cells, ty)
            strides = (*self.strides[:-1], self.strides[-1] * times)
            return ArrayView(storage, self.first, shape, strides, self.name)
        times = old // size
        cells.times = times
        storage = self.storage.alike(cells, ty)
        storage.itemsize = size
        strides = (*(step * times for step in self.strides[:-1]), self.strides[-1])
        return ArrayView(storage, self.first * times, shape, strides, self.name)

    def turned(self) -> ArrayView:
        """Return the transposed array."""
        return ArrayView(self.storage, self.first, self.shape[::-1], self.strides[::-1], self.name)

    def shaped(self, shape: Sequence[int]) -> ArrayView:
        """Return the elements in another shape; they must be contiguous."""
        sides = list(shape)
        if -1 in sides:
            known = -int(np.prod(sides))
            sides[sides.index(-1)] = self.size // known if known else 0
        if int(np.prod(sides)) != self.size or not self.is_contiguous:
            raise ValueError("total size of new array must be unchanged")
        return ArrayView(self.storage, self.first, tuple(sides), c_strides(sides), self.name)

    @property
    def is_contiguous(self) -> bool:
        """True if the elements are contiguous in C order."""
        return self.size < 2 or all(
            side < 2 or step == wanted
            for side, step, wanted in zip(
                self.shape, self.strides, c_strides(self.shape), strict=True
            )
        )

    # --- elements -------------------------------------------------------------------------------

    def units(self) -> Iterator[int]:
        """Yield the units of all elements, in order."""
        first, steps = self.first, self.strides
        if len(steps) == 1:
            yield from (first + k * steps[0] for k in range(self.shape[0]))
            return
        for index in product(*map(range, self.shape)):
            yield first + sum(i * step for i, step in zip(index, steps, strict=True))

    def addresses(self) -> list[int]:
        """Return the addresses of all elements."""
        base = self.storage.base
        return [base + unit for unit in self.units()]

    def copied(self) -> AnyArray:
        """Copy the elements into a NumPy array."""
        cells = self.storage.cells
        values = [cells[unit] for unit in self.units()]
        return np.array(values, dtype=to_dtype(self.dtype)).reshape(self.shape)

    def fill_from(self, values: AnyArray) -> None:
        """Assign the elements of an array of the same shape."""
        cells = self.storage.cells
        for unit, value in zip(self.units(), np.ravel(values), strict=True):
            cells[unit] = plain(self.dtype, value)


def _full(index: tuple[Any, ...], ndim: int) -> list[Any]:
    """Expand an index to a part for each axis."""
    count = sum(one is not None and one is not Ellipsis for one in index)
    rest = [slice(None)] * (ndim - count)
    for k, one in enumerate(index):
        if one is Ellipsis:
            return [*index[:k], *rest, *index[k + 1 :]]
    return [*index, *rest]


def byte_strides(view: ArrayView) -> tuple[int, ...]:
    """Return the strides of an array in bytes."""
    return tuple(step * view.storage.itemsize for step in view.strides)


def flags(view: ArrayView, aligned: bool, writeable: bool) -> Any:
    """Return the flags of an array, which depend on its sizes and strides: those of an unused NumPy
    array of the same geometry."""
    one = np.empty(1, to_dtype(view.dtype))
    strides = [step * one.itemsize for step in view.strides]
    array = np.lib.stride_tricks.as_strided(one, view.shape, strides, writeable=writeable)
    if not aligned:
        array.flags.aligned = False
    return array.flags


def c_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in units, of contiguous elements."""
    strides, step = [], 1
    for side in reversed(shape):
        strides.append(step)
        step *= side
    return tuple(reversed(strides))


def new_cells(ty: Type, size: int) -> Any:
    """Make unwritten cells."""
    return np.zeros(size, to_dtype(ty)) if isinstance(ty, Record) else [None] * size


def no_value(ty: Type | None) -> Any:
    """Return the value of an unset variable; nothing that depends on it is observable."""
    match ty:
        case Boolean() | Integer() | Float() | Complex():
            return plain(ty, 0)
        case Tuple():
            return tuple(map(no_value, ty.items))
        case Array():
            cells, size = new_cells(ty.dtype, 0), to_dtype(ty.dtype).itemsize
            storage = Storage("nothing", "local", cells, LOCAL, ty.dtype, size)
            return ArrayView(storage, 0, (0,) * ty.ndim, (0,) * ty.ndim)
    return None


# --- memory of arguments --------------------------------------------------------------------------


class Space:
    """The address space of a launch's storages."""

    def __init__(self) -> None:
        self.storages: list[Storage] = []
        self.end = 1

    def storage(
        self,
        name: str,
        kind: str,
        cells: Cells,
        dtype: Type,
        itemsize: int,
        shape: tuple[int, ...],
        back: AnyArray | None = None,
    ) -> Storage:
        """Make a storage at addresses of its own."""
        made = Storage(name, kind, cells, self.end, dtype, itemsize, shape, back)
        self.end += made.reach + 1
        self.storages.append(made)
        return made

    @property
    def mark(self) -> tuple[int, int]:
        """Return a mark to go back to."""
        return len(self.storages), self.end

    def back_to(self, mark: tuple[int, int]) -> None:
        """Drop the storages since a mark."""
        count, self.end = mark
        del self.storages[count:]

    def at(self, address: int) -> Storage:
        """Return the storage that contains an address."""
        for one in reversed(self.storages):
            if one.base <= address <= one.base + one.reach:
                return one
        raise AssertionError("no storage has this address")


class LaunchArrays:
    """The arrays of a launch as views: arrays that share memory share a storage."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._known: dict[tuple[int, str], tuple[AnyArray, Storage]] = {}

    def view(self, array: AnyArray, ty: Any, name: str, kind: str = "global") -> ArrayView:
        """Return a view of a user's array."""
        root, size = _root(array), array.itemsize
        flat = _flat(root, array.dtype)
        if flat is None or any(step % size for step in array.strides):
            return self._alone(array, ty, name, kind)
        first, rest = divmod(address_of(array) - address_of(flat), size)
        if rest:
            return self._alone(array, ty, name, kind)
        key = id(root), array.dtype.str
        if key not in self._known:
            native = str(ty.dtype) in NATIVE
            cells = memoryview(flat) if native else _plain_values(flat, ty.dtype)
            shape = array.shape if array.size == flat.size else flat.shape
            back = None if native or cells is flat else flat
            storage = self.space.storage(name, kind, cells, ty.dtype, size, shape, back)
            self._known[key] = root, storage
        strides = tuple(step // size for step in array.strides)
        return ArrayView(self._known[key][1], first, array.shape, strides, name)

    def _alone(self, array: AnyArray, ty: Any, name: str, kind: str) -> ArrayView:
        """Make a view of an array with irregular elements, which are copied in and out."""
        rows = array.T if ty.layout == "F" else array  # as the code takes them to lie
        cells = _plain_values(rows, ty.dtype)
        storage = self.space.storage(name, kind, cells, ty.dtype, array.itemsize, rows.shape, rows)
        view = ArrayView(storage, 0, rows.shape, c_strides(rows.shape), name)
        return view.turned() if rows is not array else view


def _plain_values(array: AnyArray, ty: Type) -> Any:
    if isinstance(ty, Record):
        return array.reshape(-1)
    return [plain(ty, value) for value in array.ravel()]


def _flat(root: AnyArray, dtype: np.dtype[Any]) -> AnyArray | None:
    """Return the memory of an array as a row of elements; None if it is not contiguous."""
    if root.dtype == np.uint8 and root.ndim == 1 and root.flags.c_contiguous:  # bytes of anything
        root = root[: root.size // dtype.itemsize * dtype.itemsize].view(dtype)
    if root.dtype != dtype or not (root.flags.c_contiguous or root.flags.f_contiguous):
        return None
    return root.reshape(-1) if root.flags.c_contiguous else root.T.reshape(-1)


def _root(array: AnyArray) -> AnyArray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def address_of(array: AnyArray) -> int:
    """Return the address of the first element."""
    address: int = array.__array_interface__["data"][0]
    return address
