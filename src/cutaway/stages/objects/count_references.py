"""Count the references of objects, as CPython's interpreter does (stage 6b).

    $0.3 = a + b               incref a
    $0.4 = cast(value=$0.3)    incref b
    return $0.4                $0.3 = a + b
                         ->    decref a
                               decref b
                               $0.4 = cast(value=$0.3)
                               incref $0.4
                               decref $0.3
                               return $0.4

Every value is an object.  An op borrows its operands: what keeps them is a reference each, taken in
front of it and dropped behind it.  An op's result is a new reference, the caller lends its
arguments, and another name for an object needs a reference of its own.  An intermediate value is
dropped after its last use, a variable where it gets another value, or at the end of the function:
then, as in Python, and not before.  Most of that is needless: see `pair_refcounts`.

A branch asks a flag: where it asked an object, there is a `bool` in front of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cutaway.ir import nodes
from cutaway.ir.dataflow import Facts
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.operators import UNARY
from cutaway.ir.references import GROWING, References, container_of
from cutaway.ir.traversal import definitions, retarget, uses, walk
from cutaway.stages.objects import frames
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types

ASK_TRUTH = Rule(
    "ask_truth",
    "a branch on an object => whether that is true, and a branch on the answer",
    note="the branch asks whether {0!v} is true",
)
ASK_ITERATOR = Rule(
    "ask_iterator",
    "yield from an object => its iterator, and yield from that",
    note="{0!v} gives the iterator that yields",
)
TAKE_REFERENCE = Rule(
    "take_reference",
    "an object that is used or named => incref",
    note="{0!v} has one reference more from here on",
)
DROP_REFERENCE = Rule(
    "drop_reference",
    "an object that is not used any more => decref",
    note="{0!v} has one reference less from here on",
)
SPLIT_WAY = Rule(
    "split_way",
    "a way between blocks on which an object is left behind => a block on it",
    note="on the way to label {0} an object is dropped, in a block of its own",
)

# Ops that borrow nothing: a copy is a name, a loop that runs apart assigns no variable meanwhile,
# and nothing follows a terminator.
_TAKES_NONE = (
    nodes.RunLoop,
    *(nodes.Copy, nodes.Cast, nodes.Move, nodes.Deref, nodes.Incref, nodes.Decref),
    *(nodes.EndHandler, nodes.Branch, nodes.Return, nodes.Raise, nodes.RaiseFrom, nodes.Reraise),
)


def run(unit: CompileUnit) -> None:
    """Insert incref and decref; from here on every variable is an object or a flag."""
    frames.refuse(unit.fn)
    editor = unit.editor()
    _ask_truth(editor)
    _iterate(editor)
    known, live = References(editor.fn), liveness(editor.fn)
    for block in editor.fn.blocks.values():
        _Counting(known, block, live.out.get(block.label, frozenset())).run(editor)
    _drop_on_edges(editor)
    _drop_at_returns(editor)
    unit.types = types_of(unit.fn)
    unit.return_type = types.pyobject


def types_of(fn: Function) -> dict[str, types.Type]:
    """Return the type of each variable: an object, but for flags."""
    known = References(fn)
    names = {name for op in walk(fn) for name in definitions(op)}
    return {
        name: types.boolean if name in known.flags else types.pyobject for name in sorted(names)
    }


def _ask_truth(editor: Editor) -> None:
    fn = editor.fn
    known = References(fn)
    for block in fn.blocks.values():
        end = block.terminator
        if isinstance(end, nodes.Branch) and end.cond not in known.flags:
            flag = fn.fresh("true")
            asks = nodes.Unary(flag, UNARY["bool"], end.cond, loc=end.loc, id=fn.new_id())
            editor.replace(block, len(block.ops) - 1, asks, replace(end, cond=flag))
            editor.commit(ASK_TRUTH, end.loc, end.cond)


def _iterate(editor: Editor) -> None:
    """Let `yield from` use an iterator, which is kept while the generator is suspended."""
    fn = editor.fn
    for block in fn.blocks.values():
        for op in list(block.ops):
            if isinstance(op, nodes.Delegate):
                name = fn.fresh("iterator")
                asks = nodes.GetIter(name, op.iterator, loc=op.loc, id=fn.new_id())
                position = next(k for k, one in enumerate(block.ops) if one is op)
                editor.replace(block, position, asks, replace(op, iterator=name))
                editor.commit(ASK_ITERATOR, op.loc, op.iterator)


class _Counting:
    """The ops of one block, with the reference counting around them."""

    def __init__(self, known: References, block: Block, live_out: Facts) -> None:
        self.fn = known.fn
        self.block = block
        self.known = known
        self.live_out = live_out

    def run(self, editor: Editor) -> None:
        """Insert the counting ops into the block."""
        dying = self._dying()
        ops: list[Op] = []
        for position, op in enumerate(self.block.ops):
            borrowed = [] if isinstance(op, _TAKES_NONE) else self._borrowed(op)
            ops += [self._count(nodes.Incref, name, op) for name in borrowed]
            if isinstance(op, nodes.Suspend):  # it transfers a reference
                borrowed = []
                if op.value in dying[position]:
                    dying[position].remove(op.value)
                elif is_temporary(op.value):
                    ops.append(self._count(nodes.Incref, op.value, op))
            ops.append(op)
            ops += [self._count(nodes.Incref, name, op) for name in self._named(op)]
            drops = (*dying.get(position, ()), *borrowed)
            ops += [self._count(nodes.Decref, name, op) for name in drops]
        editor.insert_each(self.block, ops, reason)

    def _count(self, how: type[nodes.Incref | nodes.Decref], name: str, op: Op) -> Op:
        return how(name, loc=op.loc, id=self.fn.new_id())

    def _borrowed(self, op: Op) -> list[str]:
        """Return the user's variables whose objects an op uses."""
        shared = op.captured if isinstance(op, nodes.MakeFunction) else ()
        names = [n for n in uses(op) if not is_temporary(n) and n not in shared]
        assert self.known.cells.isdisjoint(names), "a captured variable is read by a copy"
        return names

    def _named(self, op: Op) -> Iterator[str]:
        """Yield the results of an op that are other names of existing objects."""
        if isinstance(op, nodes.Copy) and op.result == op.value:
            return  # it keeps its reference
        if self.known.is_name(op) and not isinstance(op, nodes.Undef):
            yield from (name for name in definitions(op) if name not in self.known.cells)

    def _dying(self) -> dict[int, list[str]]:
        """Return the temporaries that die at each op's position; a growing one is passed on."""
        live = set(self.live_out)
        found: dict[int, list[str]] = {}
        for position in range(len(self.block.ops) - 1, -1, -1):
            op = self.block.ops[position]
            results, used = definitions(op), uses(op)
            names = [name for name in dict.fromkeys((*used, *results)) if name not in live]
            if isinstance(op, GROWING):
                names = [name for name in names if name != container_of(op)]
            if not op.TERMINATOR:
                found[position] = [name for name in names if self._is_counted(name, op)]
            live.difference_update(results)
            live.update(used)
        return found

    def _is_counted(self, name: str, op: Op) -> bool:
        if isinstance(op, nodes.IterNext) and name == op.result:
            return False  # it is dropped as an item, and not at the end
        return is_temporary(name) and name not in self.known.flags


