"""Dispatch without a specialization: bind, infer types, choose, compile.

Loaded at the first compilation (`dispatcher._resolution`), and with it the compiler.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

from cutaway import config
from cutaway.caching import calls, saving
from cutaway.caching.identity import identity_of
from cutaway.compiling import attempts, compiler, sessions
from cutaway.compiling.stack_room import with_room
from cutaway.dispatch import lifting, recompiling
from cutaway.dispatch.binding import (
    argument_types,
    bind,
    codes,
    learn_omitted,
    note_needed,
    teach,
    with_literals,
)
from cutaway.dispatch_c import _dispatch
from cutaway.foundation import interrupts
from cutaway.foundation.loading import guard_forks
from cutaway.foundation.options import Flags
from cutaway.ir import lifted
from cutaway.lowering.layout import is_extension
from cutaway.stages import pipelines
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference import literals
from cutaway.typing.overloads import choice
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import SCALARS, Type, none
from cutaway.typing.types.conversions import Conversion, conversion
from cutaway.typing.types.interning import BY_CODE

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.stages.observers import Observer

__all__ = ["bind", "parameters_of"]  # for the dispatcher

INSTALLING = threading.RLock()  # guards the specializations in both halves of a dispatcher


def _unlocked() -> None:
    """Replace the lock in a child process, whatever another thread did in the parent: the C half
    misses whatever was half installed, and it is installed again."""
    global INSTALLING
    INSTALLING = threading.RLock()


guard_forks(lambda: None, lambda: None, _unlocked)


def default_pipeline(flags: Flags) -> Pipeline:
    """Return the pipeline of a function that has none of its own."""
    if flags.forceobj:
        return pipelines.object_mode if flags.looplift else pipelines.objects_alone
    return pipelines.parallel if flags.parallel else pipelines.nopython


def _prepare_loop(unit: CompileUnit, loop: lifted.LiftedLoop) -> None:
    lifting.prepare(unit, loop)


compiler.prepare_loops_by(_prepare_loop)


# --- from a call to a specialization ----------------------------------------------------------


def resolve(half: Half, bound: tuple[Any, ...]) -> _dispatch.Specialization:
    """Return the specialization for the arguments of a call; the C half learns their type codes.

    Raises CompileError where the function cannot be compiled for them.
    """
    plain = argument_types(half, bound)
    if half.flags.forceobj:
        return _open(half, plain)
    while True:
        # Repeat when an implementation needs the values of arguments: from then on they are in the
        # types.
        argtypes = with_literals(half, plain, bound)
        teach(half, bound, argtypes)
        try:
            open_ = half.dispatcher._mode == "open"
            if not open_:
                return _closed(half, argtypes)
            full = half.filled.get(argtypes, argtypes)
            specialization = _open(half, full)
            if full is not argtypes:
                half.dispatcher._remember(codes(argtypes), specialization)
            return specialization
        except literals.OtherTypesNeeded as error:
            note_needed(half, plain, bound, error)


def _open(half: Half, argtypes: tuple[Type, ...]) -> _dispatch.Specialization:
    known = half.by_types.get(argtypes)
    if known is None:
        return compile_for(half, argtypes)
    with INSTALLING:
        if half.by_types.get(argtypes) is known:  # not forgotten meanwhile
            # its table was full, or a type came anew
            half.dispatcher._remember(codes(argtypes), known)
    return known


def compile_closed(half: Half, signatures: tuple[tuple[Type, ...], ...]) -> None:
    """Compile for these argument types, and for nothing else later."""
    for argtypes in signatures:
        _open(half, argtypes)
    half.disable_compile()


def compile_for(half: Half, argtypes: tuple[Type, ...]) -> _dispatch.Specialization:
    """Compile a missing specialization; one thread compiles it, others wait for it.

    When it fails each of them tries for itself, and raises its own error.
    """
    while True:
        with attempts.attempt((half, half.generation, argtypes)) as ours:
            if ours:
                return half.by_types.get(argtypes) or _new_specialization(half, argtypes)
        known = half.by_types.get(argtypes)
        if known is not None:
            return known


def _new_specialization(half: Half, argtypes: tuple[Type, ...]) -> _dispatch.Specialization:
    started, generation = perf_counter(), half.generation
    # Settings that request dumps or reports require a compilation, which a hit would skip.
    if half.has_stored and not config.requested():
        specialization = _from_cache(half, argtypes)
        if specialization is not None:
            return specialization
    identity = identity_of(half, with_extensions=half.flags.cache)  # before, since globals change
    with observed(half, argtypes) as observers:
        specialization = with_room(
            lambda: (half.specializer or compiler.specialize)(half, argtypes, observers),
            sessions.handing_over,
        )
    if identity is not None and half.flags.cache:
        unit = half.units.get(argtypes)
        if unit is not None and unit.has("library"):  # else forgotten meanwhile
            saving.save(half, identity, unit, compiler.descriptors(unit))
    specialization.seconds = perf_counter() - started
    with INSTALLING:
        if (
            half.generation == generation
            and half.by_types.setdefault(argtypes, specialization) is specialization
        ):
            half.dispatcher._add(specialization, codes(argtypes))
            if identity is not None:
                half.identities[argtypes] = specialization, identity
        return half.by_types.get(argtypes, specialization)


def observed(
    half: Half, argtypes: tuple[Type, ...]
) -> AbstractContextManager[tuple[Observer, ...]]:
    """Return the observers that the settings request, for one compilation; usually none."""
    if not config.requested():
        return nullcontext(())
    observers: AbstractContextManager[tuple[Observer, ...]] = recompiling.observed(half, argtypes)
    return observers


def _from_cache(half: Half, argtypes: tuple[Type, ...]) -> _dispatch.Specialization | None:
    """Return the specialization that an earlier process has saved, or None."""
    if saving.lookup(half, argtypes) is None:
        return None
    adopt(half)
    return half.by_types.get(argtypes)


def adopt(half: Half) -> None:
    """Register specializations that were loaded from the cache before the compiler's side was."""
    with INSTALLING, calls.LOCK:
        while half.cache.pending:
            specialization, data = half.cache.pending.pop(0)
            argtypes = saving.types_of(half, data)
            learn_omitted(half, argtypes)
            half.by_types.setdefault(argtypes, specialization)
        _give_all(half)


