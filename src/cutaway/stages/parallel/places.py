"""The elements that ops of a loop's body read and write: the arrays, and the indices.

row = a[i]        no access: a view of a
row[k] = x        writes a, at (i, k)
out[i, :n] = y    writes out, at i and somewhere from 0 up to n
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.foreign import text_attribute
from cutaway.foundation.source import span_text
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.regions import FrozenBlock
from cutaway.stages.parallel.sums import Sum, Sums, added, number, replaced, size, variable
from cutaway.typing.analysis.indices import gives_copy
from cutaway.typing.types import Array, Record, Type

_WRITING_METHODS = ("fill", "sort", "partition")
_READING = frozenset("sum prod mean min max argmin argmax any all dot std var".split())


@dataclass(frozen=True, slots=True)
class Axis:
    """Indices along an axis, from `start` up to `stop`: a single one if `stop` is None, and any one
    where neither is known."""

    start: Sum | None = None
    stop: Sum | None = None

    @property
    def is_point(self) -> bool:
        """True for a single known index."""
        return self.start is not None and self.stop is None


ANY = Axis()


@dataclass(frozen=True, slots=True)
class ElementAccess:
    """An op that reads or writes elements of an array, in a block of the body; `name` is its
    variable for the array, `field` that of records."""

    op: Op
    block: FrozenBlock
    name: str
    array: str
    axes: tuple[Axis, ...]
    field: str
    is_write: bool

    @property
    def axes_key(self) -> object:
        """A key of the access's indices."""
        forms = [form for axis in self.axes for form in (axis.start, axis.stop)]
        return tuple(None if form is None else frozenset(form.items()) for form in forms)


@dataclass(frozen=True, slots=True)
class _View:
    """A variable's view of an array: the indices along each axis, and the axes left; `places` is
    None where that is not known.  `field` is that of records, the outermost one."""

    array: str
    places: tuple[Axis, ...] | None
    left: tuple[int, ...]
    field: str = ""


