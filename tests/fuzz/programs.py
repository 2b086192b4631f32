"""Made-up programs, compiled and in Python alone, side by side.

    python -m fuzz programs 20000            # from the folder tests; --seed N to go on from there
    python -m fuzz programs 1 --seed 1234 --show
    python -m fuzz levels 500

`programs` is the fast way, of 20 programs per second and more: only a program that differs is put
through every level by the witness, which knows what the ledger allows.  `levels` does so with each.
"""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import cutaway
from corpus.programs.compare import outcome, quiet, same
from cutaway.errors import CutawayError, InternalError
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict
from fuzz.writer import Writer

CALLS = 3  # with other arguments of the same types
NARROW = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool")

Function = Callable[..., Any]


def arguments(random: Random, narrow: str) -> tuple[Any, ...]:
    """Arguments for one call; their types depend on `narrow` alone."""
    size = random.choice((1, 3, 4, 6))
    b = np.array([random.randint(0, 100) for _ in range(random.choice((2, 3, 5)))])
    return (
        random.choice((0, 1, 2, -1, 5, -7, 60, 1000)),
        random.choice((0, 3, -4, 8)),
        random.choice((0.0, 1.5, -2.25, 10.0)),
        random.random() < 0.5,
        np.arange(size, dtype=np.float64) - 1.0,
        b.astype(narrow),
        np.arange(6, dtype=np.float64).reshape(2, 3),
        (random.randint(-3, 9), 2.5),
        (random.randint(0, 5), random.choice((0, 4, -2))),
        5 if narrow > "u" else None,
    )


def function_of(source: str, name: str) -> Function:
    """The function of a program; its source is shown in messages."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {"math": math, "np": np}
    exec(compile(source, name, "exec"), space)  # noqa: S102
    return space["program"]


class Subject:
    """The program of a seed, in Python and compiled; every tenth with checks of overflow."""

    def __init__(self, seed: int) -> None:
        self.source = Writer(seed).program()
        self.random = Random(seed)
        self.narrow = self.random.choice(NARROW)
        self.function = function_of(self.source, f"<program {seed}>")
        self.compiled = cutaway.jit(self.function, overflow="raise" if seed % 10 == 0 else "wrap")

    def call(self) -> Callable[[], tuple[Any, ...]]:
        """What makes the arguments of the next call, anew each time."""
        state = self.random.getstate()

        def fresh() -> tuple[Any, ...]:
            self.random.setstate(state)
            return arguments(self.random, self.narrow)

        return fresh

    def shown(self, args: tuple[Any, ...]) -> str:
        """The program and one call."""
        return f"{self.source}\nprogram({', '.join(map(repr, args))})"


def check(seed: int) -> Verdict:
    """Compare the calls of a seed's program, compiled and in Python."""
    subject = Subject(seed)
    for call in range(CALLS):
        fresh = subject.call()
        verdict = compared(subject.function, subject.compiled, fresh)
        if verdict.kind != SAME:
            return Verdict(verdict.kind, verdict.words, subject.shown(fresh()), call + 1)
    return Verdict(SAME, calls=CALLS)


def check_levels(seed: int) -> Verdict:
    """Run a seed's program at every level, and compare each with Python."""
    subject = Subject(seed)
    fresh = subject.call()
    verdict = judged(subject.compiled, fresh)
    return Verdict(verdict.kind, verdict.words, subject.shown(fresh()))


def compared(function: Function, compiled: Any, fresh: Callable[[], tuple[Any, ...]]) -> Verdict:
    """What becomes of one call, compiled and in Python."""
    with quiet():
        wanted = outcome(function, fresh())
    try:
        found = outcome(compiled, fresh())
    except BaseException as error:  # such as SystemError out of the C code
        return Verdict(FINDING, f"raised {error!r}")
    if same(found, wanted):
        return Verdict(SAME)
    if found[0] == "raised" and issubclass(found[1], InternalError):
        return Verdict(FINDING, f"{found[1].__name__}: {found[2][0]}")
    if found[0] == "raised" and issubclass(found[1], CutawayError):
        return Verdict(REFUSED, str(found[2][0]).partition("\n")[0][:100])
    verdict = judged(compiled, fresh)
    if verdict.kind != SAME:
        return Verdict(verdict.kind, f"{verdict.words}: {_told(wanted)}, {_told(found)}")
    if wanted[:2] == found[:2] and wanted[0] == "raised":
        return Verdict(ALLOWED, f"other words: {_told(wanted)}, {_told(found)}")
    return Verdict(FINDING, f"only the call differs: {_told(wanted)}, {_told(found)}")


def _told(outcome: tuple[Any, ...]) -> str:
    if outcome[0] == "raised":
        return f"{outcome[1].__name__}{outcome[2]}"
    return str(outcome[1])


def judged(compiled: Any, fresh: Callable[[], tuple[Any, ...]]) -> Verdict:
    """What the witness says of the program at every level."""
    try:
        seen = compiled.trace(*fresh()).witness(*fresh())
    except InternalError as error:
        return Verdict(FINDING, str(error))
    except CutawayError as error:
        return Verdict(REFUSED, error.message.partition("\n")[0][:100])
    if not seen.ok:
        return Verdict(FINDING, seen.summary)
    entries = sorted({entry for row in seen.rows for entry in row.entries})
    return Verdict(ALLOWED, ", ".join(entries)) if entries else Verdict(SAME)
