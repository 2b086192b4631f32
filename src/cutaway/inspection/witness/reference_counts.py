"""Count owners of memory in interpreted IR, whose own counting is left to Python.

Between its definition and its `decref` a variable that owns memory stands for one reference
(typing/analysis/ownership.py). A phi takes over the reference of its operand from the predecessor,
and the caller takes over that of the returned value. So at a return no other reference may be left,
and no variable may be used without a reference. Carried variables of a region are taken over as by
a phi: after its `yield` no reference of the iteration may be left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import bound_names, definitions, regions, uses, yields
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.ownership import holds_memory, shares


class References:
    """The references of one call; `wrong` describes the first fault."""

    def __init__(self, unit: CompileUnit) -> None:
        self.types, self.resolutions, self.owned = unit.types, unit.resolutions, unit.owned
        self.fn = unit.fn
        self.held: Counter[str] = Counter()
        self.label = self.came_from = self.fn.entry.label
        self.labels: dict[int, int] = {}
        self.blocks: dict[int, Sequence[Op]] = {}
        self.runs: dict[int, Region] = {}  # by the identity of an iteration's first and last ops
        self._enter(self.fn.blocks.values())
        self.wrong = ""

    def _enter(self, blocks: Iterable[Block | FrozenBlock]) -> None:
        """Index blocks, and those in the regions of their ops."""
        for block in blocks:
            self.blocks[block.label] = block.ops
            for op in block.ops:
                self.labels[id(op)] = block.label
                for region in regions(op):
                    ends = (id(end) for end in yields(region))
                    self.runs.update(dict.fromkeys((id(region.blocks[0].ops[0]), *ends), region))
                    self._enter(region.blocks)

    def before(self, op: Op) -> None:
        """Count the references that the next op takes or drops."""
        label = self.labels[id(op)]
        self.came_from, self.label = self.label, label
        if op is self.blocks[label][0]:
            self._take_over(label)
            run = self.runs.get(id(op))
            if run is not None and label == run.blocks[0].label:
                for name in run.carried:
                    self._carry(op, name)
        match op:
            case nodes.Incref(value):
                self.held[value] += 1
            case nodes.Decref(value):
                self.held[value] -= 1
                if self.held[value] < 0:
                    self._say(op, f"{_named(value)} loses an owner that it does not have")
            case nodes.Return(value):
                self._returned(op, value)
            case nodes.Suspend(_, value):  # its consumer owns it
                self._used(op)
                if holds_memory(self.types[value]):
                    self.held[value] -= 1
                self._define(op)
            case nodes.Yield(values):
                self._end_run(op, self.runs[id(op)], values)
            case nodes.Phi() | nodes.Del():
                pass
            case _:
                self._used(op)
                for region in regions(op):
                    self._give(op, region, region.initial)
                self._define(op)

    def observe(self, op: Op, name: str, value: Any) -> None:
        """Ignore the value of a variable."""

    def _take_over(self, label: int) -> None:
        """Move the predecessor's references to the phis of a block."""
        ops = self.blocks[label]
        taken = [op for op in ops if isinstance(op, nodes.Phi) and op.result in self.owned]
        for op in taken:
            if self.came_from in op.labels:
                value = op.values[op.labels.index(self.came_from)]
                self.held[value] -= 1
                if self.held[value] < 0:
                    self._say(op, f"{_named(op.result)} takes over no reference")
        for op in taken:
            self._born(op, op.result, 1)

    def _carry(self, op: Op, name: str) -> None:
        """Begin an iteration with a reference for a carried variable."""
        if name in self.owned:
            self._born(op, name, 1)

    def _give(self, op: Op, region: Region, values: Iterable[str]) -> None:
        """Move references to the next iteration of a region, or to the op's results."""
        for name, value in zip(region.carried, values, strict=True):
            if name in self.owned:
                self.held[value] -= 1
                if value in self.owned and self.held[value] < 0:
                    self._say(op, f"{_named(name)} takes over no reference")

    def _end_run(self, op: Op, region: Region, values: Iterable[str]) -> None:
        self._give(op, region, values)
        inside = {name for block in region.blocks for one in block.ops for name in bound_names(one)}
        for name in sorted(inside.union(region.carried) & self.owned):
            if self.held[name] > 0:
                self._say(op, f"the memory of {_named(name)} is never freed")

    def _used(self, op: Op) -> None:
        for name in uses(op):
            if name in self.owned and self.held[name] < 1:
                self._say(op, f"{_named(name)} is used after its last owner is gone")

    def _define(self, op: Op) -> None:
        for name in definitions(op):
            if name in self.owned and holds_memory(self.types[name]):
                self._born(op, name, 0 if shares(op, self.resolutions) else 1)

    def _born(self, op: Op, name: str, count: int) -> None:
        if self.held[name] > 0:
            self._say(op, f"the memory of {_named(name)} is never freed")
        self.held[name] = count

    def _returned(self, op: Op, value: str) -> None:
        if holds_memory(self.types[value]):
            self.held[value] -= 1
        for name, count in self.held.items():
            if count > 0:
                self._say(op, f"the memory of {_named(name)} is never freed")
            elif count < 0:
                self._say(op, f"{_named(name)} has fewer owners than are needed")

    def _say(self, op: Op, what: str) -> None:
        if not self.wrong:
            self.wrong = f"line {op.loc.line}: {what}" if op.loc.line else what


def _named(name: str) -> str:
    return "the value computed here" if is_temporary(name) else f"`{user_name(name)}`"
