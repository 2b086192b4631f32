"""Tries code generation in a child process, for input on which LLVM may end the process.

LLVM's verifier checks neither inline assembly nor the instructions of a processor, and LLVM cannot
be queried for the processors it knows.  Code generation finds out, and then aborts, exits or only
prints a line.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from typing import TypeVar

from cutaway.errors import InternalError, SettingError, did_you_mean
from cutaway.foundation.sandbox import Answer, in_child
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.object_file import undefined_symbols
from cutaway.targets.cpu.optimization import Cpu, Plan

T = TypeVar("T")
_SECONDS = 60.0


def tried(work: Callable[[], T]) -> tuple[Answer[T], str]:
    """Run work in a child process; returns its outcome, and LLVM's output on standard error."""
    with tempfile.TemporaryFile() as log:

        def with_log() -> T:
            os.dup2(log.fileno(), 2)
            return work()

        answer = in_child(with_log, _SECONDS)
        log.seek(0)
        return answer, log.read().decode(errors="replace")


# --- a module -----------------------------------------------------------------------------------

_INTRINSIC = re.compile(r'@"?llvm\.([a-z0-9]+)')
_ASSEMBLY = re.compile(r"\bcall [^\n]*\basm\b")

# The stems of LLVM's intrinsics that every processor has, or that LLVM expands.
_EVERYWHERE = frozenset(
    """
    abs assume bitreverse bswap ceil copysign cos ctlz ctpop cttz exp exp10 exp2 expect fabs floor
    fma fmuladd frameaddress fshl fshr invariant is lifetime log log10 log2 maximum maxnum memcpy
    memmove memset minimum minnum nearbyint pow powi prefetch rint round roundeven sadd sin smax
    smin smul sqrt ssub stackrestore stacksave trap trunc uadd umax umin umul usub vector
    """.split()
)


def is_needed(text: str) -> bool:
    """True if a module has inline assembly, or intrinsics that not every processor has."""
    stems = set(_INTRINSIC.findall(text))
    return bool(stems - _EVERYWHERE) or _ASSEMBLY.search(text) is not None


def complaint(text: str, cpu: Cpu) -> str:
    """Return LLVM's message for a module for which it cannot generate code for a processor; empty
    if it can."""

    def generate() -> str:
        module = Module(text, cpu)
        module.optimize(Plan(cpu=cpu))
        names = undefined_symbols(module.object_code()) or ()
        unknown = [name for name in names if name.startswith("llvm.")]
        return f"LLVM has no intrinsic {unknown[0]}" if unknown else ""

    answer, log = tried(generate)
    if answer.kind in ("returned", "not run"):
        return answer.value or ""
    return first_complaint(log) or f"LLVM {answer.words}"


def first_complaint(log: str) -> str:
    """Return the first line of LLVM's output before it ends a process; empty if there is none."""
    first = next(filter(None, map(str.strip, log.splitlines())), "")
    return first.removeprefix("LLVM ERROR: ").removeprefix("error: ")


# --- a processor --------------------------------------------------------------------------------

_TEXT = "define double @f(double %x) {\n  %y = fadd double %x, %x\n  ret double %y\n}\n"


def check_processor(name: str, usual: tuple[str, ...]) -> None:
    """Raise SettingError if LLVM cannot generate code for a processor; `usual` are for the hint."""

    def generate() -> None:
        for cpu in (Cpu("generic", "+help"), Cpu(name)):  # with +help LLVM lists the processors
            module = Module(_TEXT)
            module.optimize(Plan(cpu=cpu))
            module.object_code()

    answer, log = tried(generate)
    if answer.kind in ("not run", "ran out of time"):
        raise InternalError(f"the processor {name!r} could not be tried: it {answer.words}")
    if answer.is_returned and "not a recognized processor" not in log:
        return
    hint = f"usual names: {', '.join(usual)}"
    known = [*usual, *_names_in(log)]
    if name in known:
        raise SettingError(f"CUTAWAY_CPU: LLVM makes no 64-bit code for {name}", hint=hint)
    message = f"CUTAWAY_CPU: LLVM knows no processor {name!r} of this kind"
    raise SettingError(message, hint=did_you_mean(name, known, hint))


def _names_in(text: str) -> list[str]:
    """Return the processors in LLVM's help output."""
    _, _, listed = text.partition("Available CPUs for this target:")
    listed, _, _ = listed.partition("Available features")
    return re.findall(r"^\s+(\S+)\s+- Select", listed, re.MULTILINE)
