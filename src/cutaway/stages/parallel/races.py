"""Elements that all iterations of a loop write: known when it is compiled.

    for i in prange(n):
        a[0] += b[i]        each iteration reads and writes a[0]: a race

A value that is the same in all iterations may be stored by all of them, and an iteration that
stores only under a condition may be the only one.  An index that depends on the iteration only
through values that are computed as the program runs, as `h[b[i]] += 1`, may or may not be the same
in two iterations.  Nothing is said of these here.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.induction import LinearValues
from cutaway.ir.nodes import Op
from cutaway.ir.region_views import view
from cutaway.ir.regions import Region
from cutaway.ir.traversal import bound_names
from cutaway.typing.analysis.items import axes_of
from cutaway.typing.types import Array, Type


def shared_write(
    fn: Function, region: Region, table: Mapping[str, Type], values: LinearValues
) -> Op | None:
    """The first op of a region that writes the same element of an array in all iterations; None if
    there is none that surely does."""
    graph = graph_of(view(fn, region))
    ends = [block.label for block in region.blocks if isinstance(block.terminator, nodes.Yield)]
    ops = [op for block in region.blocks for op in block.ops]
    own = {*region.arguments, *(name for op in ops for name in bound_names(op))}
    certain = [
        op
        for block in region.blocks
        if all(graph.dominates(block.label, end) for end in ends)
        for op in block.ops
    ]
    for op in certain:
        if not isinstance(op, nodes.SetItem | nodes.StaticSetItem) or op.target in own:
            continue
        if op.value not in own or isinstance(values.definitions.get(op.value), nodes.Const):
            continue
        if not isinstance(table.get(op.target), Array):
            continue
        if isinstance(op, nodes.StaticSetItem):
            return op
        axes = axes_of(op, values.definitions)
        terms = {name for axis in axes for name, _ in values.affine(axis).terms}
        if own.isdisjoint(terms):
            return op
    return None
