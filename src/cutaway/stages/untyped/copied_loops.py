"""Copies of the body of a loop, before SSA form: of an unrolled one, or of one that replaces
several `yield`s."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from cutaway.ir.editing import Editor
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.traversal import definitions, rename_definitions, rename_uses, retarget, uses


def own_temporaries(fn: Function, body: Collection[int]) -> set[str]:
    """Return the compiler's variables that only these blocks define and use."""
    inside = {n for label in body for op in fn.blocks[label].ops for n in definitions(op)}
    outside = {
        name
        for label, block in fn.blocks.items()
        if label not in body
        for op in block.ops
        for name in (*definitions(op), *uses(op))
    }
    return {name for name in inside - outside if is_temporary(name)}


def renamed(ops: Iterable[Op], names: Mapping[str, str]) -> list[Op]:
    """Return ops with variables renamed."""

    def name_of(name: str) -> str:
        return names.get(name, name)

    return [rename_uses(rename_definitions(op, name_of), name_of) for op in ops]


def copy_blocks(
    editor: Editor,
    blocks: Iterable[Block],
    labels: Mapping[int, int],
    targets: Mapping[int, int],
    names: Mapping[str, str],
    change: Callable[[Op], Op] = lambda op: op,
) -> None:
    """Add copies of blocks under new labels, with changed ops, renamed variables, and replaced
    targets."""
    fn = editor.fn
    copied = list(blocks)
    for block in copied:
        ops = [replace(change(op), id=fn.new_id()) for op in block.ops]
        ops = [retarget(op, lambda at: targets.get(at, at)) for op in renamed(ops, names)]
        handler = None if block.handler is None else targets.get(block.handler, block.handler)
        editor.add_block(Block(labels[block.label], ops, handler))
    editor.renew_regions([labels[block.label] for block in copied])
