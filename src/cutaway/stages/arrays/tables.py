"""Tables of a function's variables for passes over arrays: computed once, and updated while ops
change, so that a pass takes linear time."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, makers_of, operands, regions, walk, walk_block
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.questions import constants_of


def with_inner(op: Op) -> list[Op]:
    """Return an op, and those in its regions."""
    inner = (one for region in regions(op) for block in region.blocks for one in walk_block(block))
    return [op, *inner]


class Tables:
    """The op that defines each variable, the ops that use it by their ids, and the constants.

    Definitions of removed variables stay: formulas name them.
    """

    def __init__(self, unit: CompileUnit) -> None:
        self.unit = unit
        self.makers = makers_of(unit.fn)
        self.constants = constants_of(unit.fn)
        self._users: dict[str, dict[int, Op]] = {}
        self._last_label = unit.fn.highest_label()
        self._add_users(walk(unit.fn))

    def users(self, name: str) -> list[Op]:
        """Return the ops that use a variable, each once."""
        return list(self._users.get(name, {}).values())

    def users_in_order(self, name: str) -> list[Op]:
        """Return the ops that use a variable in the order of the program."""
        order = {op.id: number for number, op in enumerate(walk(self.unit.fn))}
        return sorted(self.users(name), key=lambda op: order.get(op.id, len(order)))

    def renew(self, old: Iterable[Op], new: Iterable[Op]) -> None:
        """Update the tables for ops that replace others."""
        for op in old:
            for one in with_inner(op):
                for name in operands(one):
                    self._users.get(name, {}).pop(one.id, None)
        new = list(new)
        for op in new:
            self.makers.update((name, op) for name in definitions(op))
            self._add_users(with_inner(op))

    def new_label(self) -> int:
        """Return a label that no block of the function has, including those not yet added to it."""
        self._last_label += 1
        return self._last_label

    def resolve(self, ops: Iterable[Op]) -> None:
        """Resolve ops that the pass has made."""
        self.unit.resolve(ops, self.constants)

    def _add_users(self, ops: Iterable[Op]) -> None:
        for op in ops:
            for name in operands(op):
                self._users.setdefault(name, {})[op.id] = op
