"""Inspect a compiled function: how calls are dispatched, and its code."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.compiling import compiler, sessions
from cutaway.compiling.stack_room import with_room
from cutaway.dispatch.binding import (
    argument_types,
    bind,
    specialized_types,
)
from cutaway.dispatch.resolution import returned_type
from cutaway.dispatch.signatures import wanted_types
from cutaway.dispatch_c import _dispatch
from cutaway.dispatch_c._dispatch import ABSENT
from cutaway.errors import NotCompiledError, PipelineError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.inspection.explaining import calls
from cutaway.inspection.explaining.lifting import LiftedLoops, LoopRuns, at_line, loops_of
from cutaway.stages.machine import emit_object, optimize_llvm
from cutaway.stages.unit import CompileUnit
from cutaway.typing.types import Signature, Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.dispatch_c._dispatch import Specialization
    from cutaway.inspection.explaining.calls import DispatchExplanation, Specializations, Stats


def explain(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> DispatchExplanation:
    """Explain how a call would be dispatched; nothing is compiled.

    Raises TypeError where the arguments do not fit the parameters, TypingError where one of them
    cannot be passed to compiled code.
    """
    bound = bind(half, args, kwargs)
    argtypes = specialized_types(half, argument_types(half, bound), bound)
    plan = half.dispatcher._plan(*args, **kwargs)
    spec = plan["specialization"]
    plan["written_back"] = () if spec is None else spec.written_back
    plan["chosen"] = next((ty for ty, known in list(half.by_types.items()) if known is spec), None)
    explanation: DispatchExplanation = calls.explain(
        half.py_func.__name__,
        half.dispatcher._mode,
        half.parameters.names,
        argtypes,
        plan,
        tuple(list(half.by_types)),
        _described,
        _dispatch.named,
        tuple(list(half.installed)),
    )
    return explanation


def _described(value: Any) -> tuple[tuple[int, ...] | None, int, str]:
    """Return the C half's facts about a value: fingerprint, type code, and the table with the
    code."""
    if value is ABSENT:
        return None, 0, "default"
    return _dispatch.fingerprint(value), *_dispatch.code_of(value)


def lifted_loops(half: Half) -> LiftedLoops:
    """Return the loops of a function in object mode, once it has been called."""
    unit = next(iter(half.units.values()), None)  # there is one specialization
    return loops_of(unit.loops) if unit is not None else LiftedLoops()


def why_not_lifted(half: Half, line: int | None) -> LiftedLoops | LoopRuns:
    """Return why the loop in a line, or each one, runs typed or not.

    Raises NotCompiledError before the first call, PipelineError for a function that lifts none.
    """
    name = half.py_func.__name__
    if "lift_loops" not in half.pipeline.names:
        raise PipelineError(
            f"{name} has no lifted loops",
            hint="loops are lifted by @jit(forceobj=True), unless looplift=False is given",
        )
    if not half.units:
        raise NotCompiledError(f"{name} was not compiled yet: call it first")
    return at_line(lifted_loops(half), line)


def specializations(half: Half) -> Specializations:
    """Return a record of each specialization."""
    rows: Specializations = calls.Specializations(
        half.py_func.__name__,
        tuple(
            calls.SpecializationRecord(
                argtypes,
                returned_type(half, argtypes),
                specialization.calls,
                specialization.hits,
                specialization.seconds,
                argtypes in half.installed,
            )
            for argtypes, specialization in list(half.by_types.items())
        ),
    )
    return rows


def stats(half: Half) -> Stats:
    """Return the totals of the function's counters."""
    loaded = list(half.cache.loaded.values())
    cached = [
        argtypes
        for argtypes, specialization in list(half.by_types.items())
        if specialization in loaded
    ]
    path = half.cache.folder if half.flags.cache else None
    sums: Stats = calls.stats_of(specializations(half), cached, path)
    return sums


def inspect(half: Half, signature: Any, view: Callable[[CompileUnit], Any]) -> Any:
    """Return a view of one specialization, or of each by its argument types.

    Raises NotCompiledError for a signature that is not compiled.
    """
    if signature is None:
        return {argtypes: view(_whole(unit)) for argtypes, unit in specialized(half)}
    return view(_whole(specialized(half, signature)[0][1]))


