"""Draw a graph as a character picture, for terminals and other places without graphics.

Control flow is its blocks in order, with arrows at the left from the end of a block to the
beginning of another; fall-through needs none. Trees are indented, and boxes of other graphs list
the targets of their edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cutaway.drawing.model import Edge, Graph, Node
from cutaway.foundation.dataclass import dataclass

_ASCII = str.maketrans("│─┌└├╭╰┼▶↓→·…×", "|-++++++>v>-~x")
_MOST_LANES = 12  # further arrows appear only as words


def picture(graph: Graph, ascii_only: bool = False) -> str:
    """Draw a graph as a character picture."""
    if not graph.nodes:
        return f"{graph.title}: nothing\n"
    if graph.kind == "cfg":
        lines = list(_flow(graph))
    elif all(edge.has("tree") for edge in graph.edges):
        lines = list(_tree(graph))
    else:
        lines = list(_list(graph))
    text = "\n".join([graph.title, *(line.rstrip() for line in lines), ""])
    return text.translate(_ASCII) if ascii_only else text


# --- blocks with arrows at the side --------------------------------------------------------------


@dataclass(slots=True)
class _Arrow:
    """An arrow from a line of the picture to another, in a column of its own."""

    start: int
    end: int
    lane: int = -1

    @property
    def span(self) -> tuple[int, int]:
        """The upper and the lower line."""
        return min(self.start, self.end), max(self.start, self.end)


def _flow(graph: Graph) -> Iterator[str]:
    following = dict(zip(graph.nodes, graph.nodes[1:], strict=False))
    rows: list[str] = []
    heads: dict[str, int] = {}
    tails: list[tuple[Edge, int]] = []
    leaving = _leaving(graph)
    cluster = ""
    for node in graph.nodes:
        if node.cluster != cluster:
            cluster = node.cluster
            rows += ["", f"{cluster}:"]
        heads[node.id] = len(rows)
        rows.append(f"┌─ {node.title}")
        rows += [f"│  {line}" for line in node.text]
        after = following.get(node)
        for edge in leaving.get(node.id, ()):
            if after is not None and edge.target == after.id:
                continue
            tails.append((edge, len(rows)))
            rows.append(f"├─ {_said(edge)}→ {_title(graph, edge.target)}")
        through = [e for e in leaving.get(node.id, ()) if after and e.target == after.id]
        marks = " ".join(edge.mark for edge in through if edge.mark)
        rows.append(f"{'↓' if through else '└─'} {marks}")
    arrows = [_Arrow(line, heads[edge.target]) for edge, line in tails]
    yield from _with_arrows(rows, arrows)


def _leaving(graph: Graph) -> dict[str, list[Edge]]:
    result: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        result.setdefault(edge.source, []).append(edge)
    return result


def _said(edge: Edge) -> str:
    return f"{edge.mark} " if edge.mark else ""


def _title(graph: Graph, name: str) -> str:
    return next(node.title.partition(" · ")[0] for node in graph.nodes if node.id == name)


def _with_arrows(rows: Sequence[str], arrows: Sequence[_Arrow]) -> Iterator[str]:
    """Add arrows at the left of rows; arrows to the same line share a column."""
    lanes: list[list[tuple[int, int]]] = []
    for group in _by_end(arrows):
        top = min(arrow.span[0] for arrow in group)
        bottom = max(arrow.span[1] for arrow in group)
        free = (k for k, lane in enumerate(lanes) if all(bottom < a or b < top for a, b in lane))
        number = next(free, len(lanes))
        if number == len(lanes):
            lanes.append([])
        lanes[number].append((top, bottom))
        for arrow in group:
            arrow.lane = number
    width = min(len(lanes), _MOST_LANES)
    drawn = [arrow for arrow in arrows if arrow.lane < width]
    for number, row in enumerate(rows):
        touching = [arrow for arrow in drawn if arrow.span[0] <= number <= arrow.span[1]]
        yield _gutter(number, touching, width) + row


def _by_end(arrows: Sequence[_Arrow]) -> list[list[_Arrow]]:
    """Group arrows by target line, the shortest first, which are innermost."""
    groups: dict[int, list[_Arrow]] = {}
    for arrow in arrows:
        groups.setdefault(arrow.end, []).append(arrow)

    def length(group: list[_Arrow]) -> tuple[int, int]:
        rows = [row for arrow in group for row in arrow.span]
        return max(rows) - min(rows), group[0].end

    return sorted(groups.values(), key=length)


def _gutter(number: int, arrows: Sequence[_Arrow], width: int) -> str:
    if not width:
        return ""
    cells = [" "] * (2 * width + 2)  # the innermost lane is the rightmost
    for arrow in arrows:
        column = 2 * (width - 1 - arrow.lane)
        top, bottom = arrow.span
        if number not in (top, bottom):
            _put(cells, column, "│")
            continue
        _put(cells, column, "╭" if number == top else "╰")
        for k in range(column + 1, len(cells)):
            if cells[k] == " ":
                cells[k] = "─"
            elif cells[k] == "│":
                cells[k] = "┼"
        if number == arrow.end:
            cells[-1] = "▶"
    return "".join(cells)


def _put(cells: list[str], column: int, mark: str) -> None:
    known = cells[column]
    if known in "─┼" and mark == "│":
        mark = "┼"
    elif known not in (" ", mark):
        mark = "├"
    cells[column] = mark


# --- trees and lists -----------------------------------------------------------------------------


def _tree(graph: Graph) -> Iterator[str]:
    below: dict[str, list[Edge]] = _leaving(graph)
    by_name = {node.id: node for node in graph.nodes}
    entered = {edge.target for edge in graph.edges}
    cluster = ""
    for root in graph.nodes:
        if root.id not in entered:
            if root.cluster != cluster:
                cluster = root.cluster
                yield from ("", f"{cluster}:")
            yield _said_of(root)
            yield from _branches(root.id, "", below, by_name)


def _branches(
    name: str, indent: str, below: Mapping[str, list[Edge]], by_name: Mapping[str, Node]
) -> Iterator[str]:
    # Dominator trees may be thousands deep, so the walk has its own stack.
    stack = [(edge.target, indent, k == 0) for k, edge in enumerate(reversed(below.get(name, [])))]
    while stack:
        node, margin, last = stack.pop()
        yield f"{margin}{'└─ ' if last else '├─ '}{_said_of(by_name[node])}"
        deeper = margin + ("   " if last else "│  ")
        children = reversed(below.get(node, []))
        stack += [(edge.target, deeper, k == 0) for k, edge in enumerate(children)]


def _said_of(node: Node) -> str:
    return f"{node.title}   {'; '.join(node.lines)}" if node.lines else node.title


def _list(graph: Graph) -> Iterator[str]:
    leaving = _leaving(graph)
    titles = {node.id: node.title.partition(" :: ")[0] for node in graph.nodes}
    for node in graph.nodes:
        yield f"┌─ {node.title}"
        yield from (f"│  {line}" for line in node.text)
        for edge in leaving.get(node.id, ()):
            yield f"├─ {_said(edge)}→ {titles[edge.target]}"
        yield "└─"
