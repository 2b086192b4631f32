"""A graph as data: boxes of text, and lines between them.

Builders make it, layouts and writers read it; it knows no program and no picture.  The words of
`kind` say what a node or an edge is; there may be several, and writers turn them into colors:

    node   entry loop handler exit cold unreachable      blocks
           user temporary phi constant effect    values
           variable constraint unknown           types
           changed visited                       what the last step of inference did
           compiled known external note          functions, and a remark in a graph's place
    edge   back tree data control call cold changed
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cutaway.foundation.dataclass import dataclass, fields, replace

LONGEST_LINE = 60  # characters of a line in a box; the tooltip has all of it


@dataclass(frozen=True, slots=True)
class Node:
    """A box: a title and lines of text.

    `loc` is the line of the source that it came from, `locs` that of each line of text (0 is
    none; empty if none is known).  `link` names what the box stands for elsewhere, `cluster`
    the group that it is drawn in.  `hidden` are lines that only a tooltip shows.
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
        """The lines as they are drawn: not too long, with a remark for those left out."""
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
        """A branch is marked where it begins, a value where it arrives."""
        return self.has("data")


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph: the first node, and the first of each cluster, is where reading begins.

    `kind` is the word that `.graph(kind)` takes.
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
        """The graph as plain data, for a record or a page."""
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
    """A line that is not too long to be drawn."""
    return line if len(line) <= longest else line[: longest - 1] + "…"


def counted(number: int, word: str) -> str:
    """So many of something: `1 node`, `2 nodes`."""
    return f"{number} {word}{'s' * (number != 1)}"


def merged(name: str, kind: str, graphs: Iterable[Graph]) -> Graph:
    """One graph of several, each a cluster under its name."""
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
    """The nodes that a name stands for, by id, title or link, and all that are near."""
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

MANY_NODES = 60  # from here on boxes are short
MANY_LINES = 700
VERY_MANY_NODES = 250  # and from here on they are titles alone
MOST_NODES = 2000  # and more than these nobody can read


def readable(graph: Graph) -> Graph:
    """The graph as it is drawn: with short boxes when it is large, a remark when it is huge."""
    count = len(graph.nodes)
    if is_huge(graph):
        return note(graph, f"{count} nodes: too many to draw", f"the limit is {MOST_NODES}")
    if count > VERY_MANY_NODES:
        return folded(graph, 0)
    if count > MANY_NODES or sum(len(node.lines) for node in graph.nodes) > MANY_LINES:
        return folded(graph, 3)
    return graph


def is_huge(graph: Graph) -> bool:
    """True if nobody could read a drawing of it."""
    return len(graph.nodes) > MOST_NODES


def folded(graph: Graph, longest: int) -> Graph:
    """The graph with at most so many lines in a box."""
    return replace(graph, nodes=tuple(_short(node, longest) for node in graph.nodes))


def note(graph: Graph, *lines: str) -> Graph:
    """A remark instead of a graph."""
    return Graph(graph.name, (Node("note", graph.name, lines, "note"),), (), graph.kind)


def is_only_a_note(graph: Graph) -> bool:
    """True if a remark is all that there is."""
    return all(node.has("note") for node in graph.nodes)


def _short(node: Node, longest: int) -> Node:
    left_out = node.lines[longest:]
    if len(left_out) < 2 and longest:  # the remark would take the place of the line
        return node
    return replace(
        node,
        lines=node.lines[:longest],
        locs=node.locs[:longest],
        hidden=(*left_out, *node.hidden),
    )
