"""Fuse generators into the loops that take their values (stage 3).

    def squares(n):                         n@squares = m
        for i in range(n):                  for i@squares in range(n@squares):
            yield i * i             ->          x = i@squares * i@squares
    for x in squares(m):                        s += x
        s += x

The body of the generator replaces the loop, and the body of the loop each `yield`: `continue`
continues after the `yield`, and `break` leaves the generator where it is.  No state has to be kept
between two values, since both are one function.

`sum`, `any`, `all`, `min`, `max` and `enumerate` of a generator become loops first.  A generator is
not fused, and is refused when types are inferred, where it has any other use, or where it has to be
closed: a `yield` within `try`.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.constants import gives_generators
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import fusion
from cutaway.stages.untyped.inlined_functions import is_compiled_generator


def run(unit: CompileUnit) -> None:
    """Fuse until no fusible loop is left."""
    if any(_gives_generators(unit, op) for op in walk(unit.fn)):
        fusion.fuse(unit)


def _gives_generators(unit: CompileUnit, op: Op) -> bool:
    match op:
        case nodes.MakeFunction():
            return gives_generators(op.code)
        case nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
            return is_compiled_generator(value) or unit.target.registry.may_generate(value)
        case nodes.GetAttr():  # of a module, perhaps
            return True
    return False
