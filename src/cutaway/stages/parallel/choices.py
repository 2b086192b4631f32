"""Variables that iterations change under a condition: which part's value is the final one.

    if x < best:            first_least: the least, and of equal ones the first
        best = x
        where = i           with: assigned along with it
    if a[i] > 0:
        k = i               given: the value of the last iteration that assigned it
    any = any or a[i] > 0   or: of truth values, and so is `and`

The parts of the loop execute the code under a comparison with such a variable independently, so
more often than in sequential order: it may compute and assign the variables that the comparison
decides, and do nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.foundation.dataclass import dataclass, field
from cutaway.ir import nodes
from cutaway.ir.combining import COMPARED, GIVEN, WITH
from cutaway.ir.effects import Effect
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph
from cutaway.ir.nodes import Block, Op, Role, replace
from cutaway.ir.operators import Operator
from cutaway.ir.traversal import definitions, effects, uses
from cutaway.typing.types import Boolean, Float, Integer, Type

FLAG = "or"  # by which a flag is combined

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NAMES = {row.symbol: name for name, row in COMPARED.items()}
_HARMLESS = (
    *(nodes.Phi, nodes.Copy, nodes.Cast, nodes.Const, nodes.Global, nodes.FreeVar, nodes.GetItem),
    *(nodes.StaticGetItem, nodes.GetAttr, nodes.BuildTuple, nodes.Binary, nodes.Unary),
    *(nodes.Jump, nodes.Branch),
)
_ARITHMETIC = frozenset("+ - * & | ^ == != < <= > >=".split())
_SAME = (
    *(nodes.GetItem, nodes.StaticGetItem, nodes.GetAttr, nodes.BuildTuple, nodes.Binary),
    *(nodes.Unary, nodes.Const, nodes.Global, nodes.FreeVar, nodes.Copy),
)
_PLAIN = (int, float, str, tuple, Operator)


@dataclass(frozen=True, slots=True)
class ChosenOperator:
    """The operator of a variable; `key` is the variable that decides it.  A `flagged` one must
    record whether a part has assigned it."""

    operator: str
    key: str = ""
    flagged: bool = False


@dataclass(slots=True)
class _BranchGuard:
    """A branch on a comparison with a variable: its blocks, and where it ends."""

    symbol: str
    compared: str
    block: int
    blocks: tuple[int, ...]
    join: int
    otherwise: int  # the predecessor of the join on the path without assignment
    edges: dict[tuple[str, int], str] = field(default_factory=dict)  # new values of phis


class Choices:
    """The variables of a loop whose final value is chosen among those of its parts."""

    def __init__(
        self,
        fn: Function,
        types: Mapping[str, Type],
        graph: Graph,
        inside: Sequence[int],
        header: Block,
    ) -> None:
        self.types, self.graph, self.inside, self.header = types, graph, frozenset(inside), header
        self.blocks = {label: fn.blocks[label] for label in inside}
        self.ops = [op for block in self.blocks.values() for op in block.ops]
        self.makers = {name: op for op in self.ops for name in definitions(op)}
        self.phis = [op for op in header.ops if isinstance(op, nodes.Phi)]
        self.held = {phi.result: self._held(phi.result) for phi in self.phis}

    def _held(self, name: str) -> frozenset[str]:
        """Return the variables that may hold a variable's value from the iteration's start."""
        held, size = {name}, 0
        while size != len(held):
            size = len(held)
            for op in self.ops:
                if isinstance(op, nodes.Phi | nodes.Copy | nodes.Cast):
                    if not held.isdisjoint(uses(op)):
                        held.add(op.result)
        return frozenset(held)

    def find(self, wanted: Sequence[str]) -> dict[str, ChosenOperator]:
        """Return the operators of those variables that have one."""
        found: dict[str, ChosenOperator] = {}
        for name in wanted:
            found |= self._keyed(name) or self._decided(name)
        for name in wanted:
            if name not in found and self._is_apart(name) and not self._askers(name):
                found[name] = ChosenOperator(GIVEN, flagged=True)
        return found

    def holders(self, name: str) -> frozenset[str]:
        """Return the variables of an iteration that may hold a variable's value from its start."""
        return self.held[name]

    def _is_apart(self, name: str) -> bool:
        """True if only a comparison reads a variable, and it is never assigned to another one."""
        held = self.held[name]
        if any(name != other and held & row for other, row in self.held.items()):
            return False
        for phi in self.phis:
            values = (v for v, n in zip(phi.values, phi.labels, strict=True) if n in self.inside)
            if phi.result != name and not held.isdisjoint(values):
                return False
        return not any(
            isinstance(op, nodes.Cast) and self.types[op.result] != self.types[op.value]
            for op in self.ops
            if not held.isdisjoint(uses(op))
        )

    def _askers(self, name: str) -> list[Op]:
        """Return the ops that use a variable's initial value for more than to keep it."""
        held = self.held[name]
        moves = (nodes.Phi, nodes.Copy, nodes.Cast)
        return [
            op for op in self.ops if not isinstance(op, moves) and not held.isdisjoint(uses(op))
        ]

    # --- compared variables ---------------------------------------------------------------------

    def _keyed(self, name: str) -> dict[str, ChosenOperator]:
        """Return the operators of a compared variable and of those that it decides, if any."""
        guards = [self._guard(name, op) for op in self._askers(name)]
        if not guards or not self._is_apart(name):
            return {}
        members: tuple[str, ...] | None = None
        symbols, edges = set(), {}
        for guard in guards:
            found = None if guard is None else self._members(name, guard)
            if guard is None or found is None or members not in (None, found):
                return {}
            members = found
            symbols.add(guard.symbol)
            edges |= guard.edges
        if members is None or len(symbols) != 1:
            return {}
        others = [member for member in members if member != name]
        if not all(self._is_apart(one) and not self._askers(one) for one in others):
            return {}
        if not all(self._assigned_by(one, edges) and self._is_latest(one) for one in members):
            return {}
        (symbol,) = symbols
        flagged = symbol.endswith("=")  # of equal ones the last: what nobody assigned is equal, too
        rest = {one: ChosenOperator(WITH, key=name) for one in others}
        return {name: ChosenOperator(_NAMES[symbol], flagged=flagged), **rest}

    def _decided(self, name: str) -> dict[str, ChosenOperator]:
        """Return the operator of a bool that is only assigned while false, or while true."""
        if not isinstance(self.types[name], Boolean) or not self._is_apart(name):
            return {}
        symbols, edges = set(), {}
        for op in self._askers(name):
            if not isinstance(op, nodes.Branch):
                return {}
            rows = (("or", op.orelse), ("and", op.then))
            guards = [self._blocks_of(symbol, "", op, first) for symbol, first in rows]
            guard = next((g for g in guards if g and self._members(name, g) == (name,)), None)
            if guard is None:
                return {}
            symbols.add(guard.symbol)
            edges |= guard.edges
        if len(symbols) != 1 or not self._assigned_by(name, edges) or not self._is_latest(name):
            return {}
        return {name: ChosenOperator(symbols.pop())}

    def _guard(self, name: str, op: Op) -> _BranchGuard | None:
        """Return the branch on a comparison with a variable."""
        held = self.held[name]
        if not isinstance(op, nodes.Binary) or op.op.symbol not in MIRRORED:
            return None
        left, right = op.lhs in held, op.rhs in held
        users = [one for one in self.ops if op.result in uses(one)]
        if left == right or len(users) != 1 or not isinstance(users[0], nodes.Branch):
            return None
        symbol = MIRRORED[op.op.symbol] if left else op.op.symbol
        compared = op.rhs if left else op.lhs
        number = (Integer, Float, Boolean)
        if not isinstance(self.types[name], number) or self.types[compared] != self.types[name]:
            return None
        return self._blocks_of(symbol, compared, users[0], users[0].then)

    def _blocks_of(
        self, symbol: str, compared: str, branch: nodes.Branch, first: int
    ) -> _BranchGuard | None:
        (label,) = (n for n, block in self.blocks.items() if block.terminator is branch)
        other = branch.then if first == branch.orelse else branch.orelse
        if first not in self.inside or self.graph.predecessors(first) != (label,):
            return None
        blocks = tuple(n for n in self.blocks if self.graph.dominates(first, n))
        ends = {n for one in blocks for n in self.graph.successors(one) if n not in blocks}
        if len(ends) != 1 or label in blocks:
            return None
        (join,) = ends
        otherwise = label
        if other != join:
            only = self.blocks.get(other)
            if only is None or len(only.ops) != 1 or self.graph.predecessors(other) != (label,):
                return None
            if self.graph.successors(other) != (join,):
                return None
            otherwise = other
        return _BranchGuard(symbol, compared, label, blocks, join, otherwise)

    def _members(self, key: str, guard: _BranchGuard) -> tuple[str, ...] | None:
        """Return the variables that are assigned under a comparison; None if more happens there."""
        if not all(self._is_harmless(op) for n in guard.blocks for op in self.blocks[n].ops):
            return None
        join = self.header if guard.join == self.header.label else self.blocks.get(guard.join)
        if join is None:
            return None
        members: dict[str, frozenset[int]] = {}
        for phi in (op for op in join.ops if isinstance(op, nodes.Phi)):
            values = dict(zip(phi.labels, phi.values, strict=True))
            unassigned = values[guard.otherwise]
            new = {n: values[n] for n in guard.blocks if values.get(n, unassigned) != unassigned}
            if not new:
                continue
            member = next((one for one, held in self.held.items() if unassigned in held), None)
            if member is None or not self.held[member].isdisjoint(new.values()):
                return None
            is_compared = member == key and guard.compared
            if is_compared and not all(self._same(v, guard) for v in new.values()):
                return None
            members[member] = frozenset(new)
            guard.edges.update({(phi.result, n): value for n, value in new.items()})
        together = len(set(members.values())) == 1
        return tuple(sorted(members)) if together and key in members else None

    def _is_harmless(self, op: Op) -> bool:
        if not isinstance(op, _HARMLESS):
            return False
        if isinstance(op, nodes.Binary) and op.op.symbol not in _ARITHMETIC:
            by = self.makers.get(op.rhs)  # a division by zero raises
            if op.op.symbol not in ("//", "%") or not (isinstance(by, nodes.Const) and by.value):
                return False
        if any(name in held for name in definitions(op) for held in self.held.values()):
            return False  # a merge within
        number = (Integer, Float, Boolean)
        if isinstance(op, nodes.Binary | nodes.Unary):
            return all(isinstance(self.types[name], number) for name in uses(op))
        return True

    def _assigned_by(self, name: str, edges: Mapping[tuple[str, int], str]) -> bool:
        """True if a variable is assigned on these edges alone."""
        held = self.held[name]
        merges = [op for op in self.ops if isinstance(op, nodes.Phi) and op.result in held]
        merges += [phi for phi in self.phis if phi.result == name]
        return all(
            value in held or label not in self.inside or (phi.result, label) in edges
            for phi in merges
            for label, value in zip(phi.labels, phi.values, strict=True)
        )

    def _is_latest(self, name: str) -> bool:
        """True if the ops that read a variable, or merge it, use its current value and not an
        earlier one."""
        held = self.held[name]
        merges = [op for op in self.ops if isinstance(op, nodes.Phi) and op.result in held]
        merges += [phi for phi in self.phis if phi.result == name]
        looks = [
            (value, label)
            for phi in merges
            for value, label in zip(phi.values, phi.labels, strict=True)
            if value in held and label in self.inside
        ]
        askers = self._askers(name)
        for label, block in self.blocks.items():
            own = [op for op in block.ops if op in merges]
            if len(own) > 1:
                return False
            asking = (op for op in block.ops if any(op is one for one in askers))
            looks += [(value, label) for op in asking for value in uses(op) if value in held]
        return all(self._source(v) == self._latest(name, label) for v, label in looks)

    def _source(self, name: str) -> str:
        maker = self.makers.get(name)
        while isinstance(maker, nodes.Copy | nodes.Cast):
            name = maker.value
            maker = self.makers.get(name)
        return name

    def _latest(self, name: str, label: int) -> str:
        """Return the name of a variable's current value at the end of a block."""
        above = self.graph.immediate_dominators()
        while label in self.inside:
            for op in self.blocks[label].ops:
                if isinstance(op, nodes.Phi) and op.result in self.held[name]:
                    return op.result
            label = above[label]
        return name

    # --- equal values ---------------------------------------------------------------------------

    def _same(self, value: str, guard: _BranchGuard) -> bool:
        """True if the assigned value is the compared one, possibly re-read."""
        if value == guard.compared:
            return True
        maker = self.makers.get(guard.compared)
        before = self.blocks[guard.block].ops
        if any(maker is op for op in before):
            between: Sequence[Op] = before[before.index(maker) :]
        else:
            between = self.ops
        if any(Effect.WRITES in effects(op) for op in between):
            return False
        return self._equal(value, guard.compared)

    def _equal(self, one: str, other: str) -> bool:
        if one == other:
            return True
        a, b = self.makers.get(one), self.makers.get(other)
        if a is None or b is None or type(a) is not type(b) or not isinstance(a, _SAME):
            return False
        if self.types[one] != self.types[other] or len(uses(a)) != len(uses(b)):
            return False
        return _alike(a, b) and all(map(self._equal, uses(a), uses(b)))


