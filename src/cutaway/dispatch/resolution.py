"""What dispatch does when no specialisation is there yet: bind, type, choose, compile.

Loaded at the first compilation (`dispatcher._resolution`), and with it the compiler.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from time import perf_counter
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from cutaway import config
from cutaway.api import compiled, kind_of
from cutaway.compiling import attempts, compiler, recompiling, sessions
from cutaway.compiling.recompiling import recorded
from cutaway.compiling.stack_room import with_room
from cutaway.dispatch_c import _dispatch
from cutaway.dispatch_c._dispatch import ABSENT, Specialization
from cutaway.errors import (
    AmbiguousCallError,
    CompileError,
    NoMatchError,
    NotCompiledError,
    OptionError,
    SignatureError,
    TypingError,
)
from cutaway.foundation import interrupts
from cutaway.foundation.loading import guard_forks, load
from cutaway.inspection.observers import session
from cutaway.ir.levels import Level
from cutaway.lowering.layout import is_extension
from cutaway.stages import pipelines
from cutaway.stages.machine import link
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import NOTHING, Module
from cutaway.typing import types
from cutaway.typing.inference.literals import LiteralNeeded, literal, need
from cutaway.typing.overloads import choice
from cutaway.typing.overloads.notation import WrittenSignature, parse_signature, passable
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import (
    SCALARS,
    Literal,
    Omitted,
    Signature,
    Tuple,
    Type,
    none,
    omitted,
)
from cutaway.typing.types.conversions import Conversion, conversion
from cutaway.typing.types.interning import BY_CODE
from cutaway.typing.values.typeof import is_declared, typeof

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.inspection.editing.edited import EditedFunction
    from cutaway.inspection.editing.editing import EditedView
    from cutaway.inspection.explaining.calls import DispatchExplanation, Specializations, Stats
    from cutaway.inspection.recording.stepper import Stepper
    from cutaway.inspection.trace import Compilation, Resume

__all__ = ["parameters_of"]

INSTALLING = threading.RLock()  # specialisations in both halves of a dispatcher, or out of them


def _unlocked() -> None:
    """In a child process nobody is installing, whatever another thread did in the parent: what was
    half done is found missing by the C half, and installed again."""
    global INSTALLING
    INSTALLING = threading.RLock()


guard_forks(lambda: None, lambda: None, _unlocked)


def trace_function(
    function: Any, *args: Any, level: str = "pass", memory: bool = False
) -> Compilation:
    """Compile a function for these arguments, recording every pass (level "pass"), or every
    rewrite in them too ("rewrite"), and with `memory` their bytes; it need not be decorated.

    Raises CompileError where the function cannot be compiled.  (Any: a Python or compiled
    function, and arguments of its own.)
    """
    return trace(_half_of(function), args, level, memory)


def step_function(function: Any, *args: Any) -> Stepper:
    """A stepper in front of the first pass of a function's compilation for these arguments.

    (Any: a Python or compiled function, and arguments of its own.)
    """
    return step(_half_of(function), args)


def _half_of(function: Any) -> Half:  # Any: a Python or compiled function
    if isinstance(function, FunctionType):
        function = compiled(function)
    found: Half | None = None if isinstance(function, type) else getattr(function, "half", None)
    if found is None:
        raise OptionError(
            f"only a Python function is compiled and traced, not {kind_of(function)}",
            hint="pass the function, and behind it the arguments of a call",
        )
    return found


def default_pipeline() -> Pipeline:
    """The pipeline of a function that has none of its own."""
    return pipelines.nopython


# --- from a call to a specialisation ----------------------------------------------------------


def bind(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call, one for each parameter; `ABSENT` for one that is left out.

    Raises TypeError, in Python's words, for arguments that do not fit the parameters.
    """
    bound = _binder(half)(*args, **kwargs)
    if half.written:  # the types of a default are those of a signature, which omits nothing
        defaults = half.parameters.defaults
        bound = tuple(d if v is ABSENT else v for v, d in zip(bound, (*defaults, ()), strict=False))
    return bound


