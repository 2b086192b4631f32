"""Drop what is never reached, since an op before it always raises (stage 4).

    $0.2 = static_getitem(value=t, index=5)          $0.2 = static_getitem(value=t, index=5)
    s.2 = s + $0.2                             ->    unreachable
    jump 4

That an op always raises is seen by its types: item 5 of a pair has no type.  The same holds for an
op that works on such a value: it is never executed.  LLVM gets no block that only looks reachable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.region_views import edit_regions
from cutaway.ir.traversal import definitions, operands
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped.prune_branches import drop_unreachable
from cutaway.typing import types
from cutaway.typing.errors.wording import UNNAMED, quoted, source_of
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.stages.rewriting import Rewriting

# These only hand on that a variable has no value, or have one on another way.
_HANDED_ON = (nodes.Undef, nodes.Phi, nodes.Copy, nodes.Cast, nodes.MakeFunction)


def run(unit: CompileUnit) -> None:
    """End each block where it surely raises; drop the blocks that nothing leads to any more."""
    if types.undefined not in unit.types.values():
        return
    told = unit.rewriting()
    if _end_blocks(unit.fn, unit.types, told):
        drop_unreachable(unit.fn, told)


def _end_blocks(fn: Function, table: dict[str, Type], told: Rewriting | None = None) -> bool:
    """End blocks, those of regions too, where they surely raise; whether there are any."""
    changed = edit_regions(fn, lambda inner: _end_blocks(inner, table))
    for label, block in fn.blocks.items():
        count = _executed(block.ops, table)
        if count == len(block.ops):
            continue
        rest = block.ops[count:]
        block.ops[count:] = [nodes.Unreachable(loc=rest[0].loc, id=fn.new_id())]
        changed = True
        if told is not None:
            told.unsettled = True
            told.step("end_block", _note(block.ops), rest[0].loc, (label,))
    return changed


def _executed(ops: list[Op], table: dict[str, Type]) -> int:
    """How many ops of a block can be executed."""
    for position, op in enumerate(ops):
        if isinstance(op, _HANDED_ON):
            continue
        if any(table[name] is types.undefined for name in operands(op)):
            return position
        if _always_raises(op, table):
            return position + 1
    return len(ops)


def _always_raises(op: Op, table: dict[str, Type]) -> bool:
    if isinstance(op, nodes.IterNext):  # says by another value whether there is one
        return False
    return any(table[name] is types.undefined for name in definitions(op))


def _note(ops: list[Op]) -> str:
    if len(ops) > 1 and not isinstance(ops[-2], _HANDED_ON):
        source = quoted(source_of(ops[-2]) or UNNAMED)
        return f"{source} never gives a value, so nothing after it is reached"
    return "this is never reached: it needs a value that there never is"
