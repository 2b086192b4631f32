"""A simulated thread: its state, and the operations that generated code calls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.cuda.simulator.memory import (
    LOCAL,
    AnyArray,
    ArrayView,
    Storage,
    address_of,
    c_strides,
)
from cutaway.cuda.simulator.ordering import NOTHING, Past
from cutaway.cuda.simulator.records import Row
from cutaway.cuda.simulator.values import plain
from cutaway.errors import SimulationError, UnsupportedError
from cutaway.foundation.python_words import too_many
from cutaway.foundation.source import Loc
from cutaway.typing.types import Array, Boolean, Complex, Float, String, Tuple, Type

if TYPE_CHECKING:
    from cutaway.cuda.simulator.blocks import ThreadBlock
    from cutaway.cuda.simulator.places import Allocation, Wait

Log = Callable[[int], None]
Sides = tuple[int, int, int]


class Thread:
    """One thread of a block."""

    __slots__ = (
        *("threadIdx_x", "threadIdx_y", "threadIdx_z", "blockIdx_x", "blockIdx_y", "blockIdx_z"),
        *("block", "number", "lane", "warp", "serial", "send", "patience", "spins", "ended"),
        *("segment", "past", "fenced", "fenced_block"),
    )

    def __init__(self, block: ThreadBlock, number: int, index: Sides) -> None:
        self.threadIdx_x, self.threadIdx_y, self.threadIdx_z = index
        self.blockIdx_x, self.blockIdx_y, self.blockIdx_z = block.index
        self.block, self.number = block, number
        self.lane, self.warp = number % 32, number // 32
        self.serial = block.number * block.size + number
        self.patience = block.launch.patience
        self.spins = 0
        self.send: Any = None
        self.ended: Loc | None = None
        self.segment = 0
        self.past = NOTHING
        self.fenced = self.fenced_block = NOTHING

    @property
    def shown(self) -> str:
        """The thread in words."""
        index = self.threadIdx_x, self.threadIdx_y, self.threadIdx_z
        return f"thread {_shown(index)} of block {_shown(self.block.index)}"

    # --- memory ---------------------------------------------------------------------------------

    def shared(self, place: Allocation) -> ArrayView:
        """Return a shared array."""
        return self.block.shared(place)

    def wrapped(self, index: int, array: ArrayView, axis: int, place: Loc | None = None) -> int:
        """Wrap a negative index.

        Raises IndexError if it is out of range.
        """
        size = array.shape[axis]
        if -size <= index < size:
            return index % size
        many = f" for axis {axis}" if array.ndim > 1 else ""
        message = f"index {index} is out of bounds{many} of {array.name} with size {size}"
        raise IndexError(message)

    def unset(self, array: ArrayView, unit: int, place: Loc) -> Any:
        """Return the value of an unwritten element: zero for now, if another thread may yet write
        it, which is a race.

        Raises SimulationError for the thread's own memory.
        """
        storage = array.storage
        element = storage.place(array.first + unit)
        if storage.kind != "shared":
            raise SimulationError(
                f"{element} is read, and this thread has not written it: {storage.kind} memory"
                " begins with any values",
                place,
                "write it first",
            )
        error = SimulationError(
            f"{element} is read, and no thread of the block has written it: shared memory begins"
            " with any values",
            place,
            "write it first, and let all threads wait with cuda.syncthreads()",
            (f"in {self.shown}",),
        )
        self.block.unset.append((storage.base + array.first + unit, error))
        return plain(storage.dtype, 0)

    def put(
        self, array: ArrayView, index: tuple[Any, ...], value: Any, log: Log, read: Any = None
    ) -> None:
        """Execute `array[index] = value` for several elements."""
        part = array.part(index, self)
        if isinstance(value, ArrayView):
            for address in value.addresses():
                read(address)
            value = value.copied()
        values = np.broadcast_to(np.asarray(value), part.shape)
        for address in part.addresses():
            log(address)
        part.fill_from(values)

    def elements(self, array: ArrayView, log: Log) -> Iterator[Any]:
        """Yield the elements of an array, one by one, or its rows."""
        for k in range(array.shape[0]):
            if array.ndim > 1:
                yield array.part((k,), self)
                continue
            unit = array.first + k * array.strides[0]
            log(array.storage.base + unit)
            value = array.storage.cells[unit]
            yield (
                self.unset(array, unit - array.first, self.block.launch.place)
                if (value is None)
                else value
            )

    def unpacked(self, values: Any, count: int, log: Log) -> tuple[Any, ...]:
        """Return the items of an array, a tuple or an iterator, which must have `count` items.

        Raises ValueError for another number.
        """
        known = len(values) if type(values) is tuple else None
        if not isinstance(values, ArrayView):
            values = tuple(islice(values, count + 1))
        many = values.shape[0] if isinstance(values, ArrayView) else len(values)
        if many < count:
            raise ValueError(f"not enough values to unpack (expected {count}, got {many})")
        if many > count:
            raise ValueError(too_many(count, known))
        return tuple(self.elements(values, log)) if isinstance(values, ArrayView) else values

    def update(self, function: Any, array: ArrayView, other: Any, log: Log, read: Log) -> ArrayView:
        """Execute `array += other`."""
        for address in array.addresses():
            read(address)
            log(address)
        if isinstance(other, ArrayView):
            for address in other.addresses():
                read(address)
            other = other.copied()
        with np.errstate(all="ignore"):
            array.fill_from(np.broadcast_to(function(array.copied(), other), array.shape))
        return array

    def item(self, values: Any, index: int, place: Loc) -> Any:
        """Return an item of a tuple.

        Raises IndexError if it does not exist.
        """
        return values[index]

    def sides(self, shape: Any) -> tuple[int, ...]:
        """Return a shape as a tuple."""
        return tuple(shape) if isinstance(shape, tuple) else (shape,)

    # --- order ----------------------------------------------------------------------------------

    def fence(self) -> None:
        """Execute `threadfence()`."""
        self.fenced = self.fenced_block = self._done()

    def fence_block(self) -> None:
        """Execute `threadfence_block()`."""
        self.fenced_block = self._done()

    def _done(self) -> Past:
        """Return everything that happens before now; begins another segment."""
        block = self.block
        own = Past({self.serial: self.segment}, {block.number: block.interval})
        done = self.past.joined(own)
        block.launch.next_segment(self)
        return done

    def meet(self, address: int) -> None:
        """Acquire the pasts released at an element, and release the thread's own; in front of an
        atomic operation."""
        launch, number = self.block.launch, self.block.number
        self.past = self.past.joined(launch.meetings.at(address, number))
        launch.meetings.leave(address, number, self.fenced, self.fenced_block)
        launch.next_segment(self)

    def tired(self, place: Wait) -> int:
        """Return new patience for a loop in a function that cannot wait.

        Raises SimulationError if that happens too often.
        """
        self.spins += 1
        self.block.launch.check_end(self, place)
        return self.patience

    # --- Python functions
    # ----------------------------------------------------------------------------

    def outside(self, function: Any, ty: Type, log: Log, *args: Any, **named: Any) -> Any:
        """Call a Python function; arrays are NumPy copies, whose changes are copied back.

        Raises UnsupportedError for a part of an array that is not contiguous.
        """
        arguments, copies = [], []
        for one in args:
            if isinstance(one, Row):
                one = one.data
            if isinstance(one, ArrayView):
                for address in one.addresses():
                    log(address)
                view, one = one, one.copied()
                copies.append((view, one, one.copy()))
            arguments.append(one)
        with np.errstate(all="ignore"):
            found = function(*arguments, **named)
        for view, copy, before in copies:
            if not np.array_equal(copy, before) and copy.dtype.kind != "V":
                view.fill_from(copy)
        if isinstance(ty, Array) and isinstance(found, np.ndarray):
            return self._as_view(found, ty, copies)
        return plain(ty, found)

    def _as_view(self, found: AnyArray, ty: Array, copies: list[Any]) -> ArrayView:
        """Return a NumPy array as a view: of the memory that it is a part of, or of its own."""
        for view, copy, _ in copies:
            if np.may_share_memory(found, copy):
                if not view.is_contiguous or found.dtype != copy.dtype:
                    raise UnsupportedError("the simulator cannot take this part of an array")
                size = found.itemsize
                ahead = address_of(found) - address_of(copy)
                strides = tuple(step // size for step in found.strides)
                first = view.first + ahead // size
                return ArrayView(view.storage, first, found.shape, strides, view.name)
        cells = [plain(ty.dtype, one) for one in found.ravel()]
        storage = Storage("a new array", "local", cells, LOCAL, ty.dtype, found.itemsize)
        return ArrayView(storage, 0, found.shape, c_strides(found.shape))

    def print(self, kinds: tuple[Type, ...], values: tuple[Any, ...], sep: str, end: str) -> None:
        """Execute `print(...)`, with the driver's format of numbers."""
        shown = (_printed(value, ty) for value, ty in zip(values, kinds, strict=True))
        sys.stdout.write(f"{' ' if sep is None else sep}".join(shown))
        sys.stdout.write("\n" if end is None else end)


def _shown(index: Sides) -> str:
    x, y, z = index
    return str(index) if z else str((x, y)) if y else str(x)


def _printed(value: Any, ty: Type) -> str:
    if isinstance(ty, Float):
        return f"{value:f}"
    if isinstance(ty, Complex):
        return f"({value.real:f}{value.imag:+f}j)"
    if isinstance(ty, Tuple):
        items = [_printed(one, kind) for one, kind in zip(value, ty.items, strict=True)]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(ty, String):
        return str(ty.value)
    return str(bool(value)) if isinstance(ty, Boolean) else str(value)
