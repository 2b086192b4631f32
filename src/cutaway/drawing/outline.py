"""A large tree as an outline: one row per node, children below their parent and to the right.

With siblings in rows, a tree with many leaves would be far too wide to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.drawing.model import Edge, Node
from cutaway.drawing.parts import Box, Line, Part, Size

LARGE_TREE = 24  # nodes
_INDENT = 28.0
_GAP = 10.0
_TRUNK = 14.0  # from a parent's left side to the vertical line of its children


def is_tree(nodes: Sequence[Node], edges: Sequence[Edge]) -> bool:
    """True if a connected part is a tree."""
    targets = {edge.target for edge in edges}
    return len(edges) == len(targets) == len(nodes) - 1


def outlined(nodes: Sequence[Node], edges: Sequence[Edge], sizes: Mapping[str, Size]) -> Part:
    """Lay a tree out."""
    children: dict[str, list[str]] = {}
    for edge in edges:
        children.setdefault(edge.source, []).append(edge.target)
    entered = {edge.target for edge in edges}
    stack = [(node.id, 0) for node in nodes if node.id not in entered]
    boxes: dict[str, Box] = {}
    y = 0.0
    while stack:
        name, depth = stack.pop()
        width, height = sizes[name]
        boxes[name] = (depth * _INDENT, y, width, height)
        y += height + _GAP
        stack += [(child, depth + 1) for child in reversed(children.get(name, []))]
    lines = [_line(edge, boxes) for edge in edges]
    right = max(x + width for x, _, width, _ in boxes.values())
    return Part(boxes, lines, right, y - _GAP, {})


def _line(edge: Edge, boxes: Mapping[str, Box]) -> Line:
    left, top, _, height = boxes[edge.source]
    x, y, _, own = boxes[edge.target]
    trunk = left + _TRUNK
    points = ((trunk, top + height), (trunk, y + own / 2), (x, y + own / 2))
    return Line(edge, points)
