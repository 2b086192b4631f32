"""Writes the notes of a type error: the origins of the conflicting types.

For a clash they name the smallest set of values that have no common type, each with its origin,
and the line where they merge; for any other error the origin of each operand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import uses, walk
from cutaway.typing import types
from cutaway.typing.errors.explanation import Cause, Chains, flattened, of_each_type, union_of
from cutaway.typing.errors.wording import quoted, source_of
from cutaway.typing.inference.events import RETURN, TypeEvent

MOST_LINES = 4  # lines of one chain in an error
DEEPEST = 4
MOST_KINDS = 40  # types that are compared with each other for one variable


def failure_notes(
    fn: Function, events: Sequence[TypeEvent], failed: Op | None, message: str
) -> tuple[str, ...]:
    """Return the notes for an error `message`, from the events of an inference of `fn`; `failed` is
    the op, maybe of another version of the function, or None for an error at the end."""
    ops = list(walk(fn))
    chains = Chains(fn.name, ops, events)
    if failed is None:
        return unknown_notes(ops, chains) or returned_notes(chains, message)
    same = (op for op in ops if op.id == failed.id and type(op) is type(failed))
    return conflict_notes(chains, next(same, failed), message)


def conflict_notes(chains: Chains, op: Op, message: str) -> tuple[str, ...]:
    """Return the notes for the op that failed, about the operands whose types the message names."""
    if isinstance(op, nodes.Phi):
        return _clash(chains, op.values, op.result)
    if isinstance(op, nodes.Return):
        return _clash(chains, [op.value for op in chains.returns], RETURN)
    lines: list[str] = []
    for cause in _inputs(chains, op):
        named = str(cause.type) in message or _is_assigned_to(cause, op)
        if named and not _obvious(cause, op.loc):
            lines += chain_lines(cause)
    return tuple(dict.fromkeys(lines))


def unknown_notes(ops: Sequence[Op], chains: Chains) -> tuple[str, ...]:
    """Return the notes for a recursion without a base case: the value that each path returns."""
    lines = []
    for op in ops:
        if not isinstance(op, nodes.Return) or chains.why(op.value) is not None:
            continue
        definition = chains.defined.get(op.value)
        while isinstance(definition, nodes.Copy | nodes.Cast):
            definition = chains.defined.get(definition.value)
        if definition is not None and definition.loc.line:
            what = f"line {op.loc.line} returns {quoted(source_of(definition))}"
            lines.append(f"{what}, whose type depends on this call itself")
    return tuple(dict.fromkeys(lines))


def returned_notes(chains: Chains, message: str) -> tuple[str, ...]:
    """Return the notes for a type that cannot be returned: its origin."""
    cause = chains.why(RETURN)
    if cause is None or str(cause.type) not in message:
        return ()
    return tuple(chain_lines(cause))


def chain_lines(cause: Cause) -> list[str]:
    """Return the lines of a chain of causes, shortened, the origin last."""
    lines = []
    for depth, link in flattened(cause, DEEPEST):
        if depth and isinstance(link, Cause) and _is_written_out(link):
            continue
        if len(lines) == MOST_LINES:
            break
        place = f" (line {link.loc.line})" if isinstance(link, Cause) and link.loc.line else ""
        lines.append(f"{'  ' * depth}{link}{place}")
    return lines


def _clash(chains: Chains, values: Sequence[str], variable: str) -> tuple[str, ...]:
    causes = [cause for name in dict.fromkeys(values) if (cause := chains.why(name)) is not None]
    lines: list[str] = []
    for cause in smallest_conflict(causes):
        lines += chain_lines(cause)
    meet = chains.defined[variable].loc.line if variable in chains.defined else 0
    if meet:
        lines.append(f"they merge in line {meet}")
    return tuple(dict.fromkeys(lines))


def smallest_conflict(causes: Sequence[Cause]) -> Sequence[Cause]:
    """Return the fewest causes without a common type; one of each type if any three have one."""
    kinds = of_each_type(causes)
    for count in (2, 3):
        for some in combinations(kinds[:MOST_KINDS], count):
            if union_of(cause.type for cause in some) is None:
                return some
    return kinds[:MOST_KINDS]


def _inputs(chains: Chains, op: Op) -> Iterator[Cause]:
    for name in uses(op):
        ty, definition = chains.type_of(name), chains.defined.get(name)
        if isinstance(ty, types.BoundMethod) and isinstance(definition, nodes.GetAttr):
            name = definition.value
        elif isinstance(definition, nodes.GetIter):
            name = definition.value
        elif isinstance(ty, types.Constant) and is_temporary(name):
            continue
        cause = chains.why(name)
        if cause is not None:
            yield cause


def _is_assigned_to(cause: Cause, op: Op) -> bool:
    """True if an op assigns to items of the cause's variable."""
    return isinstance(op, nodes.SetItem | nodes.StaticSetItem) and cause.variable == op.target


def _is_written_out(cause: Cause) -> bool:
    return isinstance(cause.op, nodes.Const) and is_temporary(cause.variable)


def _obvious(cause: Cause, loc: Loc) -> bool:
    """True if the error shows the origin already: a constant in the same line."""
    return isinstance(cause.op, nodes.Const) and cause.loc.line == loc.line
