"""Lift loops out of a function of objects, to be run by code with types (stage 6b).

    label 0:                               label 0:
        $1 = getiter(value=a)                  $4 = run_loop(<loop at line 3>, args=(a, s))
        jump 8                                 $5 = const(None)
    label 8:                                   $6 = $4 is $5
        $2, $3 = iternext(value=$1)            branch $6, 41, 40
        branch $3, 12, 20           ->     label 40:
    label 12:                                  s = static_getitem(value=$4, index=1)
        x = $2                                 jump 20
        s = s + x                          label 41:
        jump 8                                 $1 = getiter(value=a)
                                               jump 8
                                           label 8: ...

A loop becomes a function of its own, with the ops in front of it that make its iterator.  Which
types it has is not known before it runs: the function is compiled at its first run, for the values
that it gets.  Where no types fit, nothing has run, and the loop runs as objects: it is still there,
and the loops in it are lifted in their turn.

Each loop is a decision: lifted, or why it cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cutaway.foundation.dataclass import replace as changed
from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Rule
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import Loop, graph_of
from cutaway.ir.lifted import LiftedLoop, TriedLoop
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.operators import BINARY
from cutaway.ir.outlining import CannotOutline, absorbed, outline
from cutaway.ir.references import cells
from cutaway.ir.traversal import definitions, retarget, uses
from cutaway.stages.unit import CompileUnit

SPLIT_ENTRY = Rule(
    "split_entry",
    "a block in front of a loop => what is done before, and what makes the loop's iterator",
    note="the loop at label {0} begins with a block of its own",
)
SPLIT_RETURN = Rule(
    "split_return",
    "a return in a handler of the loop => a jump to a return after it",
    note="the return at the end of label {0} is outside of the loop",
)
LIFT_LOOP = Rule(
    "lift_loop",
    "a loop => a run of it apart, what that gives, or the loop where no types fit",
    note="the loop at label {0} is tried as code with types first",
)

RUN_ORDER = Rule(
    "run_order",
    "blocks in any order => each after those that lead to it",
    note="the blocks are in the order in which they run",
)

MOST_INPUTS = 48  # of a loop; C keeps its arguments on the stack

# Functions that make iterators of existing values.
_MAKES_ITERATORS = frozenset({"range", "prange", "enumerate", "zip", "len", "reversed"})
_NEVER = (
    (nodes.Suspend, "it yields"),
    (nodes.Delegate, "it yields"),
    (nodes.WriteOuter, "it assigns to a variable of the module or of an enclosing function"),
    (nodes.DeleteOuter, "it deletes a variable of the module or of an enclosing function"),
    (nodes.Import, "it imports"),
    (nodes.ImportFrom, "it imports"),
    (nodes.RaiseCurrent, "it raises again what is handled around it"),
    (nodes.Deref, "a comprehension in it reads a variable that may have no value"),
)


def run(unit: CompileUnit) -> None:
    """Lift each loop, the outer ones first."""
    lifting = _LoopLifting(unit)
    done: set[int] = set()
    while True:
        loops = sorted(graph_of(unit.fn).loops().values(), key=lambda one: -len(one.body))
        loop = next((one for one in loops if one.header not in done), None)
        if loop is None:
            break
        done.add(loop.header)
        lifting.lift(loop)
    lifting.order()
    unit.loops = tuple(sorted(lifting.tried, key=lambda one: (one.first_line, -one.last_line)))


class _LoopLifting:
    """The loops of one function."""

    def __init__(self, unit: CompileUnit) -> None:
        self.unit = unit
        self.editor = unit.editor()
        self.fn = self.editor.fn
        self.tried: list[TriedLoop] = []
        self.kept: frozenset[str] = frozenset()  # iterators of the loop that is lifted

    def order(self) -> None:
        """Sort the blocks in the order in which they run."""
        if any(one.lifted is not None for one in self.tried):
            order = graph_of(self.fn).reverse_postorder()
            self.editor.order_blocks([*order, *(self.fn.blocks.keys() - set(order))])
            self.editor.commit(RUN_ORDER, self.tried[0].decision.loc)

    def lift(self, loop: Loop) -> None:
        """Lift a loop, or record why not."""
        loc = self.fn.blocks[loop.header].ops[0].loc
        lines = _lines(self.fn, loop)
        lifted: LiftedLoop | None = None
        decision = Decision(
            f"the loop at line {loc.line}",
            DONE,
            LIFT_LOOP.name,
            "code with types is tried at its first run; where none fits, it runs as objects",
            loc,
        )
        try:
            self._require_shape(loop)
            lifted = self._outlined(loop)
        except CannotOutline as error:
            decision = changed(decision, verdict=MISSED, reason=error.reason, hint=error.hint)
        else:
            self._put(lifted)
            self.editor.commit(LIFT_LOOP, loc, str(loop.header))
            if self.unit.services is not None:
                self.unit.services.lifted(self.unit, lifted)
        self.tried.append(TriedLoop(*lines, decision, lifted))
        if self.unit.recording:
            self.unit.note(decision)

    def _require_shape(self, loop: Loop) -> None:
        region = absorbed(self.fn, loop.body, loop.header)
        for label in sorted(region):
            for op in self.fn.blocks[label].ops:
                for cls, reason in _NEVER:
                    if isinstance(op, cls):
                        raise CannotOutline(reason, op.loc)

    def _outlined(self, loop: Loop) -> LiftedLoop:
        entry = self._split_entry(loop)
        region = frozenset({entry, *loop.body})
        region = self._without_returns(absorbed(self.fn, region, entry))
        iterators = _iterators(self.fn, region)
        made = outline(self.fn.copy(), region, entry, iterators, self._shared(region, entry))
        if not made.exits:  # and typed code does not check for signals
            raise CannotOutline("nothing but an exception ends it", made.loc)
        if len(made.inputs) > MOST_INPUTS:
            raise CannotOutline(f"it needs more than {MOST_INPUTS} values", made.loc)
        shared = cells(self.fn) & made.uncertain
        if shared:
            name = min(shared)
            raise CannotOutline(
                f"`{name}`, which an inner function shares, may have no value", made.loc
            )
        self.kept = iterators
        return LiftedLoop(made, len(self.tried))

    def _shared(self, region: frozenset[int], entry: int) -> frozenset[str]:
        """Return the cell variables that are made before the loop ends.

        Raises CannotOutline if the loop assigns to one whose inner function may be called while it
        runs, or after an exception in it: another object may hold that function by then.
        """
        graph = graph_of(self.fn)
        before, waiting = set(region), [entry, *region]
        while waiting:
            for label in graph.predecessors(waiting.pop()):
                if label not in before:
                    before.add(label)
                    waiting.append(label)
        ops = [op for label in before for op in self.fn.blocks[label].ops]
        defined = {
            name for label in region for op in self.fn.blocks[label].ops for name in definitions(op)
        }
        shared: set[str] = set()
        for maker in ops:
            names = (
                defined.intersection(maker.captured)
                if isinstance(maker, nodes.MakeFunction)
                else ()
            )
            if names and _escapes(maker.result, ops):
                shown = f"`{user_name(min(names))}`"
                raise CannotOutline(
                    f"it assigns to {shown}, which an inner function shares",
                    self.fn.blocks[entry].ops[0].loc,
                    f"assign to a variable of its own in the loop, and to {shown} after it",
                )
            shared.update(names)
        return frozenset(shared)

    # --- the start of a loop ----------------------------------------------------------------------

    def _split_entry(self, loop: Loop) -> int:
        """Return the label where the loop begins, with the ops that make its iterator, if any."""
        fn = self.fn
        if len(loop.entries) != 1:
            return loop.header
        before = fn.blocks[next(iter(loop.entries))]
        if not isinstance(before.terminator, nodes.Jump):
            return loop.header
        first = len(before.ops) - 1
        while first and self._makes_iterator(before, first - 1):
            first -= 1
        moved = [*self._functions_of(before, first), *before.ops[first:]]
        if len(moved) == 1:
            return loop.header
        label = fn.new_label()
        loc = before.ops[first].loc
        self.editor.cut(before, first, nodes.Jump(label, loc=loc, id=fn.new_id()))
        self.editor.add_block(Block(label, moved, before.handler))
        self.editor.commit(SPLIT_ENTRY, loc, str(loop.header))
        return label

    def _makes_iterator(self, block: Block, position: int) -> bool:
        """True if an op takes part in making a loop's iterator."""
        op = block.ops[position]
        if not all(map(is_temporary, definitions(op))):
            return False
        match op:
            case nodes.GetIter() | nodes.Const():
                return True
            case nodes.Copy(value=value):
                return is_temporary(value)
            case nodes.BuildList() | nodes.BuildSet() | nodes.BuildDict():
                return not op.items
            case nodes.ReadOuter():
                return op.scope == "global" and op.name in _MAKES_ITERATORS
            case nodes.Call():
                return op.star is None and _reads(block, op.func) is not None
        return False

    def _functions_of(self, block: Block, first: int) -> Iterator[Op]:
        """Yield the ops that read the functions which the ops from a position on call."""
        here = {name for op in block.ops[first:] for name in definitions(op)}
        for op in block.ops[first:]:
            if isinstance(op, nodes.Call) and op.func not in here:
                read = _reads(block, op.func)
                assert read is not None, "see _makes_iterator"
                yield replace(read, id=self.fn.new_id())

    def _without_returns(self, region: frozenset[int]) -> frozenset[int]:
        """Return the region, cut in front of a return in it."""
        fn = self.fn
        for label in sorted(region):
            block = fn.blocks[label]
            end = block.terminator
            if isinstance(end, nodes.Return):
                outside = fn.new_label()
                jump = nodes.Jump(outside, loc=end.loc, id=fn.new_id())
                self.editor.cut(block, len(block.ops) - 1, jump)
                self.editor.add_block(Block(outside, [end], None))
                self.editor.commit(SPLIT_RETURN, end.loc, str(label))
        return region

    # --- replacing the loop in the function -------------------------------------------------------

    def _put(self, lifted: LiftedLoop) -> None:
        """Run the loop apart first, and as objects where no types fit."""
        fn, editor, made = self.fn, self.editor, lifted.outline
        entries = [
            fn.blocks[one]
            for one in graph_of(fn).predecessors(made.entry)
            if one not in made.labels
        ]
        replacement = _LiftedLoop(fn, lifted, cells(fn), self.kept)
        label = replacement.run()
        for block in replacement.blocks:
            editor.add_block(block)
        for before in entries:
            moved = retarget(before.terminator, lambda one: label if one == made.entry else one)
            editor.replace(before, len(before.ops) - 1, moved)


