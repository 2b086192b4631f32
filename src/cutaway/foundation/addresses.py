"""Numbers that are addresses of this process, which mean nothing to another one."""

from __future__ import annotations

import re
from bisect import bisect_right

from cutaway.foundation.lazy import cached_property

_SMALLEST = 1 << 16  # no system has memory below
_LEAST_ELSEWHERE = 1 << 31  # where nothing tells which memory there is
_REGION = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) ", re.MULTILINE)


class MemoryMap:
    """The memory of this process, as it is when the first number is looked up."""

    @cached_property
    def _regions(self) -> list[tuple[int, int]] | None:
        """The bounds of the regions, in order; None where the system does not say them."""
        try:
            with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            return None
        return sorted((int(low, 16), int(high, 16)) for low, high in _REGION.findall(text))

    def may_hold(self, number: int) -> bool:
        """True if there is memory at a number, as far as that is known."""
        if not _SMALLEST <= number < 1 << 48:
            return False
        if self._regions is None:
            return number >= _LEAST_ELSEWHERE
        place = bisect_right(self._regions, (number, 1 << 64)) - 1
        return place >= 0 and number < self._regions[place][1]
