"""The decorators."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, overload

from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.dispatcher import make_dispatcher
from cutaway.errors import OptionError
from cutaway.options import flags_from_options


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
    `fastmath` (bool, or names of LLVM's flags), `nopython` (True).  `pipeline` is a Pipeline to
    compile with.

    Raises OptionError for an unknown option, SignatureError for a signature that cannot be
    read, and for explicit signatures CompileError where the function cannot be compiled.
    """
    if isinstance(signature_or_function, FunctionType):
        return make_dispatcher(signature_or_function, flags_from_options(options), (), pipeline)
    if isinstance(signature_or_function, Dispatcher):
        raise OptionError("the function is compiled already", hint="write @jit once")
    written = _as_tuple(signature_or_function)
    flags = flags_from_options(options)

    def decorate(function: FunctionType) -> Dispatcher:
        if not isinstance(function, FunctionType):
            kind = type(function).__name__
            raise OptionError(f"@jit decorates a Python function, not a {kind}")
        return make_dispatcher(function, flags, written, pipeline)

    return decorate


def njit(*args: Any, **options: Any) -> Any:  # Any: as jit
    """The same as `jit`: compiled code never falls back to the interpreter."""
    return jit(*args, **options)


def _as_tuple(signatures: Any) -> tuple[Any, ...]:  # Any: signatures in any notation
    if signatures is None:
        return ()
    return tuple(signatures) if isinstance(signatures, list) else (signatures,)
