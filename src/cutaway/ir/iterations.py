"""Run the iterations of a parfor in another order than that of the program."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np

from cutaway.errors import InterpreterError
from cutaway.ir import nodes
from cutaway.ir.combining import choice_of, ordered_places, takes
from cutaway.ir.operators import Operator
from cutaway.ir.own_streams import Streams, has_streams

Values = tuple[Any, ...]

_COMBINED = {
    **{"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum},
    **{"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor},
}


# The same for two numbers, without changing either.
_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    **{"add": operator.add, "multiply": operator.mul},
    **{"and": operator.and_, "or": operator.or_, "xor": operator.xor},
    **{"min": min, "max": max, "minimum": np.minimum, "maximum": np.maximum},
}
_NUMPY_NAMES = {"min": "minimum", "max": "maximum"}
PARTS = 3


def run_parfor(run: Any, op: nodes.Parfor) -> None:
    """Run the iterations in a fixed order that is not the program's.

    If several raise, the first in program order wins: later ones are skipped, as far as they have
    not been executed.  Each iteration has variables of its own if an operator depends on the order;
    other variables pass from iteration to iteration of a part of the loop, and parts are combined
    at the end. One array replaces each private one.
    """
    shared = {name: run.values[name] for name in op.private}
    for name, how in zip(op.private, op.joining, strict=True):
        run.values[name] = np.full_like(shared[name], _identity(how, shared[name].dtype))
    outer = run.streams
    if has_streams(op.body):
        run.streams = Streams(run, op)
    try:
        _run_all(run, op)
        for name, how in zip(op.private, op.joining, strict=True):
            _COMBINED[how](shared[name], run.values[name], out=shared[name])
    finally:
        run.values.update(shared)
        run.streams = outer


def _run_all(run: Any, op: nodes.Parfor) -> None:
    bounds = zip(op.starts, op.stops, op.steps, strict=True)
    ranges = [range(*map(run.value, row)) for row in bounds]
    places = list(product(*ranges))
    first = run.begin(op.body)
    own, parts = ordered_places(op.operators), _Parts(run, op, first, len(places))
    given: dict[int, Values] = {}
    left, failed, raised = first, len(places), None
    for number in _shuffled(len(places)):
        if number > failed:
            continue
        held = parts.of(number)
        begun = tuple(first[k] if k in own else value for k, value in enumerate(held))
        try:
            held = run.region(op, op.body, places[number], begun)
        except InterpreterError:
            raise
        except Exception as error:
            failed, raised = number, error
            continue
        if own:
            given[number] = held
        parts.keep(number, held)
        left = held if number == len(places) - 1 else left
    if raised is not None:
        raise raised
    chosen = _in_order(op.operators, first, [given[number] for number in sorted(given)])
    together = parts.joined()
    for k, (name, how) in enumerate(zip(op.results, op.operators, strict=True)):
        run.set(op, name, left[k] if how == "last" else chosen[k] if k in own else together[k])


class _Parts:
    """The carried values of parts of the iterations: each begins with its operators' identities."""

    def __init__(self, run: Any, op: nodes.Parfor, first: Values, count: int) -> None:
        self.op, self.first, self.count = op, first, max(count, 1)
        names = op.body.carried
        kinds = [None if run.types is None else str(run.types[name]) for name in names]
        rows = zip(op.operators, first, kinds, strict=True)
        self.begun = tuple(_begun(how, value, kind) for how, value, kind in rows)
        self.held: dict[int, Values] = {}

    def of(self, number: int) -> Values:
        """Return the carried values of the part of an iteration."""
        return self.held.get(number * PARTS // self.count, self.begun)

    def keep(self, number: int, held: Values) -> None:
        """Set the carried values of the part of an iteration."""
        self.held[number * PARTS // self.count] = held

    def joined(self) -> Values:
        """Combine all parts in order."""
        whole = self.first
        for part in sorted(self.held):
            rows = zip(self.op.operators, whole, self.held[part], strict=True)
            whole = tuple(_joined(how, a, b) for how, a, b in rows)
        return whole


def _begun(how: str, value: Any, kind: str | None) -> Any:
    if how not in _JOINED:
        return value
    dtype = np.asarray(value).dtype if kind is None else np.dtype(kind)
    begun = dtype.type(_identity(_NUMPY_NAMES.get(how, how), dtype))
    return begun if isinstance(value, np.generic) else begun.item()


def _joined(how: str, a: Any, b: Any) -> Any:
    return _JOINED[how](a, b) if how in _JOINED else b


def _identity(operator: str, dtype: np.dtype[Any]) -> Any:
    match operator:
        case "multiply":
            return 1
        case "and":
            return np.invert(np.zeros(1, dtype))[0]
        case "minimum" | "maximum":
            if dtype.kind in "iu":
                limits = np.iinfo(dtype)
                return limits.max if operator == "minimum" else limits.min
            return np.inf if operator == "minimum" else -np.inf
    return 0


def _in_order(operators: Sequence[str], first: Values, parts: Sequence[Values]) -> Values:
    """Return the final values of the variables that depend on the order."""
    held = first
    for part in parts:
        held = tuple(
            part[k] if choice_of(name) and _is_taken(operators, k, held, part) else held[k]
            for k, name in enumerate(operators)
        )
    return held


def _is_taken(operators: Sequence[str], place: int, held: Values, part: Values) -> bool:
    def compare(by: Operator, k: int) -> bool:
        return bool(by.function(part[k], held[k]))

    return bool(takes(operators, place, compare, lambda k: bool(part[k])))


def _shuffled(count: int) -> list[int]:
    order = list(range(count))
    Random(count).shuffle(order)
    return order
