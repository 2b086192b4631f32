"""Arrays that all iterations of a loop change by one operator: each part of the loop has its own.

    acc += a[i]             the array as a whole
    acc[lo:hi] += v         a slice, of the same bounds in each iteration
    acc[k] += x             an element, the same in each iteration, or of a loop over the same

An iteration does nothing else with such an array.  Where all its updates are of places that may
be others in each iteration, `h[b[i]] += 1`, the array is not looked at here: it may be large, and
each place a single iteration's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.foundation.dataclass import dataclass, field
from cutaway.ir import nodes
from cutaway.ir.elements import given, steps
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import Region
from cutaway.ir.traversal import bound_names, captured_by, definitions, uses
from cutaway.stages.parallel.reductions import BY_SYMBOL, ONE_SIDED
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex, Float, Function, Integer, Range, Type

_BY_ELEMENT = {
    **{"add": "add", "subtract": "add", "multiply": "multiply", "divide": "multiply"},
    **{"true_divide": "multiply", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"},
    **{"minimum": "minimum", "maximum": "maximum"},
}
_FIRST_ONLY = frozenset(("subtract", "divide", "true_divide"))
_BITS = frozenset(("and", "or", "xor"))
_CONVERSIONS = frozenset(("as", "python"))
_FIXED = (
    *(nodes.Const, nodes.Global, nodes.FreeVar, nodes.Copy, nodes.BuildSlice, nodes.BuildTuple),
    *(nodes.Binary, nodes.Unary, nodes.StaticGetItem),
)


def unchanging(
    phi: nodes.Phi, before: int, ops: Sequence[Op], table: Mapping[str, Type]
) -> frozenset[str]:
    """Return the names of a header phi's values if they are always the loop's initial value, as for
    an array that is changed in place; else none."""
    names, size = {phi.result}, 0
    while size != len(names):
        size = len(names)
        for op in ops:
            is_copy = isinstance(op, nodes.Copy) and op.value in names
            is_merge = isinstance(op, nodes.Phi) and not names.isdisjoint(op.values)
            if is_copy or is_merge:
                names.add(definitions(op)[0])
    merges = [op for op in (phi, *ops) if isinstance(op, nodes.Phi) and op.result in names]
    for op in merges:
        for value, label in zip(op.values, op.labels, strict=True):
            begins = op is phi and label == before
            if value not in names and not begins:
                return frozenset()
            if table[value] != table[phi.result]:
                return frozenset()
    return frozenset(names)


def private_arrays(
    region: Region,
    table: Mapping[str, Type],
    wanted: frozenset[str],
    makers: Mapping[str, Op],
) -> dict[str, str | Op]:
    """Return the arrays of which each part has its own, with their operators; `makers` are the ops
    around the loop.

    For `wanted` arrays without an operator, the op that does something else with one.
    """
    arrays = [name for name in captured_by(region) if isinstance(table.get(name), Array)]
    rows = {name: _Array(region, table, name).operator() for name in arrays}
    found: dict[str, str | Op] = {}
    for name, row in rows.items():
        others = [one for one in arrays if _whole(one, makers) == _whole(name, makers)]
        strange = [one for one in others if rows[one] != row]
        if isinstance(row, str) and strange:  # a view of it has other uses
            ops = [op for block in region.blocks for op in block.ops]
            row = next(op for op in ops if strange[0] in uses(op))
        if isinstance(row, str) or (row is not None and name in wanted):
            found[name] = row
    return found


def _whole(name: str, makers: Mapping[str, Op]) -> str:
    """Return the array that owns an array's memory, as far as it is known."""
    maker = makers.get(name)
    while isinstance(maker, nodes.Copy | nodes.GetItem | nodes.StaticGetItem | nodes.GetAttr):
        name = maker.value
        maker = makers.get(name)
    return name


@dataclass(slots=True)
class _Found:
    """The uses of an array: its operators, whether an update is of the same position in each
    iteration, and the first op that does something else."""

    operators: set[str] = field(default_factory=set)
    is_fixed: bool = False
    other: Op | None = None
    reads: list[Op] = field(default_factory=list)  # elements that are read
    updated: list[Op | None] = field(default_factory=list)  # and stored again, changed


