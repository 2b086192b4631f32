"""Count owners of memory while IR is interpreted, which leaves the counting to Python.

Between its definition and its `decref` a variable that owns memory stands for one reference
(typing/analysis/ownership.py).  A phi takes over the reference that its predecessor has for it, and
who is returned to the one of what is returned.  So at a return nothing else may be left, and
nothing is used that has no reference any more.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.ownership import holds_memory, shares


class References:
    """The references of one call; `wrong` says what is not in order, first of all."""

    def __init__(self, unit: CompileUnit) -> None:
        self.types, self.resolutions, self.owned = unit.types, unit.resolutions, unit.owned
        self.fn = unit.fn
        self.held: Counter[str] = Counter()
        self.label = self.came_from = self.fn.entry.label
        self.labels = {id(op): label for label, b in self.fn.blocks.items() for op in b.ops}
        self.wrong = ""

    def before(self, op: Op) -> None:
        """Count what an op does, which is about to be run."""
        label = self.labels[id(op)]
        if op is self.fn.blocks[label].ops[0]:
            self.came_from, self.label = self.label, label
            self._take_over(label)
        match op:
            case nodes.Incref(value):
                self.held[value] += 1
            case nodes.Decref(value):
                self.held[value] -= 1
                if self.held[value] < 0:
                    self._say(op, f"{_named(value)} loses an owner that it has not")
            case nodes.Return(value):
                self._returned(op, value)
            case nodes.Phi() | nodes.Del():
                pass
            case _:
                self._used(op)
                self._define(op)

    def observe(self, op: Op, name: str, value: Any) -> None:  # Any: of the program
        """Values do not matter here."""

    def _take_over(self, label: int) -> None:
        """The phis of a block take the references that the predecessor has for them."""
        ops = self.fn.blocks[label].ops
        taken = [op for op in ops if isinstance(op, nodes.Phi) and op.result in self.owned]
        for op in taken:
            if self.came_from in op.labels:
                value = op.values[op.labels.index(self.came_from)]
                self.held[value] -= 1
                if self.held[value] < 0:
                    self._say(op, f"{_named(op.result)} takes over no reference")
        for op in taken:
            self._born(op, op.result, 1)

    def _used(self, op: Op) -> None:
        for name in uses(op):
            if name in self.owned and self.held[name] < 1:
                self._say(op, f"{_named(name)} is used when its last owner is gone")

    def _define(self, op: Op) -> None:
        for name in definitions(op):
            if name in self.owned and holds_memory(self.types[name]):
                self._born(op, name, 0 if shares(op, self.resolutions) else 1)

    def _born(self, op: Op, name: str, count: int) -> None:
        if self.held[name] > 0:
            self._say(op, f"memory of {_named(name)} is never given back")
        self.held[name] = count

    def _returned(self, op: Op, value: str) -> None:
        if holds_memory(self.types[value]):
            self.held[value] -= 1
        for name, count in self.held.items():
            if count > 0:
                self._say(op, f"memory of {_named(name)} is never given back")
            elif count < 0:
                self._say(op, f"{_named(name)} has fewer owners than are needed")

    def _say(self, op: Op, what: str) -> None:
        if not self.wrong:
            self.wrong = f"line {op.loc.line}: {what}" if op.loc.line else what


def _named(name: str) -> str:
    return "what is computed here" if is_temporary(name) else f"`{user_name(name)}`"
