"""Compute the horizontal positions of a drawing: Brandes and Köpf, "Fast and Simple Horizontal
Coordinate Assignment" (2001).

Items are aligned with a median neighbor, in four ways (from above and from below, leaning left and
right); each yields positions without overlap, and their mean is taken. The bends of an edge are
aligned first, so that long edges are straight.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.drawing.ordering import Rows

Places = list[float]
_JOG = 8.0  # the smallest sidestep of a line


def placed(rows: Rows, widths: Sequence[float], gaps: Sequence[float]) -> Places:
    """Return the center of each item; neighbors in a row are the mean of their `gaps` apart."""
    crossed = _crossed(rows)
    ways: list[Places] = []
    for downward in (True, False):
        for leftward in (True, False):
            order = [row if leftward else row[::-1] for row in rows.order]
            order = order if downward else order[::-1]
            neighbors = rows.above if downward else rows.below
            roots, align = _aligned(order, neighbors, crossed)
            places = _packed(order, roots, align, widths, gaps)
            ways.append(places if leftward else [-x for x in places])
    x = _apart(rows, _balanced(ways, widths), widths, gaps)
    _shorten(rows, x, widths, gaps)
    return x


def _crossed(rows: Rows) -> set[tuple[int, int]]:
    """Return the lines at nodes that cross a line between two bends (type 1) and so yield."""
    position = rows.position()
    result: set[tuple[int, int]] = set()
    for row in rows.order[1:]:
        inner = [
            (position[item], position[rows.above[item][0]])
            for item in row
            if item >= rows.nodes and rows.above[item] and rows.above[item][0] >= rows.nodes
        ]
        for item in row:
            for other in rows.above[item]:
                if item >= rows.nodes and other >= rows.nodes:
                    continue
                below, above = position[item], position[other]
                if any((below - b) * (above - a) < 0 for b, a in inner):
                    result.add((other, item))
                    result.add((item, other))
    return result


def _aligned(
    order: Sequence[Sequence[int]],
    neighbors: Sequence[Sequence[int]],
    crossed: set[tuple[int, int]],
) -> tuple[list[int], list[int]]:
    """Compute blocks of vertically aligned items: the first item of each item's block, and the next
    one in it (cyclic)."""
    count = len(neighbors)
    position = [0] * count
    for row in order:
        for place, item in enumerate(row):
            position[item] = place
    roots, align = list(range(count)), list(range(count))
    for row in order:
        last = -1
        for item in row:
            near = sorted(neighbors[item], key=position.__getitem__)
            if not near:
                continue
            for k in sorted({(len(near) - 1) // 2, len(near) // 2}):
                other = near[k]
                if align[item] != item or last >= position[other] or (other, item) in crossed:
                    continue
                align[other] = item
                roots[item] = roots[other]
                align[item] = roots[item]
                last = position[other]
    return roots, align


def _packed(
    order: Sequence[Sequence[int]],
    roots: Sequence[int],
    align: Sequence[int],
    widths: Sequence[float],
    gaps: Sequence[float],
) -> Places:
    """Pack the blocks to the left, then shift each right by the remaining slack."""
    after: dict[int, dict[int, float]] = {root: {} for root in roots}
    missing: dict[int, int] = dict.fromkeys(after, 0)
    for row in order:
        for left, right in zip(row, row[1:], strict=False):
            a, b = roots[left], roots[right]
            room = _room(left, right, widths, gaps)
            if b not in after[a]:
                missing[b] += 1
            after[a][b] = max(after[a].get(b, 0.0), room)
    ready = [root for root in after if not missing[root]]
    x = dict.fromkeys(after, 0.0)
    for root in ready:  # grows during the loop
        for other, room in after[root].items():
            x[other] = max(x[other], x[root] + room)
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    for root in reversed(ready):
        if after[root]:
            x[root] = max(x[root], min(x[other] - room for other, room in after[root].items()))
    return [x[root] for root in roots]


def _room(left: int, right: int, widths: Sequence[float], gaps: Sequence[float]) -> float:
    return (widths[left] + widths[right]) / 2 + (gaps[left] + gaps[right]) / 2


def _balanced(ways: Sequence[Places], widths: Sequence[float]) -> Places:
    """Return the mean of an item's two median positions, with all ways shifted to the narrowest."""
    spans = [_span(way, widths) for way in ways]
    narrow = min(range(4), key=lambda k: (spans[k][1] - spans[k][0], k))
    shifted = []
    for k, way in enumerate(ways):
        leftward = k % 2 == 0
        shift = spans[narrow][0] - spans[k][0] if leftward else spans[narrow][1] - spans[k][1]
        shifted.append([x + shift for x in way])
    return [sum(sorted(four)[1:3]) / 2 for four in zip(*shifted, strict=True)]


def _span(way: Places, widths: Sequence[float]) -> tuple[float, float]:
    left = min((x - w / 2 for x, w in zip(way, widths, strict=True)), default=0.0)
    return left, max((x + w / 2 for x, w in zip(way, widths, strict=True)), default=0.0)


def _apart(rows: Rows, x: Places, widths: Sequence[float], gaps: Sequence[float]) -> Places:
    """Shift positions to whole numbers from 0, and keep the items of a row apart."""
    left = _span(x, widths)[0]
    x = [float(round(place - left)) for place in x]
    for row in rows.order:
        for a, b in zip(row, row[1:], strict=False):
            x[b] = max(x[b], x[a] + _room(a, b, widths, gaps))
    return x


def _shorten(rows: Rows, x: Places, widths: Sequence[float], gaps: Sequence[float]) -> None:
    """Move straight runs of bends between the ends of their edges, as far as there is space.

    Alignment uses all available space, so a line may be far from the items that it passes.
    """
    position = rows.position()
    runs = _runs(rows, x)
    for _ in range(2):
        for run in runs:
            near = [x[n] for n in (*rows.above[run[0]], *rows.below[run[-1]])]
            near += [x[node] for bend in (run[0], run[-1]) for node in rows.turns.get(bend, ())]
            wanted = min(max(x[run[0]], min(near)), max(near))
            bends = (x[n] for n in (*rows.above[run[0]], *rows.below[run[-1]]) if n >= rows.nodes)
            wanted = next((bend for bend in bends if abs(bend - wanted) < _JOG), wanted)
            place = _within(rows, run, wanted, position, x, widths, gaps)
            for bend in run:
                x[bend] = place


def _runs(rows: Rows, x: Places) -> list[list[int]]:
    """Group the vertically aligned bends of each edge, from above; shorter edges first."""
    runs: list[list[int]] = []
    for path in sorted(rows.paths, key=len):
        downward = sorted(path, key=rows.ranks.__getitem__)
        start = len(runs)
        for bend in downward:
            if len(runs) > start and x[runs[-1][-1]] == x[bend]:
                runs[-1].append(bend)
            else:
                runs.append([bend])
    return runs


def _within(
    rows: Rows,
    run: Sequence[int],
    wanted: float,
    position: Sequence[int],
    x: Places,
    widths: Sequence[float],
    gaps: Sequence[float],
) -> float:
    """Return the position nearest to the wanted one that a run can reach without overlap."""
    for bend in run:
        row, place = rows.order[rows.ranks[bend]], position[bend]
        if place:
            left = row[place - 1]
            wanted = max(wanted, min(x[bend], x[left] + _room(left, bend, widths, gaps)))
        if place + 1 < len(row):
            right = row[place + 1]
            wanted = min(wanted, max(x[bend], x[right] - _room(bend, right, widths, gaps)))
    return wanted
