"""The happens-before order of accesses, by barriers, fences and atomics.

The actions of a thread between two synchronizations form a *segment*.  A segment happens before
another one

- of the same thread, if it is earlier;
- of the same block, if a barrier of the block (`syncthreads`) lies between;
- of the same warp, if a `syncwarp` lies between in which both take part;
- of any thread, if its thread executed a `threadfence` after it, then an atomic operation on an
  element, and the other thread executed an atomic operation on the same element later, before that
  segment (`threadfence_block`: for threads of one block);

and before whatever comes after that.  The order in which the simulator runs threads does not count.

The past of a segment is two tables: the last segment of threads, and the number of barriers passed
by blocks.  They are immutable, so that threads share them.
"""

from __future__ import annotations

from cutaway.cuda.simulator.columns import Column
from cutaway.foundation.dataclass import dataclass, field

Known = dict[int, int]


@dataclass(frozen=True, slots=True)
class Past:
    """The happens-before set: by thread number its last segment, by block the interval up to which
    (exclusive) it includes all actions of its threads."""

    threads: Known = field(default_factory=dict)
    blocks: Known = field(default_factory=dict)

    def joined(self, other: Past) -> Past:
        """Return the union of both."""
        if other is self or not (other.threads or other.blocks):
            return self
        if not (self.threads or self.blocks):
            return other
        return Past(_joined(self.threads, other.threads), _joined(self.blocks, other.blocks))


NOTHING = Past()


def _joined(one: Known, other: Known) -> Known:
    if one is other or not other:
        return one
    if len(one) < len(other):
        one, other = other, one
    found = dict(one)
    for key, value in other.items():
        if found.get(key, -1) < value:
            found[key] = value
    return found


class Segments:
    """The launch's segments, by number: the owner of each, and its happens-before set."""

    def __init__(self) -> None:
        self.threads, self.blocks, self.intervals = Column(), Column(), Column()
        self.pasts: list[Past] = []

    def add(self, thread: int, block: int, interval: int, past: Past) -> int:
        """Add a segment of a thread; returns its number."""
        self.threads.append(thread)
        self.blocks.append(block)
        self.intervals.append(interval)
        self.pasts.append(past)
        return len(self.pasts) - 1

    def is_before(self, one: int, other: int) -> bool:
        """True if a segment happens before another one."""
        thread, block = self.threads[one], self.blocks[one]
        if thread == self.threads[other]:
            return one <= other
        interval = self.intervals[one]
        if block == self.blocks[other] and interval < self.intervals[other]:
            return True
        past = self.pasts[other]
        return past.threads.get(thread, -1) >= one or past.blocks.get(block, 0) > interval

    def are_ordered(self, one: int, other: int) -> bool:
        """True if one of two segments happens before the other."""
        return self.is_before(one, other) or self.is_before(other, one)


class Meetings:
    """The pasts that atomic operations of a launch pass on, by address."""

    def __init__(self) -> None:
        self._device: dict[int, Past] = {}
        self._block: dict[tuple[int, int], Past] = {}

    def at(self, address: int, block: int) -> Past:
        """Return the past that an atomic operation on an element acquires."""
        past = self._device.get(address, NOTHING)
        own = self._block.get((address, block))
        return past if own is None else past.joined(own)

    def leave(self, address: int, block: int, device: Past, within: Past) -> None:
        """Release the pasts of a thread's fences, of both kinds, at an element."""
        if device is not NOTHING:
            self._device[address] = self._device.get(address, NOTHING).joined(device)
        if within is not NOTHING:
            key = address, block
            self._block[key] = self._block.get(key, NOTHING).joined(within)
