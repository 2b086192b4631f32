"""Collects comparisons that hold in the blocks that a branch on them leads to.

assert a.shape == b.shape       equal in all blocks that are reached through the assertion
if n != len(a):
    raise ValueError            equal in all that follows
while j >= 0 and x[j] > y:      j >= 0 in the loop
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.operators import OPPOSITE

Comparison = tuple[str, str, str]  # two variables with the operator between them


def compared(fn: Function, makers: Mapping[str, Op]) -> Iterator[tuple[int, str, str]]:
    """Yield each block that is entered only if two variables are equal, and the variables."""
    for reached, (lhs, symbol, rhs) in held(fn, makers):
        if symbol == "==":
            yield reached, lhs, rhs


def held(fn: Function, makers: Mapping[str, Op]) -> Iterator[tuple[int, Comparison]]:
    """Yield each block that is entered only if a comparison holds, and the comparison."""
    graph = graph_of(fn)
    for label, block in fn.blocks.items():
        branch = block.terminator
        for reached in {branch.then, branch.orelse} if isinstance(branch, nodes.Branch) else ():
            if tuple(graph.predecessors(reached)) == (label,):
                comparison = on_way(branch, reached, makers)
                if comparison is not None:
                    yield reached, comparison


def on_way(branch: Op, target: int, makers: Mapping[str, Op]) -> Comparison | None:
    """Return the comparison that holds on the edge from a branch to a target; None if unknown."""
    if not isinstance(branch, nodes.Branch) or branch.then == branch.orelse:
        return None
    if target not in (branch.then, branch.orelse):  # an exception handler
        return None
    holds = branch.then == target
    maker = makers.get(branch.cond)
    while isinstance(maker, nodes.Unary | nodes.Copy):
        if isinstance(maker, nodes.Unary) and maker.op.symbol == "not":
            holds = not holds
        elif isinstance(maker, nodes.Unary) and maker.op.symbol != "bool":
            return None
        maker = makers.get(maker.value)
    if not isinstance(maker, nodes.Binary) or maker.op.symbol not in OPPOSITE:
        return None
    symbol = maker.op.symbol
    return maker.lhs, symbol if holds else OPPOSITE[symbol], maker.rhs
