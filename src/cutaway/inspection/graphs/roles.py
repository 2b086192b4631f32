"""The roles of blocks in a control flow graph: entry, loop header, exit, unreachable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.drawing.model import Edge, Graph, Node
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.ir import graph as ir_graph

_WORDS = {
    "entry": "entry",
    "loop": "loop header",
    "handler": "handler",
    "exit": "exit",
    "cold": "unusual",
    "unreachable": "unreachable",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """Dominators and loops of a graph, by the ids of its nodes; the first node is the entry."""

    immediate: Mapping[str, str]
    back: frozenset[tuple[str, str]]
    frontiers: Mapping[str, tuple[str, ...]]

    @property
    def headers(self) -> frozenset[str]:
        """The loop headers."""
        return frozenset(target for _, target in self.back)


def shape_of(nodes: Sequence[Node], edges: Sequence[Edge]) -> Shape:
    """Compute the shape of one connected control flow."""
    names = [node.id for node in nodes]
    number = {name: k for k, name in enumerate(names)}
    targets: dict[int, list[int]] = {}
    for edge in edges:
        targets.setdefault(number[edge.source], []).append(number[edge.target])
    graph = ir_graph.Graph(range(len(names)), targets, 0)
    return Shape(
        {names[k]: names[above] for k, above in graph.immediate_dominators().items()},
        frozenset((names[a], names[b]) for a, b in graph.back_edges()),
        {
            names[k]: tuple(names[n] for n in sorted(nodes))
            for k, nodes in graph.dominance_frontiers().items()
        },
    )


def control_flow(name: str, nodes: Sequence[Node], edges: Sequence[Edge]) -> Graph:
    """Build the graph of blocks, with their roles in kinds and titles and the back edges marked."""
    if not nodes:
        return Graph(name, (), ())
    shape = shape_of(nodes, edges)
    leaving = {edge.source for edge in edges}
    named = []
    for k, node in enumerate(nodes):
        kinds = node.kind.split()
        if k == 0:
            kinds.append("entry")
        if node.id in shape.headers:
            kinds.append("loop")
        if node.id not in leaving and "cold" not in kinds:
            kinds.append("exit")
        if node.id not in shape.immediate:
            kinds.append("unreachable")
        words = [_WORDS[kind] for kind in kinds if kind in _WORDS and kind != node.title]
        title = " · ".join([node.title, *words])
        named.append(replace(node, title=title, kind=" ".join(kinds)))
    drawn = [
        replace(edge, kind=_with(edge.kind, "back"))
        if (edge.source, edge.target) in shape.back
        else edge
        for edge in edges
    ]
    return Graph(name, tuple(named), tuple(drawn))


def _with(kinds: str, word: str) -> str:
    return f"{kinds} {word}".strip()
