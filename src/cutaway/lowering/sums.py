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
three sums with a root 0.5 times.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Loop
from cutaway.ir.nodes import Op
from cutaway.typing import types
from cutaway.typing.types import Type

FLOATS = (types.float64, types.float32)
SEVERAL = 3  # sums that are neighbors
LITTLE = 2  # operations for each sum that are not worth a vector of runs

# What an operator leaves a float as it is with, and the instruction.
_NEUTRAL = {"+": ("-0.0", "fadd"), "-": ("0.0", "fsub")}


@dataclass(frozen=True, slots=True)
class ConditionalSum:
    """A sum to which the ways back of a loop add something or nothing.

    `added` is what is added on a way, by its block; nothing elsewhere.
    """

    opcode: str
    neutral: str
    added: Mapping[int, str]


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
    added: dict[int, str] = {}
    for label, value in returning.items():
        if value == phi.result:
            continue
        op = definitions().get(value)
        if not isinstance(op, nodes.Binary | nodes.Inplace) or op.lhs != phi.result:
            return None
        if table[op.rhs] is not table[phi.result] or op.rhs == phi.result:
            return None
        found.add(op.op.symbol.rstrip("="))
        added[label] = op.rhs
    if len(found) != 1 or found.isdisjoint(_NEUTRAL):
        return None
    neutral, opcode = _NEUTRAL[found.pop()]
    return ConditionalSum(opcode, neutral, added)


def has_neighboring_sums(fn: Function, loop: Loop, table: Mapping[str, Type]) -> bool:
    """True for an innermost loop that carries several floats and does little else with floats."""
    carried = [
        op
        for op in fn.blocks[loop.header].ops
        if isinstance(op, nodes.Phi) and table[op.result] in FLOATS
    ]
    if len(carried) < SEVERAL:
        return False
    ops = [op for label in loop.body for op in fn.blocks[label].ops]
    computed = [
        op
        for op in ops
        if isinstance(op, nodes.Binary | nodes.Inplace | nodes.Unary | nodes.Call)
        and table[op.result] in FLOATS
    ]
    return len(computed) - len(carried) <= LITTLE * len(carried)