def resolve(half: Half, bound: tuple[Any, ...]) -> Specialization:
    """The specialisation for the arguments of a call; the C half learns their type codes.

    Raises CompileError where the function cannot be compiled for them.
    """
    plain = _argument_types(half, bound)
    while True:
        argtypes = with_literals(half, plain, bound)
        _teach(half, bound, argtypes)
        try:
            open_ = half.dispatcher._mode == "open"
            return _open(half, argtypes) if open_ else _closed(half, argtypes)
        except LiteralNeeded as error:
            _note_literals(half, plain, bound, error)


def with_literals(half: Half, plain: tuple[Type, ...], given: tuple[Any, ...]) -> tuple[Type, ...]:
    """The argument types, with literal ones where values have to be known.

    Raises TypingError for a value that no type holds.  (Any: call arguments.)
    """
    places = half.literals.get(plain)
    if not places:
        return plain
    found = list(plain)
    for place in places:
        value = given[place]
        if value is not ABSENT and not isinstance(value, Literal):
            found[place] = literal(value)
    return tuple(found)


def _note_literals(
    half: Half, plain: tuple[Type, ...], given: tuple[Any, ...], error: LiteralNeeded
) -> None:
    """Let the values of arguments be part of their types from now on.

    Raises the error where the values are not there, as for a written signature.
    (Any: call arguments.)
    """
    if any(isinstance(given[place], Type) for place in error.places):
        raise error
    for place in need(half.literals, plain, error):
        if place < len(half.parameters.single):
            half.dispatcher._set_literal(place)


def _teach(half: Half, bound: tuple[Any, ...], argtypes: tuple[Type, ...]) -> None:
    for place, (value, ty) in enumerate(zip(bound, argtypes, strict=True)):
        if value is ABSENT:
            half.dispatcher._learn_omitted(place, ty.typecode)
        elif isinstance(ty, Literal):
            _dispatch.learn_literal(value, ty.typecode)
        else:
            _learn(value, ty)


def _learn(value: Any, ty: Type) -> None:  # Any: a call argument
    if is_declared(value):
        _dispatch.register_class(type(value), ())  # it is known by its class alone
    _dispatch.learn(value, ty.typecode)


def _binder(half: Half) -> Callable[..., tuple[Any, ...]]:
    """A function with the same parameters that gives its arguments, those left out as
    `ABSENT`.  Calling it raises what Python raises for a call that does not fit."""
    if half.binder is None:
        half.binder = _new_binder(half.py_func)
    return half.binder


def _new_binder(function: FunctionType) -> Callable[..., tuple[Any, ...]]:
    parameters = parameters_of(function)
    space: dict[str, Any] = {}
    names = parameters.names
    given = ", ".join(names) + ("," if len(names) == 1 else "")
    exec(f"def binder({', '.join(parameters.written())}): return ({given})", space)  # noqa: S102
    binder = space["binder"]
    binder.__name__, binder.__qualname__ = function.__name__, function.__qualname__
    binder.__defaults__ = tuple(ABSENT for _ in function.__defaults__ or ()) or None
    binder.__kwdefaults__ = dict.fromkeys(function.__kwdefaults__ or {}, ABSENT) or None
    return binder


def _argument_types(
    half: Half,
    given: tuple[Any, ...],
    type_of: Callable[[Any], Type] = typeof,  # Any: call arguments
) -> tuple[Type, ...]:
    names, defaults = half.parameters.names, half.parameters.defaults
    found: list[Type] = []
    for name, value in zip(names, given, strict=True):
        if value is ABSENT:
            found.append(omitted(defaults[len(found)]))
            continue
        try:
            found.append(type_of(value))
        except TypingError as error:
            raise TypingError(
                f"argument {name!r} of {half.py_func.__name__}: {error.message}",
                hint=error.hint,
            ) from None
    return tuple(found)


def _open(half: Half, argtypes: tuple[Type, ...]) -> Specialization:
    known = half.overloads.get(argtypes)
    if known is None:
        return _compile(half, argtypes)
    with INSTALLING:
        if half.overloads.get(argtypes) is known:  # not forgotten meanwhile
            # its table was full, or a type came anew
            half.dispatcher._remember(codes(argtypes), known)
    return known


def compile_closed(half: Half, signatures: tuple[tuple[Type, ...], ...]) -> None:
    """Compile for these argument types, and for nothing else later."""
    for argtypes in signatures:
        _open(half, argtypes)
    half.disable_compile()


