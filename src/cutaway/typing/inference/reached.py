"""Tracks the blocks and edges of a function that an inference has reached."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.ir import nodes
from cutaway.ir.folding import is_simple
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import targets, walk_block
from cutaway.typing import types
from cutaway.typing.inference.folding import TypedConstants


class Reached:
    """The blocks and edges found to be executable so far; `ops` are all ops of the function in
    block order, and the methods take positions in it."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.labels: set[int] = set()
        self.edges: set[tuple[int, int]] = set()
        self.ops: list[Op] = []
        self._labels_of: list[int] = []  # the block of the op at each position
        self._ranges: dict[int, range] = {}
        self._ends: dict[int, int] = {}  # the positions of the blocks' terminators
        self._blocks_of_phis: dict[str, int] = {}
        for label, block in fn.blocks.items():
            self._add(label, block)

    def _add(self, label: int, block: Block) -> None:
        start = len(self.ops)
        self.ops += walk_block(block)
        self._ranges[label] = range(start, len(self.ops))
        self._labels_of += [label] * (len(self.ops) - start)
        self._ends[label] = len(self.ops) - 1
        for op in block.ops:
            if isinstance(op, nodes.Phi):
                self._blocks_of_phis[op.result] = label

    def has(self, position: int) -> bool:
        """True if the op at a position may be executed."""
        return self._labels_of[position] in self.labels

    def ends(self, position: int) -> bool:
        """True if the op at a position is the last of its block."""
        return self._ends[self._labels_of[position]] == position

    def by_edge(self, source: int, phi: nodes.Phi) -> bool:
        """True if the edge that leads from `source` to a phi is executable; always in a region."""
        label = self._blocks_of_phis.get(phi.result)
        return label is None or (source, label) in self.edges

    def enter(self) -> Iterator[int]:
        """Reach the first block; yield the positions of the ops to visit."""
        return self._enter(self.fn.entry.label)

    def leave(self, position: int, known: TypedConstants) -> Iterator[int]:
        """Reach the possible successors of the terminator at a position; yield the positions of
        the ops to visit."""
        label, op = self._labels_of[position], self.ops[position]
        for target in _taken(op, known):
            yield from self._follow(label, target)

    def leave_all(self) -> Iterator[int]:
        """Reach all successors of each reached block without a reached successor."""
        for label in self.fn.blocks:
            block = self.fn.blocks[label]
            left = any((label, target) in self.edges for target in targets(block.terminator))
            if label in self.labels and not left:
                for target in targets(block.terminator):
                    yield from self._follow(label, target)

    def _follow(self, source: int, target: int) -> Iterator[int]:
        if (source, target) in self.edges:
            return
        self.edges.add((source, target))
        if target not in self.labels:
            yield from self._enter(target)
            return
        for position in self._ranges[target]:  # the phis get another source
            if isinstance(self.ops[position], nodes.Phi):
                yield position

    def _enter(self, label: int) -> Iterator[int]:
        self.labels.add(label)
        yield from self._ranges[label]
        handler = self.fn.blocks[label].handler
        if handler is not None:
            yield from self._follow(label, handler)


def _taken(op: Op, known: TypedConstants) -> tuple[int, ...]:
    """Return the possible successors of a terminator."""
    if not isinstance(op, nodes.Branch) or known.types[op.cond] is types.undefined:
        return targets(op)
    value = known.value(op.cond)
    if not is_simple(value):  # MISSING, or an object whose `__bool__` may run user code
        return targets(op)
    return (op.then if value else op.orelse,)
