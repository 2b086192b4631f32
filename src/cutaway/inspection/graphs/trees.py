"""The dominator tree of a control flow graph: under each block those that it immediately
dominates."""

from __future__ import annotations

from cutaway.drawing.model import Edge, Graph, Node
from cutaway.foundation.dataclass import replace
from cutaway.inspection.graphs.roles import shape_of


def dominator_tree(flow: Graph) -> Graph:
    """Return the dominator tree, with each block's dominance frontier.

    A graph of several clusters has one tree per cluster. Unreachable blocks are omitted.
    """
    drawn: list[Node] = []
    edges: list[Edge] = []
    for cluster in dict.fromkeys(node.cluster for node in flow.nodes):
        nodes = [node for node in flow.nodes if node.cluster == cluster]
        names = {node.id for node in nodes}
        shape = shape_of(nodes, [edge for edge in flow.edges if edge.source in names])
        titles = {node.id: node.title.partition(" · ")[0] for node in nodes}
        for node in nodes:
            if node.id in shape.immediate:
                beyond = [titles[name] for name in shape.frontiers[node.id]]
                lines = (f"frontier: {', '.join(beyond)}",) if beyond else ()
                drawn.append(replace(node, lines=lines, locs=()))
        edges += [
            Edge(shape.immediate[name], name, "", "tree")
            for name in (node.id for node in nodes)
            if shape.immediate.get(name, name) != name
        ]
    return Graph(flow.name, tuple(drawn), tuple(edges), "dominators")