def _compile(half: Half, argtypes: tuple[Type, ...]) -> Specialization:
    """A specialisation that was not there; one thread makes it, others wait for it.

    When it fails each of them tries for itself, and gets the error that is its own.
    """
    while True:
        with attempts.attempt((half, half.generation, argtypes)) as ours:
            if ours:
                return half.overloads.get(argtypes) or _made(half, argtypes)
        known = half.overloads.get(argtypes)
        if known is not None:
            return known


def _made(half: Half, argtypes: tuple[Type, ...]) -> Specialization:
    started, generation = perf_counter(), half.generation
    if half.flags.cache and not config.requested():
        made = _from_cache(half, argtypes)
        if made is not None:
            return made
    key = _saving().key_for(half, argtypes) if half.flags.cache else None
    again = partial(recorded, half, argtypes, half.pipeline, native_code)
    with session.observed(native_code, recompiling.again, again) as observers:
        made = with_room(
            lambda: compiler.specialize(half, argtypes, observers), sessions.handed_over
        )
    if key is not None:
        unit = half.units.get(argtypes)
        if unit is not None and unit.has("library"):  # else forgotten meanwhile
            _saving().save(half, key, unit, compiler.descriptors(unit))
    made.seconds = perf_counter() - started
    with INSTALLING:
        if half.generation == generation and half.overloads.setdefault(argtypes, made) is made:
            half.dispatcher._add(made, codes(argtypes))
        return half.overloads.get(argtypes, made)


def _from_cache(half: Half, argtypes: tuple[Type, ...]) -> Specialization | None:
    """The specialisation that an earlier process has left."""
    if _saving().lookup(half, argtypes) is None:
        return None
    adopt(half)
    return half.overloads.get(argtypes)


def adopt(half: Half) -> None:
    """Take over what was loaded from the cache before its types were known."""
    with INSTALLING, load("cutaway.caching.calls").LOCK:
        while half.cache.pending:
            made, data = half.cache.pending.pop(0)
            argtypes = _saving().types_of(half, data)
            _learn_omitted(half, argtypes)
            half.overloads.setdefault(argtypes, made)
        _give_all(half)


def _saving() -> ModuleType:
    """What keeps machine code on disk: loaded with the first function that asks for it."""
    return load("cutaway.caching.saving")


def codes(argtypes: tuple[Type, ...]) -> tuple[int, ...]:
    """The type codes of a signature, as the C half knows it."""
    return tuple(ty.typecode for ty in argtypes)


def _closed(half: Half, argtypes: tuple[Type, ...]) -> Specialization:
    """The best of what there is (SPEC B6); unsafe conversions only to explicit signatures."""
    chosen = half.dispatcher._choose(codes(argtypes))
    if isinstance(chosen, Specialization):
        return chosen
    name, given = half.py_func.__name__, ", ".join(map(str, argtypes))
    candidates = choice.candidates(argtypes, tuple(half.overloads), unsafe=bool(half.written))
    if chosen == 0:
        what = "signature" if half.written else "specialisation"
        raise NoMatchError(
            f"no {what} of {name} takes ({given})",
            hint="leave the signatures out to compile for any types"
            if half.written
            else "f.disable_compile(False) lets it compile again",
            notes=tuple(f"{what}: {candidate.described()}" for candidate in candidates),
        )
    raise AmbiguousCallError(
        f"several signatures of {name} take ({given}) equally well",
        hint=f"add the signature ({given}), or convert an argument",
        notes=tuple(f"candidate: {c.described()}" for c in candidates if c.is_best),
    )


def _conversion(source: int, wanted: int) -> int:
    """What the C half asks for a pair of type codes; LookupError where a type is gone.

    What extensions unbox is not converted on the way in.
    """
    given, asked = BY_CODE[source], BY_CODE[wanted]
    if given is not asked and (is_extension(given) or is_extension(asked)):
        return Conversion.NONE
    return conversion(given, asked)


def _fill_conversions() -> None:
    """Tell the C half of the conversions among the basic types."""
    basic = (*SCALARS.values(), none)
    kinds = bytes(conversion(source, wanted) for source in basic for wanted in basic)
    _dispatch.set_conversions(codes(basic), kinds)


_dispatch.set_conversion_hook(_conversion)
_fill_conversions()


# --- signatures -------------------------------------------------------------------------------


