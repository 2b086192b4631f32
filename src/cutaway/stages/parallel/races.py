"""Conflicting accesses of a parallel loop's iterations, as far as the compiler knows them.

    for i in prange(n):
        a[0] += b[i]        each iteration reads and writes a[0]: an error
        a[i + 1] = a[i]     each reads an element that the one before it writes: an error
        h[b[i]] += 1        two may change the same element: a warning
        out[i, k] = b[k]    each has a row of its own

Two arguments may share memory, and called functions may write anywhere: those conflicts are not
reported here, `cutaway.check_races` finds them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.function import Function, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.induction import Counter
from cutaway.ir.nodes import Op
from cutaway.ir.region_views import view
from cutaway.ir.regions import Region
from cutaway.ir.traversal import bound_names, definitions, makers_of
from cutaway.stages.parallel.disjoint import Disjoint, IndexBounds, makes
from cutaway.stages.parallel.places import ElementAccess, Places, shown_name
from cutaway.stages.parallel.sums import Sums, number
from cutaway.typing.analysis.counting import linear_values
from cutaway.typing.types import BoundMethod, Container, List, Slice, Type

# The methods that leave a container as it is.
READING = frozenset(
    "copy count index get keys values items union intersection difference symmetric_difference"
    " issubset issuperset isdisjoint".split()
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Accesses that conflict, certainly or possibly.  `hint` is the code to write instead."""

    op: Op
    message: str
    is_certain: bool
    hint: str = ""


