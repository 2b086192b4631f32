"""Array comprehensions as loops over `prange` that store elements: a part of `prange_to_parfor`.

    list = []                                  out = new_array(float64, C, sizes=($n))
    for x in a:                         ->     for i in prange($n):
        list.append(x * 2.0)                       x = load a at (i)
    b = np.array(list)                             store x * 2.0 in out at (i)

Only where an iteration does nothing but compute the element: nobody has said that iterations may
run at once.
"""

from __future__ import annotations

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loops import prange
from cutaway.ir import nodes
from cutaway.ir.decisions import MISSED, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.graph import Graph, Loop, graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import makers_of, targets, uses, walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.analysis.memory import Roots
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import Array
from cutaway.typing.values.typeof import typeof_constant

STORE_ELEMENTS = Rule(
    "store_elements",
    "np.array([f(x) for x in a]) => a new array, and a loop over prange that stores f(x)",
    note="the elements of {0!v} are computed by a parallel loop",
)


def rewrite(unit: CompileUnit, editor: Editor) -> None:
    """Rewrite each comprehension of which an array is made."""
    done = True
    refused: set[int] = set()
    while done:
        done = False
        graph = graph_of(unit.fn)
        for loop in graph.loops().values():
            found = _ComprehensionSearch(unit, graph, loop).found()
            if found is None or loop.header in refused:
                continue
            refused.add(loop.header)
            reason = _reason(unit, found)
            if reason:
                if unit.recording:
                    what = "the array comprehension"
                    decision = Decision(what, MISSED, "prange_to_parfor", reason, found.call.loc)
                    unit.note(decision)
                continue
            _Rewrite(unit, editor, found).run()
            done = True
            break


@dataclass(frozen=True, slots=True)
class _Comprehension:
    """The parts of a comprehension: its blocks by their labels, and the ops to rewrite."""

    before: Block
    header: Block
    inside: tuple[Block, ...]
    step: nodes.IterNext
    source: str  # the iterable: an array or a range
    listed: nodes.Phi
    append: nodes.ListAppend
    after: tuple[Op, ...]  # the ops that pass on the list
    call: nodes.Call


class _ComprehensionSearch:
    """The test whether a loop is a comprehension of which an array is made."""

    def __init__(self, unit: CompileUnit, graph: Graph, loop: Loop) -> None:
        self.unit, self.graph, self.loop, self.fn = unit, graph, loop, unit.fn
        self.makers = makers_of(unit.fn)
        self.users: dict[str, list[Op]] = {}
        for op in walk(unit.fn):
            for name in uses(op):
                self.users.setdefault(name, []).append(op)

    def found(self) -> _Comprehension | None:
        """Return its parts; None for any other loop."""
        header = self.fn.blocks[self.loop.header]
        steps = [op for op in header.ops if isinstance(op, nodes.IterNext)]
        phis = [op for op in header.ops if isinstance(op, nodes.Phi)]
        outside = [p for p in self.graph.predecessors(header.label) if p not in self.loop.body]
        if len(steps) != 1 or len(outside) != 1 or not 1 <= len(phis) <= 2:
            return None
        source = self._source(steps[0].iterator, phis, outside[0])
        lists = [phi for phi in phis if phi.result != steps[0].iterator]
        if source is None or len(lists) != 1:
            return None
        append = self._append(lists[0], outside[0])
        after = self._after(lists[0].result, append)
        if append is None or after is None:
            return None
        call = after[-1]
        assert isinstance(call, nodes.Call)
        inside = tuple(self.fn.blocks[k] for k in self.loop.body if k != header.label)
        before = self.fn.blocks[outside[0]]
        step = steps[0]
        return _Comprehension(
            *(before, header, inside, step, source, lists[0], append, after[:-1], call)
        )

    def _source(self, iterator: str, phis: list[nodes.Phi], outside: int) -> str | None:
        """Return the loop's iterable if it is an array or a range, else None."""
        for phi in phis:
            if phi.result == iterator:  # the argument of an inlined function
                values = {v for v in phi.values if v != iterator}
                if len(values) != 1:
                    return None
                (iterator,) = values
        start = self.makers.get(iterator)
        if not isinstance(start, nodes.GetIter):
            return None
        ty = self.unit.types[start.value]
        if isinstance(ty, Array):
            return start.value if ty.ndim == 1 else None
        made = self.makers.get(start.value)
        is_range = isinstance(made, nodes.Call) and len(made.args) == 1 and not made.keywords
        constants = constants_of(self.fn)
        if is_range and constants.get(made.func) is range:
            return start.value
        return None

    def _append(self, phi: nodes.Phi, outside: int) -> nodes.ListAppend | None:
        """Return the op that appends the list's next item, if each iteration has one."""
        back = [v for v, label in zip(phi.values, phi.labels, strict=True) if label != outside]
        first = [v for v, label in zip(phi.values, phi.labels, strict=True) if label == outside]
        append = self.makers.get(back[0]) if len(back) == len(first) == 1 else None
        if not isinstance(append, nodes.ListAppend) or append.items != phi.result:
            return None
        if len(self.users[append.result]) != 1 or not self._is_empty(first[0]):
            return None
        label = next(k for k, b in self.fn.blocks.items() if append in b.ops)
        ends = [p for p in self.graph.predecessors(self.loop.header) if p in self.loop.body]
        return append if all(self.graph.dominates(label, end) for end in ends) else None

    def _is_empty(self, name: str) -> bool:
        maker = self.makers.get(name)
        while isinstance(maker, nodes.Cast | nodes.Copy):
            maker = self.makers.get(maker.value)
        return isinstance(maker, nodes.BuildList) and not maker.items

    def _after(self, name: str, append: Op | None) -> list[Op] | None:
        """Return the ops that pass on the list; the last one makes an array of it."""
        found: list[Op] = []
        while True:
            users = [op for op in self.users.get(name, ()) if op is not append]
            if len(users) != 1:
                return None
            (user,) = users
            found.append(user)
            if isinstance(user, nodes.Cast | nodes.Copy):
                name = user.result
                continue
            is_array = isinstance(user, nodes.Call) and not user.keywords and len(user.args) == 1
            function = constants_of(self.fn).get(user.func) if is_array else None
            return found if function is np.array else None


