"""The decorators, and traces of functions that need no decorator."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from cutaway import config
from cutaway.dispatch.dispatcher import make_dispatcher
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.errors import OptionError
from cutaway.foundation.options import (
    CHECKED,
    check_pipeline,
    flags_from_options,
    shown,
    with_article,
)

if TYPE_CHECKING:
    from typing import Unpack

    from cutaway.dispatch.dispatcher import Half
    from cutaway.foundation.option_types import JitOptions, Signatures
    from cutaway.inspection.races.report import RaceReport
    from cutaway.inspection.recording.stepper import Stepper
    from cutaway.inspection.trace import Compilation
    from cutaway.stages.pipeline import Pipeline

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(signature_or_function: Callable[P, R], /) -> Dispatcher[P, R]: ...


@overload
def jit(
    signature_or_function: Signatures | None = None,
    *,
    pipeline: Pipeline | None = None,
    **options: Unpack[JitOptions],
) -> Callable[[Callable[P, R]], Dispatcher[P, R]]: ...


@overload
def jit(
    signature_or_function: Callable[P, R],
    *,
    pipeline: Pipeline | None = None,
    **options: Unpack[JitOptions],
) -> Dispatcher[P, R]: ...


def jit(
    signature_or_function: Any = None,
    *,
    pipeline: Pipeline | None = None,
    **options: Any,
) -> Any:
    """Compile a function when it is called, once per combination of argument types.

    Use it bare (`@jit`), with options (`@jit(boundscheck=False)`), or with one signature or a
    list of them (`@jit("float64(float64)")`): then the function is compiled immediately, and
    only for these signatures.

    Options: `boundscheck` (bool, default True), `overflow` ("wrap" or "raise"), `error_model`
    ("python" or "numpy"), `float_to_int` ("raise" or "astype": NaN becomes an integer as where
    whole arrays are converted), `fastmath` (bool, or names of LLVM flags), `vector_math` (bool:
    functions such as exp are polynomials within the loop, off by a few units in the last place; on
    with `fastmath`), `nogil` (bool: other Python threads run during a call), `cache` (bool: machine
    code is stored on disk for later processes, see `f.cache_info()`), `locals` (a dict of variables
    and their types), `inline` ("never", "always", or a function that decides), `forceinline` (bool:
    LLVM puts the code in the place of each call), `parallel` (bool: loops over `prange` run on all
    cores; "check": and are checked for races in front of the first call; or a dict of parts,
    `{"races": "allowed"}`), `forceobj` (bool: object mode, in which every value
    is a Python object: all of the language but `async` and `except*`, at about Python's own
    speed; see docs/object_mode.md), `looplift` (bool, default True: in object mode loops whose
    values have types are compiled with them).  `pipeline` is the Pipeline to compile with.
    Numba's options that have no effect here (`nopython`, ...) are accepted with the values that
    request nothing.

    Raises OptionError for an unknown option, SignatureError for a signature that cannot be
    parsed, and with explicit signatures CompileError if the function cannot be compiled.

    If `cutaway.config.DISABLE_JIT` is set, `jit` returns the Python function itself, with itself
    as its `py_func`: for a debugger, or for comparison.
    """
    make = _as_it_is if config.value("DISABLE_JIT") else make_dispatcher
    return _decorator(signature_or_function, make, pipeline, options)


def compiled(
    function: FunctionType, *, pipeline: Pipeline | None = None, **options: Any
) -> Dispatcher[..., Any]:
    """Return the dispatcher that `jit` creates, regardless of DISABLE_JIT; used for inspection."""
    dispatcher: Dispatcher[..., Any] = _decorator(function, make_dispatcher, pipeline, options)
    return dispatcher


def _as_it_is(function: FunctionType, *_: object) -> FunctionType:
    function.py_func = function  # type: ignore[attr-defined]
    return function


def _decorator(
    signature_or_function: Any, make: Callable[..., Any], pipeline: Any, options: dict[str, Any]
) -> Any:
    check_pipeline(pipeline)
    flags = flags_from_options(options)
    if isinstance(signature_or_function, FunctionType):
        return make(signature_or_function, flags, (), pipeline)
    written = _signatures(signature_or_function)
    if written and CHECKED in flags.parallel:
        raise OptionError(
            'option parallel="check" looks at the arguments of calls, and signatures have none',
            hint="remove the signatures, or write parallel=True and call cutaway.check_races",
        )

    def decorate(function: FunctionType) -> Any:
        if not isinstance(function, FunctionType):
            raise _no_function(function)
        return make(function, flags, written, pipeline)

    return decorate


if TYPE_CHECKING:
    njit = jit
else:

    def njit(*args, **options):
        """Return the same as `jit`: compiled code never falls back to the interpreter."""
        return jit(*args, **options)


def jit_module(**options: Any) -> None:
    """Compile all functions that the calling module has defined so far, with these options of
    `jit`; those that are decorated already stay as they are.

    Raises what `jit` raises, and OptionError where no module calls it.
    """
    frame = sys._getframe(1)
    space = frame.f_globals
    if frame.f_locals is not space:
        raise OptionError("jit_module is called by a module", hint="write it outside of functions")
    for name, value in list(space.items()):
        if isinstance(value, FunctionType) and value.__module__ == space["__name__"]:
            space[name] = jit(value, **options)


def trace(function: Any, *args: Any, level: str = "pass", memory: bool = False) -> Compilation:
    """Compile a function for these arguments and record every pass (level "pass"), or also every
    rewrite ("rewrite"), and with `memory` the bytes that each pass allocates.  The function
    need not be decorated.

    Raises OptionError if it is not a Python or compiled function.  An error of the compilation
    does not raise: it is the `error` of the result.
    """
    return half_of(function).trace(*args, level=level, memory=memory)


def step(function: Any, *args: Any) -> Stepper:
    """Return a stepper before the first pass of a function's compilation for these arguments.

    Raises OptionError if it is not a Python or compiled function.
    """
    return half_of(function).step(*args)


def check_races(function: Any, *args: Any, seconds: float = 60.0) -> RaceReport:
    """Check the function's parallel loops for conflicts between iterations, for these arguments:
    returns a report, which is true if there are any.

    A loop over `prange` is a parallel one here, whatever the options of the function.  The
    interpreter runs it in a child process, on copies of the arguments, with the compiled functions
    that it calls, for at most so many seconds; anything that it does not reach or analyze is in the
    report's `unchecked`.

    Raises OptionError if it is not a Python or compiled function, and CompileError if it cannot be
    compiled for these arguments.
    """
    report: RaceReport = half_of(function).check_races(*args, seconds=seconds)
    return report


def half_of(function: Any) -> Half:
    """Return the Python half of a function, which need not be decorated.

    Raises OptionError if it is not a function.
    """
    if isinstance(function, FunctionType):
        function = compiled(function)
    half: Half | None = None if isinstance(function, type) else getattr(function, "half", None)
    if half is None:
        raise OptionError(
            f"only a Python function can be compiled and traced, not {kind_of(function)}",
            hint="pass the function first, then the arguments of a call",
        )
    return half


def kind_of(thing: Any) -> str:
    """Return a noun for a thing that is not a Python function, with its article."""
    match thing:
        case type():
            return "a class"
        case BuiltinFunctionType():
            return "a built-in function"
        case MethodType():
            return "a bound method"
    return with_article(type(thing).__name__) if callable(thing) else shown(thing)


def _signatures(written: Any) -> tuple[Any, ...]:
    """Return the signatures that the user wrote.

    Raises OptionError for an object that is clearly no signature; text is parsed later.
    """
    if written is None:
        return ()
    if isinstance(written, list):
        if not written:
            raise OptionError("the list of signatures is empty", hint="write @jit without it")
        return tuple(written)
    # Types and signatures are recognized by their attributes: their modules load when needed.
    typed = hasattr(written, "is_none") or (
        hasattr(written, "returns") and hasattr(written, "args")
    )
    if isinstance(written, str | tuple) or (typed and not isinstance(written, type)):
        return (written,)
    raise _no_function(written)


def _no_function(thing: Any) -> OptionError:
    if isinstance(thing, Dispatcher):
        return OptionError("the function is already decorated with @jit", hint="write @jit once")
    if isinstance(thing, staticmethod | classmethod | property):
        hint = f"write @{type(thing).__name__} above @jit"
    elif isinstance(thing, type) and thing.__module__ not in ("builtins", "numpy"):
        hint = "decorate functions; classes cannot be compiled"
    elif isinstance(thing, type) or not callable(thing):
        hint = 'write a signature as text: @jit("float64(float64)")'
    else:
        hint = "write a Python function that calls it"
    return OptionError(f"@jit decorates a Python function, not {kind_of(thing)}", hint=hint)
