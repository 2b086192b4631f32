"""What becomes of each module in LLVM's back end and in `ptxas`, beside what the check says.

    verdict = tried("frem double", (8, 0))

The process may end in it: run it in a child (`fuzz.batches`).
"""

from __future__ import annotations

from cuda.selection import instructions, intrinsics, outside
from cuda.selection.writing import MODULES
from cutaway.errors import CudaError, InternalError
from cutaway.foundation.sandbox import in_child
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.optimization import Plan
from cutaway.targets.ptx.assembling import assemble
from cutaway.targets.ptx.attempt import complaint
from cutaway.targets.ptx.capabilities import machine_of
from cutaway.targets.ptx.selection import look
from cutaway.targets.ptx.toolkit import ptxas_for
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict

assert all((instructions, intrinsics, outside))  # imported for their modules

NAMES = tuple(MODULES)
Version = tuple[int, int]

# What LLVM makes code of that is wrong: the check refuses it, and has to.
WRONG = (
    "frem",  # short of digits
    "atomicrmw",  # of other orders than the weakest, or for the whole system
    "invoke",
    "resume",  # what is thrown goes on
    "callbr",
    "va_arg",
    "intrinsic llvm.get.",
    "intrinsic llvm.returnaddress",
    "intrinsic llvm.frameaddress",
    "intrinsic llvm.eh.",
    "intrinsic llvm.coro.",
    "intrinsic llvm.va_",
    "alias",  # which kernels cannot have
    "call unknown",
    "call printf",
    "alloca large",  # more than a thread has
    "alloca huge",
    "variable common",
)


def tried(name: str, cc: Version, assembled: bool = False, codegen: int = 2) -> Verdict:
    """Ask the check, LLVM with an effort of code generation and, if `assembled`, `ptxas`."""
    text, machine = MODULES[name], machine_of(cc)
    try:
        module = Module(text, machine)
    except InternalError as error:
        return Verdict(ALLOWED, f"LLVM does not read it: {error.message[:60]}")
    module.optimize(Plan("none", codegen=codegen, cpu=machine))
    found = look(module.text, machine)
    if found.refusal is not None:
        return _refused(name, module, found.refusal.words)
    if found.unknown:
        said = complaint(module, machine)
        return Verdict(REFUSED if said else SAME, "an attempt says so" if said else "")
    ptx = module.assembly  # which may end the process: a finding
    if assembled and ptxas_for(cc) is not None:
        try:
            assemble(ptx, cc, opt=0)
        except CudaError as error:
            return Verdict(FINDING, f"{name} on {cc}: {error.message}", text)
    return Verdict(SAME)


def _refused(name: str, module: Module, words: str) -> Verdict:
    """A refusal, which LLVM's end or one of the reasons above has to confirm."""
    if not name.startswith(WRONG):
        answer = in_child(lambda: module.assembly, 20)
        if answer.is_returned:
            return Verdict(ALLOWED, f"refused without need: {words[:60]}")
    return Verdict(REFUSED, words[:60])
