"""Bounds a sum from below within a loop nest, by the ranges of its terms.

    for i in range(2, n - 2):
        for d in range(-2, 3):
            a[i + d]              i + d >= 0 where 2 - 2 >= 0; n - 2 - 1 + 2 < len(a)

A loop's counter lies between its bounds, `x % n` from 0 to n - 1, `x & 7` from 0 to 7.  A variable
with such a range is replaced by one of its ends, until all are available before the nest.  An
end that a program computes may have wrapped around: the conditions exclude that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import affine, nodes
from cutaway.ir.induction import Counter, LinearValues

# Sums of a few numbers of this size are far from the ends of an int64.
FAR = 1 << 48
MOST_STEPS = 64  # replacements in a sum
MOST_CONDITIONS = 24


class Bounds(NamedTuple):
    """The least and the greatest value, valid if the `conditions` are at least 0."""

    low: affine.Affine
    high: affine.Affine
    conditions: tuple[affine.Affine, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """The facts at a point: whether a variable is available there, whether one is never negative,
    a sum with the sizes that variables hold replaced by symbols, and the counters of the loops
    around the use of the sum."""

    is_known: Callable[[str], bool]
    is_size: Callable[[str], bool]
    resolved: Callable[[affine.Affine], affine.Affine]
    around: tuple[Counter, ...] = ()


class Ranges:
    """The ranges of one function's variables; `depth` returns how many loops enclose one's
    definition."""

    def __init__(
        self,
        values: LinearValues,
        counters: Mapping[str, Counter],
        depth: Callable[[str], int],
    ) -> None:
        self.values, self.counters, self.depth = values, counters, depth

    def needed(self, sums: list[affine.Affine], scope: Scope) -> tuple[affine.Affine, ...] | None:
        """Return sums of available values: if these are at least 0, so are all of `sums`, anywhere
        in the loop nest.  None if a sum has a term without a range."""
        waiting, seen = list(sums), set(sums)
        needed: dict[affine.Affine, None] = {}
        while waiting:
            one = waiting.pop(0)
            least, conditions = self._least(one, scope)
            if least is None or len(seen) > MOST_CONDITIONS:
                return None
            if not _is_positive(least, scope):
                needed[least] = None
            waiting += [condition for condition in conditions if condition not in seen]
            seen |= set(conditions)
        return (*needed, *_near(needed, scope))

    def _least(
        self, one: affine.Affine, scope: Scope
    ) -> tuple[affine.Affine | None, list[affine.Affine]]:
        """Return the least value of a sum, and the conditions for it."""
        one, conditions = scope.resolved(one), []
        for _ in range(MOST_STEPS):  # bounds that depend on each other would never end
            unknown = [name for name in one.variables if not scope.is_known(name)]
            if not unknown:
                return one, conditions
            # The bounds of a variable of the innermost loop may depend on the outer loops.
            name = max(unknown, key=self.depth)
            limits = self.range_of(name)
            if limits is None:
                return None, conditions
            for counter in scope.around:
                limits = self._narrowed(name, limits, counter, scope)
            factor = dict(one.terms)[name]
            one = scope.resolved(one.replaced(name, limits.low if factor > 0 else limits.high))
            conditions += limits.conditions
            # The conditions contain `FAR`, which is still far from the ends of an int64.
            if not one.has_small_factors or abs(one.offset) > 2 * FAR:
                return None, conditions
        return None, conditions

    def is_narrowed(self, name: str, around: Iterable[Counter]) -> bool:
        """True if a variable occurs in the bounds of one of these loops."""
        bounds = (bound for counter in around for bound in self._bounds(counter))
        return any(name in bound.variables for bound in bounds)

    def _narrowed(self, name: str, found: Bounds, counter: Counter, scope: Scope) -> Bounds:
        """Narrow the range of a variable within a loop, whose own range is not empty there: in the
        body of `for j in range(i + 1, n)` the variable `i` is less than `n - 1`."""
        if counter.variable == name:
            return found
        start, stop = self._bounds(counter)
        low, high = (start, stop) if counter.step > 0 else (stop, start)
        room = high.plus(-1).plus(low, -1)  # at least 0
        factor = dict(room.terms).get(name)
        conditions = (*found.conditions, *self._unwrapped(start), *self._unwrapped(stop))
        if factor == -1:
            least = scope.resolved(room.plus(affine.variable(name)))
            less = scope.resolved(found.high).plus(least, -1)
            return found if less.terms or less.offset <= 0 else Bounds(found.low, least, conditions)
        if factor == 1:
            most = scope.resolved(affine.constant(0).plus(room, -1).plus(affine.variable(name)))
            more = most.plus(scope.resolved(found.low), -1)
            return found if more.terms or more.offset <= 0 else Bounds(most, found.high, conditions)
        return found

    # --- variables with a range -----------------------------------------------------------------

    def range_of(self, name: str) -> Bounds | None:
        """Return the range of a counter, a remainder or a mask; None for any other variable."""
        counter = self.counters.get(name)
        if counter is not None:
            return self._of_counter(counter)
        op = self.values.definitions.get(name)
        if isinstance(op, nodes.Binary | nodes.Inplace) and self.values.is_exact(op):
            lhs, rhs = self.values.affine(op.lhs), self.values.affine(op.rhs)
            match op.op.symbol.rstrip("="):
                case "%":
                    return self._of_rest(rhs)
                case "&":
                    least = [one.offset for one in (lhs, rhs) if not one.terms and one.offset >= 0]
                    return (
                        Bounds(affine.constant(0), affine.constant(min(least))) if least else None
                    )
        return None

    def _bounds(self, counter: Counter) -> tuple[affine.Affine, affine.Affine]:
        start, stop = (
            self.values.affine(name) if name else affine.constant(0) for name in counter.bounds
        )
        return start, stop

    def _of_counter(self, counter: Counter) -> Bounds:
        start, stop = self._bounds(counter)
        conditions = (*self._unwrapped(start, counter), *self._unwrapped(stop, counter))
        if counter.step > 0:
            return Bounds(start, stop.plus(-1), conditions)
        return Bounds(stop.plus(1), start, conditions)

    def _of_rest(self, divisor: affine.Affine) -> Bounds | None:
        """Return the range of `x % divisor` for a positive divisor; by zero it raises or is 0."""
        if not divisor.terms:
            return (
                Bounds(affine.constant(0), affine.constant(divisor.offset - 1))
                if divisor.offset > 0
                else None
            )
        conditions = (divisor.plus(-1), *self._unwrapped(divisor))
        return Bounds(affine.constant(0), divisor.plus(-1), conditions)

    def _unwrapped(
        self, bound: affine.Affine, counter: Counter | None = None
    ) -> list[affine.Affine]:
        """Return the conditions for a computed bound not to have wrapped around."""
        if not bound.terms or (
            len(bound.terms) == 1 and bound == affine.variable(bound.terms[0][0])
        ):
            return []
        if len(bound.terms) == 1 and bound.offset == 1 and self._runs_up(bound):
            return []  # one more than an outer loop's counter, which is below its end
        conditions = []
        for name, factor in bound.terms:
            if len(bound.terms) > 1 or factor != 1 or bound.offset > 0:
                conditions.append(affine.constant(FAR).plus(affine.variable(name), -1))
            if len(bound.terms) > 1 or factor != 1 or bound.offset < 0:
                conditions.append(affine.constant(FAR).plus(affine.variable(name)))
        return conditions

    def _runs_up(self, bound: affine.Affine) -> bool:
        ((name, factor),) = bound.terms
        outer = self.counters.get(name)
        return factor == 1 and outer is not None and outer.step > 0


def _is_positive(one: affine.Affine, scope: Scope) -> bool:
    """True if a sum is always at least 0."""
    sizes = all(factor > 0 and scope.is_size(name) for name, factor in one.terms)
    return sizes and one.offset >= 0


def _near(sums: Mapping[affine.Affine, None], scope: Scope) -> list[affine.Affine]:
    """Return the conditions that no variable is so large that one of the sums wraps around."""
    near: dict[affine.Affine, None] = {}
    for one in sums:
        if not _is_compared_exactly(one, scope):
            for name in one.variables:
                near[affine.constant(FAR).plus(affine.variable(name), -1)] = None
                if not scope.is_size(name):
                    near[affine.constant(FAR).plus(affine.variable(name))] = None
    return [one for one in near if one not in sums]


def _is_compared_exactly(one: affine.Affine, scope: Scope) -> bool:
    """True if one variable is compared with sizes and a constant: a sum of sizes that wraps around
    is less than the exact one, and the variable itself cannot wrap."""
    less = [factor for _, factor in one.terms if factor < 0]
    more = [(name, factor) for name, factor in one.terms if factor > 0]
    if not less:
        return len(more) == 1 and more[0][1] == 1
    return less == [-1] and all(scope.is_size(name) for name, _ in more)
