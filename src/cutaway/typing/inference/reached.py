"""The blocks of a function that an inference has reached, and on which edges."""

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
    """The blocks and edges that may be executed, as far as is known; `ops` are all ops of the
    function in block order, which are meant by their positions."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.labels: set[int] = set()
        self.edges: set[tuple[int, int]] = set()
        self.ops: list[Op] = []
        self._labels_of: list[int] = []  # of the block in which the op at a position is
        self._ranges: dict[int, range] = {}
        self._ends: dict[int, int] = {}  # the positions of what ends blocks, which may go on
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
        """True if the edge may be taken on which a phi gets a value; in a region all are."""
        label = self._blocks_of_phis.get(phi.result)
        return label is None or (source, label) in self.edges

    def enter(self) -> Iterator[int]:
        """Reach the first block; the positions of the ops to visit."""
        return self._enter(self.fn.entry.label)

    def leave(self, position: int, known: TypedConstants) -> Iterator[int]:
        """Reach the blocks to which the op at the end of a block may go; the positions of the ops
        to visit."""
        label, op = self._labels_of[position], self.ops[position]
        for target in _taken(op, known):
            yield from self._follow(label, target)

    def leave_all(self) -> Iterator[int]:
        """Reach all blocks behind one of the blocks that have been reached and not been left."""
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
        for position in self._ranges[target]:  # another value may arrive
            if isinstance(self.ops[position], nodes.Phi):
                yield position

    def _enter(self, label: int) -> Iterator[int]:
        self.labels.add(label)
        yield from self._ranges[label]
        handler = self.fn.blocks[label].handler
        if handler is not None:
            yield from self._follow(label, handler)


def _taken(op: Op, known: TypedConstants) -> tuple[int, ...]:
    """The labels to which an op at the end of a block may go."""
    if not isinstance(op, nodes.Branch) or known.types[op.cond] is types.undefined:
        return targets(op)
    value = known.value(op.cond)
    if not is_simple(value):  # MISSING, or an object whose truth is the program's own business
        return targets(op)
    return (op.then if value else op.orelse,)
