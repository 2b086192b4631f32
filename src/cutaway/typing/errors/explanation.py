"""Explains a variable's type: the chain of causes, from the events of its inference.

    s = 0                     `s` is float64: `+` of int64 and float64 (line 4)
    for i in range(len(a)):     `s` is int64: the constant `0` (line 2)
        s = s + a[i]            `a[i]` is float64: an element of array(float64, 1d, C) (line 4)
                                  `a` is array(float64, 1d, C): argument 1 of f (line 1)

An event names the types that its causes had when it happened, so each cause is an earlier event
and loops cause no cycles.  The chain is minimal: of merged values only those that are needed for
the type are causes; of an operator's inputs the one that determines the type is followed to its
origin, each other one takes a line.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses
from cutaway.typing import types
from cutaway.typing.errors.wording import (
    is_predicate,
    quoted,
    remark_of,
    rule_of,
    spelled,
    used_with,
)
from cutaway.typing.inference.events import RETURN, TypeEvent
from cutaway.typing.types import Type
from cutaway.typing.types.conversions import unify


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """One link: `what`, in source terms, has `type` because of `rule` at `op`.

    `causes` are followed to their origins.  `variable` is the compiler's name, `remark` explains a
    surprising type.  With `passes_on` the value is that of its one cause.
    """

    what: str
    type: Type
    rule: str
    op: Op
    variable: str
    causes: tuple[Cause, ...] = ()
    remark: str = ""
    passes_on: bool = False

    @property
    def loc(self) -> Loc:
        """The source span of its op."""
        return self.op.loc

    def __str__(self) -> str:
        remark = f" ({self.remark})" if self.remark else ""
        return f"{quoted(self.what)} is {types.shortened(str(self.type))}: {self.rule}{remark}"


# Returns the cause of the type that a user's function returns; None if it is unknown.
Inside = Callable[[nodes.Call, dict[str, Type], Type], Cause | None]


class Chains:
    """The causes of all events of one inference.

    `ops` are all ops of the function, `name` is its name.  With `inside` a chain continues in the
    called functions.
    """

    def __init__(
        self,
        name: str,
        ops: Sequence[Op],
        events: Sequence[TypeEvent],
        inside: Inside | None = None,
    ) -> None:
        self.name = name
        self.events = events
        self.inside = inside
        self.defined = {variable: op for op in ops for variable in definitions(op)}
        self.returns = [op for op in ops if isinstance(op, nodes.Return)]
        self._history: dict[str, list[int]] = {}
        self._causes: list[Cause] = []
        self._depths: dict[Cause, int] = {}
        for position, event in enumerate(events):
            self._add(self._cause(position, event))
            self._history.setdefault(event.variable, []).append(position)

    def why(self, variable: str, before: int | None = None) -> Cause | None:
        """Return the cause of a variable's type before an event, or of its final type."""
        position = self._position(variable, len(self.events) if before is None else before)
        return None if position is None else self._causes[position]

    def type_of(self, variable: str, before: int | None = None) -> Type | None:
        """Return the type of a variable before an event, or its final type."""
        position = self._position(variable, len(self.events) if before is None else before)
        return None if position is None else self.events[position].new

    def _position(self, variable: str, before: int) -> int | None:
        history = self._history.get(variable, [])
        count = bisect_left(history, before)
        return history[count - 1] if count else None

    def _add(self, cause: Cause) -> None:
        self._causes.append(cause)
        self._depths[cause] = 1 + max((self._depths.get(c, 0) for c in cause.causes), default=0)

    # --- one cause an event ---------------------------------------------------------------------

    def _cause(self, position: int, event: TypeEvent) -> Cause:
        if event.widens:
            own = self._own(position, event)
            if own is None:
                return self._put_into(position, event)
            event = own
        op, table = event.op, dict(event.causes)
        what = spelled(event.variable, op)
        if isinstance(op, nodes.Copy | nodes.Cast):
            return self._copied(position, event, what, op.value)
        if isinstance(op, nodes.Return) and event.old is None and table[op.value] is not event.new:
            return Cause(what, event.new, "the type in the signature", op, event.variable)
        if isinstance(op, nodes.Phi | nodes.Return):
            return self._merged(position, event, what)
        below = self._inputs(position, event)
        remark = remark_of(op, event.new, tuple(table.values()))
        # An op with an operand that never has a value is typed before the others are.
        table = dict.fromkeys(uses(op), types.undefined) | table
        rule = rule_of(op, table, event.new, self.name)
        return Cause(what, event.new, rule, op, event.variable, below, remark)

    def _own(self, position: int, event: TypeEvent) -> TypeEvent | None:
        """Return the change of a variable as one by the op that defines it, if an operand's type
        changed with it; None for the container itself."""
        first = position
        while first and self.events[first - 1].widens and self.events[first - 1].op is event.op:
            first -= 1
        together = {one.variable for one in self.events[first:position]}
        makers = self.returns if event.variable == RETURN else [self.defined[event.variable]]
        op = next((op for op in makers if not together.isdisjoint(uses(op))), None)
        if op is None:
            return None
        own = [(name, ty) for name in uses(op) if (ty := self.type_of(name, position)) is not None]
        return replace(event, op=op, causes=tuple(own), widens=False)

    def _put_into(self, position: int, event: TypeEvent) -> Cause:
        """Return the cause of a container's type: for each of its contents the last op that changed
        it."""
        last: dict[int, int] = {}
        for k in (position, *reversed(self._history.get(event.variable, []))):
            if self.events[k].widens:
                for place in _changed_contents(self.events[k]):
                    last.setdefault(place, k)
        ty, below, rules = event.new, [], []
        for place, k in sorted(last.items()):
            op = self.events[k].op
            causes = [self.why(name, k) for name, _ in self.events[k].causes]
            below += [cause for cause in causes if cause is not None]
            put = {quoted(cause.what): cause.type for cause in causes if cause is not None}
            rules.append(used_with(op, self.defined, ty, place, put))
        what = spelled(event.variable, self.defined[event.variable])
        same_line = f"line {event.op.loc.line} uses "
        first, *rest = dict.fromkeys(rules)
        own = [one.removeprefix(same_line) if first.startswith(same_line) else one for one in rest]
        rule = ", and ".join([first, *own])
        return Cause(what, event.new, rule, event.op, event.variable, tuple(dict.fromkeys(below)))

    def _copied(self, position: int, event: TypeEvent, what: str, source: str) -> Cause:
        cause = self.why(source, position)
        assert cause is not None, "an op is visited when its inputs have types"
        is_own = is_temporary(source) and not _is_other_argument(cause, what)
        if is_own or is_temporary(event.variable) or _same(source, event.variable):
            named = what if not is_temporary(event.variable) else cause.what
            return replace(cause, what=named, variable=event.variable)
        rule = f"assigned from {quoted(cause.what)}"
        return Cause(what, event.new, rule, event.op, event.variable, (cause,), passes_on=True)

    def _merged(self, position: int, event: TypeEvent, what: str) -> Cause:
        below = [link for name in self._needed(position, event) if (link := name)]
        if len(below) == 1:
            if event.variable == RETURN or not is_temporary(event.variable):
                return self._led_to(what, event, below[0])
            return replace(below[0], variable=event.variable)
        merged = tuple(cause.type for cause in below)
        remark = remark_of(event.op, event.new, merged)
        rule = _met(below)
        return Cause(what, event.new, rule, event.op, event.variable, tuple(below), remark)

    def _led_to(self, what: str, event: TypeEvent, cause: Cause) -> Cause:
        """Return the cause of a variable whose type follows from one cause alone."""
        is_own = is_temporary(cause.variable) and not _is_other_argument(cause, what)
        if cause.what == what or is_own:
            return replace(cause, what=what, variable=event.variable)
        rule = f"assigned from {quoted(cause.what)}"
        return Cause(what, event.new, rule, cause.op, event.variable, (cause,), passes_on=True)

    def _needed(self, position: int, event: TypeEvent) -> list[Cause]:
        """Return the fewest of the merged values whose union is the type, earlier ones first."""
        names = event.causes if isinstance(event.op, nodes.Phi) else self._returned_before(event)
        causes = [cause for name, _ in names if (cause := self.why(name, position)) is not None]
        causes = [cause for cause in causes if cause.type is not types.undefined] or causes
        return fewest(causes, event.new)

    def _returned_before(self, event: TypeEvent) -> Iterable[tuple[str, Type]]:
        others = [(op.value, event.new) for op in self.returns]
        return dict((*event.causes, *others)).items()

    def _inputs(self, position: int, event: TypeEvent) -> tuple[Cause, ...]:
        """Return the causes of a computation: among those of the result's type the one with the
        shortest chain is followed, each other one takes a line."""
        if is_predicate(event.op) and event.new is types.boolean:
            return ()
        result = list(self._shown(position, event))
        inner = self._from_inside(event)
        if inner is not None:
            return (*map(origin, result), inner)
        carriers = [cause for cause in result if cause.type is event.new]
        if not carriers or not types.is_number(event.new) or isinstance(event.op, nodes.Call):
            return tuple(result)
        followed = min(carriers, key=lambda cause: self._depths.get(cause, 1))
        return tuple(_carried(cause) if cause is followed else origin(cause) for cause in result)

    def _shown(self, position: int, event: TypeEvent) -> Iterator[Cause]:
        seen: set[str] = set()
        for name, ty in event.causes:
            op = self.defined.get(name)
            if isinstance(ty, types.BoundMethod) and isinstance(op, nodes.GetAttr):
                name = op.value
            elif isinstance(op, nodes.GetIter | nodes.FormatValue):
                name = op.value
            elif isinstance(op, nodes.Unpack) and isinstance(ty, types.Tuple):
                name = self._unpacked(op)
            elif name == _plain_index(event):
                continue
            elif isinstance(ty, types.Constant) and not isinstance(ty, types.String):
                continue
            cause = self.why(name, position)
            if cause is not None and name not in seen:
                seen.add(name)
                yield cause

    def _unpacked(self, op: nodes.Unpack) -> str:
        """Return the unpacked value if it is a tuple, else its items."""
        source = self.type_of(op.value)
        return op.value if isinstance(source, types.Tuple) else op.result

    def _from_inside(self, event: TypeEvent) -> Cause | None:
        if self.inside is None or not isinstance(event.op, nodes.Call):
            return None
        return self.inside(event.op, dict(event.causes), event.new)