def compile_signature(half: Half, signature: Any) -> None:  # Any: text, or types
    """Compile for a written signature.

    Raises SignatureError where it does not fit the function, TypingError where what the function
    returns does not convert to the type that it says.
    """
    written = _read(signature)
    wanted = len(half.parameters.names)
    if len(written.args) != wanted:
        plural = "" if wanted == 1 else "s"
        raise SignatureError(
            f"{half.py_func.__name__} has {wanted} parameter{plural},"
            f" the signature {len(written.args)}"
        )
    before = half.returns.get(written.args)
    if written.returns is not None and written.returns is not before:
        _declare_return(half, written.args, written.returns)
    try:
        _compile(half, written.args)
    except CompileError:
        half.returns.pop(written.args, None)
        if before is not None:
            half.returns[written.args] = before
        raise


def _declare_return(half: Half, argtypes: tuple[Type, ...], returns: Type) -> None:
    """Convert results of a specialisation; one that returns another type is dropped."""
    if argtypes in half.overloads:
        if _returned(half, argtypes) is returns:
            return
        forget(half, argtypes)
    half.returns[argtypes] = returns


def _returned(half: Half, argtypes: tuple[Type, ...]) -> Type:
    """What a specialisation returns."""
    if argtypes in half.installed:
        return half.installed[argtypes].edited.returns
    unit = half.units.get(argtypes) or compiler.lower(half, argtypes)  # forgotten meanwhile
    return unit.return_type


def _read(signature: Any) -> WrittenSignature:  # Any: text, or a tuple of types
    written = _written(signature)
    returns = written.returns or none
    for ty in (*written.args, returns.inner if isinstance(returns, types.Optional) else returns):
        if not passable(ty):
            raise SignatureError(
                f"a value of type {ty} cannot be passed to or from Python",
                hint="numbers, texts, times, records, None, tuples, ranges, arrays and buffers can",
            )
    return written


def _written(signature: Any) -> WrittenSignature:  # Any: text, or a tuple of types
    if isinstance(signature, str):
        return parse_signature(signature)
    if isinstance(signature, Signature):
        return WrittenSignature(signature.returns, signature.args)
    args = signature if isinstance(signature, tuple) else (signature,)
    if not all(isinstance(ty, Type) for ty in args):
        raise SignatureError(
            f"{signature!r} is not a signature", hint="write for instance 'float64(float64)'"
        )
    return WrittenSignature(None, args)


def wanted_types(half: Half, signature: Any) -> tuple[Type, ...]:  # Any: text, or a tuple of types
    """The argument types that a signature names; those of `signatures` may leave some out."""
    if isinstance(signature, tuple) and signature in half.overloads:
        return signature
    return _read(signature).args


def forget(half: Half, signature: Any = None) -> None:  # Any: text, or a tuple of types
    """Drop one specialisation, or all; its machine code is freed when no call runs in it."""
    wanted = None if signature is None else wanted_types(half, signature)
    with interrupts.deferred(), INSTALLING:
        half.generation += 1
        for argtypes in list(half.overloads) if wanted is None else [wanted]:
            half.overloads.pop(argtypes, None)
            half.units.pop(argtypes, None)
            half.installed.pop(argtypes, None)
        kept = list(half.overloads.values())
        if half.flags.cache:
            half.cache.loaded = {n: made for n, made in half.cache.loaded.items() if made in kept}
        _give_all(half)


def _give_all(half: Half) -> None:
    """Give the C half the specialisations that there are, and no others."""
    half.dispatcher._clear()
    for argtypes, made in half.overloads.items():
        half.dispatcher._add(made, *(() if made.codes else (codes(argtypes),)))


def exchange(
    half: Half, argtypes: tuple[Type, ...], made: Specialization | None
) -> Specialization | None:
    """Put a specialisation in the place of another one, or away; gives the one that was there.

    Calls that run in that one go on in it.
    """
    with interrupts.deferred(), INSTALLING:
        before = half.overloads.get(argtypes)
        if made is None:
            half.overloads.pop(argtypes, None)
        else:
            _learn_omitted(half, argtypes)
            half.overloads[argtypes] = made
        _give_all(half)
    return before


def _learn_omitted(half: Half, argtypes: tuple[Type, ...]) -> None:
    for place, ty in enumerate(argtypes):
        if isinstance(ty, Omitted):
            half.dispatcher._learn_omitted(place, ty.typecode)