class Places:
    """The accesses of a function's arrays."""

    def __init__(self, sums: Sums, table: Mapping[str, Type]) -> None:
        self.sums, self.types = sums, table
        self._views: dict[str, _View] = {}

    def accesses(self, block: FrozenBlock) -> Iterator[ElementAccess]:
        """Yield the accesses of a block, in their order."""
        for op in block.ops:
            for name, index, is_write, field in self._of(op):
                view = self._indexed(self.view(name), index)
                axes, field = view.places, view.field or field
                if axes is None:
                    ty = self.types[view.array]
                    axes = (ANY,) * (ty.ndim if isinstance(ty, Array) else 1)
                yield ElementAccess(op, block, name, view.array, axes, field, is_write)

    def _of(self, op: Op) -> Iterator[tuple[str, Any, bool, str]]:
        """Yield the accesses of an op: array, index, whether it writes, and field."""
        match op:
            case nodes.GetItem(result, value, _) | nodes.StaticGetItem(result, value, _):
                if isinstance(self.types.get(value), Array):
                    if not isinstance(self.types.get(result), Array | Record):
                        yield value, self._parts(op), False, ""
                elif self._is_record(value):
                    yield value, (), False, self._field(op)
            case nodes.SetItem(target=value) | nodes.StaticSetItem(target=value):
                if isinstance(self.types.get(value), Array):
                    yield value, self._parts(op), True, ""
                elif self._is_record(value):
                    yield value, (), True, self._field(op)
            case nodes.GetAttr(value=value, attr=attr) if self._is_record(value):
                yield value, (), False, attr
            case nodes.SetAttr(target=value, attr=attr) if self._is_record(value):
                yield value, (), True, attr
            case nodes.ArrayExpr(args=args) | nodes.ArrayReduce(args=args):
                yield from self._all_of(args, False)
            case nodes.ArrayStore(target=target, args=args):
                yield from self._all_of((target,), True)
                yield from self._all_of(args, False)
            case nodes.Call(func=func, args=args):
                yield from self._called(self.sums.makers.get(func))
                function = self.sums.constants.get(func)
                module = (text_attribute(function, "__module__") or "").partition(".")[0]
                if module == "numpy" and text_attribute(function, "__name__") in _READING:
                    yield from self._all_of(args, False)

    def _all_of(self, names: Iterable[str], writes: bool) -> Iterator[tuple[str, Any, bool, str]]:
        for name in names:
            if isinstance(self.types.get(name), Array):
                yield name, (), writes, ""

    def _called(self, maker: Op | None) -> Iterator[tuple[str, Any, bool, str]]:
        """Yield the array that a method reads or writes."""
        if isinstance(maker, nodes.GetAttr) and isinstance(self.types.get(maker.value), Array):
            if maker.attr in _WRITING_METHODS:
                yield maker.value, (), True, ""
            elif maker.attr in _READING:
                yield maker.value, (), False, ""

    def _is_record(self, name: str) -> bool:
        return isinstance(self.types.get(name), Record) and name in self.sums.makers

    # --- views ----------------------------------------------------------------------------------

    def view(self, name: str) -> _View:
        """Return a variable's view of an array."""
        if name not in self._views:
            chain = []
            op = self.sums.makers.get(name)
            while self._is_part(op) and name not in self._views:
                chain.append((name, op))
                assert isinstance(op, nodes.GetItem | nodes.StaticGetItem | nodes.Copy)
                name = op.value
                op = self.sums.makers.get(name)
            known = self._views.get(name) or self._whole(name)
            self._views[name] = known
            for part, maker in reversed(chain):
                field = "" if isinstance(maker, nodes.Copy) else self._field(maker)
                if field:
                    known = replace(known, field=known.field or field)
                elif not isinstance(maker, nodes.Copy):
                    known = self._indexed(known, self._parts(maker))
                self._views[part] = known
            return known
        return self._views[name]

    def is_of(self, name: str, arrays: Collection[str]) -> bool:
        """True for one of these arrays, and for a part of one."""
        while name not in arrays:
            op = self.sums.makers.get(name)
            if not isinstance(op, nodes.GetItem | nodes.StaticGetItem | nodes.Copy):
                return False
            name = op.value
        return True

    def _is_part(self, op: Op | None) -> bool:
        if not isinstance(op, nodes.GetItem | nodes.StaticGetItem | nodes.Copy):
            return False
        shown = isinstance(self.types.get(op.value), Array | Record)
        return shown and (isinstance(op, nodes.Copy) or not gives_copy(op, self.types))

    def _whole(self, name: str) -> _View:
        ty = self.types.get(name)
        if not isinstance(ty, Array):
            return _View(name, None, ())
        return _View(name, (ANY,) * ty.ndim, tuple(range(ty.ndim)))

    def _indexed(self, view: _View, parts: Any) -> _View:
        if parts is not None and _ELLIPSIS in parts:
            at, more = parts.index(_ELLIPSIS), len(view.left) - len(parts) + 1
            parts = (*parts[:at], *(_ALONG,) * more, *parts[at + 1 :])
        if view.places is None or parts is None or len(parts) > len(view.left):
            return view if parts == () else _View(view.array, None, (), view.field)
        places, left = list(view.places), []
        for axis, part in zip(view.left, parts, strict=False):
            if places[axis] == ANY:
                part = _with_end(part, size(view.array, axis))
            made = _within(places[axis], part)
            places[axis] = made
            if not part.is_point:
                left.append(axis)
        return _View(view.array, tuple(places), (*left, *view.left[len(parts) :]), view.field)

    def _parts(self, op: Any) -> tuple[Axis, ...] | None:
        """Return the parts of an index; None where one is neither a number nor a slice."""
        if isinstance(op, nodes.StaticGetItem | nodes.StaticSetItem):
            constants = op.index if isinstance(op.index, tuple) else (op.index,)
            made = [_constant_part(one) for one in constants]
        else:
            maker = self.sums.makers.get(op.index)
            names = maker.items if isinstance(maker, nodes.BuildTuple) else (op.index,)
            made = [self._part(name) for name in names]
        return None if None in made else tuple(made)  # all parts are known

    def _field(self, op: Any) -> str:
        """Return the field that an op reads or writes; empty for an index."""
        is_static = isinstance(op, nodes.StaticGetItem | nodes.StaticSetItem)
        index = op.index if is_static else self.sums.constants.get(op.index)
        return index if isinstance(index, str) else ""

    def _part(self, name: str) -> Axis | None:
        constant = self.sums.constants.get(name)
        if isinstance(constant, int | slice):
            return _constant_part(constant)
        maker = self.sums.makers.get(name)
        if isinstance(maker, nodes.BuildSlice):
            return self._slice(maker)
        ty = self.types.get(name)
        if isinstance(ty, Array):  # integers, or a mask
            return _SOMEWHERE if ty.ndim == 1 else None
        shown = str(ty)
        if shown == "ellipsis":
            return _ELLIPSIS
        is_place = shown.startswith(("int", "uint", "Literal"))
        return Axis(self.sums.of(name)) if is_place else None

    def _slice(self, op: nodes.BuildSlice) -> Axis:
        constants = self.sums.constants
        if op.step is not None and constants.get(op.step, 0) not in (None, 1):
            return _SOMEWHERE
        start = number(0) if _is_none(self, op.start) else self.sums.of(op.start)
        stop = None if _is_none(self, op.stop) else self.sums.of(op.stop)
        if stop is None or not (_is_sum(stop) or _is_sum(added(stop, start, -1))):
            return Axis(start, variable(_END))  # a bound that may be negative counts from the end
        return Axis(start, stop)


