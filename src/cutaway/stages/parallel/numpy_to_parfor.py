"""Turn array expressions, constructors and reductions into parfors (stage 5b).

    c = arrayexpr(expr=a * b, args=(a, b))       ($n) = sizes of (a, b) in None, named ('a', 'b')
                                           ->    c = new_array(float64, C, sizes=($n))
                                                 parfor static, from (0) to ($n) by (1), ...

What stands in a loop over `prange`, or in another parfor, is run by one thread and stays.
"""

from __future__ import annotations

from cutaway.stages.conditions import has_arrays
from cutaway.stages.parallel import converting
from cutaway.stages.parallel.prange_to_parfor import stays_in_order
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Convert every eligible op to a parfor."""
    if not has_arrays(unit) or stays_in_order(unit):
        return
    if not unit.flags.parallel.isdisjoint(("numpy", "reduction")):
        converting.convert_numpy(unit, unit.editor())
