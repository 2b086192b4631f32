"""Optimize the module with LLVM (stage 6a).

One module, one pipeline; how much of one, `unit.plan` says.
"""

from __future__ import annotations

from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import Module


def run(unit: CompileUnit) -> None:
    """Parse, verify and optimize."""
    module = Module(unit.llvm, unit.plan.cpu)
    unit.llvm_times = tuple(module.optimize(unit.plan, timing=unit.timing_llvm))
    unit.module = module
