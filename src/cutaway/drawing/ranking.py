"""Rank the nodes of a drawing in rows: cycles are cut, then sources go above targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cutaway.foundation.dataclass import dataclass

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The row of each node, and the edges that go back up (or to their own node)."""

    ranks: tuple[int, ...]
    back: frozenset[int]


def ranked(
    count: int, edges: Sequence[Pair], known: Iterable[int] = (), loops: bool = True
) -> Ranking:
    """Assign rows to nodes `0 .. count - 1`; `known` are known back edges.

    Every edge but the back edges leads down. With `loops`, the exits of a loop are below the whole
    loop if possible, so that a loop is one block of rows.
    """
    fixed = set(known)
    others = [k for k in range(len(edges)) if k not in fixed]
    back = {others[k] for k in _back_edges(count, [edges[k] for k in others])} | fixed
    down = [edge for k, edge in enumerate(edges) if k not in back]
    ranks = _longest_paths(count, down)
    assert ranks is not None, "a cycle is left without its back edge"
    if loops:
        ranks = _below_loops(count, edges, back, down) or ranks
        _at_the_end(ranks, edges, back)
    rows = tuple(_pulled_down(ranks, down))
    # A known back edge may lead down, from a part that is not reachable from the rest.
    upward = (k for k in back if rows[edges[k][0]] >= rows[edges[k][1]])
    return Ranking(rows, frozenset(upward))


def _back_edges(count: int, edges: Sequence[Pair]) -> set[int]:
    """Return the edges to a node on the stack of a depth-first walk, which starts at nodes without
    predecessors and follows edges in order."""
    outgoing = _outgoing(count, edges)
    entered = {target for source, target in edges if source != target}
    starts = [n for n in range(count) if n not in entered]
    result: set[int] = set()
    state = [0] * count  # 1: on the stack, 2: done
    for start in [0, *starts, *range(count)] if count else []:
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(outgoing[start]))]
        while stack:
            node, rest = stack[-1]
            for k in rest:
                target = edges[k][1]
                if state[target] == 1:
                    result.add(k)
                elif state[target] == 0:
                    state[target] = 1
                    stack.append((target, iter(outgoing[target])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return result


def _outgoing(count: int, edges: Sequence[Pair]) -> list[list[int]]:
    outgoing: list[list[int]] = [[] for _ in range(count)]
    for k, (source, _) in enumerate(edges):
        outgoing[source].append(k)
    return outgoing


def _below_loops(
    count: int, edges: Sequence[Pair], back: set[int], down: Sequence[Pair]
) -> list[int] | None:
    """Rank the exits of loops below the loops' ends; if loops have several entries, for as many as
    possible. None without loops."""
    loops = _loop_exits(count, edges, back)
    pairs = [pair for loop in loops for pair in loop]
    if not pairs:
        return None
    if ranks := _longest_paths(count, [*down, *pairs]):
        return ranks
    kept: list[Pair] = []
    for loop in loops[:_MOST_LOOPS]:
        if longest := _longest_paths(count, [*down, *kept, *loop]):
            ranks = longest
            kept += loop
    return ranks


_MOST_LOOPS = 50  # tried one by one


def _loop_exits(count: int, edges: Sequence[Pair], back: set[int]) -> list[list[Pair]]:
    """For each loop, the pairs of nodes that keep its exits below its ends.

    A block that ends the function stays beside its predecessor, if it has one in the loop.
    """
    incoming: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        incoming[target].append(source)
    outgoing = _outgoing(count, edges)
    latches: dict[int, list[int]] = {}
    for k in sorted(back):
        source, header = edges[k]
        if source != header:
            latches.setdefault(header, []).append(source)
    loops: list[list[Pair]] = []
    for header, ends in latches.items():
        body = _body(header, ends, incoming)
        left = {edges[k][1] for n in body for k in outgoing[n]} - body
        after = [
            n for n in sorted(left) if outgoing[n] or incoming[n] == [header] or incoming[n][1:]
        ]
        loops.append([(end, out) for end in ends for out in after])
    return loops


def _body(header: int, ends: Iterable[int], incoming: Sequence[Sequence[int]]) -> set[int]:
    body = {header}
    waiting = list(ends)
    while waiting:
        node = waiting.pop()
        if node not in body:
            body.add(node)
            waiting += incoming[node]
    return body


def _at_the_end(ranks: list[int], edges: Sequence[Pair], back: set[int]) -> None:
    """Move nodes with only back edges down to the loop's last row with a back edge, so that all
    back edges start below the loop."""
    onward = {source for k, (source, _) in enumerate(edges) if k not in back}
    lowest: dict[int, int] = {}
    for k in back:
        source, header = edges[k]
        lowest[header] = max(lowest.get(header, 0), ranks[source])
    for k in sorted(back):
        source, header = edges[k]
        if source not in onward:
            ranks[source] = max(ranks[source], lowest[header])


def _longest_paths(count: int, edges: Sequence[Pair]) -> list[int] | None:
    """Return the length of the longest path to each node; None if there is a cycle."""
    targets: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        targets[source].append(target)
        missing[target] += 1
    ready = [n for n in range(count) if not missing[n]]
    ranks = [0] * count
    for node in ready:  # grows during the loop
        for target in targets[node]:
            ranks[target] = max(ranks[target], ranks[node] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    return ranks if len(ready) == count else None


def _pulled_down(ranks: list[int], edges: Sequence[Pair]) -> list[int]:
    """Move nodes without predecessors down to their successors."""
    entered = {target for _, target in edges}
    nearest: dict[int, int] = {}
    for source, target in edges:
        nearest[source] = min(nearest.get(source, ranks[target]), ranks[target])
    return [
        nearest[n] - 1 if n not in entered and n in nearest else rank
        for n, rank in enumerate(ranks)
    ]
