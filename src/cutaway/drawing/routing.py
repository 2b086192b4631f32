"""Route the lines of a drawing: right-angled, each from a port of its source to one of its target.

Between two rows of boxes lies a channel. A line goes straight down in the rows, and sideways in a
channel, on its own track: no two lines overlap, and none crosses a box. A line that goes back up
leaves its source at the bottom like any other, and enters at the top.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.drawing.ordering import Rows
from cutaway.drawing.ranking import Pair
from cutaway.foundation.dataclass import dataclass

PORT_GAP = 16.0  # between two ports of a box
MARGIN = 10.0  # from a box's corner to its first port
TRACK = 9.0  # between two tracks
FIRST = 18.0  # from the boxes above to the first track: space for a mark
LAST = 16.0  # from the last track to the boxes below: space for an arrow

Key = tuple[float, float]
Rooms = tuple[float, float]
Points = tuple[tuple[float, float], ...]


@dataclass(slots=True)
class Stretch:
    """The part of an edge in one channel: from a column at one side to one at the other.

    `turn` is 0 for a line that goes through, 1 if both ends are at the row above, -1 if both are at
    the row below.
    """

    edge: int
    start: float
    end: float
    turn: int = 0
    track: int = 0

    @property
    def low(self) -> float:
        """The left end."""
        return min(self.start, self.end)

    @property
    def high(self) -> float:
        """The right end."""
        return max(self.start, self.end)

    @property
    def straight(self) -> bool:
        """True if the line goes straight through."""
        return self.turn == 0 and abs(self.start - self.end) < 0.5


@dataclass(slots=True)
class Routes:
    """The columns of each edge from its source to its target, and its stretches by channel.

    Channel `r` lies above row `r`.
    """

    columns: list[list[float]]
    channels: list[list[Stretch]]
    stretches: list[list[tuple[int, Stretch]]]


def routed(
    rows: Rows,
    edges: Sequence[Pair],
    x: Sequence[float],
    widths: Sequence[float],
    rooms: Sequence[Rooms],
) -> Routes:
    """Choose ports and tracks for all edges; `rooms` is the width of each edge's mark at its source
    and at its target."""
    columns = _columns(rows, edges, x, widths, rooms)
    channels: list[list[Stretch]] = [[] for _ in range(len(rows.order) + 1)]
    stretches: list[list[tuple[int, Stretch]]] = []
    for k, (source, target) in enumerate(edges):
        mine = _stretches(rows, k, source, target, columns[k])
        for channel, stretch in mine:
            channels[channel].append(stretch)
        stretches.append(mine)
    for channel_stretches in channels:
        _give_tracks(channel_stretches)
    return Routes(columns, channels, stretches)


def tracks_of(channel: Sequence[Stretch]) -> int:
    """Return the number of tracks that a channel needs."""
    return max((s.track + 1 for s in channel if not s.straight), default=0)


# --- ports ---------------------------------------------------------------------------------------


def _columns(
    rows: Rows,
    edges: Sequence[Pair],
    x: Sequence[float],
    widths: Sequence[float],
    rooms: Sequence[Rooms],
) -> list[list[float]]:
    """Return the columns of each edge: of its port at the source, its bends, and the other port."""
    wanted = [_wanted_ports(rows, k, edge, x, widths) for k, edge in enumerate(edges)]
    after = [x[path[0]] if path else x[edges[k][1]] for k, path in enumerate(rows.paths)]
    order = [_order(rows, edge, 0, after[k], x) for k, edge in enumerate(edges)]
    starts = _ports(edges, 0, [first for first, _ in wanted], order, x, widths, rooms)
    before = [x[rows.paths[k][-1]] if rows.paths[k] else starts[k] for k in range(len(edges))]
    order = [_order(rows, edge, 1, before[k], x) for k, edge in enumerate(edges)]
    ends = _ports(edges, 1, before, order, x, widths, rooms)
    return [[starts[k], *(x[bend] for bend in rows.paths[k]), ends[k]] for k in range(len(edges))]


def _order(rows: Rows, edge: Pair, side: int, bend: float, x: Sequence[float]) -> Key:
    """Return the sort key of a node's ports: turning lines go outside, wide turns innermost."""
    source, target = edge
    if rows.ranks[target] > rows.ranks[source]:
        return (0.0, bend)
    return (-1.0 if bend < x[edge[side]] else 1.0, -bend)


def _wanted_ports(
    rows: Rows, k: int, edge: Pair, x: Sequence[float], widths: Sequence[float]
) -> Pair | tuple[float, float]:
    """Return the ports at which an edge would be straight at its source and its target."""
    source, target = edge
    if rows.paths[k]:
        return x[rows.paths[k][0]], x[rows.paths[k][-1]]
    (a, b), (c, d) = _port_span(source, x, widths), _port_span(target, x, widths)
    both = (x[source] + x[target]) / 2
    common = min(max(both, a, c), b, d)
    return common, common


def _port_span(node: int, x: Sequence[float], widths: Sequence[float]) -> tuple[float, float]:
    half = max(widths[node] / 2 - MARGIN, 0.0)
    return x[node] - half, x[node] + half


