"""Movable parts of a drawing, and how they are combined."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.drawing.model import Edge
from cutaway.drawing.routing import Points
from cutaway.foundation.dataclass import dataclass

CHARACTER = 6.62  # width of a character of the font in `svg`, in pixels
PART_GAP = 36.0  # between parts that are not connected
FRAME = 14.0  # between a cluster's frame and its contents
FRAME_TITLE = 22.0
LINE_WIDTH = 1200.0  # parts beyond it begin a new line

Box = tuple[float, float, float, float]  # left, top, width, height
Size = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A drawn edge: corners from its source to its target."""

    edge: Edge
    points: Points

    @property
    def source(self) -> str:
        """The id of its source node."""
        return self.edge.source

    @property
    def target(self) -> str:
        """The id of its target node."""
        return self.edge.target

    @property
    def mark(self) -> str:
        """The text at the edge."""
        return self.edge.mark

    @property
    def kind(self) -> str:
        """The words that classify the edge."""
        return self.edge.kind


@dataclass(slots=True)
class Part:
    """A part of a drawing that can still be moved."""

    boxes: dict[str, Box]
    lines: list[Line]
    width: float
    height: float
    frames: dict[str, Box]

    def moved(self, right: float, down: float) -> Part:
        def box(b: Box) -> Box:
            return (b[0] + right, b[1] + down, b[2], b[3])

        def line(drawn: Line) -> Line:
            points = tuple((x + right, y + down) for x, y in drawn.points)
            return Line(drawn.edge, points)

        return Part(
            {name: box(b) for name, b in self.boxes.items()},
            [line(drawn) for drawn in self.lines],
            self.width,
            self.height,
            {name: box(b) for name, b in self.frames.items()},
        )


def side_by_side(parts: Sequence[Part]) -> Part:
    """Arrange parts in lines from left to right."""
    whole = Part({}, [], 0.0, 0.0, {})
    x = y = line_height = 0.0
    limit = max([LINE_WIDTH, *(part.width for part in parts)])
    for part in parts:
        if x and x + part.width > limit:
            x, y, line_height = 0.0, y + line_height + PART_GAP, 0.0
        moved = part.moved(x, y)
        whole.boxes.update(moved.boxes)
        whole.lines += moved.lines
        whole.frames.update(moved.frames)
        line_height = max(line_height, part.height)
        whole.width = max(whole.width, x + part.width)
        whole.height = max(whole.height, y + line_height)
        x += part.width + PART_GAP
    return whole


def framed(name: str, part: Part) -> Part:
    """Draw a frame around a cluster; the part without a cluster has none."""
    if not name:
        return part
    inner = part.moved(FRAME, FRAME + FRAME_TITLE)
    width = max(part.width, len(name) * CHARACTER) + 2 * FRAME
    height = part.height + 2 * FRAME + FRAME_TITLE
    inner.frames[name] = (0.0, 0.0, width, height)
    inner.width, inner.height = width, height
    return inner
