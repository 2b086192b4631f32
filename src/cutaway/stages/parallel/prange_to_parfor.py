"""Turn loops over `prange` into parfors (stage 5b).

    head:  s.2 = phi(before: s, body: s.3)          $s.9 = parfor from 0 to n by 1, s.2 = s
           i, more = iternext($it)                         body(i; s.2):
           branch more, body, after          ->              s.3 = s.2 + a[i]
    body:  s.3 = s.2 + a[i]                                  yield s.3
           jump head                                after:  ... $s.9
    after: ... s.2

A loop within a parfor stays one: its iterations are run by the thread that runs the outer one.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.decisions import MISSED, Decision
from cutaway.ir.reaches import has_handlers
from cutaway.ir.traversal import walk
from cutaway.stages.parallel import range_loops
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Turn each outermost loop over `prange`, and array comprehensions, into parfors.

    Raises UnsupportedError for a loop that is left early, or whose iterations depend on each other.
    """
    if stays_in_order(unit):
        _note(unit)
    elif not unit.flags.parallel.isdisjoint(("prange", "comprehension")):
        range_loops.convert(unit, unit.editor())


def stays_in_order(unit: CompileUnit) -> bool:
    """True if ops must run in source order: exception handlers see the effects before a raise, and
    a generator's consumer those before each value."""
    return unit.fn.generator or has_handlers(unit.fn)


def _note(unit: CompileUnit) -> None:
    if unit.recording:
        seen = nodes.Suspend | nodes.Caught
        op = next((op for op in walk(unit.fn) if isinstance(op, seen)), unit.fn.entry.ops[0])
        what = "yields values" if unit.fn.generator else "handles exceptions"
        reason = f"the function {what}, and what it does stays in order"
        unit.note(Decision("the function", MISSED, "prange_to_parfor", reason, op.loc))
