"""Leave out references that are taken only to be dropped again (stage 6b).

    incref a                       $0.3 = a + b
    incref b                       $0.4 = move $0.3
    $0.3 = a + b             ->    return $0.4
    decref a
    decref b
    $0.4 = cast(value=$0.3)
    incref $0.4
    decref $0.3
    return $0.4

An object lives as long as somebody holds a reference.  A pair of `incref` and `decref` can be
removed if another owner holds one all the time between them: a variable that is not reassigned, the
function's caller, its environment.  And where one variable drops its reference just when another
one takes one, the reference is transferred.

Each removed pair is a decision, and so is each remaining one, with the reason.
"""

from __future__ import annotations

from collections import defaultdict

from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.liveness import Liveness, liveness
from cutaway.ir.nodes import Block, Op
from cutaway.ir.references import cells
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.stages.unit import CompileUnit

PAIR_OPERAND = Rule(
    "pair_operand",
    "incref x, an operation on x, decref x => the operation",
    note="{0!v} keeps its object while the operation runs",
)
PAIR_CONSTANT = Rule(
    "pair_constant",
    "c = const, incref c, ..., decref c => c = const, ...",
    note="the environment keeps the constant",
)
PAIR_ARGUMENT = Rule(
    "pair_argument",
    "x = arg, incref x, ..., decref x => x = arg, ...",
    note="the caller keeps the argument {0!v} for all of the call",
)
PAIR_COPY = Rule(
    "pair_copy",
    "t = x, incref t, ..., decref t => t = x, ...",
    note="{0!v} keeps the object as long as its copy is needed",
)
HAND_ON = Rule(
    "hand_on",
    "y = x, incref y, ..., decref x => y = move x, ...",
    note="{0!v} takes over the reference",
)


def run(unit: CompileUnit) -> None:
    """Remove pairs, and report why the remaining ones stay."""
    editor = unit.editor()
    before = _count(editor.fn)
    pairs = _Pairs(unit, editor)
    pairs.operands()
    pairs.constants()
    pairs.arguments()
    pairs.copies()
    pairs.hand_on()
    if unit.recording:
        pairs.note_kept()
        unit.note(_summary(unit.fn, before))


def _count(fn: Function) -> tuple[int, int]:
    """Return the numbers of increfs and decrefs."""
    ops = list(walk(fn))
    return (
        sum(isinstance(op, nodes.Incref) for op in ops),
        sum(isinstance(op, nodes.Decref) for op in ops),
    )


def _summary(fn: Function, before: tuple[int, int]) -> Decision:
    after = _count(fn)
    reason = (
        f"{before[0]} incref and {before[1]} decref before, {after[0]} incref and"
        f" {after[1]} decref after"
    )
    loc = fn.entry.ops[0].loc
    return Decision("the references of all objects", DONE, "pair_refcounts", reason, loc)


