"""Regions: blocks that an op runs.

The blocks of a function are lists of ops that passes change.  Those of a region are immutable, so
that the op that holds them can be shared as any op is, and a snapshot costs nothing; `region_views`
presents a region to passes as a function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass

if TYPE_CHECKING:
    from cutaway.ir.nodes import Block, Op


@dataclass(frozen=True, slots=True)
class FrozenBlock:
    """A block of a region.  It never changes, so that ops can be shared between functions."""

    label: int
    ops: tuple[Op, ...]

    @property
    def terminator(self) -> Op:
        """The op that ends the block."""
        return self.ops[-1]

    @property
    def handler(self) -> None:
        """None: an exception in a region belongs to the op that owns it."""
        return None


@dataclass(frozen=True, slots=True)
class Region:
    """Blocks that an op runs any number of times; a run begins in the first and ends in a `yield`.

    `indices` are variables that the op sets in each run, such as the counter of a loop.  `carried`
    are those that pass from one run to the next: initially they are `initial`, variables of the
    function around the region, and a `yield` sets their next values.  The op's results are the last
    ones. Other variables of the region live for one run; outer variables may be used but not
    assigned.  Labels and names are unique in the whole function.
    """

    indices: tuple[str, ...]
    carried: tuple[str, ...]
    initial: tuple[str, ...]
    blocks: tuple[FrozenBlock, ...]

    @staticmethod
    def of(
        blocks: Iterable[Block],
        indices: tuple[str, ...] = (),
        carried: tuple[str, ...] = (),
        initial: tuple[str, ...] = (),
    ) -> Region:
        """Return a region with the current ops of blocks."""
        return Region(indices, carried, initial, tuple(block.frozen() for block in blocks))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The variables that are bound when a run begins."""
        return (*self.indices, *self.carried)
