"""Finds the parameters whose names a function assigns before it reads what they were given."""

from __future__ import annotations

from types import FunctionType

from cutaway.foundation.source import Loc
from cutaway.frontend.build import build_function
from cutaway.ir import nodes
from cutaway.ir.liveness import liveness
from cutaway.ir.traversal import definitions, uses


def lost_parameters(function: FunctionType) -> dict[str, Loc]:
    """The parameters that are assigned and whose argument no path reads, with the first assignment.

    Raises UnsupportedError for what is not compiled.
    """
    fn = build_function(function)
    live = set(liveness(fn).out[fn.entry.label])
    for op in reversed(fn.entry.ops):
        live.difference_update(() if isinstance(op, nodes.Arg) else definitions(op))
        live.update(uses(op))
    lost: dict[str, Loc] = {}
    for block in fn.blocks.values():
        for op in block.ops:
            names = () if isinstance(op, nodes.Arg) else definitions(op)
            for name in set(names).intersection(fn.params).difference(live):
                lost.setdefault(name, op.loc)
    return lost
