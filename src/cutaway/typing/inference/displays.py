"""The list displays that make lists: those that a function changes, and those that others see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cutaway.errors import TypingError
from cutaway.foundation import foreign
from cutaway.foundation.lazy import cached_property
from cutaway.foundation.source import is_ours
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.typing import types
from cutaway.typing.types import (
    BoundMethod,
    Collected,
    Container,
    Dict,
    List,
    ListDisplay,
    Set,
    Tuple,
    Type,
)
from cutaway.typing.types.containers import united_items

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


# --- types in which containers stand --------------------------------------------------------------


def iterator_over(source: Type) -> Type:
    """Return the type of an iterator over a container, or over what iterates over several."""
    match source:
        case types.Enumerated(inner=inner):
            return types.Iterator(source, Tuple((types.int64, inner.item)))
        case types.Zipped(inner=several):
            return types.Iterator(source, Tuple(tuple(one.item for one in several)))
        case types.Reversed(inner=inner):
            return types.Iterator(source, inner.item)
    iterator = source.iterator()
    assert iterator is not None
    return iterator


def has_rows(ty: Type) -> bool:
    """True for a comprehension whose items are not numbers."""
    return isinstance(ty, Collected) and ty.ndim > 1


def is_empty(ty: Type) -> bool:
    return isinstance(ty, Container) and types.undefined in ty.contents


def items_of(ty: Type) -> Sequence[Type]:
    """Return the types of the items of a display."""
    return ty.items if isinstance(ty, Tuple) else ()


def parts(ty: Type) -> Iterator[Type]:
    """Yield a type, and those in which a container may stand within it."""
    yield ty
    match ty:
        case Container(contents=contents):
            for one in contents:
                yield from parts(one)
        case Tuple(items=items):
            for item in items:
                yield from parts(item)
        case types.Optional(inner=inner):
            yield from parts(inner)
        case BoundMethod(owner=owner) | types.DictView(dict=owner):
            yield from parts(owner)
        case types.Iterator(source=source):
            yield from parts(source)
        case types.Enumerated(inner=inner) | types.Reversed(inner=inner):
            yield from parts(inner)
        case types.Zipped(inner=several) | types.Closure(carried=several):
            for one in several:
                yield from parts(one)


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
