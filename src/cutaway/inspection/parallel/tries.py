"""Try edits that would make a loop parallel before any is shown.

The function is compiled with the edit and runs at level `parfor`, where the interpreter reorders
the iterations, so that a result which depends on their order shows.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from cutaway.errors import CutawayError, RaceWarning, UnsupportedError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.loops import prange
from cutaway.foundation.options import PARALLEL, Flags
from cutaway.foundation.source import Loc, source_line
from cutaway.inspection.explaining.edits import Edit
from cutaway.inspection.explaining.trials import Trial, Trials
from cutaway.inspection.parallel.nests import Plain
from cutaway.inspection.parallel.source import SourceLoop
from cutaway.inspection.parallel.words import (
    ALONE,
    DIFFERENT,
    FUSION_RULE,
    REFUSED,
    UNKNOWN,
    USELESS,
    WARNED,
    WORKS,
)
from cutaway.inspection.recording.recording import Recording
from cutaway.inspection.witness.judge import Judge, Mark, Verdict
from cutaway.inspection.witness.runs import Limits
from cutaway.ir import nodes
from cutaway.ir.decisions import MISSED
from cutaway.ir.levels import Level
from cutaway.ir.traversal import walk

_LARGE, _MOST_ALONG = 2000, 40  # elements of an array; of an axis of its beginning
MOST_TRIED = 6  # compilations of one function: a record waits for them


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a try, with the error or warning, its hint and its line."""

    verdict: str
    words: str = ""
    hint: str = ""
    line: int = 0


class Tries:
    """Tries edits of one function."""

    def __init__(self, compilation: Recording, seconds: float) -> None:
        self.compilation = compilation
        self.seconds = seconds  # for each run
        self.trials = Trials(compilation, MOST_TRIED)
        self.function = self.trials.function

    def parallel(self, loop: SourceLoop) -> Plain | None:
        """Try the loop with `prange` instead of `range`."""
        if loop.called is None:
            return None
        return self._swapped({loop.called: self._name_of_prange()}, loop)

    def inner_instead(self, inner: SourceLoop, outer: SourceLoop) -> Plain | None:
        """Try to divide the inner one of two loops instead of the outer one."""
        if inner.called is None or outer.called is None:
            return None
        return self._swapped({inner.called: self._name_of_prange(), outer.called: "range"}, inner)

    def serial(self, loop: SourceLoop) -> Plain | None:
        """Try the loop with `range` instead of `prange`."""
        if loop.called is None:
            return None
        return self._swapped({loop.called: "range"}, None)

    def asserted(self, line: int, statement: str, before: int) -> Plain | None:
        """Try an assertion before a statement, which should reduce the number of parfors."""
        filename = self.function.__code__.co_filename
        text = source_line(filename, line)
        column = len(text) - len(text.lstrip())
        if not text.strip() or text.rstrip().endswith(":"):
            return None  # a compound statement cannot follow on the same line
        edit = Edit(Loc(line, column, line, column, filename), f"{statement}; ")
        lines = ((line, _edited_line(line, [edit], False)),)
        return self._tried(f"in front of line {line}: {statement}", [edit], lines, None, before)

    def turned_on(self, loop: SourceLoop) -> Plain | None:
        """Try the unchanged program with all parallel options."""
        return self._tried("@jit(parallel=True)", (), (), loop)

    def _name_of_prange(self) -> str:
        """Return the name of `prange` in the user's module."""
        space = self.function.__globals__
        own = next((name for name, value in space.items() if value is prange), None)
        module = (n for n, value in space.items() if getattr(value, "__name__", "") == "cutaway")
        package = next((name for name in module if hasattr(space[name], "prange")), None)
        return own or (f"{package}.prange" if package else prange.__name__)

    def _swapped(self, texts: dict[Loc, str], loop: SourceLoop | None) -> Plain | None:
        edits = [Edit(loc, text) for loc, text in texts.items()]
        rows = sorted({loc.line for loc in texts})
        words = "; ".join(f"line {row}: {_edited_line(row, edits)}" for row in rows)
        lines = tuple((row, _edited_line(row, edits, False)) for row in rows)
        needs = " with `from cutaway import prange`" if self._is_new(texts) else ""
        flags = self.compilation.unit.flags
        option = "" if "prange" in flags.parallel or loop is None else ", and @jit(parallel=True)"
        return self._tried(f"{words}{needs}{option}", edits, lines, loop)

    def _is_new(self, texts: dict[Loc, str]) -> bool:
        name = prange.__name__
        return name in texts.values() and self.function.__globals__.get(name) is not prange

    def _tried(
        self,
        words: str,
        edits: Sequence[Edit],
        lines: tuple[tuple[int, str], ...],
        loop: SourceLoop | None,
        most: int = 0,
    ) -> Plain | None:
        """Try a program with edits, in which the loop should be a parfor, or there should be fewer
        parfors than `most`; None if it cannot be tried."""
        flags: Flags = self.compilation.unit.flags
        if loop is not None:
            flags = replace(flags, parallel=frozenset(PARALLEL))
        names = {prange.__name__: self.function.__globals__.get(prange.__name__, prange)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RaceWarning)
            with self.trials.compiled(edits, Level.parfor.value, flags, names) as trial:
                if trial is None:
                    return None
                races = [one for one in caught if issubclass(one.category, RaceWarning)]
                outcome = self._outcome(trial, loop, most, races)
        return {
            "text": words,
            "lines": [list(row) for row in lines],
            "verdict": outcome.verdict,
            "words": outcome.words,
            "hint": outcome.hint,
            "line": outcome.line,
        }

    def _outcome(
        self,
        trial: Trial,
        loop: SourceLoop | None,
        most: int,
        races: Sequence[warnings.WarningMessage],
    ) -> Outcome:
        tried = trial.compilation
        if tried is None:
            assert trial.error is not None
            return _refused(trial.error)
        if loop is not None and not _is_parfor(tried, loop):
            return Outcome(REFUSED, "it is not divided then, either")
        if most and count_of_parfors(tried) >= most:
            return Outcome(USELESS, _still_apart(tried))
        ran = self._ran(tried)
        if loop is None and not most and ran.verdict == WORKS:
            return Outcome(ALONE)
        if ran.verdict == DIFFERENT:
            return ran
        if races:
            return Outcome(WARNED, str(races[0].message), "", races[0].lineno)
        return ran

    def _ran(self, tried: Recording) -> Outcome:
        """Run a program in another order than Python's on the arguments of the trace; on the
        beginning of large arrays, since the interpreter is slow."""
        args = self.compilation.arguments
        if args is None:
            return Outcome(UNKNOWN, "there are no arguments to try it with")
        own = [k for k, one in enumerate(tried.passes) if _is_own(one.unit_after)]
        small = tuple(map(_beginning, args)) if any(map(_is_large, args)) else args
        if any(one is not other for one, other in zip(args, small, strict=True)):
            judge = Judge(tried, small, Limits(1, self.seconds))
            if judge.python.outcomes and not judge.python.outcomes[0].exception:
                ran = _outcome_of(judge.verdict(own[-1]))
                part = f"with the first {_MOST_ALONG} elements along each axis"
                return replace(ran, words=f"{ran.words}, {part}" if ran.words else part)
        return _outcome_of(Judge(tried, args, Limits(1, self.seconds)).verdict(own[-1]))


