"""The layout of a graph: rows from top to bottom, by Sugiyama's method.

    layout(graph)             boxes by id, lines as corners, a size; the same for the same graph
    stable_layouts(graphs)    layouts of several graphs of one function, consistent:
                              what stays in the program does not move

Cycles are cut (`ranking`), rows ordered (`ordering`), items placed (`coordinates`), lines routed
(`routing`). Unconnected parts are laid out separately and put side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.drawing.coordinates import placed
from cutaway.drawing.model import MOST_NODES, Edge, Graph, Node, is_huge
from cutaway.drawing.ordering import Rows, rows_of
from cutaway.drawing.outline import LARGE_TREE, is_tree, outlined
from cutaway.drawing.parts import (
    CHARACTER,
    Box,
    Line,
    Part,
    Size,
    framed,
    side_by_side,
)
from cutaway.drawing.ranking import ranked
from cutaway.drawing.routing import (
    FIRST,
    LAST,
    TRACK,
    Routes,
    Stretch,
    points_of,
    routed,
    tracks_of,
)
from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import dataclass, replace

LINE = 14.0
TITLE = 18.0
PAD = 8.0
BOX_GAP = 28.0  # between two boxes of a row
BEND_GAP = 12.0  # beside a line that passes through a row


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in pixels from the top left; `frames` are those of clusters."""

    boxes: dict[str, Box]
    edges: tuple[Line, ...]
    width: float
    height: float
    frames: dict[str, Box]

    def to_dict(self) -> dict[str, object]:
        """Return the layout as plain data, for a record or a page."""
        return {
            "width": self.width,
            "height": self.height,
            "boxes": {name: list(box) for name, box in self.boxes.items()},
            "edges": [
                {
                    "source": line.source,
                    "target": line.target,
                    "mark": line.mark,
                    "kind": line.kind,
                    "points": [list(point) for point in line.points],
                }
                for line in self.edges
            ],
            "frames": {name: list(box) for name, box in self.frames.items()},
        }


def layout(graph: Graph) -> Layout:
    """Lay a graph out.

    Raises PipelineError for one that is too large.
    """
    return _laid_out(graph, {node.id: size_of(node) for node in graph.nodes})


def stable_layouts(graphs: Sequence[Graph]) -> tuple[Layout, ...]:
    """Lay out the graphs of one function, from pass to pass: a node that occurs in several of them
    has the same position in each, and an edge the same corners.

    Their union is laid out, each node as large as its largest version. A cluster may have another
    name in each graph: its nodes share a prefix of their ids, as in `p7:12`.
    """
    names = _names_of_clusters(graphs)
    union = union_of([_with_names(graph, names) for graph in graphs])
    sizes: dict[str, Size] = {}
    for graph in graphs:
        for node in graph.nodes:
            width, height = size_of(node)
            known = sizes.get(node.id, (0.0, 0.0))
            sizes[node.id] = (max(width, known[0]), max(height, known[1]))
    whole = _laid_out(union, sizes)
    return tuple(_part_of(whole, graph, names) for graph in graphs)


def size_of(node: Node) -> Size:
    """Return the size of a node's box."""
    lines = node.text
    longest = max(len(line) for line in (node.title, *lines))
    height = TITLE + (LINE * len(lines) + 4 if lines else 0) + 6
    return float(round(longest * CHARACTER + 2 * PAD)), height


# --- several graphs as one -----------------------------------------------------------------------


def union_of(graphs: Sequence[Graph]) -> Graph:
    """Return the union of graphs: their nodes and edges, each once."""
    nodes: dict[str, Node] = {}
    edges: dict[tuple[str, str, str, int], Edge] = {}
    for graph in graphs:
        for node in graph.nodes:
            nodes.setdefault(node.id, node)
        for key, edge in numbered(graph.edges):
            edges.setdefault(key, edge)
    first = graphs[0] if graphs else Graph("", (), ())
    return Graph(first.name, tuple(nodes.values()), tuple(edges.values()), first.kind)


def numbered(edges: Sequence[Edge]) -> list[tuple[tuple[str, str, str, int], Edge]]:
    """Pair each edge with a key that is unique, also among edges between the same nodes."""
    counts: dict[tuple[str, str, str], int] = {}
    result = []
    for edge in edges:
        key = (edge.source, edge.target, edge.mark)
        counts[key] = counts.get(key, -1) + 1
        result.append(((*key, counts[key]), edge))
    return result


def _names_of_clusters(graphs: Sequence[Graph]) -> dict[str, str]:
    """Return a unique name for each cluster, by the prefix of its nodes' ids, at least as long as
    the longest one that it has."""
    longest: dict[str, str] = {}
    for graph in graphs:
        for node in graph.nodes:
            if node.cluster:
                key = _key(node)
                longest[key] = max(longest.get(key, ""), node.cluster, key=len)
    return {key: f"{name} {key}" for key, name in longest.items()}


def _key(node: Node) -> str:
    return node.id.rpartition(":")[0] or node.cluster


def _with_names(graph: Graph, names: Mapping[str, str]) -> Graph:
    nodes = (
        replace(node, cluster=names[_key(node)]) if node.cluster else node for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))


