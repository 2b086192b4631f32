"""A single back edge for each loop.

    for i in range(n):        header:  %k = phi [ 0, before ], [ %k, body ], [ %k.2, then ]
        if x[i] < y:     ->   body:    branch %less, then, header        both arms go back
            k += 1            then:    %k.2 = %k + 1; jump header

                         =>   header:  %k = phi [ 0, before ], [ %k.3, latch ]
                              body:    branch %less, then, latch
                              then:    %k.2 = %k + 1; jump latch
                              latch:   %k.3 = phi [ %k, body ], [ %k.2, then ]; jump header

Python jumps back from each end of a loop's body: a `continue`, an `if` without `else` at the end,
both arms of an `if`.  LLVM takes several back edges to one header for nested loops, where a
variable that one of them leaves unchanged looks like one of the outer loop.  Then the trip count is
unknown, nothing is unrolled, and an `if` that adds 1 or nothing stays a branch that is mispredicted
half of the time: a loop that counts random points took twice as long.  With one latch that all back
edges pass through there is one loop, and such an `if` becomes a `select`.

    for i in range(n):
        if x[i] > best:
            best, place = x[i], i

Here a branch depends on the values that the back edges choose.  The next iteration would have to
wait for a `select`, while a predicted branch lets the processor go on, and it is predicted well: a
new maximum is rare.  Branch weights say so, and LLVM keeps the branch (0.7 of the time with two
back edges).  It is a `select` all the same where the loop has a few iterations, which are unrolled
completely, or where a single integer is chosen, for which there are vectors.  Where both arms of
such an `if` have code, as in a binary search, neither is known to be rare, and the loop keeps its
back edges.  In a loop around others, which dominate its time, LLVM may choose: the nearest of eight
centers, found by a loop over columns, took 0.8 of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cutaway.ir import induction, nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, Loop
from cutaway.ir.traversal import definitions, uses
from cutaway.lowering.build.builder import FIRST_COLD, SECOND_COLD
from cutaway.lowering.regions import block_name
from cutaway.typing.types import Integer, Type

FEW = 16  # iterations that LLVM unrolls completely


class Latches:
    """The latches of a function's loops.

    `sources` are the blocks whose back edges to a header are merged, `headers` the targets of the
    other back edges by block, and `rare` the unlikely target of a branch, by its block.
    """

    def __init__(
        self,
        fn: Function,
        table: Mapping[str, Type],
        graph: Graph,
        values: Callable[[], induction.LinearValues],  # few functions need them
    ) -> None:
        self.fn, self.types, self.graph, self.values = fn, table, graph, values
        loops = graph.loops()
        back: dict[int, list[int]] = {}
        for source, header in graph.back_edges():
            back.setdefault(header, []).append(source)
        self.sources: dict[int, frozenset[int]] = {}
        self.rare: dict[int, int] = {}
        for header, labels in back.items():
            if len(labels) > 1 and self._is_one_better(loops[header], labels):
                self.sources[header] = frozenset(labels)
        self.headers: dict[int, int] = {}
        for header, labels in back.items():
            for label in labels if header not in self.sources else ():
                if self.headers.get(label) not in graph.innermost:
                    self.headers[label] = header

    def target(self, source: int | None, label: int) -> str:
        """Return the LLVM block that a jump from one block to another goes to."""
        return latch_name(label) if source in self.sources.get(label, ()) else block_name(label)

    def weights(self, source: int | None, then: int) -> str:
        """Return the branch weights for a block's branch with this first target."""
        if source not in self.rare:
            return ""
        return FIRST_COLD if self.rare[source] == then else SECOND_COLD

    def _is_one_better(self, loop: Loop, back: Sequence[int]) -> bool:
        """True if the back edges of a loop should be merged; records its rare branches."""
        if loop.header not in self.graph.innermost:
            return True
        chosen = [
            op.result
            for op in self.fn.blocks[loop.header].ops
            if isinstance(op, nodes.Phi) and len(_values_of(op, back)) > 1
        ]
        asking = self._asking(loop, chosen)
        if asking and not self._is_better_chosen(loop, chosen):
            rare = self._skipped(loop, asking)
            self.rare.update(rare)
            return bool(rare)
        return True

    def _asking(self, loop: Loop, chosen: Sequence[str]) -> list[int]:
        """Return the blocks of a loop whose branches depend on choices of an earlier iteration."""
        dependent, branching = set(chosen), []
        for label in self.graph.reverse_postorder():
            for op in self.fn.blocks[label].ops if label in loop.body else ():
                if not dependent.isdisjoint(uses(op)):
                    if isinstance(op, nodes.Branch):
                        branching.append(label)
                    dependent.update(definitions(op))
        return branching

    def _is_better_chosen(self, loop: Loop, chosen: Sequence[str]) -> bool:
        """True if a `select` is as good as a predicted branch."""
        if len(chosen) == 1 and isinstance(self.types[chosen[0]], Integer):
            return True
        return _has_few_runs(self.values().counter(self.fn, loop))

    def _skipped(self, loop: Loop, asking: Sequence[int]) -> dict[int, int]:
        """Return the last block of a loop that a branch may skip, by the branch's block."""
        skipped = {}
        for label in asking:
            others = [one for one in self.graph.successors(label) if one != loop.header]
            if len(others) == 1 and self.graph.successors(others[0]) == (loop.header,):
                skipped[label] = others[0]
        return skipped


def latch_name(header: int) -> str:
    """Return the name of the latch that all back edges of a loop pass through."""
    return f"{block_name(header)}.latch"


def _has_few_runs(counter: induction.Counter | None) -> bool:
    if counter is None or counter.start.base is not None or counter.stop.base is not None:
        return False
    return abs(counter.stop.offset - counter.start.offset) <= FEW


def _values_of(phi: nodes.Phi, labels: Sequence[int]) -> set[str]:
    pairs = zip(phi.labels, phi.values, strict=True)
    return {value for label, value in pairs if label in labels}
