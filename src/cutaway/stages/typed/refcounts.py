"""Insert reference counts, where memory gains or loses an owner (stage 5a).

    b = call zeros(n)               b = call zeros(n)
    c = getitem(value=b, index=s)   c = getitem(value=b, index=s)
    $9 = getitem(value=c, index=i)  incref c
    ...                         ->  decref b
                                    del b
                                    $9 = getitem(value=c, index=i)
                                    decref c
                                    del c

`del` ends a live range.  A variable that owns a reference (typing/analysis/ownership.py) gets an
`incref` where its reference is a new one and a `decref` where it dies.  Operands of phis and
returned values bring a reference of their own.  Values that a region carries are passed on in the
same way: from the op before its first run, from a `yield` before the next, and from the last by the
op's result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function
from cutaway.ir.liveness import Deaths, deaths
from cutaway.ir.nodes import Block, Op
from cutaway.ir.region_views import RegionView, needed_at_end
from cutaway.ir.traversal import definitions, regions, retarget, targets, uses, walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.ownership import holds_memory, shares

SPLIT_EDGES = Rule(
    "split_edges",
    "an edge from a branch to a merge => a block on it",
    note="an edge from a branch to a merge gets a block, where references can be counted",
)
INCREF = Rule(
    "place_incref",
    "a new reference to memory => incref",
    note="the memory of {0!v} has one more owner from here on",
)
DECREF = Rule(
    "place_decref",
    "the end of a reference's life => decref",
    note="{0!v} is not needed any more: its memory has one owner less",
)
DEL = Rule("place_del", "the end of a variable's life => del", note="{0!v} is not needed any more")


def run(unit: CompileUnit) -> None:
    """Insert del, incref and decref."""

    def count(editor: Editor) -> None:
        if isinstance(editor.fn, RegionView) and isinstance(editor.fn.entry.terminator, nodes.Give):
            return  # of numbers alone
        if unit.owned:
            _split_critical_edges(editor)
        _References(unit, editor.fn, deaths(editor.fn, unit.owned)).run(editor)
        editor.in_regions(count)

    count(unit.editor())


def _split_critical_edges(editor: Editor) -> None:
    """Insert a block on each edge from a branch to a merge, for code on that edge."""
    fn = editor.fn
    sources: dict[int, int] = {}
    for block in fn.blocks.values():
        for label in targets(block.terminator):
            sources[label] = sources.get(label, 0) + 1
    for target, moved in _split_edges(editor, sources).items():
        block = fn.blocks[target]
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.Phi):
                break
            editor.replace(block, position, retarget(op, _mapping(moved)))
    editor.commit(SPLIT_EDGES, fn.entry.ops[0].loc)


def _mapping(moved: dict[int, int]) -> Callable[[int], int]:
    return lambda label: moved.get(label, label)


def _split_edges(editor: Editor, sources: dict[int, int]) -> dict[int, dict[int, int]]:
    """Make the blocks; map the old predecessors of each merge to the new ones."""
    split: dict[int, dict[int, int]] = {}
    for block in list(editor.fn.blocks.values()):
        if len(set(targets(block.terminator))) > 1:
            for target in dict.fromkeys(targets(block.terminator)):
                if sources[target] > 1:
                    split.setdefault(target, {})[block.label] = _split_edge(editor, block, target)
    return split


def _split_edge(editor: Editor, block: Block, target: int) -> int:
    fn = editor.fn
    new = fn.new_label()
    end = block.terminator
    editor.add_block(Block(new, [nodes.Jump(target, loc=end.loc, id=fn.new_id())]))
    branch = retarget(end, lambda label: new if label == target else label)
    editor.cut(block, len(block.ops) - 1, branch)
    return new


def _reason(op: Op) -> tuple[Rule, str]:
    """Return the rule that inserts an op, and the variable that it is about."""
    (name,) = uses(op)
    match op:
        case nodes.Incref():
            return INCREF, name
        case nodes.Decref():
            return DECREF, name
    return DEL, name


class _References:
    """The insertion for one function, or one region."""

    def __init__(self, unit: CompileUnit, fn: Function, dying: Deaths) -> None:
        self.fn = fn
        self.resolutions = unit.resolutions
        self.memory = {name for name, ty in unit.types.items() if holds_memory(ty)}
        self.owned = owned = unit.owned
        self.dying = dying
        self.owned_phis = {
            op.result for op in walk(fn) if isinstance(op, nodes.Phi) and op.result in owned
        }

    def run(self, editor: Editor) -> None:
        """Rewrite every block."""
        for label, block in self.fn.blocks.items():
            editor.insert_each(block, list(self._rewritten(label, block)), _reason)

    def _rewritten(self, label: int, block: Block) -> Iterable[Op]:
        started = False
        for position, op in enumerate(block.ops):
            if not started and not isinstance(op, nodes.Phi):
                started = True
                yield from self._ended(self.dying.at_start.get(label, ()), op)
            if op.TERMINATOR:
                yield from self._before_leaving(label, op)
            for region in regions(op):
                yield from self._taken_over(region.carried, region.initial, op)
            if isinstance(op, nodes.Suspend) and op.value in self.memory:  # the consumer owns one
                yield nodes.Incref(op.value, loc=op.loc, id=self.fn.new_id())
            yield op
            if not op.TERMINATOR:
                yield from self._after(op)
                names = self.dying.after.get((label, position), ())
                if isinstance(op, nodes.Phi):
                    # An unused phi's value dies behind the phis.
                    at_start = self.dying.at_start.get(label, ())
                    self.dying.at_start[label] = (*at_start, *names)
                else:
                    yield from self._ended(names, op)

    def _after(self, op: Op) -> Iterable[Op]:
        """Yield an incref for a result that shares memory with its operand."""
        for name in definitions(op):
            if name in self.owned and name in self.memory and shares(op, self.resolutions):
                yield nodes.Incref(name, loc=op.loc, id=self.fn.new_id())

    def _ended(self, names: Iterable[str], op: Op) -> Iterable[Op]:
        for name in names:
            if name in self.owned:
                yield nodes.Decref(name, loc=op.loc, id=self.fn.new_id())
            yield nodes.Del(name, loc=op.loc, id=self.fn.new_id())

    def _before_leaving(self, label: int, end: Op) -> Iterable[Op]:
        if isinstance(end, nodes.Return) and end.value in self.memory - self.owned:
            yield nodes.Incref(end.value, loc=end.loc, id=self.fn.new_id())
        yield from self._ended(self.dying.at_end.get(label, ()), end)
        if isinstance(end, nodes.Yield) and isinstance(self.fn, RegionView):
            yield from self._taken_over(self.fn.region.carried, end.values, end)
            own = [name for name in dict.fromkeys(end.values) if name not in needed_at_end(self.fn)]
            for name in own:
                if name in self.owned:
                    yield nodes.Decref(name, loc=end.loc, id=self.fn.new_id())
        for target in dict.fromkeys(targets(end)):
            yield from self._handed_over(label, target, end)

    def _taken_over(self, carried: Iterable[str], values: Iterable[str], op: Op) -> Iterable[Op]:
        """Yield increfs for the values carried to the next run of a region."""
        for name, value in zip(carried, values, strict=True):
            if name in self.owned:
                yield nodes.Incref(value, loc=op.loc, id=self.fn.new_id())

    def _handed_over(self, label: int, target: int, end: Op) -> Iterable[Op]:
        """Yield increfs for the owned phis of a successor, then decrefs of variables that die."""
        for op in self.fn.blocks[target].ops:
            if isinstance(op, nodes.Phi) and op.result in self.owned_phis:
                value = op.values[op.labels.index(label)]
                yield nodes.Incref(value, loc=end.loc, id=self.fn.new_id())
        for name in self.dying.moved.get((label, target), ()):
            if name in self.owned:
                yield nodes.Decref(name, loc=end.loc, id=self.fn.new_id())
