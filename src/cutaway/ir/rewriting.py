"""Rewrite rules: patterns on single ops of an SSA function, as rows of a table.

A rule looks at one op, and through `Context` at the definitions of what it uses, and gives the
op to put in its place, or None.  The new op defines what the old one did.  Each firing can be
recorded (`RewriteRecord`), with the block before and after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op, replace
from cutaway.ir.traversal import definition_table, definitions


class _Unknown:
    """The value of a variable that is not a constant."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN_VALUE = _Unknown()


class Context:
    """What a rule may ask about the function."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self._definitions = {n: ops[0] for n, ops in definition_table(fn).items() if len(ops) == 1}

    def definition(self, name: str) -> Op | None:
        """The op that defines a variable, looking through copies."""
        op = self._definitions.get(name)
        while isinstance(op, nodes.Copy):
            op = self._definitions.get(op.value)
        return op

    def value(self, name: str) -> Any:  # Any: a constant of the program, or UNKNOWN_VALUE
        """The constant that a variable holds."""
        match self.definition(name):
            case nodes.Const(_, value) | nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
                return value
        return UNKNOWN_VALUE

    def values(self, names: tuple[str, ...]) -> tuple[Any, ...] | None:  # Any: see value
        """The constants that variables hold; None unless all are constants."""
        found = tuple(self.value(name) for name in names)
        return None if any(v is UNKNOWN_VALUE for v in found) else found

    def replaced(self, old: Op, new: Op) -> None:
        """Take note that an op has been replaced."""
        for name in definitions(old):
            if self._definitions.get(name) is old:
                self._definitions[name] = new


Rewrite = Callable[[Op, Context], Op | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.  `equation` says in one line what becomes what."""

    name: str
    equation: str
    rewrite: Rewrite


@dataclass(frozen=True, slots=True)
class RewriteRecord:
    """One firing of a rule in a block."""

    rule: str
    label: int
    before: tuple[Op, ...]
    after: tuple[Op, ...]


def apply_rules(
    fn: Function, rules: tuple[Rule, ...], record: Callable[[RewriteRecord], None] | None = None
) -> bool:
    """Apply rules everywhere until none fires; gives whether any did.

    A rule that fires on the last op of a block may give a terminator for any op: what follows
    it in the block is dropped.
    """
    context = Context(fn)
    fired = False
    again = True
    while again:
        again = False
        for block in fn.blocks.values():
            for position, op in enumerate(block.ops):
                found = _first_match(rules, op, context)
                if found is None:
                    continue
                rule, new = found
                before = () if record is None else tuple(block.ops)
                block.ops[position] = replace(new, loc=op.loc, id=op.id)
                context.replaced(op, block.ops[position])
                fired = again = True
                if record is not None:
                    record(RewriteRecord(rule.name, block.label, before, tuple(block.ops)))
    return fired


def _first_match(rules: tuple[Rule, ...], op: Op, context: Context) -> tuple[Rule, Op] | None:
    for rule in rules:
        new = rule.rewrite(op, context)
        if new is not None:
            return rule, new
    return None
