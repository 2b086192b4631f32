"""What a call of a program does, as something that two runs have in common.

Two ways: `numbers`, where NumPy's scalars count as the Python numbers that compiled code returns,
and `objects`, where all that Python shows counts: types, exceptions with their causes and the lines
that they passed, what is printed.

Any in this file: arguments and results of any program.
"""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from types import TracebackType
from typing import Any

import numpy as np

from corpus.collection import Arguments, Program
from corpus.control import cases as control
from corpus.control.cases import Iterating, chain, shown
from corpus.objects.held import Namespace

CASES = ("control", "objects", "compiled", "fused", "yielding", "objmode", "file")


def case_of(program: Program, calls: tuple[tuple[Any, ...], ...] = ()) -> control.Case:
    """A program with steps for its generators, as the tables of cases have it."""
    return control.Case(program.function, calls, program.steps)


def told(function: Callable[..., Any], program: Program, make: Arguments) -> str:
    """What a call does, as a text that has NumPy's scalars as numbers."""
    return re.sub(r"np\.\w+\(([^()]*)\)", r"\1", repr(outcome(function, program, make)))


def outcome(function: Callable[..., Any], program: Program, make: Arguments) -> Any:
    """What a call does: its result with all types, or its exception with the lines that it passed;
    the arguments afterward; what it printed.  Globals are put back."""
    if program.table in CASES:  # which make generators, and have steps for them
        return control.outcome(function, case_of(program), make())
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
