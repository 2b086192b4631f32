"""Made-up programs, compiled and in Python alone, side by side.

    python -m fuzz programs 20000            # from the folder tests; --seed N to go on from there
    python -m fuzz programs 1 --seed 1234 --show

This is the fast way, of 20 programs a second and more: a program that differs is then put through
every level by the witness, which knows what the ledger allows.
"""

from __future__ import annotations

import linecache
import math
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import cutaway
from cutaway.errors import CutawayError, InternalError
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict
from fuzz.writer import Writer
from programs.compare import outcome, same

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


def check(seed: int) -> Verdict:
    """Write the program of a seed, and compare its calls."""
    source = Writer(seed).program()
    random = Random(seed)
    narrow = random.choice(NARROW)
    function = function_of(source, f"<program {seed}>")
    compiled = cutaway.jit(function, overflow="raise" if seed % 10 == 0 else "wrap")
    for call in range(CALLS):
        state = random.getstate()

        def fresh(state: Any = state) -> tuple[Any, ...]:
            random.setstate(state)
            return arguments(random, narrow)

        verdict = compared(function, compiled, fresh)
        if verdict.kind != SAME:
            return Verdict(verdict.kind, verdict.words, _shown(source, fresh()), call + 1)
    return Verdict(SAME, calls=CALLS)


def _shown(source: str, args: tuple[Any, ...]) -> str:
    return f"{source}\nprogram({', '.join(map(repr, args))})"


def compared(
    function: Function, compiled: Any, fresh: Callable[[], tuple[Any, ...]]
) -> Verdict:
    """What becomes of one call, compiled and in Python."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
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
    return _judged(compiled, fresh, f"Python {wanted[:2]}, compiled {found[:2]}")


def _judged(compiled: Any, fresh: Callable[[], tuple[Any, ...]], words: str) -> Verdict:
    """What the witness says of a difference."""
    try:
        seen = compiled.trace(*fresh()).witness(*fresh())
    except CutawayError as error:
        return Verdict(FINDING, f"{words}; the witness says {error}")
    if seen.ok:
        entries = sorted({entry for row in seen.rows for entry in row.entries})
        if entries:
            return Verdict(ALLOWED, ", ".join(entries))
    return Verdict(FINDING, f"{words}; {seen.summary}")