def _alike(one: Op, other: Op) -> bool:
    """True if two ops of one class differ in names alone."""
    for spec in one.FIELDS:
        if spec.role is not Role.ATTRIBUTE or spec.name == "bounds":
            continue
        a, b = getattr(one, spec.name), getattr(other, spec.name)
        if a is not b and not (type(a) is type(b) and isinstance(a, _PLAIN) and a == b):
            return False
    return True


# --- flags -------------------------------------------------------------------------------------


class Flag:
    """The variable that records whether a part has assigned another one.

    It has a phi wherever that has one; the constant `true` stands for an assigned value.
    """

    def __init__(self, fn: Function, name: str, held: frozenset[str], flag: str, true: str) -> None:
        self.fn, self.held, self.true, self.flags = fn, held, true, {name: flag}

    def add_to(self, blocks: Sequence[Block], place: int) -> list[str]:
        """Add the phis to the blocks of a region, and the flag's value to each yield; return the
        new variables.  The variable is the yields' number `place`."""
        ops = [op for block in blocks for op in block.ops]
        merges = [op for op in ops if isinstance(op, nodes.Phi) and op.result in self.held]
        self.flags |= {phi.result: self.fn.fresh("given") for phi in merges}
        made = list(self.flags.values())[1:]
        same = [op for op in ops if isinstance(op, nodes.Copy | nodes.Cast)]
        while not all(op.result in self.flags for op in same if op.value in self.flags):
            self.flags |= {op.result: self.flags[op.value] for op in same if op.value in self.flags}
        for block in blocks:
            block.ops[:] = [one for op in block.ops for one in self._with(op, place)]
        return made

    def _with(self, op: Op, place: int) -> list[Op]:
        if isinstance(op, nodes.Phi) and op.result in self.held:
            values = tuple(self.flags.get(value, self.true) for value in op.values)
            name = self.flags[op.result]
            return [op, replace(op, result=name, values=values, id=self.fn.new_id())]
        if isinstance(op, nodes.Yield):
            flag = self.flags.get(op.values[place], self.true)
            return [replace(op, values=(*op.values, flag))]
        return [op]
