"""The decorators, and traces of functions that need no decorator."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, overload

from cutaway import config
from cutaway.dispatch.dispatcher import make_dispatcher
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.errors import OptionError
from cutaway.foundation.options import (
    check_locals,
    check_pipeline,
    flags_from_options,
    shown,
    with_article,
)

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.inspection.recording.stepper import Stepper
    from cutaway.inspection.trace import Compilation


@overload
def jit(signature_or_function: FunctionType, /) -> Dispatcher: ...


@overload
def jit(
    signature_or_function: Any = None, /, *, pipeline: Any = None, **options: Any
) -> Callable[[FunctionType], Dispatcher]: ...


def jit(
    signature_or_function: Any = None,  # Any: a function, or signatures in any notation
    /,
    *,
    pipeline: Any = None,  # Any: a Pipeline; naming its class would load the compiler
    **options: Any,  # Any: each option has a type of its own, see options.py
) -> Dispatcher | Callable[[FunctionType], Dispatcher]:
    """Compile a function when it is called, once for each combination of argument types.

    Use it bare (`@jit`), with options (`@jit(boundscheck=False)`), or with one signature or a
    list of them (`@jit("float64(float64)")`): then it is compiled at once and for nothing else.

    Options: `boundscheck` (bool, default True), `error_model` ("python" or "numpy"),
    `fastmath` (bool, or names of LLVM's flags), `nogil` (bool: other Python threads run during a
    call), `cache` (bool: machine code is kept on disk for later processes, see `f.cache_info()`),
    `locals` (a dict of variables and their types), `inline` ("never", "always", or a function that
    decides).  `pipeline` is a Pipeline to compile with.  Options of the reference that change
    nothing here (`nopython`, `parallel=False`, ...) are taken where they ask for nothing.

    Raises OptionError for an unknown option, SignatureError for a signature that cannot be
    read, and for explicit signatures CompileError where the function cannot be compiled.

    While `cutaway.config.DISABLE_JIT` is set, it gives the Python function itself, with itself as
    its `py_func`: for a debugger, or to compare.
    """
    make = _as_it_is if config.value("DISABLE_JIT") else make_dispatcher
    return _decorator(signature_or_function, make, pipeline, options)


def compiled(
    function: FunctionType,
    *,
    pipeline: Any = None,  # Any: see jit
    **options: Any,  # Any: see jit
) -> Dispatcher:
    """What `jit` gives, whatever DISABLE_JIT says: for those who look into compilation."""
    found: Dispatcher = _decorator(function, make_dispatcher, pipeline, options)
    return found


def _as_it_is(function: FunctionType, *_: object) -> FunctionType:
    function.py_func = function  # type: ignore[attr-defined]
    return function


def _decorator(
    signature_or_function: Any,  # Any: see jit
    make: Callable[..., Any],  # Any: a dispatcher, or a function
    pipeline: Any,  # Any: see jit
    options: dict[str, Any],  # Any: see jit
) -> Any:  # Any: what `make` gives, or a decorator
    check_pipeline(pipeline)
    flags = flags_from_options(options)
    if isinstance(signature_or_function, FunctionType):
        check_locals(flags, signature_or_function.__code__)
        return make(signature_or_function, flags, (), pipeline)
    written = _signatures(signature_or_function)

    def decorate(function: FunctionType) -> Any:  # Any: what `make` gives
        if not isinstance(function, FunctionType):
            raise _no_function(function)
        check_locals(flags, function.__code__)
        return make(function, flags, written, pipeline)

    return decorate


def njit(*args: Any, **options: Any) -> Any:  # Any: as jit
    """The same as `jit`: compiled code never falls back to the interpreter."""
    return jit(*args, **options)


def trace(function: Any, *args: Any, level: str = "pass", memory: bool = False) -> Compilation:
    """Compile a function for these arguments, recording every pass (level "pass"), or every
    rewrite in them too ("rewrite"), and with `memory` their bytes; it need not be decorated.

    Raises CompileError where the function cannot be compiled.  (Any: a Python or compiled
    function, and arguments of its own.)
    """
    return half_of(function).trace(*args, level=level, memory=memory)


def step(function: Any, *args: Any) -> Stepper:
    """A stepper in front of the first pass of a function's compilation for these arguments.

    (Any: a Python or compiled function, and arguments of its own.)
    """
    return half_of(function).step(*args)


def half_of(function: Any) -> Half:  # Any: a Python or compiled function
    """The Python half of a function, which need not be decorated.

    Raises OptionError for what is no function.
    """
    if isinstance(function, FunctionType):
        function = compiled(function)
    found: Half | None = None if isinstance(function, type) else getattr(function, "half", None)
    if found is None:
        raise OptionError(
            f"only a Python function can be compiled and traced, not {kind_of(function)}",
            hint="pass the function first, then the arguments of a call",
        )
    return found


def kind_of(thing: Any) -> str:  # Any: what should have been a function
    """What something is that is no Python function, with its article."""
    match thing:
        case type():
            return "a class"
        case BuiltinFunctionType():
            return "a built-in function"
        case MethodType():
            return "a bound method"
    return with_article(type(thing).__name__) if callable(thing) else shown(thing)


def _signatures(given: Any) -> tuple[Any, ...]:  # Any: signatures in any notation, or anything
    """The signatures that the user wrote.

    Raises OptionError for what is none, which a look at it tells; text is read later.
    """
    if given is None:
        return ()
    if isinstance(given, list):
        if not given:
            raise OptionError("the list of signatures is empty", hint="write @jit without it")
        return tuple(given)
    # Types and signatures are known by what they have: their modules are loaded when needed.
    typed = hasattr(given, "is_none") or (hasattr(given, "returns") and hasattr(given, "args"))
    if isinstance(given, str | tuple) or (typed and not isinstance(given, type)):
        return (given,)
    raise _no_function(given)


def _no_function(thing: Any) -> OptionError:  # Any: what should have been a function
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
