"""Report the reads and writes of a program's ops to the running parallel loops.

It uses the interpreter's two hooks: `before` each op, and `observe` for each value. Making a view
is not an access; reading or writing its elements is.
"""

from __future__ import annotations

import array
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cutaway.foundation.source import span_text
from cutaway.inspection.races.loops import WHOLE, LoopRun, Site
from cutaway.inspection.races.shadow import Extent, Touch, span_of, span_of_record
from cutaway.inspection.witness.copies import NdArray
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import captured, definitions, makers_of, operands, uses, walk, walk_block
from cutaway.stages.unit import CompileUnit

_BUFFERS = (bytearray, memoryview, array.array)
_CONTAINERS = (list, dict, set)
_READABLE = (np.ndarray, *_CONTAINERS)
_PLAIN = (str, bytes, range, slice, int, float, complex, bool, type(None), np.generic, frozenset)
_THREAD_IDS = "get_thread_id"


class Watch:
    """The state that all functions of one run share: the running loops, the finished loops, and the
    unchecked accesses."""

    def __init__(self, tick: Callable[[], None]) -> None:
        self.running: list[LoopRun] = []
        self.done: list[tuple[LoopRun, tuple[str, ...]]] = []
        self.unchecked: dict[str, None] = {}
        self.sites: dict[tuple[int, str, bool], tuple[Op, Site]] = {}  # by the identity of an op
        self.tick = tick

    def skip(self, what: str) -> None:
        """Note that something is not checked; this matters only within loops."""
        if self.running:
            self.unchecked[what] = None


Look = Callable[["Accesses", Any], None]


