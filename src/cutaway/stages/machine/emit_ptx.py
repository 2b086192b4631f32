"""Generate the code of a GPU, as text (stage 7).

    %i.3 = add i64 %i, %n    ->    add.s64 %rd5, %rd3, %rd4;

The driver, or `ptxas`, makes machine code of it for the GPU at hand.
"""

from __future__ import annotations

from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Emit PTX."""
    unit.ptx = unit.module.assembly
