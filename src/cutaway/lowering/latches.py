"""One way back in each loop.

    for i in range(n):        header:  %k = phi [ 0, before ], [ %k, body ], [ %k.2, then ]
        if x[i] < y:     ->   body:    branch %less, then, header        both arms go back
            k += 1            then:    %k.2 = %k + 1; jump header

                         =>   header:  %k = phi [ 0, before ], [ %k.3, latch ]
                              body:    branch %less, then, latch
                              then:    %k.2 = %k + 1; jump latch
                              latch:   %k.3 = phi [ %k, body ], [ %k.2, then ]; jump header

Python jumps back from each end of a loop's body: a `continue`, an `if` without `else` at the end,
both arms of an `if`.  LLVM takes several ways back to one header for several loops in each other,
where a variable that one of them leaves alone looks like one of the outer loop.  Then no number of
runs is known, nothing is unrolled, and an `if` that adds 1 or nothing stays a branch that the
processor guesses wrong half of the time: a loop that counts random points took twice as long.  With
one block that all ways back go through there is one loop, and such an `if` becomes a `select`.

Two kinds of loops keep their ways.  Where a branch asks for what the ways back choose, the next run
would have to wait for a `select`, while a branch that is guessed lets the processor go on: the
greatest of many numbers takes 0.7 of the time so.  And of a loop around others nothing is gained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, Loop
from cutaway.ir.traversal import definitions, uses
from cutaway.lowering.regions import block_name


class Latches:
    """The loops of a function whose ways back are to be one, and the blocks of these ways."""

    def __init__(self, fn: Function, graph: Graph) -> None:
        sources: dict[int, list[int]] = {}
        for source, header in graph.back_edges():
            sources.setdefault(header, []).append(source)
        several = {header: labels for header, labels in sources.items() if len(labels) > 1}
        loops = graph.loops() if several else {}
        self.sources: Mapping[int, frozenset[int]] = {
            header: frozenset(labels)
            for header, labels in several.items()
            if not any(other != header and other in loops[header].body for other in loops)
            and not _asks_for_choice(fn, graph, loops[header], labels)
        }

    def target(self, source: int | None, label: int) -> str:
        """Where LLVM goes on the way from one block to another."""
        return latch_name(label) if source in self.sources.get(label, ()) else block_name(label)


def latch_name(header: int) -> str:
    """The name of the block through which all ways back to a loop's header go."""
    return f"{block_name(header)}.latch"


def _asks_for_choice(fn: Function, graph: Graph, loop: Loop, back: Sequence[int]) -> bool:
    """True if a branch in an innermost loop depends on what the ways back choose in another run."""
    chosen = {
        op.result
        for op in fn.blocks[loop.header].ops
        if isinstance(op, nodes.Phi) and len(_values_of(op, back)) > 1
    }
    for label in graph.reverse_postorder():
        for op in fn.blocks[label].ops if label in loop.body else ():
            if not chosen.isdisjoint(uses(op)):
                if isinstance(op, nodes.Branch):
                    return True
                chosen.update(definitions(op))
    return False


def _values_of(phi: nodes.Phi, labels: Sequence[int]) -> set[str]:
    pairs = zip(phi.labels, phi.values, strict=True)
    return {value for label, value in pairs if label in labels}
