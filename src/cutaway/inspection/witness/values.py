"""Record the values of a program, and find the first that departs from its counterpart.

Values of one program are matched with those of another by the id of the op that computed them, else
by the variable, else by its source: the first time, the second time, and so on. Stores into arrays
and objects count as values of the element or attribute.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc, span_text
from cutaway.inspection.witness.outcomes import EXACT, RETURNED, Outcome, compare, kept, shown
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op

_NO_MORE = "no further value"
MOST = 20_000  # recorded values of one run
MOST_CALLS = 20


@dataclass(frozen=True, slots=True)
class Taken:
    """A recorded value: its variable (or the target of a store), and its op."""

    id: int
    name: str
    value: Any
    loc: Loc
    is_store: bool = False

    @property
    def described(self) -> str:
        """The variable in the user's words, or the source of a temporary."""
        if self.is_store or not is_temporary(self.name):
            return f"`{user_name(self.name)}`"
        text = " ".join(span_text(self.loc).split()) if self.loc.line else ""
        return f"`{text}`" if text else "a value without a name"


Called = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Departure:
    """The first value that departs from its counterpart, and both values."""

    what: str
    loc: Loc
    expected: str
    found: str
    time: int = 1

    def __str__(self) -> str:
        line = f"line {self.loc.line}: " if self.loc.line else ""
        times = "" if self.time == 1 else f", the {_ordinal(self.time)} time"
        return f"{line}{self.what}{times}: {self.expected} before, {self.found} here"


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 // 10 != 1 else 0, "th")
    return f"{number}{ending}"


class Values:
    """A collector of the values of one run, by the hooks of the interpreter."""

    def __init__(self) -> None:
        self.taken: list[Taken] = []
        self.calls: list[Called] = []
        self._now: dict[str, Any] = {}

    def observe(self, op: Op, name: str, value: Any) -> None:
        """Record the value of a variable."""
        self._now[name] = value
        self._add(op, name, value, False)

    def before(self, op: Op) -> None:
        """Record the store or the call that the next op makes."""
        match op:
            case nodes.SetItem(target, index, value):
                place = f"{user_name(target)}[{shown(self._now.get(index))}]"
                self._add(op, place, self._now.get(value), True)
            case nodes.StaticSetItem(target, index, value):
                place = f"{user_name(target)}[{shown(index)}]"
                self._add(op, place, self._now.get(value), True)
            case nodes.Call(func=func, args=args, keywords=(), star=None):
                self._called(func, args)
            case nodes.SetAttr(target, attr, value):
                self._add(op, f"{user_name(target)}.{attr}", self._now.get(value), True)

    def _called(self, func: str, args: tuple[str, ...]) -> None:
        """Record a call of a user function if all its arguments are known."""
        is_known = isinstance(self._now.get(func), FunctionType) and self._now.keys() >= set(args)
        if is_known and len(self.calls) < MOST_CALLS:
            self.calls.append((func, tuple(kept(self._now[name]) for name in args)))

    def _add(self, op: Op, name: str, value: Any, is_store: bool) -> None:
        if not isinstance(name, str):  # from invalid IR
            return
        if len(self.taken) < MOST and type(value).__module__ != "cutaway.ir.interpreter":
            self.taken.append(Taken(op.id, name, _small(value), op.loc, is_store))


def _small(value: Any) -> Any:
    """Copy a value to record it; of a large array only a part."""
    if isinstance(value, np.ndarray) and value.size > 64:
        return kept(value.ravel()[:64])
    return kept(value)


class PythonValues:
    """A collector of the values of a function's variables when Python runs it, line by line."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.taken: list[Taken] = []
        self._line = 0
        self._last: dict[str, Any] = {}

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call the function and record its values."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            return function(*args)
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._stepped if frame.f_code is self.code else None

    def _stepped(self, frame: FrameType, event: str, arg: Any) -> Any:
        for name, value in dict(frame.f_locals).items():
            if name not in self._last or not _alike(self._last[name], value):
                self._last[name] = _small(value)
                if len(self.taken) < MOST:
                    loc = Loc(self._line, 0, self._line, 0, self.code.co_filename)
                    self.taken.append(Taken(0, name, self._last[name], loc))
        self._line = frame.f_lineno
        return self._stepped


# --- finding the first that departs -------------------------------------------------------------


def departure(before: Iterable[Taken], after: Iterable[Taken]) -> Departure | None:
    """Find the first value of a changed program that departs from the original's."""
    earlier, later = list(before), list(after)
    table: dict[object, list[Taken]] = defaultdict(list)
    for one in earlier:
        for key in _keys(one):
            table[key].append(one)
    seen: Counter[object] = Counter()
    for one in later:
        match = _counterpart(one, table, seen)
        for key in _keys(one):
            seen[key] += 1
        if match is not None and not _alike(match.value, one.value):
            time = seen[_keys(one)[0]]
            return Departure(one.described, one.loc, shown(match.value), shown(one.value), time)
        if match is not None and one.is_store and match.name != one.name:
            return Departure("what is stored", one.loc, _stored(match), _stored(one))
    return _missing_store(earlier, later) or _missing_value(earlier, later)


