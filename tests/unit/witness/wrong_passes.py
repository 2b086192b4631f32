"""A wrong pass that a script can import."""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import simplify

EXCHANGE = Rule("exchange", "a - b => b - a", note="`a - b` is `b - a`")


def operands_exchanged(unit: CompileUnit) -> None:
    """Simplify, and take the operands of `-` the wrong way round."""
    simplify.run(unit)
    editor = unit.editor()
    for block in unit.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Binary) and op.op.symbol == "-":
                editor.replace(block, position, nodes.replace(op, lhs=op.rhs, rhs=op.lhs))
                editor.commit(EXCHANGE, op.loc)
