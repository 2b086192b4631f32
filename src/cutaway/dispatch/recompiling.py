"""Recompile a function, or an edited copy of it, for inspection, and record everything.

Explanations use such a run without simplification, so that each of the user's variables is there;
tests of whether an edit helps use one, too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from cutaway.compiling import compiler, sessions
from cutaway.dispatch.dispatcher import make_dispatcher
from cutaway.dispatch.native import native_code
from cutaway.foundation.options import Flags
from cutaway.inspection.observers import dumps
from cutaway.inspection.recording import recorder
from cutaway.ir.levels import Level
from cutaway.stages.arrays.decisions import FUSED
from cutaway.stages.observers import Observer
from cutaway.stages.pipeline import Pipeline
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.inspection.recording.recording import Native
    from cutaway.inspection.trace import Compilation


def observed(
    half: Half, argtypes: tuple[Type, ...]
) -> AbstractContextManager[tuple[Observer, ...]]:
    """Enter the observers that the settings request, for all of one compilation."""
    fresh = partial(recorded, half, argtypes, half.pipeline, native_code)
    return dumps.observed(native_code, recompile, fresh)


def recorded(
    half: Half,
    argtypes: tuple[Type, ...],
    pipeline: Pipeline,
    native: Native | None = None,
    level: str = "pass",
    memory: bool = False,
) -> Compilation:
    """Return a recorded compilation for argument types; nothing of it is installed."""
    shared = sessions.Session()  # the next attempt knows the recursion's types from the last one
    while True:
        unit = compiler.new_unit(half, argtypes)
        with compiler.unpublished(half, unit, shared):
            compilation = recorder.record(
                unit, pipeline, compiler.compile_unit, native, recompile, level, memory
            )
        if not compiler.begins_again(compilation, shared):
            compilation.entered = lambda unit: compiler.unpublished(half, unit)
            return compilation


def recompile(
    function: Any,
    flags: Flags,
    argtypes: tuple[Type, ...],
    goal: str = "llvm",
    returns: Type | None = None,
) -> Compilation:
    """Compile a function up to a pass or level, with the declared return type, and without
    simplification, unless loops over arrays, parallel loops or machine code are requested: they
    depend on it."""
    half = function.half if hasattr(function, "half") else _half_of(function, flags)
    if returns is not None and half.returns.get(argtypes) is not returns:
        half = make_dispatcher(half.py_func, flags).half
        half.returns[argtypes] = returns
    is_whole = goal == Level.asm.value
    pipeline = half.pipeline if is_whole else compiler.front_half(half.pipeline)
    if "simplify" in pipeline.names and goal not in (FUSED, Level.parfor.value, Level.asm.value):
        pipeline = pipeline.without("simplify")
    return recorded(half, argtypes, pipeline.until(goal))


def _half_of(function: FunctionType, flags: Flags) -> Half:
    """Return the Python half of a function: its own where its name in the module is the compiled
    one, so that it finds itself in a recursion; else a new one, bound to that name in an edited
    copy's module."""
    named = getattr(function.__globals__.get(function.__name__), "half", None)
    if named is not None and named.py_func is function:
        return named
    dispatcher = make_dispatcher(function, flags)
    if named is not None and "__edited__" in function.__globals__:
        function.__globals__[function.__name__] = dispatcher
    half: Half = dispatcher.half
    return half
