"""Generate the code of a GPU, as text (stage 7).

    %i.3 = add i64 %i, %n    ->    add.s64 %rd5, %rd3, %rd4;

The driver, or `ptxas`, makes machine code of it for the GPU at hand.  With `lineinfo` it names the
user's lines, `.loc 1 8 17`, for profilers and debuggers; the instructions are the same.
"""

from __future__ import annotations

from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Emit PTX."""
    module = unit.module.with_users_lines() if unit.target.lines else unit.module
    unit.ptx = module.assembly
