"""Unroll loops over `literal_unroll(t)`: one copy of the body per item (stage 3).

    for x in literal_unroll(t):        $item.0 = static_getitem(t, 0)
        s += x                  ->     x = $item.0; s += x
                                       $item.1 = static_getitem(t, 1)
                                       x = $item.1; s += x

Each copy is typed by itself, so the items may differ in type.  `continue` goes on at the next
copy, `break` leaves them all, and `else` follows the last one.  The number of items has to
be known here: the tuple is a parameter, a constant, or written in the function.
"""

from __future__ import annotations

from functools import partial

from cutaway.errors import CompileError, TypingError, UnsupportedError
from cutaway.foundation import marks
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.ir import decisions, nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function
from cutaway.ir.graph import Loop, graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import (
    definition_table,
    definitions,
    retarget,
    walk,
)
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import copied_loops, prune_branches
from cutaway.typing import types
from cutaway.typing.types import Tuple, Type
from cutaway.typing.values import holders

MOST_BLOCKS = 2000  # that unrolling adds to a function
_HOW = "write for x in cutaway.literal_unroll(t)"


UNROLL_LOOP = Rule(
    "unroll_loop",
    "a loop over literal_unroll(t) => its body for each item",
    note="the tuple has {0}: {1}",
)


def run(unit: CompileUnit) -> None:
    """Unroll all such loops, outer ones first."""
    if not any(_is_mark(op) for op in walk(unit.fn)):
        return
    editor = unit.editor()
    most = len(unit.fn.blocks) + MOST_BLOCKS
    while (unrolled := _find(unit.fn)) is not None:
        count = _length(unit, unrolled.call)
        if len(unit.fn.blocks) + count * len(unrolled.loop.body) > most:
            message = f"the loops over literal_unroll in {unit.name} become too large"
            raise UnsupportedError(message, unrolled.call.loc, "take fewer items")
        held = unit.fn.fresh("items")
        _hold_tuple(editor, unrolled, held)
        if unrolled.loop.body:
            _unroll(editor, unrolled, count, held)
        else:
            _take_first(editor, unit.fn.blocks[unrolled.loop.header], unrolled, count, held)
        copies = "nothing is done" if not count else f"its body stands here {_times(count)}"
        editor.commit(UNROLL_LOOP, unrolled.call.loc, _items(count), copies)
        if unit.recording:
            reason = f"the tuple has {_items(count)}, each of which is typed by itself"
            unit.note(
                decisions.Decision(
                    "the loop", decisions.DONE, "unroll_loop", reason, unrolled.call.loc
                )
            )
    prune_branches.drop_unreachable(editor)
    _refuse_others(unit.fn)


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


@dataclass(frozen=True, slots=True)
class _Unrolled:
    """A loop over a marked tuple: the call of the mark, and the ops of the header."""

    call: nodes.Call
    iterator: nodes.GetIter
    loop: Loop
    advance: nodes.IterNext
    branch: nodes.Branch


def _is_mark(op: Op) -> bool:
    """True if an op reads the function `literal_unroll`."""
    match op:
        case nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
            return value is marks.literal_unroll
        case nodes.GetAttr(_, _, attr):
            return attr == marks.literal_unroll.__name__
    return False


class _Definitions:
    """The op that defines each variable with one definition."""

    def __init__(self, fn: Function) -> None:
        self.table = {name: ops[0] for name, ops in definition_table(fn).items() if len(ops) == 1}

    def op(self, name: str) -> Op | None:
        """Return the op that defines a variable, looking through copies."""
        source = self.table.get(name)
        while isinstance(source, nodes.Copy | nodes.Deref):
            source = self.table.get(source.value)
        return source

    def is_marked(self, op: Op | None) -> bool:
        """True if an op is a call of `literal_unroll`."""
        if not isinstance(op, nodes.Call):
            return False
        match self.op(op.func):
            case nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
                return value is marks.literal_unroll
            case nodes.GetAttr(_, owner, attr):
                holder = self.op(owner)
                known = isinstance(holder, nodes.Global | nodes.FreeVar)
                return known and holders.held_by(holder.value, attr) is marks.literal_unroll
        return False


def _find(fn: Function) -> _Unrolled | None:
    """Return the outermost loop over a marked tuple; None where there is none."""
    sources = _Definitions(fn)
    loops = graph_of(fn).loops()
    for label in sorted(fn.blocks, key=lambda label: -_extent(loops, label)):
        *_, last = ops = fn.blocks[label].ops
        loop = loops.get(label) or _never_again(label)
        advance = next((op for op in ops if isinstance(op, nodes.IterNext)), None)
        if advance is None or not isinstance(last, nodes.Branch) or last.cond != advance.valid:
            continue
        iterator = sources.op(advance.iterator)
        call = sources.op(iterator.value) if isinstance(iterator, nodes.GetIter) else None
        if isinstance(call, nodes.Call) and sources.is_marked(call):
            assert isinstance(iterator, nodes.GetIter)
            return _Unrolled(call, iterator, loop, advance, last)
    return None


def _extent(loops: dict[int, Loop], label: int) -> int:
    return len(loops[label].body) if label in loops else 0


def _never_again(header: int) -> Loop:
    """Return a loop without blocks or back edges, for one that is left at the first item."""
    return Loop(frozenset(), frozenset(), header, frozenset())