_END = "|end"  # of an axis, whatever it is
_SOMEWHERE = Axis(variable("|start"), variable(_END))
_ALONG = Axis(number(0), variable(_END))
_ELLIPSIS = Axis(variable("|ellipsis"))


def _is_sum(form: Sum) -> bool:
    """True if nothing is subtracted."""
    return all(factor > 0 for factor in form.values())


def _is_none(places: Places, name: str) -> bool:
    return str(places.types.get(name)) == "none"


def _constant_part(part: Any) -> Axis | None:
    if isinstance(part, int) and not isinstance(part, bool):
        return Axis(number(part) if part >= 0 else {(_END,): 1, (): part})
    if part is ...:
        return _ELLIPSIS
    if isinstance(part, slice):
        start, stop = part.start or 0, part.stop
        if part.step not in (None, 1) or start < 0 or (stop is not None and stop < 0):
            return _SOMEWHERE
        return Axis(number(start), variable(_END) if stop is None else number(stop))
    return None


def _with_end(part: Axis, name: str) -> Axis:
    """Return a part of an axis, with the name of its size for its end."""
    forms = [
        None if form is None else replaced(form, _END, variable(name))
        for form in (part.start, part.stop)
    ]
    return Axis(*forms)


def _within(outer: Axis, part: Axis) -> Axis:
    """Return a part of a slice of an axis as indices of the array."""
    if outer.start is None:
        return part
    base = outer.start
    if any(name.startswith("|") for term in base for name in term):
        return ANY
    start = added(base, part.start or {})
    if part.stop is None:
        return Axis(start)
    if (_END,) in part.stop:
        return Axis(start, outer.stop)
    return Axis(start, added(base, part.stop))


def shown_name(access: ElementAccess) -> str:
    """Return the array of an access in the user's words: its variable, or the source expression."""
    for name in (access.name, access.array):
        if not is_temporary(name):
            return user_name(name)
    return span_text(access.op.loc).partition("[")[0].strip() or "an array"
