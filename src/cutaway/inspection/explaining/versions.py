"""The versions of a user's variable in a line of source.

An assignment makes a version; so does a merge (phi). A line stands for the version that it assigns,
else the one that reaches it.
"""

from __future__ import annotations

from cutaway.errors import PipelineError, did_you_mean
from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, walk
from cutaway.typing.inference.events import RETURN

RESULT_NAMES = (RETURN, "")


def versions_of(fn: Function, name: str) -> tuple[str, ...]:
    """Return all versions of a variable, in the order of their definitions.

    Raises PipelineError if the function has no such variable.
    """
    if name in RESULT_NAMES:
        return (RETURN,)
    defined = [variable for op in walk(fn) for variable in definitions(op)]
    result = tuple(v for v in defined if not is_temporary(v) and user_name(v) == name)
    if not result:
        known = sorted({user_name(v) for v in defined if not is_temporary(v)})
        hint = did_you_mean(name, known, f"variables: {', '.join(known)}")
        raise PipelineError(f"{fn.name} has no variable {name!r}", hint=hint)
    return result


def versions_at(fn: Function, name: str, line: int) -> tuple[str, ...]:
    """The version of a variable that a line assigns, or else the one that reaches it: several if
    Python compiled the line more than once, at the end of each path to it.

    Raises PipelineError if there is none.
    """
    versions = versions_of(fn, name)
    if name in RESULT_NAMES:
        return versions
    assigned = [v for op in walk(fn) if op.loc.line == line for v in _assigned(op)]
    here = [v for v in assigned if v in versions]
    if here:
        return (here[-1],)
    seen = (_seen_from(fn, versions, *place) for place in _places(fn, line))
    result = tuple(dict.fromkeys(version for version in seen if version is not None))
    if not result:
        raise PipelineError(
            f"{name!r} has no value in line {line} of {fn.name}",
            hint=f"it is assigned in line {', '.join(map(str, assigned_lines(fn, name)))}",
        )
    return result


def assigned_lines(fn: Function, name: str) -> list[int]:
    """Return the lines that assign a variable."""
    versions = versions_of(fn, name)
    lines = {op.loc.line for op in walk(fn) for v in _assigned(op) if v in versions}
    return sorted(lines)


def _assigned(op: Op) -> tuple[str, ...]:
    return () if isinstance(op, nodes.Phi) else definitions(op)


def _seen_from(fn: Function, versions: tuple[str, ...], label: int, position: int) -> str | None:
    """The version that reaches an op: its nearest definition on the way up the dominator tree."""
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


def _places(fn: Function, line: int) -> list[tuple[int, int]]:
    """Return the start of a line, or of the next one that has code: block labels and positions."""
    versions = [
        (op.loc.line, label, position)
        for label, block in fn.blocks.items()
        for position, op in enumerate(block.ops)
        if op.loc.line >= line and not isinstance(op, nodes.Phi | nodes.Arg)
    ]
    nearest = min((row for row, _, _ in versions), default=0)
    places = [(label, position) for row, label, position in versions if row == nearest]
    first = {label: position for label, position in reversed(places)}
    return list(first.items())
