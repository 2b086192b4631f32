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

from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.liveness import deaths
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import uses
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Insert `del` behind last uses and where a branch leaves a variable behind."""
    fn = unit.fn
    told = unit.rewriting()
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
