"""Loops over `range`, and values as `variable + constant`.

The facts that the bounds pass uses about a loop: its counter, its start and stop, and its constant
step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cutaway.foundation import loops
from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.affine import Affine, constant, variable
from cutaway.ir.function import Function
from cutaway.ir.graph import Loop
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import makers_of

DEEPEST_SUM = 100  # ops followed in a chain of definitions
LARGEST_OFFSET = 2**31  # beyond, sums of a size and an offset might overflow


@dataclass(frozen=True, slots=True)
class Linear:
    """`base + offset`; without a base the constant `offset`."""

    base: str | None
    offset: int

    def plus(self, number: int) -> Linear:
        """Add a constant to this."""
        return Linear(self.base, self.offset + number)


@dataclass(frozen=True, slots=True)
class Counter:
    """The counting variable of a loop over a range with a constant step.

    `lowest` is the variable that holds its lowest bound: the start, or the stop of a range that
    counts down; empty if the range has no such argument.  `bounds` are the variables of start and
    stop.
    """

    variable: str
    header: int
    start: Linear
    stop: Linear
    step: int
    lowest: str
    bounds: tuple[str, str]


class LinearValues:
    """Facts about the values of an SSA function's variables.

    `is_exact` says of a copy, a cast or a sum that its 64-bit result is exact: in fewer bits it
    would wrap around sooner than an index does.  `makers` are the ops that define the variables, if
    they are known.
    """

    def __init__(
        self,
        fn: Function,
        constants: Mapping[str, Any],
        is_exact: Callable[[Op], bool],
        makers: Mapping[str, Op] | None = None,
    ) -> None:
        self.definitions = makers_of(fn) if makers is None else makers
        self.constants = constants
        self.is_exact = is_exact
        # The depth is part of the key: a result that was cut off at the limit is invalid for a
        # shorter path.
        self._linear: dict[tuple[str, int], Linear] = {}
        self._affine: dict[str, Affine] = {}

    def linear(self, name: str, depth: int = 0) -> Linear:
        """Resolve a variable to a base and a constant offset, following its definitions."""
        if depth > DEEPEST_SUM:
            return Linear(name, 0)
        key = (name, depth)
        if key not in self._linear:
            self._linear[key] = self._followed(name, depth + 1)
        return self._linear[key]

    def _followed(self, name: str, depth: int) -> Linear:
        constant = self.constants.get(name)
        if isinstance(constant, int) and not isinstance(constant, bool):
            return Linear(None, constant)
        op = self.definitions.get(name)
        if op is None or not self.is_exact(op):
            return Linear(name, 0)
        match op:
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                return self.linear(value, depth)
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                linear = self._sum(row.symbol, lhs, rhs, depth)
                if linear is not None and abs(linear.offset) < LARGEST_OFFSET:
                    return linear
        return Linear(name, 0)

    def _sum(self, symbol: str, lhs: str, rhs: str, depth: int) -> Linear | None:
        left, right = self.linear(lhs, depth), self.linear(rhs, depth)
        if symbol in ("+", "+="):
            if right.base is None:
                return left.plus(right.offset)
            if left.base is None:
                return right.plus(left.offset)
        if symbol in ("-", "-=") and right.base is None:
            return left.plus(-right.offset)
        return None

    def affine(self, name: str, depth: int = 0) -> Affine:
        """Resolve a variable to an affine sum of variables, following its definitions."""
        if name not in self._affine:
            self._affine[name] = variable(name)  # in case of a cycle
            found = self._added(name, depth + 1) if depth <= DEEPEST_SUM else None
            self._affine[name] = found if found is not None and found.is_small else variable(name)
        return self._affine[name]

    def _added(self, name: str, depth: int) -> Affine | None:
        number = self.constants.get(name)
        if isinstance(number, int) and not isinstance(number, bool):
            return constant(number)
        op = self.definitions.get(name)
        if op is None or not self.is_exact(op):
            return None
        match op:
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                return self.affine(value, depth)
            case nodes.Unary(_, row, value) if row.symbol == "-":
                return constant(0).plus(self.affine(value, depth), -1)
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                left, right = self.affine(lhs, depth), self.affine(rhs, depth)
                match row.symbol.rstrip("="):
                    case "+":
                        return left.plus(right)
                    case "-":
                        return left.plus(right, -1)
                    case "*" if not left.terms:
                        return constant(0).plus(right, left.offset)
                    case "*" if not right.terms:
                        return constant(0).plus(left, right.offset)
        return None

    def counter(self, fn: Function, loop: Loop) -> Counter | None:
        """Return the counter of a loop that iterates over a range; None for any other loop."""
        for op in fn.blocks[loop.header].ops:
            if isinstance(op, nodes.IterNext):
                return self._counter_of(op, loop.header)
        return None

    def _counter_of(self, op: nodes.IterNext, header: int) -> Counter | None:
        start = self.definitions.get(op.iterator)
        call = self.definitions.get(start.value) if isinstance(start, nodes.GetIter) else None
        if not isinstance(call, nodes.Call) or self.constants.get(call.func) not in loops.RANGES:
            return None
        if call.keywords or call.star is not None:
            return None
        bounds = [self.linear(name) for name in call.args]
        if len(bounds) == 1:
            bounds.insert(0, Linear(None, 0))
        step = bounds[2] if len(bounds) == 3 else Linear(None, 1)
        if step.base is not None or step.offset == 0:
            return None
        names = call.args if len(call.args) > 1 else ("", *call.args)
        lowest = names[0] if step.offset > 0 else names[1]
        return Counter(
            op.result, header, bounds[0], bounds[1], step.offset, lowest, (names[0], names[1])
        )
