"""Reports the rewrites of a running pass, one by one: loaded where somebody listens to them.

A pass asks `unit.rewriting()` once, and where that is not None calls `step` whenever it has made
one rewrite.  What has changed is found by comparing the blocks with those of the step before,
op by op and by identity.  A pass that makes many changes at once and has an observer makes them
one at a time, or has `insertions` tell them apart.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import is_
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from cutaway.foundation.source import Loc, shown_file
from cutaway.ir import nodes
from cutaway.ir.function import BOUND_FLAG, is_temporary, user_name
from cutaway.ir.nodes import Block, Op
from cutaway.ir.rewriting import BlockChange, RewriteRecord, Rule
from cutaway.ir.traversal import definition_table
from cutaway.typing.errors.wording import UNNAMED, quoted, shown_constant, source_of, spelled
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.stages.unit import CompileUnit

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

Ops = tuple[Op, ...]


class Rewriting:
    """The rewrites of one run of a pass on one unit.

    `unsettled` is set by a pass while its program is not whole whatever a step says.
    """

    def __init__(self, unit: CompileUnit) -> None:
        self.unit = unit
        self.unsettled = False
        self._blocks: dict[int, Ops] = {
            label: tuple(block.ops) for label, block in unit.fn.blocks.items()
        }
        self._params = unit.fn.params
        self._pending: Callable[[bool], RewriteRecord] | None = None
        self._places: Counter[tuple[type[Op], Loc]] | None = None  # how often each is compiled
        self._made: dict[str, Op | None] = {}  # what each variable was made by when first seen

    # --- reporting ------------------------------------------------------------------------------

    def step(
        self,
        rule: str,
        note: str,
        loc: Loc,
        labels: Iterable[int] | None = None,
        whole: bool = True,
        types: Iterable[str] = (),
    ) -> None:
        """Report what has changed since the last step as one rewrite, if anything has.

        `labels` are the only blocks that may have changed, where they are known; `types` the
        variables whose types were added or changed.
        """
        self._step(rule, note, loc, _origin(sys._getframe(1)), labels, whole, types)

    def fired(self, rule: Rule, block: Block, old: Op, new: Op) -> None:
        """See `cutaway.ir.rewriting.Listener`."""
        note = self._sentence(rule, old, new)
        self._step(rule.name, note, old.loc, _place(rule.rewrite.__code__), (block.label,), True)

    def insertions(
        self, block: Block, ops: Sequence[Op], said: Callable[[Op], tuple[str, str]]
    ) -> None:
        """Put ops in the place of those of a block, which are among them, and report each that is
        new; `said` gives the rule and the note of one."""
        origin = _origin(sys._getframe(1))
        current = block.ops
        for position, op in enumerate(ops):
            if position == len(current) or current[position] is not op:
                current.insert(position, op)
                self._step(*said(op), op.loc, origin, (block.label,), True)

    def settle(self) -> None:
        """The program is whole again, behind the last rewrite."""
        self.unsettled = False
        self._emit_pending(True)

    def _step(
        self,
        rule: str,
        note: str,
        loc: Loc,
        origin: str,
        labels: Iterable[int] | None,
        whole: bool,
        types: Iterable[str] = (),
    ) -> None:
        fn = self.unit.fn
        changes, order = self._changes(labels)
        table = self.unit.types if self.unit.has("types") else {}
        added: tuple[tuple[str, Type], ...] = tuple((name, table[name]) for name in types)
        params = None if fn.params == self._params else fn.params
        if not (changes or order or added or params):
            return
        self._params = fn.params
        self._emit_pending(False)
        counters = (fn.next_id, fn.next_temp)

        def record(whole: bool) -> RewriteRecord:
            return RewriteRecord(
                rule, changes, note, loc, origin, whole, added, order, params, *counters
            )

        if whole and not self.unsettled:
            self.unit.note(record(True))
        else:
            self._pending = record

    def _emit_pending(self, whole: bool) -> None:
        if self._pending is not None:
            record, self._pending = self._pending(whole), None
            self.unit.note(record)

    def _changes(
        self, labels: Iterable[int] | None
    ) -> tuple[tuple[BlockChange, ...], tuple[int, ...] | None]:
        """The blocks that differ from what they were, and their new order where they have one."""
        blocks, before = self.unit.fn.blocks, self._blocks
        found: list[BlockChange] = []
        if labels is None:
            gone = [label for label in before if label not in blocks]
            found += [BlockChange(label, before.pop(label), None) for label in gone]
        for label in blocks if labels is None else labels:
            old, ops = before.get(label), blocks[label].ops
            if old is None or len(old) != len(ops) or not all(map(is_, old, ops)):
                before[label] = tuple(ops)
                found.append(BlockChange(label, old, before[label]))
        if labels is not None or list(before) == list(blocks):
            return tuple(found), None
        self._blocks = {label: before[label] for label in blocks}
        return tuple(found), tuple(blocks)

    # --- the user's words -----------------------------------------------------------------------

    def named(self, name: str) -> str:
        """A variable in the user's words: its name, or the source of what it holds."""
        if name.startswith(BOUND_FLAG):
            return f"the flag of `{user_name(name.removeprefix(BOUND_FLAG))}`"
        if not is_temporary(name):
            return f"`{user_name(name)}`"
        if name not in self._made:
            self._made.update((n, ops[0]) for n, ops in definition_table(self.unit.fn).items())
        op = self._made.setdefault(name, None)
        if isinstance(op, nodes.Cast):  # whose source is the statement
            return self.named(op.value)
        return quoted(spelled(name, op)) if op is not None else UNNAMED

    def _is_copied(self, op: Op) -> bool:
        """Whether the same source is compiled more than once, as what is returned after a
        conditional expression is."""
        if self._places is None:
            self._places = Counter(
                (type(one), one.loc) for ops in self._blocks.values() for one in ops
            )
        return bool(op.loc.line) and self._places[type(op), op.loc] > 1

    def _sentence(self, rule: Rule, old: Op, new: Op) -> str:
        """What a rule has found out, in a sentence."""
        source = words(old)
        match new:
            case nodes.Const(_, value):
                if isinstance(old, nodes.Arg):
                    return f"`{old.name}` is {shown_constant(value)} in this compilation"
                found = f"{source} is {shown_constant(value)}"
                return f"{found} on one of the ways here" if self._is_copied(old) else found
            case nodes.Copy(_, value) if isinstance(old, nodes.Phi):
                return f"{self.named(old.result)} has one value here, {self.named(value)}"
            case nodes.Copy(_, value):
                return f"{source} is {self.named(value)}"
            case nodes.Jump() if isinstance(old, nodes.Branch):
                truth = new.target == old.then
                return f"{self.named(old.cond)} is always {'true' if truth else 'false'} here"
            case nodes.StaticRaise(exception, _):
                return f"{source} raises {exception.__name__} with constants"
            case nodes.RaiseComputed(exception, _):
                return f"{source} raises {exception.__name__} with values computed here"
            case nodes.StaticGetItem(_, _, index) | nodes.StaticSetItem(_, index, _):
                return f"the index in {source} is the constant {shown_constant(index)}"
            case nodes.Global(_, name, _):
                return f"{source} is the global `{name}`"
        return f"{source}: {rule.equation}"


def words(op: Op) -> str:
    """The source of an op, quoted."""
    return quoted(source_of(op) or UNNAMED)


def _origin(frame: FrameType) -> str:
    return _place(frame.f_code)


@cache
def _place(code: CodeType) -> str:
    """Where code stands: in this package relative to it, else as a reader knows the file."""
    return f"{shown_file(code.co_filename).removeprefix(_PACKAGE)}:{code.co_firstlineno}"
