"""Blocks that raise, one for each way that leads to them: a part of `prange_to_parfor`.

    label 3: ... branch bad, 9, 4            label 3: ... branch bad, 9, 4
    label 6: ... branch bad, 9, 7      ->    label 6: ... branch bad, 12, 7
    label 9: raise ValueError                label 9: raise ValueError
                                             label 12: raise ValueError

A loop and its version with checks, or two loops, may raise in one block; each needs one of its own
to be a region.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.traversal import definitions, rename_definitions, rename_uses, retarget
from cutaway.stages.unit import CompileUnit

COPY_RAISE = Rule(
    "copy_raise",
    "two ways to a block that raises => a block for each",
    note="what raises has a block of its own for each way that leads to it",
)
_RAISING = (nodes.Raise, nodes.StaticRaise, nodes.RaiseComputed, nodes.Unreachable)


def separate(unit: CompileUnit, editor: Editor) -> None:
    """Copy each block that raises for each of its predecessors."""
    fn = unit.fn
    graph = graph_of(fn)
    for block in list(fn.blocks.values()):
        if not isinstance(block.terminator, _RAISING) or any(op.REGIONS for op in block.ops):
            continue
        before = list(graph.predecessors(block.label))
        added = [name for label in before[1:] for name in _give(unit, editor, block, label)]
        if len(before) > 1:
            _keep(editor, block, before[0])
            editor.commit(COPY_RAISE, block.terminator.loc, types=added)


def _give(unit: CompileUnit, editor: Editor, block: Block, before: int) -> list[str]:
    """Add a copy of a block for one of its predecessors; return the names that the copy defines."""
    fn, new = unit.fn, unit.fn.new_label()
    names: dict[str, str] = {}
    copies: dict[str, str] = {}
    ids: dict[int, int] = {}
    ops: list[Op] = []
    for op in block.ops:
        if isinstance(op, nodes.Phi):
            names[op.result] = op.values[op.labels.index(before)]
            continue
        for name in definitions(op):
            names[name] = fn.fresh(user_name(name).lstrip("$"))
            copies[names[name]] = name
        number = fn.new_id()
        ids[number] = op.id
        op = rename_uses(op, lambda name: names.get(name, name))
        ops.append(replace(rename_definitions(op, lambda name: names.get(name, name)), id=number))
    unit.take_over(copies, ids)
    editor.add_block(Block(new, ops, block.handler))
    source = fn.blocks[before]
    end = retarget(source.terminator, lambda one: new if one == block.label else one)
    editor.replace(source, len(source.ops) - 1, end)
    return list(copies)


def _keep(editor: Editor, block: Block, before: int) -> None:
    """Keep one predecessor of a block."""
    ops: list[Op] = []
    for op in block.ops:
        if isinstance(op, nodes.Phi):
            value = op.values[op.labels.index(before)]
            ops.append(nodes.Copy(op.result, value, loc=op.loc, id=op.id))
        else:
            ops.append(op)
    editor.set_ops(block, ops)
