"""Observers requested by the environment: dumps after passes, diffs, verification, timing.

A table says which dump follows which pass. Output goes to the standard output or, with
`CUTAWAY_DUMP_DIR`, to one file for each function and dump; with `CUTAWAY_FILTER` only functions
whose name matches are observed.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

from cutaway import config
from cutaway.errors import VerifyError, did_you_mean
from cutaway.foundation.dataclass import dataclass, field
from cutaway.inspection.explaining.why import Retrace
from cutaway.inspection.llvm.text import definitions
from cutaway.inspection.observers.loop_reports import LoopReporter
from cutaway.inspection.observers.parallel_dumps import ParallelDumper, ParallelStatistics
from cutaway.inspection.observers.reports import Reporter
from cutaway.inspection.recording.facts import fact_text
from cutaway.inspection.recording.recorder import Recorder
from cutaway.inspection.recording.recording import Native, Recording
from cutaway.inspection.showing.annotation import annotation_text
from cutaway.inspection.views import VIEWS
from cutaway.inspection.witness.execution import ExecutionVerifier
from cutaway.ir.decisions import Decision
from cutaway.ir.levels import Level
from cutaway.ir.rewriting import RewriteRecord
from cutaway.stages.catalog import PASSES
from cutaway.stages.observers import Observer
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.events import TypeEvent
from cutaway.typing.inference.steps import steps_of


@dataclass(slots=True)
class Output:
    """The destination of dumps: standard output, or one file per function and kind of dump."""

    folder: str = ""
    begun: set[Path] = field(default_factory=set)

    def write(self, unit: CompileUnit, title: str, text: str, suffix: str) -> None:
        """Write one dump under a line with its title and its function."""
        body = f"{f' {title}: {unit.name} '.center(80, '-')}\n{text.rstrip()}\n"
        if not self.folder:
            print(body, end="", flush=True)
            return
        path = Path(self.folder) / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', unit.symbol)}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if path in self.begun else "w", encoding="utf-8") as file:
            file.write(body)
        self.begun.add(path)


@dataclass(frozen=True, slots=True)
class Dump:
    """One dump: its setting, the pass it follows, and the function that makes its text.

    `after` names the pass; if a pipeline omits it, the next name counts, and then the first pass
    that produces the level.
    """

    setting: str
    title: str
    level: Level
    after: tuple[str, ...]
    text: Callable[[CompileUnit], str]
    suffix: str


DUMPS = (
    Dump(
        "DUMP_BYTECODE",
        "BYTECODE",
        Level.bytecode,
        ("decode_bytecode",),
        VIEWS[Level.bytecode].text,
        "bytecode.txt",
    ),
    Dump("DUMP_CFG", "CFG", Level.cfg, ("control_flow",), VIEWS[Level.cfg].text, "cfg.txt"),
    Dump("DUMP_IR", "IR", Level.ir, ("insert_dels", "build_ir"), VIEWS[Level.ir].text, "ir.txt"),
    Dump("DUMP_SSA", "SSA", Level.ssa, ("ssa",), VIEWS[Level.ssa].text, "ssa.txt"),
    Dump(
        "DUMP_ANNOTATION",
        "ANNOTATION",
        Level.typed,
        ("infer_types", "pair_refcounts", "count_references"),
        annotation_text,
        "annotation.txt",
    ),
    Dump("DUMP_LLVM", "LLVM", Level.llvm, ("lower_llvm",), VIEWS[Level.llvm].text, "ll"),
    Dump(
        "DUMP_FUNC_OPT",
        "OPTIMIZED FUNCTION",
        Level.llvm_opt,
        ("optimize_llvm",),
        lambda unit: definitions(unit.llvm_opt),
        "function.ll",
    ),
    Dump(
        "DUMP_OPTIMIZED",
        "OPTIMIZED LLVM",
        Level.llvm_opt,
        ("optimize_llvm",),
        VIEWS[Level.llvm_opt].text,
        "optimized.ll",
    ),
    Dump("DUMP_ASSEMBLY", "ASSEMBLY", Level.asm, ("emit_object",), VIEWS[Level.asm].text, "s"),
    Dump("DUMP_PTX", "PTX", Level.ptx, ("emit_ptx",), VIEWS[Level.ptx].text, "ptx"),
)


class Dumper(Observer):
    """Writes the requested dumps of the table."""

    def __init__(self, output: Output, settings: Iterable[str]) -> None:
        self.output = output
        self.dumps = [row for row in DUMPS if row.setting in settings]
        self.due: dict[CompileUnit, dict[str, list[Dump]]] = {}

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        due = self.due[unit] = {}
        for row in self.dumps:
            gives = (step.name for step in pipeline if step.gives is row.level)
            named = (name for name in row.after if name in pipeline.names)
            name = next(named, None) or next(gives, None)
            if name is not None:
                due.setdefault(name, []).append(row)

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        for row in self.due[unit].get(step.name, ()):
            self.output.write(unit, row.title, row.text(unit), row.suffix)

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        del self.due[unit]


class RewriteDumper(Observer):
    """Writes the changes of each rule, the code before and after (part of DUMP_IR).

    Only rules that match patterns: changes from liveness, SSA and types show in the program after
    the pass.
    """

    listens_to_rewrites = True

    def __init__(self, output: Output) -> None:
        self.output = output
        self.running: list[str] = []

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        self.running.append(step.name)

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        self.running.pop()

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        if isinstance(record, TypeEvent | Decision):
            return
        if isinstance(record, RewriteRecord) and self.running[-1] in _SEEN_AFTERWARD:
            return
        self.output.write(unit, "REWRITING", fact_text(record), "rewrites.txt")

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        if error is not None and self.running:
            self.running.pop()


# The passes whose rewrites this dump omits.
_SEEN_AFTERWARD = frozenset(
    row.name for row in PASSES if row.name not in ("rewrite_untyped", "prune_branches")
)


class TypeEventDumper(Observer):
    """Writes the steps of inference: every change of a type variable, in order, with its cause
    (DEBUG_TYPEINFER)."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.events: dict[CompileUnit, list[TypeEvent]] = {}

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        if isinstance(record, TypeEvent):
            self.events.setdefault(unit, []).append(record)

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        self._flush(unit)

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        self._flush(unit)

    def _flush(self, unit: CompileUnit) -> None:
        lines = [str(step) for step in steps_of(self.events.pop(unit, []))]
        if not lines:
            return
        if unit.has("types"):
            lines += ["", *(f"{name} :: {ty}" for name, ty in sorted(unit.types.items()))]
            lines.append(f"returns {unit.return_type}")
        self.output.write(unit, "TYPE INFERENCE", "\n".join(lines), "types.txt")


