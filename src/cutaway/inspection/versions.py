"""Which version of a user's variable a line of source means.

An assignment makes a version; so does a place where several meet.  A line means the version that
it assigns, else the one that it sees.
"""

from __future__ import annotations

from cutaway.errors import PipelineError, did_you_mean
from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, walk
from cutaway.typing.events import RETURN

RESULT_NAMES = (RETURN, "")


def versions_of(fn: Function, name: str) -> tuple[str, ...]:
    """All versions of a variable, in the order of their definitions.

    Raises PipelineError where the function has no such variable.
    """
    if name in RESULT_NAMES:
        return (RETURN,)
    defined = [variable for op in walk(fn) for variable in definitions(op)]
    found = tuple(v for v in defined if not is_temporary(v) and user_name(v) == name)
    if not found:
        known = sorted({user_name(v) for v in defined if not is_temporary(v)})
        hint = did_you_mean(name, known, f"there are: {', '.join(known)}")
        raise PipelineError(f"{fn.name} has no variable {name!r}", hint=hint)
    return found


def version_at(fn: Function, name: str, line: int) -> str:
    """The version of a variable that a line assigns, or else sees.

    Raises PipelineError where there is none.
    """
    versions = versions_of(fn, name)
    if name in RESULT_NAMES:
        return RETURN
    assigned = [v for op in walk(fn) if op.loc.line == line for v in _assigned(op)]
    here = [v for v in assigned if v in versions]
    if here:
        return here[-1]
    found = _seen_from(fn, versions, line)
    if found is None:
        raise PipelineError(
            f"{name!r} has no value in line {line} of {fn.name}",
            hint=f"it is assigned in line {', '.join(map(str, assigned_lines(fn, name)))}",
        )
    return found


def assigned_lines(fn: Function, name: str) -> list[int]:
    """The lines that assign a variable."""
    versions = versions_of(fn, name)
    lines = {op.loc.line for op in walk(fn) for v in _assigned(op) if v in versions}
    return sorted(lines)


def _assigned(op: Op) -> tuple[str, ...]:
    return () if isinstance(op, nodes.Phi) else definitions(op)


def _seen_from(fn: Function, versions: tuple[str, ...], line: int) -> str | None:
    """The version that reaches the first op of a line: its nearest definition on the way back
    through the blocks that are always run before."""
    place = _first_op(fn, line)
    if place is None:
        return None
    label, position = place
    above = graph_of(fn).immediate_dominators()
    while True:
        for op in reversed(fn.blocks[label].ops[:position]):
            for variable in definitions(op):
                if variable in versions:
                    return variable
        if above.get(label, label) == label:
            return None
        label = above[label]
        position = len(fn.blocks[label].ops)


def _first_op(fn: Function, line: int) -> tuple[int, int] | None:
    found = [
        (op.loc.line, order, label, position)
        for order, (label, block) in enumerate(fn.blocks.items())
        for position, op in enumerate(block.ops)
        if op.loc.line >= line and not isinstance(op, nodes.Phi | nodes.Arg)
    ]
    if not found:
        return None
    _, _, label, position = min(found)
    return label, position
