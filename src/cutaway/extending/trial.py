"""Code generation tried out in a child process, for LLVM IR that LLVM ends the process over.

LLVM's verifier knows neither what stands in inline assembly nor which instructions a processor has.
Code generation finds out, and then aborts or exits; there is no way to be told.
"""

from __future__ import annotations

import os
import re
import tempfile

from cutaway.lowering.engine import Module, Plan
from cutaway.lowering.object_file import undefined_symbols
from cutaway.sandbox import in_child

_SECONDS = 60.0
_INTRINSIC = re.compile(r'@"?llvm\.([a-z0-9]+)')
_ASSEMBLY = re.compile(r"\bcall [^\n]*\basm\b")

# The stems of LLVM's intrinsics that every processor has, or LLVM has in other words.
_EVERYWHERE = frozenset(
    """
    abs assume bitreverse bswap ceil copysign cos ctlz ctpop cttz exp exp10 exp2 expect fabs floor
    fma fmuladd frameaddress fshl fshr invariant is lifetime log log10 log2 maximum maxnum memcpy
    memmove memset minimum minnum nearbyint pow powi prefetch rint round roundeven sadd sin smax
    smin smul sqrt ssub stackrestore stacksave trap trunc uadd umax umin umul usub vector
    """.split()
)


def is_needed(text: str) -> bool:
    """Whether a module has inline assembly, or intrinsics that not every processor has."""
    stems = set(_INTRINSIC.findall(text))
    return bool(stems - _EVERYWHERE) or _ASSEMBLY.search(text) is not None


def complaint(text: str) -> str:
    """What LLVM says of a module for which it cannot generate code; empty where it can."""
    with tempfile.TemporaryFile() as said:
        answer = in_child(lambda: _generate(text, said.fileno()), _SECONDS)
        if answer.kind in ("returned", "not run"):
            return answer.value or ""
        said.seek(0)
        lines = said.read().decode(errors="replace").splitlines()
    first = next((line.strip() for line in lines if line.strip()), f"LLVM {answer.words}")
    return first.removeprefix("LLVM ERROR: ").removeprefix("error: ")


def _generate(text: str, log: int) -> str:
    os.dup2(log, 2)  # LLVM speaks to the standard error
    module = Module(text)
    module.optimize(Plan())
    names = undefined_symbols(module.object_code()) or ()
    unknown = [name for name in names if name.startswith("llvm.")]
    return f"LLVM has no intrinsic {unknown[0]}" if unknown else ""
