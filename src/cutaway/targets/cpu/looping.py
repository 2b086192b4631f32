"""The target of the inner loops of ufuncs; loaded if there are any."""

from __future__ import annotations

from functools import cache

from cutaway.foundation.dataclass import replace
from cutaway.lowering.ufunc_loops import loop_text
from cutaway.targets.target import Target


@cache
def looping(target: Target) -> Target:
    """Return the target of the inner loops of ufuncs: the same, with another entry point."""
    return replace(target, entry=loop_text, repeats=True, usual=target)
