"""The processors of this machine as a target."""

from __future__ import annotations

from functools import cache

from cutaway.extending.registry import CONTEXT
from cutaway.foundation.dataclass import replace
from cutaway.lowering.build.status import ByStatus
from cutaway.lowering.module import entry_text
from cutaway.lowering.ufunc_loops import loop_text
from cutaway.runtime import symbols
from cutaway.targets.cpu.optimization import HOST
from cutaway.targets.target import Target

CPU = Target("cpu", CONTEXT, HOST, symbols, ByStatus(), entry_text)


@cache
def looping(target: Target) -> Target:
    """The target of the inner loops of ufuncs: the same, with another entry point."""
    return replace(target, entry=loop_text, repeats=True, usual=target)
