"""Convert values that are assigned to variables with a declared type (stage 3).

    @jit(locals={"s": float32})
    s = s + x             ->    $declared.0 = s + x
                                s = cast(value=$declared.0)     :: float32

The casts are inserted here, before SSA, so that no later pass takes the assigned value for the
value of the variable.  Inference assigns them the declared type.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, rename_definitions
from cutaway.stages.unit import CompileUnit

CONVERT = Rule(
    "convert_declared",
    "an assignment to a declared variable => a cast to its type",
    note="{0} was declared with a type: what is assigned is converted to it",
)


def run(unit: CompileUnit) -> None:
    """Put a cast after each assignment to a declared variable."""
    declared = {name for name, _ in unit.flags.locals}
    editor = unit.editor()
    for block in unit.fn.blocks.values():
        position = 0
        while position < len(block.ops):
            op = block.ops[position]
            ops = _declared(unit.fn, op, declared)
            position += len(ops)
            if len(ops) > 1:
                editor.replace(block, position - len(ops), *ops)
                names = ", ".join(f"`{name}`" for name in definitions(op) if name in declared)
                editor.commit(CONVERT, op.loc, names)


def _declared(fn: Function, op: Op, declared: set[str]) -> list[Op]:
    """Return the op, with a cast for each declared variable that it assigns to."""
    names = [name for name in definitions(op) if name in declared]
    if not names:
        return [op]
    values = {name: fn.fresh("declared") for name in names}
    renamed = rename_definitions(op, lambda name: values.get(name, name))
    return [renamed, *(nodes.Cast(n, values[n], loc=op.loc, id=fn.new_id()) for n in names)]
