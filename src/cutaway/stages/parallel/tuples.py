"""Tuples that a loop carries, as variables of their own.

s = phi(before: s0, body: s.1)          s0.0 = s0[0]
x = s[0]                        ->      s.0 = phi(before: s0.0, body: y)
s.1 = (y, z)                            x = s.0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cutaway.ir import nodes
from cutaway.ir.editing import Editor
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import definitions, uses
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.types import Tuple


def split_tuples(
    unit: CompileUnit, editor: Editor, header: Block, inside: Sequence[int], before: int
) -> dict[str, tuple[str, ...]]:
    """Split the tuples that a loop carries and of which it only uses items; return the variables of
    their items by their names at the loop's header."""
    split: dict[str, tuple[str, ...]] = {}
    for phi in [op for op in header.ops if isinstance(op, nodes.Phi)]:
        ty = unit.types[phi.result]
        if isinstance(ty, Tuple) and ty.items and not holds_memory(ty):
            one = _Split(unit, editor, phi, header, inside, before)
            if one.is_possible():
                split[phi.result] = one.perform()
    return split


def drop_unused(editor: Editor, blocks: Sequence[Block]) -> None:
    """Remove tuples that are only unpacked into known variables, which `a, b, c, d = a + 1, b + 2,
    c + 3, d + 4` leaves behind."""
    ops = [op for block in blocks for op in block.ops]
    used = Counter(name for op in ops for name in uses(op))
    sizes = {op.result: len(op.items) for op in ops if isinstance(op, nodes.BuildTuple)}
    unpacked = {
        op.value: op.result
        for op in ops
        if isinstance(op, nodes.Unpack) and sizes.get(op.value) == op.count
    }
    gone = {
        name
        for value, result in unpacked.items()
        if used[value] == 1 and not used[result]
        for name in (value, result)
    }
    for block in blocks if gone else ():
        editor.set_ops(block, [op for op in block.ops if gone.isdisjoint(definitions(op))])


class _Split:
    """One tuple of a loop."""

    def __init__(
        self,
        unit: CompileUnit,
        editor: Editor,
        phi: nodes.Phi,
        header: Block,
        inside: Sequence[int],
        before: int,
    ) -> None:
        self.unit, self.editor, self.phi, self.header, self.before = (
            *(unit, editor, phi, header, before),
        )
        ty = unit.types[phi.result]
        assert isinstance(ty, Tuple)
        self.items = ty.items
        self.blocks = [header, *(unit.fn.blocks[label] for label in inside)]
        self.ops = [op for block in self.blocks for op in block.ops]
        self.names = self._names()
        self.made = {
            op.result: op.items
            for op in self.ops
            if isinstance(op, nodes.BuildTuple) and self._is_built_for_it(op)
        }

    def _names(self) -> set[str]:
        """Return the tuple's variables in the loop, but for new ones."""
        names, size = {self.phi.result}, 0
        while size != len(names):
            size = len(names)
            for op in self.ops:
                if isinstance(op, nodes.Phi | nodes.Copy) and not names.isdisjoint(uses(op)):
                    names.add(op.result)
        return names

    def _is_built_for_it(self, op: nodes.BuildTuple) -> bool:
        types = self.unit.types
        users = [one for one in self.ops if op.result in uses(one)]
        return (
            bool(users)
            and all(isinstance(one, nodes.Phi) and one.result in self.names for one in users)
            and tuple(types[name] for name in op.items) == self.items
        )

    def is_possible(self) -> bool:
        """True if the loop only reads items of the tuple and rebuilds it."""
        known = self.names | set(self.made)
        for op in self.ops:
            if isinstance(op, nodes.Phi) and op.result in self.names:
                first = zip(op.values, op.labels, strict=True)
                begun = {v for v, label in first if op is self.phi and label == self.before}
                if not known.issuperset(set(op.values) - begun):
                    return False
            elif not self.names.isdisjoint(uses(op)):
                if isinstance(op, nodes.Copy):
                    continue
                if not isinstance(op, nodes.StaticGetItem) or type(op.index) is not int:
                    return False
        return True

    def perform(self) -> tuple[str, ...]:
        """Replace the tuple by its items; return those at the header."""
        fn, count = self.unit.fn, len(self.items)
        parts = {name: self._fresh() for name in self.names}
        first = self._fresh()
        begun = self.phi.values[self.phi.labels.index(self.before)]
        known = {**self.made, **parts}
        taken = [
            nodes.StaticGetItem(first[k], begun, k, loc=self.phi.loc, id=fn.new_id())
            for k in range(count)
        ]
        before = fn.blocks[self.before]
        self.editor.insert(before, len(before.ops) - 1, *taken)
        self.unit.resolve(taken)

        def replaced(op: Op) -> list[Op]:
            if isinstance(op, nodes.BuildTuple) and op.result in self.made:
                return []
            if isinstance(op, nodes.Phi) and op.result in self.names:
                rows = [
                    first if op is self.phi and label == self.before else known[value]
                    for value, label in zip(op.values, op.labels, strict=True)
                ]
                return [
                    nodes.Phi(name, op.labels, values, loc=op.loc, id=fn.new_id())
                    for name, values in zip(parts[op.result], zip(*rows, strict=True), strict=True)
                ]
            if isinstance(op, nodes.Copy) and op.result in self.names:
                return [
                    nodes.Copy(name, value, loc=op.loc, id=fn.new_id())
                    for name, value in zip(parts[op.result], known[op.value], strict=True)
                ]
            if isinstance(op, nodes.StaticGetItem) and op.value in self.names:
                return [nodes.Copy(op.result, known[op.value][op.index], loc=op.loc, id=op.id)]
            return [op]

        for block in self.blocks:
            self.editor.set_ops(block, [one for op in block.ops for one in replaced(op)])
        return parts[self.phi.result]

    def _fresh(self) -> tuple[str, ...]:
        names = tuple(self.unit.fn.fresh("item") for _ in self.items)
        self.unit.types.update(zip(names, self.items, strict=True))
        return names