class Accesses:
    """One run of a function: the hooks of its interpreter."""

    def __init__(self, unit: CompileUnit, watch: Watch) -> None:
        self.unit, self.watch = unit, watch
        self.now: dict[str, Any] = {}
        self.makers = makers_of(unit.fn)
        self.left_out = _left_out(unit)
        self.loops: list[LoopRun] = []  # of this function, running
        self.looks: dict[int, tuple[Op, Look | None]] = {}  # by the identity of an op
        self.spans: dict[int, tuple[NdArray, Extent]] = {}  # of arrays, by their identities
        # From the identity of an iterator over an array to it, the array and the next index.
        self.walked: dict[int, tuple[Any, NdArray, int]] = {}

    # --- the hooks ------------------------------------------------------------------------------

    def before(self, op: Op) -> None:
        """Start or end loops before an op, and record its accesses."""
        self.watch.tick()
        while self.loops and id(op) not in self.loops[-1].inside:
            self._end_loop()
        if isinstance(op, nodes.Parfor):
            self._begin_loop(op)
        elif isinstance(op, nodes.Del):
            self.now.pop(op.value, None)
        elif self.watch.running:
            if id(op) not in self.looks:
                self.looks[id(op)] = op, self._look(op)
            looked = self.looks[id(op)][1]
            if looked is not None:
                looked(self, op)

    def _look(self, op: Op) -> Look | None:
        """Return the function to call before an op, or None."""
        looked = BEFORE.get(type(op))
        if looked is None and type(op) not in AFTER and type(op) not in _TOUCHING_NOTHING:
            self.watch.skip(f"what {type(op).__name__} does in line {op.loc.line}")
        return None if id(op) in self.left_out else looked

    def observe(self, op: Op, name: str, value: Any) -> None:
        """Record the new value of a variable."""
        if isinstance(op, nodes.Parfor) and name in op.body.indices:
            self._iterate(op, name, value)
        self.now[name] = value
        if self.watch.running:
            looked = AFTER.get(type(op))
            if looked is not None and name == definitions(op)[0] and id(op) not in self.left_out:
                looked(self, op, value)

    def end(self) -> None:
        """End the function's loops when it returns or raises."""
        while self.loops:
            self._end_loop()

    # --- loops ----------------------------------------------------------------------------------

    def _begin_loop(self, op: nodes.Parfor) -> None:
        inside = frozenset(id(one) for block in op.body.blocks for one in walk_block(block))
        named = [
            (user_name(name), span_of(self.now[name]))
            for name in captured(op)
            if isinstance(self.now.get(name), np.ndarray) and not is_temporary(name)
        ]
        run = LoopRun(op, inside, named)
        self.loops.append(run)
        self.watch.running.append(run)

    def _end_loop(self) -> None:
        run = self.loops.pop()
        self.watch.running.remove(run)
        names = tuple(user_name(name) for name in run.op.body.indices)
        self.watch.done.append((run, names))

    def _iterate(self, op: nodes.Parfor, name: str, value: int) -> None:
        run = self.loops[-1]
        if name == op.body.indices[0]:
            for block in op.body.blocks:
                for inner in walk_block(block):
                    for own in definitions(inner):
                        self.now.pop(own, None)
            self.spans.clear()
            run.begin_iteration((int(value),))
        else:
            run.further_index(int(value))

    # --- accesses -------------------------------------------------------------------------------

    def read(self, op: Op, name: str, value: Any, index: Any = ...) -> None:
        """Record a read of an item of a value, or of the whole value."""
        self._try_access(op, name, value, index, False, None)

    def write(self, op: Op, name: str, value: Any, index: Any = ..., new: Any = None) -> None:
        """Record a write of an item of a value, or of the whole value: `new`, if it is known."""
        self._try_access(op, name, value, index, True, new)

    def _try_access(
        self, op: Op, name: str, value: Any, index: Any, writes: bool, new: Any
    ) -> None:
        try:
            self._access(op, name, value, index, writes, new)
        except IndexError:
            return  # the op itself raises it next

    def _access(self, op: Op, name: str, value: Any, index: Any, writes: bool, new: Any) -> None:
        match value:
            case np.ndarray():
                same = writes and new is not None and _is_there(value, index, new)
                self._touch(op, name, Touch(self.span(value), index, writes), same)
            case np.void():
                field = index if isinstance(index, str) else None
                span = span_of_record(value, field)
                if span is not None:
                    self._touch(op, name, Touch(span, ..., writes), False)
            case np.flatiter():
                flat = np.arange(value.base.size).reshape(value.base.shape)
                place = np.unravel_index(flat.flat[index], value.base.shape)
                self._access(op, name, value.base, place, writes, new)
            case memoryview() | bytearray() | array.array():
                self._access(op, name, np.asarray(memoryview(value)), index, writes, new)
            case list() | dict() | set():
                self.contents(op, name, value, index, writes)
            case tuple():
                for item in value if index is ... else ():
                    self._access(op, name, item, index, writes, new)

    def span(self, value: NdArray) -> Extent:
        """Return the span of an array, cached for an iteration."""
        known = self.spans.get(id(value))
        if known is None:
            known = self.spans[id(value)] = value, span_of(value)
        return known[1]

    def contents(self, op: Op, name: str, value: Any, index: Any, writes: bool) -> None:
        """Record an access to a container: an index of a list is an element, all else the whole."""
        site = self.site(op, name, writes)
        is_place = isinstance(value, list) and isinstance(index, int | np.integer)
        for run in self.watch.running:
            run.touch_object(value, WHOLE, site, writes and not is_place, "container")
            if is_place:
                place = int(index) % max(len(value), 1)
                run.touch_object(value, place, site, writes, "")

    def attribute(self, op: Op, name: str, thing: Any, attr: str, writes: bool) -> None:
        """Record an access to an attribute of an object."""
        site = self.site(op, name, writes)
        for run in self.watch.running:
            run.touch_object(thing, attr, site, writes, "")

    def _touch(self, op: Op, name: str, touch: Touch, same: bool) -> None:
        site = self.site(op, name, touch.is_write)
        for run in self.watch.running:
            run.touch(touch, site, same)

    def site(self, op: Op, name: str, writes: bool) -> Site:
        """Return the site of an op: its location, and the accessed variable in the user's words."""
        key = id(op), name, writes
        known = self.watch.sites.get(key)
        if known is None:
            text = user_name(name)
            if is_temporary(name):
                maker = self.makers.get(name)
                text = span_text(maker.loc) if maker is not None and maker.loc.line else ""
            known = self.watch.sites[key] = op, Site(op.loc, text or "a temporary value", writes)
        return known[1]

    def arrays(self, values: Iterable[Any]) -> list[NdArray]:
        """Return the arrays among values, including those in tuples and lists."""
        result: list[NdArray] = []
        for value in values:
            if isinstance(value, np.ndarray):
                result.append(value)
            elif isinstance(value, tuple | list):
                result += self.arrays(value)
        return result


