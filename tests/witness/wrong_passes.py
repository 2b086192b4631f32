"""A wrong pass that a script can import."""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import simplify


def operands_exchanged(unit: CompileUnit) -> None:
    """Simplify, and take the operands of `-` the wrong way round."""
    simplify.run(unit)
    told = unit.rewriting()
    for block in unit.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Binary) and op.op.symbol == "-":
                block.ops[position] = nodes.replace(op, lhs=op.rhs, rhs=op.lhs)
                if told is not None:
                    told.step("exchange", "`a - b` is `b - a`", op.loc)
