"""Try the cures of missed optimizations before any is shown.

Each proposal is compiled as an edit of the program. It helps if it removes the remark or vectorizes
the loop, and if the machine code computes the same as before with the arguments of the trace. All
trials run in one child process, within limits that users are shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.lazy import cached_property
from cutaway.foundation.options import Flags, flags_from_options
from cutaway.foundation.sandbox import in_child
from cutaway.inspection.explaining.trials import Trials
from cutaway.inspection.hints.cures import Cure, SourceCures
from cutaway.inspection.hints.proposals import Proposals
from cutaway.inspection.llvm.remark_words import VECTOR
from cutaway.inspection.llvm.remarks import Remark, Remarks, remarks_of
from cutaway.inspection.recording.recording import Recording
from cutaway.inspection.witness.copies import fresh
from cutaway.inspection.witness.outcomes import EXACT, Outcome, Tolerance, perform, unlike
from cutaway.inspection.witness.permitted import FASTMATH_ULPS
from cutaway.ir.levels import Level

MOST_TRIED = 12  # compiled programs
MOST_SECONDS = 10.0  # processor time for all trials
_RUN_SECONDS = 2.0  # for one run
_MEASURED = 0.05  # seconds for repeated runs, of which the shortest counts
_FASTER = 1.1  # smallest speedup that is shown

Cures = tuple[Cure, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a program with edits: its remarks, whether it is equal, and the speedup."""

    remarks: Remarks
    does_the_same: bool
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class HelpfulCures:
    """The cures that help a remark: in words, as edits, and the speedup."""

    words: str
    cures: Cures
    times: float = 1.0

    @property
    def text(self) -> str:
        """The words with the measured time."""
        if 1 / _FASTER < self.times < _FASTER:
            return self.words
        if self.times < 1:
            return f"{self.words}; it took {1 / self.times:.1f} times as long with these arguments"
        return f"{self.words}; it was {self.times:.1f} times as fast with these arguments"


@dataclass(frozen=True, slots=True)
class TriedHints:
    """The answers by the numbers of remarks, and the count of untried ones."""

    answers: dict[int, HelpfulCures]
    untried: int = 0
    reason: str = ""


class Hints:
    """The hints for one compilation's remarks, tried when the first one is read."""

    def __init__(self, compilation: Recording, remarks: Remarks) -> None:
        self.compilation = compilation
        self.remarks = remarks

    def text(self, number: int) -> str:
        """Return the hint for a remark, with the measured time."""
        answer = self.tried.answers.get(number)
        return "" if answer is None else answer.text

    def words(self, number: int) -> str:
        """Return the hint for a remark without the time, which varies."""
        answer = self.tried.answers.get(number)
        return "" if answer is None else answer.words

    def left(self) -> str:
        """Say how many hints were not tried, and why."""
        count = self.tried.untried
        if not count:
            return ""
        what = "1 hint was" if count == 1 else f"{count} hints were"
        return f"{what} not tried: {self.tried.reason}"

    @cached_property
    def tried(self) -> TriedHints:
        """All hints, tried in one child process."""
        proposed = list(self._proposed())
        if not proposed:
            return TriedHints({})
        count = len({number for number, _ in proposed})
        if self.compilation.arguments is None:
            return TriedHints({}, count, "there are no arguments to try them with")
        trying = _Trying(self.compilation, self.remarks, proposed)
        answer = in_child(trying.all, 3 * MOST_SECONDS)
        if answer.value is None:
            return TriedHints({}, count, f"the process that tried them {answer.words}")
        return answer.value

    def _proposed(self) -> Iterator[tuple[int, Cures]]:
        """Yield pairs of a remark's number and cures to try together, the best first."""
        unit = self.compilation.unit
        if unit.target.machine.triple or unit.flags.forceobj or self.compilation.retrace is None:
            return
        proposals = Proposals(self.compilation, SourceCures.of(unit.pyfunc))
        yield from proposals.for_each(self.remarks.rows)


