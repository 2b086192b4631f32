"""Accesses to items of arrays, axis by axis, and what would prove that they are in range."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.induction import Linear
from cutaway.ir.nodes import Op


@dataclass(frozen=True, slots=True)
class Requirement:
    """`low <= high` between two values known before a loop."""

    low: Linear
    high: Linear


@dataclass(frozen=True, slots=True)
class Access:
    """One axis of one item op: its position in the tags, and what would prove it."""

    op: Op
    axis: int
    needs: tuple[Requirement, ...]


ItemOp = nodes.GetItem | nodes.SetItem


def array_of(op: ItemOp) -> str:
    """The array whose item an op reads or writes."""
    return op.value if isinstance(op, nodes.GetItem) else op.target
