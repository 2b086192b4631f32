"""The recording of a running compilation: every pass with the state before and after it.

All inspection modules import this; `trace.Compilation` adds the methods for users, and imports all
of those modules. Ops are immutable, so a copy of a unit per pass is just a few lists; texts are
created on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from cutaway.errors import CudaError, PipelineError
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.lazy import cached_property
from cutaway.gpu.words import RUNNING
from cutaway.inspection.editing import editing
from cutaway.inspection.explaining import resolved
from cutaway.inspection.record.making import failure_of, record_of
from cutaway.inspection.record.recorded import Record
from cutaway.inspection.record.summaries import compilation_text, failure_text, pass_text
from cutaway.inspection.recording.memory import PassMemory
from cutaway.inspection.showing.displayed import Displayed, render
from cutaway.inspection.views import VIEWS, View
from cutaway.ir.decisions import Decision
from cutaway.ir.levels import Level
from cutaway.ir.lifted import TriedLoop
from cutaway.stages.passes import Pass
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import Module, PassTime

if TYPE_CHECKING:  # these modules import this one
    from cutaway.inspection.editing.edited import EditedFunction
    from cutaway.inspection.editing.editing import EditedView
    from cutaway.inspection.explaining.resolved import ResolvedOps
    from cutaway.inspection.explaining.why import Retrace

# Resumes compilation of an edited program, with arguments to check it with (None: those of the
# trace), and whether it may differ from the original. The top of the system supplies it. (Any:
# arguments of the user's function.)
Resume = Callable[["EditedView", tuple[Any, ...] | None, bool], "EditedFunction"]

# Makes a Python function from the code of a unit at a level, machine-independent or machine code:
# `run` calls it from `llvm` on. The top of the system supplies it.
Native = Callable[[CompileUnit, Level], Callable[..., Any]]


# The context in which passes run on a unit: the compiler's session.
Entered = Callable[[CompileUnit], AbstractContextManager[Any]]


@dataclass(frozen=True, eq=False)
class LevelView(Displayed):
    """The program at one level.

    `compilation` is the record that it comes from, `position` the number of passes before it.
    """

    view: View
    unit: CompileUnit
    native: Native | None = None
    compilation: Recording | None = None
    position: int = 0

    @property
    def level(self) -> str:
        """The name of the level."""
        return self.view.level.value

    @property
    def text(self) -> str:
        """The program at this level as text."""
        return self.view.text(self.unit)

    def graph(self, kind: str = "cfg", layout: str = "auto") -> Any:
        """Draw the program at this level, as a `graphviz.Source`: `"cfg"`, `"dominators"`,
        `"dataflow"` (values), `"network"` (type constraints), `"frame"` (of a generator) or
        `"calls"`. `layout` is `"own"`, `"dot"`, or `"auto"`: Graphviz if it is installed and the
        result is readable.

        Raises PipelineError if the level has no graph of that kind.
        """
        return render.drawing(render.graph_of(self.unit, kind), layout)

    def network(self) -> Any:
        """The constraint network of the program's variables as a graph, with the types known at
        this level.

        Raises PipelineError if the level has no variables.
        """
        if not self.view.level.is_ir:
            raise PipelineError(f"level {self.level} has no type variables", hint="use typed")
        return self.graph("network")

    @property
    def resolutions(self) -> ResolvedOps:
        """The overload of each operation and the target of each call.

        Raises PipelineError at a level without types.
        """
        if not (Level.typed.leads_to(self.view.level) and self.view.level.is_ir):
            raise PipelineError(f"no operation is resolved at level {self.level}", hint="use typed")
        result: ResolvedOps = resolved.resolved_ops(self.unit)
        return result

    def verify(self) -> tuple[str, ...]:
        """Return the violations of the program at this level; empty if it is valid."""
        return () if self.view.verify is None else self.view.verify(self.unit)

    def run(self, *args: Any) -> Any:
        """Run the program at this level, in this process.

        Up to `cfg` Python runs it, for our own IR the interpreter, from `llvm` on native code.
        Raises PipelineError if no code generator was supplied, CudaError for a kernel, and for code
        of a GPU.
        """
        refuse_kernel(self.unit)
        if self.view.run is not None:
            return self.view.run(self.unit, args)
        if self.native is None:
            raise PipelineError(f"level {self.level} cannot be run")
        return self.native(self.unit, self.view.level)(*args)

    def edit(self, change: str | Callable[[str], str]) -> EditedView:
        """This level with another text, or with a text computed from its own by a function;
        `.resume()` of the result compiles it.

        Raises EditError for a text that is not valid at this level.
        """
        result: EditedView = editing.edited(self, change)
        return result

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.unit.name} at level {self.level}>"


@dataclass(eq=False)
class PassRecord(Displayed):
    """One pass that ran: the unit before and after it, and the facts that it reported.

    `seconds` is its wall time, `own_seconds` excludes the compilation of other functions
    during the pass, which are in `nested`.  `rewrites` are the reported facts: changes of types,
    decisions, and in a trace of level "rewrite" each rewrite.
    """

    step: Pass
    unit_before: CompileUnit
    unit_after: CompileUnit | None = None
    seconds: float = 0.0
    own_seconds: float = 0.0
    rewrites: list[object] = field(default_factory=list)
    nested: list[Recording] = field(default_factory=list)
    memory: PassMemory | None = None

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions of the pass, done or missed, and their reasons."""
        return tuple(fact for fact in self.rewrites if isinstance(fact, Decision))

    @cached_property
    def llvm_passes(self) -> tuple[PassTime, ...]:
        """The time of LLVM's own passes within this one, the slowest first.

        Measuring costs a fifth of the measured time.  If the observer did not request it in
        advance, the passes run again on the same program when this is first read.
        """
        unit = self.unit_after
        if unit is None or self.name != "optimize_llvm":
            return ()
        return unit.llvm_times or tuple(
            Module(unit.llvm, unit.plan.cpu).optimize(unit.plan, timing=True)
        )

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.step.name

    @property
    def stage(self) -> str:
        """The stage that the pass belongs to."""
        return self.step.stage

    @property
    def before(self) -> str:
        """The program before the pass."""
        return view_of(self.unit_before).text(self.unit_before)

    @property
    def after(self) -> str:
        """The program after the pass; the same as before if the pass failed."""
        unit = self.unit_after or self.unit_before
        return view_of(unit).text(unit)

    @property
    def changed(self) -> bool:
        """True if the pass changed the level or the program."""
        if self.unit_after is None:
            return False
        if self.unit_before.level is not self.unit_after.level:
            return True
        view = view_of(self.unit_after)
        return view.state(self.unit_before) != view.state(self.unit_after)

    def __str__(self) -> str:
        return pass_text(self.name, self.stage, self.changed, self.seconds)

    __repr__ = __str__


