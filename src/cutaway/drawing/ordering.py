"""Order the items of each row of a drawing so that few lines cross.

A drawing's rows hold *items*: the nodes, and a bend for every row that an edge passes through. An
edge that goes back up has bends from its target's row down to its source's; the bends at both ends
are *turns*, tied to the node in the same row.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from cutaway.drawing.ranking import Pair, Ranking
from cutaway.foundation.dataclass import dataclass, field

_ROUNDS = 12  # of sweeps up and down; more do not help


@dataclass(slots=True)
class Rows:
    """The items of a drawing, by number; nodes come first.

    `above` and `below` are the neighbors in the next rows, `turns` the node that a bend turns
    to, `paths` the bends of each edge from its source to its target.
    """

    nodes: int
    ranks: list[int]
    above: list[list[int]]
    below: list[list[int]]
    turns: dict[int, list[int]]
    paths: list[tuple[int, ...]]
    order: list[list[int]] = field(default_factory=list)

    def position(self) -> list[int]:
        """Return the position of each item in its row."""
        result = [0] * len(self.ranks)
        for row in self.order:
            for place, item in enumerate(row):
                result[item] = place
        return result


def rows_of(edges: Sequence[Pair], ranking: Ranking) -> Rows:
    """Make the items of a graph, in an order with few crossings."""
    count = len(ranking.ranks)
    rows = Rows(
        count, list(ranking.ranks), [[] for _ in range(count)], [[] for _ in range(count)], {}, []
    )
    for k, (source, target) in enumerate(edges):
        rows.paths.append(_bent(rows, source, target, k in ranking.back))
    rows.order = _first_order(rows, edges, ranking)
    _improve(rows)
    _nest(rows, edges, ranking)
    return rows


def _bent(rows: Rows, source: int, target: int, back: bool) -> tuple[int, ...]:
    """Make the bends of an edge."""
    first, last = rows.ranks[source], rows.ranks[target]
    if not back:
        bends = [_bend(rows, rank) for rank in range(first + 1, last)]
        _chain(rows, [source, *bends, target])
        return tuple(bends)
    bends = [_bend(rows, rank) for rank in range(last, first + 1)]
    _chain(rows, bends)
    rows.turns.setdefault(bends[0], []).append(target)
    rows.turns.setdefault(bends[-1], []).append(source)
    return tuple(reversed(bends))


def _bend(rows: Rows, rank: int) -> int:
    rows.ranks.append(rank)
    rows.above.append([])
    rows.below.append([])
    return len(rows.ranks) - 1


def _chain(rows: Rows, items: Sequence[int]) -> None:
    for upper, lower in zip(items, items[1:], strict=False):
        rows.below[upper].append(lower)
        rows.above[lower].append(upper)


# --- the first order -----------------------------------------------------------------------------


def _first_order(rows: Rows, edges: Sequence[Pair], ranking: Ranking) -> list[list[int]]:
    """Order items by a walk along the edges: earlier edges go left, and a loop's back edge left of
    the loop."""
    order: list[list[int]] = [[] for _ in range(max(ranking.ranks, default=-1) + 1)]
    returning: dict[int, list[int]] = {}
    # Edges back from lower rows go outside.
    for k in sorted(ranking.back, key=lambda k: (ranking.ranks[edges[k][0]], k), reverse=True):
        returning.setdefault(edges[k][1], []).extend(rows.paths[k])
    seen = [False] * len(rows.ranks)

    def place(item: int) -> None:
        if not seen[item]:
            seen[item] = True
            order[rows.ranks[item]].append(item)

    starts = [n for n in range(rows.nodes) if not rows.above[n]]
    stack = list(reversed([*starts, *range(rows.nodes)]))
    while stack:
        item = stack.pop()
        if seen[item]:
            continue
        for bend in returning.get(item, ()):
            place(bend)
        place(item)
        stack += reversed(rows.below[item])
    return order


# --- fewer crossings -----------------------------------------------------------------------------


def _improve(rows: Rows) -> None:
    best, least = [list(row) for row in rows.order], _crossings(rows)
    for round_number in range(_ROUNDS):
        if least == 0:
            break
        _sweep(rows, downward=round_number % 2 == 0)
        count = _crossings(rows)
        if count < least:
            best, least = [list(row) for row in rows.order], count
    rows.order = best
    _swap_neighbors(rows)


def _sweep(rows: Rows, downward: bool) -> None:
    """Sort each row by the mean positions of the items' neighbors in the previous row."""
    position = rows.position()
    neighbors = rows.above if downward else rows.below
    for row in rows.order if downward else reversed(rows.order):
        wanted = {item: _wanted(item, neighbors, position) for item in row}
        for item in row:
            if item in rows.turns and not neighbors[item]:
                wanted[item] = min(wanted[node] for node in rows.turns[item]) - 0.25
        row.sort(key=wanted.__getitem__)
        for place, item in enumerate(row):
            position[item] = place


