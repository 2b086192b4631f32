"""Counts of the memory blocks that compiled code has allocated and freed."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.runtime import stats


class Counts(NamedTuple):
    """Blocks, and owners of blocks, since the process began; an owner lies in its block here."""

    alloc: int
    free: int
    mi_alloc: int
    mi_free: int


class RuntimeSystem:
    """The memory of compiled code, which always counts."""

    def get_allocation_stats(self) -> Counts:
        """Return the current counts."""
        allocated, released = stats()
        return Counts(allocated, released, allocated, released)

    def initialize(self, context: object = None) -> None:
        """Do nothing: it is always initialized."""

    def shutdown(self) -> None:
        """Do nothing: it lives as long as the process."""


rtsys = RuntimeSystem()


def memsys_enable_stats() -> None:
    """Do nothing: it always counts."""


def memsys_disable_stats() -> None:
    """Do nothing: counting is free."""


def memsys_stats_enabled() -> bool:
    """True if it counts."""
    return True
