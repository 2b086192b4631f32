"""Run a function in the interpreter and report the conflicts in its parallel loops.

The run is in a forked child, on copies of the arguments: its side effects are lost. Iterations run
in another order than the program's.
"""

from __future__ import annotations

import os
from time import monotonic
from typing import Any

from cutaway.errors import CutawayError, InternalError, InterpreterError
from cutaway.foundation.sandbox import in_child
from cutaway.inspection.races.accesses import Watch
from cutaway.inspection.races.calls import RaceRunner, Racing, compiled
from cutaway.inspection.races.report import Conflict, RaceReport
from cutaway.inspection.witness.copies import fresh
from cutaway.stages.unit import CompileUnit

_FOLDER = os.path.join(os.path.dirname(__file__), "")
_TICKS = 256  # ops between checks of the clock
_MORE = 60.0  # extra seconds for a child's compilations


class _Clock:
    """A clock that ends a check after a time."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.end, self.ticks = seconds, monotonic() + seconds, 0

    def tick(self) -> None:
        self.ticks += 1
        if self.ticks % _TICKS == 0 and monotonic() > self.end:
            raise InterpreterError(f"what comes after the first {self.seconds:g} seconds")


def check(dispatcher: Any, args: tuple[Any, ...], racing: Racing, seconds: float) -> RaceReport:
    """Check a call of a compiled function with arguments; `racing` returns a function with its
    races allowed.

    Raises CompileError if the function does not compile for them.
    """
    # Here and not in the child: its error is the user's, in full.
    unit = compiled(dispatcher, args, racing)
    answer = in_child(lambda: _checked(unit, args, racing, seconds), seconds + _MORE)
    if answer.value is not None:
        return answer.value
    if answer.kind == "raised":
        raise InternalError(f"the race check {answer.words}")
    return RaceReport((), (), (f"the run {answer.words}",), 0)


def _checked(
    unit: CompileUnit, args: tuple[Any, ...], racing: Racing, seconds: float
) -> RaceReport:
    watch = Watch(_Clock(seconds).tick)
    runner = RaceRunner(watch, racing)
    unchecked = []
    try:
        runner.run(runner.with_callees(unit), fresh(args))
    except CutawayError as error:
        unchecked.append(error.message)
    except Exception as error:
        if _is_own(error):
            raise  # not an error of the user's program
        text = f"{type(error).__name__}: {error}"
        unchecked.append(f"what comes after an exception that the program raises ({text})")
    found = [one for run, names in watch.done for one in run.conflicts(names)]
    told = _merged(one for one in found if one.kind != "same value")
    same = _merged(one for one in found if one.kind == "same value")
    return RaceReport(told, same, (*unchecked, *watch.unchecked), len(watch.done))


def _is_own(error: BaseException) -> bool:
    """True if an exception comes from the check and not from the program."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and last.tb_frame.f_code.co_filename.startswith(_FOLDER)


def _merged(found: Any) -> tuple[Conflict, ...]:
    """Merge the conflicts of all runs by loop, kind, array and pair of lines."""
    kept: dict[tuple[object, ...], Conflict] = {}
    for one in found:
        lines = sorted((loc.filename, loc.line) for loc in one.locs)
        kept.setdefault((one.loop, one.kind, one.name, *lines), one)
    return tuple(kept.values())
