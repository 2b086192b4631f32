"""Run passes: the one place that times them, calls observers, and names them in errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from cutaway.errors import CutawayError, InternalError, PipelineError, UnsupportedError
from cutaway.foundation.source import is_our_file
from cutaway.ir.levels import Level
from cutaway.stages import passes
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit

if TYPE_CHECKING:
    from cutaway.stages.observers import Observer


class PassManager:
    """One run of a unit through a pipeline, a step at a time.

    `position` counts the passes that have run.  `PassManager.run` takes all steps.
    """

    def __init__(
        self, unit: CompileUnit, pipeline: Pipeline, observers: Sequence[Observer] = ()
    ) -> None:
        if not pipeline.start.leads_to(unit.level):
            raise PipelineError(
                f"{unit.name} is at level {unit.level.value}, the pipeline starts at"
                f" {pipeline.start.value}"
            )
        self.unit = unit
        self.pipeline = pipeline
        self.position = 0
        unit.pipeline = pipeline
        unit.observers = tuple(observers)
        for observer in unit.observers:
            observer.compilation_started(unit, pipeline)

    @classmethod
    def run(
        cls, unit: CompileUnit, pipeline: Pipeline, observers: Sequence[Observer] = ()
    ) -> CompileUnit:
        """Run all passes of the pipeline on the unit; return the unit.

        Errors of the user's program pass through as they are; anything else that a pass raises
        becomes an InternalError that names the pass and the function.
        """
        manager = cls(unit, pipeline, observers)
        while not manager.finished:
            manager.step()
        return unit

    @property
    def finished(self) -> bool:
        """True if no pass is left."""
        return self.position == len(self.pipeline.passes)

    @property
    def upcoming(self) -> passes.Pass | None:
        """The pass that the next step runs; None at the end."""
        return None if self.finished else self.pipeline.passes[self.position]

    def step(self, before: Callable[[], object] | None = None) -> passes.Pass:
        """Run the next pass and return it.  An exception of `before` ends the run as well."""
        step = self.pipeline.passes[self.position]
        try:
            if before is not None:
                before()
            if self.unit.observers:
                self._run_observed(step)
            else:
                self._run(step)
        except BaseException as error:
            self._finish(error)
            raise
        if self.finished:
            self._finish(None)
        return step

    def rewind(self, position: int) -> None:
        """Resume the run at an earlier pass; the caller restores the unit."""
        self.position = position

    def _run_observed(self, step: passes.Pass) -> None:
        for observer in self.unit.observers:
            observer.before_pass(self.unit, step)
        started = perf_counter()
        self._run(step)
        seconds = perf_counter() - started
        for observer in self.unit.observers:
            observer.after_pass(self.unit, step, seconds)

    def _run(self, step: passes.Pass) -> None:
        unit = self.unit
        try:
            step.run(unit)
        except InternalError as error:
            if error.message.startswith("pass "):  # of a function that this one calls
                raise
            raise _internal(unit, step, error.message, error) from error
        except CutawayError:
            raise
        except Exception as error:
            if _is_of_an_object(error):
                raise UnsupportedError(
                    f"{type(error).__name__} was raised by an object that {unit.name} uses, which"
                    " was looked at to compile it",
                    hint="such an object can be neither an argument nor a global of a function",
                ) from error
            what = f"{type(error).__name__}: {error}"
            raise _internal(unit, step, what, error) from error
        if Level.typed.leads_to(step.gives) and step.gives.is_ir and not step.is_own:
            unit.forget_resolutions()
        unit.level = step.gives
        unit.done |= {step.name}
        self.position += 1

    def _finish(self, error: BaseException | None) -> None:
        for observer in self.unit.observers:
            observer.compilation_finished(self.unit, error)


def _is_of_an_object(error: Exception) -> bool:
    """True if a special method of a user's object raised, such as its `__getattr__`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = None if trace is None else trace.tb_frame.f_code
    return code is not None and code.co_name[:2] == "__" and not is_our_file(code.co_filename)


def _internal(unit: CompileUnit, step: passes.Pass, what: str, error: Exception) -> InternalError:
    known = error if isinstance(error, InternalError) else InternalError("")
    return InternalError(
        f"pass {step.name} failed on {unit.name}: {what}",
        known.loc,
        known.hint or "this is a bug of Cutaway, not of your program: please report it",
        known.notes,
    )