def compiled_here(half: Half) -> dict[str, Any]:
    """Return the machine code compiled in this process, for a pickle."""
    found: dict[str, Any] = saving.compiled_here(half, compiler.descriptors)
    return found


def _closed(half: Half, argtypes: tuple[Type, ...]) -> _dispatch.Specialization:
    """Choose an existing specialization (SPEC B6); unsafe conversions only to written ones."""
    chosen = half.dispatcher._choose(codes(argtypes))
    if isinstance(chosen, _dispatch.Specialization):
        return chosen
    written = bool(half.written)
    candidates = choice.candidates(argtypes, tuple(list(half.by_types)), unsafe=written)
    raise choice.refusal(half.py_func.__name__, argtypes, candidates, written)


def _conversion(source: int, wanted: int) -> int:
    """Return the conversion between two types, by their codes, for the C half; LookupError if a
    type was freed.

    Values of extension types are not converted at the call.
    """
    source_type, wanted_type = BY_CODE[source], BY_CODE[wanted]
    if source_type is not wanted_type and (is_extension(source_type) or is_extension(wanted_type)):
        return Conversion.NONE
    return conversion(source_type, wanted_type)


def _fill_conversions() -> None:
    """Set the C half's table of conversions between the basic types."""
    basic = (*SCALARS.values(), none)
    kinds = bytes(conversion(source, target) for source in basic for target in basic)
    _dispatch.set_conversions(codes(basic), kinds)


_dispatch.set_conversion_hook(_conversion)
_fill_conversions()


# --- existing specializations -------------------------------------------------------------------


def returned_type(half: Half, argtypes: tuple[Type, ...]) -> Type:
    """Return the return type of a specialization."""
    if argtypes in half.installed:
        return half.installed[argtypes].edited.returns
    unit = half.units.get(argtypes) or compiler.lower(half, argtypes)  # it was forgotten meanwhile
    return unit.return_type


def forget(half: Half, wanted: tuple[Type, ...] | None = None) -> None:
    """Drop one specialization, or all; its machine code is freed when no call runs in it."""
    with interrupts.deferred(), INSTALLING:
        half.generation += 1
        for argtypes in list(half.by_types) if wanted is None else [wanted]:
            half.by_types.pop(argtypes, None)
            half.units.pop(argtypes, None)
            half.installed.pop(argtypes, None)
        remaining = set(half.by_types.values())
        half.identities = {t: one for t, one in half.identities.items() if one[0] in remaining}
        if half._cache is not None:
            half._cache.forget(remaining)
        _give_all(half)


def _give_all(half: Half) -> None:
    """Set the C half's specializations to the existing ones."""
    half.dispatcher._clear()
    for argtypes, specialization in half.by_types.items():
        half.dispatcher._add(specialization, *(() if specialization.codes else (codes(argtypes),)))


def exchange(
    half: Half, argtypes: tuple[Type, ...], specialization: _dispatch.Specialization | None
) -> _dispatch.Specialization | None:
    """Replace or remove a specialization; return the previous one.

    Calls that run in that one go on in it.
    """
    with interrupts.deferred(), INSTALLING:
        before = half.by_types.get(argtypes)
        if specialization is None:
            half.by_types.pop(argtypes, None)
        else:
            learn_omitted(half, argtypes)
            half.by_types[argtypes] = specialization
        _give_all(half)
    return before
