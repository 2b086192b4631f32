"""Run the program after a pass, on copies of the user's arguments, in a forked child.

Side effects of the program (globals, the state of random generators) stay in the child, so every
run starts from the same state.  Source, bytecode and control flow are run by Python itself, our own
IR by the interpreter, LLVM IR and machine code natively.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from types import FunctionType
from typing import Any

from cutaway.errors import CutawayError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.sandbox import OUT_OF_TIME, Answer, in_child
from cutaway.foundation.source import Loc
from cutaway.inspection.views import VIEWS, run_interpreted
from cutaway.inspection.witness.callees import Callees
from cutaway.inspection.witness.execution import plain_python, plain_unit
from cutaway.inspection.witness.machine_numbers import MachineNumbers
from cutaway.inspection.witness.outcomes import Outcome, perform, unlike
from cutaway.inspection.witness.reference_counts import References
from cutaway.inspection.witness.values import Called, PythonValues, Taken, Values
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Caught, Op, Phi, Reraise, RunObjects
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import control_flow, decode_bytecode

Native = Callable[[CompileUnit, Level], Callable[..., Any]]
Outcomes = tuple[Outcome, ...]  # of successive calls
SLOWER = 2000  # most times by which the observed interpreter is slower than Python


@dataclass(frozen=True, slots=True)
class Run:
    """The result of running a program.

    `outcomes` are those of its calls, in order; if empty, `failure` says why: the process died, or
    an error of our own. `skipped` says why it was not run. `wrong` names any other fault of the
    program. For typed IR, `entries` are the ledger entries that applied, `wrong_types` changes of
    numbers that none permits, and `untyped` the outcomes with Python's numbers, if those with
    machine numbers were unexpected. `taken` are the recorded values, and `calls` the recorded
    calls, on request. `inner_seconds` is the time of the calls alone, without that of the process.
    """

    outcomes: Outcomes = ()
    failure: str = ""
    skipped: str = ""
    wrong: str = ""
    entries: tuple[str, ...] = ()
    wrong_types: tuple[str, ...] = ()
    untyped: Outcomes = ()
    taken: tuple[Taken, ...] = ()
    calls: tuple[Called, ...] = ()
    seconds: float = 0.0
    inner_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run: the number of calls, their total time, and whether the values of
    operations are recorded."""

    repeat: int = 1
    seconds: float = 10.0
    values: bool = False


class Runner:
    """Runs programs on the same arguments; `count` counts the runs, without Python's of the user's
    function."""

    def __init__(self, args: tuple[Any, ...], native: Native | None, limits: Limits) -> None:
        self.args = args
        self.native = native
        self.limits = limits
        self.count = 0
        self.python_seconds = 0.0
        self._gave_up = ""

    def python(self, unit: CompileUnit) -> Run:
        """Run the user's function in Python."""
        function = plain_python(unit.pyfunc, {})
        run = self._in_child(lambda: self._by_python(function, unit))
        self.count -= 1
        self.python_seconds = run.inner_seconds
        return run

    def _by_python(self, function: FunctionType, unit: CompileUnit) -> Run:
        started = perf_counter()
        if not self.limits.values:
            outcomes = self._calls(function, unit)
            return Run(outcomes, inner_seconds=perf_counter() - started)
        values = PythonValues(function.__code__)
        outcomes = self._calls(lambda *args: values.call(function, *args), unit)
        taken, seconds = tuple(values.taken), perf_counter() - started
        return Run(outcomes, taken=taken, inner_seconds=seconds)

    def run(self, unit: CompileUnit, expected: Outcomes) -> Run:
        """Run a unit at its level; `expected` are Python's outcomes."""
        if unit.level.comes_before(Level.ir):
            return Run(expected, wrong=wrong_decoding(unit))
        if VIEWS[unit.level].run is not None:
            return self._run_own(unit, expected)
        if unit.target.machine.triple:
            return Run(skipped="a GPU runs it")
        if self.native is None:
            return Run(skipped="no code generator was supplied for it")
        native = self.native
        return self._in_child(lambda: Run(self._calls(native(unit, unit.level), unit)))

    def _run_own(self, unit: CompileUnit, expected: Outcomes) -> Run:
        """Run a unit of our own IR, unless an earlier one took too long."""
        if self._gave_up:
            return Run(skipped=self._gave_up)
        run = self._in_child(lambda: self._checked(unit, expected))
        if OUT_OF_TIME in run.failure and self._is_slow:
            self._gave_up = f"{run.failure}: the interpreter is slow"
            return Run(skipped=self._gave_up, seconds=run.seconds)
        return run

    @property
    def _is_slow(self) -> bool:
        """True if the interpreter may exceed the limit although Python is quick."""
        return self.python_seconds * SLOWER > self.limits.seconds

    def run_with_callees(self, unit: CompileUnit) -> Run:
        """Run typed IR with the typed IR of the compiled functions that it calls."""

        def work() -> Run:
            typed, untyped = Callees(True), Callees(False)
            outcomes = self._calls(lambda *args: typed.run(unit, args), unit)
            plain = self._calls(lambda *args: untyped.run(unit, args), unit)
            entries, wrong_types = typed.entries, typed.wrong
            return Run(outcomes, entries=entries, wrong_types=wrong_types, untyped=plain)

        return self._in_child(work)

    def run_between(self, unit: CompileUnit, expected: Outcomes) -> Run:
        """Run a unit of our own IR between two rewrites, where it may be invalid."""
        return self._in_child(lambda: self._interpreted(plain_unit(unit), expected))

    def _in_child(self, work: Callable[[], Run]) -> Run:
        self.count += 1
        started = perf_counter()
        run = _run_of(in_child(work, self.limits.seconds))
        return replace(run, seconds=perf_counter() - started)

    def _calls(
        self,
        function: Callable[..., Any],
        unit: CompileUnit,
        failed_at: Callable[[BaseException], Loc | None] | None = None,
    ) -> Outcomes:
        filename = unit.pyfunc.__code__.co_filename
        calls = range(self.limits.repeat)
        return tuple(perform(function, self.args, filename, failed_at) for _ in calls)

    def _checked(self, unit: CompileUnit, expected: Outcomes) -> Run:
        """Run a unit, and verify it."""
        violations = VIEWS[unit.level].verify
        broken = () if violations is None else violations(unit)
        run = self._interpreted(plain_unit(unit), expected)
        return replace(run, wrong=f"is invalid: {broken[0]}") if broken else run

    def _interpreted(self, unit: CompileUnit, expected: Outcomes) -> Run:
        watch = _Watch(self.limits.values)
        if Level.typed.leads_to(unit.level):
            return self._typed(unit, expected, watch)
        outcomes = self._calls(_caller(unit, **watch.hooks()), unit, watch.loc)
        return Run(outcomes, taken=watch.taken, calls=watch.calls)

    def _typed(self, unit: CompileUnit, expected: Outcomes, watch: _Watch) -> Run:
        numbers, counts = MachineNumbers(unit), list[References]()

        def function(*args: Any) -> Any:
            counting = [References(unit)] if "refcounts" in unit.done else []
            counts.extend(counting)
            watch.watchers = [numbers, *counting]
            return run_interpreted(unit, args, coerce=numbers.coerce, **watch.hooks())

        outcomes = self._calls(function, unit, watch.loc)
        wrong = next((count.wrong for count in counts if count.wrong), "")
        entries, wrong_types = tuple(numbers.entries), tuple(numbers.wrong[:5])
        run = Run(
            outcomes,
            wrong=wrong,
            entries=entries,
            wrong_types=wrong_types,
            taken=watch.taken,
            calls=watch.calls,
        )
        if unlike(expected, outcomes) is None:
            return run
        second = _Watch(False)
        plain = _caller(unit, types=None, coerce=None, **second.hooks())
        return replace(run, untyped=self._calls(plain, unit, second.loc))


