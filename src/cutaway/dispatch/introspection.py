"""What a compiled function can be asked: how calls are dispatched, its code, and traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.compiling import compiler, sessions
from cutaway.compiling.stack_room import with_room
from cutaway.dispatch.binding import (
    argument_types,
    bind,
    binder,
    call_types,
    note_literals,
    with_literals,
)
from cutaway.dispatch.native import native_code
from cutaway.dispatch.recompiling import recorded
from cutaway.dispatch.resolution import returned_type
from cutaway.dispatch.signatures import wanted_types
from cutaway.dispatch_c import _dispatch
from cutaway.dispatch_c._dispatch import ABSENT
from cutaway.errors import NotCompiledError, OptionError
from cutaway.foundation.loading import load
from cutaway.inspection.explaining import calls
from cutaway.inspection.recording.stepper import Stepper
from cutaway.inspection.witness.copies import kept
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.literals import LiteralNeeded
from cutaway.typing.types import Signature, Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.inspection.editing.edited import EditedFunction
    from cutaway.inspection.editing.editing import EditedView
    from cutaway.inspection.explaining.calls import DispatchExplanation, Specializations, Stats
    from cutaway.inspection.trace import Compilation, Resume


def explain(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> DispatchExplanation:
    """What would become of a call; nothing is compiled.

    Raises TypeError where the arguments do not fit the parameters, TypingError where one of them
    cannot be passed to compiled code.
    """
    bound = bind(half, args, kwargs)
    argtypes = with_literals(half, argument_types(half, bound), bound)
    plan = half.dispatcher._plan(*args, **kwargs)
    spec = plan["specialization"]
    plan["chosen"] = next((ty for ty, made in list(half.overloads.items()) if made is spec), None)
    found: DispatchExplanation = calls.explain(
        half.py_func.__name__,
        half.dispatcher._mode,
        half.parameters.names,
        argtypes,
        plan,
        tuple(half.overloads),
        _described,
        _dispatch.named,
        tuple(half.installed),
    )
    return found


def _described(value: Any) -> tuple[tuple[int, ...] | None, int, str]:  # Any: an argument
    """What the C half knows of a value: fingerprint, type code, and where it finds the code."""
    if value is ABSENT:
        return None, 0, "default"
    return _dispatch.fingerprint(value), *_dispatch.code_of(value)


def specializations(half: Half) -> Specializations:
    """A record of each specialisation."""
    found: Specializations = calls.Specializations(
        half.py_func.__name__,
        tuple(
            calls.SpecializationRecord(
                argtypes,
                returned_type(half, argtypes),
                made.calls,
                made.hits,
                made.seconds,
                argtypes in half.installed,
            )
            for argtypes, made in list(half.overloads.items())
        ),
    )
    return found


def stats(half: Half) -> Stats:
    """What the function did so far, in sums."""
    loaded = list(half.cache.loaded.values())
    cached = [argtypes for argtypes, made in list(half.overloads.items()) if made in loaded]
    path = half.cache.folder if half.flags.cache else None
    found: Stats = calls.stats_of(specializations(half), cached, path)
    return found


def inspect(half: Half, signature: Any, view: Callable[[CompileUnit], Any]) -> Any:
    """A view of one specialisation, or of each by its argument types.

    Raises NotCompiledError for a signature that there is not.  (Any: text, or a tuple of types;
    what the view gives, or a dictionary.)
    """
    if signature is None:
        return {argtypes: view(unit) for argtypes, unit in specialized(half)}
    return view(specialized(half, signature)[0][1])


def specialized(
    half: Half, signature: Any = None
) -> list[tuple[tuple[Type, ...], CompileUnit]]:  # Any: text, or a tuple of types
    """The specialisations with their units, in the order they were made; or only one.

    Raises NotCompiledError for a signature that there is not.
    """
    if signature is None:
        return [(argtypes, _unit(half, argtypes)) for argtypes in list(half.overloads)]
    wanted = wanted_types(half, signature)
    if wanted in half.overloads:
        return [(wanted, _unit(half, wanted))]
    if wanted in half.units:  # compiled for a function that calls it
        return [(wanted, half.units[wanted])]
    name, listed = half.py_func.__name__, ", ".join(map(str, wanted))
    raise NotCompiledError(
        f"{name} was not compiled for ({listed})",
        hint="call it with such arguments first, or compile it: f.compile(signature)",
        notes=tuple(f"compiled: ({', '.join(map(str, w))})" for w in half.units),
    )


def nopython_signatures(half: Half) -> list[Signature]:
    """What each specialisation takes and returns."""
    return [Signature(returned_type(half, a), a) for a in list(half.overloads)]


def _unit(half: Half, argtypes: tuple[Type, ...]) -> CompileUnit:
    """The unit of the code that runs; for code that came from the cache it is made now."""
    if argtypes in half.installed:
        return half.installed[argtypes].edited.unit
    known = half.units.get(argtypes)
    if known is not None and known.has("library"):
        return known
    return with_room(lambda: compiler.finished(half, argtypes), sessions.handed_over)


def trace(half: Half, args: tuple[Any, ...], level: str, memory: bool = False) -> Compilation:
    """A recorded compilation for these arguments; nothing of it is installed."""
    if level not in ("pass", "rewrite"):
        raise OptionError(f"a trace records at level 'pass' or 'rewrite', not {level!r}")

    def compiled(argtypes: tuple[Type, ...]) -> Compilation:
        return recorded(half, argtypes, half.pipeline, native_code, level, memory)

    found = _with_values(half, args, compiled)[1]
    copies = None
    if not any(map(_is_type, args)):
        copies, found.not_kept = kept(args)
    found.arguments = copies
    found.resume = _resume(half, copies)
    return found


def _resume(half: Half, args: tuple[Any, ...] | None) -> Resume:  # Any: call arguments
    """What goes on from an edit of a trace made with these arguments; None: with types."""

    def resume(
        view: EditedView, given: tuple[Any, ...] | None, unsafe: bool
    ) -> EditedFunction:  # Any: call arguments
        top = load("cutaway.compiling.resuming").Top(
            half, args, native_code, binder(half), types_of
        )
        made: EditedFunction = top.resume(view, given, unsafe)
        return made

    def types_of(bound: tuple[Any, ...]) -> tuple[Type, ...]:  # Any: call arguments
        return with_literals(half, argument_types(half, bound), bound)

    return resume


def _is_type(value: Any) -> bool:  # Any: a call argument
    """Whether an argument only says of which type one would be."""
    if type(value) is tuple:
        return any(map(_is_type, value))
    return isinstance(value, Type)


def step(half: Half, args: tuple[Any, ...]) -> Stepper:
    """A stepper in front of the first pass of a compilation for these arguments."""
    pipeline = compiler.front(half.pipeline)
    if "infer_types" in pipeline.names:  # which tells the arguments whose values are needed
        pipeline = pipeline.until("infer_types")
    argtypes, _ = _with_values(half, args, lambda given: recorded(half, given, pipeline))
    unit, shared = compiler.new_unit(half, argtypes), sessions.Session()
    return Stepper(
        unit, half.pipeline, native_code, lambda entered: compiler.aside(half, entered, shared)
    )


def _with_values(
    half: Half, args: tuple[Any, ...], compiled: Callable[[tuple[Type, ...]], Compilation]
) -> tuple[tuple[Type, ...], Compilation]:
    """The types of arguments, literal ones where values are needed, and what is compiled for them.

    (Any: call arguments.)
    """
    plain, given = call_types(half, args), binder(half)(*args)
    while True:
        argtypes = with_literals(half, plain, given)
        found = compiled(argtypes)
        if not isinstance(found.error, LiteralNeeded):
            return argtypes, found
        note_literals(half, plain, given, found.error)
