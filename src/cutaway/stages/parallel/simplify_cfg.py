"""Make one block of blocks that always follow each other (stage 5b).

    label 2:                       label 2:
        x = a + b                      x = a + b
        jump 5                 ->      y = x * 2
    label 5:  (only from 2)
        y = x * 2

Parfors of one block can be fused, and a decided branch, or an inlined function, leaves several
blocks.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import retarget, targets
from cutaway.stages.unit import CompileUnit

MERGE_BLOCKS = Rule(
    "merge_blocks",
    "jump to a block that nothing else leads to => its ops in place",
    note="block {1} always follows block {0}, and is a part of it",
)


def run(unit: CompileUnit) -> None:
    """Merge as many blocks as can be."""
    editor, fn = unit.editor(), unit.fn
    label: int | None = next(iter(fn.blocks))
    done: set[int] = set()
    while label is not None:
        block = fn.blocks[label]
        after = _follower(unit, block)
        if after is None:
            done.add(label)
            label = next((one for one in fn.blocks if one not in done), None)
        else:
            _merge(editor, block, after)


def _follower(unit: CompileUnit, block: Block) -> Block | None:
    """Return the successor of a block, if it has no other predecessor."""
    end = block.terminator
    if not isinstance(end, nodes.Jump) or end.target == block.label:
        return None
    if len(graph_of(unit.fn).predecessors(end.target)) != 1:
        return None
    after = unit.fn.blocks[end.target]
    if isinstance(after.ops[0], nodes.Phi) or (block.handler, after.handler) != (None, None):
        return None
    return after


def _merge(editor: Editor, block: Block, after: Block) -> None:
    ops, label = list(after.ops), after.label
    editor.cut(block, len(block.ops) - 1, *ops)
    for successor in set(targets(ops[-1])):
        for position, op in enumerate(editor.fn.blocks[successor].ops):
            if isinstance(op, nodes.Phi):
                editor.replace(editor.fn.blocks[successor], position, _from(op, label, block.label))
    editor.drop_block(label)
    editor.commit(MERGE_BLOCKS, ops[0].loc, block.label, label)


def _from(op: Op, label: int, other: int) -> Op:
    return retarget(op, lambda one: other if one == label else one)
