"""The decorators `vectorize` and `guvectorize`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from cutaway.cuda.ufuncs import making
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.errors import OptionError, SignatureError
from cutaway.foundation.options import shown
from cutaway.ufuncs.generalized import Generalized
from cutaway.ufuncs.layout import Layout, parse_layout
from cutaway.ufuncs.options import is_on_gpu, read_options
from cutaway.ufuncs.vectorized import Vectorized
from cutaway.ufuncs.written import written_parameters

if TYPE_CHECKING:
    from typing import Unpack

    import numpy as np

    from cutaway.dispatch_c._dispatch import GrowingUfunc
    from cutaway.foundation.option_types import Signatures, UfuncOptions

MOST_OPERANDS = 32  # the limit of every NumPy 2


@overload
def vectorize(function: Callable[..., Any], /) -> GrowingUfunc: ...


@overload
def vectorize(
    signatures: None = None, /, **options: Unpack[UfuncOptions]
) -> Callable[[Callable[..., Any]], GrowingUfunc]: ...


@overload
def vectorize(
    signatures: Signatures, /, **options: Unpack[UfuncOptions]
) -> Callable[[Callable[..., Any]], np.ufunc]: ...


@overload
def vectorize(function: Callable[..., Any], /, **options: Unpack[UfuncOptions]) -> GrowingUfunc: ...


def vectorize(signatures_or_function: Any = None, /, **options: Any) -> Any:
    """Make a NumPy ufunc from a function that computes one element.

    With signatures, one or a list of them (`@vectorize(["float64(float64, float64)"])`), the loops
    are compiled immediately, and the result is a `np.ufunc` with these loops in this order.
    Without, `@vectorize`, it is an object with the same methods, which gains a loop whenever it is
    called with types that no loop takes without loss.  Inside of compiled code both are computed
    element by element within the expressions that they stand in.

    A kernel that returns a tuple of numbers makes a ufunc with several results.

    With `target="cuda"` the function runs on a GPU, and the result is not a `np.ufunc` but is
    called like one; it takes arrays of the host and of the GPU, and the option `stream` in calls.

    Options: `identity` (0, 1, None or "reorderable": the start value of a reduction), `target`
    ("cpu", "parallel", which runs in one thread for now, or "cuda"), `cache`, `nopython`, and those
    of `@jit` about the code: `boundscheck`, `overflow`, `error_model` (here "numpy" by default),
    `fastmath`, `vector_math`, `inline`, `locals`.

    Raises OptionError for an unknown option, SignatureError for a signature that does not fit, and
    CompileError if the function cannot be compiled for one.
    """
    half_of = _halves("vectorize", options)
    function = _function(signatures_or_function)
    if function is not None:
        return half_of(_checked("vectorize", function)).growing()
    written = _signatures("vectorize", signatures_or_function)

    def decorate(function: Any) -> Any:
        half = half_of(_checked("vectorize", function))
        return half.closed(written) if written else half.growing()

    return decorate


@overload
def guvectorize(
    layout: str, /, **options: Unpack[UfuncOptions]
) -> Callable[[Callable[..., Any]], GrowingUfunc]: ...


@overload
def guvectorize(
    signatures: Signatures, layout: str, /, **options: Unpack[UfuncOptions]
) -> Callable[[Callable[..., Any]], np.ufunc]: ...


def guvectorize(*signatures_and_layout: Any, **options: Any) -> Callable[[Any], Any]:
    """Make a generalized ufunc from a function of parts of arrays.

    The layout `(m,n),(n)->(m)` names the core dimensions of each input and output.  The function
    receives arrays with these dimensions, the outputs last, and stores its results in them; NumPy
    broadcasts and loops over all other dimensions.  An input without core dimensions is a number,
    an output an array of one element.  A layout without `->` has inputs alone, of which
    `writable_args` lists those the function writes to, by default those whose items it stores by
    name; a call then returns `()`, as in NumPy.

    With signatures in front of the layout (`@guvectorize(["void(float64[:], float64[:])"],
    "(n)->()")`) the loops are compiled immediately, and the result is a `np.ufunc`.  Without, it
    gains loops when it is called; the types of outputs are those of the arrays passed for them.

    Options: those of `vectorize`, and `writable_args` (indices or names of inputs that the function
    writes to).

    Raises OptionError for an unknown option, SignatureError for a layout or a signature that does
    not fit, and CompileError if the function cannot be compiled.
    """
    if len(signatures_and_layout) not in (1, 2):
        raise OptionError(
            "@guvectorize takes signatures and a layout, or a layout alone",
            hint='@guvectorize(["void(float64[:], float64[:])"], "(n)->()")',
        )
    *first, last = signatures_and_layout
    if _function(last) is not None:
        raise OptionError("@guvectorize needs a layout", hint='@guvectorize("(n)->()")')
    layout = parse_layout(last)
    if not layout.outputs and is_on_gpu(options):
        raise OptionError(
            f"@guvectorize(target='cuda') needs an output, which the layout {layout} does not have",
            hint="name it behind `->`: '(n)->(n)'",
        )
    _halves("guvectorize", options)  # raises for options that there are not
    written = _signatures("guvectorize", first[0]) if first else []

    def decorate(function: Any) -> Any:
        checked = _checked("guvectorize", function)
        _check_parameters(checked, layout)
        in_place = _written_in_place(checked, layout, options)
        half = _halves("guvectorize", options | in_place)(checked, layout)
        return half.closed(written) if written else half.growing()

    return decorate


def _written_in_place(
    function: FunctionType, layout: Layout, options: dict[str, Any]
) -> dict[str, Any]:
    """Return the `writable_args` of a function without outputs, if not specified: the inputs whose
    items it stores.

    Raises SignatureError if it stores none.
    """
    if layout.outputs or options.get("writable_args"):
        return {}
    written = written_parameters(function.__code__)
    if not written:
        raise SignatureError(
            f"the layout {layout} has no output, and no input is said to be written to",
            hint="name the outputs behind `->`, '(n)->(n)', or say writable_args=(1,)",
        )
    return {"writable_args": written}


def _halves(decorator: str, options: dict[str, Any]) -> Callable[..., Any]:
    """Return the constructor of a half for the target, from a function or from one with its layout.

    Raises OptionError for an unknown option.
    """
    if is_on_gpu(options):
        made: Callable[..., Any] = making.halves(decorator, options)
        return made
    read = read_options(decorator, options)
    if decorator == "vectorize":
        return lambda function: Vectorized(function, read)
    return lambda function, layout: Generalized(function, read, layout)


def _function(thing: Any) -> FunctionType | None:
    """Return the Python function, also of a compiled one; None for anything else."""
    if isinstance(thing, Dispatcher):
        return thing.half.py_func
    return thing if isinstance(thing, FunctionType) else None


def _checked(decorator: str, thing: Any) -> FunctionType:
    """Return the Python function, checked to have operands as parameters.

    Raises OptionError for anything else.
    """
    function = _function(thing)
    if function is None:
        raise OptionError(f"@{decorator} decorates a Python function, not {shown(thing)}")
    code = function.__code__
    stars = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if code.co_flags & stars or code.co_kwonlyargcount or not code.co_argcount:
        raise OptionError(
            f"@{decorator}: each parameter of {function.__name__} is one operand",
            hint="use plain parameters, one or more: no *args, no keyword-only ones",
        )
    if code.co_argcount + (decorator == "vectorize") > MOST_OPERANDS:
        raise OptionError(
            f"@{decorator}: a ufunc has at most {MOST_OPERANDS} operands, results included"
        )
    return function


def _signatures(decorator: str, written: Any) -> list[Any]:
    if written is None:
        return []
    if isinstance(written, list):
        return list(written)
    if isinstance(written, tuple) and not any(hasattr(one, "is_none") for one in written):
        return list(written)  # a list of signatures; a tuple of types is one signature
    typed = hasattr(written, "is_none") or hasattr(written, "args")
    if isinstance(written, str | tuple) or (typed and not isinstance(written, type)):
        return [written]
    raise OptionError(
        f"@{decorator} takes signatures or a function, not {shown(written)}",
        hint=f'@{decorator}(["float64(float64)"])' if decorator == "vectorize" else "",
    )


def _check_parameters(function: FunctionType, layout: Layout) -> None:
    count, wanted = function.__code__.co_argcount, len(layout.operands)
    if count != wanted:
        plural = "" if count == 1 else "s"
        raise SignatureError(
            f"{function.__name__} has {count} parameter{plural}, and the layout {layout} has"
            f" {wanted} operands",
            hint="inputs and outputs are all parameters of the kernel, the outputs last",
        )
