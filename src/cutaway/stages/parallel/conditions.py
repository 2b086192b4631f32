"""The conditions under which an iteration of a loop comes to a block, and whether two are opposite.

if flag == 1: ...           ("==", flag, 1) is true
if not flag == 1: ...       ("==", flag, 1) is false: never both in one iteration
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from cutaway.ir import nodes
from cutaway.ir.graph import Graph
from cutaway.ir.traversal import definitions, makers_of
from cutaway.stages.unit import CompileUnit
from cutaway.typing.types import Boolean, Float, Integer

Facts = frozenset[tuple[Hashable, bool]]
_NEGATED = {"!=": "==", "is not": "is", "not in": "in"}
_NUMBERS = (Integer, Float, Boolean)
NOTHING: Facts = frozenset()


class Conditions:
    """The conditions of the branches in the blocks of a loop."""

    def __init__(self, unit: CompileUnit, graph: Graph, header: int, inside: Sequence[int]) -> None:
        self.fn, self.types, self.graph, self.inside = unit.fn, unit.types, graph, frozenset(inside)
        self.makers = makers_of(unit.fn)
        self.homes = {
            name: label
            for label in inside
            for op in unit.fn.blocks[label].ops
            for name in definitions(op)
        }
        loops = graph.loops()
        self.repeated = frozenset(
            label for one, loop in loops.items() if one in self.inside for label in loop.body
        )
        self.facts: dict[int, Facts] = {}

    def below(self, label: int, following: int) -> list[int]:
        """Return the blocks that are only reached by an edge."""
        if self.graph.predecessors(following) != (label,):
            return []
        return [one for one in self.inside if self.graph.dominates(following, one)]

    def at(self, label: int) -> Facts:
        """Return the conditions that hold whenever control is in a block."""
        if label not in self.facts:
            above = self.graph.immediate_dominators()[label]
            facts = NOTHING
            if label in self.inside and above in self.inside:
                known = self.at(above)
                if self.graph.predecessors(label) == (above,):
                    known = self.added(known, self.along(above, label)) or known
                facts = known
            self.facts[label] = facts
        return self.facts[label]

    def along(self, label: int, following: int) -> Facts:
        """Return the condition under which control goes from a block to another one."""
        end = self.fn.blocks[label].terminator
        if label not in self.inside or not isinstance(end, nodes.Branch):
            return NOTHING
        if end.then == end.orelse:
            return NOTHING
        key, holds = self._condition(end.cond)
        return NOTHING if key is None else frozenset({(key, holds == (end.then == following))})

    def added(self, known: Facts, more: Facts) -> Facts | None:
        """Return the union of both; None if they contradict each other."""
        if any((key, not holds) in known for key, holds in more):
            return None
        return known | more

    def _condition(self, name: str) -> tuple[Hashable | None, bool]:
        """Return a canonical key of a condition, and whether the condition is it or its negation;
        None for one that may change within an iteration."""
        op = self.makers.get(name)
        if isinstance(op, nodes.Copy) or (
            isinstance(op, nodes.Cast) and self.types[op.value] is self.types[name]
        ):
            return self._condition(op.value)
        if isinstance(op, nodes.Unary) and op.op.symbol == "not":
            key, holds = self._condition(op.value)
            return key, not holds
        if isinstance(op, nodes.Binary) and op.op.symbol in _NEGATED and self._is_plain(op):
            key = self._key(op)
            return key, False
        return self._value(name), True

    def _value(self, name: str) -> Hashable | None:
        op = self.makers.get(name)
        if isinstance(op, nodes.Const | nodes.Global | nodes.FreeVar):
            return type(op.value), id(op.value) if not _is_number(op.value) else repr(op.value)
        if isinstance(op, nodes.Copy):
            return self._value(op.value)
        if isinstance(op, nodes.Binary) and self._is_plain(op):
            return self._key(op)
        if self.homes.get(name) in self.repeated:
            return None
        return name

    def _key(self, op: nodes.Binary) -> Hashable | None:
        sides = self._value(op.lhs), self._value(op.rhs)
        symbol = _NEGATED.get(op.op.symbol, op.op.symbol)
        return None if None in sides else (symbol, *sides)

    def _is_plain(self, op: nodes.Binary) -> bool:
        """True for an operator on numbers, whose result depends on its operands alone."""
        kinds = [self.types[name] for name in (op.lhs, op.rhs)]
        return all(isinstance(ty, _NUMBERS) for ty in kinds)


def _is_number(value: object) -> bool:
    return type(value) in (bool, int, float)
