"""Proves that an index lies within an axis, from earlier comparisons, computations and indexing.

    while j >= 0 and x[j] > y:      x[j]:  j >= 0 is compared; j starts below len(x) and decreases
        x[j + 1] = x[j]
        j -= 1
    if 0 <= k < n: a[k] += 1        n is the size of a
    a[i] = b[i]                     i was an index of b, which is as long as a

A proof goes backward from the index: to the values it was compared with, to the operands of its
definition, to the sources of a phi.  Around a loop it is an induction: to prove that a phi is at
least 0, this may be assumed for the value that the phi gets in the next iteration.  Arithmetic
may wrap around; each step proves that it does not.

A proof may leave conditions, sums that have to be at least 0, about values that are available
before a loop: they are tested there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from cutaway.foundation.lazy import cached_property
from cutaway.ir import nodes
from cutaway.ir.affine import LARGEST_FACTOR, Affine, constant, variable
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.induction import Counter, Linear
from cutaway.ir.operators import MIRRORED
from cutaway.typing import types
from cutaway.typing.analysis.comparisons import Comparison, held, on_way
from cutaway.typing.analysis.ranges import FAR
from cutaway.typing.analysis.sizes import Sizes
from cutaway.typing.types import Array, Boolean, Integer

MOST_STEPS, MOST_IN_ALL = 200, 6_000  # steps of one proof, and of a function
DEEPEST = 40
# Far from the ends of an int64, and far above the size of any object in memory.
ROOM = Linear(None, 1 << 60)

Needs = tuple[Affine, ...]


class Use(NamedTuple):
    """An index that an executed op proves to be in range: the op's block and its position there,
    the index, the array and the axis."""

    block: int
    position: int
    index: str
    array: str
    axis: int


class Point(NamedTuple):
    """A point in a program, and the induction hypotheses there: lower bounds of phis by numbers,
    and upper bounds by sums.

    On an edge from a block to another one, `way` is the comparison of its branch, which holds, too.
    `is_known` is true for a variable whose value can be tested before a loop.
    """

    block: int
    position: int
    is_known: Callable[[str], bool]
    way: Comparison | None = None
    least: tuple[tuple[str, int], ...] = ()
    most: tuple[tuple[str, Linear], ...] = ()


class Proofs:
    """The proofs about the integers of one function."""

    def __init__(
        self,
        fn: Function,
        sizes: Sizes,
        counters: Mapping[str, Counter],
        used: Iterable[Use],
    ) -> None:
        self.fn, self.sizes, self.values, self.types = fn, sizes, sizes.values, sizes.types
        self.graph, self.counters = graph_of(fn), counters
        self.loops = self.graph.loops()
        self.used: dict[Linear, list[Use]] = {}
        for use in used:
            if _fits(self.types.get(use.index)):
                self.used.setdefault(self._linear(use.index), []).append(use)
        self._known: dict[tuple[object, ...], Needs | None] = {}
        self._depth = self._steps = 0
        self._left = MOST_IN_ALL

    @cached_property
    def _held(self) -> dict[Linear, list[tuple[int, str, Linear]]]:
        """For each value, (block entered only if a comparison holds, operator, other side)."""
        facts: dict[Linear, list[tuple[int, str, Linear]]] = {}
        for reached, comparison in held(self.fn, self.values.definitions):
            for value, symbol, other in self._sides(comparison):
                facts.setdefault(value, []).append((reached, symbol, other))
        return facts

    def _sides(self, comparison: Comparison) -> Iterator[tuple[Linear, str, Linear]]:
        """Yield a comparison of integers, from both sides."""
        lhs, symbol, rhs = comparison
        if _fits(self.types.get(lhs)) and _fits(self.types.get(rhs)):
            left, right = self._linear(lhs), self._linear(rhs)
            yield left, symbol, right
            yield right, MIRRORED[symbol], left

    def _is_number(self, base: str) -> bool:
        """True for a size, and for a variable whose values fit into an int64."""
        return self.sizes.place(base) is not None or _fits(self.types.get(base))

    def _linear(self, name: str) -> Linear:
        """Return a value as a variable or size plus a constant; the sum may have wrapped."""
        return self.sizes.canonical(self.values.linear(name))

    # --- queries ----------------------------------------------------------------------------------

    def is_not_negative(self, index: str, point: Point) -> bool:
        """True if an index is proved to be at least 0."""
        self._begin()
        return _fits(self.types.get(index)) and self.low(self._linear(index), 0, point) == ()

    def within(self, index: str, size: Linear, point: Point) -> Needs | None:
        """Return the conditions for an index to be in range(size); None without a proof."""
        if not _fits(self.types.get(index)):
            return None
        self._begin()
        base = size.base
        if base is not None and not self._is_repeated(base):  # the size is not negative
            point = point._replace(least=((base, -size.offset),))
        low = self.low(self._linear(index), 0, point)
        if low is None:
            return None
        self._steps = 0
        high = self.high(self._linear(index), size.plus(-1), point)
        return None if high is None else tuple(dict.fromkeys((*low, *high)))

    def _is_repeated(self, base: str) -> bool:
        """True for a variable that is defined in a loop."""
        block = self.sizes.block_of(base)
        return block is None or any(block in loop.body for loop in self.loops.values())

    # --- at least ---------------------------------------------------------------------------------

    def low(self, value: Linear, least: int, point: Point) -> Needs | None:
        """Return the conditions for a value to be at least a number; None without a proof."""
        base, offset = value.base, value.offset
        if base is None:
            return () if offset >= least else None
        key = (base, offset, least, *point[:2], *point[3:])
        return self._tried(key, self._ways_low(base, offset, least, point))

    def _ways_low(self, base: str, offset: int, least: int, point: Point) -> Iterator[Needs | None]:
        value = Linear(base, offset)
        if not self._is_number(base):
            return
        if any(name == base and least <= known + offset for name, known in point.least):
            if offset <= 0:
                yield ()
        for symbol, other in self._compared(value, point):
            if symbol in (">", ">=", "=="):
                yield self.low(other, least - (symbol == ">"), point)
            elif symbol == "!=" and other == Linear(None, least - 1):
                yield self.low(value, least - 1, point)
        if offset:
            # A sum that wraps around at the upper end is less than the exact one.
            room = () if offset < 0 else self._room(base, offset, point)
            if room is not None:
                rest = self.low(Linear(base, 0), least - offset, point)
                yield self._all((room, rest))
            return
        ty = self.types.get(base)
        if self.sizes.is_size(base) and least <= 0:
            yield ()
        elif isinstance(ty, Integer | Boolean) and _lowest(ty) >= least:
            yield ()
        elif base in self.types:
            yield from self._low_of(base, least, point)
        if point.is_known(base):
            yield (variable(base).plus(-least),)

    def _room(self, base: str, offset: int, point: Point) -> Needs | None:
        """Return the conditions for adding a positive number not to wrap around."""
        if offset == 1:
            if any(symbol == "<" for symbol, _ in self._compared(Linear(base, 0), point)):
                return ()
            counter = self.counters.get(base)
            if counter is not None and counter.step > 0 and self._counts(counter, point):
                return ()
        return self.high(Linear(base, 0), ROOM, point)

    def _low_of(self, name: str, least: int, point: Point) -> Iterator[Needs | None]:
        """Yield proofs of a lower bound by the definition of a variable."""
        counter = self.counters.get(name)
        if counter is not None and self._counts(counter, point):
            start, stop = (self._bound(one) for one in counter.bounds)
            end, number = (start, least) if counter.step > 0 else (stop, least - 1)
            yield self.low(end, number, point)
            return
        match self.values.definitions.get(name):
            case nodes.Phi() as phi:
                yield self._all(
                    self.low(value, least, at)
                    for value, at in self._ways_in(phi, point, least=least)
                )
            case nodes.Call(args=args) as call if self._chooses(call):
                ways = (self.low(self._linear(one), least, point) for one in args)
                if self.values.constants.get(call.func) is min:
                    yield self._all(ways)
                else:
                    yield from ways
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs) as op:
                if self.values.is_exact(op):
                    left, right = self._linear(lhs), self._linear(rhs)
                    yield from self._low_of_operator(
                        row.symbol.rstrip("="), left, right, least, point
                    )

    def _low_of_operator(
        self, symbol: str, left: Linear, right: Linear, least: int, point: Point
    ) -> Iterator[Needs | None]:
        match symbol:
            case "%" if least <= 0:
                yield self.low(right, 1, point)
            case "&" if least <= 0:
                yield self.low(left, 0, point)
                yield self.low(right, 0, point)
            case "//" | ">>" if right.base is None and right.offset > 0:
                if (middle := self._halved(symbol, left, right)) is not None:
                    yield self._all(self._low_of_middle(*middle, least, point))
                if symbol == "//" or least <= 0:
                    yield self.low(left, max(least, 0) * right.offset, point)
            case "+":
                if (far := self._from(left, right)) is not None:
                    yield self._all(self._low_of_middle(left, far, least, point))
                yield self._all(self._low_of_sum(left, right, least, point))
            case "-" if least <= 0:
                yield self._all(
                    [
                        self.low(left, 0, point),
                        self.low(right, 0, point),
                        self._stays(left, point),
                        self.high(right, left.plus(-least), point),
                    ]
                )
            case "*" if least <= 0:
                for one, other in ((left, right), (right, left)):
                    if one.base is None and 0 <= one.offset <= LARGEST_FACTOR:
                        far = self.high(other, Linear(None, FAR), point)
                        yield self._all([self.low(other, 0, point), far])

    def _low_of_sum(
        self, left: Linear, right: Linear, least: int, point: Point
    ) -> Iterator[Needs | None]:
        yield self.low(left, least, point)
        yield self.low(right, 0, point)
        yield self.high(left, ROOM, point)
        yield self.high(right, ROOM, point)

    def _low_of_middle(
        self, left: Linear, right: Linear, least: int, point: Point
    ) -> Iterator[Needs | None]:
        """Yield the steps that bound the middle of two numbers, which is between them."""
        for one in (left, right):
            yield self.low(one, max(least, 0), point)
            yield self.high(one, ROOM, point)

    # --- at most ----------------------------------------------------------------------------------

    def high(self, value: Linear, most: Linear, point: Point) -> Needs | None:
        """Return the conditions for a value to be at most a sum; None without a proof."""
        if value.base == most.base and value.offset == 0 and most.offset >= 0:
            return ()
        if value.base is None and most.base is None:
            return () if value.offset <= most.offset else None
        key = (value.base, value.offset, most.base, most.offset, *point[:2], *point[3:])
        return self._tried(key, self._ways_high(value, most, point))

    def _ways_high(self, value: Linear, most: Linear, point: Point) -> Iterator[Needs | None]:
        base, offset = value.base, value.offset
        if base is None:
            yield self.low(Linear(most.base, 0), offset - most.offset, point)
            return
        if not self._is_number(base):
            return
        yield from self._known_high(value, most, point)
        for use in self.used.get(value, ()):
            if self._is_behind(use, point):
                size = self.sizes.size(use.array, use.axis, point.block)
                yield self.high(size, most.plus(1), point)
        for symbol, other in self._compared(value, point):
            if symbol in ("<", "<=", "=="):
                yield self.high(other, most.plus(symbol == "<"), point)
        if offset:
            # A sum that wraps around at the upper end is less than the exact one; at the lower end
            # it is more.
            room = () if offset > 0 else self.low(Linear(base, 0), 0, point)
            if room is not None:
                rest = self.high(Linear(base, 0), most.plus(-offset), point)
                yield self._all((room, rest))
            return
        if base in self.types:
            yield from self._high_of(base, most, point)
        yield from self._high_on_ways(base, most, point)
        if point.is_known(base) and (most.base is None or point.is_known(most.base)):
            need = _sum(most).plus(variable(base), -1)
            # A test which of two arrays is longer would mostly fail.
            is_likely = need.offset >= 0 or not self.sizes.is_size(base) or most.base is None
            yield (need,) if need.terms and is_likely else None

    def _known_high(self, value: Linear, most: Linear, point: Point) -> Iterator[Needs | None]:
        """Yield proofs of an upper bound by the type, and by the hypotheses."""
        base = value.base or ""
        ty = self.types.get(base)
        if most.base is None and value.offset == 0:
            if isinstance(ty, Integer | Boolean) and _highest(ty) <= most.offset:
                yield ()
            if most.offset >= FAR and self._is_in_memory(base):
                yield ()
        for name, known in point.most:
            if name == base and known.base == most.base and value.offset >= 0:
                if known.offset + value.offset <= most.offset:
                    yield ()

    def _high_on_ways(self, base: str, most: Linear, point: Point) -> Iterator[Needs | None]:
        """Yield a proof on each incoming edge of a block where control merges."""
        ways = self.graph.predecessors(point.block)
        if most.base is not None or len(ways) < 2 or point.block in self.loops:
            return
        if not self._is_above(base, point.block):
            return
        ends = (self._end_of(label, point.block, point) for label in ways)
        yield self._all(self.high(Linear(base, 0), most, end) for end in ends)

    def _is_above(self, base: str, block: int) -> bool:
        """True if a value is defined before every incoming edge of a block."""
        place = self.sizes.place(base)
        made = self.sizes.block_of(base if place is None else place[0])
        return made is not None and made != block and self.graph.completes(made, block)

    def _end_of(self, label: int, target: int, point: Point) -> Point:
        """Return the point at the end of a block, on the edge to another one."""
        ops = self.fn.blocks[label].ops
        if self.graph.handlers.get(label) == target:  # the first op may raise
            return point._replace(block=label, position=0, way=None)
        way = on_way(ops[-1], target, self.values.definitions)
        return point._replace(block=label, position=len(ops), way=way)

    def _is_in_memory(self, base: str) -> bool:
        """True for the size of an array without overlapping elements, which memory limits."""
        place = self.sizes.place(base)
        ty = None if place is None else self.types.get(place[0])
        is_line = isinstance(ty, Array) and ty.ndim == 1 and ty.layout in "CF"
        return is_line and types.is_number(ty.dtype)

    def _high_of(self, name: str, most: Linear, point: Point) -> Iterator[Needs | None]:
        """Yield proofs of an upper bound by the definition of a variable."""
        counter = self.counters.get(name)
        if counter is not None and self._counts(counter, point):
            start, stop = (self._bound(one) for one in counter.bounds)
            above = self.high(stop, most.plus(1), point) if counter.step > 0 else None
            yield above if counter.step > 0 else self.high(start, most, point)
            return
        match self.values.definitions.get(name):
            case nodes.Phi() as phi if self._is_fixed(most, phi):
                ways = self._ways_in(phi, point, most=most)
                yield self._all(self.high(value, most, at) for value, at in ways)
            case nodes.Call(args=args) as call if self._chooses(call):
                ways_of = (self.high(self._linear(one), most, point) for one in args)
                if self.values.constants.get(call.func) is max:
                    yield self._all(ways_of)
                else:
                    yield from ways_of
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs) as op:
                if self.values.is_exact(op):
                    left, right = self._linear(lhs), self._linear(rhs)
                    yield from self._high_of_operator(
                        row.symbol.rstrip("="), left, right, most, point
                    )

    def _high_of_operator(
        self, symbol: str, left: Linear, right: Linear, most: Linear, point: Point
    ) -> Iterator[Needs | None]:
        match symbol:
            case "%":
                rest = self.low(right, 1, point)
                if rest is not None:
                    yield self._all((rest, self.high(right, most.plus(1), point)))
                    yield self._all([rest, self.low(left, 0, point), self.high(left, most, point)])
            case "&":
                for side in (left, right):
                    yield self._all([self.low(side, 0, point), self.high(side, most, point)])
            case "//" | ">>" if right.base is None and right.offset > 0:
                if (middle := self._halved(symbol, left, right)) is not None:
                    yield from self._high_of_middle(*middle, most, point)
                yield self._all([self.low(left, 0, point), self.high(left, most, point)])
            case "*" if most.base is None and most.offset > 0:
                yield from self._high_of_multiple(left, right, most.offset, point)
            case "+":
                if (far := self._from(left, right)) is not None:
                    yield from self._high_of_middle(left, far, most, point)
            case "-":
                yield self._all(
                    [
                        self.low(left, 0, point),
                        self.low(right, 0, point),
                        self.high(left, most, point),
                    ]
                )

    def _high_of_multiple(
        self, left: Linear, right: Linear, most: int, point: Point
    ) -> Iterator[Needs | None]:
        for one, other in ((left, right), (right, left)):
            if one.base is None and 0 < one.offset <= LARGEST_FACTOR:
                end = Linear(None, most // one.offset)
                yield self._all([self.low(other, 0, point), self.high(other, end, point)])

    def _high_of_middle(
        self, left: Linear, right: Linear, most: Linear, point: Point
    ) -> Iterator[Needs | None]:
        """Yield proofs that the middle of two numbers is at most the larger one, and below it if
        they differ."""
        between = self._all(self._low_of_middle(left, right, 0, point))
        if between is None:
            return
        for low, high in ((left, right), (right, left)):
            if self._stays(high, point) is not None:
                below = self.high(low, high.plus(-1), point)
                if below is not None:
                    yield self._all([between, below, self.high(high, most.plus(1), point)])
        yield self._all([between, self.high(left, most, point), self.high(right, most, point)])

    # --- steps ------------------------------------------------------------------------------------

    def _tried(self, question: tuple[object, ...], ways: Iterator[Needs | None]) -> Needs | None:
        """Return the first proof among the ways to prove a proposition, within the limits."""
        if question in self._known:
            return self._known[question]
        if self._depth == DEEPEST or self._steps == MOST_STEPS or self._left == 0:
            return None
        self._depth += 1
        self._steps += 1
        self._left -= 1
        proof = next((one for one in ways if one is not None), None)
        self._depth -= 1
        self._known[question] = proof
        return proof

    def _begin(self) -> None:
        self._known.clear()
        self._depth = self._steps = 0

    def _compared(self, value: Linear, point: Point) -> Iterator[tuple[str, Linear]]:
        """Yield the comparisons of a value that hold on every path to a point."""
        for reached, symbol, other in self._held.get(value, ()):
            if self.graph.dominates(reached, point.block):
                yield symbol, other
        if point.way is not None:
            for one, symbol, other in self._sides(point.way):
                if one == value:
                    yield symbol, other

    def _is_behind(self, use: Use, point: Point) -> bool:
        """True if an op was executed on every path to a point."""
        if use.block == point.block:
            return use.position < point.position
        return self.graph.completes(use.block, point.block)

    def _counts(self, counter: Counter, point: Point) -> bool:
        """True where a counter is within its bounds: in the loop's body, not in its header."""
        body = self.loops[counter.header].body
        return point.block in body and point.block != counter.header

    def _bound(self, name: str) -> Linear:
        return self._linear(name) if name else Linear(None, 0)

    def _ways_in(
        self, phi: nodes.Phi, point: Point, least: int | None = None, most: Linear | None = None
    ) -> Iterator[tuple[Linear, Point]]:
        """Yield the sources of a phi and the points on its incoming edges, where the bound that is
        to be proved is a hypothesis about the phi's current value."""
        block = self.sizes.block_of(phi.result)
        assert block is not None
        taken = point.least if least is None else (*point.least, (phi.result, least))
        taken_most = point.most if most is None else (*point.most, (phi.result, most))
        for label, name in zip(phi.labels, phi.values, strict=True):
            end = self._end_of(label, block, point)
            yield self._linear(name), end._replace(least=taken, most=taken_most)

    def _is_fixed(self, most: Linear, phi: nodes.Phi) -> bool:
        """True if a sum is invariant in the loop whose header has a phi."""
        block = self.sizes.block_of(phi.result)
        return most.base is None or (block is not None and self._is_above(most.base, block))

    def _chooses(self, call: nodes.Call) -> bool:
        """True for a call of `min` or `max` of several integers."""
        if self.values.constants.get(call.func) not in (min, max) or call.star is not None:
            return False
        fits = all(_fits(self.types.get(name)) for name in (*call.args, call.result))
        return fits and not call.keywords and len(call.args) > 1

    def _stays(self, value: Linear, point: Point) -> Needs | None:
        """Return the conditions for a value not to have wrapped around; None without a proof."""
        base, offset = value.base, value.offset
        if base is None or not offset:
            return ()
        one = Linear(base, 0)
        return self.low(one, 0, point) if offset < 0 else self.high(one, ROOM, point)

    def _halved(self, symbol: str, value: Linear, by: Linear) -> tuple[Linear, Linear] | None:
        """Return x and y of `(x + y) // 2`; None for any other quotient."""
        if (symbol, by.offset) not in (("//", 2), (">>", 1)):
            return None
        match self.values.definitions.get(value.base or ""):
            case nodes.Binary(_, row, lhs, rhs) as op if row.symbol == "+" and value.offset == 0:
                return (self._linear(lhs), self._linear(rhs)) if self.values.is_exact(op) else None
        return None

    def _from(self, left: Linear, right: Linear) -> Linear | None:
        """Return y of `x + (y - x) // 2`; None for any other sum."""
        match self.values.definitions.get(right.base or ""):
            case nodes.Binary(_, row, whole, two) as op if row.symbol == "//" and not right.offset:
                is_half = self._linear(two) == Linear(None, 2) and self.values.is_exact(op)
                inner = self.values.definitions.get(whole)
                if is_half and isinstance(inner, nodes.Binary) and inner.op.symbol == "-":
                    same = self._linear(inner.rhs) == left and self.values.is_exact(inner)
                    return self._linear(inner.lhs) if same else None
        return None

    def _all(self, parts: Iterable[Needs | None]) -> Needs | None:
        needs: dict[Affine, None] = {}
        for part in parts:
            if part is None:
                return None
            needs.update(dict.fromkeys(part))
        return tuple(needs)


def _sum(value: Linear) -> Affine:
    return constant(value.offset) if value.base is None else variable(value.base).plus(value.offset)


def _fits(ty: types.Type | None) -> bool:
    return isinstance(ty, Boolean) or (isinstance(ty, Integer) and ty != types.uint64)


def _lowest(ty: Integer | Boolean) -> int:
    return ty.low if isinstance(ty, Integer) else 0


def _highest(ty: Integer | Boolean) -> int:
    return ty.high if isinstance(ty, Integer) else 1