# --- how many items there are ------------------------------------------------------------------


def _length(unit: CompileUnit, call: nodes.Call) -> int:
    if len(call.args) != 1 or call.keywords or call.star is not None:
        raise TypingError("literal_unroll takes one argument, a tuple", call.loc, _HOW)
    match _source(unit.fn, call):
        case nodes.BuildTuple(_, items):
            return len(items)
        case nodes.Const(_, value) | nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
            if isinstance(value, tuple):
                return len(value)
            raise _no_tuple(f"a value of type {type(value).__name__}", call.loc)
        case nodes.Arg(_, index, _) if unit.argtypes is not None:
            return _length_of_type(unit.argtypes[index], call.loc)
    raise UnsupportedError(
        "the number of items of this tuple is not known where its loop is unrolled",
        call.loc,
        "pass the tuple as an argument of a compiled function, which unrolls it",
    )


def _source(fn: Function, call: nodes.Call) -> Op | None:
    """Return the op that defines the tuple, if that is certain."""
    graph, single = graph_of(fn), _Definitions(fn)
    label, place = next(
        (block.label, place)
        for block in fn.blocks.values()
        for place, op in enumerate(block.ops)
        if op is call
    )
    before, name = fn.blocks[label].ops[:place], call.args[0]
    while True:
        for op in reversed(before):
            if name not in definitions(op):
                continue
            if not isinstance(op, nodes.Copy | nodes.Deref):
                return op
            name = op.value
        sources = graph.predecessors(label)
        if name in single.table or len(sources) != 1:
            return single.op(name)
        (label,) = sources
        before = fn.blocks[label].ops


def _length_of_type(ty: Type, loc: Loc) -> int:
    if isinstance(ty, types.Omitted) and isinstance(ty.value, tuple):
        return len(ty.value)
    if isinstance(ty, Tuple):
        return ty.count
    raise _no_tuple(f"a value of type {ty}", loc)


def _no_tuple(what: str, loc: Loc) -> CompileError:
    return TypingError(f"literal_unroll takes a tuple, not {what}", loc, "leave literal_unroll out")


def _refuse_others(fn: Function) -> None:
    sources = _Definitions(fn)
    for op in walk(fn):
        if sources.is_marked(op):
            message = "literal_unroll is only allowed in the head of a for loop"
            raise UnsupportedError(message, op.loc, _HOW)


# --- copies ------------------------------------------------------------------------------------


def _take_first(editor: Editor, block: Block, unrolled: _Unrolled, count: int, held: str) -> None:
    """Continue with the first item, if there is one."""
    if count:
        editor.set_ops(block, [_of_item(unrolled, held, 0, op) for op in block.ops])
        return
    ops = [op for op in block.ops if op is not unrolled.advance]
    jump = nodes.Jump(unrolled.branch.orelse, loc=unrolled.branch.loc, id=unrolled.branch.id)
    editor.set_ops(block, [*ops[:-1], jump])


def _unroll(editor: Editor, unrolled: _Unrolled, count: int, held: str) -> None:
    """Replace the loop by copies of the body."""
    fn = editor.fn
    body = [fn.blocks[label] for label in fn.blocks if label in unrolled.loop.body]
    own = sorted(copied_loops.own_temporaries(fn, unrolled.loop.body))
    first = fn.new_label()
    labels = [
        {block.label: first + k * len(body) + i for i, block in enumerate(body)}
        for k in range(count)
    ]
    begins = [mapping[unrolled.loop.header] for mapping in labels] + [unrolled.branch.orelse]
    for k, mapping in enumerate(labels):
        targets = {**mapping, unrolled.loop.header: begins[k + 1]}
        names = {name: fn.fresh("unrolled") for name in own}
        item = partial(_of_item, unrolled, held, k)
        copied_loops.copy_blocks(editor, body, mapping, targets, names, item)
    for block in body:
        editor.drop_block(block.label)
    begin = begins[0]
    for block in fn.blocks.values():
        end = retarget(
            block.ops[-1], lambda label: begin if label == unrolled.loop.header else label
        )
        editor.cut(block, len(block.ops) - 1, end)


def _hold_tuple(editor: Editor, unrolled: _Unrolled, held: str) -> None:
    """Copy the tuple, whose variable the loop may assign, and make no iterator."""
    fn = editor.fn
    for block in fn.blocks.values():
        ops: list[Op] = []
        for op in block.ops:
            if op is unrolled.call:
                ops.append(nodes.Copy(held, unrolled.call.args[0], loc=op.loc, id=op.id))
                ops.append(nodes.Copy(unrolled.call.result, held, loc=op.loc, id=fn.new_id()))
            elif op is not unrolled.iterator:
                ops.append(op)
        editor.set_ops(block, ops)


def _of_item(unrolled: _Unrolled, held: str, place: int, op: Op) -> Op:
    """Return the op of the body for one item, which replaces the iterator's step."""
    if op is unrolled.advance:
        return nodes.StaticGetItem(unrolled.advance.result, held, place, loc=op.loc, id=op.id)
    if op is unrolled.branch:
        return nodes.Jump(unrolled.branch.then, loc=op.loc, id=op.id)
    return op
