"""Alias scopes: array elements that a loop provably keeps apart.

    for i in range(k + 1, n):
        for j in range(k + 1, n):
            w[i, j] -= w[i, k] * w[k, j]         j is never k: w[i, k] stays unchanged

LLVM sees that `w[i, k]` and `w[i, j]` lie in the same memory, but not that `j` is greater than
`k`.  So it tests before the loops whether the writes overlap with the reads, for all rows at once,
which they do, and takes the scalar path each time: the elimination of a matrix took 2.6 times as
long.  A read whose index is invariant in an innermost loop gets a *scope*, and each write in the
loop whose index differs from it, along some axis, in every iteration is marked `noalias` with that
scope.  LLVM then hoists the read out of the loop.

An array that a loop both reads and writes along its rows is addressed by its sizes instead of its
strides (`arrays/elements.py`): from these LLVM can see that the next row is beyond this one.

The scope is declared where the loop is entered, so that it holds for one execution of the loop:
another execution, in an outer loop, may well read what this one writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.ir import affine, induction, nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, Loop
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions
from cutaway.lowering.build.builder import Scopes
from cutaway.typing.analysis import items
from cutaway.typing.types import Array, Type

DECLARE = "llvm.experimental.noalias.scope.decl"


class AliasScopes:
    """The alias scopes of one function: those of each op's accesses, and the loops with them."""

    def __init__(
        self,
        fn: Function,
        table: Mapping[str, Type],
        graph: Graph,
        values: Callable[[], induction.LinearValues],  # which few functions need
    ) -> None:
        self.fn, self.types = fn, table
        self.marks: dict[int, Scopes] = {}  # by the ids of ops
        self.begun: dict[int, list[int]] = {}  # by the labels of blocks that enter a loop
        self.count = 0
        self.rows: set[str] = set()  # arrays along whose rows a loop reads and writes
        loops = graph.loops()
        for header in sorted(graph.innermost):
            loop = loops[header]
            ops = [op for label in sorted(loop.body) for op in fn.blocks[label].ops]
            reads = [op for op in ops if isinstance(op, nodes.GetItem) and items.is_proved(op)]
            writes = [op for op in ops if isinstance(op, nodes.SetItem) and items.is_proved(op)]
            if not {op.value for op in reads}.isdisjoint(op.target for op in writes):
                self.values = values()
                self._look_into(loop, loops, ops, reads, writes)

    def _look_into(
        self,
        loop: Loop,
        loops: Mapping[int, Loop],
        ops: list[Op],
        reads: list[nodes.GetItem],
        writes: list[nodes.SetItem],
    ) -> None:
        counter = self.values.counter(self.fn, loop)
        if counter is None or counter.step < 0:
            return
        self._find_rows(counter.variable, reads, writes)
        start = (
            affine.constant(0) if not counter.bounds[0] else self.values.affine(counter.bounds[0])
        )
        outer = [self.values.counter(self.fn, one) for one in loops.values()]
        rising = {one.variable for one in outer if one is not None and one.step > 0}
        if not _is_certain(start, rising):
            return
        inside = {name for op in ops for name in definitions(op)}
        writes = [op for op in writes if self._is_element(op)]
        for op in reads:
            fixed = self._axes(op)
            if self._is_element(op) and inside.isdisjoint((op.value, *fixed)):
                self._keep_apart(loop, op, fixed, writes, counter, start)

    def _find_rows(
        self, variable: str, reads: list[nodes.GetItem], writes: list[nodes.SetItem]
    ) -> None:
        """Record the arrays of several axes that a loop reads while writing along a row of them."""
        read = {op.value for op in reads}
        for op in writes:
            if op.target in read and self._is_element(op):
                ty = self.types[op.target]
                assert isinstance(ty, Array)
                along, others = items.steps_of(op, ty, variable, self.values)
                if others and along == 1 and not any(others):
                    self.rows.add(op.target)

    def _keep_apart(
        self,
        loop: Loop,
        read: nodes.GetItem,
        fixed: tuple[str, ...],
        writes: list[nodes.SetItem],
        counter: induction.Counter,
        start: affine.Affine,
    ) -> None:
        """Assign a new scope to a read, and mark the writes that never alias it."""
        far = [
            op
            for op in writes
            if op.target == read.value
            and any(
                self._is_beyond(written, one, counter, start)
                for written, one in zip(self._axes(op), fixed, strict=True)
            )
        ]
        if not far:
            return
        number, self.count = self.count, self.count + 1
        self.marks[read.id] = Scopes(within=(number,))
        for op in far:
            known = self.marks.get(op.id, Scopes())
            self.marks[op.id] = Scopes(outside=(*known.outside, number))
        for label in loop.entries:
            self.begun.setdefault(label, []).append(number)

    def _is_beyond(
        self, written: str, fixed: str, counter: induction.Counter, start: affine.Affine
    ) -> bool:
        """True if the counter plus a constant exceeds a value in each iteration of a loop."""
        position, other = self.values.affine(written), self.values.affine(fixed)
        if dict(position.terms).get(counter.variable) != 1:
            return False
        distance = position.replaced(counter.variable, start).plus(other, -1)
        return not distance.terms and distance.offset > 0

    def _is_element(self, op: items.ItemOp) -> bool:
        return items.is_element(op, self.types[items.array_of(op)], self.values.definitions)

    def _axes(self, op: items.ItemOp) -> tuple[str, ...]:
        return items.axes_of(op, self.values.definitions)


def _is_certain(start: affine.Affine, rising: set[str]) -> bool:
    """True if a sum cannot wrap around: a variable, a constant, or one more than the counter of an
    ascending loop, which is below its end."""
    if not start.terms:
        return True
    ((name, factor), *more) = start.terms
    if more or factor != 1:
        return False
    return start.offset == 0 or (start.offset == 1 and name in rising)
