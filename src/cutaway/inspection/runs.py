"""Run the program as it stands behind a pass, on copies of the user's arguments, in a child.

What the program changes elsewhere (globals, the state of random generators) it changes in the
child: every run begins where the others began.  Source, bytecode and control flow are run by Python
itself, our own IR by the interpreter, LLVM IR and machine code natively.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from cutaway.dataclass import dataclass, replace
from cutaway.errors import CutawayError
from cutaway.inspection.execution import plain_python, plain_unit
from cutaway.inspection.machine_numbers import MachineNumbers
from cutaway.inspection.outcomes import Outcome, perform, unlike
from cutaway.inspection.reference_counts import References
from cutaway.inspection.sandbox import Answer, in_child
from cutaway.inspection.views import VIEWS, run_interpreted
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op
from cutaway.source import Loc
from cutaway.stages import control_flow, decode_bytecode
from cutaway.stages.unit import CompileUnit

Native = Callable[[CompileUnit, Level], Callable[..., Any]]  # Any: arguments of any type
Outcomes = tuple[Outcome, ...]  # of one call after the other


@dataclass(frozen=True, slots=True)
class Run:
    """What became of running a program.

    `outcomes` are those of its calls, in order; empty where there are none, for which `failure`
    says why: the process died, or it was our own error.  `skipped` says why it was not run.
    `wrong` is what else is wrong with the program.  Of typed IR, `entries` are those of the ledger
    that applied, `wrong_types` changes of numbers that none permits, and `untyped` what the program
    does with Python's numbers, where it did not do what was expected.
    """

    outcomes: Outcomes = ()
    failure: str = ""
    skipped: str = ""
    wrong: str = ""
    entries: tuple[str, ...] = ()
    wrong_types: tuple[str, ...] = ()
    untyped: Outcomes = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How often the program is called in one run, and how long that may take."""

    repeat: int = 1
    seconds: float = 10.0


class Runner:
    """Runs programs on the same arguments; `count` is how many times it did."""

    def __init__(
        self, args: tuple[Any, ...], native: Native | None, limits: Limits
    ) -> None:  # Any: of the user's function
        self.args = args
        self.native = native
        self.limits = limits
        self.count = 0

    def python(self, unit: CompileUnit) -> Run:
        """Run the user's function by Python."""
        function = plain_python(unit.pyfunc, {})
        return self._in_child(lambda: Run(self._calls(function, unit)))

    def run(self, unit: CompileUnit, expected: Outcomes) -> Run:
        """Run a unit at the level that it has; `expected` is what Python does."""
        if unit.level < Level.ir:
            return Run(expected, wrong=wrong_decoding(unit))
        if VIEWS[unit.level].run is not None:
            violations = VIEWS[unit.level].verify
            broken = () if violations is None else violations(unit)
            if broken:
                return Run(failure=f"is not well-formed: {broken[0]}")
            plain = plain_unit(unit)
            return self._in_child(lambda: self._interpreted(plain, expected))
        if self.native is None:
            return Run(skipped="nothing was supplied that makes machine code of it")
        native = self.native
        return self._in_child(lambda: Run(self._calls(native(unit, unit.level), unit)))

    def _in_child(self, work: Callable[[], Run]) -> Run:
        self.count += 1
        started = perf_counter()
        run = _run_of(in_child(work, self.limits.seconds))
        return replace(run, seconds=perf_counter() - started)

    def _calls(
        self,
        function: Callable[..., Any],  # Any: of the user's function
        unit: CompileUnit,
        failed_at: Callable[[], Loc | None] | None = None,
    ) -> Outcomes:
        filename = unit.pyfunc.__code__.co_filename
        calls = range(self.limits.repeat)
        return tuple(perform(function, self.args, filename, failed_at) for _ in calls)

    def _interpreted(self, unit: CompileUnit, expected: Outcomes) -> Run:
        if unit.level >= Level.typed:
            return self._typed(unit, expected)
        place = _Place()
        function = _caller(unit, before=place.before)
        return Run(self._calls(function, unit, place.loc))

    def _typed(self, unit: CompileUnit, expected: Outcomes) -> Run:
        numbers, place = MachineNumbers(unit), _Place()
        counts: list[References] = []

        def watched(op: Op) -> None:
            place.before(op)
            numbers.before(op)
            for count in counts[-1:]:
                count.before(op)

        def function(*args: Any) -> Any:  # Any: of the user's function
            if "refcounts" in unit.done:
                counts.append(References(unit))
            watch = {"coerce": numbers.coerce, "observe": numbers.observe, "before": watched}
            return run_interpreted(unit, args, **watch)

        outcomes = self._calls(function, unit, place.loc)
        wrong = next((count.wrong for count in counts if count.wrong), "")
        run = Run(outcomes, "", "", wrong, tuple(numbers.entries), tuple(numbers.wrong[:5]))
        if unlike(expected, outcomes) is None:
            return run
        plain = _caller(unit, before=place.before, types=None, coerce=None)
        return replace(run, untyped=self._calls(plain, unit, place.loc))


def _caller(unit: CompileUnit, **watch: Any) -> Callable[..., Any]:  # Any: see run_interpreted
    return lambda *args: run_interpreted(unit, args, **watch)


class _Place:
    """Where the interpreter is."""

    def __init__(self) -> None:
        self.op: Op | None = None

    def before(self, op: Op) -> None:
        self.op = op

    def loc(self) -> Loc | None:
        return None if self.op is None else self.op.loc


# What the interpreter says of code that it has no way to run; see inspection/stand_ins.py.
_NO_WAY = "cannot be interpreted"


def _run_of(answer: Answer[Run]) -> Run:
    match answer.kind:
        case "returned":
            assert answer.value is not None
            return answer.value
        case "not run":
            return Run(skipped=answer.words)
        case "raised" if _NO_WAY in answer.words or "pickle" in answer.words:
            return Run(skipped=answer.words.splitlines()[0])
    return Run(failure=answer.words.splitlines()[0])


def wrong_decoding(unit: CompileUnit) -> str:
    """How the bytecode, or the control flow, of a unit differs from what is decoded of its code a
    second time; empty where it does not."""
    if unit.level is Level.source:
        return ""
    twin = unit.copy()
    try:
        decode_bytecode.run(twin)
        if unit.bytecode != twin.bytecode:
            pairs = zip(twin.bytecode.instructions, unit.bytecode.instructions, strict=False)
            other = next((f"{b} in the place of {a}" for a, b in pairs if a != b), "its length")
            return f"decoded again, the bytecode is another: {' '.join(other.split())}"
        if unit.level is Level.cfg:
            control_flow.run(twin)
            return _wrong_flow(unit, twin)
    except CutawayError:
        return ""
    return ""


def _wrong_flow(unit: CompileUnit, twin: CompileUnit) -> str:
    one, other = twin.control_flow, unit.control_flow
    if one.blocks.keys() != other.blocks.keys():
        return f"there are blocks at {sorted(other.blocks)}, and should be at {sorted(one.blocks)}"
    for label in one.blocks:
        if one.blocks[label] != other.blocks[label]:
            return f"block {label} has other instructions than the bytecode"
        left, right = (list(flow.graph.successors(label)) for flow in (one, other))
        if left != right:
            return f"block {label} leads to {right}, and should lead to {left}"
    return ""
