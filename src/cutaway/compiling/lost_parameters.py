"""Find the parameters whose names a function assigns before it reads their arguments."""

from __future__ import annotations

from types import FunctionType

from cutaway.foundation.source import Loc
from cutaway.frontend.build import build_function
from cutaway.ir import nodes
from cutaway.ir.dataflow import Analysis, Facts, solve
from cutaway.ir.nodes import Block
from cutaway.ir.traversal import definitions, uses

_HELD, _READ = "held ", "read "  # in front of a name: its argument may be there, may have been read


def lost_parameters(function: FunctionType) -> dict[str, Loc]:
    """Return the parameters that are assigned before any path reads them, with the assignments.

    Raises UnsupportedError for constructs that cannot be compiled.
    """
    fn = build_function(function)
    start: Facts = frozenset(_HELD + name for name in fn.params)
    analysis = Analysis(True, start, frozenset(), frozenset.union, lambda b, f: _behind(b, f, {}))
    before = solve(fn, analysis).before
    lost: dict[str, Loc] = {}
    for label, block in fn.blocks.items():
        if label in before:
            _behind(block, before[label], lost)
    return lost


def _behind(block: Block, facts: Facts, lost: dict[str, Loc]) -> Facts:
    """Return the facts at the end of a block; record in `lost` the assignments that lose an
    argument."""
    current = set(facts)
    for op in block.ops:
        if isinstance(op, nodes.Arg):
            continue
        current.update(_READ + name for name in uses(op) if _HELD + name in current)
        for name in definitions(op):
            if _HELD + name in current:
                current.remove(_HELD + name)
                if _READ + name not in current:
                    lost.setdefault(name, op.loc)
    return frozenset(current)
