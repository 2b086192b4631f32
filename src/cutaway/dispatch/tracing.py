"""Recorded compilations, whole or step by step, for the arguments of a call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.compiling import compiler, resuming, sessions
from cutaway.dispatch.binding import (
    argument_types,
    binder,
    call_types,
    note_needed,
    specialized_types,
)
from cutaway.dispatch.introspection import compiled_types
from cutaway.dispatch.native import native_code
from cutaway.dispatch.recompiling import recorded
from cutaway.errors import OptionError, RaceWarning
from cutaway.foundation.dataclass import replace
from cutaway.inspection.parallel.answers import LEVELS, ParallelLoops
from cutaway.inspection.recording.stepper import Stepper
from cutaway.inspection.witness.copies import kept
from cutaway.ir.lifted import TriedLoop
from cutaway.typing.inference.literals import OtherTypesNeeded
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.inspection.editing.edited import EditedFunction
    from cutaway.inspection.editing.editing import EditedView
    from cutaway.inspection.recording.recording import Resume
    from cutaway.inspection.trace import Compilation


def trace(half: Half, args: tuple[Any, ...], level: str, memory: bool = False) -> Compilation:
    """Return a recorded compilation for these arguments; nothing of it is installed."""
    if level not in ("pass", "rewrite"):
        raise OptionError(f"the level of a trace must be 'pass' or 'rewrite', not {level!r}")

    def compiled(argtypes: tuple[Type, ...]) -> Compilation:
        return recorded(half, argtypes, half.pipeline, native_code, level, memory)

    compilation = _with_values(half, args, compiled)[1]
    copies = None
    if not any(map(_is_type, args)):
        copies, compilation.not_kept = kept(args)
    compilation.arguments = copies
    _add_loops(half, compilation, level, memory)
    compilation.resume = _resume(half, copies)
    return compilation


def _add_loops(half: Half, compilation: Compilation, level: str, memory: bool) -> None:
    """Record the loops lifted out of a function in object mode that have run, each below the pass
    that lifts it."""

    def known() -> tuple[TriedLoop, ...]:
        return next((unit.loops for unit in list(half.units.values())), ())

    compilation.known_loops = known
    lifts = next((one for one in compilation.records if one.name == "lift_loops"), None)
    for one in known() if lifts is not None else ():
        lifting = None if one.lifted is None else one.lifted.lifting
        for loop in [] if lifting is None else list(lifting.halves.values()):
            for argtypes in list(loop.by_types):
                inner = recorded(loop, argtypes, loop.pipeline, native_code, level, memory)
                inner.name = f"{inner.name} (loop at line {one.decision.loc.line})"
                lifts.nested.append(inner)  # type: ignore[union-attr]
                lifts.seconds += inner.seconds  # type: ignore[union-attr]
                compilation.seconds += inner.seconds


def _resume(half: Half, args: tuple[Any, ...] | None) -> Resume:
    """Return the continuation for an edit of a trace with these arguments; None: with types."""

    def resume(view: EditedView, arguments: tuple[Any, ...] | None, unsafe: bool) -> EditedFunction:
        top = resuming.Top(half, args, native_code, binder(half), types_of)
        edited: EditedFunction = top.resume(view, arguments, unsafe)
        return edited

    def types_of(bound: tuple[Any, ...]) -> tuple[Type, ...]:
        return specialized_types(half, argument_types(half, bound), bound)

    return resume


def parallel_loops(half: Half, signature: Any, level: int) -> str:
    """Return a report on the loops of one specialization, or of all.

    They are recompiled for it, even if their code came from the cache.  Raises NotCompiledError for
    a signature that is not compiled, OptionError for an unknown level.
    """
    if level not in LEVELS:
        raise OptionError(f"the level of diagnostics must be 1, 2, 3 or 4, not {level!r}")
    found = compiled_types(half, signature)
    if not found:
        name = half.py_func.__name__
        return f"{name} was not compiled yet: call it first, or use {name}.compile(signature)"
    return "\n\n".join(str(_loops(half, argtypes, level)) for argtypes in found)


def _loops(half: Half, argtypes: tuple[Type, ...], level: int) -> ParallelLoops:
    pipeline = compiler.front_half(half.pipeline)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RaceWarning)  # the first compilation warned
        compilation = recorded(half, argtypes, pipeline)
    return replace(compilation.parallel, level=level)


def _is_type(value: Any) -> bool:
    """True if an argument is a type, or a tuple with one in it."""
    if type(value) is tuple:
        return any(map(_is_type, value))
    return isinstance(value, Type)


def step(half: Half, args: tuple[Any, ...]) -> Stepper:
    """Return a stepper in front of the first pass of a compilation for these arguments."""
    pipeline = compiler.front_half(half.pipeline)
    if "infer_types" in pipeline.names:  # which tells the arguments whose values are needed
        pipeline = pipeline.until("infer_types")
    argtypes, _ = _with_values(half, args, lambda kinds: recorded(half, kinds, pipeline))
    unit, shared = compiler.new_unit(half, argtypes), sessions.Session()
    return Stepper(
        unit,
        half.pipeline,
        native_code,
        lambda entered: compiler.unpublished(half, entered, shared),
    )


def _with_values(
    half: Half, args: tuple[Any, ...], compiled: Callable[[tuple[Type, ...]], Compilation]
) -> tuple[tuple[Type, ...], Compilation]:
    """Return the argument types, literal where values are needed, and the compilation for them."""
    plain, arguments = call_types(half, args), binder(half)(*args)
    while True:
        argtypes = specialized_types(half, plain, arguments)
        compilation = compiled(argtypes)
        if not isinstance(compilation.error, OtherTypesNeeded):
            return argtypes, compilation
        note_needed(half, plain, arguments, compilation.error)