class _Pairs:
    """The references of one function that are still counted."""

    def __init__(self, unit: CompileUnit, editor: Editor) -> None:
        self.unit = unit
        self.editor = editor
        self.fn = editor.fn
        self.cells = cells(self.fn)
        self.defined: dict[str, int] = defaultdict(int)  # how often each variable is defined
        for op in walk(self.fn):
            for name in definitions(op):
                self.defined[name] += 1
        self.counting: dict[str, dict[int, Block]] = defaultdict(dict)  # the blocks that count it
        for block in self.fn.blocks.values():
            for op in block.ops:
                if isinstance(op, nodes.Incref | nodes.Decref):
                    self.counting[op.value][block.label] = block

    def operands(self) -> None:
        """Remove pairs around an operation whose operand a variable keeps alive."""
        for block in self.fn.blocks.values():
            position = 0
            while position < len(block.ops):
                if not self._operand(block, position):
                    position += 1

    def _operand(self, block: Block, position: int) -> bool:
        first = block.ops[position]
        if not isinstance(first, nodes.Incref) or is_temporary(first.value):
            return False
        at = position
        while isinstance(block.ops[at], nodes.Incref):
            at += 1
        op = block.ops[at]
        if first.value not in uses(op) or first.value in definitions(op):
            return False
        for later in block.ops[at + 1 :]:
            if not isinstance(later, nodes.Incref | nodes.Decref):
                return False
            if isinstance(later, nodes.Decref) and later.value == first.value:
                self._remove(block, first, later)
                self._commit(PAIR_OPERAND, op, first.value, "the variable keeps its object")
                return True
        return False

    def constants(self) -> None:
        """Remove the counting of constants, which the environment keeps alive."""
        returned = self._returned()
        for op in list(walk(self.fn)):
            if isinstance(op, nodes.Const) and op.result not in returned:
                self._drop_all(PAIR_CONSTANT, op, op.result, "the environment keeps the constant")

    def arguments(self) -> None:
        """Remove the counting of arguments, which the caller keeps alive."""
        returned = self._returned()
        for op in list(walk(self.fn)):
            if isinstance(op, nodes.Arg) and op.result not in self.cells | returned:
                if self.defined[op.result] == 1:
                    self._drop_all(PAIR_ARGUMENT, op, op.result, "the caller keeps its argument")

    def copies(self) -> None:
        """Remove the counting of copies that their source keeps alive."""
        returned, live = self._returned(), liveness(self.fn)
        for op in list(walk(self.fn)):
            if isinstance(op, nodes.Copy) and is_temporary(op.result):
                plain = not is_temporary(op.value) and op.value not in self.cells
                once = self.defined[op.result] == 1 and op.result not in returned
                # Removing other copies' counts does not change this one's live range.
                if plain and once and not self._changes_during(op.value, op.result, live):
                    reason = f"`{user_name(op.value)}` keeps it meanwhile"
                    self._drop_all(PAIR_COPY, op, op.value, reason, op.result)

    def hand_on(self) -> None:
        """Transfer a reference from a variable that drops it to one that acquires it."""
        for block in self.fn.blocks.values():
            for op in list(block.ops):
                if isinstance(op, nodes.Copy | nodes.Cast) and op.result not in self.cells:
                    self._hand_on(block, op)

    def _hand_on(self, block: Block, op: nodes.Copy | nodes.Cast) -> None:
        position = next(k for k, one in enumerate(block.ops) if one is op)
        take = drop = None
        for later in block.ops[position + 1 :]:
            if isinstance(later, nodes.Incref) and later.value == op.result:
                take = take or later
            elif isinstance(later, nodes.Decref) and later.value == op.value:
                drop = later
                break
            elif not isinstance(later, nodes.Decref):
                break
        if take is not None and drop is not None:
            self._remove(block, take, drop)
            moved = nodes.Move(op.result, op.value, loc=op.loc, id=op.id)
            self.editor.replace(block, position, moved)
            self._commit(HAND_ON, op, op.result, "the reference is handed on")

    # --- shared parts ---------------------------------------------------------------------------

    def _returned(self) -> set[str]:
        """Return the variables whose references the function transfers."""
        return {op.value for op in walk(self.fn) if isinstance(op, nodes.Return | nodes.Suspend)}

    def _changes_during(self, name: str, copy: str, live: Liveness) -> bool:
        """True if a variable is reassigned while a copy of it is live."""
        for label, block in self.fn.blocks.items():
            needed = copy in live.out.get(label, ())
            for op in reversed(block.ops):
                if name in definitions(op) and (needed or copy in uses(op)):
                    return True
                if needed and isinstance(op, nodes.Decref) and op.value == name:
                    return True
                if copy in definitions(op):
                    needed = False
                needed = needed or copy in uses(op)
        return False

    def _drop_all(self, rule: Rule, op: Op, subject: str, reason: str, name: str = "") -> None:
        """Remove all counting of a variable whose object has another owner."""
        name = name or subject
        counted = False
        for block in self.counting[name].values():
            gone = [one for one in block.ops if _counts(one, name)]
            if gone:
                self._remove(block, *gone)
                counted = True
        if counted:
            self._commit(rule, op, subject, reason)

    def _remove(self, block: Block, *gone: Op) -> None:
        ids = {op.id for op in gone}
        self.editor.set_ops(block, [op for op in block.ops if op.id not in ids])

    def _commit(self, rule: Rule, op: Op, subject: str, reason: str) -> None:
        self.editor.commit(rule, op.loc, subject)
        if self.unit.recording:
            self.unit.note(Decision(_shown(subject), DONE, rule.name, reason, op.loc))

    def note_kept(self) -> None:
        """Report why each remaining reference is taken."""
        made = {name: op for op in walk(self.fn) for name in definitions(op)}
        returned = self._returned()
        for op in walk(self.fn):
            if isinstance(op, nodes.Incref):
                reason = self._kept(op.value, made[op.value], returned)
                self.unit.note(Decision(_shown(op.value), MISSED, "pair_refcounts", reason, op.loc))

    def _kept(self, name: str, made: Op, returned: set[str]) -> str:
        if name in returned:
            return "the caller gets a reference of its own"
        if isinstance(made, nodes.Arg):
            return "it gets another value, and drops then what it has"
        if isinstance(made, nodes.Copy) and is_temporary(name) and not is_temporary(made.value):
            changed = user_name(made.value)
            return f"`{changed}` may get another value while what it was is still needed"
        return "it needs a reference of its own, which it drops when it gets another value"


def _counts(op: Op, name: str) -> bool:
    return isinstance(op, nodes.Incref | nodes.Decref) and op.value == name


def _shown(name: str) -> str:
    return "an intermediate value" if is_temporary(name) else f"`{user_name(name)}`"
