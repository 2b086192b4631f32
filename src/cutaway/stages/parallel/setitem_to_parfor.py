"""Turn assignments to arrays and their parts into parfors (stage 5b).

    $w[...] = arrayexpr(expr=x + y, args=(x, y))        ($n) = sizes of (x, y) in $w
                                                  ->    parfor static, from (0) to ($n) by (1), ...
    a[1:] = b

Where the value may share memory with the target, a copy of it is read: that is tested at run time.
"""

from __future__ import annotations

from cutaway.stages.conditions import has_arrays
from cutaway.stages.parallel import converting
from cutaway.stages.parallel.prange_to_parfor import stays_in_order
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Convert every eligible assignment to a parfor."""
    if has_arrays(unit) and not stays_in_order(unit) and "setitem" in unit.flags.parallel:
        converting.convert_stores(unit, unit.editor())
