"""Interval analysis: the least and the greatest value of each integer of a function.

    n = len(words)               0 <= n
    for i in range(n):           0 <= i
        k = (i + 1) % n          0 <= k: a remainder of a divisor that is not negative
        while k > 0:             in the loop 1 <= k
            k = k // 2           0 <= k, so neither side of this division is negative

Python rounds a quotient down and the machine rounds it to zero, so a division has to be corrected
if its operands may have different signs.  These intervals save the correction for numbers that are
not negative.

Intervals grow from the empty one, as in constant propagation: the interval of an op follows from
those of its operands, that of a phi is the union of the incoming ones, and a branch on a comparison
narrows the uses that it dominates.  An interval that still grows after a few rounds is widened to
the next of few limits, so that the analysis ends; the last rounds narrow it again.  A sum that may
leave the range of its type wraps around and gets the whole range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cutaway.foundation.foreign import key_of
from cutaway.foundation.lazy import cached_property
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.operators import MIRRORED, OPPOSITE
from cutaway.ir.traversal import use_table
from cutaway.typing import types
from cutaway.typing.types import Boolean, Integer, Type

ROUNDS = 3  # rounds before widening
SHRINKING = 2  # rounds of narrowing after widening
MOST_POWER = 8
MOST_FACTS = 16  # comparisons that are remembered of the path to a block


class Interval(NamedTuple):
    """The least and the greatest value."""

    low: int
    high: int

    def joined(self, other: Interval) -> Interval:
        """Return the smallest interval that contains both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def within(self, other: Interval) -> bool:
        """True if the other interval contains this one."""
        return other.low <= self.low and self.high <= other.high


class Fact(NamedTuple):
    """A comparison that holds: two variables and the operator between them."""

    left: str
    symbol: str
    right: str


NOTHING = Interval(1, 0)
TRUTH = Interval(0, 1)


