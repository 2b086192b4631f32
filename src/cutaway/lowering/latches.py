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
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir.graph import Graph
from cutaway.lowering.regions import block_name


class Latches:
    """The loops of a function that have several ways back, and the blocks of these ways."""

    def __init__(self, graph: Graph) -> None:
        sources: dict[int, list[int]] = {}
        for source, header in graph.back_edges():
            sources.setdefault(header, []).append(source)
        self.sources: Mapping[int, frozenset[int]] = {
            header: frozenset(labels) for header, labels in sources.items() if len(labels) > 1
        }

    def target(self, source: int | None, label: int) -> str:
        """Where LLVM goes on the way from one block to another."""
        return latch_name(label) if source in self.sources.get(label, ()) else block_name(label)


def latch_name(header: int) -> str:
    """The name of the block through which all ways back to a loop's header go."""
    return f"{block_name(header)}.latch"
