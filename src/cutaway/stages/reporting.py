"""The editor that reports; loaded only while somebody listens to rewrites.

It makes the same edits as `ir.editing.Editor`, and a record of each commit: the touched blocks,
compared with their earlier ops one by one and by identity.  The edits of a sweep it makes one by
one, in an order in which the program stays whole if it can.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import is_
from string import Formatter
from types import CodeType
from typing import TYPE_CHECKING, Any

from cutaway.foundation.source import Loc, shown_file
from cutaway.ir import editing, nodes
from cutaway.ir.editing import Editor, Ops, Reason, Rule
from cutaway.ir.function import BOUND_FLAG, Function, is_temporary, user_name
from cutaway.ir.nodes import Block, Op, Role, replace
from cutaway.ir.region_views import RegionView
from cutaway.ir.rewriting import BlockChange, RewriteRecord
from cutaway.ir.traversal import (
    change_blocks,
    definition_table,
    definitions,
    operands,
    rename_uses,
    use_table,
    uses,
    walk,
    walk_block,
)
from cutaway.typing.errors.wording import UNNAMED, quoted, shown_constant, source_of, spelled
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.stages.unit import CompileUnit

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_EDITORS = (editing.__file__, __file__)


class _Reporting(Editor):
    """The base of editors that report: they make the edits of a sweep one by one."""

    def insert_each(self, block: Block, ops: Ops, reason: Reason) -> None:
        for position, op in enumerate(ops):
            if position == len(block.ops) or block.ops[position] is not op:
                rule, *subjects = reason(op)
                self.insert(block, position, op)
                self.commit(rule, op.loc, *subjects)

    def rename_each(
        self,
        names: Mapping[str, str],
        change: Callable[[Mapping[str, str], Ops], list[Op]],
        rule: Rule,
    ) -> None:
        homes: dict[str, dict[int, None]] = {name: {} for name in names}
        locs: dict[str, Loc] = {}
        for label, block in self.fn.blocks.items():
            for op in walk_block(block):
                for name in definitions(op):
                    locs.setdefault(name, op.loc)
                for name in (*definitions(op), *uses(op)):
                    if name in homes:
                        homes[name][label] = None
        for old, new in names.items():
            for label in homes[old]:
                self._touch(label)
            table = {old: new}
            blocks = [self.fn.blocks[label] for label in homes[old]]
            change_blocks(blocks, lambda ops, table=table: change(table, ops))
            self.commit(rule, locs[old], old, new)

    def remove_each(self, is_dead: Callable[[Op], bool], rule: Rule, cycle: Rule) -> None:
        blocks = self.fn.blocks.values()
        dead = [(block, op) for block in blocks for op in walk_block(block) if is_dead(op)]
        counts = {name: len(ops) for name, ops in use_table(self.fn).items()}
        waiting = [one for one in reversed(dead) if not any(map(counts.get, definitions(one[1])))]
        homes = {name: one for one in dead for name in definitions(one[1])}
        while waiting:
            block, op = waiting.pop(0)
            self.remove(block, op)
            self.commit(rule, op.loc, op)
            for name in operands(op):
                counts[name] -= 1
                if not counts[name] and name in homes:
                    waiting.append(homes[name])
        left = [op for op in walk(self.fn) if is_dead(op)]
        if left:
            for block in blocks:
                self._touch(block.label)
            super().remove_each(is_dead, rule, cycle)
            names = dict.fromkeys(name for op in left for name in definitions(op))
            self.commit(cycle, left[0].loc, names)

    def version_each(self, blocks: Mapping[int, list[Op]], rule: Rule) -> None:
        versions = _Versions(self.fn, blocks)
        for version, places in versions.places().items():
            for label, position in places:
                new = versions.renamed(version, label, position)
                self.replace(self.fn.blocks[label], position, new)
            label, position = places[0]
            self.commit(rule, blocks[label][position].loc, version)

    def named(self, name: str) -> str:
        """Return a variable in the user's words."""
        raise NotImplementedError

    def _inside(self, block: Block, position: int, name: str, shown: RegionView) -> Editor:
        return _RegionEditor(self, block, position, name, shown)


class _RegionEditor(_Reporting):
    """The editor of a region: at each commit the region goes into a new op of the function around,
    which reports that."""

    def __init__(
        self, outer: _Reporting, block: Block, position: int, name: str, shown: RegionView
    ) -> None:
        super().__init__(shown)
        self._outer = outer
        self._place = (block, position, name, shown)

    def commit(self, rule: Rule, loc: Loc, *subjects: Any, types: Iterable[str] = ()) -> None:
        self._outer._put_region(*self._place)
        self._outer.commit(rule, loc, *subjects, types=types)

    def unsettle(self) -> None:
        self._outer.unsettle()

    def settle(self) -> None:
        self._outer._put_region(*self._place)
        self._outer.settle()

    def named(self, name: str) -> str:
        return self._outer.named(name)


