"""Types of lists in inference: which displays are lists, and what their items are.

A display that is only read, `np.array([a, b])`, is typed item by item like a tuple.  One that may
be changed or seen by others makes a list, with one type for all items.  An empty list has no item
type at first: it takes that of what is put into it, in any order.

    out = []                    # list[], site 1
    for x in a:
        out.append(x)           # list[float64], site 1

So each display that makes a list is a *site*, which its type names.  What is put into a list of a
site widens the item type of the site, and every type in which it stands.  Two sites that meet in
one variable become one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cutaway.errors import TypingError
from cutaway.foundation.dataclass import replace
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.typing import types
from cutaway.typing.inference.literals import ItemsNeeded
from cutaway.typing.overloads.resolution import Arguments, Call
from cutaway.typing.types import BoundMethod, Collected, List, ListDisplay, Tuple, Type
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.types.lists import item_of

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference

CHANGING = frozenset("append extend insert pop remove clear sort reverse copy".split())
_PASSED_ON = (nodes.Copy, nodes.Cast, nodes.Phi, nodes.ListAppend)
# Ops that have a type though a list among their operands has no item type yet.
_INDIFFERENT = (
    *(nodes.Copy, nodes.Cast, nodes.Phi, nodes.BuildTuple, nodes.BuildList, nodes.MakeList),
    *(nodes.GetAttr, nodes.MakeFunction, nodes.Branch, nodes.GetIter, nodes.IterNext, nodes.Unary),
    *(nodes.StaticGetItem, nodes.ListAppend, nodes.SetItem, nodes.StaticSetItem, nodes.Return),
)


def lists_of(fn: Function, leave: bool) -> set[int]:
    """Return the ids of the list displays that a function changes, or returns if they `leave`."""
    displays = [op for op in walk(fn) if isinstance(op, nodes.BuildList)]
    if not displays:
        return set()
    users: dict[str, list[Op]] = {}
    for op in walk(fn):
        for name in uses(op):
            users.setdefault(name, []).append(op)
    changed = (any(_changes(*use, leave) for use in _uses(op.result, users)) for op in displays)
    return {op.id for op, is_changed in zip(displays, changed, strict=True) if is_changed}


def _uses(name: str, users: dict[str, list[Op]]) -> Iterator[tuple[Op, str]]:
    """Yield the ops that use a value, each with the name that it has there."""
    names, waiting = {name}, [name]
    while waiting:
        name = waiting.pop()
        for op in users.get(name, ()):
            yield op, name
            passed = isinstance(op, _PASSED_ON) and getattr(op, "item", None) != name
            if passed and definitions(op)[0] not in names:
                names.add(definitions(op)[0])
                waiting.append(definitions(op)[0])


def _changes(op: Op, name: str, leave: bool) -> bool:
    match op:
        case nodes.GetAttr(attr=attr):
            return attr in CHANGING
        case nodes.SetItem(target=target) | nodes.StaticSetItem(target=target):
            return target == name
        case nodes.Inplace(lhs=lhs):
            return lhs == name
        case nodes.DelItem(target=target):
            return target == name
        case nodes.Return():
            return leave
    return False


class Lists:
    """The sites of one inference: the displays that make lists, and their item types."""

    def __init__(self, run: Inference, leave: bool) -> None:
        self.run = run
        self.leave = leave  # whether displays that are returned make lists
        self.made = lists_of(run.fn, leave)  # the ids of displays that make lists
        self.sites: dict[int, int] = {}  # by op
        self.items: dict[int, Type] = {}  # by site
        self.same: dict[int, int] = {}  # a site that has become another one
        self.probes = False  # whether calls are typed though a list among their arguments is empty
        self.is_final = False
        self.cause: Op = run.fn.entry.ops[0]  # the op that widens a site, and what it puts there
        self.causes: tuple[str, ...] = ()
        self.active = False  # whether there are lists, or displays that could be
        if any(isinstance(one, List) for ty in run.argtypes for one in _parts(ty)):
            self.active = True
        for op in walk(run.fn):
            if isinstance(op, _DISPLAY_OPS):
                self.active = True
                if op.id in self.made:
                    run.constants.pop(op.result, None)

    # --- displays -------------------------------------------------------------------------------

    def display(self, op: nodes.BuildList | nodes.MakeList) -> Type | None:
        """Return the type of a display: of a list, or item by item; None for an empty display that
        nothing has determined yet."""
        items = tuple(self.run.types[name] for name in op.items)
        if isinstance(op, nodes.BuildList) and op.id not in self.made:
            return ListDisplay(items) if items else None
        site = self._site(op)
        for name, ty in zip(op.items, items, strict=True):
            self.put(op, List(self.items[site], site), ty, name)
        site = self._root(site)
        return List(self.items[site], 0 if self.is_final else site)

    def _site(self, op: Op) -> int:
        if op.id not in self.sites:
            self.sites[op.id] = site = len(self.sites) + 1
            self.items[site] = types.undefined
        return self._root(self.sites[op.id])

    def _root(self, site: int) -> int:
        while site in self.same:
            site = self.same[site]
        return site

    def makes(self, name: str) -> bool:
        """True if a variable is the result of a display that makes a list."""
        return any(
            isinstance(op, _DISPLAY_OPS) and op.id in self.made and op.result == name
            for op in self.run.ops
        )

    def note_type(self, ty: Type) -> None:
        """Note that a value of this type occurs."""
        if not self.active and isinstance(ty, List):
            self.active = True

    def require(self, *names: str) -> bool:
        """Have the displays that these values come from make lists; False if none does."""
        makers = {name: op for op in self.run.ops for name in definitions(op)}
        waiting = [name for name in names if self._may(name)]
        seen, done = set(waiting), False
        while waiting:
            maker = makers.get(waiting.pop())
            if isinstance(maker, nodes.BuildList) and maker.id not in self.made:
                if _uniform(self.run, maker):
                    self.made.add(maker.id)
                    self.run.constants.pop(maker.result, None)
                    self.run.revisit(maker)
                    done = True
            elif maker is not None:
                more = [name for name in uses(maker) if name not in seen and self._may(name)]
                seen.update(more)
                waiting += more
        return done

    def _may(self, name: str) -> bool:
        return name not in self.run.types or self._has_display(name)

    def _has_display(self, name: str) -> bool:
        ty = self.run.types.get(name)
        return ty is not None and any(isinstance(one, _DISPLAYS) for one in _parts(ty))

    # --- arguments ------------------------------------------------------------------------------

    def argument(self, op: Op, ty: Type) -> Type:
        """Return the type of an argument, in which a list that is passed empty may be filled."""
        is_empty = any(isinstance(one, List) and one.item is types.undefined for one in _parts(ty))
        if not is_empty or not self.leave:
            return ty
        site = self._site(op)  # all lists that are passed empty in one argument hold the same items
        return self.substituted(_with_site(ty, site))

    def check_arguments(self) -> None:
        """Raise ItemsNeeded if the function puts items into lists that are passed to it empty."""
        args = [op for op in self.run.ops if isinstance(op, nodes.Arg) and op.id in self.sites]
        own = {op.index: self._without_sites(self.run.types[op.result]) for op in args}
        needed = {k: ty for k, ty in own.items() if ty is not self.run.argtypes[k]}
        if needed:
            raise ItemsNeeded(needed, args[0].loc)

    def fill_arguments(self, op: nodes.Call, needed: dict[int, Type]) -> None:
        """Give the lists that a call fills the item types that the called function needs."""
        for position, ty in needed.items():
            name = op.args[position]
            self.cause, self.causes = op, (name,)
            self.meet(self.run.types[name], ty)

    # --- items ----------------------------------------------------------------------------------

    def visit(self, op: Op) -> bool:
        """Note what an op puts into lists; False for an op that waits for an item type."""
        run, self.cause, self.causes = self.run, op, ()
        is_call = isinstance(op, nodes.Call)
        types_of = run.types
        match op:
            case nodes.Call(func=func, args=args) if isinstance(types_of[func], BoundMethod):
                self._note_call(op, types_of[func], args)
            case nodes.SetItem(target=target, index=index, value=value):
                several = isinstance(types_of[index], types.Slice)
                self._note(op, types_of[target], value, several)
            case nodes.StaticSetItem(target=target, value=value, index=index):
                self._note(op, types_of[target], value, isinstance(index, slice))
            case nodes.Inplace(op=row, lhs=lhs, rhs=rhs) if row.symbol == "+=":
                self._note(op, types_of[lhs], rhs, True)
            case nodes.ListAppend(items=items, item=item) if {items, item} <= types_of.keys():
                self._note(op, types_of[items], item)
            case nodes.Binary(op=row, lhs=lhs, rhs=rhs) if row.symbol in ("+", "*"):
                if self._is_computed(row.symbol, lhs, rhs) and self.require(lhs, rhs):
                    return False
                if self.probes:
                    self.meet(types_of[lhs], types_of[rhs])
            case nodes.BuildTuple(items=items) if self._has_list(items) and self.require(*items):
                return False
            case nodes.ListAppend(items=items, item=item) if self._has_list((item,)):
                self.require(items)
            case nodes.Return(value=value) if self.leave and self.require(value):
                return False
        if isinstance(op, _INDIFFERENT) or self.is_final or (self.probes and is_call):
            return True
        if is_call and run.constants.get(op.func) in (len, bool):
            return True
        return not any(self.is_pending(types_of[name]) for name in uses(op) if name in types_of)

    def _has_list(self, names: tuple[str, ...]) -> bool:
        """True if one of these values is a list, or has lists in it."""
        own = (self.run.types.get(name) for name in names)
        return any(isinstance(one, List) for ty in own if ty is not None for one in _parts(ty))

    def _is_computed(self, symbol: str, *names: str) -> bool:
        """True if `+` or `*` has a display and a value by which it becomes a list."""
        own = [self.run.types[name] for name in names]
        if not any(isinstance(ty, _DISPLAYS) for ty in own):
            return False
        if symbol == "+":
            return any(isinstance(ty, List | Collected) for ty in own)
        return any(types.is_integral(ty) for ty in own) and not any(
            type(self.run.constants.get(name)) is int for name in names
        )

    def without_pending(
        self, op: Op, new_types: tuple[Type | None, ...]
    ) -> tuple[Type | None, ...]:
        """Return the types of results without those of items that are not determined yet."""
        if types.undefined not in new_types:
            return new_types
        used = (self.run.types.get(name) for name in uses(op))
        if not any(ty is not None and self.is_pending(ty) for ty in used):
            return new_types
        return tuple(None if ty is types.undefined else ty for ty in new_types)

    def final(self, call: Call) -> Call:
        """Return a call with the types that its arguments have now, without sites."""
        if not self.sites:
            return call
        own = call.arguments
        plain = tuple(self._without_sites(ty) for ty in own.types)
        return replace(call, arguments=Arguments(plain, own.constants))

    def _without_sites(self, ty: Type) -> Type:
        before, self.is_final = self.is_final, True
        try:
            return self.substituted(ty)
        finally:
            self.is_final = before

    def met(self, name: str, ty: Type) -> tuple[Type, Type]:
        """Return the type of a variable and another one after their sites have met."""
        self.meet(self.run.types[name], ty)
        return self.run.types[name], self.substituted(ty)

    def is_pending(self, ty: Type) -> bool:
        """True if the item type of a list in a type is not determined yet."""
        return any(isinstance(one, List) and one.is_pending for one in _parts(ty))

    def _note_call(self, op: nodes.Call, method: Type, args: tuple[str, ...]) -> None:
        assert isinstance(method, BoundMethod)
        which = _PUTTING.get(method.attr)
        if isinstance(method.owner, List) and which is not None and len(args) > which[0]:
            self._note(op, method.owner, args[which[0]], which[1])

    def _note(self, op: Op, owner: Type, value: str, several: bool = False) -> None:
        if not isinstance(owner, List):
            return
        item: Type | None = self.run.types[value]
        if several:
            iterator = item.iterator() if item is not None else None
            item = getattr(iterator, "item", None)
        if item is not None and item is not types.undefined:
            if not self.is_pending(item) or not several:
                self.put(op, owner, item, value)

    def put(self, op: Op, owner: List, ty: Type, name: str) -> None:
        """Widen the item type of a list by the type of what an op puts into it.

        Raises TypingError if the list cannot hold it.
        """
        if any(isinstance(one, _DISPLAYS) for one in _parts(ty)) and self.require(name):
            return  # it is visited again when the display has the type of a list
        self.causes = (name,)
        item = item_of(ty)
        site = self._root(owner.site)
        if item is None:
            raise TypingError(
                f"a list cannot hold a value of type {ty} in compiled code", op.loc, _HINT
            )
        if not site:
            if conversion(item, owner.item) > Conversion.SAFE:
                raise _mixed(op, owner.item, item)
            return
        self.meet(self.items[site], item)
        old, item = self.items[site], self.substituted(item)
        union = unify(old, item)
        if union is None:
            raise _mixed(op, old, item)
        self._widen(site, union)

    def meet(self, one: Type, other: Type) -> None:
        """Make the sites that stand at the same position of two types one."""
        match one, other:
            case List(), List():
                self.meet(one.item, other.item)
                first, second = self._root(one.site), self._root(other.site)
                if first and second and first != second:
                    self._join(first, second)
                elif first or second:
                    fixed = other.item if first else one.item
                    union = unify(self.items[first or second], self.substituted(fixed))
                    if union is not None:
                        self._widen(first or second, union)
            case Tuple(), Tuple() if len(one.items) == len(other.items):
                for first_item, second_item in zip(one.items, other.items, strict=True):
                    self.meet(first_item, second_item)
            case types.Optional(), _:
                self.meet(one.inner, other)
            case _, types.Optional():
                self.meet(one, other.inner)

    def _join(self, first: int, second: int) -> None:
        union = unify(self.items[first], self.items[second])
        if union is None:
            return  # the types clash, where they are unified
        self.same[second] = first
        self.items[first] = union
        self._replace_types()

    def _widen(self, site: int, item: Type) -> None:
        if self.items[site] is not item:
            self.items[site] = item
            self._replace_types()

    def _replace_types(self) -> None:
        """Update the types in which sites stand, and visit their users again."""
        run = self.run
        for name, ty in list(run.types.items()):
            new = self.substituted(ty)
            if new is not ty:
                run.set_type(name, new, self.cause, self.causes)

    def substituted(self, ty: Type) -> Type:
        """Return a type with the item types that sites have now."""
        match ty:
            case List(item=item, site=site):
                root = self._root(site)
                inner = self.items[root] if root else item
                return List(self.substituted(inner), 0 if self.is_final else root)
            case Tuple(items=items):
                new = tuple(map(self.substituted, items))
                return ty if new == items else ty.of(new)
            case types.Optional(inner=inner):
                return types.Optional(self.substituted(inner))
            case BoundMethod(owner=owner, attr=attr):
                return BoundMethod(self.substituted(owner), attr)
            case types.Iterator(source=List() as source):
                made = self.substituted(source).iterator()
                assert made is not None
                return made
        return ty

    def settle(self) -> bool:
        """Make all types final, and leave the lists that nothing was put into without an item type;
        False if they are final already."""
        if self.is_final or not self.sites:
            return False
        if not self.probes and any(ty is types.undefined for ty in self.items.values()):
            self.probes = True
            for op in self.run.ops:
                if isinstance(op, nodes.Call | nodes.Binary):
                    self.run.revisit(op)
            return True
        self.is_final = True
        self._replace_types()
        return True


_DISPLAY_OPS = (nodes.BuildList, nodes.MakeList)
_DISPLAYS = (ListDisplay, Collected)
_HINT = "lists hold numbers, strings, arrays, and tuples and lists of them"
# The methods that put something into a list: the argument, and whether it has several items.
_PUTTING = {"append": (0, False), "insert": (1, False), "extend": (0, True)}


def _with_site(ty: Type, site: int) -> Type:
    """Return a type in which the lists without an item type have a site."""
    match ty:
        case List(item=item):
            return List(item, site) if item is types.undefined else List(_with_site(item, site))
        case Tuple(items=items):
            return ty.of(tuple(_with_site(item, site) for item in items))
        case types.Optional(inner=inner):
            return types.Optional(_with_site(inner, site))
    return ty


def _parts(ty: Type) -> Iterator[Type]:
    """Yield a type, and those in which a list may stand within it."""
    yield ty
    match ty:
        case List(item=item):
            yield from _parts(item)
        case Tuple(items=items):
            for item in items:
                yield from _parts(item)
        case types.Optional(inner=inner):
            yield from _parts(inner)
        case BoundMethod(owner=owner):
            yield from _parts(owner)
        case types.Iterator(source=source):
            yield from _parts(source)


def _uniform(run: Inference, op: nodes.BuildList) -> bool:
    """True if the items of a display have a common type."""
    items = [item_of(run.types[name]) if name in run.types else None for name in op.items]
    common: Type | None = types.undefined
    for item in items:
        common = None if item is None or common is None else unify(common, item)
    return common is not None


def _mixed(op: Op, held: Type, item: Type) -> TypingError:
    return TypingError(
        f"a list of {held} cannot hold a value of type {item}: its items have one type",
        op.loc,
        "make all items of one type, or use a tuple",
    )