def _keys(one: Taken) -> list[object]:
    keys: list[object] = [("id", one.id, one.is_store, one.name if not one.is_store else "")]
    if not one.is_store:
        keys.append(("op", one.id, ""))
        if not is_temporary(one.name):
            keys.append(("name", one.name))
    return keys


def _counterpart(
    one: Taken, table: dict[object, list[Taken]], seen: Counter[object]
) -> Taken | None:
    for key in _keys(one):
        if key in table and seen[key] < len(table[key]):
            return table[key][seen[key]]
    return None


def _missing_store(earlier: list[Taken], later: list[Taken]) -> Departure | None:
    """Find a store that is missing or in another order."""
    stores = [one for one in earlier if one.is_store]
    others = [one for one in later if one.is_store]
    for one, other in itertools.zip_longest(stores, others):
        texts = [_NO_MORE if side is None else _stored(side) for side in (one, other)]
        if texts[0] != texts[1]:
            return Departure("what is stored", (one or other).loc, *texts)
    return None


def _stored(one: Taken) -> str:
    return f"{one.name} = {shown(one.value)}"


def _missing_value(earlier: list[Taken], later: list[Taken]) -> Departure | None:
    """Find a value that is never reached again because control flow diverged."""
    left = Counter(user_name(one.name) for one in later if not one.is_store)
    seen: Counter[str] = Counter()
    for one in earlier:
        name = user_name(one.name)
        if one.is_store or is_temporary(one.name):
            continue
        seen[name] += 1
        if seen[name] > left[name]:
            return Departure(one.described, one.loc, shown(one.value), _NO_MORE, seen[name])
    return None


def departure_from_python(python: Iterable[Taken], after: Iterable[Taken]) -> Departure | None:
    """Find the first value that departs from Python: by the user's variables, whose changes Python
    reports."""
    sequences: dict[str, list[Taken]] = defaultdict(list)
    for one in python:
        sequences[one.name].append(one)
    position: Counter[str] = Counter()
    last: dict[str, Any] = {}
    for one in after:
        name = user_name(one.name)
        if one.is_store or is_temporary(one.name) or name not in sequences:
            continue
        if name in last and _alike(last[name], one.value):
            continue
        last[name] = one.value
        line = sequences[name]
        match = line[position[name]] if position[name] < len(line) else None
        position[name] += 1
        if match is None or not _alike(match.value, one.value):
            expected = _NO_MORE if match is None else shown(match.value)
            return Departure(one.described, one.loc, expected, shown(one.value), position[name])
    for name, line in sequences.items():
        if 0 < len(line) > position[name] and name in last:
            one = line[position[name]]
            return Departure(one.described, one.loc, shown(one.value), _NO_MORE, position[name] + 1)
    return None


def _alike(left: Any, right: Any) -> bool:
    one, other = (Outcome(RETURNED, kept(value)) for value in (left, right))
    difference = compare(one, other, EXACT)
    return difference is None or difference.kind in ("type", "scalar", "dtype")


def last_store(difference: str, taken: Iterable[Taken]) -> Departure | None:
    """Find the likely fault of machine code: the source that computed the result, or stored the
    element, named by `difference` ("argument 0[3]: 1.0 in Python, 2.0 here")."""
    place, _, rest = difference.partition(": ")
    values = list(taken)
    rest = rest.replace(" at earlier levels, ", " in Python, ")
    expected, _, actual = rest.partition(" in Python, ")
    actual = actual.removesuffix(" here")
    index = place.partition("[")[2]
    if place.startswith("argument") and index:
        for one in reversed(values):
            if one.is_store and one.name.endswith(f"[{index}"):
                return Departure(f"`{one.name}`", one.loc, expected, actual)
    if place.startswith("result") and values and actual:
        return Departure(values[-1].described, values[-1].loc, expected, actual)
    return None
