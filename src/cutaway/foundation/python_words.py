"""The build of Python, and behavior and messages that depend on its version."""

from __future__ import annotations

import sys

FREE_THREADED = "t" in sys.abiflags  # the build that can run without a GIL
LOOKS_UP_EXIT_FIRST = sys.version_info >= (3, 14)  # `with`: `__exit__` before `__enter__`
COUNTS_TOO_MANY = sys.version_info >= (3, 14)  # whether the message has the actual number of items


def too_many(wanted: int, known: int | str | None = None) -> str:
    """Return the message for too many values to unpack; `known` is their number if it is known."""
    got = f", got {known}" if COUNTS_TOO_MANY and known is not None else ""
    return f"too many values to unpack (expected {wanted}{got})"
