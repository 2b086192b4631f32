"""What a program has compared: values that are equal where the comparison has sent it.

assert a.shape == b.shape       equal in all blocks that are reached through the assertion
if n != len(a):
    raise ValueError            equal in all that follows
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Op


def compared(fn: Function, makers: Mapping[str, Op]) -> Iterator[tuple[int, str, str]]:
    """A block that is entered only where two variables are equal, and the variables."""
    graph = graph_of(fn)
    for label, block in fn.blocks.items():
        branch = block.terminator
        if not isinstance(branch, nodes.Branch) or branch.then == branch.orelse:
            continue
        equal, differ = branch.then, branch.orelse
        maker = makers.get(branch.cond)
        while isinstance(maker, nodes.Unary | nodes.Copy):
            if isinstance(maker, nodes.Unary) and maker.op.symbol == "not":
                equal, differ = differ, equal
            elif isinstance(maker, nodes.Unary) and maker.op.symbol != "bool":
                break
            maker = makers.get(maker.value)
        if not isinstance(maker, nodes.Binary) or maker.op.symbol not in ("==", "!="):
            continue
        reached = equal if maker.op.symbol == "==" else differ
        if tuple(graph.predecessors(reached)) == (label,):
            yield reached, maker.lhs, maker.rhs
