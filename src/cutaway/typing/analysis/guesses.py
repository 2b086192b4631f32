"""Guesses likely properties of integers that cannot be proved.

    i = (i + k) % n          i + k is less than n nearly always, so that no division is needed
    x = x * x % n            x * x is not negative, unless it wraps around
    n % d                    both are small, and small numbers are divided faster

A guess selects the fast path of a division.  It is never relied on: the program tests it, and takes
the slow path if the guess is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.typing.analysis import steps
from cutaway.typing.analysis.intervals import Interval, Intervals, range_arguments

STEP = Interval(-64, 64)  # likely increments of a number that stays below a limit
SHORT = Interval(0, 2**32 - 1)


@dataclass(frozen=True, slots=True)
class Operands:
    """Facts about the operands of an integer division or shift, and guesses about those of a
    division.

    `step` is certain: it is -1, 0 or 1, and the dividend is a number from 0 up to the divisor, if
    that is positive, plus this step.  The remainder `is_asked_for_zero` if it is only compared with
    0.  The guesses are that the dividend is not negative, that it is less than the divisor, and
    that both fit into 32 bits.
    """

    left: Interval
    right: Interval
    step: Interval | None = None
    is_asked_for_zero: bool = False
    is_likely_positive: Callable[[], bool] = bool
    is_likely_less: Callable[[], bool] = bool
    is_likely_short: Callable[[], bool] = bool


def sides_of(op: Op | None, constants: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the operands of a division or shift; None for any other op."""
    match op:
        case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
            return (lhs, rhs) if row.symbol.rstrip("=") in ("//", "%", "<<", ">>") else None
        case nodes.Call(_, func, (lhs, rhs), (), None):
            return (lhs, rhs) if constants.get(func) is divmod else None
    return None


def operands(intervals: Intervals, block: int, lhs: str, rhs: str, op: Op) -> Operands | None:
    """Return facts about the operands of a division or shift in a block; None if they are not
    integers."""
    left, right = intervals.at(lhs, block), intervals.at(rhs, block)
    if left is None or right is None:
        return None
    near = steps.Steps(intervals, rhs, block).near(lhs)
    if near.counts:
        right = Interval(max(right.low, 1), right.high)
    guesses = Guesses(intervals, block)
    return Operands(
        left,
        right,
        near.step,
        is_asked_for_zero(intervals, op),
        lambda: steps.hold(lhs, guesses.positive),
        lambda: guesses.is_less(lhs, rhs),
        lambda: steps.hold(lhs, guesses.short) and steps.hold(rhs, guesses.short),
    )


def is_asked_for_zero(intervals: Intervals, op: Op) -> bool:
    """True if a remainder is only compared with 0: `if n % d == 0`.  One with a user's name is
    excluded, since inspection shows its value."""
    name = getattr(op, "result", "")
    if not name.startswith("$") or not isinstance(op, nodes.Binary) or op.op.symbol != "%":
        return False
    for user in intervals.users.get(name, ()):
        match user:
            case nodes.Del() | nodes.Branch():
                pass
            case nodes.Unary(_, row, _) if row.symbol in ("not", "bool"):
                pass
            case nodes.Binary(_, row, lhs, rhs) if row.symbol in ("==", "!="):
                other = intervals.makers.get(lhs if rhs == name else rhs)
                if not isinstance(other, nodes.Const) or other.value != 0:
                    return False
            case _:
                return False
    return True


class Guesses:
    """Guesses about integers in a block: each method returns the variables for which the same has
    to hold, and None if the guess fails (`steps.hold`)."""

    def __init__(self, intervals: Intervals, block: int) -> None:
        self.intervals, self.block = intervals, block
        self.makers, self.constants = intervals.makers, intervals.constants

    def positive(self, name: str) -> Iterable[str] | None:
        """Guess that a number is not negative, which fails only if a sum or a product wraps around
        or if an argument or a divisor is negative."""
        interval = self.intervals.at(name, self.block)
        if interval is not None and interval.low >= 0:
            return ()
        match self.makers.get(name):
            case nodes.Arg():
                return ()
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                match row.symbol.rstrip("="):
                    case "%":
                        return (rhs,)
                    case "+" | "*" | "//" | "|" | "^" | "&":
                        return (lhs, rhs)
                    case ">>" | "<<":
                        return (lhs,)
                return None
        return self._passed_on(name)

    def short(self, name: str) -> Iterable[str] | None:
        """Guess that a number fits into 32 bits: counters, arguments, elements and their sums, but
        not products."""
        interval = self.intervals.at(name, self.block)
        if interval is None or interval.within(SHORT):
            return () if interval is not None else None
        match self.makers.get(name):
            case nodes.Arg() | nodes.IterNext() | nodes.GetItem() | nodes.StaticGetItem():
                return ()
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                match row.symbol.rstrip("="):
                    case "%":
                        return (rhs,)
                    case "+" | "-" | "|" | "^":
                        return (lhs, rhs)
                    case "//" | ">>":
                        return (lhs,)
                return None
        return self._passed_on(name)

    def is_less(self, name: str, limit: str) -> bool:
        """True if a number is likely to lie between 0 and a limit: it is a small step from one that
        does."""
        base, _ = steps.Steps(self.intervals, limit, self.block).base(name, self._is_step)
        return base != "" and steps.hold(base, lambda one: self._below(one, limit))

    def _is_step(self, name: str) -> bool:
        """True for a small number, and for an argument."""
        interval = self.intervals.at(name, self.block)
        small = interval is not None and interval.within(STEP)
        return small or isinstance(self.makers.get(name), nodes.Arg)

    def _below(self, name: str, limit: str) -> Iterable[str] | None:
        match self.makers.get(name):
            case nodes.Const():
                return ()
            case nodes.Binary(_, row, _, rhs) | nodes.Inplace(_, row, _, rhs):
                return () if row.symbol.rstrip("=") == "%" and rhs == limit else None
            case nodes.IterNext(_, _, iterator):
                names = range_arguments(self.makers, self.constants, iterator)
                return () if names is not None and limit in names[:2] else None
        return self._passed_on(name)

    def _passed_on(self, name: str) -> Iterable[str] | None:
        """Return the sources of a phi, a copy or a cast; None for any other definition."""
        match self.makers.get(name):
            case nodes.Phi(_, _, values):
                return values
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                return (value,)
        return None
