"""Which accesses come before which: the order that barriers, fences and atomics make.

What a thread does between two places where it waits or synchronizes is a *segment*.  A segment
comes before another one

- of the same thread, if it is earlier;
- of the same block, if a barrier of the block (`syncthreads`) lies between;
- of the same warp, if a `syncwarp` lies between in which both take part;
- of any thread, if its thread went through a `threadfence` after it, then through an atomic
  operation on an element, and the other thread came to an atomic operation on the same element
  later, and to the segment after that (`threadfence_block`: of threads of one block);

and before whatever comes after that.  The order in which the simulator runs threads is none.

What a thread knows to come before it is two tables: for threads the last segment, for blocks the
barriers passed.  They are never changed, so that threads share them.
"""

from __future__ import annotations

from cutaway.cuda.simulator.columns import Column
from cutaway.foundation.dataclass import dataclass, field

Known = dict[int, int]


@dataclass(frozen=True, slots=True)
class Past:
    """What comes before: of threads by number the last segment, of blocks the interval up to which
    (not including it) all that its threads did."""

    threads: Known = field(default_factory=dict)
    blocks: Known = field(default_factory=dict)

    def joined(self, other: Past) -> Past:
        """All of both."""
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
    """The segments of a launch, by number: whose each is, and what comes before it."""

    def __init__(self) -> None:
        self.threads, self.blocks, self.intervals = Column(), Column(), Column()
        self.pasts: list[Past] = []

    def add(self, thread: int, block: int, interval: int, past: Past) -> int:
        """A new segment of a thread."""
        self.threads.append(thread)
        self.blocks.append(block)
        self.intervals.append(interval)
        self.pasts.append(past)
        return len(self.pasts) - 1

    def is_before(self, one: int, other: int) -> bool:
        """True if a segment comes before another one."""
        thread, block = self.threads[one], self.blocks[one]
        if thread == self.threads[other]:
            return one <= other
        interval = self.intervals[one]
        if block == self.blocks[other] and interval < self.intervals[other]:
            return True
        past = self.pasts[other]
        return past.threads.get(thread, -1) >= one or past.blocks.get(block, 0) > interval

    def are_ordered(self, one: int, other: int) -> bool:
        """True if one of two segments comes before the other."""
        return self.is_before(one, other) or self.is_before(other, one)


class Meetings:
    """What the atomic operations of a launch hand on, by address."""

    def __init__(self) -> None:
        self._device: dict[int, Past] = {}
        self._block: dict[tuple[int, int], Past] = {}

    def at(self, address: int, block: int) -> Past:
        """What an atomic operation on an element takes over."""
        past = self._device.get(address, NOTHING)
        own = self._block.get((address, block))
        return past if own is None else past.joined(own)

    def leave(self, address: int, block: int, device: Past, within: Past) -> None:
        """Hand on what a thread's fences, of both kinds, have in front of them."""
        if device is not NOTHING:
            self._device[address] = self._device.get(address, NOTHING).joined(device)
        if within is not NOTHING:
            key = address, block
            self._block[key] = self._block.get(key, NOTHING).joined(within)
