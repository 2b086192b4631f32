"""A GPU that is imitated on the host: the functions of the driver, for programs whose kernels run
in the simulator.

Its memory is the host's, so what a kernel of the simulator gets are arrays of NumPy's.  Everything
is done at once: a stream is always empty, and an event has come to pass when it is recorded.
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


class Memory:
    """A block of memory of the imitated GPU."""

    def __init__(self, size: int) -> None:
        self.bytes = size
        self.block = (ctypes.c_uint8 * max(size, 1))()
        self.rows: dict[np.dtype[Any], np.ndarray[Any, Any]] = {}  # all of it, by type
        self.is_open = True

    @property
    def handle(self) -> int:
        """Its address."""
        return ctypes.addressof(self.block)

    def release(self) -> None:
        """Nothing: it goes with the last reference."""

    def array_of(self, data: Any) -> Any:
        """The array of the host that data is."""
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
        """All elements of a type: what arrays of that type share, as the simulator sees it."""
        if dtype not in self.rows:
            count = max(self.bytes, 1) // dtype.itemsize
            self.rows[dtype] = np.frombuffer(self.block, dtype, count)
        return self.rows[dtype]


class Handle:
    """A stream or an event of the imitated GPU; `at` is when an event was recorded."""

    def __init__(self) -> None:
        self.handle = next(_HANDLES)
        self.is_open = True
        self.at: float | None = None
        _KNOWN[self.handle] = self


_KNOWN: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()


def is_open() -> bool:
    """True: nothing has to be opened."""
    return True


def device_count() -> int:
    """One."""
    return 1


def device_name(number: int) -> str:
    """Its name."""
    return "the simulator"


def device_memory(number: int) -> int:
    """As much as its addresses could tell apart, for the look of it."""
    return 2**34


def device_attribute(number: int, attribute: int) -> int:
    """A number of a usual GPU, 0 where none is known."""
    return _ATTRIBUTES.get(attribute, 0)


def driver_version() -> int:
    """The version of CUDA that is imitated."""
    return 12000


def select(number: int) -> None:
    """Use the only one."""


def current_device() -> int:
    """The only one."""
    return 0


def current_context() -> tuple[int, int]:
    """The only one."""
    return 1, 1


def synchronize() -> None:
    """Nothing: all is done."""


def close() -> None:
    """Nothing: memory goes with the last reference."""


def defer() -> None:
    """Nothing."""


def defer_no_more() -> None:
    """Nothing."""


def memory_info() -> tuple[int, int]:
    """All is free."""
    return 2**34, 2**34


def allocate(size: int) -> Memory:
    """A block of memory."""
    return Memory(size)


def allocate_host(size: int, flags: int) -> Memory:
    """The same: a GPU's memory is the host's."""
    return Memory(size)


def register_host(address: int, size: int, flags: int) -> Memory:
    """Nothing that anybody notices."""
    return Memory(0)


def device_address(memory: Memory) -> int:
    """Where it is."""
    return memory.handle


def _copy(to: int, source: int, size: int, stream: int, waits: bool) -> None:
    ctypes.memmove(to, source, size)


copy_to_device = copy_to_host = copy_on_device = _copy


def new_stream(flags: int) -> Handle:
    """A stream."""
    return Handle()


def stream_synchronize(stream: int) -> None:
    """Nothing: all is done."""


def stream_query(stream: int) -> bool:
    """True: all is done."""
    return True


def stream_wait(stream: int, event: int) -> None:
    """Nothing: all is done."""


def call_later(stream: int, callback: Callable[[], object]) -> None:
    """Call it now: what was queued is done."""
    callback()


def new_event(flags: int) -> Handle:
    """An event."""
    return Handle()


def event_record(event: int, stream: int) -> None:
    """Note the time."""
    _KNOWN[event].at = perf_counter()


def event_query(event: int) -> bool:
    """True: what was recorded has come to pass."""
    return True


def event_synchronize(event: int) -> None:
    """Nothing: it has come to pass."""


def elapsed_time(start: int, end: int) -> float:
    """The milliseconds between two events.

    Raises CudaError where one was not recorded.
    """
    first, last = _KNOWN[start].at, _KNOWN[end].at
    if first is None or last is None:
        raise failures.failure(
            "cuEventElapsedTime", 400, "CUDA_ERROR_INVALID_HANDLE", "", None, None, ""
        )
    return 1000 * (last - first)
