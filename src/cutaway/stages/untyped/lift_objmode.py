"""Lift the blocks of `with objmode(...)` out of a function, to be run as Python (stage 3).

    label 0:                                     label 0:
        $1 = global(objmode: <...>)                  jump 32
        $2 = const('float64')                    label 32:
        $3 = call $1($2, kws=(y))                    $7 = run_objects(<block at line 2>, args=(a))
        $4, $5 = enter($3)                           $8 = static_getitem(value=$7, index=0)
        jump 8                                       jump 33
    label 8, except 20:                   ->     label 33:
        y = call $6(a)                               y = $8
        jump 9                                       jump 31
    label 9:                                     label 31:
        call $4(None, None, None)                    return y
        return y
    label 20:
        $9 = caught(depth=0)
        $10 = exit_with($4, $9)
        branch $10, 24, 26

Variables that the block reads and does not define are its inputs; those that it defines and are
live after it are its outputs, whose types it declares.  This pass comes before all that analyze
values: nothing in the block has types.

Where an input may have no value there are two runs of the block, one of which does not take it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from cutaway.errors import UnsupportedError, did_you_mean
from cutaway.foundation.dataclass import replace as changed
from cutaway.foundation.source import Loc
from cutaway.ir import decisions, nodes, outlining
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Block, Op
from cutaway.ir.object_blocks import ObjectBlock
from cutaway.ir.reaches import live_into
from cutaway.ir.traversal import definition_table, definitions, successors, use_table, walk
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import object_declarations, prune_branches

LIFT_OBJMODE = Rule(
    "lift_objmode",
    "with objmode(...): block => a run of the block as Python",
    note="the block at the end of label {0} runs as Python",
)
FLAG_GIVEN = Rule(
    "flag_given",
    "an input of a block that may have no value => a flag that says whether it has one",
    note="whether `{0}` has a value is known where the block begins",
)

Prepare = Callable[[ObjectBlock], None]  # prepares a block to be run

MOST_UNCERTAIN = 3  # inputs that may have no value: for these there are eight runs of the block


def run(unit: CompileUnit) -> None:
    """Lift each block."""
    prepare = None if unit.services is None else unit.services.block
    for block in lift(unit.editor(), unit.pyfunc, prepare, unit.captured or ()):
        if unit.recording:
            unit.note(_decision(block))


def has_blocks(fn: Function) -> bool:
    """True if there may be a block to lift."""
    return any(isinstance(op, nodes.Enter) for op in walk(fn))


def lift(
    editor: Editor,
    function: FunctionType,
    prepare: Prepare | None,
    captured: tuple[str, ...] = (),
) -> list[ObjectBlock]:
    """Lift the blocks of a function, whose code `function` has; the variables `captured` are not in
    its cells.

    Raises UnsupportedError for a block that cannot be lifted.
    """
    lifted: list[ObjectBlock] = []
    while (place := _next(editor.fn)) is not None:
        lifting = _BlockLifting(editor, *place)
        lifted += lifting.lift(function, prepare, captured)
    table = definition_table(editor.fn)
    for op in walk(editor.fn):
        if isinstance(op, nodes.Call) and object_declarations.is_objmode(op.func, table):
            raise UnsupportedError(
                "objmode(...) is called in the `with` statement itself, and nowhere else",
                op.loc,
                'write with objmode(y="float64"):',
            )
    return lifted


def _next(fn: Function) -> tuple[Block, int, object_declarations.Declarations] | None:
    """Return the next block to lift: where it is entered, and its declarations."""
    if not has_blocks(fn):
        return None
    table = definition_table(fn)
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Enter):
                declared = object_declarations.declared_by(op, table)
                if declared is not None:
                    return block, position, declared
    return None


def _decision(block: ObjectBlock) -> decisions.Decision:
    inputs = [user_name(name) for name in block.inputs if not is_temporary(name)]
    given = ", ".join(f"`{name}`" for name in inputs) or "nothing"
    outputs = zip(block.outputs, block.types, strict=True)
    made = ", ".join(f"`{name}` as {ty}" for name, ty in outputs) or "nothing"
    reason = f"it runs as Python, is given {given}, and gives {made}"
    return decisions.Decision(
        f"the block at line {block.loc.line}", decisions.DONE, "lift_objmode", reason, block.loc
    )


class _BlockLifting:
    """One block of a function, which is entered at a position of `before`.

    `labels` are its blocks, `entry` the first; `after` is the label of the code after it, or None
    where there is none.
    """

    def __init__(
        self,
        editor: Editor,
        before: Block,
        position: int,
        declared: object_declarations.Declarations,
    ) -> None:
        enter = before.ops[position]
        assert isinstance(enter, nodes.Enter)
        self.editor = editor
        self.fn = editor.fn
        self.before = before
        self.position = position
        self.enter = enter
        self.declared = declared
        self.loc: Loc = enter.loc
        self.labels: set[int] = set()
        self.entry = self.fn.new_label()
        self.after: int | None = None

    def lift(
        self, function: FunctionType, prepare: Prepare | None, captured: tuple[str, ...]
    ) -> list[ObjectBlock]:
        """Lift it; return its runs."""
        self._require_names()
        self.editor.unsettle()  # until the `with` is gone
        self._cut_out()
        self._require_shape()
        self._hoist(captured)
        made = self._outlined()

        def block_without(unbound: frozenset[str]) -> ObjectBlock:
            block = ObjectBlock(made, self.declared.types, function, self.loc, unbound)
            if prepare is not None:
                prepare(block)
            return block

        runs = _Runs(self.editor, made, self.before.handler, block_without)
        first = runs.choose()
        ops_left = [op for op in self.before.ops[:-1] if op.id not in self._needless()]
        jump = nodes.Jump(first, loc=self.loc, id=self.fn.new_id())
        self.editor.set_ops(self.before, [*ops_left, jump])
        self.editor.commit(LIFT_OBJMODE, self.loc, str(self.before.label))
        for name in sorted(made.uncertain):
            _flag_given(self.editor, name, self.loc)
        prune_branches.drop_unreachable(self.editor)
        self.editor.settle()
        return runs.made

    def _require_names(self) -> None:
        if use_table(self.fn).get(self.enter.value):
            raise UnsupportedError(
                "`with objmode(...)` has no value", self.declared.loc, "leave `as` out"
            )
        known = {user_name(name) for op in walk(self.fn) for name in definitions(op)}
        for name in self.declared.types:
            if name not in known:
                raise UnsupportedError(
                    f"`{name}` is declared, and the function has no such variable",
                    self.declared.loc,
                    did_you_mean(name, sorted(n for n in known if not is_temporary(n))),
                )

    def _needless(self) -> frozenset[int]:
        """Return the ids of the ops that only serve the declaration."""
        uses = use_table(self.fn)
        return frozenset(
            op.id
            for op in self.before.ops
            if op.id in self.declared.ops
            and all(
                is_temporary(name)
                and all(use.id in self.declared.ops for use in uses.get(name, ()))
                for name in definitions(op)
            )
        )

    # --- its start and end ------------------------------------------------------------------------

    def _cut_out(self) -> None:
        """Start it with a block of its own, and end it where its exit is called."""
        fn, editor, outer = self.fn, self.editor, self.before.handler
        own = {
            label
            for label, block in fn.blocks.items()
            for op in block.ops
            if isinstance(op, nodes.ExitWith) and op.exit == self.enter.exit
        }
        rest = Block(self.entry, self.before.ops[self.position + 1 :], outer)
        editor.add_block(rest)
        jump = nodes.Jump(self.entry, loc=self.loc, id=fn.new_id())
        editor.cut(self.before, self.position, jump)
        waiting = [self.entry]
        while waiting:
            label = waiting.pop()
            if label in self.labels or label in own or label == outer or label == self.after:
                continue
            self.labels.add(label)
            block = fn.blocks[label]
            if block.handler in own:
                editor.set_handler(block, outer)
            self._end(block)
            waiting += successors(block)

    def _end(self, block: Block) -> None:
        """End it where a block calls its exit, if it does."""
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Call) and op.func == self.enter.exit:
                rest = block.ops[position + 1 :]
                returns = self._returns(rest)
                if returns or self.after is not None:
                    word = "`return`" if returns else "`return`, `break` or `continue`"
                    raise UnsupportedError(
                        f"a block of `with objmode` cannot be left by {word}",
                        self.declared.loc,
                        "assign to a variable in the block, and ask it after the block",
                    )
                self.after = self.fn.new_label()
                self.editor.add_block(Block(self.after, rest, block.handler))
                jump = nodes.Jump(self.after, loc=op.loc, id=self.fn.new_id())
                self.editor.cut(block, position, jump)
                return

    def _returns(self, ops: list[Op]) -> bool:
        """True if these ops, which follow it, are a `return value` that was written in it."""
        end = ops[-1]
        if not isinstance(end, nodes.Return) or not self._spans(end.loc):
            return False
        values = {name: op for op in ops for name in definitions(op)}
        made: Op | None = end
        while isinstance(made, nodes.Return | nodes.Cast):
            made = values.get(made.value)
        return not (isinstance(made, nodes.Const) and made.value is None)

    def _spans(self, loc: Loc) -> bool:
        return self.loc.line <= loc.line and loc.end_line <= self.loc.end_line

    def _require_shape(self) -> None:
        table = definition_table(self.fn)
        for label in self.labels:
            for op in self.fn.blocks[label].ops:
                if isinstance(op, nodes.Suspend | nodes.Delegate):
                    raise UnsupportedError(
                        "a block of `with objmode` cannot be left by `yield`",
                        op.loc,
                        "assign to a variable in the block, and yield it after the block",
                    )
                inner = (
                    object_declarations.declared_by(op, table)
                    if isinstance(op, nodes.Enter)
                    else None
                )
                if inner is not None:
                    raise UnsupportedError(
                        "a block of `with objmode` runs as Python already",
                        inner.loc,
                        "remove the inner `with objmode`",
                    )

    def _hoist(self, captured: tuple[str, ...]) -> None:
        """Read variables of the enclosing function that have no cell in front of it."""
        reads: dict[str, Op] = {}
        for label in sorted(self.labels):
            block = self.fn.blocks[label]
            for position, op in enumerate(block.ops):
                if not isinstance(op, nodes.FreeVar):
                    continue
                if op.name in self.fn.closure and op.name not in captured:
                    continue
                read = f"$read.{op.name}"
                if op.name not in reads:
                    reads[op.name] = nodes.FreeVar(
                        read, op.name, op.value, loc=op.loc, id=self.fn.new_id()
                    )
                copy = nodes.Copy(op.result, read, loc=op.loc, id=op.id)
                self.editor.replace(block, position, copy)
        self.editor.insert(self.before, len(self.before.ops) - 1, *reads.values())

    def _outlined(self) -> outlining.Outline:
        fn = self.fn.copy()
        try:
            made = outlining.outline(fn, frozenset(self.labels), self.entry)
        except outlining.CannotOutline as error:
            raise UnsupportedError(
                f"this block cannot run as Python: {error.reason}",
                self.declared.loc,
                "assign to other variables in the block, and to these after it",
            ) from None
        # Variables that only its handler needs are live in it, but are not inputs.
        needed = live_into(made.function())[self.entry]
        made = changed(
            made,
            inputs=tuple(name for name in made.inputs if name in needed),
            uncertain=made.uncertain & needed,
        )
        table = definition_table(fn)
        for name in made.outputs:
            if user_name(name) not in self.declared.types:
                loc = next(op.loc for op in table[name] if self._has(op))
                raise UnsupportedError(
                    f"`{user_name(name)}` is assigned in the block and used after it",
                    loc,
                    f"declare its type: objmode({user_name(name)}=...)",
                )
        if len(made.uncertain) > MOST_UNCERTAIN:
            names = ", ".join(f"`{user_name(name)}`" for name in sorted(made.uncertain))
            raise UnsupportedError(
                f"{names} may have no value where the block begins",
                self.declared.loc,
                "assign to them before the block",
            )
        return made

    def _has(self, op: Op) -> bool:
        return any(one is op for label in self.labels for one in self.fn.blocks[label].ops)


# --- the replacement of the block -----------------------------------------------------------------


class _Runs:
    """The blocks of the function that run a lifted block; `block_without` returns it for each set
    of inputs that have no value, and `made` are these."""

    def __init__(
        self,
        editor: Editor,
        outlined: outlining.Outline,
        handler: int | None,
        block_without: Callable[[frozenset[str]], ObjectBlock],
    ) -> None:
        self.editor = editor
        self.fn = editor.fn
        self.outlined = outlined
        self.handler = handler
        self.block_without = block_without
        self.made: list[ObjectBlock] = []
        self.uncertain = tuple(sorted(outlined.uncertain))

    def choose(self, asked: int = 0, unbound: frozenset[str] = frozenset()) -> int:
        """Build the tests of which inputs have a value, and the runs; return the first label."""
        if asked == len(self.uncertain):
            return self._run(unbound)
        name = self.uncertain[asked]
        ways = [self.choose(asked + 1, more) for more in (unbound, unbound | {name})]
        return self._add(self.handler, (nodes.Branch, _flag(name), *ways))

    def _run(self, unbound: frozenset[str]) -> int:
        made, block = self.outlined, self.block_without(unbound)
        self.made.append(block)
        result = self.fn.fresh("made")
        parts = [self.fn.fresh("made") for _ in made.outputs]
        runs = (nodes.RunObjects, result, block, block.inputs)
        taken = [(nodes.StaticGetItem, part, result, k) for k, part in enumerate(parts)]
        assigned = [
            (nodes.Copy, name, part) for name, part in zip(made.outputs, parts, strict=True)
        ]
        end = (nodes.Jump, made.exits[0]) if made.exits else (nodes.Unreachable,)
        if not assigned:
            return self._add(self.handler, runs, end)
        # The handler's variables are defined where nothing can raise any more.
        last = self._add(None, *assigned, end)
        return self._add(self.handler, runs, *taken, (nodes.Jump, last))

    def _add(self, handler: int | None, *ops: tuple[Any, ...]) -> int:
        """Add a block of ops, each a tuple of its class and its fields; return its label."""
        label = self.fn.new_label()
        loc = self.made[-1].loc
        built = [cls(*fields, loc=loc, id=self.fn.new_id()) for cls, *fields in ops]
        self.editor.add_block(Block(label, built, handler))
        return label


def _flag(name: str) -> str:
    return f"$given.{name}"


def _flag_given(editor: Editor, name: str, loc: Loc) -> None:
    """Keep a flag that is true while a variable has a value."""
    fn = editor.fn
    for block in fn.blocks.values():
        ops = list(_flagged(fn, block, name))
        if len(ops) > len(block.ops):
            editor.set_ops(block, ops)
    if name not in fn.params:
        first = next(k for k, op in enumerate(fn.entry.ops) if not isinstance(op, nodes.Arg))
        flag = nodes.Const(_flag(name), False, loc=loc, id=fn.new_id())
        editor.insert(fn.entry, first, flag)
    editor.commit(FLAG_GIVEN, loc, user_name(name))


def _flagged(fn: Function, block: Block, name: str) -> Iterator[Op]:
    for op in block.ops:
        yield op
        if name in definitions(op):
            has = not isinstance(op, nodes.Undef)
            yield nodes.Const(_flag(name), has, loc=op.loc, id=fn.new_id())
