"""Remove code after operations that always raise (stage 4).

    $0.2 = static_getitem(value=t, index=5)          $0.2 = static_getitem(value=t, index=5)
    s.2 = s + $0.2                             ->    unreachable
    jump 4

That an op always raises is seen by its types: item 5 of a pair has no type.  The same holds for an
op that works on such a value: it is never executed.  LLVM gets no block that only looks reachable.
"""

from __future__ import annotations

from collections.abc import Callable

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, required
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import prune_branches
from cutaway.typing import types
from cutaway.typing.errors import wording
from cutaway.typing.types import Type

# These only pass on that a variable has no value, or have one on another path.
_HANDED_ON = (nodes.Undef, nodes.Phi, nodes.Copy, nodes.Cast, nodes.MakeFunction)


def _end_note(named: Callable[[str], str], ops: list[Op]) -> str:
    if len(ops) > 1 and not isinstance(ops[-2], _HANDED_ON):
        source = wording.quoted(wording.source_of(ops[-2]) or wording.UNNAMED)
        return f"{source} never has a value, so nothing after it is reached"
    return "this is never reached: it needs a value that there never is"


END_BLOCK = Rule(
    "end_block", "what follows an op that always raises => unreachable", note=_end_note
)


def run(unit: CompileUnit) -> None:
    """End each block where it surely raises; drop unreachable blocks."""
    editor = unit.editor()
    if _end_blocks(editor, unit.types):
        prune_branches.drop_unreachable(editor)


def _end_blocks(editor: Editor, table: dict[str, Type]) -> bool:
    """End blocks, those of regions too, where they surely raise; True if there are any."""
    fn = editor.fn
    changed = editor.in_regions(lambda inner: _end_blocks(inner, table))
    for block in fn.blocks.values():
        count = _executed(block.ops, table)
        if count == len(block.ops):
            continue
        loc = block.ops[count].loc
        editor.unsettle()  # until unreachable blocks are gone
        editor.cut(block, count, nodes.Unreachable(loc=loc, id=fn.new_id()))
        editor.commit(END_BLOCK, loc, block.ops)
        changed = True
    return changed


def _executed(ops: list[Op], table: dict[str, Type]) -> int:
    """Return the number of ops of a block that can be executed."""
    for position, op in enumerate(ops):
        if isinstance(op, _HANDED_ON):
            continue
        if any(table[name] is types.undefined for name in required(op)):
            return position
        if _always_raises(op, table):
            return position + 1
    return len(ops)


def _always_raises(op: Op, table: dict[str, Type]) -> bool:
    if isinstance(op, nodes.IterNext):  # its other result says whether there is one
        return False
    return any(table[name] is types.undefined for name in definitions(op))