class Intervals:
    """The intervals of one SSA function's integers.

    `is_size` is true for a variable that holds the size of an array or of a container; `limit`
    returns an interval for the result of an op, or None.
    """

    def __init__(
        self,
        fn: Function,
        table: Mapping[str, Type],
        makers: Mapping[str, Op],
        constants: Mapping[str, Any],
        is_size: Callable[[str], bool],
        limit: Callable[[Op], Interval | None] | None = None,
    ) -> None:
        self.fn, self.types, self.makers, self.constants = fn, table, makers, constants
        self.is_size = is_size
        self.limit = limit
        self.graph: Graph = graph_of(fn)
        self._above = self.graph.immediate_dominators()
        self.blocks: dict[str, int] = {}  # the block that defines each integer
        self._searched: set[str] = set()  # the analyzed variables; all others can be anything
        self._found: dict[str, Interval] = {}
        self._facts: dict[int, tuple[Fact, ...]] = {}
        self._search()

    @cached_property
    def users(self) -> Mapping[str, Sequence[Op]]:
        """Return the ops that use each variable."""
        return use_table(self.fn)

    def at(self, name: str, block: int) -> Interval | None:
        """Return the interval of a variable in a block that uses it; None if it is not an integer,
        and in an unreachable block."""
        if _whole(self.types.get(name)) is None or block not in self._above:
            return None
        interval = self._narrowed(name, self.facts(block))
        return None if interval == NOTHING else interval

    # --- the search -----------------------------------------------------------------------------

    def _search(self) -> None:
        rows: list[tuple[str, Op, int, Interval]] = []
        for label in self.graph.reverse_postorder():
            for op in self.fn.blocks[label].ops:
                name = getattr(op, "result", None)  # ops with several results are ignored
                whole = _whole(self.types.get(name)) if isinstance(name, str) else None
                if whole is not None:
                    rows.append((str(name), op, label, whole))
        self._searched.update(name for name, _, _, _ in rows)
        self.blocks = {name: label for name, _, label, _ in rows}
        turn, grows = 0, True
        while grows:
            grows = False
            for name, op, label, whole in rows:
                grows = self._grow(name, op, label, whole, turn) or grows
            turn += 1
        for _ in range(SHRINKING if turn > ROUNDS else 0):
            for name, op, label, whole in rows:
                self._shrink(name, self._of_op(name, op, label, whole))

    def _value(self, name: str) -> Interval:
        """Return the current interval of a variable."""
        interval = self._found.get(name, NOTHING)
        if interval == NOTHING and name not in self._searched:
            return _whole(self.types.get(name)) or NOTHING
        return interval

    def _grow(self, name: str, op: Op, label: int, whole: Interval, turn: int) -> bool:
        """Evaluate an op again; True if the interval of its result has grown."""
        before = self._found.get(name, NOTHING)
        now = self._of_op(name, op, label, whole)
        if now == NOTHING:
            return False
        now = now if now.within(whole) else whole
        if before != NOTHING:
            if now.within(before):
                return False
            now = now.joined(before)
            if turn >= ROUNDS:
                now = _limited(before, now, whole)
        self._found[name] = now
        return True

    def _shrink(self, name: str, now: Interval) -> None:
        """Narrow a variable to the interval of its op, which may be smaller than the limit that it
        was widened to while the operands still grew."""
        if now != NOTHING and now.within(self._found.get(name, NOTHING)):
            self._found[name] = now

    def _of_op(self, name: str, op: Op, label: int, whole: Interval) -> Interval:
        limited = None if self.limit is None else self.limit(op)
        if limited is not None:
            return limited
        match op:
            case nodes.Const(_, value) | nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
                return Interval(int(value), int(value)) if isinstance(value, int) else whole
            case nodes.Phi(_, labels, values):
                return self._met(zip(labels, values, strict=True), label, whole)
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                return self._operand(value, label, whole)
            case nodes.Unary(_, row, value) if row.symbol in ("-", "~", "+"):
                return _signed(row.symbol, self._operand(value, label, whole))
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                rule = RULES.get(row.symbol.rstrip("="))
                left, right = (self._operand(one, label, whole) for one in (lhs, rhs))
                if rule is None or self.types[name] is types.boolean:
                    return whole
                return NOTHING if NOTHING in (left, right) else rule(left, right) or whole
            case nodes.IterNext():
                return self._counted(op, label, whole)
            case nodes.StaticGetItem(_, value, int() as index):
                item = self._item(value, index, label, whole)
                if item is not None:
                    return item
            case nodes.Call(func=func):
                rule = CALLS.get(key_of(self.constants.get(func)))
                if rule is not None:
                    return self._called(op, rule, label, whole)
        return Interval(0, whole.high) if self.is_size(name) else whole

    def _met(self, pairs: Iterable[tuple[int, str]], label: int, whole: Interval) -> Interval:
        """Return the union of the incoming intervals of a phi."""
        met = NOTHING
        for source, value in pairs:
            if source in self._above:
                one = self._operand(value, source, whole, self._facts_of_way(source, label))
                met = one if met == NOTHING else met if one == NOTHING else met.joined(one)
        return met

    def _operand(
        self, name: str, label: int, whole: Interval, facts: tuple[Fact, ...] | None = None
    ) -> Interval:
        """Return the interval of an operand converted to a type with the range `whole`."""
        if _whole(self.types.get(name)) is None:
            return whole
        interval = self._narrowed(name, self.facts(label) if facts is None else facts)
        return interval if interval == NOTHING or interval.within(whole) else whole

    def _counted(self, op: nodes.IterNext, label: int, whole: Interval) -> Interval:
        """Return the interval of the counter of a loop over a range."""
        names = range_arguments(self.makers, self.constants, op.iterator)
        if names is None:
            return whole
        bounds = [self._operand(name, label, whole) for name in names]
        if NOTHING in bounds:
            return NOTHING
        start, stop = bounds[:2] if len(bounds) > 1 else (Interval(0, 0), bounds[0])
        step = bounds[2] if len(bounds) == 3 else Interval(1, 1)
        if step.low > 0:
            return Interval(start.low, max(stop.high - 1, start.low))
        if step.high < 0:
            return Interval(min(stop.low + 1, start.high), start.high)
        return whole

    def _called(
        self, op: nodes.Call, rule: Callable[..., Interval], label: int, whole: Interval
    ) -> Interval:
        """Return the interval of the result of a function of integers."""
        plain = op.args and not op.keywords and op.star is None
        if not plain or any(_whole(self.types.get(name)) is None for name in op.args):
            return whole
        operands = [self._operand(name, label, whole) for name in op.args]
        return NOTHING if NOTHING in operands else rule(operands)

    def _item(self, name: str, index: int, label: int, whole: Interval) -> Interval | None:
        """Return the interval of an item of a tuple display or constant; None for another tuple."""
        maker = self.makers.get(name)
        while isinstance(maker, nodes.Unpack | nodes.Copy):
            maker = self.makers.get(maker.value)
        match maker:
            case nodes.Const(_, tuple() as values) if type(values[index]) is int:
                return Interval(values[index], values[index])
            case nodes.BuildTuple(items=items):
                return self._operand(items[index], label, whole)
            case nodes.IterNext(_, _, iterator) if index == 0:
                if enumerated(self.makers, self.constants, iterator) is not None:
                    return Interval(0, whole.high)
        return None

    # --- comparisons ----------------------------------------------------------------------------

    def facts(self, label: int) -> tuple[Fact, ...]:
        """Return the comparisons that hold in a block, since branches on them dominate it."""
        missing = []
        while label not in self._facts:
            missing.append(label)
            above = self._above[label]
            if above == label:
                self._facts[label] = ()
            label = above
        for one in reversed(missing):
            above = self._above[one]
            if above != one:
                alone = self.graph.predecessors(one) == (above,)
                facts = self._facts_of_way(above, one) if alone else self._facts[above]
                self._facts[one] = facts
        return self._facts[missing[0] if missing else label]

    def _facts_of_way(self, source: int, label: int) -> tuple[Fact, ...]:
        """Return the comparisons that hold on the edge from one block to the next."""
        facts, branch = self.facts(source), self.fn.blocks[source].terminator
        if not isinstance(branch, nodes.Branch) or branch.then == branch.orelse:
            return facts
        if label not in (branch.then, branch.orelse):  # an exception handler
            return facts
        fact = self._compared(branch.cond, branch.then == label)
        return facts if fact is None else (*facts, fact)[-MOST_FACTS:]

    def _compared(self, cond: str, holds: bool) -> Fact | None:
        maker = self.makers.get(cond)
        while isinstance(maker, nodes.Unary) and maker.op.symbol in ("not", "bool"):
            holds = holds != (maker.op.symbol == "not")
            maker = self.makers.get(maker.value)
        if not isinstance(maker, nodes.Binary) or maker.op.symbol not in OPPOSITE:
            return None
        kinds = [self.types.get(name) for name in (maker.lhs, maker.rhs)]
        if any(_whole(ty) is None for ty in kinds):
            return None
        symbol = maker.op.symbol if holds else OPPOSITE[maker.op.symbol]
        return Fact(maker.lhs, symbol, maker.rhs)

    def _narrowed(self, name: str, facts: tuple[Fact, ...]) -> Interval:
        low, high = self._value(name)
        for left, symbol, right in facts:
            if right == name:
                left, symbol, right = right, MIRRORED[symbol], left
            if left == name and low <= high:
                low, high = _between(low, high, symbol, self._value(right))
        return Interval(low, high) if low <= high else NOTHING


