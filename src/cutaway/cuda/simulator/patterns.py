"""Access patterns of the threads of a warp: bank conflicts, and uncoalesced access.

The nth accesses of a warp's lanes at one site since a barrier count as one request, as they are if
the lanes do not diverge.  Shared memory has 32 banks of 4 bytes: words of one bank are read one
after the other (*ways*).  Global memory moves in sectors of 32 bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cutaway.cuda.simulator.columns import Numbers
from cutaway.cuda.simulator.report import Remark
from cutaway.cuda.simulator.watching import Batch

if TYPE_CHECKING:
    from cutaway.cuda.simulator.launching import Launch

MOST_REQUESTS = 512  # of a site that are analyzed
SECTOR, BANKS, WORD, WARP = 32, 32, 4, 32


class _Seen:
    """The statistics of a site."""

    __slots__ = ("bytes", "kind", "lanes", "least", "most", "requests", "total", "worst")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.requests = self.total = self.least = self.worst = self.lanes = 0


class Patterns:
    """The access patterns of a launch."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.seen: dict[int, _Seen] = {}

    def look(self, batch: Batch, kind: Numbers) -> None:
        """Analyze the accesses of an interval."""
        sites = np.unique(batch.site)
        for site in sites.tolist():
            known = self.seen.get(site)
            if known is None or known.requests < MOST_REQUESTS:
                mine = np.flatnonzero(batch.site == site)[: MOST_REQUESTS * WARP]
                self._look_at(site, batch.address[mine], batch.segment[mine])

    def _look_at(self, site: int, address: Numbers, segment: Numbers) -> None:
        launch = self.launch
        storage = launch.space.at(int(address[0]))
        if storage.kind not in ("global", "shared"):
            return
        inside = (address >= storage.base) & (address < storage.base + storage.reach)
        address, segment = address[inside], segment[inside]
        bx, by, bz = launch.block
        serial = launch.segments.threads.array[segment]
        thread = serial % (bx * by * bz)
        order = np.argsort(serial, kind="stable")
        serial, thread, address = serial[order], thread[order], address[order]
        starts = np.flatnonzero(np.diff(serial, prepend=-1))
        lengths = np.diff(np.append(starts, len(serial)))
        turn = np.arange(len(serial)) - np.repeat(starts, lengths)
        _, warp = np.unique(serial // (bx * by * bz) * 64 + thread // WARP, return_inverse=True)
        request = warp * (int(turn.max()) + 1) + turn
        place = (address - storage.base) * (storage.itemsize if storage.stretch == 1 else 1)
        seen = self.seen.setdefault(site, _Seen(storage.kind))
        if storage.kind == "shared":
            self._banks(seen, request, thread % WARP, place, storage.itemsize)
        else:
            self._sectors(seen, request, place, storage.itemsize)

    def _sectors(self, seen: _Seen, request: Numbers, place: Numbers, size: int) -> None:
        elements = _count_distinct(request, place // size)
        sectors = _count_distinct(request, place // SECTOR)
        least = -(-elements * size // SECTOR)
        seen.requests += len(sectors)
        seen.total += int(sectors.sum())
        seen.least += int(least.sum())
        seen.worst = max(seen.worst, int(sectors.max()))

    def _banks(
        self, seen: _Seen, request: Numbers, lane: Numbers, place: Numbers, size: int
    ) -> None:
        parts = max(1, size // WORD)  # wider elements of a warp are served in parts
        request = request * parts + lane * parts // WARP
        word = place // WORD
        width = int(word.max()) + 1
        words = np.unique(request * width + word)  # each word once
        banks, counts = np.unique(
            words // width * BANKS + words % width % BANKS, return_counts=True
        )
        starts = np.flatnonzero(np.diff(banks // BANKS, prepend=-1))
        ways = np.maximum.reduceat(counts, starts)
        seen.requests += len(ways)
        seen.total += int(ways.sum())
        seen.least += len(ways)
        seen.worst = max(seen.worst, int(ways.max()))

    def remarks(self) -> tuple[Remark, ...]:
        """Return the remarks on costly patterns, by line."""
        found = []
        for number, seen in sorted(self.seen.items()):
            site = self.launch.program.sites[number]
            if not seen.requests or seen.worst <= 1:
                continue
            average, least = seen.total / seen.requests, seen.least / seen.requests
            if seen.kind == "shared" and average > 1.25:
                found.append(Remark("bank conflict", site.loc, site.name, average, 1.0, seen.worst))
            elif seen.kind == "global" and average > 1.5 * least and seen.worst > 2:
                found.append(
                    Remark("uncoalesced access", site.loc, site.name, average, least, seen.worst)
                )
        return tuple(found)


def _count_distinct(request: Numbers, value: Numbers) -> Numbers:
    """Count the distinct values of each request."""
    width = int(value.max()) + 1
    pairs = np.unique(request * width + value)
    _, counts = np.unique(pairs // width, return_counts=True)
    return counts
