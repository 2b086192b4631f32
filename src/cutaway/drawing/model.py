"""Graphs as data: boxes of text, and lines between them.

Builders make them, layouts and writers read them; they are independent of programs and pictures.
The words of `kind` classify a node or an edge, and writers turn them into colors:

    node   entry loop handler exit cold unreachable      blocks
           user temporary phi constant effect    values
           variable constraint unknown           types
           changed visited                       effects of the last step of inference
           compiled known external note          functions, and a note instead of a graph
    edge   back tree data control call cold changed
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cutaway.foundation.dataclass import dataclass, fields, replace

LONGEST_LINE = 60  # characters of a line in a box; the tooltip has the full line


@dataclass(frozen=True, slots=True)
class Node:
    """A box: a title and lines of text.

    `loc` is its source line, `locs` that of each line of text (0 is none; empty if none is known).
    `link` names the object that the box represents, `cluster` the group that it is drawn in.
    `hidden` are lines that only a tooltip shows.
    """

    id: str
    title: str
    lines: tuple[str, ...] = ()
    kind: str = ""
    loc: int = 0
    link: str = ""
    locs: tuple[int, ...] = ()
    cluster: str = ""
    hidden: tuple[str, ...] = ()

    def has(self, word: str) -> bool:
        """True if the node is of a kind."""
        return word in self.kind.split()

    @property
    def text(self) -> tuple[str, ...]:
        """The lines as drawn: cut to a length, with a note on hidden ones."""
        shown = tuple(cut(line) for line in self.lines)
        return (*shown, f"… {counted(len(self.hidden), 'more line')}") if self.hidden else shown


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one node to another; `mark` is written at it."""

    source: str
    target: str
    mark: str = ""
    kind: str = ""

    def has(self, word: str) -> bool:
        """True if the edge is of a kind."""
        return word in self.kind.split()

    @property
    def marked_at_the_end(self) -> bool:
        """True if the mark is at the target: a branch is marked at its source, a value at its
        target."""
        return self.has("data")


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph: reading begins at the first node, and at the first of each cluster.

    `kind` is the argument of `.graph(kind)`.
    """

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    kind: str = "cfg"

    @property
    def clusters(self) -> tuple[str, ...]:
        """The names of the groups, in the order of their first nodes."""
        return tuple(dict.fromkeys(node.cluster for node in self.nodes if node.cluster))

    @property
    def title(self) -> str:
        """A description of the graph."""
        return f"{TITLES.get(self.kind, self.kind)} of {self.name}"

    def to_dict(self) -> dict[str, object]:
        """Return the graph as plain data, for a record or a page."""
        return {
            "name": self.name,
            "kind": self.kind,
            "nodes": [_as_dict(node) for node in self.nodes],
            "edges": [_as_dict(edge) for edge in self.edges],
        }


TITLES = {
    "cfg": "control flow",
    "dominators": "dominator tree",
    "dataflow": "data flow",
    "frame": "frame",
    "loops": "loops over arrays",
    "network": "type constraints",
    "calls": "calls",
}


def _as_dict(thing: Node | Edge) -> dict[str, object]:
    values = {field.name: getattr(thing, field.name) for field in fields(thing)}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v}


def cut(line: str, longest: int = LONGEST_LINE) -> str:
    """Cut a line that is too long to be drawn."""
    return line if len(line) <= longest else line[: longest - 1] + "…"


def counted(number: int, word: str) -> str:
    """Format a count of something: `1 node`, `2 nodes`."""
    return f"{number} {word}{'s' * (number != 1)}"


def merged(name: str, kind: str, graphs: Iterable[Graph]) -> Graph:
    """Merge graphs into one, each a cluster with its name."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    for number, graph in enumerate(graphs):
        for node in graph.nodes:
            nodes.append(replace(node, id=f"{number}:{node.id}", cluster=graph.name))
        for edge in graph.edges:
            ends = {"source": f"{number}:{edge.source}", "target": f"{number}:{edge.target}"}
            edges.append(replace(edge, **ends))
    return Graph(name, tuple(nodes), tuple(edges), kind)


def around(graph: Graph, name: str, steps: int = 2) -> Graph:
    """Return the nodes with a name, by id, title or link, and those within so many edges."""
    near = {node.id for node in graph.nodes if name in _names_of(node)}
    for _ in range(steps):
        touched = [e for e in graph.edges if e.source in near or e.target in near]
        near |= {end for edge in touched for end in (edge.source, edge.target)}
    return replace(
        graph,
        nodes=tuple(node for node in graph.nodes if node.id in near),
        edges=tuple(e for e in graph.edges if e.source in near and e.target in near),
    )


def _names_of(node: Node) -> set[str]:
    title = re.split(r" :: | · ", node.title)[0]
    links = node.link.split(",")
    return {node.id, title, *links, *(link.partition(".")[0] for link in links)} - {""}


# --- graphs that are too large to be drawn whole -------------------------------------------------

MANY_NODES = 60  # above this count, boxes are short
MANY_LINES = 700
VERY_MANY_NODES = 250  # above this count, they are only titles
MOST_NODES = 2000  # the largest readable graph


def readable(graph: Graph) -> Graph:
    """Return the graph as drawn: with short boxes if it is large, as a note if it is huge."""
    count = len(graph.nodes)
    if is_huge(graph):
        return note(graph, f"{count} nodes: too many to draw", f"the limit is {MOST_NODES}")
    if count > VERY_MANY_NODES:
        return folded(graph, 0)
    if count > MANY_NODES or sum(len(node.lines) for node in graph.nodes) > MANY_LINES:
        return folded(graph, 3)
    return graph


def is_huge(graph: Graph) -> bool:
    """True if a drawing of the graph would be too large to read."""
    return len(graph.nodes) > MOST_NODES


def folded(graph: Graph, longest: int) -> Graph:
    """Limit the boxes of a graph to so many lines."""
    return replace(graph, nodes=tuple(_short(node, longest) for node in graph.nodes))


def note(graph: Graph, *lines: str) -> Graph:
    """Make a note instead of a graph."""
    return Graph(graph.name, (Node("note", graph.name, lines, "note"),), (), graph.kind)


def is_only_a_note(graph: Graph) -> bool:
    """True if the graph is only a note."""
    return all(node.has("note") for node in graph.nodes)


def _short(node: Node, longest: int) -> Node:
    left_out = node.lines[longest:]
    if len(left_out) < 2 and longest:  # the note would take the line's space
        return node
    return replace(
        node,
        lines=node.lines[:longest],
        locs=node.locs[:longest],
        hidden=(*left_out, *node.hidden),
    )