def range_arguments(
    makers: Mapping[str, Op], constants: Mapping[str, Any], iterator: str
) -> tuple[str, ...] | None:
    """Return the arguments of the range that an iterator is over; None for another iterator."""
    made = makers.get(iterator)
    call = makers.get(made.value) if isinstance(made, nodes.GetIter) else None
    if not isinstance(call, nodes.Call) or constants.get(call.func) is not range:
        return None
    plain = not call.keywords and call.star is None and 1 <= len(call.args) <= 3
    return call.args if plain else None


def enumerated(makers: Mapping[str, Op], constants: Mapping[str, Any], iterator: str) -> str | None:
    """Return the iterable of an `enumerate` that starts at 0; None for another iterator."""
    made = makers.get(iterator)
    call = makers.get(made.value) if isinstance(made, nodes.GetIter) else None
    if not isinstance(call, nodes.Call) or constants.get(call.func) is not enumerate:
        return None
    plain = len(call.args) == 1 and not call.keywords and call.star is None
    return call.args[0] if plain else None


def _whole(ty: Type | None) -> Interval | None:
    """Return the range of an integer type; None for another type."""
    if isinstance(ty, Boolean):
        return TRUTH
    return Interval(ty.low, ty.high) if isinstance(ty, Integer) else None


def _limited(before: Interval, now: Interval, whole: Interval) -> Interval:
    """Widen growing ends to a limit: 0, -1 (where a countdown ends), or the end of the type."""
    low, high = now
    if low < before.low:
        low = next(limit for limit in (0, -1, whole.low) if low >= limit)
    return Interval(low, whole.high if high > before.high else high)


