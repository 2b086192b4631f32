"""The record of a compilation and its methods: the same for a live one and one from a file.

r = f.trace(1.0, 2.0).record      r = cutaway.load("add.cutaway")
r.at("ssa").text                  the program at a level, after a pass, a rewrite, ...
r.diff("ir", "ssa")               the differences between two points
r.biography("s")                  a user's variable through all passes
r.passes, r.functions[1], r.why("s"), r.values, r.timings, r.decisions, r.remarks
r.save("add.cutaway"); r.report("add.html")
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.lazy import cached_property
from cutaway.inspection.explaining.fusion import Fusion, answer
from cutaway.inspection.explaining.why import CallExplanation
from cutaway.inspection.observers.timings import Timing, Timings
from cutaway.inspection.parallel.answers import (
    ParallelLoops,
    WhyNotParallel,
    WhyParallel,
    loops_in,
    meant,
)
from cutaway.inspection.parallel.iterations import Iterations
from cutaway.inspection.parallel.pairs import LoopFusion, pair_of
from cutaway.inspection.record import encoding
from cutaway.inspection.record.biography import Biography, biography_of
from cutaway.inspection.record.comparing import Diff
from cutaway.inspection.record.model import (
    Decision,
    Failure,
    FunctionRecord,
    LlvmStep,
    PassEntry,
    RecordData,
    Rewrite,
    Seen,
)
from cutaway.inspection.record.points import Point, levels_of, point_of
from cutaway.inspection.record.retold import Retold, RetoldSteps, place_of, why, why_call
from cutaway.inspection.record.summaries import compilation_text, failure_text, pass_text
from cutaway.inspection.showing.displayed import Displayed
from cutaway.inspection.showing.page import page


class Record(Displayed):
    """The recorded compilation of one function; `functions` has all functions of the record."""

    def __init__(self, data: RecordData, position: int = 0) -> None:
        self.data = data
        self.position = position

    @property
    def function(self) -> FunctionRecord:
        """The plain data of this function."""
        return self.data.functions[self.position]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.name

    @property
    def signature(self) -> str:
        """The function with the types of its arguments."""
        return self.function.signature

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that were reached, in order."""
        return tuple(levels_of(self.function))

    @cached_property
    def functions(self) -> tuple[Record, ...]:
        """All functions of the record: the traced one, and those compiled because of it."""
        count = len(self.data.functions)
        return tuple(self if k == self.position else Record(self.data, k) for k in range(count))

    @cached_property
    def passes(self) -> tuple[RecordedPass, ...]:
        """The passes that ran, in order; the last one may have failed."""
        return tuple(RecordedPass(self, entry) for entry in self.function.passes)

    @property
    def error(self) -> Failure | None:
        """The error that ended the compilation early, or None."""
        return self.function.error

    def at(self, word: object) -> Point:
        """Return the program at a level, after a pass (`"simplify"`), a rewrite (`"simplify#3"`), a
        pass of LLVM (`"llvm#12"`, `"llvm:InstCombinePass"`), or a state by its position.

        Raises PipelineError for any other word.
        """
        return point_of(self.function, word)

    def diff(self, before: object, after: object) -> Diff:
        """The differences between two points, each a word of `at`, or a point of another function
        or record."""
        a = before if isinstance(before, Point) else self.at(before)
        b = after if isinstance(after, Point) else self.at(after)
        return Diff(a, b, by_id=a.function is b.function)

    def biography(self, name: str) -> Biography:
        """The history of a user variable through all passes.  Raises PipelineError if there is
        none."""
        return biography_of(self.function, name)

    def why(self, variable: str = "", line: int | None = None) -> Retold:
        """Explain a variable's types; without a name, the return type.

        Raises PipelineError if that is not recorded.
        """
        return why(self.function, variable, line)

    def why_call(self, line: int | None = None) -> CallExplanation:
        """Explain the calls in a line, or all calls: each candidate, and why it was rejected."""
        return why_call(self.function, line)

    def why_fused(self, what: int | str | None = None) -> Fusion:
        """Explain which loops compute the whole-array operations in a line, or of a variable."""
        return answer(self.function.fusion, what, True)

    def why_not_fused(
        self, what: int | str | None = None, other: int | None = None
    ) -> Fusion | LoopFusion:
        """Explain whether each operation on whole arrays is computed in the loop of another, and
        why not; for two lines, whether their parallel loops are fused. Edits that may help were
        tried when the record was made."""
        if other is None:
            return answer(self.function.fusion, what, False)
        facts, first = loops_in(self.function.parallel), int(what or 0)
        return LoopFusion(facts, (), pair_of(facts, first, other), (first, other))

    @property
    def parallel(self) -> ParallelLoops:
        """The verdict on each loop: parallel or not, by which pass, and why.

        Raises PipelineError if it is not recorded: the function was compiled without
        `parallel=True`, or it has no loops.
        """
        return ParallelLoops(loops_in(self.function.parallel))

    def why_parallel(self, line: int | None = None) -> WhyParallel:
        """Explain why the loop of a line is divided among threads, or all loops."""
        facts = loops_in(self.function.parallel)
        return WhyParallel(facts, meant(facts, line))

    def why_not_parallel(self, line: int | None = None) -> WhyNotParallel:
        """Explain why the loop of a line is not divided among threads, or all loops; edits that may
        help were tried when the record was made."""
        facts = loops_in(self.function.parallel)
        return WhyNotParallel(facts, meant(facts, line))

    @property
    def iterations(self) -> Iterations:
        """The threads and times of parallel loops' iterations, measured when the record was made.
        Raises PipelineError if they were not."""
        facts = self.function.threads
        if facts is None:
            raise PipelineError(
                "no run of parallel loops is recorded",
                hint="trace a function with parallel=True, and with arguments",
            )
        return Iterations(facts)

    @property
    def typing(self) -> RetoldSteps:
        """Type inference step by step, one propagation per step."""
        return RetoldSteps(self.function)

    steps = typing

    @property
    def timings(self) -> Timings:
        """The time of each pass; of the outermost function, of everything."""
        if not self.position:
            rows = self.data.times
            return Timings(
                tuple(
                    Timing(t.function, t.depth, t.name, "", t.seconds, t.own_seconds, t.kind)
                    for t in rows
                )
            )
        return Timings(tuple(self._timing_rows(0)))

    def _timing_rows(self, depth: int) -> Iterator[Timing]:
        whole = sum(row.seconds for row in self.passes)
        yield Timing(self.signature, depth, "", "", whole, 0.0, "function")
        for row in self.passes:
            yield Timing(self.signature, depth, row.name, row.stage, row.seconds, row.own_seconds)
            for inner in row.nested:
                yield from inner._timing_rows(depth + 1)

    @property
    def values(self) -> RecordedValues:
        """The results of operations on the user's arguments."""
        return RecordedValues(self.function)

    @property
    def llvm(self) -> tuple[LlvmStep, ...]:
        """The passes of LLVM that changed something."""
        return self.function.llvm

    @property
    def decisions(self) -> Decisions:
        """The decisions of our own passes and their reasons."""
        decisions = tuple(d for entry in self.function.passes for d in entry.decisions)
        return Decisions(self.function, decisions)

    @property
    def remarks(self) -> Decisions:
        """The decisions of LLVM and their reasons."""
        return Decisions(self.function, self.function.remarks)

    def save(self, path: str | Path) -> None:
        """Write the record to a file for `cutaway.load`; raises RecordError if that fails."""
        encoding.write(self.data, path)

    def report(self, path: str | Path, times: bool = True) -> Path:
        """Write one self-contained HTML page; returns its path.

        Without `times`, the same program produces the same bytes.
        """
        result: Path = page.write(path, self.data, times=times)
        return result

    def __str__(self) -> str:
        failure = "" if self.error is None else failure_text(self.error)
        text = compilation_text(self.signature, self.levels, map(str, self.passes), failure)
        return "\n  ".join([text, *self.function.left_out])

    def __repr__(self) -> str:
        return f"<record of {self.signature}, {len(self.passes)} passes>"


