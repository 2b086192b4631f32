"""Compiles a module in a process of its own, if the tables do not cover it: LLVM may end a process,
and an installed `ptxas` may refuse its output."""

from __future__ import annotations

from cutaway.errors import CudaError
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.optimization import Cpu
from cutaway.targets.cpu.trial import first_complaint, tried
from cutaway.targets.ptx.assembling import assemble
from cutaway.targets.ptx.capabilities import version_of
from cutaway.targets.ptx.toolkit import ptxas_for


def complaint(module: Module, machine: Cpu) -> str:
    """Return the reason why a module cannot be compiled; empty if it can."""

    def attempt() -> str:
        ptx, cc = module.assembly, version_of(machine)
        if ptxas_for(cc) is not None:
            try:
                assemble(ptx, cc, opt=0)
            except CudaError as error:
                return error.message
        return ""

    answer, log = tried(attempt)
    if answer.is_returned:
        return answer.value or first_complaint(log)
    if answer.kind == "not run":
        return answer.words
    return first_complaint(log) or f"LLVM {answer.words}"
