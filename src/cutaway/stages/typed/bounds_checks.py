"""Remove bounds checks that a loop's own range proves; hoist others out of it (stage 5a).

    for i in range(n):                     fits = n <= len(a)
        a[i] = 0                      ->   if fits:  (the same loop, a[i] unchecked)
                                           else:     (the same loop, a[i] checked)

Every axis of an item op gets a tag: `proved` (the index is in range and not negative),
`check`, or `wrap` where checks are off.  An index `counter + constant` in a loop over a range
is proved when the range lies within the axis whatever the arguments; when that depends on a
value known before the loop, it is compared there, once, and the loop gets two
versions.  So are sums of the counters of a nest of loops, and their remainders by `% n` and
`& 7` (`typing/analysis/ranges.py`).  The outermost loop for which a test can be written is the
one that gets versions; in its first version an innermost loop gets two again where a test before
it leaves it without checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace as replace_record
from cutaway.foundation.lazy import cached_property
from cutaway.ir import nodes, versioning
from cutaway.ir.affine import Affine, constant, variable
from cutaway.ir.editing import Rule
from cutaway.ir.graph import Loop, graph_of
from cutaway.ir.induction import Counter, Linear
from cutaway.ir.nodes import Op, replace
from cutaway.ir.operators import BINARY
from cutaway.ir.region_views import Place, places_in
from cutaway.ir.traversal import definitions
from cutaway.stages.typed import bounds_remarks
from cutaway.stages.typed.accesses import AxisAccess, affine, sides
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.analysis import indices, intervals, items, proofs
from cutaway.typing.analysis.counting import linear_values
from cutaway.typing.analysis.ranges import Ranges, Scope
from cutaway.typing.analysis.sizes import Sizes
from cutaway.typing.types import Array, Integer, Tuple, Type

if TYPE_CHECKING:
    from cutaway.stages.typed.bounds_remarks import BoundsRemarks


# Far from the ends of an int64: no constant makes a number beyond it wrap around.
SMALLEST = -(1 << 62)

# The tags of an index that is never negative.
NOT_NEGATIVE = {"check": "below", "wrap": "unchecked"}

MARK_BOUNDS = Rule(
    "mark_bounds",
    "a[i] => a[i] with a word for each axis: proved, check or wrap",
    note=lambda named, remarks, op: remarks.mark_note(op),
)
VERSION_LOOP = Rule(
    "version_loop",
    "a loop with checks => a test, the loop without them, and the loop",
    note=lambda named, remarks, accesses: remarks.version_note(accesses),
)


def run(unit: CompileUnit) -> None:
    """Mark every axis of every item op of an array."""
    BoundsAnalysis(unit).run()


class BoundsAnalysis:
    """The analysis of one function."""

    def __init__(self, unit: CompileUnit) -> None:
        self.unit = unit
        self.fn = unit.fn
        self.editor = unit.editor()
        self.types = unit.types
        self.default = "check" if unit.flags.boundscheck else "wrap"
        self.values = linear_values(self.fn, self.types)
        self.sizes = Sizes(self.fn, self.types, self.values)
        graph = graph_of(self.fn)
        self.loops, self.innermost = graph.loops(), graph.innermost
        self.counters = self._find_counters()
        self.ranges = Ranges(self.values, self.counters, self._depth_of)
        self.by_proof: set[tuple[int, int]] = set()  # ops by their ids, and axes
        self.places = {
            op.id: (block.label, position)
            for block in self.fn.blocks.values()
            for position, op in enumerate(block.ops)
            if isinstance(op, items.ItemOp)
        }

    @cached_property
    def proofs(self) -> proofs.Proofs:
        """Proofs from earlier comparisons and item accesses."""
        used = (
            proofs.Use(*self.places[op.id], name, items.array_of(op), axis)
            for block in self.fn.blocks.values()
            for op in block.ops
            if isinstance(op, items.ItemOp) and isinstance(self.types[items.array_of(op)], Array)
            for axis, name in self.plain_axes(op)
        )
        return proofs.Proofs(self.fn, self.sizes, self.counters, used)

    def run(self) -> None:
        """Mark the axes that are proved outright, then version loops where a test proves more."""
        accesses = list(self._accesses())
        proved = {(a.op.id, a.axis) for a in accesses if a.needs == ()}
        remarks = self._remarks()
        for block in self.fn.blocks.values():
            for position, op in enumerate(block.ops):
                if isinstance(op, items.ItemOp):
                    self._mark(Place(block, position, ()), op, proved, remarks)
                if op.REGIONS:
                    for place in places_in(block, position):
                        if isinstance(place.op, items.ItemOp):
                            self._mark(place, place.op, proved, remarks)
        if self.default == "check":
            self._hoist([access for access in accesses if access.needs != ()], remarks)
        if remarks is not None:
            remarks.report()

    def _remarks(self) -> BoundsRemarks | None:
        """Return the explanations of this run; None if nobody listens."""
        if not self.unit.recording:
            return None
        remarks: BoundsRemarks = bounds_remarks.BoundsRemarks(self)
        return remarks

    def _find_counters(self) -> dict[str, Counter]:
        counters = {}
        for loop in self.loops.values():
            counter = self.values.counter(self.fn, loop) or self._enumeration(loop)
            if counter is not None:
                counters[counter.variable] = counter
        return {name: self._without_wrapping(counters[name], counters) for name in counters}

    def _enumeration(self, loop: Loop) -> Counter | None:
        """Return the counter of a loop over `enumerate(array)`: from 0 to the array's size."""
        values = self.values
        for op in self.fn.blocks[loop.header].ops:
            if isinstance(op, nodes.IterNext):
                array = intervals.enumerated(values.definitions, values.constants, op.iterator)
                place = self._first_items.get(op.result)
                if array is None or place is None or not isinstance(self.types[array], Array):
                    return None
                size = self.sizes.size(array, 0)
                if size.base is None or size.offset:
                    return None
                return Counter(place, loop.header, Linear(None, 0), size, 1, "", ("", size.base))
        return None

    @cached_property
    def _first_items(self) -> dict[str, str]:
        """Return the variables that hold the first items of tuples, by the tuples' names."""
        held, makers = {}, self.values.definitions
        for name, op in makers.items():
            if isinstance(op, nodes.StaticGetItem) and op.index == 0:
                source = makers.get(op.value)
                held[source.value if isinstance(source, nodes.Unpack) else op.value] = name
        return held

    def _without_wrapping(self, counter: Counter, counters: dict[str, Counter]) -> Counter:
        """Return the counter, with its lowest bound as an unknown where `base + offset` may wrap.

        A bound that wraps around is negative though the sum is not.  One more than an outer counter
        that runs up does not wrap, nor one more than a counter that runs down from below a size.
        (A size may be as large as a number can be: that of one byte that is repeated.)
        """
        low = counter.start if counter.step > 0 else counter.stop
        if low.base is None or low.offset <= 0:
            return counter
        if self._has_room(counters.get(low.base), low.offset):
            return counter
        unknown = Linear(counter.lowest, 0)
        if counter.step > 0:
            return replace_record(counter, start=unknown)
        return replace_record(counter, stop=unknown)

    def _has_room(self, outer: Counter | None, offset: int) -> bool:
        """True if a number can be added to a counter, and the sum does not wrap around."""
        if outer is None:
            return False
        if outer.step > 0:
            return offset == 1
        highest = outer.start.plus(offset)
        if highest.base is None:
            return True
        return highest.offset <= 0 and self.sizes.is_size(highest.base)

    # --- accesses, and the sums that prove them -------------------------------------------------

    def _accesses(self) -> Iterable[AxisAccess]:
        for block in self.fn.blocks.values():
            for op in block.ops:
                if isinstance(op, items.ItemOp):
                    yield from self._accesses_of(op, block.label)

    def _accesses_of(self, op: items.ItemOp, block: int) -> Iterable[AxisAccess]:
        array = items.array_of(op)
        if not isinstance(self.types[array], Array):
            return
        for axis, name in self.plain_axes(op):
            needs = self.needs(name, array, axis, block)
            if needs is None:
                always = self._in_nest(name, array, axis, block, lambda one: not self._varies(one))
                needs = always if always == () else None
            if needs != () and self._by_proof(op, name, axis, lambda one: False) == ():
                needs = ()
                self.by_proof.add((op.id, axis))
            yield AxisAccess(op, axis, name, block, needs)

    def plain_axes(self, op: items.ItemOp) -> list[tuple[int, str]]:
        """Return the (axis, variable) pairs of an index's integers; none with an ellipsis."""
        kind = self.types[op.index]
        if isinstance(kind, Integer):
            return [(0, op.index)]
        definition = self.values.definitions.get(op.index)
        if not isinstance(kind, Tuple) or not isinstance(definition, nodes.BuildTuple):
            return []
        if types.ellipsis in kind.items or indices.chooses(kind):
            return []
        axes = [(n, ty) for n, ty in zip(definition.items, kind.items) if ty is not types.none]
        return [(k, name) for k, (name, ty) in enumerate(axes) if isinstance(ty, Integer)]

    def needs(self, index: str, array: str, axis: int, block: int) -> tuple[Affine, ...] | None:
        """Return the sums that are at least 0 if the index is in range in a block; None if no rule
        of one loop applies."""
        linear = self.values.linear(index)
        if linear.base is None:
            known = self.sizes.of(array, block)[axis]
            return () if isinstance(known, int) and 0 <= linear.offset < known else None
        counter = self.counters.get(linear.base)
        if counter is None:
            return None
        size, least = self.sizes.size(array, axis, block), self.sizes.least(array, axis, block)
        first, past = counter.start, counter.stop
        low, high = (first, past.plus(-1)) if counter.step > 0 else (past.plus(1), first)
        limits = [one for one in (size, least) if one is not None]
        needs = self._unwrapped(past if counter.step > 0 else first, limits)
        if not self._at_least_zero(low.plus(linear.offset)):
            needs.append(affine(self.sizes.canonical(low, block)).plus(linear.offset))
        if not any(self._below(high.plus(linear.offset), one, block) for one in limits):
            highest = affine(self.sizes.canonical(high, block)).plus(1 + linear.offset)
            needs.append(affine(size).plus(highest, -1))
        return tuple(needs)

    def _in_nest(
        self, index: str, array: str, axis: int, block: int, is_known: Callable[[str], bool]
    ) -> tuple[Affine, ...] | None:
        """Return such sums, of `is_known` variables, by the ranges of a whole nest of loops."""
        position, size = self.values.affine(index), affine(self.sizes.size(array, axis, block))

        def resolved(one: Affine) -> Affine:
            found = constant(one.offset)
            for name, factor in one.terms:
                found = found.plus(affine(self.sizes.canonical(Linear(name, 0), block)), factor)
            return found

        scope = Scope(is_known, self._is_size_of(size), resolved, self._around(block))
        return self.ranges.needed([position, size.plus(-1).plus(position, -1)], scope)

    def _by_proof(
        self, op: items.ItemOp, index: str, axis: int, is_known: Callable[[str], bool]
    ) -> tuple[Affine, ...] | None:
        """Return such sums by earlier comparisons and item accesses."""
        block, position = self.places[op.id]
        size = self.sizes.size(items.array_of(op), axis, block)
        return self.proofs.within(index, size, proofs.Point(block, position, is_known))

    def _around(self, block: int) -> tuple[Counter, ...]:
        """Return the counters of the loops around a block."""
        counters = self.counters.values()
        return tuple(one for one in counters if block in self.loops[one.header].body)

    def _is_size_of(self, size: Affine) -> Callable[[str], bool]:
        # An array of n + c elements exists, so n is not negative, but for a constant.
        own = size.variables if size.offset <= 0 else ()
        return lambda name: name in own or self.sizes.is_size(name)

    def _varies(self, name: str) -> bool:
        """True if a variable takes on the values of a range."""
        return self.ranges.range_of(name) is not None

    def _depth_of(self, name: str) -> int:
        """Return the nesting depth of a variable's definition."""
        label = self.sizes.block_of(name)
        return sum(label in loop.body for loop in self.loops.values())

    def _unwrapped(self, highest: Linear, sizes: list[Linear]) -> list[Affine]:
        """Return the sums that keep a range's highest bound from wrapping around: `n - 5` of the
        smallest n is a large number. No array has that many elements."""
        base = highest.base
        if base is None or highest.offset >= 0 or self.sizes.is_size(base):
            return []
        if any(base == size.base for size in sizes):
            return []
        if base in self.counters and self._at_least_zero(Linear(base, 0)):
            return []
        return [variable(base).plus(-SMALLEST)]

    def _at_least_zero(self, value: Linear) -> bool:
        if value.base is None:
            return value.offset >= 0
        counter = self.counters.get(value.base)
        if counter is not None:
            low = counter.start if counter.step > 0 else counter.stop.plus(1)
            return self._at_least_zero(low.plus(value.offset))
        return value.offset >= 0 and self.sizes.is_size(value.base)

    def _below(self, value: Linear, size: Linear, block: int) -> bool:
        """True if value < size for certain, in a block."""
        counter = self.counters.get(value.base or "")
        if counter is not None:
            high = counter.stop.plus(-1) if counter.step > 0 else counter.start
            return self._below(high.plus(value.offset), size, block)
        known = self.sizes.canonical(value, block)
        return known.base == size.base and known.offset < size.offset

    # --- marking and versioning -----------------------------------------------------------------

    def _mark(
        self,
        place: Place,
        op: items.ItemOp,
        proved: set[tuple[int, int]],
        remarks: BoundsRemarks | None,
    ) -> None:
        array = self.types[items.array_of(op)]
        if not isinstance(array, Array):
            return
        words = [
            "proved" if (op.id, axis) in proved else self.default for axis in range(array.ndim)
        ]
        for axis, name in self.plain_axes(op):
            if words[axis] != "proved" and self.is_not_negative(op, name):
                words[axis] = NOT_NEGATIVE[self.default]
        marked = replace(op, bounds=tuple(words))
        if remarks is not None:
            remarks.items.append((marked, place.block.label))
        self.editor.put(place, marked)
        self.editor.commit(MARK_BOUNDS, op.loc, remarks, marked)

    def is_not_negative(self, op: items.ItemOp, name: str) -> bool:
        """True if an index of an op is never negative; False for an op in a region."""
        if op.id not in self.places:
            return False
        point = proofs.Point(*self.places[op.id], lambda one: False)
        return self.proofs.is_not_negative(name, point)

    def _hoist(self, accesses: list[AxisAccess], remarks: BoundsRemarks | None) -> None:
        outermost = sorted(self.loops.values(), key=lambda loop: (-len(loop.body), loop.header))
        done: set[int] = set()
        proved: set[tuple[int, int]] = set()
        for loop in outermost:
            inside = {op.id for label in loop.body for op in self.fn.blocks[label].ops}
            here = [
                one
                for one in accesses
                if one.op.id in inside and (one.op.id, one.axis) not in proved
            ]
            known = [found for access in here if (found := self.known_before(access, loop))]
            if loop.header in done:
                # a second test is worth it where no check is left
                if loop.header not in self.innermost or len(known) < len(here):
                    continue
            if known and versioning.can_version(self.fn, loop):
                proved |= {(access.op.id, access.axis) for access in known}
                versions = self._version(loop, known)
                done |= loop.body
                loc = self.fn.blocks[loop.header].terminator.loc
                if remarks is not None:
                    remarks.versioned(known)
                tests = [name for op in versions.test for name in definitions(op)]
                added = (*versions.variables, *tests)
                self.editor.commit(VERSION_LOOP, loc, remarks, known, types=added)

    def known_before(self, access: AxisAccess, loop: Loop) -> AxisAccess | None:
        """Return the access with the sums to test before a loop; None where they are unknown."""
        needs = access.needs
        if needs is not None and not all(self._is_available(one, loop) for one in needs):
            needs = None
        base = self.values.linear(access.index).base
        if needs is None or (base and self.ranges.is_narrowed(base, self._around(access.block))):
            array = items.array_of(access.op)
            in_nest = self._in_nest(
                access.index,
                array,
                access.axis,
                access.block,
                lambda name: self.sizes.available(name, loop),
            )
            needs = needs if in_nest is None else in_nest
        if needs is None or len(needs) > 1:
            is_known = self._available(loop)
            proof = self._by_proof(access.op, access.index, access.axis, is_known)
            # Where `i >= k` is compared, as before `a[i - k]`, the range of `i` requires too much.
            if needs is None or (proof is not None and len(proof) < len(needs)):
                needs = proof
        if needs is None or any(not one.terms and one.offset < 0 for one in needs):
            return None
        return replace_record(access, needs=needs)

    def _available(self, loop: Loop) -> Callable[[str], bool]:
        """Return a cached predicate: a value is known before a loop."""
        known: dict[str, bool] = {}

        def is_known(name: str) -> bool:
            if name not in known:
                known[name] = self.sizes.available(name, loop)
            return known[name]

        return is_known

    def _is_available(self, one: Affine, loop: Loop) -> bool:
        return all(self.sizes.available(name, loop) for name in one.variables)

    def _version(self, loop: Loop, accesses: list[AxisAccess]) -> versioning.Versions:
        needs = list(dict.fromkeys(need for access in accesses for need in access.needs))
        proved = {(access.op.id, access.axis) for access in accesses}
        header = self.fn.blocks[loop.header].ops[0]

        def mark(op: Op) -> Op:
            if not isinstance(op, items.ItemOp):
                return op
            words = tuple(
                "proved" if (op.id, axis) in proved else word for axis, word in enumerate(op.bounds)
            )
            return replace(op, bounds=words)

        versions = versioning.version_loop(
            self.editor, loop, lambda: self._test(needs, loop, header), mark
        )
        origin = versions.variables
        self.unit.take_over({new: _original(new, origin) for new in origin}, versions.copies)
        self.unit.resolve(versions.test)
        return versions

    def _test(self, needs: list[Affine], loop: Loop, like: Op) -> tuple[list[Op], str]:
        """Return ops that test whether all sums are at least 0, and the variable of the result.

        Subtracted terms are compared with added ones.  Constants go to the side where they cannot
        overflow: onto a size, or to where they stand alone.
        """
        ops: list[Op] = []
        answer = ""
        for need in needs:
            less, more = sides(need)
            at_left = -need.offset if not less else 0
            low = self._total(less, at_left, loop, ops, like)
            high = self._total(more, need.offset + at_left, loop, ops, like)
            fits = self._add(ops, types.boolean, like, "fits", "<=", low, high)
            answer = (
                self._add(ops, types.boolean, like, "fits", "&", answer, fits) if answer else fits
            )
        return ops, answer

    def _total(
        self, terms: list[tuple[str, int]], number: int, loop: Loop, ops: list[Op], like: Op
    ) -> str:
        """Add ops that compute a sum; return its variable."""
        total = ""
        for name, factor in terms:
            term = self.sizes.materialize(name, loop, ops, like, self.types)
            if factor != 1:
                times = self._constant(factor, ops, like)
                term = self._add(ops, types.int64, like, "limit", "*", times, term)
            total = self._add(ops, types.int64, like, "limit", "+", total, term) if total else term
        if total and not number:
            return total
        offset = self._constant(number, ops, like)
        return self._add(ops, types.int64, like, "limit", "+", total, offset) if total else offset

    def _constant(self, number: int, ops: list[Op], like: Op) -> str:
        name = self.fn.fresh("limit")
        self.types[name] = types.int64
        ops.append(nodes.Const(name, number, loc=like.loc, id=self.fn.new_id()))
        return name

    def _add(
        self, ops: list[Op], ty: Type, like: Op, stem: str, symbol: str, lhs: str, rhs: str
    ) -> str:
        name = self.fn.fresh(stem)
        self.types[name] = ty
        row = BINARY[symbol]
        ops.append(nodes.Binary(name, row, lhs, rhs, loc=like.loc, id=self.fn.new_id()))
        return name


def _original(name: str, origin: dict[str, str]) -> str:
    while name in origin:
        name = origin[name]
    return name