class Recording(Displayed):
    """The record of one compilation; `error` is the error that ended it early, or None."""

    def __init__(
        self, unit: CompileUnit, native: Native | None = None, retrace: Retrace | None = None
    ) -> None:
        self.unit = unit.copy()
        self.native = native
        self.retrace = retrace
        self.entered: Entered = nullcontext
        self.name = unit.name
        self.error: BaseException | None = None
        self.seconds = 0.0
        self.records: list[PassRecord] = []
        # Copies of the traced call's arguments, by position, without omitted ones. (Any: of the
        # user's function.)
        self.arguments: tuple[Any, ...] | None = None
        self.not_kept = ""  # why the arguments are missing, if their copies would be too large
        self.resume: Resume | None = None
        # The function's own loops in object mode, which may have run.
        self.known_loops: Callable[[], tuple[TriedLoop, ...]] = tuple
        self.edits: tuple[str, ...] = ()  # the edits, and how each was checked

    @cached_property
    def record(self) -> Record:
        """The compilation as plain data, from which every view is drawn; `save` writes it."""
        return Record(record_of(self))

    @property
    def passes(self) -> tuple[PassRecord, ...]:
        """The passes that ran, in order; the last one may have failed."""
        return tuple(self.records)

    @property
    def signature(self) -> str:
        """The function with the types of its arguments: `add(int64, int64)`."""
        return f"{self.name}({', '.join(map(str, self.unit.argtypes or ()))})"

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that were reached, in order."""
        return tuple(level.value for level in self._states())

    def at(self, level: str | Level) -> LevelView:
        """Return the program at a level, after the last pass that produced it; or after a pass, by
        name.

        Raises the error that ended the compilation if it ended earlier, and PipelineError for any
        other word.
        """
        word = level.value if isinstance(level, Level) else level
        units = {r.name: r.unit_after for r in self.records if r.unit_after is not None}
        units.update({reached.value: unit for reached, unit in self._states().items()})
        if word not in units:
            raise self._not_reached(word)
        unit = units[word]
        passed = (k for k, r in enumerate(self.records, 1) if r.unit_after is unit)
        return LevelView(view_of(unit), unit, self.native, self, next(passed, 0))

    def _states(self) -> dict[Level, CompileUnit]:
        states = {self.unit.level: self.unit}
        for record in self.records:
            if record.unit_after is not None:
                states[record.unit_after.level] = record.unit_after
        return states

    def _not_reached(self, word: str) -> BaseException:
        if self.error is not None and word in Level.known:
            return self.error
        reached = ", ".join(self.levels)
        return PipelineError(
            f"there is no level or pass {word!r} in this compilation",
            hint=f"levels: {reached}",
        )

    def __str__(self) -> str:
        failure = "" if self.error is None else failure_text(failure_of(self.error))
        lines = [*map(str, self.records), *map(str, self.edits)]
        if self.not_kept:
            lines.append(self.not_kept)
        return compilation_text(self.signature, self.levels, lines, failure)

    def __repr__(self) -> str:
        return f"<compilation of {self.signature}, {len(self.records)} passes>"


def refuse_kernel(unit: CompileUnit) -> None:
    """Raise CudaError for a kernel, which needs threads, unless `cuda.one_thread` chooses one."""
    if unit.target.launched and not RUNNING:
        raise CudaError(
            f"{unit.name} is a kernel, which needs many threads to run",
            hint=f"cuda.simulate({unit.name})[blocks, threads](...) runs it thread by thread,"
            " and in `with cuda.one_thread():` one of them runs",
        )


def view_of(unit: CompileUnit) -> View:
    """Return the view of a unit's current level."""
    return VIEWS[unit.level]