def _ports(
    edges: Sequence[Pair],
    side: int,
    wanted: Sequence[float],
    order: Sequence[Key],
    x: Sequence[float],
    widths: Sequence[float],
    rooms: Sequence[Rooms],
) -> list[float]:
    """Return the columns of ports at one side of the nodes, in an order without crossings."""
    result = [0.0] * len(edges)
    by_node: dict[int, list[int]] = {}
    for k, edge in enumerate(edges):
        by_node.setdefault(edge[side], []).append(k)
    for node, mine in by_node.items():
        mine.sort(key=lambda k: (order[k], k))
        low, high = _port_span(node, x, widths)
        ports = spread([wanted[k] for k in mine], low, high, [rooms[k][side] for k in mine])
        for k, port in zip(mine, ports, strict=True):
            result[k] = port
    return result


def spread(
    wanted: Sequence[float], low: float, high: float, rooms: Sequence[float] = ()
) -> list[float]:
    """Place ports near their wanted positions, between two ends, in order and apart; `rooms` is the
    width of the mark to the right of each port."""
    gaps = [max(PORT_GAP, room) for room in rooms or [0.0] * len(wanted)][:-1]
    share = min(1.0, (high - low) / sum(gaps)) if gaps else 1.0
    gaps = [0.0, *(gap * share for gap in gaps)]
    bends: list[float] = []
    for port, gap in zip(wanted, gaps, strict=False):
        floor = bends[-1] + gap if bends else low
        bends.append(max(min(port, high), floor))
    ceiling = high
    for k in reversed(range(len(bends))):
        bends[k] = min(bends[k], ceiling)
        ceiling = bends[k] - gaps[k]
    return [round(port * 2) / 2 for port in bends]  # rounded, so that straight lines stay straight


# --- stretches and tracks ------------------------------------------------------------------------


def _stretches(
    rows: Rows, k: int, source: int, target: int, columns: Sequence[float]
) -> list[tuple[int, Stretch]]:
    """Return the parts of an edge by channel, from its source to its target."""
    first, last = rows.ranks[source], rows.ranks[target]
    pairs = list(zip(columns, columns[1:], strict=False))
    if last > first:
        return [(first + 1 + n, Stretch(k, a, b)) for n, (a, b) in enumerate(pairs)]
    stretches = [(first + 1, Stretch(k, *pairs[0], turn=1))]
    for n, (lower, upper) in enumerate(pairs[1:-1]):
        stretches.append((first - n, Stretch(k, upper, lower)))
    return [*stretches, (last, Stretch(k, *pairs[-1], turn=-1))]


def _give_tracks(channel: list[Stretch]) -> None:
    """Assign tracks: first turns at the row above, then through lines, then turns at the row below;
    overlapping ones in the order with the fewest crossings."""
    moving = [s for s in channel if not s.straight]
    upper = sorted((s for s in moving if s.turn == 1), key=_inner_first)
    lower = sorted((s for s in moving if s.turn == -1), key=_inner_first)
    level = _stacked(upper, 0)
    level = _stacked(_through([s for s in moving if s.turn == 0]), level)
    _stacked(lower[::-1], level)


def _inner_first(stretch: Stretch) -> tuple[float, ...]:
    return (stretch.high - stretch.low, stretch.low, stretch.edge)


def _through(group: Sequence[Stretch]) -> list[Stretch]:
    """Sort lines to the right, the rightmost highest, then lines to the left, mirrored; but a line
    to the left that begins where one to the right ends goes above it."""
    ends = {round(s.end) for s in group if s.end > s.start}

    def key(stretch: Stretch) -> tuple[float, ...]:
        if stretch.end > stretch.start:
            return (1.0, -stretch.start, stretch.edge)
        first = not ends.isdisjoint(round(stretch.start) + k for k in (-1, 0, 1))
        return (0.0 if first else 2.0, stretch.start, stretch.edge)

    return sorted(group, key=key)


def _stacked(group: Sequence[Stretch], first: int) -> int:
    """Put each stretch below earlier ones that it overlaps; return the first free track after
    all."""
    occupied: list[tuple[float, float, int]] = []
    after = first
    for stretch in group:
        low, high = stretch.low - 4, stretch.high + 4
        stretch.track = max(
            (track + 1 for a, b, track in occupied if a < high and low < b), default=first
        )
        occupied.append((low, high, stretch.track))
        after = max(after, stretch.track + 1)
    return after


def points_of(
    stretches: Sequence[tuple[int, Stretch]],
    tops: Sequence[float],
    start: float,
    end: float,
) -> Points:
    """Return the corners of a line; `tops` are those of channels, `start` and `end` its ends."""
    points: list[tuple[float, float]] = []
    upward = stretches[0][1].turn == 1
    points.append((stretches[0][1].start, start))
    for channel, stretch in stretches:
        if stretch.straight:
            continue
        y = tops[channel] + FIRST + TRACK * stretch.track
        a, b = stretch.start, stretch.end
        if upward and stretch.turn == 0:
            a, b = b, a
        points += [(a, y), (b, y)]
    points.append((stretches[-1][1].end, end))
    return _without_repeats(points)


def _without_repeats(points: Sequence[tuple[float, float]]) -> Points:
    result: list[tuple[float, float]] = []
    for point in points:
        if result and point == result[-1]:
            continue
        if len(result) > 1 and _in_line(result[-2], result[-1], point):
            result.pop()
        result.append(point)
    return tuple(result)


def _in_line(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (a[0] == b[0] == c[0]) or (a[1] == b[1] == c[1])
