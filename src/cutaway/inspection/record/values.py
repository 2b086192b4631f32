"""The results of a program's operations on the user's arguments, from the interpreter.

The program runs in a separate process: it may print, write files, crash or never end.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from time import monotonic
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from cutaway.errors import CutawayError, InterpreterError
from cutaway.foundation.sandbox import IS_AVAILABLE, in_child
from cutaway.inspection.record.model import Seen, Values, span_of
from cutaway.inspection.views import run_interpreted
from cutaway.inspection.witness.copies import fresh
from cutaway.ir import nodes
from cutaway.ir.constants import object_text
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.stages.unit import CompileUnit

FIRST = 24  # recorded values per operation
LONGEST = 80  # characters of a value's text
MOST_STEPS = 200_000  # operations of one run
MOST_SECONDS = 2.0  # of one run, between operations
_LAST_SECONDS = 5.0  # then the process is killed, even during an operation

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_UNINITIALIZED = (np.empty, np.empty_like)

_NUMBERS = (bool, int, float, np.number, np.bool_)


class _Watched:
    """The values of one operation."""

    def __init__(self, op: Op, name: str) -> None:
        self.op = op
        self.name = name
        self.count = 0
        self.first: list[str] = []
        self.last: Any = None
        self.low: Any = None
        self.high: Any = None
        self.nans = 0

    def add(self, value: Any) -> None:
        self.count += 1
        self.last = value
        if len(self.first) < FIRST:
            self.first.append(value_text(value))
        if not isinstance(value, _NUMBERS):
            return
        if value != value:
            self.nans += 1
            return
        self.low = value if self.low is None or value < self.low else self.low
        self.high = value if self.high is None or value > self.high else self.high

    def seen(self) -> Seen:
        ends = ("" if end is None else value_text(end) for end in (self.low, self.high))
        first = tuple(self.first)
        return Seen(  # type: ignore[call-arg]
            str(self.op.id),
            self.name,
            span_of(self.op.loc),
            self.count,
            first,
            value_text(self.last),
            *ends,
            self.nans,
        )


def value_text(value: Any) -> str:
    """Format a value in a line, equal in each process."""
    try:
        text = _ADDRESS.sub("", _text(value))
    except Exception:  # a user's class may raise, and a number be too long to print
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        with np.printoptions(threshold=8, edgeitems=3, precision=6):
            text = np.array2string(value, separator=", ").replace("\n", "")
        return f"{text} {value.dtype}" if value.ndim == 1 else f"{text} {value.dtype}{value.shape}"
    if isinstance(value, np.generic):
        return str(value)
    if isinstance(value, ModuleType | CodeType):
        return object_text(value)
    if type(value).__repr__ is object.__repr__ or callable(value):
        return f"<{getattr(value, '__name__', type(value).__name__)}>"
    if type(value) in (str, bytes, bytearray, list, tuple):
        return repr(value[:LONGEST])  # longer values are cut off anyway
    return repr(value)


def values_of(units: tuple[CompileUnit, ...], args: tuple[Any, ...]) -> Values:
    """Run a program at several units on copies of arguments, and collect the values of each
    operation; the last unit that has an operation counts."""
    if not IS_AVAILABLE:
        return _gathered(units, args)
    answer = in_child(lambda: _gathered(units, args), _LAST_SECONDS)
    return answer.value if answer.value is not None else Values(note=f"the run {answer.words}")


def _gathered(units: tuple[CompileUnit, ...], args: tuple[Any, ...]) -> Values:
    seen: dict[tuple[str, str], Seen] = {}
    outcome, note = "", ""
    for unit in units:
        watched: dict[tuple[int, str], _Watched] = {}
        outcome, note = _run(unit, fresh(args), watched)
        for row in watched.values():
            if row.op.id:
                seen[str(row.op.id), row.name] = row.seen()
    return Values(tuple(seen.values()), outcome, note)


def _run(
    unit: CompileUnit, args: tuple[Any, ...], watched: dict[tuple[int, str], _Watched]
) -> tuple[str, str]:
    end = monotonic() + MOST_SECONDS
    now: dict[str, Any] = {}

    def observe(op: Op, name: str, value: Any) -> None:
        if monotonic() > end:
            raise InterpreterError(f"it took more than {MOST_SECONDS:g} seconds")
        now[name] = value
        if isinstance(op, nodes.Call) and any(now.get(op.func) is f for f in _UNINITIALIZED):
            _clear(value)
        key = (op.id, name)
        if key not in watched:
            watched[key] = _Watched(op, name if is_temporary(name) else user_name(name))
        watched[key].add(value)

    try:
        with _quietly():
            result = run_interpreted(unit, args, observe=observe, max_steps=MOST_STEPS)
    except CutawayError as error:
        return "", f"the run stopped early: {error.message}"
    except Exception as error:  # the outcome of the user's program
        return f"raises {type(error).__name__}: {error}", ""
    return f"returns {value_text(result)}", ""


def _clear(value: Any) -> None:
    """Zero uninitialized memory, whose contents vary."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        value[...] = np.zeros((), value.dtype)


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress output, and restore NumPy's random state."""
    state = np.random.get_state()
    try:
        with redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            yield
    finally:
        np.random.set_state(state)
