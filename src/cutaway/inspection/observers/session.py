"""Where the top of the system meets inspection: nothing is loaded before it is asked for.

A first compilation must not pay for drawing and dumping that nobody wants, so the modules that
do it are loaded here, at the first use.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cutaway import config
from cutaway.stages.observers import Observer
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit

if TYPE_CHECKING:
    from cutaway.inspection.explaining.why import Retrace
    from cutaway.inspection.recording.recording import Native
    from cutaway.inspection.recording.stepper import Stepper
    from cutaway.inspection.trace import Compilation


def _inspection(name: str) -> ModuleType:
    return importlib.import_module(f"cutaway.inspection.{name}")


@contextmanager
def observed(
    native: Native | None = None,
    retrace: Retrace | None = None,
    again: Callable[[], Compilation] | None = None,
) -> Iterator[tuple[Observer, ...]]:
    """The observers that the settings ask for, for all of one compilation; usually none.

    The arguments are for those that keep a record: see `trace.Compilation`, and what compiles the
    same once more, where a part of it was done before.
    """
    requested = config.requested()
    if not requested:
        yield ()
        return
    watch = _inspection("observers.dumps").watch(requested, native, retrace, again)
    try:
        yield watch.observers
    finally:
        watch.close()


def trace(
    unit: CompileUnit,
    pipeline: Pipeline,
    compile_unit: Callable[[CompileUnit, Pipeline, tuple[Observer, ...]], CompileUnit],
    native: Native | None = None,
    retrace: Retrace | None = None,
    level: str = "pass",
    memory: bool = False,
) -> Compilation:
    """Compile a fresh unit and give the record of it."""
    found: Compilation = _inspection("recording.recorder").record(
        unit, pipeline, compile_unit, native, retrace, level, memory
    )
    return found


def stepper(
    unit: CompileUnit,
    pipeline: Pipeline,
    native: Native | None = None,
    entered: Callable[[CompileUnit], AbstractContextManager[Any]] = nullcontext,
) -> Stepper:  # Any: the value of `with`
    """A stepper that waits in front of the first pass of a fresh unit."""
    found: Stepper = _inspection("recording.stepper").Stepper(unit, pipeline, native, entered)
    return found


def copies(args: tuple[Any, ...]) -> tuple[tuple[Any, ...] | None, str]:
    """Copies of arguments, which share memory where the arguments do; where they would take too
    much memory none, and a sentence that says so.  (Any: arguments of the user's function.)"""
    found: tuple[tuple[Any, ...] | None, str] = _inspection("witness.copies").kept(args)
    return found


def dispatch() -> ModuleType:
    """The module that explains calls and counts them."""
    return _inspection("explaining.calls")
