"""The build of Python, and behavior and messages that depend on its version."""

from __future__ import annotations

import sys

FREE_THREADED = "t" in sys.abiflags  # the build of Python that can do without a GIL
LOOKS_UP_EXIT_FIRST = sys.version_info >= (3, 14)  # `with`: `__exit__` before `__enter__`
COUNTS_TOO_MANY = sys.version_info >= (3, 14)  # the items of a tuple, a list or a dictionary


def too_many(wanted: int, known: int | str | None = None) -> str:
    """What is said of too many values to unpack; `known` is their number, of what has one."""
    got = f", got {known}" if COUNTS_TOO_MANY and known is not None else ""
    return f"too many values to unpack (expected {wanted}{got})"
