"""Dumps about parallel loops: the program after each of their passes, and the decisions."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.inspection.showing.parfor_text import parfor_text
from cutaway.ir.decisions import DONE, Decision
from cutaway.stages.observers import Observer
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit

STAGE = "5b"

Write = Callable[[CompileUnit, str, str, str], None]  # unit, title, text, suffix of the file


class ParallelDumper(Observer):
    """Writes the program after each pass of stage 5b (DEBUG_ARRAY_OPT)."""

    def __init__(self, write: Write) -> None:
        self.write = write

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        if step.stage.startswith(STAGE) and unit.flags.parallel:
            self.write(unit, f"PARALLEL, AFTER {step.name}", parfor_text(unit), "parallel.txt")


class ParallelStatistics(Observer):
    """Writes the decisions of stage 5b, and the count of each kind (DEBUG_ARRAY_OPT_STATS)."""

    def __init__(self, write: Write) -> None:
        self.write = write
        self.seen: dict[CompileUnit, list[Decision]] = {}
        self.running: dict[CompileUnit, str] = {}

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        self.seen[unit] = []

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        self.running[unit] = step.stage

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        is_ours = self.running.get(unit, "").startswith(STAGE)
        if is_ours and isinstance(record, Decision):
            self.seen.setdefault(unit, []).append(record)

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        self.running.pop(unit, None)
        found = self.seen.pop(unit, [])
        if found:
            self.write(unit, "PARALLEL LOOPS", _text(found), "parallel-stats.txt")


def _text(found: list[Decision]) -> str:
    lines = []
    for one in found:
        verdict = "" if one.verdict == DONE else "not "
        lines.append(f"line {one.loc.line}: {verdict}{_WORDS.get(one.rule, one.rule)}:")
        lines.append(f"    {one.subject}: {one.reason}")
    counts: dict[tuple[str, bool], int] = {}
    for one in found:
        key = (one.rule, one.verdict == DONE)
        counts[key] = counts.get(key, 0) + 1
    for (rule, done), count in counts.items():
        lines.append(f"{count} {'' if done else 'not '}{_WORDS.get(rule, rule)}")
    return "\n".join(lines)


_WORDS = {
    "parfor": "made a parallel loop",
    "prange_to_parfor": "made a parallel loop",
    "numpy_to_parfor": "made a parallel loop",
    "setitem_to_parfor": "made a parallel loop",
    "array_analysis": "known to have the same sizes",
    "fuse_parfors": "fused",
}
