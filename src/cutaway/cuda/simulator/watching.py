"""Memory accesses of threads: logged by the generated code, and checked when a barrier is passed.

The code appends the address of each access to the list of its site.  The segment of each follows
from the lengths of the lists at the ends of segments.  At a barrier of a block the lists become
arrays, and the elements that several threads have accessed, and one has written, are checked one by
one: whether the accesses are ordered (`ordering`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from cutaway.cuda.simulator.columns import Numbers, Table
from cutaway.cuda.simulator.ordering import Segments
from cutaway.cuda.simulator.places import Site

READ, WRITE, ATOMIC = 0, 1, 2
_KINDS = {"r": READ, "w": WRITE, "a": ATOMIC}
NOBODY, MANY = -1, -2
MOST_PENDING = 1 << 20  # accesses in the lists, after which they become arrays


class Batch(NamedTuple):
    """Accesses of one block: addresses, segments and sites."""

    address: Numbers
    segment: Numbers
    site: Numbers


class Clash(NamedTuple):
    """Two unordered accesses, each with its segment and site."""

    address: int
    first: tuple[int, int]
    second: tuple[int, int]


class Watch:
    """The accesses of a launch."""

    def __init__(self, sites: list[Site], segments: Segments, limit: int) -> None:
        self.sites, self.segments, self.limit = sites, segments, limit
        self.kinds = np.array([_KINDS[site.kind] for site in sites] or [0], np.int64)
        self.lists: list[list[int]] = [[] for _ in sites]  # addresses, by site
        self._closed: list[int] = []  # segments, and the lengths of the lists at their ends
        self._lengths: list[list[int]] = []
        self.pending: list[Batch] = []
        self.looks: list[Callable[[Batch, Numbers], None]] = []
        self.accesses = 0
        self.global_end = 0
        self._owners, self._atomics = Table(NOBODY), Table(NOBODY)
        self._writer, self._readers = Table(NOBODY), (Table(NOBODY), Table(NOBODY))
        self._updaters = Table(NOBODY), Table(NOBODY)

    # --- writing down ---------------------------------------------------------------------------

    def close(self, segment: int) -> None:
        """Assign the accesses since the last call to a segment."""
        self._closed.append(segment)
        self._lengths.append([*map(len, self.lists)])
        if not len(self._closed) % 64 and sum(self._lengths[-1]) > MOST_PENDING:
            self.collect()

    def collect(self) -> None:
        """Convert the lists to arrays."""
        if not self._closed:
            return
        segments = np.array(self._closed, np.int64)
        counts = np.diff(np.array(self._lengths, np.int64), axis=0, prepend=0)
        for number, found in enumerate(self.lists):
            if not found:
                continue
            address = np.array(found, np.int64)
            segment = np.repeat(segments, counts[:, number])
            if int(address.max()) >= self.limit:
                kept = address < self.limit
                address, segment = address[kept], segment[kept]
            self.pending.append(Batch(address, segment, np.full(len(address), number, np.int64)))
            self.accesses += len(address)
            found.clear()
        self._closed.clear()
        self._lengths.clear()

    def taken(self) -> list[Batch]:
        """Return the accesses since the last call."""
        self.collect()
        found, self.pending = self.pending, []
        return found

    # --- checks
    # --------------------------------------------------------------------------------------

    def clashes(self, batches: list[Batch], block: int, end: int) -> Iterator[Clash]:
        """Yield the unordered accesses within an interval of a block, and between it and earlier
        ones of other blocks."""
        if not batches:
            return
        whole = Batch(*(np.concatenate(one) for one in zip(*batches, strict=True)))
        kind = self.kinds[whole.site]
        for look in self.looks:
            look(whole, kind)
        yield from self._within(whole, kind, end)
        if self.global_end:
            yield from self._across(whole, kind, block)

    def _within(self, batch: Batch, kind: Numbers, end: int) -> Iterator[Clash]:
        """Yield the clashes between threads of the block."""
        thread = self.segments.threads.array[batch.segment]
        suspects = np.zeros(len(thread), np.bool_)
        for table, wanted in ((self._owners, WRITE), (self._atomics, ATOMIC)):
            owners, mine = table.sized(end), kind == wanted
            if not mine.any():
                continue
            at, who = batch.address[mine], thread[mine]
            owners[at] = who
            owners[at[owners[at] != who]] = MANY
            others = owners[batch.address]
            met = (others != NOBODY) & (others != thread)
            suspects |= met & (kind != ATOMIC) if wanted == ATOMIC else met
            owners[at] = NOBODY
        if not suspects.any():
            return
        addresses = np.unique(batch.address[suspects])
        chosen = np.flatnonzero(np.isin(batch.address, addresses))
        yield from self._one_by_one(batch, kind, chosen)

    def _one_by_one(self, batch: Batch, kind: Numbers, chosen: Numbers) -> Iterator[Clash]:
        """Yield the clashes among accesses of suspect elements, checked pair by pair."""
        rows = np.stack(
            [batch.address[chosen], batch.segment[chosen], batch.site[chosen], kind[chosen]], axis=1
        )
        rows = np.unique(rows, axis=0)
        starts = np.flatnonzero(np.diff(rows[:, 0], prepend=-1))
        for group in np.split(rows, starts[1:]):
            yield from self._pairs(group.tolist())

    def _pairs(self, rows: list[list[int]]) -> Iterator[Clash]:
        for k, (address, segment, site, kind) in enumerate(rows):
            for _, other, place, how in rows[:k]:
                if READ == kind == how or ATOMIC == kind == how:
                    continue
                if not self.segments.are_ordered(other, segment):
                    yield Clash(address, (other, place), (segment, site))

    def _across(self, batch: Batch, kind: Numbers, block: int) -> Iterator[Clash]:
        """Yield the clashes with accesses of other blocks."""
        inside = batch.address < self.global_end
        address, kind = batch.address[inside], kind[inside]
        code = batch.segment[inside] * len(self.sites) + batch.site[inside]
        is_read, is_write, is_atomic = kind == READ, kind == WRITE, kind == ATOMIC
        pairs: list[Numbers] = []
        tables = [(self._writer, np.ones(len(kind), np.bool_))]
        tables += [(table, ~is_read) for table in self._readers]
        tables += [(table, ~is_atomic) for table in self._updaters]
        for table, mine in tables:
            before = table.sized(self.global_end)[address[mine]]
            met = before >= 0
            met[met] = self._blocks_of(before[met]) != block
            if met.any():
                pairs.append(np.stack([address[mine][met], before[met], code[mine][met]], axis=1))
        self._writer.sized(self.global_end)[address[is_write]] = code[is_write]
        self._note(self._readers, address[is_read], code[is_read], block)
        self._note(self._updaters, address[is_atomic], code[is_atomic], block)
        if pairs:
            yield from self._unordered(np.unique(np.concatenate(pairs), axis=0))

    def _note(
        self, tables: tuple[Table, Table], address: Numbers, code: Numbers, block: int
    ) -> None:
        """Record the last block, and the last one other than that."""
        last, other = (table.sized(self.global_end) for table in tables)
        before = last[address]
        differs = before >= 0
        differs[differs] = self._blocks_of(before[differs]) != block
        other[address[differs]] = before[differs]
        last[address] = code

    def _blocks_of(self, codes: Numbers) -> Numbers:
        return self.segments.blocks.array[codes // len(self.sites)]

    def _unordered(self, rows: Numbers) -> Iterator[Clash]:
        count = len(self.sites)
        known: dict[tuple[int, int], bool] = {}
        for address, before, code in rows.tolist():
            key = before // count, code // count
            if key not in known:
                known[key] = self.segments.are_ordered(*key)
            if not known[key]:
                first, second = divmod(before, count), divmod(code, count)
                yield Clash(address, first, second)
