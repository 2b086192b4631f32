"""The one interception point: the events of a running compilation.

Dumps, timing, verification, traces and the stepper are observers.  Passes do not know them; the
runner (`stages/runner.py`) calls them, and with none attached calls nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the unit and the pipeline know their observers: names for annotations
    from cutaway.stages.passes import Pass
    from cutaway.stages.pipeline import Pipeline
    from cutaway.stages.unit import CompileUnit


class Observer:
    """Observes everything and does nothing; an observer overrides the events that it needs.

    A call of another compiled function is compiled while a pass of its caller runs: its events come
    between the caller's, as in a tree.  Passes report facts only where an observer `listens`, and
    each single rewrite only where one `listens_to_rewrites`.  One that is `timing_llvm` also
    receives the time of LLVM's own passes.
    """

    listens = True
    listens_to_rewrites = False
    timing_llvm = False

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        """A unit is about to run through a pipeline."""

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        """A pass is about to run."""

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        """A pass has run; the time is wall time in seconds, nested compilations included."""

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        """The running pass reports a fact: a rewrite, a decision, a type variable that changed."""

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        """The last pass has run, or one has failed with `error`."""
