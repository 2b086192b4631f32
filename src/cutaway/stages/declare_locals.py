"""Convert what is assigned to variables that were declared with a type (stage 3).

    @jit(locals={"s": float32})
    s = s + x             ->    $declared.0 = s + x
                                s = cast(value=$declared.0)     :: float32

The casts are written here, in front of SSA, so that no later pass takes the value that was
assigned for the value of the variable.  Inference gives them the declared type.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, rename_definitions
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Put a cast behind each assignment to a declared variable."""
    declared = {name for name, _ in unit.flags.locals}
    if not declared:
        return
    fn = unit.fn
    for block in fn.blocks.values():
        ops: list[Op] = []
        for op in block.ops:
            names = [name for name in definitions(op) if name in declared]
            given = {name: fn.fresh("declared") for name in names}
            ops.append(rename_definitions(op, lambda name, given=given: given.get(name, name)))
            ops += [nodes.Cast(n, given[n], loc=op.loc, id=fn.new_id()) for n in names]
        block.ops[:] = ops
