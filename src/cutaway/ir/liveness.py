"""Liveness: the variables that are still needed, and the ends of their live ranges.

In SSA form the uses of a phi count at the ends of the predecessors, where the values are read.  An
op uses the variables that its regions capture; a region, which may run again, ends no live range of
these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.dataflow import Analysis, Facts, solve
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.region_views import entry_variables, needed_at_end
from cutaway.ir.traversal import definitions, uses


@dataclass(frozen=True, slots=True)
class Liveness:
    """The variables that are live at the beginning and at the end of each block.

    Phi results are not live before their block; operands of a successor's phis are live at the end.
    """

    into: dict[int, Facts]
    out: dict[int, Facts]


def liveness(fn: Function, used: Callable[[Op], Collection[str]] = uses) -> Liveness:
    """Compute the live variables of every reachable block; `used` returns the uses of an op."""
    taken = _taken_by_phis(fn)

    def transfer(block: Block, live: Facts) -> Facts:
        current = set(live) | taken.get(block.label, set())
        for op in reversed(block.ops):
            current.difference_update(definitions(op))
            # A phi reads its values on the edges: they count at the ends of the predecessors
            # (`taken`), or all of them would be live in each one.
            if not isinstance(op, nodes.Phi):
                current.update(used(op))
        return frozenset(current)

    nothing: Facts = frozenset()
    solution = solve(fn, Analysis(False, needed_at_end(fn), nothing, frozenset.union, transfer))
    out = {label: facts | taken.get(label, set()) for label, facts in solution.after.items()}
    return Liveness(solution.before, out)


def _taken_by_phis(fn: Function) -> dict[int, set[str]]:
    taken: dict[int, set[str]] = {}
    for block in fn.blocks.values():
        for label, names in _taken_from(block).items():
            taken.setdefault(label, set()).update(names)
    return taken


@dataclass(frozen=True, slots=True)
class Deaths:
    """The ends of live ranges.

    `after` (block, position of an op): after that op.  `at_start` (block): after its phis.  `moved`
    (source, target): taken over by a phi of the target.  `at_end` (block): in front of its
    terminator, if its handler alone needed them.
    """

    after: dict[tuple[int, int], tuple[str, ...]]
    at_start: dict[int, tuple[str, ...]]
    moved: dict[tuple[int, int], tuple[str, ...]]
    at_end: dict[int, tuple[str, ...]]


def deaths(fn: Function, tested: Container[str] = ()) -> Deaths:
    """Compute the end of every variable's live range on every path.

    A variable dies after its last use, or at its definition if it is never used; if only one
    successor of a block needs it, it dies on the edges to the others.  The operands of a terminator
    end with the block; those that are `tested` die on the edges of the branch that reads them.
    """
    live = liveness(fn)
    graph = graph_of(fn)
    ends = Deaths({}, {}, {}, {})
    outside = needed_at_end(fn)
    for label in graph.reverse_postorder():
        for position, names in _last_uses(fn.blocks[label], live.out[label] | outside):
            ends.after[label, position] = names
        block = fn.blocks[label]
        if block.handler is not None and isinstance(block.terminator, nodes.Return):
            gone = live.out[label] - outside - set(uses(block.terminator))
            ends.at_end[label] = tuple(sorted(gone))
        # An exceptional edge has no position of its own: the exception may have come from the
        # middle of a block.
        sources = [
            p for p in graph.predecessors(label) if p in live.out and fn.blocks[p].handler != label
        ]
        by_source = _taken_from(fn.blocks[label])
        taken = {p: frozenset(by_source.get(p, ())) for p in sources}
        # A variable that is live at the end of a predecessor and not here was kept for another
        # successor: it dies on this edge.  If that holds for all edges into the block, one `del` at
        # its start suffices.
        ending = {
            p: live.out[p].union(name for name in uses(fn.blocks[p].terminator) if name in tested)
            for p in sources
        }
        gone = {p: ending[p] - live.into[label] - taken[p] - outside for p in sources}
        if not gone and label == graph.entry:
            together = (
                frozenset(entry_variables(fn)) - live.into[label]
            )  # arguments that a region never uses
        else:
            together = frozenset.intersection(*gone.values()) if gone else frozenset()
        if together:
            ends.at_start[label] = tuple(sorted(together))
        for source, names in gone.items():
            if fn.blocks[source].handler is not None and names - together:
                ends.at_end[source] = tuple(sorted(names - together))
        for source in sources:
            if taken[source] - live.into[label]:
                ends.moved[source, label] = tuple(sorted(taken[source] - live.into[label]))
    return ends


def _taken_from(block: Block) -> dict[int, set[str]]:
    """Return the operands of a block's phis, by the predecessor that they come from."""
    taken: dict[int, set[str]] = {}
    for op in block.ops:
        if not isinstance(op, nodes.Phi):
            break
        for label, name in zip(op.labels, op.values, strict=True):
            taken.setdefault(label, set()).add(name)
    return taken


def _last_uses(block: Block, out: Facts) -> list[tuple[int, tuple[str, ...]]]:
    current = set(out)
    last_uses: list[tuple[int, tuple[str, ...]]] = []
    for position in range(len(block.ops) - 1, -1, -1):
        op = block.ops[position]
        used = _used(op)
        names = tuple(n for n in dict.fromkeys((*used, *definitions(op))) if n not in current)
        if names and not op.TERMINATOR:  # the operands of a terminator end with the block
            last_uses.append((position, names))
        current.difference_update(definitions(op))
        current.update(used)
    return last_uses[::-1]


def _used(op: Op) -> tuple[str, ...]:
    return () if isinstance(op, nodes.Phi) else uses(op)
