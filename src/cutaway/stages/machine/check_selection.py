"""Refuse what LLVM makes no code of for this GPU, before it sees it there (stage 7).

    call ptr @cutaway_alloc(i64 80)    ->    UnsupportedError: `np.zeros(10)` allocates memory

LLVM's back end for GPUs ends the process for an unsupported instruction, or writes wrong code; only
the optimized module shows its input.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cutaway.errors import UnsupportedError
from cutaway.foundation.source import UNKNOWN, Loc, is_our_file, place_of, span_text
from cutaway.ir import nodes
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit
from cutaway.targets.ptx import selection

if TYPE_CHECKING:  # few programs have kernels
    from cutaway.targets.ptx.places import Place
    from cutaway.targets.ptx.refusals import Refusal


def run(unit: CompileUnit) -> None:
    """Check each line of the module.

    Raises UnsupportedError for the first one that a GPU has no code for.
    """
    found = selection.refused(unit.module, unit.target.machine)
    if found is not None:
        refusal, places = found
        loc = _place(unit, places)
        raise UnsupportedError(_words(refusal, loc), loc, refusal.hint)


def _words(refusal: Refusal, loc: Loc) -> str:
    """Return the message of a refusal, whose subject is the call that needs a missing function."""
    if not refusal.function:
        return refusal.words
    span = span_text(loc) if loc.end_line == loc.line and loc.end_col > loc.col else ""
    return f"`{span}` {refusal.words}" if span else f"this {refusal.words}"


def _place(unit: CompileUnit, places: Iterable[Place]) -> Loc:
    """Return the user's line that a line of the module, or the call of its function, comes from.

    LLVM's metadata has only the start of a location; the op that starts there has the end.
    """
    for filename, number, column in places:
        if number and not is_our_file(filename):
            begun = [
                op
                for op in walk(unit.fn)
                if (op.loc.filename, op.loc.line, op.loc.col) == (filename, number, column)
            ]
            calls = [op.loc for op in begun if isinstance(op, nodes.Call)]
            if calls:  # in np.zeros(n).sum() + 1 the first call is the one that needs something
                return min(calls, key=_end)
            spans = (op.loc for op in begun)
            return max(spans, key=_end, default=Loc(number, column, number, 0, filename))
    origin = None if unit.callee is None else unit.callee.origin
    return UNKNOWN if origin is None else place_of(origin)


def _end(loc: Loc) -> tuple[int, int]:
    return loc.end_line, loc.end_col
