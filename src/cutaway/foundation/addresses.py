"""Numbers that are addresses of this process, which mean nothing to another one."""

from __future__ import annotations

import re

_SMALLEST = 1 << 16  # no system has memory below
_LEAST_ELSEWHERE = 1 << 31  # where nothing tells which memory there is
_REGION = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) ", re.MULTILINE)


def may_be_address(number: int) -> bool:
    """True if there is memory of this process at a number, as far as that is known."""
    if not _SMALLEST <= number < 1 << 48:
        return False
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return number >= _LEAST_ELSEWHERE
    bounds = ((int(low, 16), int(high, 16)) for low, high in _REGION.findall(text))
    return any(low <= number < high for low, high in bounds)