def _outcome_of(verdict: Verdict) -> Outcome:
    match verdict.mark:
        case Mark.different:
            return Outcome(DIFFERENT, verdict.words.replace("at earlier levels", "in Python"))
        case Mark.skipped:
            return Outcome(UNKNOWN, verdict.words)
    rounds = "reduction-order" in verdict.entries
    return Outcome(WORKS, "but for the last bits of what is added up" if rounds else "")


def _is_large(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.size > _LARGE


def _beginning(value: Any) -> Any:
    """Return the beginning of an array along each axis; any other value unchanged."""
    if not isinstance(value, np.ndarray) or max(value.shape, default=0) <= _MOST_ALONG:
        return value
    return value[(slice(_MOST_ALONG),) * value.ndim].copy(order="K")


def _is_own(unit: object) -> bool:
    level = getattr(unit, "level", None)
    return level is not None and level.is_ir and level.comes_before(Level.llvm)


def _still_apart(tried: Recording) -> str:
    """Return the reason why the loops after an assertion stay apart, from the first such pair."""
    reasons = (
        one.reason
        for record in tried.passes
        for one in record.decisions
        if one.rule == FUSION_RULE and one.verdict == MISSED
    )
    return next(reasons, "")


def count_of_parfors(compilation: Recording) -> int:
    """Count the parallel loops of the final program."""
    if Level.parfor.value not in compilation.levels:
        return 0
    unit = compilation.at(Level.parfor).unit
    return sum(isinstance(op, nodes.Parfor) for op in walk(unit.fn))


def _is_parfor(tried: Recording, loop: SourceLoop) -> bool:
    unit = tried.at(Level.parfor).unit if Level.parfor.value in tried.levels else None
    if unit is None:
        return False
    found = (op.loc.line for op in walk(unit.fn) if isinstance(op, nodes.Parfor))
    return any(loop.line <= line <= loop.head for line in found)


def _refused(error: BaseException) -> Outcome:
    if not isinstance(error, CutawayError):
        return Outcome(REFUSED, str(error))
    line = error.loc.line if error.loc is not None else 0
    hint = error.hint if isinstance(error, UnsupportedError) else ""
    return Outcome(REFUSED, error.message, hint, line)


def _edited_line(row: int, edits: Sequence[Edit], stripped: bool = True) -> str:
    """Apply the edits on a line of the source."""
    here = sorted((e for e in edits if e.loc.line == row), key=lambda e: e.loc.col, reverse=True)
    text = source_line(here[0].loc.filename, row)
    for edit in here:
        text = text[: edit.loc.col] + edit.text + text[edit.loc.end_col :]
    return text.strip() if stripped else text