def _between(low: int, high: int, symbol: str, other: Interval) -> tuple[int, int]:
    """Return an interval narrowed by a comparison with another one."""
    if other == NOTHING:
        return low, high
    match symbol:
        case "<":
            return low, min(high, other.high - 1)
        case "<=":
            return low, min(high, other.high)
        case ">":
            return max(low, other.low + 1), high
        case ">=":
            return max(low, other.low), high
        case "==":
            return max(low, other.low), min(high, other.high)
    if other.low == other.high == low:  # `!=` excludes the least value
        return low + 1, high
    return low, high - (other.low == other.high == high)


# --- operators: None where the result may be anything ---------------------------------------------


def _signed(symbol: str, one: Interval) -> Interval:
    if one == NOTHING or symbol == "+":
        return one
    moved = 1 if symbol == "~" else 0
    return Interval(-one.high - moved, -one.low - moved)


def _ends(left: Interval, right: Interval, function: Callable[[int, int], int]) -> Interval:
    results = [function(a, b) for a in left for b in right]
    return Interval(min(results), max(results))


def _quotient(left: Interval, right: Interval) -> Interval | None:
    return _ends(left, right, lambda a, b: a // b) if right.low > 0 else None


def _rest(left: Interval, right: Interval) -> Interval | None:
    if right.low < 0:
        return None
    high = max(right.high - 1, 0)
    return Interval(0, min(high, left.high) if left.low >= 0 else high)


def _common_bits(left: Interval, right: Interval) -> Interval | None:
    positive = [one.high for one in (left, right) if one.low >= 0]
    return Interval(0, min(positive)) if positive else None


def _bits_of_either(left: Interval, right: Interval) -> Interval | None:
    if left.low < 0 or right.low < 0:
        return None
    return Interval(0, (1 << max(left.high, right.high).bit_length()) - 1)


def _shifted_left(left: Interval, right: Interval) -> Interval | None:
    if right.low < 0 or right.high > 63:
        return None
    return _ends(left, right, lambda a, b: a << b)


def _shifted_right(left: Interval, right: Interval) -> Interval | None:
    if right.low < 0:
        return Interval(min(left.low, -1), max(left.high, 0))
    return _ends(left, right, lambda a, b: a >> min(b, 64))


def _power(left: Interval, right: Interval) -> Interval | None:
    if right.low != right.high or not 0 <= right.low <= MOST_POWER:
        return None
    ends = _ends(left, right, lambda a, b: a**b)
    return ends.joined(Interval(0, 0)) if left.low < 0 < left.high else ends


def _size(found: list[Interval]) -> Interval:
    ((low, high),) = found
    return Interval(0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))


def _extreme(choose: Callable[[Iterable[int]], int]) -> Callable[[list[Interval]], Interval]:
    def rule(found: list[Interval]) -> Interval:
        return Interval(choose(one.low for one in found), choose(one.high for one in found))

    return rule


def _itself(found: list[Interval]) -> Interval:
    return found[0]


RULES: Mapping[str, Callable[[Interval, Interval], Interval | None]] = {
    "+": lambda a, b: Interval(a.low + b.low, a.high + b.high),
    "-": lambda a, b: Interval(a.low - b.high, a.high - b.low),
    "*": lambda a, b: _ends(a, b, lambda x, y: x * y),
    "//": _quotient,
    "%": _rest,
    "&": _common_bits,
    "|": _bits_of_either,
    "^": _bits_of_either,
    "<<": _shifted_left,
    ">>": _shifted_right,
    "**": _power,
}

INTEGERS = [np.dtype(letter).type for letter in "bhilqBHILQ"]
# Functions of integers; a result that does not fit into its type wraps around.
CALLS: Mapping[object, Callable[[list[Interval]], Interval]] = {
    min: _extreme(min),
    max: _extreme(max),
    abs: _size,
    **dict.fromkeys((int, *INTEGERS), _itself),
}