def _is_there(target: NdArray, index: Any, new: Any) -> bool:
    """True if elements already hold the value to store."""
    held = target[index]
    try:
        stored = np.asarray(new).astype(target.dtype)
        return bool(np.all((held == stored) | ((held != held) & (stored != stored))))
    except (TypeError, ValueError):
        return False


def _left_out(unit: CompileUnit) -> frozenset[int]:
    """The ops, by identity, on data of a thread instead of an iteration: at indices computed from
    its number, and on arrays private to each part of a loop."""
    ops = list(walk(unit.fn))
    numbers = {name for op in ops if _gives_thread_id(op) for name in definitions(op)}
    excluded = _made_of(numbers, ops)
    for op in ops:
        if isinstance(op, nodes.Parfor) and op.private:
            inner = [one for block in op.body.blocks for one in walk_block(block)]
            excluded |= _made_of(set(op.private), inner)
    return excluded


def _made_of(names: set[str], ops: list[Op]) -> frozenset[int]:
    """Return the ops that use variables, or values computed from them."""
    found: dict[int, Op] = {}
    grows = True
    while grows:
        new = [op for op in ops if id(op) not in found and not names.isdisjoint(operands(op))]
        found |= {id(op): op for op in new}
        names = names.union(*(definitions(op) for op in new))
        grows = bool(new)
    return frozenset(found)


def _gives_thread_id(op: Op) -> bool:
    if isinstance(op, nodes.GetAttr):
        return op.attr == _THREAD_IDS
    return isinstance(op, nodes.Global | nodes.FreeVar) and _is_thread_id(op.value)


def _is_thread_id(value: Any) -> bool:
    return getattr(value, "__name__", "") == _THREAD_IDS and callable(value)


# --- the accesses of each op --------------------------------------------------------------------


