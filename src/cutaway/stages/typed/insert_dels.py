"""Say where each variable's life ends (stage 2).

    $0.1 = a + b              $0.1 = a + b
    $0.2 = cast(value=$0.1)   del a
    return $0.2          ->   del b
                              $0.2 = cast(value=$0.1)
                              del $0.1
                              return $0.2

Liveness, made visible.  The SSA pass drops these again: its versions have lives of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.liveness import deaths
from cutaway.ir.nodes import Op
from cutaway.ir.region_views import edit_regions
from cutaway.ir.traversal import uses
from cutaway.stages.unit import CompileUnit

if TYPE_CHECKING:
    from cutaway.stages.rewriting import Rewriting


def run(unit: CompileUnit) -> None:
    """Insert `del` behind last uses and where a branch leaves a variable behind."""
    told = unit.rewriting()
    _insert(unit.fn, told)
    if edit_regions(unit.fn, _insert_inside) and told is not None:
        loc = unit.fn.entry.ops[0].loc
        told.step("insert_del", "in a region nothing is kept longer than it is needed", loc)


def _insert_inside(fn: Function) -> None:
    _insert(fn, None)
    edit_regions(fn, _insert_inside)


def _insert(fn: Function, told: Rewriting | None) -> None:
    found = deaths(fn)
    for label, block in fn.blocks.items():
        first = block.ops[0]
        ops: list[Op] = []
        for name in found.at_start.get(label, ()):
            ops.append(nodes.Del(name, loc=first.loc, id=fn.new_id()))
        for position, op in enumerate(block.ops):
            ops.append(op)
            for name in found.after.get((label, position), ()):
                ops.append(nodes.Del(name, loc=op.loc, id=fn.new_id()))
        if told is not None:
            told.insertions(block, ops, lambda op: ("insert_del", _note(op)))
        else:
            block.ops[:] = ops


def _note(op: Op) -> str:
    (name,) = uses(op)
    what = "an intermediate value" if is_temporary(name) else f"`{user_name(name)}`"
    return f"{what} is not needed any more behind this"
