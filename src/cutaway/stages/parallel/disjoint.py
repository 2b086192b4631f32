"""The test whether two iterations of a loop can touch the same element, by inequalities.

Of two accesses the first is taken in one iteration and the second in another one, a later or an
earlier.  Variables that each iteration has of its own get a mark for the iteration.  Their known
facts are added to the inequalities: bounds of the loop and of loops within it, `min`, `max`, `//`
and `%`, and the conditions under which a block runs.  If they cannot all hold where the indices are
equal, the accesses are apart.

Loaded values, as in `for p in range(first[i], first[i + 1])`, are assumed never to fall with i:
arrays that are used so are made so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.foreign import text_attribute
from cutaway.foundation.loops import RANGES
from cutaway.ir import nodes
from cutaway.ir.graph import Graph
from cutaway.ir.induction import Counter
from cutaway.ir.nodes import Op
from cutaway.ir.operators import OPPOSITE
from cutaway.stages.parallel.inequalities import CONSTANT, is_possible
from cutaway.stages.parallel.places import Axis, ElementAccess
from cutaway.stages.parallel.sums import (
    Sum,
    Sums,
    Term,
    added,
    is_size,
    multiplied,
    number,
    origin,
    replaced,
    variable,
)

_MARKS = ("'", '"')  # of what the one iteration has of its own, and the other
_COMPARISONS = {"<": (1, -1), "<=": (1, 0), ">": (-1, -1), ">=": (-1, 0), "==": (0, 0)}


@dataclass(frozen=True, slots=True)
class IndexBounds:
    """An index of a loop nest, with the sums of its start and stop, and its step; 0 for an unknown
    step."""

    index: str
    start: Sum
    stop: Sum
    step: int

    @property
    def strides(self) -> bool:
        """True if another variable counts it, from 0 on."""
        return abs(self.step) > 1


class Disjoint:
    """The test for one loop: `own` are the variables private to an iteration, `graph` is that of
    the body, `counters` are those of inner loops, and `is_written` tests whether the body stores in
    an array."""

    def __init__(
        self,
        sums: Sums,
        nest: tuple[IndexBounds, ...],
        own: frozenset[str],
        graph: Graph,
        blocks: Mapping[int, Any],
        counters: Iterable[Counter],
        is_written: Callable[[str], bool],
    ) -> None:
        self.sums, self.nest, self.own = sums, nest, own
        self.graph, self.blocks = graph, blocks
        self.counters = {one.variable: one for one in counters}
        self.is_written = is_written
        self._guards: dict[int, list[tuple[Sum, bool]]] = {}

    def are_apart(self, one: ElementAccess, other: ElementAccess) -> bool:
        """True if no two iterations touch the same element, one by each access."""
        if one.field and other.field and one.field != other.field:  # outermost ones
            return True
        pairs = list(zip(one.axes, other.axes, strict=False))
        moving = {self._moving(first, second) for first, second in pairs}
        open_ = [depth for depth, of in enumerate(self.nest) if of.index not in moving]
        if open_ and all(first.start is None or second.start is None for first, second in pairs):
            if not (self._guard(one) or self._guard(other)):
                return False
        orders = (1,) if one is other else (1, -1)
        return not any(self._may_meet(one, other, d, order) for d in open_ for order in orders)

    def _moving(self, first: Axis, second: Axis) -> str:
        """Return the index of the nest whose values each have another position along an axis; empty
        if there is none."""
        if not (first.is_point and second.is_point and first.start == second.start):
            return ""
        assert first.start is not None
        moving = [term for term in first.start if any(map(self._is_own, term))]
        for of in self.nest:
            if moving == [(of.index,)] or (len(self.nest) == 1 and self._is_dealt(moving)):
                return of.index
        return ""

    def _is_dealt(self, moving: list[Term]) -> bool:
        """True for the counter of a loop over `range(i, n, k)`, where i runs from 0 to k."""
        (name,) = moving[0] if len(moving) == 1 and len(moving[0]) == 1 else ("",)
        maker = self.sums.makers.get(name)
        start = self.sums.makers.get(maker.iterator) if isinstance(maker, nodes.IterNext) else None
        call = self.sums.makers.get(start.value) if isinstance(start, nodes.GetIter) else None
        if not isinstance(call, nodes.Call) or len(call.args) != 3:
            return False
        (bounds,) = self.nest
        if self.sums.constants.get(call.func) not in RANGES or bounds.start:
            return False
        first, _, step = map(self.sums.of, call.args)
        is_index = bounds.step == 1 and first == variable(bounds.index)
        return is_index and step == bounds.stop

    def is_same_for_all(self, place: Axis) -> bool:
        """True for one position along an axis that is the same in all iterations."""
        return place.is_point and not any(self._is_own(n) for t in place.start or () for n in t)

    def distance(self, one: ElementAccess, other: ElementAccess) -> int | None:
        """Return how many iterations apart two accesses surely touch the same element, the first by
        one access and the second by the other; None if unknown."""
        found: set[int] = set()
        if len(self.nest) > 1 or self.nest[0].step == 0:
            return None
        index, step = (self.nest[0].index,), self.nest[0].step
        for first, second in zip(one.axes, other.axes, strict=True):
            if not (first.is_point and second.is_point):
                return None
            assert first.start is not None and second.start is not None
            others = [term for term in first.start if term != index]
            off = added(first.start, second.start, -1)
            if any(off.keys() - {()}) or any(self._is_own(n) for term in others for n in term):
                return None
            factor, offset = first.start.get(index, 0), off.get((), 0)
            if factor:
                found.add(offset // (factor * step))
            if offset % (factor * step) if factor else offset:
                return None
        return found.pop() if len(found) == 1 else None

    def _is_own(self, name: str) -> bool:
        return origin(name) in self.own

    # --- the inequalities -----------------------------------------------------------------------

    def _may_meet(self, one: ElementAccess, other: ElementAccess, depth: int, order: int) -> bool:
        """True if they may touch the same element, in iterations whose indices at a depth of the
        nest differ, and those above do not: that of the first is larger (1) or smaller (-1)."""
        facts = _Facts(self, depth)
        for access, mark in zip((one, other), _MARKS, strict=True):
            facts.add_indices(mark)
            for guard, is_zero in self._guard(access):
                facts.add(guard, mark, is_zero)
        facts.add_order(order)
        for number_of, (first, second) in enumerate(zip(one.axes, other.axes, strict=False)):
            facts.add_meeting(number_of, first, second)
        facts.follow()
        facts.add_growing(order)
        return facts.are_possible(order)

    def _guard(self, access: ElementAccess) -> list[tuple[Sum, bool]]:
        """Return the conditions of an access: sums that are 0 or more, or (True) 0."""
        label = access.block.label
        if label not in self._guards:
            self._guards[label] = list(self._conditions(label))
        return self._guards[label]

    def _conditions(self, label: int) -> Iterator[tuple[Sum, bool]]:
        for above, block in self.blocks.items():
            branch = block.ops[-1]
            if not isinstance(branch, nodes.Branch) or branch.then == branch.orelse:
                continue
            for target, holds in ((branch.then, True), (branch.orelse, False)):
                only = list(self.graph.predecessors(target)) == [above]
                if only and self.graph.dominates(target, label):
                    yield from self._condition(branch.cond, holds)

    def _condition(self, name: str, holds: bool) -> Iterator[tuple[Sum, bool]]:
        op = self.sums.makers.get(name)
        if not isinstance(op, nodes.Binary):
            return
        symbol = op.op.symbol if holds else OPPOSITE.get(op.op.symbol, "")
        if symbol in _COMPARISONS and self._are_integers(op.lhs, op.rhs):
            sign, offset = _COMPARISONS[symbol]
            difference = added(self.sums.of(op.rhs), self.sums.of(op.lhs), -1)
            if sign == 0:
                yield difference, True
            else:
                yield added(added({}, difference, sign), number(offset)), False

    def _are_integers(self, *names: str) -> bool:
        return all("int" in str(self.sums.types.get(name)).lower() for name in names)


class _Facts:
    """Equations and inequalities about two iterations of a loop, whose indices differ at a depth of
    the nest: `bounds` are those of that index."""

    def __init__(self, loop: Disjoint, depth: int) -> None:
        self.loop, self.depth, self.bounds = loop, depth, loop.nest[depth]
        self.zeros: list[Sum] = []
        self.positive: list[Sum] = []
        self._followed: set[tuple[str, str]] = set()

    def add(self, form: Sum, mark: str, is_zero: bool = False) -> None:
        """Add that a sum of one iteration is 0 or more, or 0."""
        (self.zeros if is_zero else self.positive).append(self._marked(form, mark))

    def _marked(self, form: Sum, mark: str) -> Sum:
        own = {
            term: tuple(sorted(name + mark if self.loop._is_own(name) else name for name in term))
            for term in form
        }
        result = {own[term]: factor for term, factor in form.items()}
        for of in self.loop.nest:
            if of.strides:  # the index is a number of steps from the start
                steps = multiplied(variable(_steps(of, mark)), number(of.step))
                result = replaced(result, of.index + mark, added(of.start, steps))
        return result

    def add_indices(self, mark: str) -> None:
        """Add the bounds of the indices."""
        for of in self.loop.nest:
            if of.step:
                sign = 1 if of.step > 0 else -1
                index = variable(of.index)
                self.add(added({}, added(index, of.start, -1), sign), mark)
                self.add(added(added({}, added(of.stop, index, -1), sign), number(-1)), mark)

    def add_order(self, order: int) -> None:
        """Add which of the iterations has the larger index, and that those above are the same."""
        for of in self.loop.nest[: self.depth]:
            self.zeros.append(self._between(of))
        self.positive.append(added(self._between(self.bounds, order), number(-1)))
        if self.bounds.strides:
            sign = order if self.bounds.step > 0 else -order
            steps = [variable(_steps(self.bounds, mark)) for mark in _MARKS]
            self.positive.append(added(added({}, added(*steps, -1), sign), number(-1)))  # type: ignore[call-arg]

    def _between(self, of: IndexBounds, order: int = 1) -> Sum:
        """Return the difference of an index in the two iterations."""
        one, other = (self._marked(variable(of.index), mark) for mark in _MARKS)
        return added({}, added(one, other, -1), order)

    def add_meeting(self, axis: int, first: Axis, second: Axis) -> None:
        """Add that both have the same position along an axis."""
        if first.start is None or second.start is None:
            return
        places = []
        for position, mark in ((first, _MARKS[0]), (second, _MARKS[1])):
            assert position.start is not None
            if position.is_point:
                places.append(self._marked(position.start, mark))
                continue
            at = variable(f"|{axis}{mark}")
            self.positive.append(added(at, self._marked(position.start, mark), -1))
            assert position.stop is not None
            stop = added(self._marked(position.stop, mark), number(-1))
            self.positive.append(added(stop, at, -1))
            places.append(at)
        self.zeros.append(added(places[0], places[1], -1))

    # --- facts about variables --------------------------------------------------------------------

    def follow(self) -> None:
        """Add the known facts about all variables, and about those that these name."""
        while True:
            names = {n for form in (*self.zeros, *self.positive) for term in form for n in term}
            new = {self._split(name) for name in names} - self._followed
            if not new or len(self._followed) > 60:
                return
            self._followed |= new
            for name, mark in sorted(new):
                self._know(name, mark)

    @staticmethod
    def _split(name: str) -> tuple[str, str]:
        return (name[:-1], name[-1]) if name[-1:] in _MARKS else (name, "")

    def _know(self, name: str, mark: str) -> None:
        if is_size(name):
            self.add(variable(name), mark)
            return
        sums = self.loop.sums
        counter = self.loop.counters.get(name)
        if counter is not None:
            self._count(counter, mark)
            return
        op = sums.makers.get(name)
        match op:
            case nodes.Call(func=func, args=args, keywords=()) if op.star is None and args:
                function = sums.constants.get(func)
                if function in (min, max) and len(args) > 1 and self.loop._are_integers(*args):
                    sign = 1 if function is min else -1
                    for other in args:
                        difference = added(sums.of(other), variable(name), -1)
                        self.add(added({}, difference, sign), mark)
            case nodes.Binary(op=row, lhs=lhs, rhs=rhs) if row.symbol in ("//", "%"):
                divisor = sums.constants.get(rhs)
                if isinstance(divisor, int) and divisor > 0 and self.loop._are_integers(lhs):
                    if row.symbol == "//":
                        held = added(sums.of(lhs), variable(name), -divisor)
                        self.add(held, mark)
                    else:
                        held = variable(name)
                        self.add(held, mark)
                    self.add(added(number(divisor - 1), held, -1), mark)

    def _count(self, counter: Counter, mark: str) -> None:
        """Add the bounds of a counter of a loop in the body."""
        sums, (first, last) = self.loop.sums, counter.bounds
        start = sums.of(first) if first else number(0)
        sign = 1 if counter.step > 0 else -1
        name = variable(counter.variable)
        self.add(added({}, added(name, start, -1), sign), mark)
        stop = added({}, added(sums.of(last), name, -1), sign)
        self.add(added(stop, number(-1)), mark)
        if abs(counter.step) > 1:
            steps = multiplied(variable(f"|of {counter.variable}{mark}"), number(counter.step))
            at = added(self._marked(added(name, start, -1), mark), steps, -1)
            self.zeros.append(at)

    # --- monotonic values -------------------------------------------------------------------------

    def add_growing(self, order: int) -> None:
        """Add that a value loaded at a position that counts with the index never falls."""
        known: dict[Any, list[tuple[str, str, int]]] = {}
        for name, mark in self._followed:
            if mark:
                key, shift = self._shift(name)
                if key is not None:
                    known.setdefault(key, []).append((name, mark, shift))
        for rows in known.values():
            for name, mark, shift in rows:
                for other, other_mark, other_shift in rows:
                    if mark == other_mark and shift == other_shift and name < other:
                        same = added(variable(name + mark), variable(other + mark), -1)
                        self.zeros.append(same)
                    ahead = order if mark == _MARKS[0] else -order
                    if mark != other_mark and ahead == 1 and shift + 1 >= other_shift:
                        later = variable(name + mark)
                        self.positive.append(added(later, variable(other + other_mark), -1))

    def _shift(self, name: str) -> tuple[Any, int]:
        """Return the source that a variable is loaded from, and by how many iterations ahead."""
        op = self.loop.sums.makers.get(name)
        while isinstance(op, nodes.Copy | nodes.Cast):
            op = self.loop.sums.makers.get(op.value)
        match op:
            case nodes.GetItem(value=array, index=index) if self._is_fixed(array):
                if index in self.loop.sums.makers or index == self.bounds.index:
                    key, shift = self._form_shift(self.loop.sums.of(index))
                    return (None, 0) if key is None else (("item", array, key), shift)
            case nodes.Binary(op=row, lhs=lhs, rhs=rhs) if row.symbol == "//":
                key, shift = self._form_shift(self.loop.sums.of(lhs))
                if key is not None and not self.loop._is_own(rhs):
                    divisor = self.loop.sums.of(rhs)
                    return ("//", key, tuple(sorted(divisor.items()))), shift
        return None, 0

    def _is_fixed(self, array: str) -> bool:
        """True if an array holds the same in all iterations."""
        return not self.loop._is_own(array) and not self.loop.is_written(array)

    def _form_shift(self, form: Sum) -> tuple[Any, int]:
        index = self.bounds.index
        if abs(self.bounds.step) != 1:
            return None, 0
        step = added(replaced(form, index, added(variable(index), number(1))), form, -1)
        rest = {term: factor for term, factor in form.items() if index not in term}
        if not step or any(self.loop._is_own(n) for t in (*step, *rest) for n in t):
            return None, 0
        shift = 0
        for times in range(-8, 9):
            left = added(rest, step, -times)
            if len(left) < len(added(rest, step, -shift)):
                shift = times
        left = added(rest, step, -shift)
        return (tuple(sorted(step.items())), tuple(sorted(left.items()))), shift

    # --- the answer -------------------------------------------------------------------------------

    def are_possible(self, order: int) -> bool:
        """True if all conditions may hold."""
        for more in self._signs(order):
            zeros = [_flat(form) for form in self.zeros]
            if is_possible(zeros, [_flat(form) for form in (*self.positive, *more)]):
                return True
        return False

    def _signs(self, order: int) -> Iterator[list[Sum]]:
        """Yield the signs of products of the index with a loop-invariant factor: they grow with the
        index, or fall, by the factor's sign."""
        of = self.bounds
        marked = [_steps(of, mark) if of.strides else of.index + mark for mark in _MARKS]
        forms = (*self.zeros, *self.positive)
        factors = {
            tuple(name for name in term if name not in marked)
            for form in forms
            for term in form
            if len(term) == 2 and len([name for name in term if name in marked]) == 1
        }
        factors = {one for one in factors if not any(name[-1:] in _MARKS for name in one)}
        if len(factors) > 3:
            factors = set()
        ahead = -order if of.step < -1 else order
        rows: list[list[Sum]] = [[]]
        for (factor,) in sorted(factors):
            one, other = (multiplied(variable(m), variable(factor)) for m in marked)
            difference = added({}, added(one, other, -1), ahead)  # at least the factor, or less
            apart = added(difference, variable(factor), -1)
            up = [added(variable(factor), number(-1)), apart]
            down = [added(number(-1), variable(factor), -1), added({}, apart, -1)]
            rows = [[*row, *sign] for row in rows for sign in (up, down)]
        yield from rows


def _steps(of: IndexBounds, mark: str) -> str:
    return f"|steps of {of.index}{mark}"


def _flat(form: Sum) -> dict[str, int]:
    return {"*".join(term) if term else CONSTANT: factor for term, factor in form.items()}


def makes(op: Op | None, sums: Sums, name: str) -> bool:
    """True if an op calls a function of this name."""
    if not isinstance(op, nodes.Call):
        return False
    return text_attribute(sums.constants.get(op.func), "__name__") == name
