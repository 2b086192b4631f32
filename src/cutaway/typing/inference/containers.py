"""Types of containers in inference: which list displays make lists, and the contents of containers.

A list display that is only read, `np.array([a, b])`, is typed item by item like a tuple.  One that
is changed, or that others see, makes a list, with one type for all items.  An empty container has
no contents at first: later ops determine them, in any order.

    out = []                    # list[], site 1
    for x in a:
        out.append(x)           # list[float64], site 1

Each display that makes a container is a *site*, which its type names.  A value that is put into a
container of a site widens the contents of the site, and every type in which it stands.  Two sites
that meet in one variable become one.  Where nothing else determines the contents, a key that is
looked up, or a default, does; then what follows from empty containers may fill others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.errors import CompileError
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import uses, walk
from cutaway.typing import types
from cutaway.typing.inference import resolving
from cutaway.typing.inference.displays import (
    ASKING,
    CHANGING,
    DISPLAYING,
    DISPLAYS,
    EXTENDING,
    PUTTING,
    Sites,
    constructor,
    empty_of,
    has_rows,
    is_empty,
    list_taken_by,
)
from cutaway.typing.inference.literals import ItemsNeeded
from cutaway.typing.inference.questions import UPDATES, listed
from cutaway.typing.types import (
    BoundMethod,
    Collected,
    Container,
    Deque,
    Dict,
    FrozenSet,
    List,
    ListDisplay,
    Set,
    Tuple,
    Type,
)
from cutaway.typing.types.structure import parts, rebuilt

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference

# Ops that have a type though the contents of a container among their operands have none yet.
_INDIFFERENT = (
    *(nodes.Copy, nodes.Cast, nodes.Phi, nodes.BuildTuple, nodes.BuildList, nodes.MakeList),
    *(nodes.BuildSet, nodes.BuildDict, nodes.Extend, nodes.ListAppend, nodes.Return),
    *(nodes.GetAttr, nodes.MakeFunction, nodes.Branch, nodes.GetIter, nodes.IterNext, nodes.Unary),
    *(nodes.StaticGetItem, nodes.SetItem, nodes.StaticSetItem),
)


class Containers(Sites):
    """The displays that make containers in one inference, and what ops say of their contents."""

    def __init__(self, run: Inference, leave: bool) -> None:
        super().__init__(run, leave)
        self.constructing: dict[int, Op] = {}  # calls of classes that no display makes
        self.probes = False  # whether calls are typed though containers among their arguments wait
        self.are_empty = False  # whether ops are typed though containers among their operands wait
        self.active = any(isinstance(one, Container) for ty in run.argtypes for one in parts(ty))
        for op in walk(run.fn):
            if isinstance(op, DISPLAYING):
                self.active = True
                if op.id in self.made:
                    run.constants.pop(op.result, None)

    # --- displays -------------------------------------------------------------------------------

    def display(
        self, op: nodes.BuildList | nodes.MakeList | nodes.BuildSet | nodes.BuildDict
    ) -> Type | None:
        """Return the type of a display: of a container, or item by item; None for an empty list
        that nothing has determined yet."""
        items = tuple(self.run.types[name] for name in op.items)
        if isinstance(op, nodes.BuildList) and op.id not in self.made:
            return ListDisplay(items) if items else None
        kind = _KINDS[type(op)]
        site = self._site(op, kind)
        for k, (name, ty) in enumerate(zip(op.items, items, strict=True)):
            place = k % 2 if isinstance(kind, Dict) else 0
            self.put(op, self._type_of(site), place, ty, name)
        return self._type_of(site)

    def constructed(self, op: nodes.Call) -> Type | None:
        """Return the type of `list()`, `set()` or `dict()`, which is a display; None for any other
        call."""
        function = self.run.constants.get(op.func)
        if op.args and op.id in self.made and isinstance(self.run.types[op.args[0]], Tuple):
            return self.run.resolved_as(listed, op)
        kind = constructor(op, function, self.run.types)
        if kind is None or not self.leave:
            return None
        self.active = True
        if not isinstance(kind, FrozenSet | Deque):
            self.made.add(op.id)
            return self._type_of(self._site(op, kind))
        self.constructing[op.id] = op
        ty = self._type_of(self._site(op, kind))
        self.run.resolutions[op.id] = resolving.constructed(
            op, ty, self.run.types, self.run.context
        )
        return ty

    def extended(self, op: nodes.Extend) -> Type:
        """Return the type of a display that an op extends, which is the same container."""
        owner = self.run.types[op.container]
        assert isinstance(owner, Container), "it was made by a display"
        if op.how == "dict_update":
            self.meet(owner, self.run.types[op.items[0]])
        else:
            rows = [EXTENDING[op.how]] if op.how in EXTENDING else [(0, False), (1, False)]
            for name, (place, several) in zip(op.items, rows, strict=True):
                self._note(op, owner, place, name, several)
        if op.how in UPDATES:
            self.run.ask(op)
        return self.substituted(owner)

    def note_type(self, ty: Type) -> None:
        """Note that a value of this type occurs."""
        if not self.active and isinstance(ty, Container):
            self.active = True

    # --- arguments ------------------------------------------------------------------------------

    def argument(self, op: Op, ty: Type) -> Type:
        """Return the type of an argument, in which a container that is passed empty may be
        filled."""
        if not self.leave or not any(is_empty(one) for one in parts(ty)):
            return ty
        return self.substituted(self._opened(op, ty, [0]))

    def _opened(self, op: Op, ty: Type, count: list[int]) -> Type:
        """Return a type in which each container without contents has a site."""
        if isinstance(ty, Container) and is_empty(ty):
            count[0] += 1
            return ty.of(ty.contents, self._site(op, ty, count[0]))
        return rebuilt(ty, lambda one: self._opened(op, one, count))

    def check_arguments(self) -> None:
        """Raise ItemsNeeded if the function fills containers that are passed to it empty."""
        opened = {op for op, _ in self.sites}
        args = [op for op in self.run.ops if isinstance(op, nodes.Arg) and op.id in opened]
        own = {op.index: self._without_sites(self.run.types[op.result]) for op in args}
        needed = {k: ty for k, ty in own.items() if ty is not self.run.argtypes[k]}
        if needed:
            raise ItemsNeeded(needed, args[0].loc)

    def fill_arguments(
        self, op: nodes.Call, needed: dict[int, Type], carried: Sequence[int]
    ) -> None:
        """Determine the contents of containers that a call fills, as its function needs them."""
        is_method = isinstance(self.run.types[op.func], BoundMethod)
        names = (op.func, *op.args) if is_method else op.args
        for position, ty in needed.items():
            name = names[position] if position < len(names) else op.func
            own = self.run.types[name]
            if isinstance(own, BoundMethod):
                own = own.owner
            elif position >= len(names):  # what an inner function has captured
                assert isinstance(own, types.Closure)
                own = own.carried[carried[position - len(names)]]
            self.cause, self.causes = op, (name,)
            self.meet(own, ty)

    def serve(self, op: Op, error: CompileError, layout: tuple[int | None, ...]) -> None:
        """Determine the contents of containers that a function of the library fills, or have
        displays make lists for a function that is passed to it; raise the error where neither is
        the reason."""
        if isinstance(error, ItemsNeeded) and isinstance(op, nodes.Call):
            own = {place: ty for k, ty in error.needed.items() if (place := layout[k]) is not None}
            self.fill_arguments(op, own, ())
            return
        passed = (self.run.types[name] for name in uses(op))
        calls = isinstance(op, nodes.Call) and any(isinstance(ty, types.Closure) for ty in passed)
        if not calls or not self.require(*uses(op)):
            raise error

    # --- contents -------------------------------------------------------------------------------

    def visit(self, op: Op) -> bool:
        """Note what an op puts into containers; False for an op that waits for contents."""
        run, self.cause, self.causes, self.waits = self.run, op, (), False
        is_call = isinstance(op, nodes.Call)
        types_of = run.types
        match op:
            case nodes.Call() if not self._visit_call(op):
                return False
            case nodes.GetAttr(value=value, attr=attr) if attr in CHANGING | {"index", "count"}:
                shape = Collected if attr == "count" else DISPLAYS
                if isinstance(types_of[value], shape) and self.require(value):
                    return False
            case (
                nodes.SetItem(target=target)
                | nodes.StaticSetItem(target=target)
                | nodes.DelItem(target=target)
            ) if isinstance(types_of[target], DISPLAYS) and self.require(target):
                return False
            case (
                nodes.SetItem(target=target, value=value)
                | nodes.StaticSetItem(target=target, value=value)
            ) if self._is_put(types_of[target], "", (value,)) and self.require(value):
                return False
            case nodes.Inplace(lhs=target, rhs=value) if self._is_put(
                types_of[target], "extend", (value,)
            ) and self.require(value):
                return False
            case nodes.SetItem(target=target, index=index, value=value):
                self._note_store(op, types_of[target], index, value)
            case nodes.StaticSetItem(target=target, value=value, index=index):
                self._note_static(op, types_of[target], index, value)
            case nodes.Inplace(op=row, lhs=lhs, rhs=rhs):
                self._note_inplace(op, row.symbol, lhs, rhs)
            case nodes.ListAppend(items=items, item=item):
                if {items, item} <= types_of.keys():
                    self._note(op, types_of[items], 0, item)
                elif self._has((Container,), item):
                    self.require(items)
            case nodes.Binary(op=row, lhs=lhs, rhs=rhs):
                if self._is_computed(row.symbol, lhs, rhs) and self.require(lhs, rhs):
                    return False
                if self.probes:
                    self._compare(op, row.symbol, lhs, rhs)
            case (
                nodes.GetItem(value=value)
                | nodes.StaticGetItem(value=value)
                | nodes.GetIter(value=value)
            ) if has_rows(types_of[value]) and self.require(value):
                return False
            case nodes.GetItem(value=value, index=index):
                if isinstance(types_of[index], types.Slice) and self._has(DISPLAYS, value):
                    if self.require(value):
                        return False
                if self.probes and isinstance(types_of[value], Dict):
                    self._ask(op, types_of[value], 0, index)
            case nodes.StaticGetItem(value=value, index=slice()):
                if isinstance(types_of[value], Collected) and self.require(value):
                    return False
            case nodes.BuildTuple(items=items) if self._has((Container,), *items):
                if self.require(*items):
                    return False
            case nodes.Return(value=value) | nodes.Suspend(value=value) if self.leave:
                if self.require(value):
                    return False
        if self.waits:
            return False
        if isinstance(op, _INDIFFERENT) or self.is_final or (self.probes and is_call):
            return True
        if isinstance(op, nodes.Call) and run.constants.get(op.func) in (len, bool):
            return True
        return not any(self.is_pending(types_of[name]) for name in uses(op) if name in types_of)

    def _visit_call(self, op: nodes.Call) -> bool:
        """Note the items that a call puts into containers; False for a call that waits."""
        own, args, method = self.run.types, op.args, self.run.types[op.func]
        if isinstance(method, BoundMethod):
            if self._is_put(method.owner, method.attr, args) and self.require(*args):
                return False
            self._note_call(op, method)
            return True
        function = self.run.constants.get(op.func)
        if empty_of(function) is not None:
            return not (self._has(DISPLAYS, *args) and self.require(*args))
        place, puts = list_taken_by(function) or (len(args), False)
        if place >= len(args):
            return True
        if self.require(args[place]):
            return False
        if puts and len(args) > 1:
            self._note(op, own[args[0]], 0, args[1])
        elif function is sum:
            iterator = own[args[0]].iterator()
            self.meet(own[args[place]], getattr(iterator, "item", types.undefined))
        return True

    def without_pending(
        self, op: Op, new_types: tuple[Type | None, ...]
    ) -> tuple[Type | None, ...]:
        """Return the types of results without those of contents that are not determined yet."""
        if isinstance(op, nodes.Call):
            new_types = tuple(self._resited(op, ty) for ty in new_types)
        new_types = tuple(self._like_pending(op, ty) for ty in new_types)
        if types.undefined not in new_types:
            return new_types
        used = (self.run.types.get(name) for name in uses(op))
        if not any(ty is not None and self.is_pending(ty) for ty in used):
            return new_types
        return tuple(None if ty is types.undefined else ty for ty in new_types)

    def _like_pending(self, op: Op, ty: Type | None) -> Type | None:
        """Return the type of a result; of an empty container that is made of one whose contents are
        not determined yet, the type of that one, with its site."""
        if ty is None or not any(is_empty(one) for one in parts(ty)):
            return ty
        for name in uses(op):
            for one in parts(self.run.types.get(name, types.undefined)):
                if one is not ty and isinstance(one, Container) and self._without_sites(one) is ty:
                    return one
        return ty

    def is_pending(self, ty: Type) -> bool:
        """True if the contents of a container, or of the one that a value refers to, are not
        determined yet."""
        match ty:
            case _ if self.are_empty:
                return False
            case Container():
                return ty.is_pending
            case BoundMethod(owner=inner) | types.Iterator(source=inner):
                return self.is_pending(inner)
            case types.DictView(dict=inner) | types.Optional(inner=inner):
                return self.is_pending(inner)
        return False

    def _resited(self, op: nodes.Call, ty: Type | None) -> Type | None:
        """Return the type of a method's result: a container that the owner contains has its site,
        which the method does not know."""
        method = self.run.types[op.func]
        if not isinstance(method, BoundMethod) or not isinstance(method.owner, Container):
            return ty
        match ty:
            case types.Optional(inner=inner):
                own = self._resited(op, inner)
                return ty if own is None else types.Optional(own)
            case Container():
                same = (
                    one
                    for one in parts(method.owner)
                    if isinstance(one, Container) and one.site and self._without_sites(one) is ty
                )
                return next(same, ty)
        return ty

    def _note_call(self, op: nodes.Call, method: Type) -> None:
        assert isinstance(method, BoundMethod)
        owner, key = method.owner, (type(method.owner), method.attr)
        for argument, place, several in PUTTING.get(key, ()):
            if argument < len(op.args):
                self._note(op, self.substituted(owner), place, op.args[argument], several)
        if key == (Dict, "update") and op.args:
            self.meet(owner, self.run.types[op.args[0]])
        for argument, place, _ in ASKING.get(key, ()) if self.probes else ():
            if argument < len(op.args):
                self._ask(op, self.substituted(owner), place, op.args[argument])

    def _note_store(self, op: Op, owner: Type, index: str, value: str) -> None:
        if isinstance(owner, Dict):
            self._note(op, owner, 0, index)
            self._note(op, self.substituted(owner), 1, value)
        else:
            self._note(op, owner, 0, value, isinstance(self.run.types[index], types.Slice))

    def _note_static(self, op: nodes.StaticSetItem, owner: Type, index: object, value: str) -> None:
        if isinstance(owner, Dict):
            key = self.run.static_type(op)
            if key is not None:
                self.put(op, owner, 0, key, value)
            self._note(op, self.substituted(owner), 1, value)
        else:
            self._note(op, owner, 0, value, isinstance(index, slice))

    def _note_inplace(self, op: nodes.Inplace, symbol: str, lhs: str, rhs: str) -> None:
        own = self.run.types
        if symbol == "+=" and isinstance(own[lhs], List | Deque):
            self._note(op, own[lhs], 0, rhs, True)
        elif isinstance(own[lhs], Container):
            self.causes = (rhs,)
            self.meet(own[lhs], own[rhs])

    def _compare(self, op: nodes.Binary, symbol: str, lhs: str, rhs: str) -> None:
        """Note what an operator says of contents that nothing else determines."""
        own = self.run.types
        if symbol in ("in", "not in") and isinstance(own[rhs], Container):
            self._ask(op, own[rhs], 0, lhs)
        else:
            self.causes = (lhs, rhs)
            self.meet(own[lhs], own[rhs])

    def _ask(self, op: Op, owner: Type, place: int, name: str) -> None:
        """Determine contents without a type by a value that is looked up in them."""
        ty = self.run.types.get(name)
        if isinstance(owner, Container) and ty is not None and ty is not types.none:
            if owner.is_pending and owner.contents[place] is types.undefined:
                self.put(op, owner, place, ty, name)

    def _note(self, op: Op, owner: Type, place: int, name: str, several: bool = False) -> None:
        item: Type | None = self.run.types[name]
        if not isinstance(owner, Container):
            return
        if several:
            iterator = item.iterator() if item is not None else None
            item = getattr(iterator, "item", None)
        if item is not None and item is not types.undefined:
            self.put(op, owner, place, item, name)

    def probe(self) -> bool:
        """Determine contents by weaker reasons; False if that is not needed, or done."""
        roots = map(self._root, self.contents)
        if self.probes or not any(types.undefined in self.contents[root] for root in roots):
            return False
        self.probes = True
        for op in self.run.ops:
            if isinstance(op, _PROBED):
                self.run.revisit(op)
        return True

    def settle(self) -> bool:
        """Determine contents by weaker reasons, then leave the containers that nothing was put into
        without contents, and make all types final; False if they are final already."""
        if self.is_final or not self.sites:
            return False
        if self.probe():
            return True
        if not self.are_empty:  # what follows from empty containers may still fill others
            waiting = [op for op in self.run.ops if self._waits_for_contents(op)]
            self.are_empty = True
            for op in waiting:
                self.run.revisit(op)
            return True
        self.is_final = True
        self._replace_types()
        for op in self.constructing.values():
            self.run.revisit(op)
        return True

    def _waits_for_contents(self, op: Op) -> bool:
        own = (self.run.types.get(name) for name in uses(op))
        return any(ty is not None and self.is_pending(ty) for ty in own)


_PROBED = (nodes.Call, nodes.Binary, nodes.GetItem)
_LIST, _SET = List(types.undefined), Set(types.undefined)
_DICT = Dict(types.undefined, types.undefined)
_KINDS: dict[type[Op], Container] = {
    nodes.BuildList: _LIST,
    nodes.MakeList: _LIST,
    nodes.BuildSet: _SET,
    nodes.BuildDict: _DICT,
}
