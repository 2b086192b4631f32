"""Judges each pass of a compilation by running its output: equal to Python, different as the ledger
declares, or different.

Python's outcome is expected after every pass. If the ledger permits a pass to change it
(`permitted`), the changed outcome is expected from then on, bit for bit: a wrapped integer excuses
no other difference. Runs happen on demand, each at most once.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from cutaway.errors import CutawayError, InternalError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.lazy import cached_property
from cutaway.foundation.sandbox import OUT_OF_TIME
from cutaway.inspection.recording.recording import PassRecord, Recording
from cutaway.inspection.witness import permitted
from cutaway.inspection.witness.callees import calls_compiled
from cutaway.inspection.witness.outcomes import unlike
from cutaway.inspection.witness.permitted import Step
from cutaway.inspection.witness.runs import Limits, Outcomes, Run, Runner
from cutaway.ir.levels import Level
from cutaway.stages.unit import CompileUnit


class Mark(enum.Enum):
    """The verdict of running a pass's output: `meaning` is the line of the legend."""

    equal = "equal"
    value = "equal value"
    declared = "declared difference"
    different = "different"
    skipped = "not run"

    @property
    def meaning(self) -> str:
        """The meaning of the mark."""
        return _MEANINGS[self]


_MEANINGS = {
    Mark.equal: "what Python does, types included",
    Mark.value: "the same values, but a plain number where Python has a NumPy number",
    Mark.declared: "a difference from Python that the ledger permits",
    Mark.different: "a difference from Python that nothing permits: a bug",
    Mark.skipped: "it was not run, so nothing is known",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A mark, with the ledger entries that permit it, or why it differs or was not run."""

    mark: Mark
    entries: tuple[str, ...] = ()
    words: str = ""
    seconds: float = 0.0
    run: Run = Run()


@dataclass(frozen=True, slots=True)
class Expected:
    """The outcomes expected from a pass on, and the entries that permit them.

    `met` are the entries that applied in the typed run. `broken` says that a pass changed the
    outcome without permission: the outcomes are those expected of it. `unknown` says that the typed
    program took too long, so that the effect of its numbers on the outcome is not known.
    """

    outcomes: Outcomes
    entries: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    broken: bool = False
    unknown: bool = False


class Judge:
    """A judge of one compilation on one set of arguments."""

    def __init__(self, compilation: Recording, args: tuple[Any, ...], limits: Limits) -> None:
        self.compilation = compilation
        self.runner = Runner(args, compilation.native, limits)
        self.records = compilation.passes
        self._runs: dict[int, Run] = {}
        self._verdicts: dict[int, Verdict] = {}
        self._expected: dict[int, Expected] = {}

    @property
    def executions(self) -> int:
        """The number of runs of programs after passes so far."""
        return self.runner.count

    @cached_property
    def python(self) -> Run:
        """The run in Python."""
        return self.runner.python(self.compilation.unit)

    @cached_property
    def is_steady(self) -> bool:
        """True if a second run in Python has the same outcomes."""
        again = self.runner.python(self.compilation.unit)
        if not self.python.outcomes or not again.outcomes:
            return False
        return unlike(self.python.outcomes, again.outcomes) is None

    @cached_property
    def _steps(self) -> list[int]:
        """The passes that may change the outcome if a ledger entry permits it."""
        result = []
        reached = Level.source
        for k, record in enumerate(self.records):
            becomes_parallel = record.step.gives is Level.parfor is not record.step.reads
            is_first = record.step.gives is not reached or becomes_parallel
            reached = record.step.gives
            unit = record.unit_after
            if is_first and reached in _RIGHTS and unit is not None:
                if permitted.may_differ(unit):
                    result.append(k)
        return result

    def verdict(self, position: int) -> Verdict:
        """Return the verdict on the pass at a position."""
        if position not in self._verdicts:
            self._verdicts[position] = self._judged(position)
        return self._verdicts[position]

    def run(self, position: int) -> Run:
        """Run the program after a pass, once."""
        if position not in self._runs:
            unit = self.records[position].unit_after
            assert unit is not None
            self._runs[position] = self.runner.run(unit, self.python.outcomes)
        return self._runs[position]

    def _judged(self, position: int) -> Verdict:
        record = self.records[position]
        if not self.python.outcomes:
            return Verdict(Mark.skipped, (), f"Python itself {_why(self.python)}")
        if said := permitted.only_compiled(self.python.outcomes):
            return Verdict(Mark.skipped, (), f"Python itself has no result to compare with: {said}")
        if record.unit_after is None:
            return self._failed(record)
        if position and not self._is_changed(record):
            before = self.verdict(position - 1)
            return Verdict(before.mark, before.entries, before.words, 0.0, before.run)
        run = self.run(position)
        if run.skipped:
            return Verdict(Mark.skipped, (), run.skipped, run.seconds, run)
        if not _words(self.python.outcomes, run):
            return Verdict(Mark.equal, (), "", run.seconds, run)
        if permitted.reads_anything(record.unit_after, self.python.outcomes):
            words = _words(self.python.outcomes, run)
            return Verdict(Mark.declared, ("no-bounds-check",), words, run.seconds, run)
        expected = self._expected_of(position)
        left = "in Python" if not expected.entries else "at earlier levels"
        words = _words(expected.outcomes, run, left)
        if not words and not expected.broken:
            difference = str(unlike(self.python.outcomes, run.outcomes))
            mark = Mark.value if self._has_same_values(run) else Mark.declared
            return Verdict(mark, expected.entries, difference, run.seconds, run)
        if self._has_same_values(run):
            # A number wrapped on the way, as NumPy's own did in Python.
            difference = str(unlike(self.python.outcomes, run.outcomes))
            return Verdict(Mark.value, expected.entries, difference, run.seconds, run)
        if expected.unknown:
            words = f"{words}; typed IR was too slow to check whether the ledger permits it"
            return Verdict(Mark.skipped, (), words, run.seconds, run)
        if not self.is_steady:
            words = "Python itself does something else the second time"
            return Verdict(Mark.skipped, (), words, run.seconds, run)
        words = words or _words(self.python.outcomes, run)
        return Verdict(Mark.different, (), words, run.seconds, run)

    def _has_same_values(self, run: Run) -> bool:
        if run.failure or run.wrong or not run.outcomes:
            return False
        return permitted.same_values(self.python.outcomes, run.outcomes)

    def _failed(self, record: PassRecord) -> Verdict:
        error = self.compilation.error
        words = error.message if isinstance(error, CutawayError) else str(error)
        if isinstance(error, InternalError):
            return Verdict(Mark.different, (), words)
        return Verdict(Mark.skipped, (), f"the compilation ended here: {words}")

    def _is_changed(self, record: PassRecord) -> bool:
        """True if a pass may have left another program: linking always does."""
        assert record.unit_after is not None
        counted = "refcounts" in record.unit_after.done - record.unit_before.done
        return record.changed or counted or Level.llvm.leads_to(record.unit_after.level)

    def _expected_of(self, position: int) -> Expected:
        """Return the expected outcomes after a pass, permitted by itself and earlier passes."""
        return self._expected_from([k for k in self._steps if k <= position])

    def _expected_from(self, steps: list[int]) -> Expected:
        """Return the expected outcomes after the last of these passes."""
        if not steps:
            return Expected(self.python.outcomes)
        if steps[-1] not in self._expected:
            self._expected[steps[-1]] = self._admitted(steps)
        return self._expected[steps[-1]]

    def _admitted(self, steps: list[int]) -> Expected:
        last = steps[-1]
        run, unit = self.run(last), self.records[last].unit_after
        assert unit is not None
        if run.outcomes and not _words(self.python.outcomes, run):
            return Expected(run.outcomes, (), run.entries)
        before = self._expected_from(steps[:-1])
        met = (*before.met, *run.entries)
        if before.broken or run.skipped:
            return replace(before, unknown=before.unknown or OUT_OF_TIME in run.skipped)
        if not run.outcomes or run.wrong:
            return replace(before, broken=True)
        if unlike(before.outcomes, run.outcomes) is None:
            return Expected(run.outcomes, before.entries, met)
        if before.unknown:
            return before
        entries = self.rights(last)(Step(unit, before.outcomes, run, met))
        if not entries and unit.level is Level.llvm:
            entries = self._by_callees(unit, run)
        if not entries:
            return replace(before, broken=True)
        return Expected(run.outcomes, tuple(dict.fromkeys((*before.entries, *entries))), met)

    def _by_callees(self, unit: CompileUnit, run: Run) -> tuple[str, ...]:
        """The entries that apply in called functions, if they explain the whole difference."""
        if not run.outcomes or not calls_compiled(unit):
            return ()
        deep = self.runner.run_with_callees(unit)
        if not deep.outcomes or deep.wrong_types or not deep.untyped:
            return ()
        if unlike(self.python.outcomes, deep.untyped) is not None:
            return ()
        explained = unlike(deep.outcomes, run.outcomes, lines=False) is None
        return deep.entries if explained else ()

    def rights(self, position: int) -> Callable[[Step], tuple[str, ...]]:
        """Return the ledger entries that may apply to a pass."""
        return _RIGHTS.get(self.records[position].step.gives, lambda step: ())


_RIGHTS: dict[Level, Callable[[Step], tuple[str, ...]]] = {
    Level.ir: permitted.of_ir,
    Level.typed: permitted.of_types,
    Level.arrayexpr: permitted.of_types,
    Level.parfor: permitted.of_parfors,
    Level.llvm: permitted.of_machine_code,
    Level.llvm_opt: permitted.of_optimization,
}


def _words(expected: Outcomes, run: Run, left: str = "in Python") -> str:
    """Describe the difference of a run from the expected outcomes; empty if there is none."""
    if run.failure:
        return run.failure
    if run.wrong:
        return run.wrong
    if not run.outcomes:
        return ""
    difference = unlike(expected, run.outcomes)
    if difference is None:
        return ""
    words = difference.in_words(left)
    return f"{words} ({run.wrong_types[0]})" if run.wrong_types else words


def _why(run: Run) -> str:
    return run.skipped or run.failure or "has no outcome"