class _LiftedLoop:
    """The blocks that run a loop apart, and assign its outputs."""

    def __init__(
        self, fn: Function, lifted: LiftedLoop, shared: frozenset[str], kept: frozenset[str]
    ) -> None:
        self.fn = fn
        self.kept = sorted(kept)
        self.lifted = lifted
        self.made = lifted.outline
        self.shared = shared
        self.first = fn.new_label()
        self.blocks: list[Block] = []
        self.block = self._begin()

    def run(self) -> int:
        """Build the replacement blocks; return the entry label."""
        args = tuple(map(self._argument, self.made.inputs))
        result, missed = self.fn.fresh("ran"), self.fn.fresh("missed")
        self._add(nodes.RunLoop, result, self.lifted, args)
        self._add(nodes.Binary, missed, BINARY["is"], result, self._constant(None))
        start = self.block
        self._begin()
        self._end(start, nodes.Branch, missed, self.made.entry, self.block.label)
        for name in self.kept:  # the exits drop one
            self._add(nodes.GetIter, name, self._constant(()))
        for k, name in enumerate(self.made.outputs):
            if name not in self.made.flagged:
                self._add(nodes.Copy, name, self._item(result, 1 + k))
        for k, name in enumerate(self.made.flagged):
            self._assign_if_bound(result, k, name)
        *others, last = self.made.exits
        way = self._item(result, 0) if others else ""
        for number, target in enumerate(others):
            self._leave(way, number, target)
        self._add(nodes.Jump, last)
        return self.first

    def _begin(self) -> Block:
        """Continue in a new block."""
        self.block = Block(self.first + len(self.blocks), [], self.made.handler)
        self.blocks.append(self.block)
        return self.block

    def _add(self, cls: type[Op], *fields: object) -> None:
        self._end(self.block, cls, *fields)

    def _end(self, block: Block, cls: type[Op], *fields: object) -> None:
        block.ops.append(cls(*fields, loc=self.lifted.loc, id=self.fn.new_id()))

    def _constant(self, value: object) -> str:
        name = self.fn.fresh("constant")
        self._add(nodes.Const, name, value)
        return name

    def _argument(self, name: str) -> str:
        """Return a variable as an argument; a cell variable is read."""
        if name not in self.shared:
            return name
        read = self.fn.fresh(name)
        self._add(nodes.Copy, read, name)
        return read

    def _item(self, result: str, index: int) -> str:
        name = self.fn.fresh("given")
        self._add(nodes.StaticGetItem, name, result, index)
        return name

    def _assign_if_bound(self, result: str, k: int, name: str) -> None:
        has, before = self._item(result, 1 + len(self.made.outputs) + k), self.block
        bound = self._begin()
        self._add(nodes.Copy, name, self._item(result, 1 + self.made.outputs.index(name)))
        unbound = self._begin()
        self._add(nodes.Undef, name)
        after = self._begin().label
        self._end(before, nodes.Branch, has, bound.label, unbound.label)
        self._end(bound, nodes.Jump, after)
        self._end(unbound, nodes.Jump, after)

    def _leave(self, way: str, number: int, target: int) -> None:
        same, wanted = self.fn.fresh("same"), self._constant(number)
        self._add(nodes.Binary, same, BINARY["=="], way, wanted)
        before = self.block
        self._end(before, nodes.Branch, same, target, self._begin().label)