def _drop_on_edges(editor: Editor) -> None:
    """Drop, on each edge out of a block, the temporaries that only other edges need."""
    fn = editor.fn
    known = References(fn)
    left: dict[int, dict[int, tuple[str, ...]]] = {}  # by target and source
    for label in known.graph.reverse_postorder():
        block = fn.blocks[label]
        # Temporaries not live here were dropped on the edges to this block.
        here = known.live[label].union(*map(definitions, block.ops))
        for target, counts in known.leaving(block):
            if target != block.handler:
                over = here - known.live.get(target, frozenset())
                gone = [name for name in counts if is_temporary(name) and name in over]
                left.setdefault(target, {})[label] = tuple(sorted(gone))
    for target, by_source in left.items():
        handler = any(fn.blocks[one].handler == target for one in known.graph.predecessors(target))
        if len(set(by_source.values())) == 1 and not handler:
            _insert(editor, fn.blocks[target], 0, next(iter(by_source.values())))
            continue
        for source, names in by_source.items():
            if names:
                _split(editor, fn.blocks[source], target, names)


def _insert(editor: Editor, block: Block, position: int, names: tuple[str, ...]) -> None:
    fn = editor.fn
    loc = block.ops[position].loc
    drops = [nodes.Decref(name, loc=loc, id=fn.new_id()) for name in names]
    editor.insert_each(block, [*block.ops[:position], *drops, *block.ops[position:]], reason)


def _split(editor: Editor, block: Block, target: int, names: tuple[str, ...]) -> None:
    fn = editor.fn
    end, label = block.terminator, fn.new_label()
    ops: list[Op] = [nodes.Decref(name, loc=end.loc, id=fn.new_id()) for name in names]
    ops.append(nodes.Jump(target, loc=end.loc, id=fn.new_id()))
    editor.add_block(Block(label, ops, None))
    editor.replace(
        block, len(block.ops) - 1, retarget(end, lambda one: label if one == target else one)
    )
    editor.commit(SPLIT_WAY, end.loc, str(target))


def _drop_at_returns(editor: Editor) -> None:
    """Drop the variables at the end, in the order in which the function has them."""
    fn = editor.fn
    known, order = References(fn), _order(fn)
    for label in known.graph.reverse_postorder():
        block = fn.blocks[label]
        end = block.terminator
        if isinstance(end, nodes.Return):
            *_, (_, counts) = known.through(block)
            names = tuple(name for name in counts if name != end.value)
            _insert(editor, block, len(block.ops) - 1, tuple(sorted(names, key=order)))


def _order(fn: Function) -> Callable[[str], tuple[bool, int]]:
    """Return the key that sorts variables for the drops at the end: temporaries first."""
    places = {name: k for k, name in enumerate(fn.params)}
    for op in walk(fn):
        for name in definitions(op):
            places.setdefault(name, len(places))
    return lambda name: (not is_temporary(name), places.get(name, len(places)))


def reason(op: Op) -> tuple[Rule, str]:
    """Return the reason shown for an inserted incref or decref."""
    assert isinstance(op, nodes.Incref | nodes.Decref)
    return TAKE_REFERENCE if isinstance(op, nodes.Incref) else DROP_REFERENCE, op.value