class _Trying:
    """A run of trials for pairs of a remark and cures, in a child process."""

    def __init__(
        self, compilation: Recording, remarks: Remarks, proposed: Sequence[tuple[int, Cures]]
    ) -> None:
        self.compilation = compilation
        self.remarks = remarks
        self.proposed = proposed
        self.trials = Trials(compilation, MOST_TRIED)
        self.source = SourceCures.of(compilation.unit.pyfunc)
        self.results: dict[Cures, Result | None] = {}
        self.last = Level.named(compilation.levels[-1])

    def all(self) -> TriedHints:
        """Try the pairs until all remarks have an answer or the time is over."""
        answers: dict[int, HelpfulCures] = {}
        left: dict[int, None] = {}
        reason = ""
        began = _seconds()
        for number, cures in self.proposed:
            if number in answers:
                continue
            if cures not in self.results:
                if self.trials.left <= 0:
                    reason = f"at most {MOST_TRIED} programs are compiled for them"
                elif _seconds() - began > MOST_SECONDS:
                    reason = f"the time for them, {MOST_SECONDS:g} seconds, was over"
                if reason:
                    left[number] = None
                    continue
                self.results[cures] = self._result(cures)
            answer = self._answer(number, cures)
            if answer is not None:
                answers[number] = answer
                left.pop(number, None)
        return TriedHints(answers, len(left), reason)

    # --- one program ----------------------------------------------------------------------------

    def _result(self, cures: Cures) -> Result | None:
        """Compile and run the program with some cures; None if it does not compile."""
        edits = [edit for cure in cures for edit in cure.edits]
        names = {cure.inlined: self._inlined(cure.inlined) for cure in cures if cure.inlined}
        flags = flags_with(self.compilation.unit.flags, cures)
        with self.trials.compiled(edits, self.last.value, flags, names) as trial:
            if trial is None or trial.compilation is None:
                return None
            made = trial.compilation
            decisions = [(r.name, one) for r in made.records for one in r.decisions]
            remarks = remarks_of(made.at(Level.llvm).unit).with_decisions(decisions)
            if remarks.error:
                return None
            outcome, times = self._ran(made)
        same = outcome is not None and self._original is not None
        if same:
            assert outcome is not None and self._original is not None
            pairs = ((self._original,), (outcome,))
            same = unlike(*pairs, self._tolerance(flags), lines=False) is None
        return Result(remarks, same, times)

    def _inlined(self, name: str) -> Any:
        known = self.compilation.unit.pyfunc.__globals__[name]
        return known.with_options(inline="always")

    def _tolerance(self, flags: Flags) -> Tolerance:
        """Return the tolerance for floats under the changed options."""
        own = self.compilation.unit.flags
        if flags.fastmath != own.fastmath:
            return Tolerance(FASTMATH_ULPS, 1e-12, zero_signs=False)
        return Tolerance(8, 1e-13) if flags.vector_math != own.vector_math else EXACT

    # --- runs -----------------------------------------------------------------------------------

    @cached_property
    def _original(self) -> Outcome | None:
        return self._ran(self.compilation)[0]

    @cached_property
    def _first_seconds(self) -> float:
        return self._seconds_of(self.compilation)

    def _ran(self, compilation: Recording) -> tuple[Outcome | None, float]:
        """Run the machine code with the arguments; return the outcome and the speedup."""
        native, args = compilation.native or self.compilation.native, self.compilation.arguments
        assert native is not None and args is not None
        unit = compilation.at(self.last).unit
        answer = in_child(lambda: perform(native(unit, self.last), args), _RUN_SECONDS)
        if answer.value is None or compilation is self.compilation:
            return answer.value, 1.0
        seconds = self._seconds_of(compilation)
        return answer.value, self._first_seconds / seconds if seconds else 1.0

    def _seconds_of(self, compilation: Recording) -> float:
        """Return the time of one call; 0 if it could not be measured."""
        native, args = compilation.native or self.compilation.native, self.compilation.arguments
        assert native is not None and args is not None
        unit = compilation.at(self.last).unit

        def measured() -> float:
            function = native(unit, self.last)
            first = _timed(function, args)
            most = int(_MEASURED / max(first, 1e-7))
            return min(first, *(_timed(function, args) for _ in range(min(max(most, 3), 500))))

        return in_child(measured, _RUN_SECONDS).value or 0.0

    # --- the effect on a remark -----------------------------------------------------------------

    def _answer(self, number: int, cures: Cures) -> HelpfulCures | None:
        result = self.results[cures]
        if result is None or not result.does_the_same:
            return None
        row = self.remarks.rows[number]
        words = ", and ".join(cure.words for cure in cures)
        if is_about_vectors(row):
            effect = self._vectors(row, cures, result)
            return HelpfulCures(f"{words}; {effect} then", cures, result.times) if effect else None
        if self._count(self.remarks, row, row.line) == 0:
            return None
        after = self._count(result.remarks, row, self._line_after(row.line, cures))
        gone = after <= self._count(self.remarks, row, row.line) - row.count
        times = result.times if cures[0].options else 1.0
        return HelpfulCures(words, cures, times) if gone else None

    def _vectors(self, row: Remark, cures: Cures, result: Result) -> str:
        """Describe how a remark's loop is vectorized with some cures; empty if it is not."""
        loop = None if self.source is None else self.source.loop_at(row.line)
        first, last = (row.line, row.line) if loop is None else (loop.lineno, loop.end_lineno or 0)
        after = range(self._line_after(first, cures), self._line_after(last, cures) + 1)
        done = [one for one in result.remarks if _is_vectorized(one) and one.line in after]
        before = [one for one in self.remarks if _is_vectorized(one) and first <= one.line <= last]
        if sum(one.count for one in done) <= sum(one.count for one in before):
            return ""
        return done[0].message.replace("vectorized:", "vectorized,")

    def _line_after(self, line: int, cures: Cures) -> int:
        return line + sum(cure.line_after(line) - line for cure in cures)

    def _count(self, remarks: Remarks, row: Remark, line: int) -> int:
        """Count the remarks of the same kind on a line."""
        same = [one for one in remarks.at(line) if one.raw == row.raw]
        if row.topic:  # one of our passes, whose reason may change
            same = [o for o in same if (o.kind, o.subject) == (row.kind, row.subject)]
        return sum(one.count for one in same)


def flags_with(flags: Flags, cures: Cures) -> Flags:
    """Return the flags of a function with the options of some cures."""
    options = {name: value for cure in cures for name, value in cure.options}
    made = flags_from_options(options)
    changed = {name: getattr(made, name) for name in options}
    if made.vector_math:  # implied by fastmath
        changed["vector_math"] = True
    return replace(flags, **changed)


def is_about_vectors(row: Remark) -> bool:
    """True for a remark about a loop that is not vectorized."""
    return row.kind == "missed" and (row.pass_name == VECTOR or row.raw == "loop_marks")


def _is_vectorized(row: Remark) -> bool:
    return row.raw.startswith("vectorized loop")


def _timed(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    own = fresh(args)
    began = process_time()
    function(*own)
    return process_time() - began


def _seconds() -> float:
    """Return the processor time of this process and of its finished children."""
    return sum(os.times()[:4])