class ReportingEditor(_Reporting):
    """The editor of a unit's function in one run of a pass; it reports to the unit's observers."""

    def __init__(self, unit: CompileUnit) -> None:
        super().__init__(unit.fn)
        self.unit = unit
        self._touched: dict[int, tuple[Op, ...] | None] = {}  # the earlier ops of these blocks
        self._changed: tuple[BlockChange, ...] = ()  # by the last rewrite
        self._labels = list(unit.fn.blocks)
        self._params = unit.fn.params
        self._unsettled = False
        self._pending: Callable[[bool], RewriteRecord] | None = None
        self._sources: Counter[tuple[type[Op], Loc]] | None = None  # how often each is compiled
        self._definitions: dict[str, Op | None] = {}  # of each variable, when first seen
        self._sentences = _Sentences(self)

    # --- reporting ------------------------------------------------------------------------------

    def commit(self, rule: Rule, loc: Loc, *subjects: Any, types: Iterable[str] = ()) -> None:
        fn = self.fn
        changes, order = self._changes()
        self._changed = changes
        table = self.unit.types if self.unit.has("types") else {}
        added: tuple[tuple[str, Type], ...] = tuple((name, table[name]) for name in types)
        params = None if fn.params == self._params else fn.params
        if not (changes or order or added or params):
            return
        self._params = fn.params
        self._emit_pending(False)
        note, origin = self._note(rule, *subjects), _origin(rule)
        counters = (fn.next_id, fn.next_temp)

        def record(whole: bool) -> RewriteRecord:
            return RewriteRecord(
                rule.name, changes, note, loc, origin, whole, added, order, params, *counters
            )

        if self._unsettled:
            self._pending = record
        else:
            self.unit.note(record(True))

    def unsettle(self) -> None:
        self._unsettled = True

    def settle(self) -> None:
        self._unsettled = False
        self._emit_pending(True)

    def _emit_pending(self, whole: bool) -> None:
        if self._pending is not None:
            record, self._pending = self._pending(whole), None
            self.unit.note(record)

    def _touch(self, label: int) -> None:
        if not self._definitions:
            self._learn_definitions()
        if label not in self._touched:
            block = self.fn.blocks.get(label)
            self._touched[label] = None if block is None else tuple(block.ops)

    def _changes(self) -> tuple[tuple[BlockChange, ...], tuple[int, ...] | None]:
        """Return the blocks that have changed, and their new order if they have one."""
        blocks = self.fn.blocks
        changes: list[BlockChange] = []
        for label, old in self._touched.items():
            block = blocks.get(label)
            if block is None:
                if old is not None:
                    changes.append(BlockChange(label, old, None))
            elif old is None or len(old) != len(block.ops) or not all(map(is_, old, block.ops)):
                changes.append(BlockChange(label, old, tuple(block.ops), block.handler))
        self._touched.clear()
        if sum(change.before is None for change in changes) > 1:
            places = {label: index for index, label in enumerate(blocks)}
            changes.sort(key=lambda change: places.get(change.label, -1))
        if len(blocks) == len(self._labels) and all(map(int.__eq__, blocks, self._labels)):
            return tuple(changes), None
        before, self._labels = self._labels, list(blocks)
        remaining = [label for label in before if label in blocks]
        known = set(before)
        if remaining + [label for label in blocks if label not in known] == self._labels:
            return tuple(changes), None
        return tuple(changes), tuple(blocks)

    # --- the user's words -----------------------------------------------------------------------

    def named(self, name: str) -> str:
        """Return a variable in the user's words: its name, or the source of its value."""
        if name.startswith(BOUND_FLAG):
            return f"the flag of `{user_name(name.removeprefix(BOUND_FLAG))}`"
        if not is_temporary(name):
            return f"`{user_name(name)}`"
        if name not in self._definitions:
            self._learn_definitions()
        op = self._definitions.setdefault(name, None)
        if isinstance(op, nodes.Cast):  # its source is the statement
            return self.named(op.value)
        return quoted(spelled(name, op)) if op is not None else UNNAMED

    def _learn_definitions(self) -> None:
        """Record the definition of each variable, for sentences after its removal."""
        table = definition_table(self.fn)
        self._definitions.update((name, ops[0]) for name, ops in table.items())

    def _is_copied(self, op: Op) -> bool:
        """True if the same source is compiled more than once, like code after a conditional
        expression that is returned."""
        if self._sources is None:
            before = {change.label: change.before for change in self._changed}
            self._sources = Counter(
                (type(one), one.loc)
                for label, block in self.fn.blocks.items()
                for one in before.get(label) or block.ops
            )
        return bool(op.loc.line) and self._sources[type(op), op.loc] > 1

    def _note(self, rule: Rule, *subjects: Any) -> str:
        """Return the sentence about one rewrite."""
        if callable(rule.note):
            return rule.note(self.named, *subjects)
        return self._sentences.format(rule.note, *subjects) or self._sentence(rule, *subjects)

    def _sentence(self, rule: Rule, old: Op, new: Op) -> str:
        """Return the default sentence about a rule on single ops."""
        source = words(old)
        match new:
            case nodes.Const(_, value):
                if isinstance(old, nodes.Arg):
                    return f"`{old.name}` is {shown_constant(value)} in this compilation"
                where = " on one of the paths to this point" if self._is_copied(old) else ""
                return f"{source} is {shown_constant(value)}{where}"
            case nodes.Copy(_, value) if isinstance(old, nodes.Phi):
                return f"{self.named(old.result)} has one value here, {self.named(value)}"
            case nodes.Copy(_, value):
                return f"{source} is {self.named(value)}"
            case nodes.Jump() if isinstance(old, nodes.Branch):
                truth = new.target == old.then
                return f"{self.named(old.cond)} is always {'true' if truth else 'false'} here"
            case nodes.StaticRaise(exception, _):
                return f"{source} raises {exception.__name__} with constants"
            case nodes.RaiseComputed(exception) | nodes.RaiseComputedFrom(exception):
                return f"{source} raises {exception.__name__} with values computed here"
            case nodes.StaticGetItem(_, _, index) | nodes.StaticSetItem(_, index, _):
                return f"the index in {source} is the constant {shown_constant(index)}"
            case nodes.Global(_, name, _):
                return f"{source} is the global `{name}`"
        return f"{source}: {rule.equation}"


