"""Exceptions that threads of kernels have raised.

Each loaded module of a kernel that may raise has a record in host memory, mapped for its threads.
The first thread that raises fills it in. The host checks it when it waits for the GPU anyway, and
before the next launch of the same kernel.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable
from typing import Any

from cutaway.cuda.driver import access
from cutaway.foundation.loading import guard_forks

RECORD_BYTES = 64  # taken, site, block, thread: 32 bits each; four words of 64 bits
_PORTABLE_AND_MAPPED = 3

Place = tuple[int, int, int]
Explain = Callable[[int, Place, Place, tuple[int, ...]], BaseException]


class Report:
    """The record of one loaded module; `explain` makes the exception."""

    __slots__ = ("memory", "address", "context", "explain", "__weakref__")

    def __init__(self, explain: Explain) -> None:
        driver = access.driver()
        self.memory = driver.allocate_host(RECORD_BYTES, _PORTABLE_AND_MAPPED)
        self.address = int(self.memory.handle)
        self.context = driver.current_context()
        self.explain = explain
        ctypes.memset(self.address, 0, RECORD_BYTES)
        with _LOCK:
            _ALL.add(self)

    @property
    def is_filled(self) -> bool:
        """True if a thread has raised."""
        return self.memory.is_open and bool(ctypes.c_int32.from_address(self.address).value)

    def taken(self) -> BaseException:
        """Return the recorded exception and clear the record."""
        small = (ctypes.c_uint32 * 8).from_address(self.address)
        words = (ctypes.c_int64 * 4).from_address(self.address + 32)
        site, *places = list(small)[1:]
        payload = tuple(words)
        block, thread = tuple(places[:3]), tuple(places[3:])
        ctypes.memset(self.address, 0, RECORD_BYTES)
        return self.explain(site, block, thread, payload)  # three each


_ALL: weakref.WeakSet[Report] = weakref.WeakSet()
_LOCK = threading.RLock()  # held while iterating over them, so that each exception is raised once
guard_forks(_LOCK.acquire, _LOCK.release)


def raise_first() -> None:
    """Raise the exception of a thread, if any; all launched work is done."""
    with _LOCK:
        for report in [*_ALL]:
            if report.is_filled and report.context == access.driver().current_context():
                raise report.taken()


def look() -> Any:
    """Wait for running work, and raise the exception of a thread, if any."""
    access.driver().synchronize()
    raise_first()


def forget() -> None:
    """Release all records, before their modules are unloaded."""
    with _LOCK:
        for report in [*_ALL]:
            report.memory.release()
        _ALL.clear()
