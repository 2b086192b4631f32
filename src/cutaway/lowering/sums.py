"""Sums of floats that a loop carries between iterations.

Conditional additions:

    for i in range(n):        latch:  %s.3 = phi [ %s, body ], [ %s.2, then ]    %s.2 = %s + %x
        if x[i] > 0:     =>
            s += x[i]         latch:  %x.2 = phi [ -0.0, body ], [ %x, then ]
                                      %s.3 = %s + %x.2

LLVM turns the first into a `select` between the old sum and the new one, for which the next
iteration has to wait after the sum itself, and it cannot vectorize it.  The second always adds, and
selects the addend instead: compared and selected in vectors, then added in sequence.  It takes 0.7
of the time, if half of the numbers are added.

`s + -0.0` is `s` for any `s`: for -0.0 as well, which +0.0 would turn into 0.0.  For subtraction
the neutral number is 0.0 therefore.

Several sums:

    for i in range(n):
        a += x[i]; b += x[i] * x[i]; c += y[i]

If iterations are vectorized, each sum takes its own additions, in sequence.  Sums of different
variables can share a vector, to which one instruction adds.  That is better in a loop that does
little else: five sums took 1.4 times as long with vectorized iterations, three sums with a square
root 0.5 times.  And where elements are added and nothing else is done, vectorized iterations have
nothing to compute.
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
SEVERAL = 3  # sums that share a vector
LITTLE = 2  # operations for each sum that do not justify vectorized iterations
STRAIGHT = 2  # blocks of a loop without conditions: header and body

# The neutral number of an operator, and its instruction.
_NEUTRAL = {"+": ("-0.0", "fadd"), "-": ("0.0", "fsub")}


@dataclass(frozen=True, slots=True)
class ConditionalSum:
    """A sum to which the back edges of a loop add a number or nothing.

    `added` is the number added on an edge, by its block, nothing elsewhere.  `name` and `loc` are
    those of the variable and the location of such an addition.
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
    definitions: Callable[[], Mapping[str, Op]],  # few loops need them
) -> ConditionalSum | None:
    """Return the sum that the back edges form in a variable of a loop's header; None if they
    compute anything else."""
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
    """True for an innermost loop that does little with floats but add them to its carried values:
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