class _Sentences(Formatter):
    """Fills the subjects of a rewrite into the note of its rule."""

    def __init__(self, editor: ReportingEditor) -> None:
        self._editor = editor

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Return a subject in the words that the note asks for; see `Rule`."""
        match conversion:
            case "v":
                return self._editor.named(value)
            case "u":
                return user_name(value)
        return value


def words(op: Op) -> str:
    """Return the source of an op, quoted."""
    return quoted(source_of(op) or UNNAMED)


def _origin(rule: Rule) -> str:
    """Return the location of a rule: the function that rewrites an op, or the one that commits."""
    if rule.rewrite is not None:
        return _place(rule.rewrite.__code__)
    frame = sys._getframe(2)
    while frame.f_code.co_filename in _EDITORS and frame.f_back is not None:
        frame = frame.f_back
    return _place(frame.f_code)


@cache
def _place(code: CodeType) -> str:
    """Return the file and line of code: relative to this package, or as a reader knows the file."""
    return f"{shown_file(code.co_filename).removeprefix(_PACKAGE)}:{code.co_firstlineno}"


# --- versions, one at a time ----------------------------------------------------------------------


class _Versions:
    """A function on its way into SSA form: `final` are the ops that differ by versions from those
    that the function has now."""

    def __init__(self, fn: Function, final: Mapping[int, list[Op]]) -> None:
        self.final = {label: tuple(ops) for label, ops in final.items()}
        self.plain = {label: tuple(fn.blocks[label].ops) for label in final}
        self.done: set[str] = set()

    def renamed(self, version: str, label: int, position: int) -> Op:
        """Return the op at a position once this version is used too; earlier versions are."""
        self.done.add(version)
        plain, final = self.plain[label][position], self.final[label][position]
        now = _between(plain, final, self.done)
        return final if now == final else now

    def places(self) -> dict[str, list[tuple[int, int]]]:
        """Return the positions of each new name, its definition first."""
        places: dict[str, list[tuple[int, int]]] = {}
        rest: list[tuple[str, tuple[int, int]]] = []
        for label, ops in self.final.items():
            for position, (plain, final) in enumerate(zip(self.plain[label], ops, strict=True)):
                if plain is final:
                    continue
                place = (label, position)
                for old, new in zip(definitions(plain), definitions(final), strict=True):
                    if old != new:
                        places.setdefault(new, []).append(place)
                pairs = zip(uses(plain), uses(final), strict=True)
                rest += [(new, place) for new in dict.fromkeys(n for o, n in pairs if o != n)]
        for version, place in rest:
            known = places.setdefault(version, [])
            if place not in known:
                known.append(place)
        return places


def _between(plain: Op, final: Op, done: set[str]) -> Op:
    """Return the op with those of its variables renamed whose versions are done."""
    if plain.REGIONS:
        pairs = [*zip(uses(plain), uses(final), strict=True)]
        known = {old: new for old, new in pairs if new in done}
        plain = rename_uses(plain, lambda name: known.get(name, name))
    changes: dict[str, Any] = {}
    for spec in type(plain).FIELDS:
        old, new = getattr(plain, spec.name), getattr(final, spec.name)
        if old is new or old == new or spec.role is Role.REGION:
            continue
        if isinstance(new, tuple):
            changes[spec.name] = tuple(n if n in done else o for o, n in zip(old, new, strict=True))
        elif new in done:
            changes[spec.name] = new
    return replace(plain, **changes) if changes else plain