def _changed_contents(event: TypeEvent) -> Iterable[int]:
    """Return the positions of a container's contents that an event changed."""
    old, new = event.old, event.new
    after = new.contents if isinstance(new, types.Container) else (new,)
    before = old.contents if isinstance(old, types.Container) else ()
    return [k for k, ty in enumerate(after) if ty is not (before[k] if k < len(before) else None)]


def meeting(causes: Sequence[Cause], whole: Type) -> Cause:
    """Return the cause of a variable's type that is the union of its versions' types."""
    below = tuple(fewest(causes, whole))
    last = causes[-1]
    return Cause(last.what, whole, _met(below), last.op, last.variable, below)


def _met(causes: Sequence[Cause]) -> str:
    met = " and ".join(dict.fromkeys(str(cause.type) for cause in causes)) or "nothing"
    return f"{met} meet here"


def fewest(causes: Sequence[Cause], wanted: Type) -> list[Cause]:
    """Return the fewest causes whose union is the type; one of each type if two do not suffice."""
    kinds = of_each_type(causes)
    for count in range(1, min(len(kinds), 3)):
        for some in combinations(kinds, count):
            if union_of(cause.type for cause in some) is wanted:
                return list(some)
    return kinds


def of_each_type(causes: Iterable[Cause]) -> list[Cause]:
    """Return the first cause of each type."""
    first: dict[Type, Cause] = {}
    for cause in causes:
        first.setdefault(cause.type, cause)
    return list(first.values())


