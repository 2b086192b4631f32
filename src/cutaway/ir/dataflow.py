"""Dataflow analyses as values, passed to one worklist solver.

An analysis is a direction, a start value, a merge and a transfer over a block.  The solver iterates
to a fixed point; with monotone transfers over sets that is soon.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block

Facts = frozenset[str]


@dataclass(frozen=True, slots=True)
class Analysis:
    """A dataflow problem over sets of variables.

    `start` holds at the entry (forward) or at the ends (backward), `top` is the value of a block
    that has not been visited, `merge` joins the facts of several edges, and `transfer` maps the
    facts before a block to those after it.
    """

    forward: bool
    start: Facts
    top: Facts
    merge: Callable[[Facts, Facts], Facts]
    transfer: Callable[[Block, Facts], Facts]


@dataclass(frozen=True, slots=True)
class Solution:
    """The facts at the beginning and at the end of each reachable block."""

    before: dict[int, Facts]
    after: dict[int, Facts]


def solve(fn: Function, analysis: Analysis) -> Solution:
    """Compute the fixed point of an analysis."""
    graph = graph_of(fn)
    order = graph.reverse_postorder()
    sources, targets = graph.predecessors, graph.successors
    if not analysis.forward:
        order.reverse()
        sources, targets = targets, sources
    reachable = set(order)
    first: dict[int, Facts] = {}
    last = dict.fromkeys(order, analysis.top)
    # In this order most of a block's sources are visited before it, so that only loops iterate.
    waiting = deque(order)
    queued = set(order)
    while waiting:
        label = waiting.popleft()
        queued.remove(label)
        facts = [last[source] for source in sources(label) if source in reachable]
        # The entry may be a loop header as well: then the start value merges with that of the back
        # edge.
        if (analysis.forward and label == graph.entry) or not facts:
            facts.append(analysis.start)
        merged = facts[0]
        for other in facts[1:]:
            merged = analysis.merge(merged, other)
        result = analysis.transfer(fn.blocks[label], merged)
        changed = result != last[label] or label not in first
        first[label], last[label] = merged, result
        if changed:
            again = [t for t in targets(label) if t in reachable and t not in queued]
            waiting += again
            queued.update(again)
    return Solution(first, last) if analysis.forward else Solution(last, first)
