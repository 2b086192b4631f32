"""Write a graph and its layout as SVG: one text with its style, the same bytes for the same graph.

For scripts each box is a `<g class="node" data-node="id" data-line="3">`, each of its lines has
its `data-line`, and each line between boxes is a `<g class="edge" data-source data-target>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from cutaway.drawing.layout import LINE, PAD, TITLE, Layout
from cutaway.drawing.model import Graph, Node, counted
from cutaway.drawing.parts import FRAME, Box, Line
from cutaway.drawing.theme import MARKS, style

CLASS = "cutaway-graph"
_EDGE = 12.0  # around the drawing
_CORNER = 5.0  # radius of a line's corners
_ARROW = 7.0
_TIP_LINES = 40  # of a tooltip


def svg(graph: Graph, layout: Layout, styled: bool = True) -> str:
    """Write the drawing; without a style for a page that already has one."""
    width, height = layout.width + 2 * _EDGE, layout.height + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{CLASS}" role="img"'
        f" aria-label={quoteattr(label_of(graph))}"
        f' width="{_number(width)}" height="{_number(height)}"'
        f' viewBox="{_number(-_EDGE)} {_number(-_EDGE)} {_number(width)} {_number(height)}">',
        f"<title>{escape(graph.title)}</title>",
    ]
    if styled:
        parts.append(f"<style>\n{style('.' + CLASS)}\n.{CLASS} text{{font-size:11px}}\n</style>")
    parts.append(
        f'<rect class="ground" x="{_number(-_EDGE)}" y="{_number(-_EDGE)}"'
        f' width="{_number(width)}" height="{_number(height)}"/>'
    )
    parts += [_frame(name, box) for name, box in layout.frames.items()]
    parts += [_edge(line) for line in layout.edges]
    parts += [_node(node, layout.boxes[node.id]) for node in graph.nodes]
    return "\n".join([*parts, "</svg>", ""])


def label_of(graph: Graph) -> str:
    """Return the label of a drawing for screen readers."""
    nodes, edges = len(graph.nodes), len(graph.edges)
    loops = sum(node.has("loop") for node in graph.nodes)
    text = f"{graph.title}: {counted(nodes, 'node')}, {counted(edges, 'edge')}"
    return f"{text}, {counted(loops, 'loop')}" if loops else text


# --- boxes ---------------------------------------------------------------------------------------


def _frame(name: str, box: Box) -> str:
    return (
        f'<g class="cluster">{_rect(box, 6)}'
        f'<text class="title" x="{_number(box[0] + FRAME)}" y="{_number(box[1] + 19)}">'
        f"{escape(name)}</text></g>"
    )


def _node(node: Node, box: Box) -> str:
    x, y, _, _ = box
    line = f' data-line="{node.loc}"' if node.loc else ""
    link = f" data-link={quoteattr(node.link)}" if node.link else ""
    round_corner = 12 if node.has("variable") else 3
    parts = [
        f'<g class="node {escape(node.kind)}" data-node={quoteattr(node.id)}{line}{link}>',
        f"<title>{escape(tip_of(node))}</title>",
        _rect(box, round_corner),
        f'<text class="title" x="{_number(x + PAD)}" y="{_number(y + 16)}">'
        f"{escape(node.title)}</text>",
    ]
    parts += _lines(node, x + PAD, y + TITLE + 14)
    return "".join([*parts, "</g>"])


def _lines(node: Node, x: float, y: float) -> Iterator[str]:
    locs = (*node.locs, *[0] * (len(node.text) - len(node.locs)))
    for k, (text, loc) in enumerate(zip(node.text, locs, strict=True)):
        kind = ' class="hidden"' if k >= len(node.lines) else ""
        line = f' data-line="{loc}"' if loc else ""
        yield (
            f'<text{kind} x="{_number(x)}" y="{_number(y + LINE * k)}"{line}>{escape(text)}</text>'
        )


def _rect(box: Box, corner: int) -> str:
    x, y, width, height = map(_number, box)
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{corner}"/>'


def tip_of(node: Node) -> str:
    """Return the tooltip of a box: its full text, and its source line."""
    lines = [*node.lines, *node.hidden]
    if len(lines) > _TIP_LINES:
        lines = [*lines[:_TIP_LINES], "…"]
    where = [f"line {node.loc}"] if node.loc else []
    return "\n".join([node.title, *lines, *where])


# --- lines ---------------------------------------------------------------------------------------


def _edge(line: Line) -> str:
    words = " ".join(filter(None, ("edge", line.kind, _mark_class(line.mark))))
    label = ""
    if line.mark:
        x, y = _mark_place(line)
        label = f'<text x="{_number(x)}" y="{_number(y)}">{escape(line.mark)}</text>'
    return (
        f'<g class="{escape(words)}" data-source={quoteattr(line.source)}'
        f" data-target={quoteattr(line.target)}>"
        f"<title>{escape(edge_tip(line))}</title>"
        f'<path d="{_path(line)}"/>{_arrow(line)}{label}</g>'
    )


def _mark_place(line: Line) -> tuple[float, float]:
    if line.edge.marked_at_the_end:
        x, y = line.points[-1]
        return x + 4, y - 3
    x, y = line.points[0]
    return x + 3, y + 11


def _mark_class(mark: str) -> str:
    return f"mark-{mark}" if mark in MARKS else ""


def edge_tip(line: Line) -> str:
    """Return the tooltip of a line."""
    words = [f"{line.source} → {line.target}"]
    if line.mark:
        words.append(MARKS[line.mark][1] if line.mark in MARKS else line.mark)
    if "back" in line.kind.split():
        words.append("back edge of a loop")
    return ", ".join(words)


def _path(line: Line) -> str:
    points = list(line.points)
    (x, y), (right, down) = points[-1], _direction(line)
    points[-1] = (x - right * (_ARROW - 1), y - down * (_ARROW - 1))
    parts = [f"M{_pair(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        parts.append(f"L{_pair(_toward(corner, before))}Q{_pair(corner)} ")
        parts.append(_pair(_toward(corner, after)))
    return "".join([*parts, f"L{_pair(points[-1])}"])


def _toward(corner: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return a point near a corner, at most halfway to the other point."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = abs(dx) + abs(dy)
    share = min(_CORNER, length / 2) / length if length else 0.0
    return corner[0] + dx * share, corner[1] + dy * share


def _arrow(line: Line) -> str:
    x, y = line.points[-1]
    right, down = _direction(line)
    back = (x - right * _ARROW, y - down * _ARROW)
    corners = (
        (back[0] - down * 3.5, back[1] - right * 3.5),
        (back[0] + down * 3.5, back[1] + right * 3.5),
        (x - right * 0.5, y - down * 0.5),
    )
    return f'<polygon points="{" ".join(map(_pair, corners))}"/>'


def _direction(line: Line) -> tuple[int, int]:
    """Return the direction in which a line arrives: from above, or in an outline from the left."""
    before, end = line.points[-2:]
    return (0, 1) if before[0] == end[0] else (1, 0)


def _pair(point: tuple[float, float]) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    text = f"{value:.1f}"
    return text.removesuffix(".0")