def _is_view(value: NdArray, index: Any) -> bool:
    """True if indexing an array returns a view."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, np.ndarray | list) and np.ndim(part) for part in parts):
        return False
    if value.dtype.names is not None:
        return True  # a record, or a field
    places = sum(isinstance(part, int | np.integer) for part in parts)
    return places < value.ndim or places != len(parts)


def _getitem(run: Accesses, op: nodes.GetItem) -> None:
    _read_item(run, op, op.value, run.now.get(op.index))


def _static_getitem(run: Accesses, op: nodes.StaticGetItem) -> None:
    _read_item(run, op, op.value, op.index)


def _read_item(run: Accesses, op: Op, name: str, index: Any) -> None:
    value = run.now.get(name)
    if isinstance(value, np.ndarray) and _is_view(value, index):
        return
    if isinstance(value, tuple) or isinstance(value, _PLAIN) and not isinstance(value, np.void):
        return
    if not isinstance(value, (np.ndarray, np.void, np.flatiter, *_BUFFERS, *_CONTAINERS)):
        run.watch.skip(f"items of {type(value).__name__} in line {op.loc.line}")
        return
    run.read(op, name, value, index)


def _setitem(run: Accesses, op: nodes.SetItem) -> None:
    _write_item(run, op, op.target, run.now.get(op.index), op.value)


def _static_setitem(run: Accesses, op: nodes.StaticSetItem) -> None:
    _write_item(run, op, op.target, op.index, op.value)


def _write_item(run: Accesses, op: Op, name: str, index: Any, new: str) -> None:
    value, stored = run.now.get(name), run.now.get(new)
    if isinstance(stored, np.ndarray) and stored.ndim:
        run.read(op, new, stored)
    if not isinstance(value, (np.ndarray, np.void, np.flatiter, *_BUFFERS, *_CONTAINERS)):
        run.watch.skip(f"items of {type(value).__name__} in line {op.loc.line}")
        return
    run.write(op, name, value, index, stored)


def _operator(run: Accesses, op: nodes.Unary | nodes.Binary | nodes.Inplace) -> None:
    is_inplace = isinstance(op, nodes.Inplace)
    for name in uses(op):
        value = run.now.get(name)
        if isinstance(value, _READABLE):
            run.read(op, name, value)
    if isinstance(op, nodes.Inplace) and is_inplace:
        value = run.now.get(op.lhs)
        if isinstance(value, _READABLE):
            run.write(op, op.lhs, value)


def _whole(run: Accesses, op: nodes.ArrayExpr | nodes.ArrayReduce | nodes.ArrayStore) -> None:
    for name in op.args:
        value = run.now.get(name)
        if isinstance(value, np.ndarray):
            run.read(op, name, value)
    if isinstance(op, nodes.ArrayStore):
        run.write(op, op.target, run.now[op.target])


def _all_read(run: Accesses, op: Op) -> None:
    for name in uses(op):
        value = run.now.get(name)
        if isinstance(value, _READABLE):
            run.read(op, name, value)


def _list_append(run: Accesses, op: nodes.ListAppend) -> None:
    run.write(op, op.items, run.now.get(op.items))


def _setattr(run: Accesses, op: nodes.SetAttr) -> None:
    value = run.now.get(op.target)
    if isinstance(value, np.ndarray | np.void):
        run.write(op, op.target, value, op.attr)
    else:
        run.attribute(op, op.target, value, op.attr, True)


def _delattr(run: Accesses, op: nodes.DelAttr) -> None:
    run.attribute(op, op.target, run.now.get(op.target), op.attr, True)


def _attribute_read(run: Accesses, op: nodes.GetAttr, result: Any) -> None:
    value = run.now.get(op.value)
    if isinstance(value, np.void):
        run.read(op, op.value, value, op.attr)
    elif callable(result) or callable(value) or isinstance(value, (np.ndarray, tuple, *_PLAIN)):
        return
    elif not isinstance(value, (np.flatiter, *_BUFFERS, *_CONTAINERS)) and hasattr(
        value, "__dict__"
    ):
        run.attribute(op, op.value, value, op.attr, False)


def _iterated(run: Accesses, op: nodes.GetIter, result: Any) -> None:
    value = run.now.get(op.value)
    if isinstance(value, np.ndarray):
        run.walked[id(result)] = result, value, 0
    elif isinstance(value, _CONTAINERS):
        run.read(op, op.value, value)


def _next(run: Accesses, op: nodes.IterNext) -> None:
    iterator = run.now.get(op.iterator)
    known = run.walked.get(id(iterator))
    if known is None:
        return
    _, value, place = known
    if place < len(value):
        if value.ndim == 1:
            run.read(op, op.iterator, value, place)
        run.walked[id(iterator)] = iterator, value, place + 1
    else:
        del run.walked[id(iterator)]


BEFORE: dict[type[Op], Look] = {
    nodes.GetItem: _getitem,
    nodes.StaticGetItem: _static_getitem,
    nodes.SetItem: _setitem,
    nodes.StaticSetItem: _static_setitem,
    nodes.Unary: _operator,
    nodes.Binary: _operator,
    nodes.Inplace: _operator,
    nodes.ArrayExpr: _whole,
    nodes.ArrayStore: _whole,
    nodes.ArrayReduce: _whole,
    nodes.Unpack: _all_read,
    nodes.UnpackStar: _all_read,
    nodes.FormatValue: _all_read,
    nodes.ListAppend: _list_append,
    nodes.SetAttr: _setattr,
    nodes.DelAttr: _delattr,
    nodes.IterNext: _next,
}
_TOUCHING_NOTHING = frozenset(
    {
        *(nodes.Const, nodes.Global, nodes.FreeVar, nodes.Undef, nodes.Copy, nodes.Deref),
        *(nodes.Cast, nodes.Unwrap, nodes.Phi, nodes.MakeFunction, nodes.BuildTuple),
        *(nodes.BuildList, nodes.BuildSlice, nodes.BuildString, nodes.Element, nodes.Arg),
        *(nodes.Incref, nodes.Decref, nodes.Jump, nodes.Branch, nodes.Return, nodes.Yield),
        *(nodes.Give, nodes.Raise, nodes.StaticRaise, nodes.RaiseComputed, nodes.Unreachable),
        *(nodes.RaiseComputedFrom, nodes.OwnStreams),
    }
)
# Ops whose accesses depend on their result. (Any: an op of the class, a value of the program.)
AFTER: dict[type[Op], Callable[[Accesses, Any, Any], None]] = {
    nodes.GetAttr: _attribute_read,
    nodes.GetIter: _iterated,
}
