"""The made-up programs of the other fuzzers in object mode: machine code does what Python does.

    python -m fuzz object-others 20000              # from the folder tests

Exceptions, managers and generators (fuzz.control), handlers and generators over numbers and arrays
(fuzz.handlers, fuzz.fused) and programs of numbers (fuzz.writer) take turns.

Any in this file: functions, arguments and results of any program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import cutaway
from corpus.collection import Program
from corpus.comparing import outcome
from corpus.programs.compare import quiet
from cutaway.errors import CutawayError, InternalError, UnsupportedError
from fuzz import control, fused, handlers, programs
from fuzz.arrays import function_of
from fuzz.batches import FINDING, REFUSED, SAME, Verdict
from fuzz.writer import Writer

Call = Callable[[], tuple[Any, ...]]


def check(seed: int) -> Verdict:
    """Compare one program with Python, each call twice."""
    kind = (_controlled, _handled, _fused, _of_numbers)[seed % 4]
    source, function, calls = kind(seed)
    program = Program("made up", f"{seed}", function, tuple(calls))
    compiled = cutaway.jit(forceobj=True, looplift=False)(function)
    with quiet():
        for make in (*calls, *calls):
            try:
                found = outcome(compiled, program, make)
            except UnsupportedError as error:
                return Verdict(REFUSED, str(error).splitlines()[0], source)
            except (InternalError, CutawayError) as error:
                return Verdict(FINDING, f"{type(error).__name__} {error}", source)
            wanted = outcome(_cold(function), program, make)
            if found != wanted:
                return Verdict(FINDING, f"{make()}\n  {wanted}\n  {found}", source)
    return Verdict(SAME, "", source, 2 * len(calls))


def _cold(function: FunctionType) -> FunctionType:
    """The function with bytecode that has never run.  Where CPython 3.11 has merged two
    instructions, an unbound variable is reported on the line of the first one."""
    code = function.__code__
    parts = (c.replace() if isinstance(c, CodeType) else c for c in code.co_consts)
    fresh = code.replace(co_consts=tuple(parts))
    cold = FunctionType(
        fresh, function.__globals__, fresh.co_name, function.__defaults__, function.__closure__
    )
    cold.__kwdefaults__ = function.__kwdefaults__
    return cold


Written = tuple[str, Any, list[Call]]


def _controlled(seed: int) -> Written:
    random = Random(seed)
    source = control.Writer(random, random.random() < 0.4).text()
    function = function_of(source, f"<control {seed}>")

    def called(args: tuple[int, ...]) -> Call:
        return lambda: (control.Log(), *args)

    return source, function, [called(args) for args in ((1, 2), (0, 0), (3, 0))]


def _handled(seed: int) -> Written:
    return _of_arrays(handlers.HandlersWriter(Random(seed)).text(), f"<handlers {seed}>")


def _fused(seed: int) -> Written:
    return _of_arrays(fused.FusedWriter(Random(seed)).text(), f"<fused {seed}>")


def _of_arrays(source: str, name: str) -> Written:
    function = function_of(source.replace("@cutaway.jit\n", ""), name)

    def called(args: tuple[int, ...]) -> Call:
        return lambda: (np.zeros(handlers.ROOM, np.int64), *args)

    return source, function, [called(args) for args in ((1, 2), (0, 0), (3, 0), (-1, 1), (2, 70))]


def _of_numbers(seed: int) -> Written:
    source = Writer(seed).program()
    random = Random(seed)
    narrow = random.choice(programs.NARROW)
    function = programs.function_of(source, f"<program {seed}>")
    return source, function, list(_numbers(random, narrow))


def _numbers(random: Random, narrow: str) -> Iterator[Call]:
    for _ in range(programs.CALLS):
        state = random.getstate()

        def fresh(state: Any = state) -> tuple[Any, ...]:
            random.setstate(state)
            return programs.arguments(random, narrow)

        yield fresh