def _caller(unit: CompileUnit, **watch: Any) -> Callable[..., Any]:
    return lambda *args: run_interpreted(unit, args, **watch)


class _Watch:
    """The position of the interpreter, with listeners for its events."""

    def __init__(self, values: bool) -> None:
        self.op: Op | None = None
        self.raised: dict[int, tuple[BaseException, Loc | None]] = {}  # locations of handled errors
        self.values = Values() if values else None
        self.watchers: list[MachineNumbers | References] = []

    def hooks(self) -> dict[str, Any]:
        return {"before": self._before, "observe": self._observe}

    def loc(self, error: BaseException) -> Loc | None:
        handled = self.raised.get(id(error), (None, None))[1]
        match self.op:
            case None:
                return None
            case Reraise(loc=loc):
                return handled or loc
            case RunObjects(block=block, loc=loc) if block.raised is not None:
                known, inside = block.raised
                return (inside or handled or loc) if known == id(error) else loc
        return self.op.loc

    @property
    def taken(self) -> tuple[Taken, ...]:
        return () if self.values is None else tuple(self.values.taken)

    @property
    def calls(self) -> tuple[Called, ...]:
        return () if self.values is None else tuple(self.values.calls)

    def _before(self, op: Op) -> None:
        if isinstance(op, Caught):
            error = sys.exc_info()[1]
            assert error is not None
            self.raised.setdefault(id(error), (error, self.loc(error)))
        if not isinstance(op, Phi):  # it does not raise, and precedes `Caught`
            self.op = op
        for watcher in self.watchers:
            watcher.before(op)
        if self.values is not None:
            self.values.before(op)

    def _observe(self, op: Op, name: str, value: Any) -> None:
        for watcher in self.watchers:
            watcher.observe(op, name, value)
        if self.values is not None:
            self.values.observe(op, name, value)


# The interpreter's message for code that it cannot run; see inspection/witness/stand_ins.py.
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
    """Return the difference of a unit's bytecode or control flow from decoding its code a
    second time; empty if there is none."""
    if unit.level is Level.source:
        return ""
    twin = unit.copy()
    try:
        decode_bytecode.run(twin)
        if unit.bytecode != twin.bytecode:
            pairs = zip(twin.bytecode.instructions, unit.bytecode.instructions, strict=False)
            other = next((f"{b} instead of {a}" for a, b in pairs if a != b), "its length")
            return f"decoding again produces other bytecode: {' '.join(other.split())}"
        if unit.level is Level.cfg:
            control_flow.run(twin)
            return _wrong_flow(unit, twin)
    except CutawayError:
        return ""
    return ""


def _wrong_flow(unit: CompileUnit, twin: CompileUnit) -> str:
    one, other = twin.control_flow, unit.control_flow
    if one.blocks.keys() != other.blocks.keys():
        return f"blocks are at {sorted(other.blocks)}, but should be at {sorted(one.blocks)}"
    for label in one.blocks:
        if one.blocks[label] != other.blocks[label]:
            return f"block {label} has other instructions than the bytecode"
        left, right = (list(flow.graph.successors(label)) for flow in (one, other))
        if left != right:
            return f"block {label} leads to {right}, but should lead to {left}"
    return ""
