"""The programs of all corpora that Python can run by itself, and how two runs of one are compared.

Any in this file: functions, arguments and results of any program.
"""

from __future__ import annotations

import copy
import io
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from types import FunctionType, ModuleType, TracebackType
from typing import Any, NamedTuple

import numpy as np

import cutaway
from corpus.bad.corpus import PROGRAMS as BAD
from corpus.battery import run as battery
from corpus.battery.constructs import CONSTRUCTS
from corpus.control.cases import Iterating, chain, shown
from corpus.library.rows import all_rows
from corpus.library.usual_programs import PROGRAMS as USUAL
from corpus.objects.held import Namespace
from corpus.programs.cases import CASES as TABLE
from corpus.races import CASES as RACES

Arguments = Callable[[], tuple[Any, ...]]

# Programs of the corpora that are left out, with the reasons.
LEFT_OUT = {
    "battery: except_group": "object mode refuses `except*`",
    "bad: try_star": "object mode refuses `except*`",
    "bad: very_deep_tuple_argument": "what compares it does not get to its end",
    "bad: two_thousand_lines": "it takes LLVM a quarter of a minute",
    "bad: thousand_branches": "it takes LLVM a quarter of a minute",
}


class Program(NamedTuple):
    """A function with what makes the arguments of each call."""

    name: str
    function: FunctionType
    calls: tuple[Arguments, ...]
    keywords: dict[str, Any] = {}  # noqa: RUF012  nobody writes to it


def all_programs() -> list[Program]:
    """All of them, but for those that are left out."""
    found = [*_table(), *_battery(), *_library(), *_usual(), *_races(), *_bad()]
    names = {program.name for program in found}
    assert len(names) == len(found) and names >= LEFT_OUT.keys()
    return [program for program in found if program.name not in LEFT_OUT]


def _copies(arguments: tuple[Any, ...]) -> Arguments:
    """What makes the same arguments again; what cannot be copied is handed on."""
    return lambda: tuple(map(_copied, arguments))


def _copied(value: Any) -> Any:
    if isinstance(value, memoryview | ModuleType):
        return value
    try:
        return copy.deepcopy(value)
    except RecursionError:
        return value


def _table() -> Iterator[Program]:
    for case in TABLE:
        assert isinstance(case.function, FunctionType)
        part = case.function.__module__.rpartition(".")[2]
        yield Program(f"{part}: {case.name}", case.function, case.arguments)


def _battery() -> Iterator[Program]:
    for one in CONSTRUCTS:
        function, arguments = battery.prepared(one)
        assert isinstance(function, FunctionType)
        yield Program(f"battery: {one.name}", function, (_copies(arguments),))


def _library() -> Iterator[Program]:
    for area, rows in all_rows().items():
        calls: dict[FunctionType, list[Arguments]] = defaultdict(list)
        for row in rows:
            calls[row.program].append(row.arguments)
        for k, (function, arguments) in enumerate(calls.items()):
            yield Program(f"{area}: {function.__name__} {k}", function, tuple(arguments))


def _usual() -> Iterator[Program]:
    for function, arguments in USUAL:
        assert isinstance(function, FunctionType)
        yield Program(f"usual: {function.__name__}", function, (_copies(arguments),))


def _races() -> Iterator[Program]:
    for name, case in RACES.items():
        assert isinstance(case.function, FunctionType)
        yield Program(f"races: {name}", case.function, (_copies(case.args),))


def _bad() -> Iterator[Program]:
    for one in BAD:
        if one.python and not one.as_it_is:  # others never end, or use the compiler themselves
            yield Program(f"bad: {one.name}", one.function, (_copies(one.args),), one.keywords)


# --- what a call does -----------------------------------------------------------------------------


def in_object_mode(program: Program) -> Callable[..., Any]:
    """The program, compiled."""
    compiled: Callable[..., Any] = cutaway.jit(forceobj=True, looplift=False)(program.function)
    return compiled


@contextmanager
def quiet() -> Iterator[None]:
    """NumPy warns of NaN and of what overflows."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def outcome(function: Callable[..., Any], program: Program, make: Arguments) -> Any:
    """What a call does: its result with all types, or its exception with the lines that it passed;
    the arguments afterward; what it printed.  Globals are put back."""
    given, printed = make(), io.StringIO()
    namespace = Namespace(program.function.__globals__)
    try:
        with redirect_stdout(printed):
            found = function(*given, **copy.deepcopy(program.keywords))
            if isinstance(found, Iterating):
                found = ("generator", *found)
        result = ("returned", exact(found))
    except BaseException as error:
        result = ("raised", chain(error), str(error), lines(error.__traceback__))
        error.__traceback__ = None  # it may be raised again
    namespace.restore()
    return result, exact(given), printed.getvalue()


def lines(traceback: TracebackType | None) -> list[tuple[str, int]]:
    """The functions and lines that an exception passed, below the one that has caught it; one that
    calls itself counts once, since how deep it gets is another matter."""
    found: list[tuple[str, int]] = []
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
        line = traceback.tb_frame.f_code.co_name, traceback.tb_lineno
        if line not in found[-1:]:
            found.append(line)
    return found


def exact(value: Any) -> Any:
    """A value with its types and all bits, as something that two runs have in common."""
    match value:
        case np.ndarray() | np.void() if value.dtype.names:  # and not what lies between them
            fields = (exact(value[name]) for name in value.dtype.names)
            return (type(value), value.dtype, value.shape, value.strides, *fields)
        case np.ndarray() if value.dtype.hasobject:
            return (type(value), value.dtype, value.shape, value.strides, exact(value.tolist()))
        case np.ndarray():
            return (type(value), value.dtype, value.shape, value.strides, value.tobytes())
        case np.generic():
            return (type(value), value.dtype, value.tobytes())
        case list() | tuple():
            return (type(value), *map(exact, value))
        case dict():
            return (type(value), *((exact(k), exact(v)) for k, v in value.items()))
        case memoryview():
            return (type(value), value.format, value.shape, value.strides, value.tobytes())
        case np.random.Generator() | np.random.BitGenerator():
            held = value if isinstance(value, np.random.BitGenerator) else value.bit_generator
            return (type(value), repr(held.state))
    return (type(value), shown(value))
