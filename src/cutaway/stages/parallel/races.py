"""Elements that all iterations of a loop write: known when it is compiled.

    for i in prange(n):
        a[0] += b[i]        each iteration reads and writes a[0]: a race

A value that is the same in all iterations may be stored by all of them, and an iteration that
stores only under a condition may be the only one.  Whether `h[b[i]] += 1` is a race depends on what
b holds: it is doubtful where no axis of the index is known to be another place in each iteration.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir import nodes
from cutaway.ir.affine import Affine
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


def doubtful_update(
    region: Region, table: Mapping[str, Type], values: LinearValues
) -> nodes.SetItem | None:
    """The first op of a region that stores in an element which its iteration has read, and which
    may be that of other iterations, too; None if there is none."""
    ops = [op for block in region.blocks for op in block.ops]
    own = {*region.arguments, *(name for op in ops for name in bound_names(op))}
    read = {(op.value, op.index) for op in ops if isinstance(op, nodes.GetItem)}
    for op in ops:
        if not isinstance(op, nodes.SetItem) or (op.target, op.index) not in read:
            continue
        if op.target in own or not isinstance(table.get(op.target), Array):
            continue
        if not any(
            _is_apart(values.affine(axis), region.indices, own)
            for axis in axes_of(op, values.definitions)
        ):
            return op
    return None


def _is_apart(place: Affine, indices: tuple[str, ...], own: set[str]) -> bool:
    """True for a place along an axis that is another one in each iteration."""
    moving = [name for name, _ in place.terms if name in own]
    return len(moving) == 1 and moving[0] in indices