def _escapes(function: str, ops: Sequence[Op]) -> bool:
    """True if ops use an inner function for anything but naming it."""
    held, size = {function}, 0
    while size != len(held):
        size = len(held)
        held.update(op.result for op in ops if isinstance(op, nodes.Copy) and op.value in held)
    users = (op for op in ops if not held.isdisjoint(uses(op)))
    return not all(isinstance(op, nodes.Copy | nodes.Del) for op in users)


def _iterators(fn: Function, region: frozenset[int]) -> frozenset[str]:
    """Return the iterators that a loop makes and its exits only drop."""
    inside = [op for label in region for op in fn.blocks[label].ops]
    outside = [op for label in fn.blocks.keys() - region for op in fn.blocks[label].ops]
    made = {op.result for op in inside if isinstance(op, nodes.GetIter)}
    read = {name for op in outside for name in uses(op)}
    dropped, used = set(), set()
    for op in outside:
        names = made.intersection(uses(op))
        (dropped if isinstance(op, nodes.Copy) and op.result not in read else used).update(names)
    return frozenset(dropped - used)


def _lines(fn: Function, loop: Loop) -> tuple[int, int]:
    """Return the first and the last line of a loop."""
    lines = [op.loc.line for label in loop.body for op in fn.blocks[label].ops if op.loc.line]
    return min(lines, default=0), max(lines, default=0)


def _reads(block: Block, name: str) -> nodes.ReadOuter | None:
    """Return the op that reads a function which makes iterators, into a temporary of this block."""
    for op in block.ops:
        if isinstance(op, nodes.ReadOuter) and op.result == name:
            return op if op.scope == "global" and op.name in _MAKES_ITERATORS else None
    return None
