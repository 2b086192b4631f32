"""Variables that the iterations of a loop share, and the operators by which they change them.

    s = s + a[i]            add: each thread sums up some of the iterations, from 0 on
    s = max(s, a[i])        max
    last = i                last: the value of the last iteration

An iteration may do so under a condition, several times or in a loop of its own; it may do nothing
else with the variable, whose partial value depends on the schedule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import uses

LAST = "last"
BY_SYMBOL = {
    **{"+": "add", "-": "add", "*": "multiply", "/": "multiply"},
    **{"&": "and", "|": "or", "^": "xor"},
}
ONE_SIDED = "-/"  # where the variable stands on the left
_BY_FUNCTION = {min: "min", max: "max"}


def operator_of(
    name: str,
    ops: Sequence[Op],
    all_ends: Mapping[str, Sequence[str]],
    constants: Mapping[str, Any],
) -> str | Op:
    """Return the operator by which ops change a variable; or the op with another use of it.

    `all_ends` are the possible values of the loop's variables at the end of an iteration.
    """
    ends = all_ends[name]
    users = [op for op in ops if name in uses(op)]
    if not users and name not in ends:
        return LAST
    held, operators = _chain(name, ops, constants)
    strange = [
        op
        for op in ops
        if not held.isdisjoint(uses(op)) and not isinstance(op, nodes.Yield)
        if not _is_link(op, held, constants)
    ]
    if strange:  # a phi explains least to users
        return min(strange, key=lambda op: isinstance(op, nodes.Phi))
    others = (end for other, ends in all_ends.items() if other != name for end in ends)
    if not held.issuperset(ends) or not held.isdisjoint(others):
        return next(op for op in ops if isinstance(op, nodes.Yield))
    if len(operators) > 1:
        return next(
            op for op in ops if _operator(op, held, constants) not in (None, *operators[:1])
        )
    if not operators:  # it is unchanged, by way of another type
        return next(op for op in ops if isinstance(op, nodes.Yield))
    return operators[0]


def _chain(
    name: str, ops: Sequence[Op], constants: Mapping[str, Any]
) -> tuple[set[str], list[str]]:
    """Return the variables that are derived from a variable, and the operators that do so."""
    held, operators = {name}, dict[str, None]()
    size = 0
    while size != len(held):
        size = len(held)
        for op in ops:
            if isinstance(op, nodes.Phi | nodes.Copy | nodes.Cast):
                if not held.isdisjoint(uses(op)):
                    held.add(op.result)
            elif (found := _operator(op, held, constants)) is not None:
                operators[found] = None
                held.add(op.result)  # all such ops have one
    return held, list(operators)


def _operator(op: Op, held: set[str], constants: Mapping[str, Any]) -> str | None:
    """Return the operator by which an op changes a held value; None if it does not."""
    match op:
        case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
            symbol = row.symbol.rstrip("=")
            fits = lhs in held or symbol not in ONE_SIDED
            if fits and (lhs in held) != (rhs in held):
                return BY_SYMBOL.get(symbol)
        case nodes.Call(_, func, (first, second), ()) if op.star is None:
            function = constants.get(func)
            if (first in held) != (second in held) and function in (min, max):
                return _BY_FUNCTION[function]
    return None


def _is_link(op: Op, held: set[str], constants: Mapping[str, Any]) -> bool:
    if isinstance(op, nodes.Phi):
        return held.issuperset(op.values)
    if isinstance(op, nodes.Copy | nodes.Cast | nodes.Del):
        return True
    return _operator(op, held, constants) is not None
