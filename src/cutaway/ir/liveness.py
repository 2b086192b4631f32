"""Liveness: the variables that are still needed, and the ends of their lives.

In SSA form the uses of a phi count at the ends of the predecessors, where the values are
taken.  An op uses what its regions capture; a region, which may run again, ends no life of that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

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
    """The variables that are live where a block begins and ends.

    Phi results are not live before their block; what a successor's phis take is live at the
    end.
    """

    into: dict[int, Facts]
    out: dict[int, Facts]


def liveness(fn: Function, used: Callable[[Op], Collection[str]] = uses) -> Liveness:
    """Live variables of every reachable block; `used` says what an op uses."""
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
    """The ends of lives.

    `after` (block, position of an op): after that op.  `at_start` (block): after its phis.
    `moved` (source, target): not quite dead, but taken over by a phi of the target.
    `at_end` (block): in front of its terminator, where its handler alone needed them.
    """

    after: dict[tuple[int, int], tuple[str, ...]]
    at_start: dict[int, tuple[str, ...]]
    moved: dict[tuple[int, int], tuple[str, ...]]
    at_end: dict[int, tuple[str, ...]]


def deaths(fn: Function) -> Deaths:
    """The end of every variable's life on every path.

    A variable dies after its last use, or where it is defined if it is never used; where only
    one way out of a block needs it, it dies on the other ways.
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
        # What an exception ends has no place of its own: it may have been in the middle of a block.
        sources = [
            p for p in graph.predecessors(label) if p in live.out and fn.blocks[p].handler != label
        ]
        by_source = _taken_from(fn.blocks[label])
        taken = {p: frozenset(by_source.get(p, ())) for p in sources}
        # What is live at the end of a predecessor and not here was kept for another successor: it
        # dies on this edge.  Where that holds for all edges into the block, one `del` at its start
        # says it.
        gone = {p: live.out[p] - live.into[label] - taken[p] - outside for p in sources}
        if not gone and label == graph.entry:
            together = (
                frozenset(entry_variables(fn)) - live.into[label]
            )  # what a region has no use for
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
    """The variables that the phis of a block take, by the predecessor that they take them from."""
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
        if names and not op.TERMINATOR:  # what a terminator uses is gone with the block
            last_uses.append((position, names))
        current.difference_update(definitions(op))
        current.update(used)
    return last_uses[::-1]


def _used(op: Op) -> tuple[str, ...]:
    return () if isinstance(op, nodes.Phi) else uses(op)