@dataclass(frozen=True, eq=False)
class RecordedPass(Displayed):
    """One pass that ran: the program before and after it, and the facts that it reported."""

    record: Record
    entry: PassEntry

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.entry.name

    @property
    def stage(self) -> str:
        """The stage that the pass belongs to."""
        return self.entry.stage

    @property
    def summary(self) -> str:
        """The purpose of the pass, in one line."""
        return self.entry.summary

    @property
    def before(self) -> str:
        """The program before the pass."""
        return self.points[0].text

    @property
    def after(self) -> str:
        """The program after the pass; the same as before if the pass failed."""
        return self.points[1].text

    @property
    def points(self) -> tuple[Point, Point]:
        """The points before and after the pass."""
        function, entry = self.record.function, self.entry
        return (
            Point(function, entry.before, f"before {entry.name}"),
            Point(function, entry.after, f"after {entry.name}"),
        )

    @property
    def level(self) -> str:
        """The level that the pass left; empty if it failed."""
        return "" if self.failed else self.points[1].level

    @property
    def changed(self) -> bool:
        """True if the pass changed the level or the program."""
        return self.entry.changed

    @property
    def failed(self) -> bool:
        """True if the pass ended the compilation."""
        return self.entry.failed

    @property
    def seconds(self) -> float:
        """The wall time of the pass."""
        return self.entry.seconds

    @property
    def own_seconds(self) -> float:
        """The wall time without the compilation of other functions."""
        return self.entry.own_seconds

    @property
    def memory(self) -> int:
        """The increase in the number of Python objects during the pass."""
        return self.entry.objects

    @property
    def broken(self) -> tuple[str, ...]:
        """The invariants that the program after the pass violates."""
        return self.entry.broken

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The rewrites that the pass made."""
        return self.entry.rewrites

    @property
    def decisions(self) -> Decisions:
        """The decisions of the pass and their reasons."""
        return Decisions(self.record.function, self.entry.decisions)

    @property
    def nested(self) -> tuple[Record, ...]:
        """The functions that the pass compiled."""
        return tuple(self.record.functions[k] for k in self.entry.nested)

    def diff(self) -> Diff:
        """Return the changes made by the pass."""
        return Diff(*self.points)

    def __str__(self) -> str:
        return pass_text(self.name, self.stage, self.changed, self.seconds)

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class RecordedValues(Displayed):
    """The results of operations in a run on the user's arguments."""

    function: FunctionRecord

    def __iter__(self) -> Iterator[Seen]:
        return iter(self.function.values.seen)

    def __len__(self) -> int:
        return len(self.function.values.seen)

    def of(self, name: str) -> tuple[Seen, ...]:
        """Return the values of the operations that define a variable."""
        return tuple(seen for seen in self if seen.name == name)

    @property
    def outcome(self) -> str:
        """The outcome of the run."""
        return self.function.values.outcome

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the name, location, count and values of each operation."""
        for seen in self:
            yield seen.name, place_of(self.function, seen.span), str(seen.count), values_text(seen)

    def __str__(self) -> str:
        values = self.function.values
        lines = [f"{self.function.signature}: {values.outcome or values.note or 'not run'}"]
        for name, where, count, text in self.rows():
            lines.append(f"  {name:<12} {count:>6}x  {text}{f'  [{where}]' if where else ''}")
        return "\n".join(lines)

    __repr__ = __str__


def values_text(seen: Seen) -> str:
    """Format the values of an operation in a line."""
    text = ", ".join(seen.values)
    if seen.count > len(seen.values):
        text += f", ... {seen.last}"
    if seen.count > 1 and seen.low:
        text += f" (from {seen.low} to {seen.high})"
    return text + (f", {seen.nans} of them nan" if seen.nans else "")


@dataclass(frozen=True, eq=False)
class Decisions(Displayed):
    """The decisions and their reasons."""

    function: FunctionRecord
    found: tuple[Decision, ...]

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: int) -> Decision:
        return self.found[index]

    def __str__(self) -> str:
        lines = [f"{self.function.signature}: {len(self)} decisions"]
        for one in self:
            where = place_of(self.function, one.span)
            lines.append(
                f"  {one.by}: {one.subject}: {one.verdict}, {one.reason}"
                f"{f' [{where}]' if where else ''}"
            )
            if one.hint:
                lines.append(f"    hint: {one.hint}")
        return "\n".join(lines)

    __repr__ = __str__


def load(path: str | Path) -> Record:
    """Load the record in a `.cutaway` file; raises RecordError if it cannot be read."""
    return Record(encoding.read(path))