class Races:
    """The possible conflicts between the iterations of a loop that becomes a parfor.

    `bounds` are, for each dimension, the variables of its start (none: from 0) and stop, and its
    step (0: not known); `line` is that of the loop, and of `private` arrays each part has its own.
    """

    def __init__(
        self,
        fn: Function,
        region: Region,
        table: dict[str, Type],
        bounds: Sequence[tuple[str, str, int]],
        line: int,
        private: Collection[str] = (),
    ) -> None:
        self.region, self.table, self.line = region, table, line
        ops = [op for block in region.blocks for op in block.ops]
        # Definitions of the region may differ from those that the function still has.
        makers = makers_of(fn) | {name: op for op in ops for name in definitions(op)}
        values = linear_values(fn, table, makers=makers)
        self.sums, self.makers, self.ops = Sums(values, table), makers, ops
        self.own = frozenset((*region.arguments, *(n for op in ops for n in bound_names(op))))
        self.graph = graph_of(view(fn, region))
        outer = graph_of(fn)
        labels = {block.label for block in region.blocks}
        loops = [loop for header, loop in outer.loops().items() if header in labels]
        counters = [values.counter(fn, loop) for loop in loops]
        nest = tuple(
            IndexBounds(
                index, self.sums.of(start) if start else number(0), self.sums.of(stop), step
            )
            for index, (start, stop, step) in zip(region.indices, bounds, strict=True)
        )
        blocks = {block.label: block for block in region.blocks}
        known = [one for one in counters if isinstance(one, Counter)]
        ends = [b.label for b in region.blocks if isinstance(b.terminator, nodes.Yield)]
        self.certain = frozenset(
            label for label in labels if all(self.graph.dominates(label, end) for end in ends)
        )
        places = Places(self.sums, table)
        every = (one for block in region.blocks for one in places.accesses(block))
        apart = self.own.union(private)
        self.accesses = [
            one for one in every if one.array not in apart and not places.is_of(one.name, private)
        ]
        stored = frozenset(one.array for one in self.accesses if one.is_write)
        self.disjoint = Disjoint(
            *(self.sums, nest, self.own, self.graph, blocks, known),
            is_written=lambda name: places.view(name).array in stored,
        )

    def findings(self) -> Iterator[Finding]:
        """Yield the certain conflicts, and then, for each array, the first possible one."""
        yield from self._changed_containers()
        written = dict.fromkeys(one.array for one in self.accesses if one.is_write)
        doubts = []
        for array in written:
            pairs = self._pairs([one for one in self.accesses if one.array == array])
            doubtful = []
            for pair in pairs:
                if not self._would_be_certain(*pair):
                    doubtful.append(pair)
                elif not self.disjoint.are_apart(*pair):
                    yield self._finding(*pair)
            met = next((pair for pair in doubtful if not self.disjoint.are_apart(*pair)), None)
            doubts += [] if met is None else [self._finding(*met)]
        yield from doubts

    def _changed_containers(self) -> Iterator[Finding]:
        """Yield a finding for each op that makes a container longer or shorter which the iterations
        share."""
        for op in self.ops:
            name = self._changed(op)
            if name is not None and not self._is_own(name):
                owner = self.table[name]
                assert isinstance(owner, Container)
                yield Finding(
                    op,
                    f"iterations that run at the same time change the {owner.word}"
                    f" `{user_name(name)}`",
                    True,
                    "fill an array, or a list of its own for each iteration",
                )

    def _changed(self, op: Op) -> str | None:
        """Return the container whose entries an op adds or removes; None if it does neither."""
        match op:
            case nodes.Call(func=func) if isinstance(self.table.get(func), BoundMethod):
                method, maker = self.table[func], self.makers.get(func)
                if isinstance(method.owner, Container) and method.attr not in READING:
                    return maker.value if isinstance(maker, nodes.GetAttr) else None
            case nodes.SetItem(target=target) | nodes.StaticSetItem(target=target):
                several = isinstance(op, nodes.SetItem) and isinstance(self.table[op.index], Slice)
                if isinstance(self.table.get(target), List) and not several:
                    return None
                return target if isinstance(self.table.get(target), Container) else None
            case nodes.DelItem(target=target) | nodes.Inplace(lhs=target):
                return target if isinstance(self.table.get(target), Container) else None
        return None

    def _is_own(self, name: str) -> bool:
        """True if an iteration has made a container, or has it from the place of its index."""
        maker = self.makers.get(name)
        match maker:
            case nodes.Copy(value=source) | nodes.Cast(value=source):
                return self._is_own(source)
            case nodes.GetItem(value=source, index=index):
                if isinstance(self.table.get(source), Container):
                    return index in self.region.indices or self._is_own(source)
            case nodes.StaticGetItem(value=source) | nodes.GetAttr(value=source):
                return self._is_own(source)
            case nodes.IterNext(iterator=source) | nodes.GetIter(value=source):
                return self._is_own(source)
        return name in self.own

    def _pairs(self, accesses: list[ElementAccess]) -> list[tuple[ElementAccess, ElementAccess]]:
        """Return the pairs of a store and an access of one array that may conflict."""
        of_all = [one for one in accesses if not self._by_thread(one)]
        # In a block one access represents all with the same indices.
        rows: dict[object, ElementAccess] = {}
        for one in of_all:
            value = self._common(getattr(one.op, "value", "")) if one.is_write else None
            rows.setdefault((one.axes_key, one.field, one.is_write, value, one.block.label), one)
        different = list(rows.values())
        stores = [one for one in different if one.is_write]
        reads = [one for one in different if not one.is_write]
        pairs = [(a, b) for n, a in enumerate(stores) for b in (*stores[n:], *reads)]
        # If all store the same value, the order does not matter.
        return [(a, b) for a, b in pairs if not (b.is_write and self._store_the_same(a, b))]

    def _would_be_certain(self, store: ElementAccess, other: ElementAccess) -> bool:
        """True for accesses that each iteration makes, at known indices, unless they are apart."""
        if not {store.block.label, other.block.label} <= self.certain:
            return False
        if store.field != other.field:
            return False
        if store is other:
            return all(map(self.disjoint.is_same_for_all, store.axes))
        return bool(self.disjoint.distance(store, other))

    def _store_the_same(self, *stores: ElementAccess) -> bool:
        """True for stores of one loop-invariant value."""
        values = {self._common(getattr(one.op, "value", "")) for one in stores}
        return len(values) == 1 and None not in values

    def _common(self, name: str) -> object:
        """Return a loop-invariant value, as a constant or by its variable; None for any other."""
        op = self.sums.makers.get(name)
        while isinstance(op, nodes.Cast | nodes.Copy):
            name = op.value
            op = self.sums.makers.get(name)
        if isinstance(op, nodes.Const):
            return repr(op.value), type(op.value)
        return name if name and name not in self.own else None

    def _by_thread(self, access: ElementAccess) -> bool:
        """True for an index that differs between threads."""
        names = {n for axis in access.axes for term in axis.start or () for n in term}
        return any(makes(self.sums.makers.get(n), self.sums, "get_thread_id") for n in names)

    # --- messages -------------------------------------------------------------------------------

    def _finding(self, store: ElementAccess, other: ElementAccess) -> Finding:
        name = shown_name(store)
        if self._would_be_certain(store, other):
            apart = self.disjoint.distance(store, other)
            if apart:
                return self._dependence(store, other, name, apart)
            return Finding(
                store.op,
                "all iterations of a parallel loop write the same element",
                True,
                "sum up in a variable, as s += ..., and store it after the loop",
            )
        is_store = other.is_write or other.axes == store.axes
        if is_store and self._is_update(store):
            text = f"may change the same element of `{name}` at once, and lose changes"
        elif other.is_write:
            more = "" if other is store else f", and in line {other.op.loc.line}"
            text = f"may store in the same element of `{name}`{more}; which one stays is chance"
        else:
            line = other.op.loc.line
            where = "" if line == store.op.loc.line else f" in line {line}"
            text = f"may read{where} an element of `{name}` that another one stores meanwhile"
        message = (
            f"iterations of the parallel loop in line {self.line} {text}; give each an element of"
            " its own, or write range in the place of prange; cutaway.check_races tells whether"
            ' they do, and parallel={"races": "allowed"} allows it'
        )
        return Finding(store.op, message, False)

    def _dependence(
        self, store: ElementAccess, other: ElementAccess, name: str, apart: int
    ) -> Finding:
        verb = "stores in" if other.is_write else "reads"
        line = other.op.loc.line
        where = "" if line == store.op.loc.line else f" in line {line}"
        which = "the next one" if abs(apart) == 1 else f"the one {abs(apart)} further on"
        if apart < 0:
            which = which.replace("next", "previous").replace("further on", "before it")
        hint = "read from a copy that is made before the loop, or write range in place of prange"
        if other.is_write:
            hint = "let each iteration store in elements of its own"
        return Finding(
            store.op,
            f"an iteration of a parallel loop stores an element of `{name}`, and {which}"
            f" {verb} it{where}",
            True,
            hint,
        )

    def _is_update(self, store: ElementAccess) -> bool:
        """True for a store in an element that the same iteration has read."""
        reads = [one for one in self.accesses if one.array == store.array and not one.is_write]
        return any(one.axes == store.axes and one.op.loc.line == store.op.loc.line for one in reads)
