"""Sums of floats that a loop carries from run to run.

What a condition lets through:

    for i in range(n):        latch:  %s.3 = phi [ %s, body ], [ %s.2, then ]    %s.2 = %s + %x
        if x[i] > 0:     =>
            s += x[i]         latch:  %x.2 = phi [ -0.0, body ], [ %x, then ]
                                      %s.3 = %s + %x.2

Of the first LLVM makes a `select` between the old sum and the new one, for which the next run has
to wait after the sum itself, and it knows no vectors for it.  The second always adds, and what it
adds is chosen beside the sum: compared and chosen in vectors, then added one after the other.  It
takes 0.7 of the time, of half of the numbers.

`s + -0.0` is `s`, whatever `s` is: for -0.0 as well, which +0.0 would turn into 0.0.  What is
subtracted is 0.0 therefore.

Several at once:

    for i in range(n):
        a += x[i]; b += x[i] * x[i]; c += y[i]

In a vector of runs each sum takes its own additions, one after the other.  Sums of different
variables are neighbors, which one addition of a vector makes together.  That is the better way
where there is little else to do in a run: five sums took 1.4 times as long in vectors of runs,
three sums with a root 0.5 times.  And where elements are added and nothing else is done, vectors
of runs have nothing to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Loop
from cutaway.ir.nodes import Op
from cutaway.typing import types
from cutaway.typing.types import Type

FLOATS = (types.float64, types.float32)
SEVERAL = 3  # sums that are neighbors
LITTLE = 2  # operations for each sum that are not worth a vector of runs
STRAIGHT = 2  # blocks of a loop in which nothing depends on a condition: header and body

# What an operator leaves a float as it is with, and the instruction.
_NEUTRAL = {"+": ("-0.0", "fadd"), "-": ("0.0", "fsub")}


@dataclass(frozen=True, slots=True)
class ConditionalSum:
    """A sum to which the ways back of a loop add something or nothing.

    `added` is what is added on a way, by its block, nothing elsewhere.  `name` and `loc` are those
    of the variable and the place of such an addition.
    """

    opcode: str
    neutral: str
    added: Mapping[int, str]
    name: str
    loc: Loc


def conditional_sum(
    phi: nodes.Phi,
    back: Collection[int],
    table: Mapping[str, Type],
    definitions: Callable[[], Mapping[str, Op]],  # which few loops need
) -> ConditionalSum | None:
    """What the ways back add to a variable of a loop's header; None if they do something else."""
    if table[phi.result] not in FLOATS:
        return None
    returning = {a: value for a, value in zip(phi.labels, phi.values, strict=True) if a in back}
    if phi.result not in returning.values():
        return None
    found: set[str] = set()
    name, loc = "", UNKNOWN
    added: dict[int, str] = {}
    for label, value in returning.items():
        if value == phi.result:
            continue
        op = definitions().get(value)
        if not isinstance(op, nodes.Binary | nodes.Inplace) or op.lhs != phi.result:
            return None
        if table[op.rhs] is not table[phi.result] or op.rhs == phi.result:
            return None
        name, loc = value, op.loc
        found.add(op.op.symbol.rstrip("="))
        added[label] = op.rhs
    if len(found) != 1 or found.isdisjoint(_NEUTRAL):
        return None
    neutral, opcode = _NEUTRAL[found.pop()]
    return ConditionalSum(opcode, neutral, added, name, loc)


def gains_no_vectors(fn: Function, loop: Loop, table: Mapping[str, Type]) -> bool:
    """True for an innermost loop that does little with floats but to add them to what it carries:
    to several variables, or elements of arrays alone."""
    carried = [
        op
        for op in fn.blocks[loop.header].ops
        if isinstance(op, nodes.Phi) and table[op.result] in FLOATS
    ]
    if not carried:
        return False
    ops = [op for label in loop.body for op in fn.blocks[label].ops]
    computed = [
        op
        for op in ops
        if isinstance(op, nodes.Binary | nodes.Inplace | nodes.Unary | nodes.Call)
        and table[op.result] in FLOATS
    ]
    if len(carried) >= SEVERAL:
        return len(computed) - len(carried) <= LITTLE * len(carried)
    return (
        len(computed) == len(carried)
        and len(loop.body) == STRAIGHT
        and not any(isinstance(op, nodes.SetItem) for op in ops)
        and all(_is_of_one_type(op, table) for op in computed)
    )


def _is_of_one_type(op: Op, table: Mapping[str, Type]) -> bool:
    return isinstance(op, nodes.Binary | nodes.Inplace) and table[op.lhs] is table[op.rhs]