# --- how calls are dispatched -----------------------------------------------------------------


def explain(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> DispatchExplanation:
    """What would become of a call; nothing is compiled.

    Raises TypeError where the arguments do not fit the parameters, TypingError where one of them
    cannot be passed to compiled code.
    """
    bound = bind(half, args, kwargs)
    argtypes = with_literals(half, _argument_types(half, bound), bound)
    plan = half.dispatcher._plan(*args, **kwargs)
    spec = plan["specialization"]
    plan["chosen"] = next((ty for ty, made in list(half.overloads.items()) if made is spec), None)
    found: DispatchExplanation = session.dispatch().explain(
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
    module = session.dispatch()
    found: Specializations = module.Specializations(
        half.py_func.__name__,
        tuple(
            module.SpecializationRecord(
                argtypes,
                _returned(half, argtypes),
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
    found: Stats = session.dispatch().stats_of(specializations(half), cached, path)
    return found


# --- looking inside ---------------------------------------------------------------------------


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
    return [Signature(_returned(half, a), a) for a in list(half.overloads)]


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
        copies, found.not_kept = session.copies(args)
    found.arguments = copies
    found.resume = _resume(half, copies)
    return found


def _resume(half: Half, args: tuple[Any, ...] | None) -> Resume:  # Any: call arguments
    """What goes on from an edit of a trace made with these arguments; None: with types."""

    def resume(
        view: EditedView, given: tuple[Any, ...] | None, unsafe: bool
    ) -> EditedFunction:  # Any: call arguments
        top = load("cutaway.compiling.resuming").Top(
            half, args, native_code, _binder(half), types_of
        )
        made: EditedFunction = top.resume(view, given, unsafe)
        return made

    def types_of(bound: tuple[Any, ...]) -> tuple[Type, ...]:  # Any: call arguments
        return with_literals(half, _argument_types(half, bound), bound)

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
    return session.stepper(
        unit, half.pipeline, native_code, lambda entered: compiler.aside(half, entered, shared)
    )


def _with_values(
    half: Half, args: tuple[Any, ...], compiled: Callable[[tuple[Type, ...]], Compilation]
) -> tuple[tuple[Type, ...], Compilation]:
    """The types of arguments, literal ones where values are needed, and what is compiled for them.

    (Any: call arguments.)
    """
    plain, given = _call_types(half, args), _binder(half)(*args)
    while True:
        argtypes = with_literals(half, plain, given)
        found = compiled(argtypes)
        if not isinstance(found.error, LiteralNeeded):
            return argtypes, found
        _note_literals(half, plain, given, found.error)


def _call_types(half: Half, args: tuple[Any, ...]) -> tuple[Type, ...]:
    return _argument_types(half, _binder(half)(*args), _given_type)


def _given_type(value: Any) -> Type:  # Any: a call argument
    """The type of an argument; a type stands for any value of it."""
    if type(value) is tuple:
        return Tuple(tuple(map(_given_type, value)))
    return value if isinstance(value, Type) else typeof(value)


def native_code(unit: CompileUnit, level: Level) -> Callable[..., Any]:  # Any: user's arguments
    """A callable made of the LLVM IR or the machine code that a unit has at a level."""
    later = unit if level is Level.asm and unit.has("library") else _relinked(unit, level)
    made = compiler.specialization(later)
    parameters = parameters_of(unit.pyfunc)

    def call(*args: Any) -> Any:  # Any: see above
        bound = parameters.bind(args, ABSENT)
        _learn_extensions(bound, unit.argtypes or ())
        return made(*bound)

    return call


def _learn_extensions(bound: tuple[Any, ...], argtypes: tuple[Type, ...]) -> None:
    """Teach the C half values of extension types, which it may never have seen in a call.

    (Any: call arguments.)
    """
    for value, ty in zip(bound, argtypes, strict=True):
        if value is not ABSENT and is_extension(ty) and typeof(value) is ty:
            _learn(value, ty)


def _relinked(unit: CompileUnit, level: Level) -> CompileUnit:
    later = unit.copy()
    later.__dict__.pop("library", None)
    if level is not Level.asm:
        module = Module(unit.llvm if level is Level.llvm else unit.llvm_opt)
        module.optimize(NOTHING.on(unit.plan.cpu))
        later.object_code = module.object_code()
    link.run(later)
    return later
