"""Race checks of a compiled function, on demand and before its first calls."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

from cutaway.dispatch.binding import argument_types, bind, specialized_types
from cutaway.dispatch.dispatcher import make_dispatcher
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.errors import OptionError, RaceError, RaceWarning
from cutaway.foundation.dataclass import replace
from cutaway.foundation.options import RACY
from cutaway.foundation.source import place_of
from cutaway.inspection.races.checking import check
from cutaway.inspection.races.report import RaceReport

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half

_LOOPS = "prange"  # of the parts of the option
_SECONDS = 60.0  # the time limit of a check before a call


def check_races(half: Half, args: tuple[Any, ...], seconds: float) -> RaceReport:
    """Return the report on a call with these arguments."""
    return check(_with_loops(half), args, _racing, seconds)


def require_apart(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise RaceError if iterations of a call conflict; each signature is checked once."""
    bound = bind(half, args, kwargs)
    if specialized_types(half, argument_types(half, bound), bound) in half.by_types:
        return
    given = inspect.signature(half.py_func).bind(*args, **kwargs)
    if given.kwargs:
        raise OptionError(
            'parallel="check" cannot check a call with keyword-only arguments',
            place_of(half.py_func),
            "call cutaway.check_races with a function that calls it",
        )
    report = check(_racing(half.dispatcher), given.args, _racing, _SECONDS)
    if report:
        message = f"iterations of a parallel loop of {half.py_func.__name__} conflict"
        first = report.conflicts[0]
        raise RaceError(message, report, first.loop, first.hint)
    if report.unchecked:
        loc = place_of(half.py_func)
        message = f"not all of {half.py_func.__name__} was checked for races: it leaves out "
        message += ", ".join(report.unchecked)
        warnings.warn_explicit(message, RaceWarning, loc.filename, loc.line)


def _racing(dispatcher: Dispatcher) -> Dispatcher:
    """Return the compiled function to check."""
    half = dispatcher.half
    return _with_loops(half) if _LOOPS in half.flags.parallel else dispatcher


def _with_loops(half: Half) -> Dispatcher:
    """Return a copy of a function with parallel loops over `prange` only, whose races are allowed.

    Other parallel operations are known to be free of races, and run faster as whole operations.
    """
    flags = replace(half.flags, parallel=frozenset((_LOOPS, RACY)), cache=False)
    return make_dispatcher(half.py_func, flags, (), half._pipeline)
