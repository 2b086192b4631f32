"""Make one parfor of two over the same space (stage 5b).

    parfor 0 to n: store a + b in t            parfor 0 to n: x = a + b
    parfor 0 to n: store t * 2 in s     ->                    store x * 2 in s

What the second reads of the first is handed on within an iteration, and an array that nothing else
reads is not made.  Two parfors stay apart where an iteration of the second needs what another one
of the first has stored, or the whole of what the first combines.
"""

from __future__ import annotations

from cutaway.stages.arrays.array_expressions import has_arrays
from cutaway.stages.parallel import fusing
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Fuse parfors of a block, from the first to the last."""
    if "fusion" in unit.flags.parallel and has_arrays(unit):
        fusing.fuse(unit, unit.editor())