def union_of(joined: Iterable[Type]) -> Type | None:
    """Return the union of some types; None if there is none."""
    common: Type | None = types.undefined
    for ty in joined:
        common = None if common is None else unify(common, ty)
    return common


def origin(cause: Cause) -> Cause:
    """Return a cause for one line: the origin of its value, without the causes that pass it on."""
    carrier = cause
    while carrier.passes_on:
        (carrier,) = carrier.causes
    if carrier is not cause and _is_other_argument(carrier, cause.what):
        return replace(cause, causes=())
    return replace(carrier, what=cause.what, type=cause.type, causes=())


def _carried(cause: Cause) -> Cause:
    """Return a cause; for a subexpression the operand that determines its type."""
    while is_temporary(cause.variable) and isinstance(cause.op, nodes.Binary | nodes.Unary):
        carriers = [below for below in cause.causes if below.type is cause.type]
        if not carriers:
            break
        cause = carriers[0] if len(carriers) == 1 else max(carriers, key=lambda c: len(c.causes))
    return cause


def _plain_index(event: TypeEvent) -> str | None:
    """Return the numeric index of a `GetItem`, whose value does not affect the type; else None."""
    op, table = event.op, dict(event.causes)
    if isinstance(op, nodes.GetItem) and types.is_number(table[op.index]):
        return op.index
    return None


def _is_other_argument(cause: Cause, what: str) -> bool:
    """True if a cause is an argument with another name, whose text describes another variable."""
    return isinstance(cause.op, nodes.Arg) and cause.what != what and not is_temporary(what)


def _same(first: str, second: str) -> bool:
    return user_name(first) == user_name(second)


def flattened(root: Cause, deepest: int = 40) -> Iterator[tuple[int, Cause | str]]:
    """Yield the lines of a tree with their depths, each cause once; deeper causes are elided."""
    seen: set[Cause] = set()
    waiting: list[tuple[int, Cause]] = [(0, root)]
    while waiting:
        depth, cause = waiting.pop()
        if cause in seen and cause.causes:
            yield depth, f"{quoted(cause.what)} is {cause.type}: see above"
            continue
        seen.add(cause)
        yield depth, cause
        if depth + 1 < deepest:
            waiting += [(depth + 1, below) for below in reversed(cause.causes)]
        elif cause.causes:
            yield depth + 1, "... and so on"
