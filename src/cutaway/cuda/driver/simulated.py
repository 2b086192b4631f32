"""A GPU imitated on the host: the functions of the driver, for programs whose kernels run in the
simulator.

Its memory is the host's, so kernels in the simulator get NumPy arrays. All work is synchronous: a
stream is always empty, and an event completes when it is recorded.
"""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from cutaway.cuda.driver import failures
from cutaway.cuda.driver.geometry import extent

_ATTRIBUTES = {1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2**31 - 1, 6: 65535, 7: 65535, 8: 48 * 1024}
_ATTRIBUTES |= {10: 32, 12: 65536, 16: 1, 19: 1, 39: 2048, 41: 1, 75: 8, 76: 0, 97: 99 * 1024}
_HANDLES = itertools.count(3)


class SimulatedMemory:
    """A block of memory of the imitated GPU."""

    def __init__(self, size: int) -> None:
        self.bytes = size
        self.block = (ctypes.c_uint8 * max(size, 1))()
        self.rows: dict[np.dtype[Any], np.ndarray[Any, Any]] = {}  # the whole block, by type
        self.is_open = True

    @property
    def handle(self) -> int:
        """The address of the block."""
        return ctypes.addressof(self.block)

    def release(self) -> None:
        """Do nothing: the memory is freed with the last reference."""

    def array_of(self, data: Any) -> Any:
        """Return the host array or record that data refers to."""
        low, high = extent(data.shape, data.strides, data.dtype.itemsize)
        start = data.address - self.handle if high > low else 0
        row = self._row(data.dtype)
        if not hasattr(data, "ndim"):
            return row[0]
        array: np.ndarray[Any, Any] = np.ndarray(
            data.shape, data.dtype, row.data, start, data.strides
        )
        array.flags.writeable = not data.is_readonly
        return array

    def _row(self, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Return the block as an array of a type, the base of its arrays in the simulator."""
        if dtype not in self.rows:
            count = max(self.bytes, 1) // dtype.itemsize
            self.rows[dtype] = np.frombuffer(self.block, dtype, count)
        return self.rows[dtype]


class Handle:
    """A stream or an event of the imitated GPU; `at` is the time at which an event was recorded."""

    def __init__(self) -> None:
        self.handle = next(_HANDLES)
        self.is_open = True
        self.at: float | None = None
        _KNOWN[self.handle] = self


_KNOWN: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()


def is_open() -> bool:
    """Return True: nothing has to be opened."""
    return True


def device_count() -> int:
    """Return 1."""
    return 1


def device_name(number: int) -> str:
    """Return the name of the imitated GPU."""
    return "the simulator"


def device_memory(number: int) -> int:
    """Return a plausible size, 16 GiB."""
    return 2**34


def device_attribute(number: int, attribute: int) -> int:
    """Return an attribute of a common GPU, 0 if unknown."""
    return _ATTRIBUTES.get(attribute, 0)


def driver_version() -> int:
    """Return the imitated CUDA version."""
    return 12000


def select(number: int) -> None:
    """Do nothing: only one device exists."""


def current_device() -> int:
    """Return the only device."""
    return 0


def current_context() -> tuple[int, int]:
    """Return the only context."""
    return 1, 1


def synchronize() -> None:
    """Do nothing: all work is done."""


def close() -> None:
    """Do nothing: memory is freed with the last reference."""


def defer() -> None:
    """Do nothing."""


def defer_no_more() -> None:
    """Do nothing."""


def memory_info() -> tuple[int, int]:
    """Report all memory as free."""
    return 2**34, 2**34


def allocate(size: int) -> SimulatedMemory:
    """Allocate a block of memory."""
    return SimulatedMemory(size)


def allocate_host(size: int, flags: int) -> SimulatedMemory:
    """Allocate a block: GPU memory is host memory."""
    return SimulatedMemory(size)


def register_host(address: int, size: int, flags: int) -> SimulatedMemory:
    """Return a dummy block: host memory needs no pinning."""
    return SimulatedMemory(0)


def device_address(memory: SimulatedMemory) -> int:
    """Return the address of a block."""
    return memory.handle


def _copy(to: int, source: int, size: int, stream: int, waits: bool) -> None:
    ctypes.memmove(to, source, size)


copy_to_device = copy_to_host = copy_on_device = _copy


def new_stream(flags: int) -> Handle:
    """Make a stream."""
    return Handle()


def stream_synchronize(stream: int) -> None:
    """Do nothing: all work is done."""


def stream_query(stream: int) -> bool:
    """Return True: all work is done."""
    return True


def stream_wait(stream: int, event: int) -> None:
    """Do nothing: all work is done."""


def call_later(stream: int, callback: Callable[[], object]) -> None:
    """Call the callback at once: all queued work is done."""
    callback()


def new_event(flags: int) -> Handle:
    """Make an event."""
    return Handle()


def event_record(event: int, stream: int) -> None:
    """Record the time."""
    _KNOWN[event].at = perf_counter()


def event_query(event: int) -> bool:
    """Return True: recorded events are complete."""
    return True


def event_synchronize(event: int) -> None:
    """Do nothing: the event is complete."""


def elapsed_time(start: int, end: int) -> float:
    """Return the milliseconds between two events.

    Raises CudaError if one was not recorded.
    """
    first, last = _KNOWN[start].at, _KNOWN[end].at
    if first is None or last is None:
        raise failures.failure(
            "cuEventElapsedTime", 400, "CUDA_ERROR_INVALID_HANDLE", "", None, None, ""
        )
    return 1000 * (last - first)
