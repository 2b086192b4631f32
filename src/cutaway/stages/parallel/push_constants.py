"""Define constants and functions within the parfors that use them (stage 5b).

    $f = global(math.sin)                          parfor from (0) to ($n) by (1):
    parfor from (0) to ($n) by (1):         ->         $f.2 = global(math.sin)
        $x = call $f($y)                               $x = call $f.2($y)

The body of a parfor becomes a function of its own, whose parameters are the variables from outside.
A function cannot be one, and a constant need not.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op, replace
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import captured, definitions, makers_of, rename_uses
from cutaway.stages.unit import CompileUnit

PUSH = Rule(
    "push_constant",
    "x = a constant; parfor: uses x => parfor: x.2 = the constant; uses x.2",
    note="{0!v} is a constant, which the loop defines for itself",
)
_CONSTANTS = (nodes.Const, nodes.Global, nodes.FreeVar)


def run(unit: CompileUnit) -> None:
    """Copy the constants that bodies use into them."""
    fn = unit.fn
    makers, editor = makers_of(fn), unit.editor()
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.Parfor):
                continue
            names = [name for name in captured(op) if isinstance(makers.get(name), _CONSTANTS)]
            for name in names:
                op = _with(unit, op, name, makers[name])
            if names:
                editor.replace(block, position, op)
                new = [n for one in op.body.blocks[0].ops for n in definitions(one)]
                editor.commit(PUSH, op.loc, names[0], types=new)


def _with(unit: CompileUnit, op: nodes.Parfor, name: str, maker: Op) -> nodes.Parfor:
    """Return the parfor with a constant of its own."""
    fn = unit.fn
    result = fn.fresh("const" if is_temporary(name) else user_name(name))
    own = replace(maker, result=result, id=fn.new_id())
    unit.take_over({result: name}, {own.id: maker.id})
    body = op.body

    def renamed(one: Op) -> Op:
        return rename_uses(one, lambda used: result if used == name else used)

    blocks = [FrozenBlock(b.label, tuple(map(renamed, b.ops))) for b in body.blocks]
    phis = sum(isinstance(one, nodes.Phi) for one in blocks[0].ops)
    ops = blocks[0].ops
    blocks[0] = FrozenBlock(blocks[0].label, (*ops[:phis], own, *ops[phis:]))
    region = Region(body.indices, body.carried, body.initial, tuple(blocks))
    return replace(op, body=region)