def _wanted(item: int, neighbors: Sequence[Sequence[int]], position: Sequence[int]) -> float:
    near = neighbors[item]
    if not near:
        return float(position[item])
    return sum(position[other] for other in near) / len(near)


def _crossings(rows: Rows) -> int:
    """Count the crossings."""
    position = rows.position()
    total = 0
    for row in rows.order:
        seen: list[int] = []
        for item in row:
            below = sorted(position[other] for other in rows.below[item])
            total += sum(len(seen) - bisect_left(seen, place + 1) for place in below)
            for place in below:
                insort(seen, place)
    return total + sum(_turning(rows, bend, position) for bend in rows.turns)


def _turning(rows: Rows, bend: int, position: Sequence[int]) -> int:
    """Count the lines that a turn crosses: those between it and its node."""
    row = rows.order[rows.ranks[bend]]
    here, total = position[bend], 0
    for node in rows.turns[bend]:
        between = row[min(here, position[node]) + 1 : max(here, position[node])]
        # The upper end of a back edge turns above its row, the lower end below it.
        upper = bool(rows.below[bend]) or not rows.above[bend]
        total += sum(len((rows.above if upper else rows.below)[item]) for item in between)
    return total


def _swap_neighbors(rows: Rows) -> None:
    """Swap neighbors in a row while that removes crossings."""
    position = rows.position()
    for _ in range(4):
        swapped = False
        for row in rows.order:
            for k in range(len(row) - 1):
                left, right = row[k], row[k + 1]
                if left in rows.turns or right in rows.turns:
                    continue
                if _gain(rows, left, right, position) > 0:
                    row[k], row[k + 1] = right, left
                    position[left], position[right] = k + 1, k
                    swapped = True
        if not swapped:
            return


def _gain(rows: Rows, left: int, right: int, position: Sequence[int]) -> int:
    gain = 0
    for side in (rows.above, rows.below):
        for a in side[left]:
            for b in side[right]:
                gain += (position[a] > position[b]) - (position[a] < position[b])
    return gain


def _nest(rows: Rows, edges: Sequence[Pair], ranking: Ranking) -> None:
    """Assign columns to back edges from one row to one node so that they do not cross: those from
    the right go outside."""
    position = rows.position()
    ways: dict[tuple[int, int], list[int]] = {}
    for k in sorted(ranking.back):
        source, target = edges[k]
        first = rows.paths[k][0]
        if position[first] < position[source] and source != target:
            ways.setdefault((target, rows.ranks[source]), []).append(k)
    for mine in ways.values():
        paths = sorted((rows.paths[k] for k in mine), key=lambda path: position[path[0]])
        mine.sort(key=lambda k: (-position[edges[k][0]], k))
        for k, path in zip(mine, paths, strict=True):
            rows.paths[k] = path
            rows.turns[path[0]] = [edges[k][0]]
