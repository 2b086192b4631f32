"""Rewrites: rules that make them, and records from which they can be replayed.

A rule on single ops is a row of a pass's table.  It inspects one op of an SSA function, and through
`Context` the definitions of its operands, and returns the op that replaces it, or None.  The new op
defines the same variables as the old one.

Each rewrite of a pass, by a rule on ops or otherwise, can be reported as a `RewriteRecord`: the
blocks that it changes, before and after.  `replay` reconstructs from the function before a pass and
its records each intermediate function, and at last the one after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.folding import Constants
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.region_views import Place, places_in
from cutaway.ir.traversal import definition_table, definitions, use_table


class Context(Constants):
    """The facts about a function that rules query."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self._uses: dict[str, int] | None = None  # counted on the first query
        self._definitions = {n: ops[0] for n, ops in definition_table(fn).items() if len(ops) == 1}

    def definition(self, name: str) -> Op | None:
        """Return the op that defines a variable, looking through copies."""
        op = self._definitions.get(name)
        while isinstance(op, nodes.Copy):
            op = self._definitions.get(op.value)
        return op

    def is_used_once(self, name: str) -> bool:
        """True if a variable's value has a single use, looking through copies."""
        if self._uses is None:
            self._uses = {one: len(ops) for one, ops in use_table(self.fn).items()}
        while True:
            if self._uses.get(name) != 1:
                return False
            op = self._definitions.get(name)
            if not isinstance(op, nodes.Copy):
                return True
            name = op.value

    def value(self, name: str) -> Any:
        """Return the constant that a variable holds."""
        match self.definition(name):
            case nodes.Const(_, value) | nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
                return value
        return MISSING

    def replaced(self, old: Op, new: Op) -> None:
        """Update the definitions after an op has been replaced."""
        for name in definitions(old):
            if self._definitions.get(name) is old:
                self._definitions[name] = new


Fired = Callable[[Rule, Op, Op], object]  # a rule, the old op and the new one


def apply_rules(editor: Editor, rules: tuple[Rule, ...], fired: Fired | None = None) -> bool:
    """Apply rules on ops everywhere until none fires; True if any has fired.

    Regions are entered.  A rule that fires on the last op of a block may return a terminator for
    any op: the ops after it in the block are dropped.  `fired` is called before each rewrite is
    committed.
    """
    context = Context(editor.fn)

    def apply(op: Op, block: Block, position: int, place: Place | None = None) -> bool:
        for rule in rules:
            result = rule.rewrite(op, context)
            if result is not None:
                new = replace(result, loc=op.loc, id=op.id)
                if place is None:
                    editor.replace(block, position, new)
                else:
                    editor.put(place, new)
                context.replaced(op, new)
                if fired is not None:
                    fired(rule, op, new)
                editor.commit(rule, op.loc, op, new)
                return True
        return False

    changed = False
    again = True
    while again:
        again = False
        for block in editor.fn.blocks.values():
            for position, op in enumerate(block.ops):
                again |= apply(op, block, position)
                if op.REGIONS:
                    for place in places_in(block, position):
                        again |= apply(place.op, block, position, place)
        changed |= again
    return changed


# --- records ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockChange:
    """A block before and after a rewrite; None if it does not exist. `handler` is its handler
    afterward."""

    label: int
    before: tuple[Op, ...] | None
    after: tuple[Op, ...] | None
    handler: int | None = None


@dataclass(frozen=True, slots=True)
class RewriteRecord:
    """One rewrite.

    `note` describes it in one sentence of the user's words, `loc` is its source location, `origin`
    the location of its rule in this package: `stages/untyped/ssa.py:40`.  The program can run
    between this rewrite and the next one of its pass if it is `whole`.  `types` are those that it
    adds or changes (of `typing`, which this layer does not import).  `order` are the labels of all
    blocks, if that is not the order before with new blocks at the end, `params` the new parameters
    if they change. The counters are those of the function afterward.
    """

    rule: str
    changes: tuple[BlockChange, ...]
    note: str = ""
    loc: Loc = UNKNOWN
    origin: str = ""
    whole: bool = True
    types: tuple[tuple[str, Any], ...] = ()
    order: tuple[int, ...] | None = None
    params: tuple[str, ...] | None = None
    next_id: int = 0
    next_temp: int = 0

    @property
    def label(self) -> int:
        """The label of the first changed block; -1 if only types change."""
        return self.changes[0].label if self.changes else -1

    @property
    def before(self) -> tuple[Op, ...]:
        """The ops of that block before."""
        return (self.changes[0].before or ()) if self.changes else ()

    @property
    def after(self) -> tuple[Op, ...]:
        """The ops of that block afterward."""
        return (self.changes[0].after or ()) if self.changes else ()


def replay(fn: Function, records: Iterable[object]) -> Iterator[Function]:
    """Yield the function after each rewrite in turn; `fn` is the one before the pass.

    Other records are skipped.  The functions share nothing mutable.
    """
    for record in records:
        if isinstance(record, RewriteRecord):
            fn = rewritten(fn, record)
            yield fn


def rewritten(fn: Function, record: RewriteRecord) -> Function:
    """Apply one rewrite to a copy of a function."""
    result = fn.copy()
    for change in record.changes:
        if change.after is None:
            del result.blocks[change.label]
        else:
            result.blocks[change.label] = Block(change.label, list(change.after), change.handler)
    if record.order is not None:
        result.blocks = {label: result.blocks[label] for label in record.order}
    if record.params is not None:
        result.params = record.params
    result.next_id = max(result.next_id, record.next_id)
    result.next_temp = max(result.next_temp, record.next_temp)
    return result
