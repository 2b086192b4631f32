"""A recorded compilation, with all methods that inspect it.

    c = f.trace(1.0, 2.0)
    c.levels                  ('source', 'bytecode', 'cfg', 'ir', ...)
    c.at("ssa").text          the program at a level; also .graph() .run(*args) .verify()
    c.passes                  a record for each pass; c.timings as a table
    c.why("s", line=4)        why a variable has its type; also c.why_not(...) c.why_call(...)

No module that this one imports may import it: lower modules use `recording.Recording`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.lazy import cached_property
from cutaway.inspection.explaining.fusion import Fusion, answer, facts_of
from cutaway.inspection.explaining.fusion_edits import FusionTries
from cutaway.inspection.explaining.lifting import LiftedLoops, LoopRuns, at_line, decided, loops_of
from cutaway.inspection.explaining.typing_steps import TypingSteps, steps_in
from cutaway.inspection.explaining.why import CallExplanation, Explanation, TypingRun, run_of
from cutaway.inspection.explaining.why_not import WhyNot, why_not
from cutaway.inspection.gpu.figure_remarks import remarks_of as figure_remarks
from cutaway.inspection.gpu.figures import figures_of
from cutaway.inspection.hints.trying import Hints
from cutaway.inspection.linking.code_sizes import with_sizes
from cutaway.inspection.linking.cost import Costs, costs_of
from cutaway.inspection.linking.line_bytes import bytes_by_line
from cutaway.inspection.linking.lines import LinkedLine, linked_lines
from cutaway.inspection.llvm.history import LlvmHistory
from cutaway.inspection.llvm.remarks import Observed, Remarks, observed
from cutaway.inspection.observers.timings import Timings, timings_of
from cutaway.inspection.parallel import running
from cutaway.inspection.parallel.answers import (
    ParallelLoops,
    WhyNotParallel,
    WhyParallel,
    meant,
)
from cutaway.inspection.parallel.facts import facts_of as loop_facts
from cutaway.inspection.parallel.facts import try_fusion, try_loops
from cutaway.inspection.parallel.iterations import Iterations
from cutaway.inspection.parallel.pairs import LoopFusion, pair_of
from cutaway.inspection.record.biography import Biography
from cutaway.inspection.record.comparing import Diff
from cutaway.inspection.recording.recording import Recording, refuse_kernel
from cutaway.inspection.showing.displayed import render
from cutaway.inspection.witness import bisect, witness
from cutaway.ir.levels import Level
from cutaway.stages.arrays.decisions import FUSED
from cutaway.targets.ptx.assembling import KernelFigures
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.types import Type

if TYPE_CHECKING:  # loaded on first use
    from cutaway.inspection.witness.bisection import Bisection
    from cutaway.inspection.witness.witness import Witness


class Compilation(Recording):
    """A recorded compilation: its program at every level, and explanations of it."""

    def report(self, path: str | Path, times: bool = True) -> Path:
        """Write one self-contained HTML page that shows the compilation; return its path.

        Without `times`, the same program produces the same bytes.
        """
        return self.record.report(path, times)

    @property
    def lines(self) -> tuple[LinkedLine, ...]:
        """The lines of the text, each with its source location and the values it mentions."""
        return linked_lines(self)  # pyright: ignore[reportArgumentType]

    def graph(self, kind: str = "calls", layout: str = "auto") -> Any:
        """Draw the call graph of the compiled functions.

        Raises PipelineError for any other kind of graph: those belong to a level.
        """
        if kind != "calls":
            raise PipelineError(
                f"a compilation has no graph {kind!r}", hint=f'use c.at("ssa").graph({kind!r})'
            )
        return render.drawing(render.compiled_calls(self), layout)

    # --- types, explained -----------------------------------------------------------------------

    @cached_property
    def _run(self) -> TypingRun:
        return run_of(self, self.retrace)

    @property
    def typing(self) -> TypingSteps:
        """Type inference step by step, one propagation per step.

        Raises PipelineError if no types were inferred.
        """
        for record in self.records:
            if record.name == "infer_types":
                return steps_in(record)
        raise self.error or PipelineError("no types were inferred")

    def why(self, variable: str = "", line: int | None = None) -> Explanation:
        """Explain a variable's type in a line, or each version's; without a name, the return type.
        Raises PipelineError for an unknown variable.
        """
        return self._run.why(variable, line)

    def diff(self, before: object, after: object) -> Diff:
        """The differences between two points, each a level, a pass, `simplify#3`, `llvm#12`, ..."""
        return self.record.diff(before, after)

    def biography(self, name: str) -> Biography:
        """Return the history of a user's variable through all passes."""
        return self.record.biography(name)

    def save(self, path: str | Path) -> None:
        """Write the record to a file that `cutaway.load` reads."""
        self.record.save(path)

    def why_not(self, variable: str, wanted: Type | str, line: int | None = None) -> WhyNot:
        """Explain what rules out a type (`"int64"`, `types.float64[:]`), and find the smallest
        edits that produce it; each was tried."""
        ty = parse_type(wanted) if isinstance(wanted, str) else wanted
        return why_not(self._run, variable, ty, line)

    def why_call(self, line: int | None = None) -> CallExplanation:
        """Explain the calls in a line, or all calls: each candidate, and why it was rejected."""
        return self._run.sites(line)

    # --- loops lifted out of object mode ----------------------------------------------------------

    @property
    def lifted_loops(self) -> LiftedLoops:
        """The loops of a function in object mode, with the types of lifted ones and the reasons for
        others.

        Raises PipelineError for a function that is not compiled in object mode.
        """
        known = [one for one in self.records if one.name == "lift_loops"]
        if not known or known[0].unit_after is None:
            raise self.error or PipelineError(
                "no loop was lifted", hint="loops are lifted by @jit(forceobj=True)"
            )
        return loops_of(known[0].unit_after.loops, self.known_loops())

    def why_not_lifted(self, line: int | None = None) -> LiftedLoops | LoopRuns:
        """Explain why the loop in a line, or each loop, runs with types or not.

        A loop's types are known once it has run. Raises PipelineError without a loop.
        """
        return at_line(self.lifted_loops, line)

    # --- loops over arrays ----------------------------------------------------------------------

    @cached_property
    def fusion(self) -> Any:
        """The facts about loops over arrays; None if no pass fused any."""
        reached = any(one.name == FUSED and one.unit_after is not None for one in self.records)
        return facts_of(self, FusionTries(self)) if reached else None

    def why_fused(self, what: int | str | None = None) -> Fusion:
        """Explain the loops that compute the operations on whole arrays in a line, or of a
        variable: their other operations, and the arrays that they avoid."""
        return answer(self.fusion, what, True)

    def why_not_fused(
        self, what: int | str | None = None, other: int | None = None
    ) -> Fusion | LoopFusion:
        """Explain whether each operation on whole arrays in a line, or of a variable, is computed
        in the loop of another one, and if not, why, with edits that help; each was tried.

        For two lines, explain whether their parallel loops are fused. Raises PipelineError for
        lines without such operations or loops.
        """
        if other is None:
            return answer(self.fusion, what, False)
        pair = pair_of(self._loops, int(what or 0), other)
        if pair is not None:
            try_fusion(self, pair)
        return LoopFusion(self._loops, (), pair, (int(what or 0), other))

    # --- parallel loops -------------------------------------------------------------------------

    @cached_property
    def _loops(self) -> Any:
        if self.unit.target.machine.triple:
            raise PipelineError(
                f"the loops of {self.name} are not divided: each thread of the GPU runs them",
                hint="a kernel says by cuda.grid(1) which thread does what",
            )
        return loop_facts(self)

    def tried_loops(self, seconds: float) -> Any:
        """Return the facts about loops, with the outcomes of edits, each tried for at most so many
        seconds."""
        try_loops(self, self._loops, lambda line: True, seconds)
        for pair in self._loops["fusions"]:
            try_fusion(self, pair, seconds)
        return self._loops

    @property
    def parallel(self) -> ParallelLoops:
        """The verdict on each loop: parallel or not, by which pass, and why."""
        return ParallelLoops(self._loops)

    def why_parallel(self, line: int | None = None) -> WhyParallel:
        """Explain why the loop of a line is divided among threads, or all loops: its stores, its
        reductions, its schedule, its cost. Raises PipelineError if there is none."""
        return WhyParallel(self._loops, meant(self._loops, line))

    def why_not_parallel(self, line: int | None = None) -> WhyNotParallel:
        """Explain why the loop of a line is not divided among threads, or all loops, with edits
        that help: each was tried. Raises PipelineError if there is none."""
        numbers = meant(self._loops, line)
        lines = {self._loops["loops"][k]["line"] for k in numbers}
        try_loops(self, self._loops, lines.__contains__)
        return WhyNotParallel(self._loops, numbers)

    def iterations(self, *args: Any, seconds: float = 10.0) -> Iterations:
        """Run the machine code in a separate process, for at most `seconds`, and record the threads
        and times of its parallel loops' iterations.

        Without arguments, those of the trace are used. Raises PipelineError if it cannot be run
        with them.
        """
        _ = self._loops  # refuses code for a GPU
        return Iterations(running.run_watched(self, args, seconds))

    # --- LLVM ------------------------------------------------------------------------------------

    @cached_property
    def _observed(self) -> Observed:
        return observed(self.at(Level.llvm).unit)

    @property
    def llvm_history(self) -> LlvmHistory:
        """The result of each of LLVM's passes: the module is optimized again in another process.

        Raises PipelineError, or the error of the program, without LLVM IR.
        """
        return self._observed.history

    @cached_property
    def remarks(self) -> Remarks:
        """The remarks of our passes and LLVM's, done and missed, with reasons, by line.

        A hint is tried when it is read or shown, in a separate process, and shown if it helps.

        Raises PipelineError, or the error of the program, without LLVM IR.
        """
        is_lifting = any(one.name == "lift_loops" for one in self.records)
        loops = self.lifted_loops if is_lifting else LiftedLoops()
        decisions = [
            (r.name, decided(one, loops) if r.name == "lift_loops" else one)
            for r in self.records
            for one in r.decisions
        ]
        remarks = self._observed.remarks.with_decisions(decisions)
        if Level.asm.value in self.levels:
            remarks = with_sizes(remarks, self.at(Level.asm).unit)
        if Level.ptx.value in self.levels:
            return remarks.with_rows(figure_remarks(self.at(Level.ptx).unit))
        hints = self.hints = Hints(self, remarks)
        return remarks.with_hints(hints.text, hints.left, hints.words)

    @property
    def figures(self) -> tuple[KernelFigures, ...]:
        """The registers and memory of a kernel and of each function that it calls.

        Empty if `ptxas` is not installed. Raises PipelineError, or the error of the program,
        without PTX.
        """
        return figures_of(self.at(Level.ptx).unit)

    @cached_property
    def cost(self) -> Costs:
        """The cost of each source line: ops, instructions, vectors.

        Raises PipelineError, or the error of the program, without machine code.
        """
        own = [level for level in self.levels if Level.named(level).is_ir][-1:] or ["typed"]
        code = "ptx" if "ptx" in self.levels else "asm"
        ops, llvm, machine = (linked_lines(self.at(name)) for name in (*own, "llvm_opt", code))
        module = self.at(code).unit.module
        # PTX is text, without machine code bytes.
        sizes = {} if code == "ptx" else bytes_by_line(module.with_table().object_code())
        filename = self.unit.pyfunc.__code__.co_filename
        costs = costs_of(self.name, filename, ops, llvm, machine, sizes)
        return replace(costs, code="PTX") if code == "ptx" else costs

    # --- run at every level ---------------------------------------------------------------------

    def witness(self, *args: Any, repeat: int = 1, seconds: float = 10.0) -> Witness:
        """Run the program after each pass on copies of the arguments, `repeat` times each and for
        at most `seconds`, and compare it with Python.

        Without arguments, those of the trace are used.  Raises CudaError for a kernel.
        """
        refuse_kernel(self.unit)
        result: Witness = witness.witness(self, args, repeat, seconds)
        return result

    def bisect(self, *args: Any, seconds: float = 10.0, shrink: bool = True) -> Bisection:
        """Find the first pass, its first rewrite and the first value that differ from Python, and
        smaller arguments that show the difference.

        Raises CudaError for a kernel."""
        refuse_kernel(self.unit)
        result: Bisection = bisect.bisect(self, args, seconds, shrink)
        return result

    @property
    def timings(self) -> Timings:
        """The time of each pass and of the functions compiled during it, as a tree."""
        return timings_of(self)
