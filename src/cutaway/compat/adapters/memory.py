"""How many blocks of memory compiled code has allocated and given back."""

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
        """The counts as they are."""
        allocated, released = stats()
        return Counts(allocated, released, allocated, released)

    def initialize(self, context: object = None) -> None:
        """Make it ready: it is."""

    def shutdown(self) -> None:
        """End it: it lives as long as the process."""


rtsys = RuntimeSystem()


def memsys_enable_stats() -> None:
    """Have it count, as it always does."""


def memsys_disable_stats() -> None:
    """Have it stop counting, which costs nothing."""


def memsys_stats_enabled() -> bool:
    """True if it counts."""
    return True
