"""Recognizes integers that may be addresses in this process: they mean nothing in another one."""

from __future__ import annotations

import re
from bisect import bisect_right

from cutaway.foundation.lazy import cached_property

_SMALLEST = 1 << 16  # no system has memory below
_LEAST_ELSEWHERE = 1 << 31  # where the mapped regions are unknown
_REGION = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) ", re.MULTILINE)


class MemoryMap:
    """The mapped memory of this process, read at the first look-up."""

    @cached_property
    def _regions(self) -> list[tuple[int, int]] | None:
        """Return the sorted bounds of the mapped regions; None if the system does not list them."""
        try:
            with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            return None
        return sorted((int(low, 16), int(high, 16)) for low, high in _REGION.findall(text))

    def may_hold(self, number: int) -> bool:
        """True if an integer may be the address of mapped memory."""
        if not _SMALLEST <= number < 1 << 48:
            return False
        if self._regions is None:
            return number >= _LEAST_ELSEWHERE
        index = bisect_right(self._regions, (number, 1 << 64)) - 1
        return index >= 0 and number < self._regions[index][1]
