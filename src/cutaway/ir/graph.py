"""Directed graphs of blocks: orders, dominators, loops.

Nodes are block labels (bytecode offsets in stage 1).  Results are computed on demand and cached.
Unreachable nodes take no part in orders, dominators and loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.lazy import cached_property
from cutaway.ir.function import Function
from cutaway.ir.traversal import successors


@dataclass(frozen=True, slots=True, repr=False)
class Loop:
    """A natural loop.

    `entries` are the nodes outside that jump to the header, `exits` those outside that the loop
    jumps to, `body` all its nodes, including the header and inner loops.
    """

    entries: frozenset[int]
    exits: frozenset[int]
    header: int
    body: frozenset[int]

    def __str__(self) -> str:
        parts = (
            f"entries={_set(self.entries)}",
            f"exits={_set(self.exits)}",
            f"header={self.header}",
            f"body={_set(self.body)}",
        )
        return f"Loop({', '.join(parts)})"

    __repr__ = __str__


def _set(nodes: Iterable[int]) -> str:
    return "{" + ", ".join(map(str, sorted(nodes))) + "}"


class Graph:
    """A graph with an entry.

    `handlers` maps a node to the one among its successors that handles its exceptions.
    """

    def __init__(
        self,
        nodes: Iterable[int],
        edges: Mapping[int, Sequence[int]],
        entry: int,
        handlers: Mapping[int, int] | None = None,
    ) -> None:
        self.nodes = tuple(nodes)
        self.entry = entry
        self.edges = edges
        self.handlers = handlers or {}
        self._successors = {node: tuple(edges.get(node, ())) for node in self.nodes}

    def successors(self, node: int) -> tuple[int, ...]:
        """Return the successors of a node, in order."""
        return self._successors[node]

    def predecessors(self, node: int) -> tuple[int, ...]:
        """Return the predecessors of a node, in the order of the nodes."""
        return tuple(self._predecessors[node])

    @cached_property
    def _predecessors(self) -> dict[int, list[int]]:
        predecessors: dict[int, list[int]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for successor in self._successors[node]:
                predecessors[successor].append(node)
        return predecessors

    # --- orders ---------------------------------------------------------------------------------

    def reverse_postorder(self) -> list[int]:
        """Return the reachable nodes so that, but for back edges, a node comes before its
        successors; the first successor's part comes before the second's."""
        return list(self._order)

    @cached_property
    def _order(self) -> tuple[int, ...]:
        return tuple(reversed(_postorder(self.entry, self._successors)))

    # --- dominators -----------------------------------------------------------------------------

    def immediate_dominators(self) -> dict[int, int]:
        """Return each reachable node's closest strict dominator; the entry's is itself."""
        return dict(self._immediate)

    @cached_property
    def _immediate(self) -> dict[int, int]:
        return _immediate_dominators(self._order, self._predecessors)

    def dominators(self) -> dict[int, set[int]]:
        """For each reachable node all nodes on every path to it, itself included."""
        return _closed(self._order, self._immediate)

    def dominates(self, above: int, below: int) -> bool:
        """True if every path to `below` goes through `above`."""
        if below == above:
            return True
        spans = self._spans
        if above not in spans or below not in spans:
            return False
        first, last = spans[above]
        return first <= spans[below][0] <= last

    def completes(self, above: int, below: int) -> bool:
        """True if every path to `below` passes the end of `above`, which is not reached if an op in
        it raises."""
        handler = self.handlers.get(above)
        if handler is None or not self.dominates(above, below):
            return self.dominates(above, below)
        return any(
            one != handler and self.predecessors(one) == (above,) and self.dominates(one, below)
            for one in self.successors(above)
        )

    @cached_property
    def _spans(self) -> dict[int, tuple[int, int]]:
        """The preorder number of each node in the dominator tree, and of its last descendant."""
        children = self.dominated()
        # A node dominates those whose numbers lie in its span, so that a query is two comparisons
        # and no walk up the tree: the verifier makes one for every use.
        after = _postorder(self.entry, children)
        sizes: dict[int, int] = {}
        for node in after:
            sizes[node] = 1 + sum(sizes[child] for child in children[node])
        first = {self.entry: 0}
        for node in reversed(after):
            number = first[node] + 1
            for child in children[node]:
                first[child] = number
                number += sizes[child]
        return {node: (first[node], first[node] + sizes[node] - 1) for node in after}

    def dominated(self) -> dict[int, list[int]]:
        """For each reachable node those that it dominates immediately, in reverse postorder."""
        children: dict[int, list[int]] = {node: [] for node in self._order}
        for node in self._order[1:]:
            children[self._immediate[node]].append(node)
        return children

    def dominance_frontiers(self) -> dict[int, set[int]]:
        """For each node the merge points just beyond the region that it dominates."""
        frontiers: dict[int, set[int]] = {node: set() for node in self._order}
        for node in self._order:
            # As in Cooper, Harvey and Kennedy: only merge points are in a frontier, and from each
            # of their predecessors all nodes up to the immediate dominator have it in theirs. The
            # entry is its own immediate dominator here, so for a loop back to it the walk must add
            # it before it ends.
            sources = [p for p in self._predecessors[node] if p in self._immediate]
            if len(sources) < 2 and node != self.entry:
                continue
            for source in sources:
                while source != self._immediate[node] or (source == node == self.entry):
                    frontiers[source].add(node)
                    if source == self._immediate[source]:
                        break
                    source = self._immediate[source]
        return frontiers

    def post_dominators(self) -> dict[int, set[int]]:
        """For each node all nodes on every path from it to an end; a node that cannot reach an end
        has itself alone."""
        ends = [node for node in self._order if not self._successors[node]]
        # Dominators of the reversed graph, which needs one entry: a node that all ends lead to.
        virtual = min(self.nodes) - 1
        reached = set(self._order)
        reverse = {node: [p for p in self._predecessors[node] if p in reached] for node in reached}
        reverse[virtual] = ends
        order = tuple(reversed(_postorder(virtual, reverse)))
        forward = {node: list(self._successors[node]) or [virtual] for node in self._order}
        immediate = _immediate_dominators(order, forward)
        dominators = {
            n: s - {virtual} for n, s in _closed(order, immediate).items() if n != virtual
        }
        return {node: dominators.get(node, {node}) for node in self._order}

    # --- loops ----------------------------------------------------------------------------------

    def back_edges(self) -> list[tuple[int, int]]:
        """Return the edges to a node that dominates their source."""
        return [
            (node, successor)
            for node in self._order
            for successor in self._successors[node]
            if self.dominates(successor, node)
        ]

    def loops(self) -> dict[int, Loop]:
        """Return the natural loops by header; back edges to one header make one loop."""
        return dict(self._loops)

    @cached_property
    def innermost(self) -> frozenset[int]:
        """The headers of loops without inner loops."""
        return frozenset(
            header
            for header, loop in self._loops.items()
            if not any(other != header and other in loop.body for other in self._loops)
        )

    @cached_property
    def _loops(self) -> dict[int, Loop]:
        bodies: dict[int, set[int]] = {}
        for source, header in self.back_edges():
            body = bodies.setdefault(header, {header})
            waiting = [source]
            while waiting:
                node = waiting.pop()
                if node not in body:
                    body.add(node)
                    waiting += [p for p in self._predecessors[node] if p in self._immediate]
        return {header: self._loop(header, bodies[header]) for header in sorted(bodies)}

    def _loop(self, header: int, body: set[int]) -> Loop:
        entries = {p for p in self._predecessors[header] if p not in body}
        exits = {s for node in body for s in self._successors[node] if s not in body}
        reachable = entries & set(self._immediate)
        return Loop(frozenset(reachable), frozenset(exits), header, frozenset(body))

    def node_to_loops(self) -> dict[int, list[int]]:
        """For each reachable node the headers of the loops around it, the innermost first."""
        headers: dict[int, list[int]] = {node: [] for node in self._order}
        for loop in sorted(self._loops.values(), key=lambda loop: len(loop.body)):
            for node in loop.body:
                headers[node].append(loop.header)
        return headers


def graph_of(fn: Function) -> Graph:
    """Return the graph of a function's blocks; cached until a block's successors change."""
    edges = {label: successors(block) for label, block in fn.blocks.items()}
    blocks = fn.blocks.items()
    handlers = {label: block.handler for label, block in blocks if block.handler is not None}
    known = fn.graph
    is_known = known is not None and known.edges == edges and known.nodes == tuple(edges)
    if known is None or not is_known or known.handlers != handlers:
        known = fn.graph = Graph(fn.blocks, edges, fn.entry.label, handlers)
    return known


def _postorder(entry: int, edges: Mapping[int, Sequence[int]]) -> list[int]:
    order: list[int] = []
    # With an explicit stack: Python's recursion limit is 1000 frames, and a long function has more
    # blocks.  Successors are visited from the last to the first, since the result is reversed.
    seen = {entry}
    stack = [(entry, iter(reversed(edges[entry])))]
    while stack:
        node, rest = stack[-1]
        following = next((n for n in rest if n not in seen), None)
        if following is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(reversed(edges[following]))))
    return order


def _immediate_dominators(
    order: Sequence[int], predecessors: Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001)."""
    # The paper measures it as faster than Lengauer and Tarjan's algorithm on control flow graphs of
    # programs, whose better bound shows only in far larger ones; and it is 20 lines.
    number = {node: k for k, node in enumerate(order)}
    immediate = {order[0]: order[0]}

    def meet(a: int, b: int) -> int:
        while a != b:
            while number[a] > number[b]:
                a = immediate[a]
            while number[b] > number[a]:
                b = immediate[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            known = [p for p in predecessors[node] if p in immediate]
            new = known[0]
            for other in known[1:]:
                new = meet(new, other)
            if immediate.get(node) != new:
                immediate[node] = new
                changed = True
    return immediate


def _closed(order: Sequence[int], immediate: Mapping[int, int]) -> dict[int, set[int]]:
    closed: dict[int, set[int]] = {}
    for node in order:
        parent = immediate[node]
        closed[node] = {node} if parent == node else closed[parent] | {node}
    return closed
