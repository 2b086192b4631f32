"""Records compilations: the observer of every trace."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from cutaway.errors import CutawayError
from cutaway.inspection.explaining.why import Retrace
from cutaway.inspection.recording.memory import ByteMeter, Meter
from cutaway.inspection.recording.recording import Native, PassRecord
from cutaway.inspection.trace import Compilation
from cutaway.stages.observers import Observer
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit


class Recorder(Observer):
    """Records compilations, those inside compilations as a tree.

    `compilations` are the outermost ones. A unit that returns for further passes continues its
    record. `level` is "pass", or "rewrite" to record each rewrite too; with `memory` the bytes that
    each pass allocates are counted, which takes several times as long as the passes.
    """

    def __init__(
        self,
        native: Native | None = None,
        retrace: Retrace | None = None,
        level: str = "pass",
        memory: bool = False,
    ) -> None:
        self.listens_to_rewrites = level == "rewrite"
        self.meter = ByteMeter() if memory else Meter()
        self.native = native
        self.retrace = retrace
        self.compilations: list[Compilation] = []
        self._by_unit: dict[CompileUnit, Compilation] = {}
        self._running: list[PassRecord] = []
        self._started: dict[CompileUnit, float] = {}

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        if unit not in self._by_unit:
            self._by_unit[unit] = compilation = Compilation(unit, self.native, self.retrace)
            owner = self._running[-1].nested if self._running else self.compilations
            owner.append(compilation)
        self._started[unit] = perf_counter()

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        compilation = self._by_unit[unit]
        before = compilation.records[-1].unit_after if compilation.records else None
        if before is not None and before.has("llvm_opt") and step.name not in _KEEP_THE_MODULE:
            _ = before.llvm_opt  # the text is made now, since the pass may change the module
        self._running.append(PassRecord(step, before or compilation.unit))
        compilation.records.append(self._running[-1])
        self.meter.begin()

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        record = self._running.pop()
        record.memory = self.meter.end()
        record.unit_after = unit.copy()
        record.seconds = seconds
        record.own_seconds = seconds - sum(inner.seconds for inner in record.nested)

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        self._running[-1].rewrites.append(record)

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        compilation = self._by_unit[unit]
        compilation.seconds += perf_counter() - self._started.pop(unit, perf_counter())
        compilation.error = error
        if error is not None and self._running and self._running[-1].unit_after is None:
            self._running.pop().memory = self.meter.end()


# Passes after `optimize_llvm` that do not change LLVM's module.
_KEEP_THE_MODULE = frozenset(("emit_object", "link"))


def record(
    unit: CompileUnit,
    pipeline: Pipeline,
    compile_unit: Callable[[CompileUnit, Pipeline, tuple[Observer, ...]], CompileUnit],
    native: Native | None = None,
    retrace: Retrace | None = None,
    level: str = "pass",
    memory: bool = False,
) -> Compilation:
    """Compile a fresh unit and record it; `level` and `memory` are those of `Recorder`.

    A compilation that fails is recorded up to its error.
    """
    recorder = Recorder(native, retrace, level, memory)
    try:
        compile_unit(unit, pipeline, (recorder,))
    except CutawayError:
        if not recorder.compilations:
            raise
    return recorder.compilations[0]