def _whole(unit: CompileUnit) -> CompileUnit:
    """Return the unit with its short array loops, functions of their own, in its module, so that
    views show them; the unit itself where there are none."""
    assert unit.callee is not None
    apart = [member.inlined() for member in unit.callee.closure() if member.is_loop]
    if not apart:
        return unit
    whole = unit.copy()
    whole.callee = replace(unit.callee, callees=[*unit.callee.callees, *apart])
    for made in ("llvm", "plan", "symbols", "llvm_opt", "asm"):
        whole.__dict__.pop(made, None)
    optimize_llvm.run(whole)
    emit_object.run(whole)
    return whole


def specialized(half: Half, signature: Any = None) -> list[tuple[tuple[Type, ...], CompileUnit]]:
    """Return the specializations with their units, in order of compilation; or only one.

    Raises NotCompiledError for a signature that is not compiled.
    """
    return [(one, _known_unit(half, one)) for one in compiled_types(half, signature)]


def compiled_types(half: Half, signature: Any = None) -> list[tuple[Type, ...]]:
    """Return the argument types of the specializations, in order of compilation; or only one, which
    may also have been compiled for a caller.

    Raises NotCompiledError for a signature that is not compiled.
    """
    if signature is None:
        return half.compiled_for
    wanted = wanted_types(half, signature)
    if wanted in half.by_types or wanted in half.units:
        return [wanted]
    name, listed = half.py_func.__name__, ", ".join(map(str, wanted))
    raise NotCompiledError(
        f"{name} was not compiled for ({listed})",
        hint="call it with such arguments first, or use f.compile(signature)",
        notes=tuple(f"compiled: ({', '.join(map(str, w))})" for w in list(half.units)),
    )


def _known_unit(half: Half, argtypes: tuple[Type, ...]) -> CompileUnit:
    if argtypes in half.by_types:
        return _unit(half, argtypes)
    return half.units[argtypes]  # compiled for a caller


def overloads(half: Half) -> dict[tuple[Type, ...], Specialization]:
    """Return the specializations, each of which has its signature and mode set."""
    for argtypes, specialization in list(half.by_types.items()):
        specialization.signature = Signature(returned_type(half, argtypes), argtypes)
        specialization.objectmode = half.flags.forceobj
    return half.by_types


def overload_of(half: Half, signature: Any) -> Specialization:
    """Return one specialization.  Raises NotCompiledError for a signature that is not compiled."""
    (argtypes,) = compiled_types(half, signature)
    return overloads(half)[argtypes]


@dataclass(frozen=True)
class LoopDiagnostics:
    """The decisions on the parallel loops of a specialization."""

    half: Half
    signature: tuple[Type, ...]

    def dump(self, level: int = 1) -> None:
        """Print them, in more detail with a level up to 4."""
        self.half.parallel_diagnostics(self.signature, level)


def metadata(half: Half, signature: Any) -> dict[Any, Any]:
    """Return the metadata of one specialization, or of each by its types."""
    by_types = {
        argtypes: {"parfor_diagnostics": LoopDiagnostics(half, argtypes)}
        for argtypes in compiled_types(half, signature)
    }
    return by_types if signature is None else next(iter(by_types.values()))


def nopython_signatures(half: Half) -> list[Signature]:
    """Return the signature of each specialization; none has types in object mode."""
    if half.flags.forceobj:
        return []
    return [Signature(returned_type(half, a), a) for a in list(half.by_types)]


def _unit(half: Half, argtypes: tuple[Type, ...]) -> CompileUnit:
    """Return the unit of the code that runs; for code from the cache it is compiled now."""
    if argtypes in half.installed:
        return half.installed[argtypes].edited.unit
    known = half.units.get(argtypes)
    if known is not None and known.has("library"):
        return known
    return with_room(lambda: compiler.machine_code_unit(half, argtypes), sessions.handing_over)
