"""Run a compilation by hand: one pass forward, one pass back, or on to a level.

    s = cutaway.step(f, 1.0, 2.0)
    s.run_until("ssa")
    s.next()          # the record of the pass that just ran
    s.back()
    s.current.text
    s.into().run_until("x")   # inside infer_types: one propagation at a time

Undone steps leave no trace.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from cutaway.errors import PipelineError
from cutaway.inspection.explaining.typing_steps import TypingWalk, steps_in
from cutaway.inspection.recording.recorder import Recorder
from cutaway.inspection.recording.recording import LevelView, Native, PassRecord, view_of
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir.levels import Level
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.runner import PassManager
from cutaway.stages.unit import CompileUnit

# The context in which a pass runs on a unit: the compiler's lock, for instance.
Entered = Callable[[CompileUnit], AbstractContextManager[Any]]


class Stepper(Displayed):
    """A run through a pipeline that pauses before each pass."""

    def __init__(
        self,
        unit: CompileUnit,
        pipeline: Pipeline,
        native: Native | None = None,
        entered: Entered = nullcontext,
    ) -> None:
        self._unit = unit
        self._native = native
        self._entered = entered
        self._recorder = Recorder(native)
        self._manager = PassManager(unit, pipeline, (self._recorder,))
        self._compilation = self._recorder.compilations[0]

    @property
    def passes(self) -> tuple[PassRecord, ...]:
        """The passes that have run and were not undone."""
        return self._compilation.passes

    @property
    def upcoming(self) -> str | None:
        """The name of the pass that `next` runs; None at the end."""
        step = self._manager.upcoming
        return None if step is None else step.name

    @property
    def finished(self) -> bool:
        """True if all passes have run."""
        return self._manager.finished

    @property
    def current(self) -> LevelView:
        """The current program."""
        records = self._compilation.passes
        unit = (records[-1].unit_after if records else None) or self._compilation.unit
        return LevelView(view_of(unit), unit, self._native)

    def next(self) -> PassRecord:
        """Run the next pass and return its record.

        If the pass raises, the program stays unchanged. Raises PipelineError if no pass is left.
        """
        if self.finished:
            raise PipelineError("all passes have run", hint="back() undoes the last one")
        try:
            with self._entered(self._unit):
                self._manager.step()
        except BaseException:
            self._take_back()
            raise
        return self._compilation.passes[-1]

    def into(self) -> TypingWalk:
        """Run up to and including `infer_types`, and return a walk through its steps, one
        propagation each.

        If the pass fails, its error is raised, as by `next`. Raises PipelineError if the pipeline
        does not infer types.
        """
        self.run_until("infer_types")
        return steps_in(self._compilation.passes[-1]).walk()

    def back(self) -> LevelView:
        """Undo the last pass and return the current program.

        Raises PipelineError at the beginning.
        """
        if not self._compilation.passes:
            raise PipelineError("no pass has run yet", hint="next() runs the first one")
        self._manager.rewind(self._manager.position - 1)
        self._take_back()
        return self.current

    def run_until(self, goal: str | Level) -> LevelView:
        """Run to the end of a pass, by name, or of a level; returns the program there.

        A word that names both, like `ssa`, means the pass. If that point has passed, steps are
        undone.
        """
        end = self._manager.pipeline.end_of(goal)
        while self._manager.position > end:
            self.back()
        while self._manager.position < end:
            self.next()
        return self.current

    def _take_back(self) -> None:
        record = self._compilation.records.pop()
        self._unit.restore(record.unit_before)
        self._unit.observers = (self._recorder,)
        self._unit.pipeline = self._manager.pipeline

    def __str__(self) -> str:
        done = {record.name for record in self.passes}
        marks = []
        for name in self._manager.pipeline.names:
            mark = "x" if name in done else ">" if name == self.upcoming else " "
            marks.append(f"  [{mark}] {name}")
        return "\n".join([f"{self._compilation.signature}:", *marks])

    def __repr__(self) -> str:
        at = "finished" if self.finished else f"before {self.upcoming}"
        return f"<stepper of {self._compilation.signature}, {at}>"
