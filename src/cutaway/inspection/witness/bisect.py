"""Locate a miscompilation: the first pass, the first rewrite in it, and the first value that
differ.

    b = c.bisect(a, 3)
    print(b)                 the pass, the rule and its location, the value, smaller arguments
    b.reproducer("r.py")     a script that reproduces it

Python is the oracle.  Binary search over the passes, running the program after each, finds the
faulty pass; then its rewrites are searched; then the values of the runs before and after the
rewrite are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from cutaway.errors import CutawayError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.source import shown_file
from cutaway.inspection.recording.recording import PassRecord, Recording
from cutaway.inspection.witness.bisection import Bisection
from cutaway.inspection.witness.judge import Judge, Mark
from cutaway.inspection.witness.outcomes import unlike
from cutaway.inspection.witness.permitted import Step
from cutaway.inspection.witness.runs import Limits, Outcomes, Run
from cutaway.inspection.witness.shrinking import shrunk
from cutaway.inspection.witness.values import (
    Departure,
    departure,
    departure_from_python,
    last_store,
)
from cutaway.inspection.witness.witness import arguments_for
from cutaway.ir import nodes
from cutaway.ir.levels import Level
from cutaway.ir.rewriting import RewriteRecord, replay
from cutaway.ir.traversal import walk
from cutaway.stages.observers import Observer
from cutaway.stages.unit import CompileUnit

MOST_CALLS_TRIED = 3  # of each called compiled function
WHOLE_PASS = "the whole pass"
UNREPORTED = "a change that the pass does not report"


def bisect(
    compilation: Recording, args: tuple[Any, ...], seconds: float = 10.0, shrink: bool = True
) -> Bisection:
    """Locate the fault of a compilation on copies of arguments; with `shrink` look for smaller ones
    with the same fault.

    Raises PipelineError if the compilation is not for such arguments.
    """
    arguments, _ = arguments_for(compilation, args)
    return _Search(compilation, arguments, Limits(1, seconds, values=True), shrink).result()


class _Search:
    """One search for a fault."""

    def __init__(
        self, compilation: Recording, args: tuple[Any, ...], limits: Limits, shrink: bool
    ) -> None:
        self.compilation = compilation
        self.args = args
        self.limits = limits
        self.shrink = shrink
        self.judge = Judge(compilation, args, limits)

    def result(self) -> Bisection:
        """Find the pass, the rewrite, the value, and smaller arguments."""
        position = self._first_bad()
        if position is None:
            return Bisection(
                self.compilation,
                self.args,
                self.args,
                executions=self.judge.executions,
                sentence=self._why_nothing(),
            )
        record, verdict = self.judge.records[position], self.judge.verdict(position)
        bisection = Bisection(
            self.compilation,
            self.args,
            self.args,
            record.name,
            (record.unit_after or record.unit_before).level.value,
            verdict.words,
        )
        inner = self._in_a_callee(record)
        if inner is not None:
            return inner
        bisection = self._with_rewrite(bisection, position)
        bisection = replace(bisection, executions=self.judge.executions)
        if record.unit_after is None or not self.shrink:  # a pass fails for all arguments
            return bisection
        return replace(bisection, smaller=shrunk(self.args, self._fails_at(position)))

    def _why_nothing(self) -> str:
        end = len(self.judge.records) - 1
        position = self._runnable(end, -1)
        if position < 0 or position < end and not self._is_of_gpu:
            return f"no result: {self.judge.verdict(end).words}"
        last = self.judge.verdict(position)
        declared = last.mark is Mark.declared
        but = f" except for declared differences ({', '.join(last.entries)})" if declared else ""
        until = f" up to {self.judge.records[position].name}" if position < end else ""
        return f"does what Python does{but}{until}, for these arguments"

    @property
    def _is_of_gpu(self) -> bool:
        """True if the code is for a GPU and cannot run here."""
        return bool(self.compilation.unit.target.machine.triple)

    # --- the pass -------------------------------------------------------------------------------

    def _first_bad(self) -> int | None:
        """Bisect the first pass after which the program is wrong, assuming that later passes repair
        nothing.

        Later levels may seem right although an earlier one is wrong: by luck, since a missing
        reference shows only sometimes; or because they lack the faulty part, as SSA lacks `del`. So
        the last program of each of our own levels is checked before machine code.
        """
        good, bad = -1, self._runnable(len(self.judge.records) - 1, -1)
        for own in map(self._last_of, (Level.ir, Level.typed, Level.arrayexpr, Level.parfor)):
            if own >= bad:
                break
            if own >= 0 and self.judge.verdict(own).mark is Mark.different:
                bad = own
                break
            good = max(good, own)
        if bad < 0 or self.judge.verdict(bad).mark is not Mark.different:
            return None
        while bad - good > 1:
            middle = self._runnable((good + bad) // 2, good)
            if middle == good:
                middle = self._runnable_above((good + bad) // 2, bad)
            if middle == bad:
                return bad
            if self.judge.verdict(middle).mark is Mark.different:
                bad = middle
            else:
                good = middle
        return bad

    def _last_of(self, level: Level) -> int:
        """Return the last runnable pass at a level; -1 if there is none."""
        own = [k for k, record in enumerate(self.judge.records) if _level_of(record) is level]
        return self._runnable(own[-1], own[0] - 1) if own else -1

    def _runnable(self, position: int, lowest: int) -> int:
        while position > lowest and self.judge.verdict(position).mark is Mark.skipped:
            position -= 1
        return position

    def _runnable_above(self, position: int, highest: int) -> int:
        while position < highest and self.judge.verdict(position).mark is Mark.skipped:
            position += 1
        return position

    # --- a function that is called --------------------------------------------------------------

    def _in_a_callee(self, record: PassRecord) -> Bisection | None:
        """Find the fault in a called compiled function: its machine code belongs to its caller's,
        while the interpreter calls its Python function."""
        if record.step.gives is not Level.llvm or record.unit_after is None:
            return None
        unit, calls = record.unit_before, self._typed_run().calls
        for op in walk(unit.fn):
            if not isinstance(op, nodes.Global | nodes.FreeVar):
                continue
            if getattr(op.value, "py_func", unit.pyfunc) is unit.pyfunc:
                continue
            calls_made = [args for name, args in calls if name == op.result]
            for args in calls_made[:MOST_CALLS_TRIED]:
                result = self._of_callee(op.value, args)
                if result is not None:
                    return result
        return None

    def _of_callee(self, dispatcher: Any, args: tuple[Any, ...]) -> Bisection | None:
        with suppress(CutawayError, TypeError):
            bisection = _Search(dispatcher.trace(*args), args, self.limits, self.shrink).result()
            if not bisection.ok:
                count = self.judge.executions + bisection.executions
                return replace(bisection, called_by=self.compilation.name, executions=count)
        return None

    # --- the rewrite ----------------------------------------------------------------------------

    def _with_rewrite(self, bisection: Bisection, position: int) -> Bisection:
        record = self.judge.records[position]
        before, after = self._run_before(position), self.judge.verdict(position).run
        unit = record.unit_after
        if unit is None:
            return replace(bisection, rule=WHOLE_PASS)
        if not unit.level.is_ir or record.unit_before.level.comes_before(Level.ir):
            bisection = replace(bisection, rule=WHOLE_PASS, origin=_origin(record))
            return self._with_value(bisection, unit, before, after)
        rewrites = rewrites_of(self.compilation, record)
        states = _states(record, rewrites)
        runs: dict[int, Run] = {0: before, len(states): after}
        bad = self._first_bad_state(position, states, runs)
        bisection = replace(bisection, **_described(record, rewrites, bad, len(states)))
        earlier = max(k for k in runs if k < bad)
        return self._with_value(bisection, unit, runs[earlier], runs.get(bad, after))

    def _run_before(self, position: int) -> Run:
        """Return the run of the program before a pass."""
        if position == 0 or self.judge.records[position].unit_before.level.comes_before(Level.ir):
            return self.judge.python
        return self.judge.verdict(position - 1).run

    def _first_bad_state(
        self, position: int, states: list[CompileUnit | None], runs: dict[int, Run]
    ) -> int:
        """Return the number of the first rewrite after which the program is wrong."""
        good, bad = 0, len(states)
        while bad - good > 1:
            whole = [k for k in range(good + 1, bad) if states[k - 1] is not None]
            if not whole:
                break
            middle = whole[len(whole) // 2]
            unit = states[middle - 1]
            assert unit is not None
            runs[middle] = self.judge.runner.run_between(unit, self._expected(position))
            if self._is_right(position, unit, runs[middle]):
                good = middle
            else:
                bad = middle
        return bad

    def _expected(self, position: int) -> Outcomes:
        if position == 0:
            return self.judge.python.outcomes
        return self.judge.verdict(position - 1).run.outcomes or self.judge.python.outcomes

    def _is_right(self, position: int, unit: CompileUnit, run: Run) -> bool:
        expected = self._expected(position)
        if not run.outcomes or run.failure:
            return False
        if unlike(expected, run.outcomes) is None:
            return True
        return bool(self.judge.rights(position)(Step(unit, expected, run, run.entries)))

    # --- the value ------------------------------------------------------------------------------

    def _with_value(
        self, bisection: Bisection, unit: CompileUnit, before: Run, after: Run
    ) -> Bisection:
        if Level.llvm.leads_to(unit.level):
            return replace(
                bisection, value=last_store(bisection.difference, self._typed_run().taken)
            )
        compared: Callable[..., Departure | None] = departure
        if before is self.judge.python:
            compared = departure_from_python
        return replace(bisection, value=compared(before.taken, after.taken))

    def _typed_run(self) -> Run:
        """Return the last run by the interpreter."""
        own = max(map(self._last_of, (Level.typed, Level.arrayexpr, Level.parfor)))
        return Run() if own < 0 else self.judge.verdict(own).run

    # --- smaller arguments ----------------------------------------------------------------------

    def _fails_at(self, position: int) -> Callable[[tuple[Any, ...]], bool]:
        """Make a predicate that is true for arguments with the same fault."""

        def fails(args: tuple[Any, ...]) -> bool:
            with suppress(CutawayError):
                arguments_for(self.compilation, args)
                judge = Judge(self.compilation, args, replace(self.limits, values=False))
                if judge.verdict(position).mark is not Mark.different:
                    return False
                before = position - 1
                return before < 0 or judge.verdict(before).mark is not Mark.different
            return False

        return fails


# --- the rewrites of a pass ---------------------------------------------------------------------


class _Rewrites(Observer):
    """An observer that collects rewrites."""

    listens = listens_to_rewrites = True

    def __init__(self) -> None:
        self.records: list[RewriteRecord] = []

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        if isinstance(record, RewriteRecord):
            self.records.append(record)


def rewrites_of(compilation: Recording, record: PassRecord) -> list[RewriteRecord]:
    """Return the rewrites of a pass, which runs again if they were not recorded."""
    known = [one for one in record.rewrites if isinstance(one, RewriteRecord)]
    if known:
        return known
    unit, watch = record.unit_before.copy(), _Rewrites()
    unit.observers = (watch,)
    with suppress(CutawayError, AssertionError), compilation.entered(unit):
        record.step.run(unit)
    return watch.records


def _states(record: PassRecord, rewrites: list[RewriteRecord]) -> list[CompileUnit | None]:
    """The program after each rewrite, None if it cannot be run; last the program after the pass, if
    it differs from that after the last rewrite."""
    end = record.unit_after
    assert end is not None
    result: list[CompileUnit | None] = []
    types = dict(record.unit_before.types) if record.unit_before.has("types") else None
    functions = replay(record.unit_before.fn, rewrites)
    fn = record.unit_before.fn
    for rewrite, fn in zip(rewrites, functions, strict=True):
        unit = record.unit_before.copy()
        unit.fn = fn
        if rewrite.types or types is not None:
            types = {**(types or {}), **dict(rewrite.types)}
            unit.types, unit.level = types, end.level
            unit.forget_resolutions()
        result.append(unit if rewrite.whole else None)
    is_same = fn.blocks == end.fn.blocks and fn.params == end.fn.params
    if not rewrites or not is_same or (types is not None and types != end.types):
        result.append(end)
    return result


def _described(
    record: PassRecord, rewrites: list[RewriteRecord], bad: int, count: int
) -> dict[str, Any]:
    """Describe the rewrite with a number, counted from 1."""
    numbers = {"number": bad, "rewrites": count}
    if bad <= len(rewrites):
        one = rewrites[bad - 1]
        return {"rule": one.rule, "note": one.note, "origin": one.origin, **numbers}
    if not rewrites:
        return {"rule": WHOLE_PASS, "origin": _origin(record)}
    return {"rule": UNREPORTED, "origin": _origin(record), **numbers}


def _level_of(record: PassRecord) -> Level:
    return (record.unit_after or record.unit_before).level


def _origin(record: PassRecord) -> str:
    """Return the source location of a pass."""
    code = getattr(record.step.function, "__code__", None)
    return "" if code is None else f"{shown_file(code.co_filename)}:{code.co_firstlineno}"
