"""The displays that make containers: list displays that a function changes, or that others see, and
the contents of all that are made (`containers.py` notes what ops say of them).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cutaway.errors import TypingError
from cutaway.foundation import foreign
from cutaway.foundation.dataclass import replace
from cutaway.foundation.lazy import cached_property
from cutaway.foundation.source import is_ours
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Call
from cutaway.typing.types import (
    Collected,
    Container,
    Deque,
    Dict,
    FrozenSet,
    List,
    ListDisplay,
    ListLike,
    Set,
    SetLike,
    Tuple,
    Type,
)
from cutaway.typing.types.containers import can_be_key, item_of, united_items
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.types.interning import BY_CLASS
from cutaway.typing.types.structure import parts, rebuilt

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference

F = TypeVar("F")

# The methods that change a list, or that displays do not have.
CHANGING = frozenset("append extend insert pop remove clear sort reverse copy".split())
PASSED_ON = (nodes.Copy, nodes.Cast, nodes.Phi, nodes.ListAppend)
# The arguments that a method puts into a container: the argument, its place in the contents, and
# whether its items are put there.
_ITEM, _ITEMS = (0, 0, False), (0, 0, True)
PUTTING: dict[tuple[type[Type], str], tuple[tuple[int, int, bool], ...]] = {
    (List, "append"): (_ITEM,),
    (List, "insert"): ((1, 0, False),),
    (List, "extend"): (_ITEMS,),
    **dict.fromkeys([(Deque, "append"), (Deque, "appendleft")], (_ITEM,)),
    (Deque, "insert"): ((1, 0, False),),
    **dict.fromkeys([(Deque, "extend"), (Deque, "extendleft")], (_ITEMS,)),
    (Set, "add"): (_ITEM,),
    (Set, "update"): (_ITEMS,),
    (Dict, "setdefault"): (_ITEM, (1, 1, False)),
}
# Functions that take a list, by module: its position, and whether the next argument is put into it.
_CHANGE, _PUT = (0, False), (0, True)
_TAKING: dict[str, dict[str, tuple[int, bool]]] = {
    "_heapq": {
        **dict.fromkeys("heapify heapify_max heappop heappop_max".split(), _CHANGE),
        **dict.fromkeys("heappush heappushpop heapreplace".split(), _PUT),
        **dict.fromkeys("heappush_max heappushpop_max heapreplace_max".split(), _PUT),
    },
    "_bisect": dict.fromkeys(("insort_left", "insort_right"), _PUT),
    "_functools": {"reduce": (2, False)},
    "builtins": {"sum": (1, False)},
}
# The arguments that determine contents which nothing else does.
ASKING: dict[tuple[type[Type], str], tuple[tuple[int, int, bool], ...]] = {
    **dict.fromkeys([(Dict, "get"), (Dict, "pop")], (_ITEM, (1, 1, False))),
    **dict.fromkeys([(Set, "remove"), (Set, "discard"), (List, "remove")], (_ITEM,)),
    **dict.fromkeys([(List, "count"), (List, "index")], (_ITEM,)),
    **dict.fromkeys([(Deque, "count"), (Deque, "index"), (Deque, "remove")], (_ITEM,)),
}
EXTENDING = {"set_add": (0, False), "set_update": (0, True), "list_extend": (0, True)}
DISPLAYING = (nodes.BuildList, nodes.MakeList, nodes.BuildSet, nodes.BuildDict)
DISPLAYS = (ListDisplay, Collected)
_PASSING = (*DISPLAYS, types.Closure)  # and functions that refer to them
_FILLS_LISTS = "lists that are passed are filled"
_COMPARING = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")


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
    """Yield the ops that use a value, each with the name that the value has there."""
    names, waiting = {name}, [name]
    while waiting:
        name = waiting.pop()
        for op in users.get(name, ()):
            yield op, name
            passed = isinstance(op, PASSED_ON) and getattr(op, "item", None) != name
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
        case nodes.Return() | nodes.Suspend():
            return leave
    return False


def fills_lists(function: F) -> F:
    """Mark a function of the library that may fill the empty lists that are passed to it, as any
    function of the user may: it calls functions of the user."""
    vars(function)[_FILLS_LISTS] = True
    return function


def may_fill_lists(function: Any) -> bool:
    """True if a function may fill empty lists, and lists that it makes are seen by others."""
    return not is_ours(function) or _FILLS_LISTS in function.__dict__


def list_taken_by(function: object) -> tuple[int, bool] | None:
    """Return the position of the list that a function takes, and whether the function puts its next
    argument there; None for other functions."""
    of_module = _TAKING.get(foreign.text_attribute(function, "__module__"))
    return (
        None if of_module is None else of_module.get(foreign.text_attribute(function, "__name__"))
    )


class Displays:
    """The displays of one inference that make lists; `made` has their ids."""

    def __init__(self, run: Inference, leave: bool) -> None:
        self.run = run
        self.leave = leave  # whether displays that are returned make lists
        self.made = lists_of(run.fn, leave)

    @cached_property
    def _makers(self) -> dict[str, Op]:
        """The ops that define each variable."""
        return {name: op for op in self.run.ops for name in definitions(op)}

    def makes(self, name: str) -> bool:
        """True if a variable is passed on from a display that makes a list."""
        seen, waiting = {name}, [name]
        while waiting:
            maker = self._makers.get(waiting.pop())
            if isinstance(maker, DISPLAYING) and maker.id in self.made:
                return True
            if isinstance(maker, PASSED_ON):
                item = getattr(maker, "item", None)
                more = [one for one in uses(maker) if one not in seen and one != item]
                seen.update(more)
                waiting += more
        return False

    def require(self, *names: str) -> bool:
        """Have the displays that these values come from make lists; False if none does."""
        waiting = [name for name in names if self._may(name)]
        seen, done = set(waiting), False
        while waiting:
            maker = self._makers.get(waiting.pop())
            if isinstance(maker, nodes.BuildList):
                done = done or maker.id in self.made  # which gets its type in a moment
                if maker.id in self.made:
                    continue
                own = [self.run.types.get(name) for name in maker.items]
                if united_items(own) is not None:
                    self.made.add(maker.id)
                    self.run.constants.pop(maker.result, None)
                    self.run.types.pop(maker.result, None)
                    self._forget(maker.result)
                    self.run.revisit(maker)
                    done = True
            elif self._lists_tuple(maker):
                assert isinstance(maker, nodes.Call)
                done = True
                if maker.id not in self.made:
                    self.made.add(maker.id)
                    self._forget(maker.result)
                    self.run.revisit(maker)
            elif maker is not None:
                passes_on = isinstance(maker, PASSED_ON)
                own = [name for name in uses(maker) if name not in seen]
                more = [name for name in own if passes_on or self._may(name)]
                seen.update(more)
                waiting += more
        return done

    def _lists_tuple(self, op: Op | None) -> bool:
        """True for `list(t)` of a tuple whose items have a common type."""
        if not isinstance(op, nodes.Call) or self.run.constants.get(op.func) is not list:
            return False
        ty = self.run.types.get(op.args[0]) if len(op.args) == 1 else None
        return isinstance(ty, Tuple) and united_items(ty.items) is not None

    def _forget(self, name: str) -> None:
        """Drop the types that a display has passed on, since it makes a list after all."""
        if isinstance(self.run.types.get(name), _PASSING):
            del self.run.types[name]
        for op in self.run.ops:
            passed = isinstance(op, (*PASSED_ON, nodes.MakeFunction)) and name in uses(op)
            if passed and getattr(op, "item", None) != name:
                (result,) = definitions(op)
                if isinstance(self.run.types.get(result), _PASSING):
                    self._forget(result)
                    self.run.revisit(op)

    def has_display(self, ty: Type) -> bool:
        """True if a display stands in a type, which may become a list."""
        return self.active and any(isinstance(one, DISPLAYS) for one in parts(ty))

    def _may(self, name: str) -> bool:
        return name not in self.run.types or self._has(DISPLAYS, name)

    def _has(self, kinds: tuple[type[Type], ...], *names: str) -> bool:
        """True if a value of one of these types is among some values, or stands in one."""
        own = (self.run.types.get(name) for name in names)
        return any(isinstance(one, kinds) for ty in own if ty is not None for one in parts(ty))

    def _is_put(self, owner: Type, method: str, args: Sequence[str]) -> bool:
        """True if a method of a container has a display as an argument, other than an iterable of
        numbers."""
        if not isinstance(owner, Container) or not self._has(DISPLAYS, *args):
            return False
        if method not in ("extend", "update"):
            return True
        own = (self.run.types[name] for name in args)
        return any(len(list(parts(one))) > 1 for ty in own for one in items_of(ty))

    def _is_computed(self, symbol: str, *names: str) -> bool:
        """True if an operator has a display and a value by which it becomes a list."""
        if not self._has(DISPLAYS, *names):
            return False
        own = [self.run.types[name] for name in names]
        if symbol in _COMPARING:
            lists_alone = symbol not in ("in", "not in")
            return self._has((Container,), *names) or (
                lists_alone and any(isinstance(ty, Collected) for ty in own)
            )
        if symbol not in ("+", "*"):
            return False
        if symbol == "+":
            return any(isinstance(ty, List | Collected) for ty in own)
        return any(types.is_integral(ty) for ty in own) and not any(
            type(self.run.constants.get(name)) is int for name in names
        )


class Sites(Displays):
    """The sites of one inference, and their contents."""

    def __init__(self, run: Inference, leave: bool) -> None:
        super().__init__(run, leave)
        self.sites: dict[tuple[int, int], int] = {}  # by op, and by number in its type
        self.contents: dict[int, tuple[Type, ...]] = {}  # by site
        self.kinds: dict[int, Container] = {}  # such a container, without contents
        self.same: dict[int, int] = {}  # a site that has become another one
        self.is_final = False
        self.cause: Op = run.fn.entry.ops[0]  # the op that widens a site, and its operands
        self.causes: tuple[str, ...] = ()
        self.waits = False  # whether an operand of the visited op gets another type

    def _type_of(self, site: int) -> Container:
        root = self._root(site)
        return self.kinds[root].of(self.contents[root], 0 if self.is_final else root)

    def _site(self, op: Op, kind: Container, number: int = 0) -> int:
        key = (op.id, number)
        if key not in self.sites:
            self.sites[key] = site = len(self.sites) + 1
            self.kinds[site] = kind
            self.contents[site] = kind.contents
        return self._root(self.sites[key])

    def _root(self, site: int) -> int:
        while site in self.same:
            site = self.same[site]
        return site

    # --- contents -------------------------------------------------------------------------------

    def put(self, op: Op, owner: Container, place: int, ty: Type, name: str) -> None:
        """Widen the contents of a container by the type of a value that an op puts into it.

        Raises TypingError if the container cannot hold it.
        """
        if any(isinstance(one, DISPLAYS) for one in parts(ty)) and self.require(name):
            self.waits = True  # it is visited again when the display has the type of a list
            return
        self.causes = (name,)
        item, is_key = item_of(ty), place == 0 and not isinstance(owner, ListLike)
        if item is None or (is_key and not can_be_key(item)):
            raise unfit(op, owner, ty, is_key)
        site = self._root(owner.site)
        if not site:
            if conversion(item, owner.contents[place]) > Conversion.SAFE:
                raise mixed(op, owner, owner.contents[place], item)
            return
        self.meet(self.contents[site][place], item)
        old, item = self.substituted(self.contents[site][place]), self.substituted(item)
        union = unify(old, item)
        if union is None:
            raise mixed(op, owner, old, item)
        self._widen(site, place, union)

    def meet(self, one: Type, other: Type) -> None:
        """Make the sites that stand at the same position of two types one."""
        match one, other:
            case Container(), Container() if type(one) is type(other):
                for inner, more in zip(one.contents, other.contents, strict=True):
                    self.meet(inner, more)
                first, second = self._root(one.site), self._root(other.site)
                if first and second and first != second:
                    self._join(first, second)
                elif first or second:
                    fixed = other if first else one
                    for place, ty in enumerate(fixed.contents):
                        self._unite(first or second, place, self.substituted(ty))
            case SetLike(), SetLike():  # one is frozen: they remain two
                for own, more in ((one, other), (other, one)):
                    if self._root(own.site) and own.is_pending:
                        self._unite(self._root(own.site), 0, self.substituted(more.item))
            case Tuple(), Tuple() if len(one.items) == len(other.items):
                for first_item, second_item in zip(one.items, other.items, strict=True):
                    self.meet(first_item, second_item)
            case types.Optional(), _:
                self.meet(one.inner, other)
            case _, types.Optional():
                self.meet(one, other.inner)

    def _unite(self, site: int, place: int, ty: Type) -> None:
        union = unify(self.substituted(self.contents[site][place]), ty)
        if union is not None:  # else the types clash, where they are unified
            self._widen(site, place, union)

    def _join(self, first: int, second: int) -> None:
        pairs = zip(self.contents[first], self.contents[second], strict=True)
        united = [unify(self.substituted(one), self.substituted(other)) for one, other in pairs]
        contents = tuple(one for one in united if one is not None)
        if len(contents) == len(united):
            self.same[second] = first
            self.contents[first] = contents
            self._replace_types()

    def _widen(self, site: int, place: int, ty: Type) -> None:
        before = self.contents[site]
        if before[place] is not ty:
            self.contents[site] = (*before[:place], ty, *before[place + 1 :])
            self._replace_types()

    def _replace_types(self) -> None:
        """Update the types in which sites stand, and visit their users again."""
        run = self.run
        for name, ty in list(run.types.items()):
            new = self.substituted(ty)
            if new is not ty:
                run.set_type(name, new, self.cause, self.causes, True)

    # --- types without sites --------------------------------------------------------------------

    def substituted(self, ty: Type) -> Type:
        """Return a type with the contents that sites have now."""
        if isinstance(ty, Container):
            root = self._root(ty.site)
            contents = self.contents[root] if root else ty.contents
            return ty.of(tuple(map(self.substituted, contents)), 0 if self.is_final else root)
        if isinstance(ty, types.Iterator):
            source = self.substituted(ty.source)
            return ty if source is ty.source else source.iterator() or ty
        return rebuilt(ty, self.substituted)

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


# --- containers that calls of their classes make --------------------------------------------------


def empty_of(function: object) -> Container | None:
    """Return the type of the empty container that the call of a class makes; None for anything
    else."""
    kind = BY_CLASS.get(id(function))
    if kind not in (List, Set, Dict, FrozenSet, Deque):
        return None
    empty: Container = kind(*[types.undefined] * (2 if kind is Dict else 1))
    return empty if function is kind.built_in else empty.natively()


def constructor(op: nodes.Call, function: object, types: Mapping[str, Type]) -> Container | None:
    """Return the type of the container that a call makes, if it makes an empty one."""
    empty = empty_of(function)
    if op.star is not None or (op.args and not isinstance(empty, Deque)):
        return None
    given = op.args[: len(op.args) - len(op.keywords)]
    is_empty = not given or is_nothing(types.get(given[0]))
    return empty if is_empty and op.keywords in ((), ("maxlen",)) else None


def is_nothing(ty: Type | None) -> bool:
    """True for an empty tuple, or an empty list display."""
    return isinstance(ty, Tuple) and not ty.items


def has_rows(ty: Type) -> bool:
    """True for a comprehension whose items are not numbers."""
    return isinstance(ty, Collected) and ty.ndim > 1


def is_empty(ty: Type) -> bool:
    return isinstance(ty, Container) and types.undefined in ty.contents


def items_of(ty: Type) -> Sequence[Type]:
    """Return the types of the items of a display."""
    return ty.items if isinstance(ty, Tuple) else ()


# --- errors ---------------------------------------------------------------------------------------

_HINT = "lists hold numbers, strings, arrays, and tuples and containers of them"
_KEY_HINT = "keys are numbers, strings, and tuples of them"


def unfit(op: Op, owner: Container, ty: Type, is_key: bool) -> TypingError:
    """Return the error for a value that no container can hold."""
    what = f"a {owner.word} cannot hold {'the key' if is_key else 'a value'} of type {ty}"
    return TypingError(f"{what} in compiled code", op.loc, _KEY_HINT if is_key else _HINT)


def mixed(op: Op, owner: Container, held: Type, item: Type) -> TypingError:
    """Return the error for a value of another type than the contents of a container."""
    return TypingError(
        f"a {owner.word} of {held} cannot hold a value of type {item}: what it contains has one"
        " type",
        op.loc,
        "use values of one type, or a tuple",
    )