class _Array:
    """An array that the iterations of a loop share."""

    def __init__(self, region: Region, table: Mapping[str, Type], name: str) -> None:
        self.region, self.table = region, table
        self.ops = [op for block in region.blocks for op in block.ops]
        self.own = {*region.arguments, *(one for op in self.ops for one in bound_names(op))}
        self.makers = {one: op for op in self.ops for one in definitions(op)}
        ty = table[name]
        assert isinstance(ty, Array)
        self.dtype = ty.dtype
        # The array and its views: True for those that are the same in each iteration; and the
        # indices by which they were taken.
        self.views = {name: True}
        self.places: dict[str, tuple[object, ...]] = {name: ()}
        self._add_views()

    def _add_views(self) -> None:
        for op in self.ops:  # in an order in which definitions come before uses, phis aside
            if not isinstance(op, nodes.Copy | nodes.GetItem | nodes.StaticGetItem):
                continue
            if op.value not in self.views or not isinstance(self.table[op.result], Array):
                continue
            is_fixed, index = True, ()
            if isinstance(op, nodes.GetItem):
                is_fixed, index = self._is_fixed(op.index), (op.index,)
            elif isinstance(op, nodes.StaticGetItem) and op.index != slice(None):
                index = (repr(op.index),)
            self.views[op.result] = self.views[op.value] and is_fixed
            self.places[op.result] = (*self.places[op.value], *index)

    def _is_fixed(self, name: str) -> bool:
        """True for a value that is the same in each iteration, or counts through the same."""
        maker = self.makers.get(name)
        if maker is None:
            return name not in self.own
        if isinstance(maker, nodes.IterNext):
            start = self.makers.get(maker.iterator)
            made = self.makers.get(start.value) if isinstance(start, nodes.GetIter) else None
            if not isinstance(made, nodes.Call) or not isinstance(self.table[made.result], Range):
                return False
            return all(map(self._is_fixed, made.args))
        if self._is_description(maker):
            return all(name not in self.own for name in uses(maker)[-1:])
        if isinstance(maker, nodes.StaticGetItem) and isinstance(self.table[maker.value], Array):
            return False
        return isinstance(maker, _FIXED) and all(map(self._is_fixed, uses(maker)))

    def _is_description(self, op: Op) -> bool:
        """True for an op that reads the sizes of an array, and no element."""
        if isinstance(op, nodes.Call):
            return self.table[op.func] == Function(len) and len(op.args) == 1
        return isinstance(op, nodes.GetAttr) and op.attr in ("shape", "size", "ndim", "dtype")

    def operator(self) -> str | Op | None:
        """Return the operator by which the array is changed; None if there is none, or if no update
        is of the same position in each iteration; or an op that keeps it from having one."""
        found = _Found()
        for block in self.region.blocks:
            for position, op in enumerate(block.ops):
                if not self.views.keys().isdisjoint(uses(op)):
                    self._look(block, position, op, found)
        for op in found.reads:
            if not any(op is one for one in found.updated):
                found.other = found.other or op
        if found.other is not None or not found.operators:
            return found.other
        operator = found.operators.pop()
        kinds = (Boolean, Integer) if operator in _BITS else (Integer, Float, Complex)
        suits = isinstance(self.dtype, kinds) and self.dtype is not types.float16
        if found.operators or not suits:
            return next(op for op in self.ops if not self.views.keys().isdisjoint(uses(op)))
        return operator if found.is_fixed else None

    def _look(self, block: Block, place: int, op: Op, found: _Found) -> None:
        """Record an op's use of the array."""
        operator: str | None = None
        match op:
            case _ if isinstance(op, nodes.Copy) or self._is_description(op):
                return
            case nodes.GetItem(index=index) if index not in self.views:
                if op.result not in self.views:
                    found.reads.append(op)
                return
            case nodes.StaticGetItem():
                if op.result not in self.views:
                    found.reads.append(op)
                return
            case nodes.ArrayStore(target):
                operator = self._of_store(op)
                found.is_fixed |= self.views.get(target, False)
            case nodes.SetItem(target, index) if target in self.views:
                operator = self._of_update(block, place, op, found)
                found.is_fixed |= self.views[target] and self._is_fixed(index)
            case nodes.StaticSetItem(target) if target in self.views:
                operator = self._of_update(block, place, op, found)
                found.is_fixed |= self.views[target]
        if operator is None:
            found.other = found.other or op
        else:
            found.operators.add(operator)

    # --- arrays ---------------------------------------------------------------------------------

    def _of_store(self, op: nodes.ArrayStore) -> str | None:
        """Return the operator by which an expression of arrays is stored in one of its operands."""
        places = [k for k, name in enumerate(op.args) if name in self.views]
        inner = {name for step in steps(op.body) for name in step.args}
        if op.target not in self.views or len(places) != 1 or not inner.isdisjoint(self.views):
            return None
        if self.places[op.args[places[0]]] != self.places[op.target]:
            return None
        held, operators = {op.body.indices[places[0]]}, set()
        for step in steps(op.body):
            used = [k for k, name in enumerate(step.args) if name in held]
            if not used:
                continue
            function = step.function.partition(".")[0]
            found = _BY_ELEMENT.get(step.function)
            if len(used) != 1 or (function in _FIRST_ONLY and used != [0]):
                return None
            if not self._keeps(step.result) or (found is None and function not in _CONVERSIONS):
                return None
            operators |= {found} if found is not None else set()
            held = {step.result}  # each is used once: an earlier use is of another value
        if given(op.body) not in held or self._uses_twice(op):
            return None
        return operators.pop() if len(operators) == 1 else None

    def _uses_twice(self, op: nodes.ArrayStore) -> bool:
        index = next(k for k, name in enumerate(op.args) if name in self.views)
        held = {op.body.indices[index]}
        for step in steps(op.body):
            if not held.isdisjoint(step.args):
                held.add(step.result)
        rows = [name for step in steps(op.body) for name in step.args if name in held]
        return len(rows) != len(set(rows))

    def _keeps(self, name: str) -> bool:
        """True for a type that represents all values of the array's elements."""
        ty = self.table[name]
        return isinstance(ty, type(self.dtype)) or isinstance(self.dtype, Float | Complex)

    # --- elements -------------------------------------------------------------------------------

    def _of_update(
        self, block: Block, place: int, op: nodes.SetItem | nodes.StaticSetItem, found: _Found
    ) -> str | None:
        """Return the operator of a stored value that was computed from the element itself."""
        maker = self.makers.get(op.value)
        if not isinstance(maker, nodes.Binary | nodes.Inplace) or not self._keeps(maker.result):
            return None
        symbol = maker.op.symbol.rstrip("=")
        sides = [maker.lhs] if symbol in ONE_SIDED else [maker.lhs, maker.rhs]
        for side in sides:
            read = self.makers.get(side)
            if self._is_place(read, op) and self._is_alone(block, place, op, read):
                if self._users(maker.result) == self._users(side) == 1 and maker.lhs != maker.rhs:
                    found.updated.append(read)
                    return BY_SYMBOL.get(symbol)
        return None

    def _users(self, name: str) -> int:
        return sum(name in uses(op) for op in self.ops)

    def _is_place(self, read: Op | None, op: nodes.SetItem | nodes.StaticSetItem) -> bool:
        if isinstance(read, nodes.GetItem) and isinstance(op, nodes.SetItem):
            return (read.value, read.index) == (op.target, op.index)
        if isinstance(read, nodes.StaticGetItem) and isinstance(op, nodes.StaticSetItem):
            same = type(read.index) is type(op.index) and read.index == op.index
            return read.value == op.target and same
        return False

    def _is_alone(self, block: Block, place: int, op: Op, read: Op | None) -> bool:
        """True if nothing else changes the array between a read and the store."""
        for one in reversed(block.ops[:place]):
            if one is read:
                return True
            stores = (nodes.SetItem, nodes.StaticSetItem, nodes.ArrayStore)
            if isinstance(one, stores) and one.target in self.views:
                return False
        return False
