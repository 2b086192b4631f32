"""Fuse array expressions whose results are used once (stage 5a).

    t = arrayexpr(expr=a * b)              s = arrayexpr(expr=a * b + c)
    s = arrayexpr(expr=t + c)       ->

    t = arrayexpr(expr=a * b)              s = arrayreduce(expr=sum(a * b))
    s = arrayreduce(expr=sum(t))    ->

    $v = arrayexpr(expr=x + y)             $w = getitem(value=a, index=$slice)
    a[$slice] = $v                         $w[...] = arrayexpr(expr=x + y)

One loop replaces two, and no array is made for the intermediate result.  An expression moves to the
use of its result: not over an op that writes to its operands, and not where it would be computed
several times.
"""

from __future__ import annotations

from cutaway.stages.arrays import fusing
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Fuse all expressions that can be fused, block by block."""
    fusing.fuse(unit, unit.editor())
