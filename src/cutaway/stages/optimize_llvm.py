"""Let LLVM optimize the module (stage 6a).

One module, one pipeline; how much of one, `unit.plan` says.
"""

from __future__ import annotations

from cutaway.lowering.engine import Module
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Parse, verify and optimize."""
    module = Module(unit.llvm)
    module.optimize(unit.plan)
    unit.module = module