class PassPrinter(Observer):
    """Writes the program before and after named passes, or all (PRINT_BEFORE, PRINT_AFTER)."""

    def __init__(self, output: Output, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        self.output = output
        self.before = before
        self.after = after

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        known = {"all", *pipeline.names, *(row.name for row in PASSES)}
        for name in (*self.before, *self.after):
            if name not in known:
                hint = did_you_mean(name, known, "`cutaway passes` lists them")
                warnings.warn(f"there is no pass {name!r} to print; {hint}", stacklevel=2)

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        if step.name in self.before or "all" in self.before:
            self._write(unit, f"BEFORE {step.name}", f"before-{step.name}.txt")

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        if step.name in self.after or "all" in self.after:
            self._write(unit, f"AFTER {step.name}", f"after-{step.name}.txt")

    def _write(self, unit: CompileUnit, title: str, suffix: str) -> None:
        self.output.write(unit, title, VIEWS[unit.level].text(unit), suffix)


class ChangePrinter(Observer):
    """Writes the changes of each pass: a diff, or the whole program at a new level."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.before: dict[CompileUnit, tuple[Level, str]] = {}

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        self.before[unit] = (unit.level, VIEWS[unit.level].text(unit))

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        level, before = self.before.pop(unit)
        after = VIEWS[unit.level].text(unit)
        if unit.level is not level:
            self.output.write(unit, f"{step.name} GIVES {unit.level}", after, "changes.txt")
        elif before != after:
            lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="")
            text = "\n".join(list(lines)[2:])
            self.output.write(unit, f"CHANGED BY {step.name}", text, "changes.txt")


class StructureVerifier(Observer):
    """Raises VerifyError when a pass leaves a program that breaks an invariant."""

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        view = VIEWS[unit.level]
        problems = view.verify(unit) if view.verify else ()
        if problems:
            raise VerifyError(
                f"pass {step.name} left {unit.name} invalid at level {unit.level}",
                notes=problems,
            )


class PassTimer(Recorder):
    """Writes a tree of the times of passes, LLVM's included (TIME_PASSES)."""

    listens = False
    timing_llvm = True

    def __init__(self, output: Output) -> None:
        super().__init__()
        self.output = output

    def close(self) -> None:
        """Write the tables of all recorded compilations."""
        for compilation in self.compilations:
            text = str(compilation.timings)
            self.output.write(compilation.unit, "TIME OF PASSES", text, "times.txt")


class Only(Observer):
    """Passes only the functions whose name matches a pattern on to other observers."""

    def __init__(self, pattern: str, observers: tuple[Observer, ...]) -> None:
        self.pattern = pattern
        self.observers = observers
        self.listens = any(one.listens for one in observers)
        self.listens_to_rewrites = any(one.listens_to_rewrites for one in observers)
        self.timing_llvm = any(one.timing_llvm for one in observers)

    def wants(self, unit: CompileUnit) -> bool:
        """True if the function's name, its qualified name or `module.name` matches."""
        function = unit.pyfunc
        names = (function.__name__, unit.name, function.__qualname__)
        full = (*names, f"{function.__module__}.{unit.name}")
        return any(fnmatchcase(name, self.pattern) for name in full)

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        for observer in self.observers if self.wants(unit) else ():
            observer.compilation_started(unit, pipeline)

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        for observer in self.observers if self.wants(unit) else ():
            observer.before_pass(unit, step)

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        for observer in self.observers if self.wants(unit) else ():
            observer.after_pass(unit, step, seconds)

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        is_rewrite = isinstance(record, RewriteRecord)
        for observer in self.observers if self.wants(unit) else ():
            if observer.listens_to_rewrites if is_rewrite else observer.listens:
                observer.rewrite(unit, record)

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        for observer in self.observers if self.wants(unit) else ():
            observer.compilation_finished(unit, error)


@dataclass(frozen=True, slots=True)
class RequestedObservers:
    """The observers that the settings request, and the function to call after a compilation."""

    observers: tuple[Observer, ...]
    close: Callable[[], None]


@contextmanager
def observed(
    native: Native | None = None,
    retrace: Retrace | None = None,
    again: Callable[[], Recording] | None = None,
) -> Iterator[tuple[Observer, ...]]:
    """The observers that the settings request, for all of one compilation; usually none.

    The arguments are for those that keep a record: see `Recording`; `again` repeats a compilation
    of which a part was done earlier.
    """
    requested = config.requested()
    if not requested:
        yield ()
        return
    watching = watch(requested, native, retrace, again)
    try:
        yield watching.observers
    finally:
        watching.close()


def watch(
    requested: frozenset[str],
    native: Native | None = None,
    retrace: Retrace | None = None,
    again: Callable[[], Recording] | None = None,
) -> RequestedObservers:
    """Return the observers for the requested settings, in the order in which they are called.

    The further arguments are those of `observed`.
    """
    output = Output(config.value("DUMP_DIR"))
    timer = PassTimer(output)
    reporter = Reporter(config.value("REPORT"), native, retrace, again)
    loops = LoopReporter(output.write, config.value("PARALLEL_DIAGNOSTICS"), again)
    rows: list[tuple[bool, Observer]] = [
        (any(row.setting in requested for row in DUMPS), Dumper(output, requested)),
        ("DUMP_IR" in requested, RewriteDumper(output)),
        ("DEBUG_TYPEINFER" in requested, TypeEventDumper(output)),
        ("DEBUG_ARRAY_OPT" in requested, ParallelDumper(output.write)),
        ("DEBUG_ARRAY_OPT_STATS" in requested, ParallelStatistics(output.write)),
        (
            bool(requested & {"PRINT_BEFORE", "PRINT_AFTER"}),
            PassPrinter(output, config.value("PRINT_BEFORE"), config.value("PRINT_AFTER")),
        ),
        ("PRINT_CHANGED" in requested, ChangePrinter(output)),
        ("VERIFY" in requested, StructureVerifier()),
        (config.value("VERIFY") == "execute", ExecutionVerifier()),
        ("TIME_PASSES" in requested, timer),
        ("REPORT" in requested, reporter),
        ("PARALLEL_DIAGNOSTICS" in requested, loops),
    ]
    observers = tuple(observer for wanted, observer in rows if wanted)
    pattern = config.value("FILTER")
    if pattern and observers:
        observers = (Only(pattern, observers),)

    def close() -> None:
        timer.close()
        reporter.close()
        loops.close()

    return RequestedObservers(observers, close)
