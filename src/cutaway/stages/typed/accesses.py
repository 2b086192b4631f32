"""Accesses to items of arrays, axis by axis, and the sums that would prove them in range."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.affine import Affine, constant, variable
from cutaway.ir.induction import Linear
from cutaway.ir.nodes import Op


@dataclass(frozen=True, slots=True)
class AxisAccess:
    """One axis of one item op: its position in the tags, the index, and the label of its block.

    If all the sums that it `needs` are at least 0, the index is in range: values known before a
    loop.  None if no rule of one loop applies.
    """

    op: Op
    axis: int
    index: str
    block: int
    needs: tuple[Affine, ...] | None


def affine(value: Linear) -> Affine:
    """Return a variable and a constant as a sum."""
    base = constant(0) if value.base is None else variable(value.base)
    return base.plus(value.offset)


def sides(one: Affine) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return the terms that a sum subtracts, and those it adds: it is at least 0 if the first are
    at most the second and the constant."""
    less = [(name, -factor) for name, factor in one.terms if factor < 0]
    return less, [term for term in one.terms if term[1] > 0]
