"""Streams of random numbers that belong to the iterations of a parallel loop.

    parfor static, from (0) to (n) by (1), () = reduce()
        body(i):
        label 1:
            own streams for (i)
            x = call normal()

After `own streams`, an iteration draws from a stream of its own instead of a shared source: Philox,
with a key that is drawn from the source when the loop begins, and the values of the loop's
variables as the upper words of the counter (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as
easy as 1, 2, 3, 2011).  `runtime/random_streams.c` implements the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import Region
from cutaway.ir.traversal import captured, targets

WORDS = 3  # of the counter, for the values of the loop's variables
WORD = 2**64 - 1


def has_streams(region: Region) -> bool:
    """True if the iterations of a region have streams of their own."""
    return any(isinstance(op, nodes.OwnStreams) for block in region.blocks for op in block.ops)


def with_streams(region: Region, make: Callable[[type[Op], Any], Op], label: int) -> Region:
    """Return a region whose iterations begin with own streams.  `make` builds an op of a class with
    these operands; `label` is that of a new block, needed if the first one is in a loop."""
    op = make(nodes.OwnStreams, region.indices)
    first, *rest = (Block(block.label, list(block.ops)) for block in region.blocks)
    if any(first.label in targets(block.terminator) for block in region.blocks):
        blocks = [Block(label, [op, make(nodes.Jump, first.label)]), first, *rest]
    else:
        blocks = [Block(first.label, [op, *first.ops]), *rest]
    return Region.of(blocks, region.indices, region.carried, region.initial)


# --- the interpreter ------------------------------------------------------------------------------


class Streams:
    """The streams of one run of a loop: `sources` are those that its iterations share."""

    def __init__(self, run: Any, op: nodes.Parfor) -> None:
        values = [one for name in captured(op) for one in _items(run.values.get(name))]
        values += [
            getattr(one.value, "__self__", None)
            for block in op.body.blocks
            for one in block.ops
            if isinstance(one, nodes.Const | nodes.Global | nodes.FreeVar)
        ]
        self.sources = {id(one): one for one in values if is_source(one)}
        self.keys = {number: _key(one) for number, one in self.sources.items()}
        self.begun: dict[int, Any] = {}
        self.place: tuple[int, ...] = ()

    def begin(self, indices: Sequence[int]) -> None:
        """Begin the iteration of these values of the loop's variables."""
        self.begun.clear()
        self.place = place_of(indices)

    def method(self, function: Any) -> Any:
        """Return the method of the iteration's own stream that replaces one of a shared source."""
        source = getattr(function, "__self__", None)
        key = self.keys.get(id(source))
        if key is None:
            return function
        if id(source) not in self.begun:
            self.begun[id(source)] = type(source)(philox(key, self.place))
        own = self.begun[id(source)]
        return getattr(own, function.__name__)


def philox(key: Sequence[int], place: Sequence[int] = (0, 0, 0)) -> Any:
    """NumPy's generator of a stream, from the two words of its key and the upper ones of its
    counter.

    It takes words as an array: in a list, small and large ones together would become floats.
    """
    random: Any = sys.modules["numpy.random"]
    counter = np.array([0, *place], np.uint64)
    return random.Philox(key=np.array(key, np.uint64), counter=counter)


def is_source(value: Any) -> bool:
    """True for a Generator and a RandomState."""
    random: Any = sys.modules.get("numpy.random")
    return random is not None and isinstance(value, random.Generator | random.RandomState)


def _items(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [item for one in value for item in _items(one)]
    return [value]


def _key(source: Any) -> list[int]:
    """Draw two words from a source."""
    draw = source.integers if hasattr(source, "integers") else source.randint
    return [int(draw(0, 2**64, dtype="uint64")) for _ in range(2)]


def place_of(indices: Sequence[int]) -> tuple[int, ...]:
    """Return the upper words of a counter; more than three variables share the last one."""
    words = [index & WORD for index in indices[:WORDS]]
    for index in indices[WORDS:]:
        words[-1] = (words[-1] * MIXING + index) & WORD
    return tuple(words + [0] * (WORDS - len(words)))


MIXING = 0x9E3779B97F4A7C15  # odd: for a single variable, different values stay different


def _own_streams(run: Any, op: nodes.OwnStreams) -> None:
    if run.streams is not None:
        run.streams.begin([int(run.value(name)) for name in op.indices])


EXECUTED = {nodes.OwnStreams: _own_streams}
