"""The memory kept by a pass: objects, which cost nothing to count, and bytes on request.

`sys.getallocatedblocks()` walks through all memory of the process: 10 microseconds in a small one,
400 in one with three million objects, twice a pass. The garbage collector's count is free; it only
restarts with each collection, which the meter observes.
"""

from __future__ import annotations

import gc
import tracemalloc

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PassMemory:
    """The memory kept by a pass, including the compilations nested in it.

    `objects` is the increase in the number of containers: ops, tuples, lists, dictionaries, but not
    numbers and strings. It is negative if the pass freed more than it made. It is the count of
    Python's garbage collector, and so approximate: lists and tuples reused from Python's free lists
    are not counted again, and garbage that only a collection can free counts as alive.

    `bytes` is the increase in Python's memory in use, and `peak` the largest increase during the
    pass; both need `trace(..., memory=True)`. Neither includes LLVM's own allocations.
    """

    objects: int
    bytes: int | None = None
    peak: int | None = None

    def __str__(self) -> str:
        shown = f"{self.objects:+d} objects"
        if self.bytes is None or self.peak is None:
            return shown
        return f"{shown}, {self.bytes / 1e3:+.1f} kB, at most {self.peak / 1e3:+.1f} kB"


class Meter:
    """Counts objects around nested passes."""

    def __init__(self) -> None:
        self._begun: list[int] = []
        self._earlier = 0  # objects made before the last collection
        self._counted = 0  # at the start of the collection

    def begin(self) -> None:
        """Note that a pass begins."""
        if not self._begun:
            gc.callbacks.append(self._collection)
        self._begun.append(self._now())

    def end(self) -> PassMemory:
        """Return the memory of the pass that began last, which ends."""
        growth = self._now() - self._begun.pop()
        if not self._begun:
            gc.callbacks.remove(self._collection)
        return PassMemory(growth)

    def _now(self) -> int:
        return self._earlier + gc.get_count()[0]

    def _collection(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._counted = gc.get_count()[0]
        else:  # the count restarts at zero
            self._earlier += self._counted


class ByteMeter(Meter):
    """Also counts bytes, from the first pass to the end of the last."""

    def __init__(self) -> None:
        super().__init__()
        self._bytes: list[tuple[int, int]] = []  # in use when a pass began, peak so far
        self._started = False

    def begin(self) -> None:
        if not self._bytes and not tracemalloc.is_tracing():
            tracemalloc.start(1)
            self._started = True
        self._note_peak()
        now, _ = tracemalloc.get_traced_memory()
        self._bytes.append((now, now))
        super().begin()

    def end(self) -> PassMemory:
        objects = super().end().objects
        self._note_peak()
        now, _ = tracemalloc.get_traced_memory()
        first, peak = self._bytes.pop()
        if not self._bytes and self._started:
            tracemalloc.stop()
            self._started = False
        return PassMemory(objects, now - first, peak - first)

    def _note_peak(self) -> None:
        """Count the peak since the last look for all running passes."""
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        self._bytes[:] = [(first, max(peak, most)) for first, peak in self._bytes]
