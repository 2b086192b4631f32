"""The frame of a generator: where it suspends, and the variables that it keeps meanwhile.

    label 3:
        i, ok = iternext($0.1)
        branch ok, 5, 12
    label 5:
        $5.1 = i * k                      suspends at `$5.2`, and keeps $0.1 and k
        $5.2 = suspend($5.1)
        jump 3

The kept variables across a `yield` are those live after it, except its own result.
"""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import definitions, may_raise, targets, uses

BEGIN, END = -1, -2  # in place of ops: the call of the generator, and its end


@dataclass(frozen=True, slots=True)
class Suspension:
    """A point where a generator suspends, and the variables that it keeps, sorted."""

    op: Op
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A path between suspension points, by ids of ops, BEGIN or END; exceptional if it `raises`."""

    source: int
    target: int
    raises: bool = False


def suspensions(fn: Function) -> tuple[Suspension, ...]:
    """Return the suspension points of a generator, in the order of its blocks."""
    live = liveness(fn)
    points: list[Suspension] = []
    for label in graph_of(fn).reverse_postorder():
        block = fn.blocks[label]
        needed = set(live.out[label])
        here: list[Suspension] = []
        for op in reversed(block.ops):
            needed.difference_update(definitions(op))
            if isinstance(op, nodes.Suspend | nodes.Delegate):
                kept = needed | (live.into[block.handler] if block.handler is not None else set())
                here.append(Suspension(op, tuple(sorted(kept))))
            if not isinstance(op, nodes.Phi):
                needed.update(uses(op))
        points += reversed(here)
    return tuple(points)


def ways(fn: Function) -> tuple[Way, ...]:
    """Return the paths from each suspension point of a generator to the next, each once."""
    paths = dict.fromkeys(_ways_from(fn, fn.entry, 0, BEGIN))
    for label in graph_of(fn).reverse_postorder():
        block = fn.blocks[label]
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Suspend | nodes.Delegate):
                paths.update(dict.fromkeys(_ways_from(fn, block, position + 1, op.id)))
                if block.handler is not None:  # of a thrown exception
                    thrown = _ways_from(fn, fn.blocks[block.handler], 0, op.id, True)
                    paths.update(dict.fromkeys(thrown))
    plain = {(way.source, way.target) for way in paths if not way.raises}
    return tuple(way for way in paths if not way.raises or (way.source, way.target) not in plain)


def _ways_from(
    fn: Function, block: Block, position: int, source: int, raises: bool = False
) -> list[Way]:
    found: list[Way] = []
    waiting = [(block.label, position, raises)]
    seen: set[tuple[int, int, bool]] = set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        label, first, cold = here
        block = fn.blocks[label]
        rest = block.ops[first:]
        wait = next((op for op in rest if isinstance(op, nodes.Suspend | nodes.Delegate)), None)
        done = rest if wait is None else rest[: rest.index(wait)]
        if block.handler is not None and any(map(may_raise, done)):
            waiting.append((block.handler, 0, True))
        if wait is not None:
            found.append(Way(source, wait.id, cold))
        elif isinstance(block.terminator, nodes.Return):
            found.append(Way(source, END, cold))
        else:
            waiting += [(target, 0, cold) for target in targets(block.terminator)]
    return found
