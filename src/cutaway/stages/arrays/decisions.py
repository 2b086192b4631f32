"""Decisions of the passes over array expressions, with the reasons that users read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cutaway.foundation.source import Loc, mention_of, source_line
from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.elements import ArrayOp, steps
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.versioning import rare_blocks
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import Array

FUSED = "fuse_arrays"  # the pass whose decisions these are

# Why an expression stays: the reason, and the locations that it is about.
Refusal = tuple[str, tuple[Loc, ...]]

# Ops that compute the elements of an array, which a later op may update.
Earlier = nodes.ArrayExpr | nodes.ArrayStore

MOST_STEPS = 64  # operations in one body

# Operations that cost more than storing and reloading their result.
_COSTLY = frozenset(
    ("divide", "floor_divide", "remainder", "fmod", "power", "sqrt", "divmod", "fetch")
)


# Operations by which a value leaves the function as an array.
_LEAVING = (nodes.Return, nodes.Cast, nodes.BuildTuple, nodes.BuildList)
_READS_NO_ELEMENT = (nodes.Del, nodes.Decref, nodes.Incref, nodes.SizesOf)
_PARTS = (nodes.GetItem, nodes.StaticGetItem)


def fits_in_one(first: ArrayOp, second: ArrayOp) -> bool:
    """True if one body can hold the operations of both ops."""
    return len(first.body.blocks[0].ops) + len(second.body.blocks[0].ops) <= MOST_STEPS


class Reasons:
    """Records the decisions about one block; the last one about an expression counts."""

    def __init__(self, unit: CompileUnit, fn: Function, tables: Tables) -> None:
        self.unit = unit
        self.fn = fn
        self.tables = tables
        self.noted: dict[int, Decision] = {}  # by the id of the expression

    def is_costly(self, op: nodes.ArrayExpr) -> bool:
        """True if an expression costs more to compute again than to read."""
        for step in steps(op.body):
            resolved = self.unit.resolutions.get(step.id)
            assert isinstance(resolved, Chosen)
            overload, signature = resolved.resolution.overload, resolved.resolution.signature
            if step.function.partition(".")[0] in _COSTLY:
                return True
            if overload.loop is not None and overload.loop(signature, False):
                return True
        return False

    def users_of(self, name: str) -> list[Op]:
        """Return the ops that use a variable, in source order while recording."""
        if self.unit.recording:
            return self.tables.users_in_order(name)
        return self.tables.users(name)

    def used_often(self, name: str) -> Refusal:
        """Return the refusal of an expression that is used several times."""
        users = self.readers_of(name)
        leaving = [loc for loc, op in users.items() if isinstance(op, _LEAVING)]
        if leaving:
            inside = _on_lines([loc for loc in users if loc not in leaving] or leaving)
            reason = f"line {leaving[-1].line} gives it back, and {inside} that array is read"
            return reason, tuple(users)
        if all(isinstance(op, _PARTS) for op in users.values()):
            return f"parts of it are taken {_on_lines(users)}", tuple(users)
        times = "in several rounds" if len(users) == 1 else f"{len(users)} times"
        return f"it is used {times}, {_on_lines(users)}", tuple(users)

    def readers_of(self, name: str) -> dict[Loc, Op]:
        """Return the locations where the value of a variable is read, with an op for each.

        Phis and copies do not count as reads: the reads of their results do.  A location in an
        expression of several lines is on the line that names the variable.
        """
        if not self.unit.recording:
            return {op.loc: op for op in self.tables.users(name)}
        found: dict[Loc, Op] = {}
        waiting, seen = [name], {name}
        while waiting:
            one = waiting.pop()
            for op in self.tables.users(one):
                if isinstance(op, nodes.Phi | nodes.Copy):
                    waiting += [op.result] * (op.result not in seen)
                    seen.add(op.result)
                elif not isinstance(op, _READS_NO_ELEMENT) and not _is_of_test(op):
                    found.setdefault(mention_of(op.loc, user_name(one)), op)
        return dict(sorted(found.items(), key=lambda item: (item[0].line, item[0].col)))

    def used_as_indices(self, consumer: Op) -> Refusal:
        """Return the refusal of indices that are computed."""
        line = consumer.loc.line
        reason = f"they are indices, and all are looked at before the loop of line {line} begins"
        return reason, _places((consumer,))

    def changed_between(
        self, op: Op, consumer: Op, written: Iterable[str], arrays: Iterable[str]
    ) -> Refusal:
        """Return the refusal of an expression whose operands an op in between may write to."""
        changed, targets = _names(arrays), _names(written)
        if set(changed) & set(targets) or not targets:
            what = f"may change {' or '.join(changed) or 'an array'}, which it is computed of,"
        else:
            shared = " or ".join(changed) or "an array that it is computed of"
            what = f"writes to {' or '.join(targets)}, which may share memory with {shared},"
        reason = f"line {op.loc.line} {what} before the loop of line {consumer.loc.line} uses it"
        return reason, _places((op, consumer))

    def stored_between(self, op: Op, consumer: Op) -> Refusal:
        """Return the refusal of an expression that must raise for sizes before an op writes."""
        does = "makes a call" if isinstance(op, nodes.Call) else "writes to an array"
        reason = (
            f"line {op.loc.line} {does}, and must not do so before it is known that the sizes fit"
        )
        return reason, _places((op, consumer))

    def too_long(self, consumer: Op) -> Refusal:
        """Return the refusal of a body with too many operations."""
        reason = f"with it the loop of line {consumer.loc.line} would have too many operations"
        return reason, _places((consumer,))

    def repeated(self, consumer: Op, own: int, whole: int) -> Refusal:
        """Return the refusal of an expression to be computed for several elements of the result."""
        times = "axis" if whole - own == 1 else f"{whole - own} axes"
        reason = (
            f"it has {counted(own)}, line {consumer.loc.line} works along {counted(whole)}, and"
            f" it would be computed again for each element along the other {times}"
        )
        return reason, _places((consumer,))

    def done(self, producer: nodes.ArrayExpr, consumer: Op) -> None:
        """Record that one expression became a part of another."""
        line = consumer.loc.line
        if isinstance(consumer, ArrayOp):
            reason = f"it is used once, and computed in the loop of line {line}"
        else:
            reason = f"it is computed in the elements that line {line} assigns it to"
        self._note(producer, DONE, (reason, _places((consumer,))))

    def updated(self, producer: Earlier, consumer: Op) -> None:
        """Record that the elements of an array are computed and updated in one loop."""
        reason = f"line {consumer.loc.line} updates it, and both are computed in its loop"
        self._note(producer, DONE, (reason, _places((consumer,))))

    def updated_with(self, store: Op, shared: Iterable[str]) -> Refusal:
        """Return the refusal of an update with arrays that may be views of the updated one."""
        what = " or ".join(_names(shared)) or "an array"
        reason = f"line {store.loc.line} updates it with {what}, which may share memory with it"
        return reason, _places((store,))

    def converted(self, store: Op, ty: Array) -> Refusal:
        """Return the refusal of an update whose elements are converted before they are stored."""
        reason = f"line {store.loc.line} updates it as {ty.dtype}, which its elements become first"
        return reason, _places((store,))

    def unknown_sizes(self, store: Op) -> Refusal:
        """Return the refusal of an update whose sizes may not fit."""
        reason = f"line {store.loc.line} updates it, and it is not known here that the sizes fit"
        return reason, _places((store,))

    def missed(self, producer: Earlier, refusal: Refusal) -> None:
        """Record why an expression was not fused."""
        self._note(producer, MISSED, refusal)

    def finish(self, block: Block) -> None:
        """Report the decisions about a block, and why the other expressions stay."""
        if not self.unit.recording:
            return
        if block.label in rare_blocks(self.fn):
            return  # a copy of a loop, for when a test before it fails
        for op in block.ops:
            known = op.id in self.noted or not isinstance(op, nodes.ArrayExpr)
            if not known and isinstance(self.unit.types[op.result], Array):
                refusal = self._of_staying(op, block)
                if refusal is not None:
                    self.missed(op, refusal)
        for decision in self.noted.values():
            self.unit.note(decision)

    def _of_staying(self, op: nodes.ArrayExpr, block: Block) -> Refusal | None:
        """Return why no fusion was tried for an expression; None if no opportunity was missed."""
        users = self._users_of_array(op.result)
        used = [one for one in users if not isinstance(one, _LEAVING)]
        if not used:
            return None
        if len(users) > 1:
            return self.used_often(op.result)
        user = used[0]
        line = user.loc.line
        match user:
            case nodes.Call():
                what = f"line {line} passes it to {self._callee(user)}, which takes a whole array"
            case nodes.GetItem(index=index) if index == op.result:
                what = f"line {line} counts where it is true, before it takes those elements"
            case nodes.GetItem() | nodes.StaticGetItem():
                what = f"a part of it is taken on line {line}"
            case nodes.Phi():
                readers = self.readers_of(op.result)
                what = "it goes into the next round of a loop, or past a branch, as an array"
                read = f", and {_on_lines(readers)} that array is read" if readers else ""
                return f"{what}{read}", tuple(readers) or _places(users)
            case _ if user.id in {one.id for one in block.ops}:
                what = f"line {line} needs it as an array"
            case _:
                what = self._elsewhere(user, block)
        return what, _places(users)

    def _users_of_array(self, name: str) -> list[Op]:
        """Return the ops that use an array, also under the names of its copies."""
        users: list[Op] = []
        for op in self.users_of(name):
            users += self._users_of_array(op.result) if isinstance(op, nodes.Copy) else [op]
        return users

    def _callee(self, call: nodes.Call) -> str:
        maker = self.tables.makers.get(call.func)
        match maker:
            case nodes.Global() | nodes.FreeVar():
                return f"`{maker.name}`"
            case nodes.GetAttr():
                return f"`.{maker.attr}`"
        return "a function"

    def _elsewhere(self, user: Op, block: Block) -> str:
        """Return the reason for a use in another block."""
        line = user.loc.line
        for label, other in self.fn.blocks.items():
            if any(one.id == user.id for one in other.ops):
                loops = graph_of(self.fn).node_to_loops()
                if set(loops.get(label, ())) - set(loops.get(block.label, ())):
                    return f"line {line} uses it in a loop, where each round would compute it again"
        return f"line {line} uses it behind a branch, and only what follows straight on is fused"

    def _note(self, producer: Earlier, verdict: str, refusal: Refusal) -> None:
        if self.unit.recording:
            stored = isinstance(producer, nodes.ArrayStore)
            name = producer.target if stored else producer.result
            subject = (
                producer.expr if is_temporary(name) else f"{user_name(name)} = {producer.expr}"
            )
            subject = re.sub(r"\$[\w.]+", "...", subject)  # what has no name in the program
            reason, places = refusal
            decision = Decision(subject, verdict, "fuse", reason, producer.loc, places=places)
            self.noted.pop(producer.id, None)
            self.noted[producer.id] = decision


def _names(variables: Iterable[str]) -> list[str]:
    """Return the names of the user's variables, quoted."""
    names = (f"`{user_name(name)}`" for name in variables if not is_temporary(name))
    return list(dict.fromkeys(names))


def _is_of_test(op: Op) -> bool:
    """True if an op reads a size for the test before a loop, which is not in the source."""
    if not isinstance(op, nodes.GetAttr):
        return False
    end = source_line(op.loc.filename, op.loc.end_line)[: op.loc.end_col]
    return not end.rstrip().endswith(op.attr)


def counted(axes: int) -> str:
    """Return a number of axes in words."""
    return "1 axis" if axes == 1 else f"{axes or 'no'} axes"


def _places(ops: Iterable[Op]) -> tuple[Loc, ...]:
    return tuple(dict.fromkeys(op.loc for op in ops))


def _on_lines(places: Iterable[Loc]) -> str:
    lines = [str(line) for line in dict.fromkeys(loc.line for loc in places)]
    if len(lines) == 1:
        return f"on line {lines[0]}"
    return f"on lines {', '.join(lines[:-1])} and {lines[-1]}"
