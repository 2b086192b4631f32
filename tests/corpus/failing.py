"""Object mode where each of the C functions that it calls fails once: the call raises or returns,
and all references that were taken are dropped once."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from contextlib import redirect_stdout
from copy import deepcopy
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any

import cutaway
from corpus.control.cases import Case, Iterating, chain, driven, shown
from corpus.objects.failing_calls import Calls
from corpus.objects.held import Namespace, dropped_too_often, growth, reachable

MOST = 60  # failures of one call; of a longer one each place fails

# Any: arguments and results of the functions.


@cache
def _calls() -> Calls:
    folder = Path(tempfile.mkdtemp(prefix="failing-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Calls(folder)


class Failing:
    """A function of a corpus with its calls, any of which can be made to fail."""

    def __init__(self, calls: Calls, case: Case, looplift: bool = False) -> None:
        self.calls, self.case = calls, case
        self.namespace = Namespace(case.function.__globals__)
        self.compiled = cutaway.jit(forceobj=True, looplift=looplift)(case.function)
        self.rounds: list[tuple[tuple[Any, ...], list[int]]] = []
        self.may_be_confused = False
        with calls.linked():
            for args in case.calls:
                usual = self.outcome(args)
                self.rounds.append((args, calls.to_fail(MOST)))
                self.namespace.restore()
                self.may_be_confused |= "SystemError" in repr(usual)

    def outcome(self, args: tuple[Any, ...], failing: int = 0) -> Any:
        """What a call does, as something without objects."""
        given = deepcopy(args)
        held = reachable(given)
        try:
            with redirect_stdout(sys.stdout):  # a function that redirects it may not put it back
                found = self.calls.run(lambda: self._called(given), failing)
        except BaseException as error:
            found = chain(error)
        gone = dropped_too_often(held)
        assert not gone, f"{failing}: dropped too often: {gone}"
        return found

    def _called(self, given: tuple[Any, ...]) -> Any:
        found: Any = self.compiled(*given)
        return driven(found, self.case.steps) if isinstance(found, Iterating) else shown(found)

    def check(self, args: tuple[Any, ...], failing: int) -> None:
        """One call of which one fails: it comes back, and leaves its arguments in order."""
        found = self.outcome(args, failing)
        assert sys.exc_info()[1] is None, f"{failing}: an exception is still handled"
        confused = "SystemError" in repr(found) and not self.may_be_confused
        assert not confused, f"{failing}: {found}"
        self.namespace.restore()

    def watched(self) -> list[Any]:
        """Objects that live longer than calls."""
        (unit,) = self.compiled.half.units.values()
        inside = [one for args in self.case.calls for one in args]
        known = (*unit.callee.environment, *self.namespace.values.values(), *inside)
        return list({id(one): one for one in known}.values())


def sweep(failing: Failing) -> None:
    """Each call fails once."""
    for args, numbers in failing.rounds:
        for number in numbers:
            failing.check(args, number)


def check(case: Case, looplift: bool = False) -> None:
    """Whatever fails, the call comes back and the references are right.

    Raises AssertionError, with the number of the failing call, where they are not.
    """
    # A generator that is dropped may fail as well: pytest would keep it, to speak of that.
    before, sys.unraisablehook = sys.unraisablehook, lambda unraisable: None
    modules = set(sys.modules)
    try:
        failing = Failing(_calls(), case, looplift)
        sweep(failing)
        watched = failing.watched()
        said = growth(lambda: sweep(failing), watched)
        assert not said, f"{said}: {grown(failing, watched)}"
    finally:
        sys.unraisablehook = before
        forget_modules(sys.modules.keys() - modules)


def forget_modules(names: set[str]) -> None:
    """Drop modules that a program has made by hand, and could not take back as that failed."""
    for name in names:
        module = sys.modules[name]
        if module is None or vars(module).get("__spec__") is None:
            del sys.modules[name]


def grown(failing: Failing, watched: list[Any]) -> list[tuple[int, str]]:
    """Of which failures something grows."""
    found = []
    for args, numbers in failing.rounds:
        for number in numbers:
            said = growth(lambda: [failing.check(args, number) for _ in repeat(None, 10)], watched)
            if said:
                found.append((number, said))
    return found
