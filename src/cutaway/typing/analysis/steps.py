"""Finds numbers within 0 .. limit - 1, and sums that are one step from such a number.

    for i in range(n):
        a[(i - 1) % n]           i lies in 0 .. n - 1, so i - 1 is at least -1
        a[(i + 1) % n]           and i + 1 is at most n
    head = (head + 1) % n        head is 0 or a remainder by n, so head + 1 is at most n

The remainder of such a number needs no division.  The limit is a variable, so no interval of
numbers expresses this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from cutaway.ir import nodes
from cutaway.typing import types
from cutaway.typing.analysis.intervals import Interval, Intervals, range_arguments

MOST_FOLLOWED = 40  # variables
ONE = Interval(-1, 1)


class Near(NamedTuple):
    """The `step` added to a number that lies between 0 and a limit, if that is positive; `counts`
    if the limit is certainly positive, since a loop counts up to it."""

    step: Interval | None = None
    counts: bool = False


def hold(name: str, needed: Callable[[str], Iterable[str] | None]) -> bool:
    """Whether a property holds for a variable and, transitively, for all that `needed` returns for
    it (greatest fixed point: cycles hold); it returns None for a variable without the property."""
    waiting, seen = [name], {name}
    while waiting:
        more = needed(waiting.pop())
        if more is None or len(seen) > MOST_FOLLOWED:
            return False
        waiting += [other for other in more if other not in seen]
        seen.update(more)
    return True


class Steps:
    """The search for numbers near one limit, a variable of type int64, in a block."""

    def __init__(self, intervals: Intervals, limit: str, block: int) -> None:
        self.intervals, self.limit, self.block = intervals, limit, block
        self.makers = intervals.makers

    def near(self, name: str) -> Near:
        """Return the step of a sum of a number below the limit and -1, 0 or 1; none for others."""
        if not self._is_wide(name) or not self._is_wide(self.limit):
            return Near()
        base, added = self.base(name, self._is_one)
        if not base or not hold(base, self._below):
            return Near()
        row = self.makers[name].op.symbol  # an operator of a sum
        step = self.intervals.at(added, self.block)
        assert step is not None
        if row.startswith("-"):
            step = Interval(-step.high, -step.low)
        return Near(step, isinstance(self.makers.get(base), nodes.IterNext))

    def base(self, name: str, is_step: Callable[[str], bool]) -> tuple[str, str]:
        """Return the base and the step of a sum; empty names if it is not one."""
        match self.makers.get(name):
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                symbol = row.symbol.rstrip("=")
                if symbol in ("+", "-") and is_step(rhs):
                    return lhs, rhs
                if symbol == "+" and is_step(lhs):
                    return rhs, lhs
        return "", ""

    def _is_one(self, name: str) -> bool:
        interval = self.intervals.at(name, self.block)
        return interval is not None and interval.within(ONE)

    def _below(self, name: str) -> Iterable[str] | None:
        """Return the variables that must be below the limit for a variable to be so; None if it
        may not be."""
        if not self._is_wide(name):
            return None
        match self.makers.get(name):
            case nodes.Const(_, value):
                return () if value == 0 else None
            case nodes.Phi(_, _, values):
                return values if self._is_renewed_by(name) else None
            case nodes.Copy(_, value):
                return (value,)
            case nodes.Binary(_, row, _, rhs) | nodes.Inplace(_, row, _, rhs):
                return () if row.symbol.rstrip("=") == "%" and rhs == self.limit else None
            case nodes.IterNext(_, _, iterator):
                return () if self._counts_up(iterator) else None
        return None

    def _is_renewed_by(self, phi: str) -> bool:
        """True if the limit is computed before a phi, so that the phi's sources are below the
        current value of the limit, not one of an earlier iteration."""
        blocks = self.intervals.blocks
        limit, label = blocks.get(self.limit), blocks.get(phi)
        if limit is None or label is None or limit == label:
            return False
        return self.intervals.graph.completes(limit, label)

    def _counts_up(self, iterator: str) -> bool:
        """True for a range from 0 or more up to the limit."""
        names = range_arguments(self.makers, self.intervals.constants, iterator)
        if names is None or (names[0] if len(names) == 1 else names[1]) != self.limit:
            return False
        start = self.intervals.at(names[0], self.block) if len(names) > 1 else Interval(0, 0)
        step = self.intervals.at(names[2], self.block) if len(names) > 2 else Interval(1, 1)
        return None not in (start, step) and start[0] >= 0 and step[0] > 0

    def _is_wide(self, name: str) -> bool:
        return self.intervals.types.get(name) is types.int64