def _part_of(whole: Layout, graph: Graph, names: Mapping[str, str]) -> Layout:
    """Return the positions of one graph's nodes and edges in the layout of the union."""
    keys = [key for key, _ in numbered([line.edge for line in whole.edges])]
    drawn = dict(zip(keys, whole.edges, strict=True))
    boxes: dict[str, Box] = {}
    for node in graph.nodes:
        x, y, width, _ = whole.boxes[node.id]
        boxes[node.id] = (x, y, width, size_of(node)[1])
    edges = []
    for key, edge in numbered(graph.edges):
        points = drawn[key].points
        x, y, _, height = boxes[edge.source]
        points = ((points[0][0], y + height), *points[1:])
        edges.append(Line(edge, points))
    frames = {node.cluster: whole.frames[names[_key(node)]] for node in graph.nodes if node.cluster}
    return Layout(boxes, tuple(edges), whole.width, whole.height, frames)


# --- one graph -----------------------------------------------------------------------------------


def _laid_out(graph: Graph, sizes: Mapping[str, Size]) -> Layout:
    if is_huge(graph):
        raise PipelineError(
            f"a graph of {len(graph.nodes)} nodes is too large to be drawn",
            hint=f"the limit is {MOST_NODES}; .graph().source has its DOT text",
        )
    groups = _groups(graph)
    placed_groups = [
        (name, side_by_side([_component(part, sizes, graph.kind == "cfg") for part in parts]))
        for name, parts in groups
    ]
    whole = side_by_side([framed(name, part) for name, part in placed_groups])
    lines = {id(line.edge): line for line in whole.lines}
    return Layout(
        {node.id: whole.boxes[node.id] for node in graph.nodes},
        tuple(lines[id(edge)] for edge in graph.edges),
        whole.width,
        whole.height,
        whole.frames,
    )


def _groups(graph: Graph) -> list[tuple[str, list[tuple[list[Node], list[Edge]]]]]:
    """Return the connected parts of a graph by cluster; without clusters if an edge joins two."""
    cluster = {node.id: node.cluster for node in graph.nodes}
    if any(cluster[edge.source] != cluster[edge.target] for edge in graph.edges):
        cluster = dict.fromkeys(cluster, "")
    groups: dict[str, list[tuple[list[Node], list[Edge]]]] = {}
    for part in _connected(graph):
        groups.setdefault(cluster[part[0][0].id], []).append(part)
    return list(groups.items())


def _connected(graph: Graph) -> list[tuple[list[Node], list[Edge]]]:
    leader = {node.id: node.id for node in graph.nodes}

    def leader_of(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for edge in graph.edges:
        leader[leader_of(edge.target)] = leader_of(edge.source)
    parts: dict[str, tuple[list[Node], list[Edge]]] = {}
    for node in graph.nodes:
        parts.setdefault(leader_of(node.id), ([], []))[0].append(node)
    for edge in graph.edges:
        parts[leader_of(edge.source)][1].append(edge)
    return list(parts.values())


def _component(part: tuple[list[Node], list[Edge]], sizes: Mapping[str, Size], loops: bool) -> Part:
    """Lay out a connected part; `loops` is true for control flow."""
    nodes, edges = part
    if len(nodes) > LARGE_TREE and is_tree(nodes, edges):
        return outlined(nodes, edges, sizes)
    number = {node.id: k for k, node in enumerate(nodes)}
    pairs = [(number[edge.source], number[edge.target]) for edge in edges]
    known = [k for k, edge in enumerate(edges) if edge.has("back")]
    rows = rows_of(pairs, ranked(len(nodes), pairs, known, loops))
    bends = len(rows.ranks) - len(nodes)
    widths = [*(sizes[node.id][0] for node in nodes), *[0.0] * bends]
    x = placed(rows, widths, [*[BOX_GAP] * len(nodes), *[BEND_GAP] * bends])
    routes = routed(rows, pairs, x, widths, [_rooms(edge) for edge in edges])
    heights = [sizes[node.id][1] for node in nodes]
    tops, channels, bottom = _heights(rows, routes, heights)
    boxes = {
        node.id: (x[k] - widths[k] / 2, tops[rows.ranks[k]], widths[k], heights[k])
        for k, node in enumerate(nodes)
    }
    lines = []
    for k, edge in enumerate(edges):
        box = boxes[edge.source]
        ends = (box[1] + box[3], boxes[edge.target][1])
        points = points_of(routes.stretches[k], channels, *ends)
        lines.append(Line(edge, points))
    return _from_zero(boxes, lines, bottom)


def _rooms(edge: Edge) -> Size:
    """Return the space that the mark of an edge needs at its source and at its target."""
    width = (len(edge.mark) + 1) * CHARACTER if edge.mark else 0.0
    return (0.0, width) if edge.marked_at_the_end else (width, 0.0)


def _from_zero(boxes: dict[str, Box], lines: list[Line], bottom: float) -> Part:
    columns = [x for line in lines for x, _ in line.points]
    left = min([box[0] for box in boxes.values()] + columns)
    right = max([box[0] + box[2] for box in boxes.values()] + columns)
    return Part(boxes, lines, right - left, bottom, {}).moved(-left, 0.0)


def _heights(
    rows: Rows, routes: Routes, heights: Sequence[float]
) -> tuple[list[float], list[float], float]:
    """Return the start of each row and each channel, and the end of the last one."""
    tops: list[float] = []
    channels: list[float] = []
    y = 0.0
    for rank, row in enumerate(rows.order):
        channels.append(y)
        y += _depth(routes.channels[rank], rank == 0)
        tops.append(y)
        y += max((heights[item] for item in row if item < rows.nodes), default=0.0)
    channels.append(y)
    return tops, channels, y + _depth(routes.channels[-1], True)


def _depth(channel: Sequence[Stretch], at_the_end: bool) -> float:
    tracks = tracks_of(channel)
    if at_the_end and not tracks:
        return 0.0
    return FIRST + TRACK * max(tracks - 1, 0) + LAST