def _reason(unit: CompileUnit, found: _Comprehension) -> str:
    """Return why iterations are executed one after the other; empty if they need not be."""
    ty, own = unit.types[found.call.result], unit.types[found.append.item]
    if not isinstance(ty, Array) or ty.ndim != 1 or not types.is_number(own):
        return "its elements are no numbers"
    memory = Roots(makers_of(unit.fn), unit.types, unit.resolutions)
    labels = {block.label for block in found.inside}
    for block in found.inside:
        end = block.terminator
        if not {found.header.label, *labels}.issuperset(targets(end)):
            return "an iteration may leave it"
        for op in block.ops:
            if op is not found.append and (memory.written(op) or memory.is_seen(op)):
                return "an iteration may do more than compute its element"
    return ""


class _Rewrite:
    """The rewrite of one comprehension."""

    def __init__(self, unit: CompileUnit, editor: Editor, found: _Comprehension) -> None:
        self.unit, self.editor, self.found, self.fn = unit, editor, found, unit.fn
        self.types, self.loc = unit.types, found.call.loc
        self.named: list[str] = []

    def run(self) -> None:
        """Make the loop over prange, and the array."""
        found, editor, types_of = self.found, self.editor, self.types
        ty = types_of[found.call.result]
        assert isinstance(ty, Array)
        ops, size, out = self._begin(ty)
        before = found.before
        index, iterator = self._name("i", types.int64), self._iterator(ops, size)
        editor.cut(before, len(before.ops) - 1, *ops, before.terminator)
        step = nodes.replace(found.step, result=index, iterator=iterator)
        others = [op for op in found.header.ops if not isinstance(op, nodes.Phi)]
        editor.set_ops(found.header, [step if op is found.step else op for op in others])
        for block in found.inside:
            new: list[Op] = []
            for op in block.ops:
                if op is found.append:
                    op = nodes.Store(out, (index,), op.item, loc=op.loc, id=op.id)
                new.append(op)
            editor.set_ops(block, new)
        self._take_item(index)
        for block in self.fn.blocks.values():
            gone = {*found.after, found.call}
            if not gone.isdisjoint(block.ops):
                rows = [op for op in block.ops if op not in found.after]
                same = nodes.Copy(found.call.result, out, loc=self.loc, id=found.call.id)
                editor.set_ops(block, [same if op is found.call else op for op in rows])
        self.unit.resolutions.pop(found.call.id, None)
        self.unit.resolutions.pop(found.append.id, None)
        self.unit.resolve([step])
        editor.commit(STORE_ELEMENTS, self.loc, found.call.result, types=self.named)

    def _begin(self, ty: Array) -> tuple[list[Op], str, str]:
        """Return the ops in front of the loop, and the variables of the size and the array."""
        found, makers = self.found, makers_of(self.fn)
        ops: list[Op] = []
        size, out = self._name("size", types.int64), self._name("array", ty)
        if isinstance(self.types[found.source], Array):
            text = ("a",)
            ops.append(self._op(nodes.SizesOf, (size,), (found.source,), None, text))
        else:
            made = makers[found.source]
            assert isinstance(made, nodes.Call)
            zero = self._name("zero", types.int64)
            ops.append(self._op(nodes.Const, zero, 0))
            whole = self._name("e", types.int64)
            ops.append(self._op(nodes.Element, whole, "as.int64", made.args))
            ops.append(self._op(nodes.Element, size, "maximum", (whole, zero)))
        ops.append(self._op(nodes.NewArray, out, str(ty.dtype), "C", (size,)))
        self.unit.resolve([op for op in ops if isinstance(op, nodes.Element)])
        return ops, size, out

    def _iterator(self, ops: list[Op], size: str) -> str:
        """Add a range of that size, and its iterator."""
        function = self._name("prange", typeof_constant(prange))
        ranged = self._name("range", types.Range(types.int64, 1))
        iterator = self._name("iter", types.Range(types.int64, 1).iterator())
        call = self._op(nodes.Call, ranged, function, (size,), ())
        start = self._op(nodes.GetIter, iterator, ranged)
        ops += [self._op(nodes.Global, function, "prange", prange), call, start]
        self.unit.resolve([call, start], {**constants_of(self.fn), function: prange})
        return iterator

    def _take_item(self, index: str) -> None:
        """Define the item of an iteration where it begins."""
        found = self.found
        end = found.header.terminator
        assert isinstance(end, nodes.Branch)
        first, item = self.fn.blocks[end.then], found.step.result
        if isinstance(self.types[found.source], Array):
            take: Op = self._op(nodes.Load, item, found.source, (index,))
        else:
            take = self._op(nodes.Copy, item, index)
        phis = sum(isinstance(op, nodes.Phi) for op in first.ops)
        self.editor.insert(first, phis, take)

    def _op(self, cls: type[Op], *fields: object) -> Op:
        made: Op = cls(*fields, loc=self.loc, id=self.fn.new_id())
        return made

    def _name(self, stem: str, ty: object) -> str:
        name = self.fn.fresh(stem)
        self.named.append(name)
        self.types[name] = ty
        return name
