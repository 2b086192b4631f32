"""Make one parfor of two over the same space (stage 5b).

    parfor 0 to n: store a + b in t            parfor 0 to n: x = a + b
    parfor 0 to n: store t * 2 in s     ->                    store x * 2 in s

Elements that the second reads from the first are passed on within an iteration, and an array that
nothing else reads is not made.  Two parfors stay apart where an iteration of the second needs an
element stored by another one of the first, or the final result of a reduction.
"""

from __future__ import annotations

from cutaway.stages.conditions import has_arrays
from cutaway.stages.parallel import fusing
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Fuse parfors of a block, from the first to the last."""
    if "fusion" in unit.flags.parallel and has_arrays(unit):
        fusing.fuse(unit, unit.editor())
