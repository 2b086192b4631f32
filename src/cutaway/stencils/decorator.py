"""The decorator `stencil`, and its options."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from cutaway.dispatch.dispatcher import make_dispatcher
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.errors import OptionError, did_you_mean
from cutaway.foundation.options import flags_from_options, shown
from cutaway.foundation.stencil_functions import Neighborhood, StencilOptions
from cutaway.stencils.functions import Stencil

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from cutaway.foundation.option_types import StencilOptions as TypedOptions

_OWN = ("func_or_mode", "mode", "neighborhood", "cval", "standard_indexing")
# Options of @jit that apply to a kernel, too.
_OF_JIT = tuple(
    "boundscheck overflow error_model float_to_int fastmath vector_math nogil cache inline"
    " locals nopython parallel debug".split()
)


@overload
def stencil(kernel: Callable[..., Any], /, **options: Unpack[TypedOptions]) -> Stencil: ...


@overload
def stencil(
    border: Literal["constant"] = "constant", /, **options: Unpack[TypedOptions]
) -> Callable[[Callable[..., Any]], Stencil]: ...


def stencil(func_or_mode: Any = "constant", /, **options: Any) -> Any:
    """Make a function of whole arrays from a kernel, which computes one element from its neighbors.

    In the kernel `a[0, -1]` is the element to the left of the one that is computed: indices of
    arrays are relative.  The stencil returns a new array of the first array's shape and of the type
    that the kernel returns, or fills the array passed as `out=`.  Where a neighbor would be outside
    of the array the result is `cval`.

    Use it bare (`@stencil`) or with options: `neighborhood` (a tuple of pairs, the lowest and the
    highest relative index of each dimension; needed where indices are not constant), `cval` (a
    number, 0 by default; with `out=` the border stays as it is unless `cval` is passed),
    `standard_indexing` (a tuple of names: arrays that the kernel indexes as usual), `func_or_mode`
    ("constant", the only mode), and those of `@jit` about the code, `cache` among them.

    Raises OptionError for an unknown option, a value that it does not take, and an argument that is
    not a function.
    """
    function = _function(func_or_mode)
    if function is not None:
        return _made(function, options)
    modes = [options.pop(name) for name in ("func_or_mode", "mode") if name in options]
    for mode in (func_or_mode, *modes):
        inner = _function(mode)
        if inner is not None:
            return _made(inner, options)
        if mode != "constant":
            raise OptionError(
                f"@stencil has no mode {shown(mode)}",
                hint='"constant" is the only one: the border is filled with cval',
            )
    _read(options, None)

    def decorate(function: Any) -> Stencil:
        found = _function(function)
        if found is None:
            raise OptionError(f"@stencil decorates a Python function, not {shown(function)}")
        return _made(found, options)

    return decorate


def _function(thing: Any) -> FunctionType | None:
    """Return the Python function, also of a compiled one; None for anything else."""
    if isinstance(thing, Dispatcher):
        thing = thing.py_func
    return thing if isinstance(thing, FunctionType) else None


def _made(function: FunctionType, options: dict[str, Any]) -> Stencil:
    code = function.__code__
    stars = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if code.co_flags & stars or code.co_kwonlyargcount or not code.co_argcount:
        raise OptionError(
            f"@stencil: each parameter of {function.__name__} is one array or number",
            hint="use plain parameters, one or more: no *args, no keyword-only ones",
        )
    if function.__defaults__:
        raise OptionError(
            f"@stencil: {function.__name__} has parameters with defaults",
            hint="remove the defaults, and pass all arguments",
        )
    names = code.co_varnames[: code.co_argcount]
    if "out" in names:
        raise OptionError(
            f"@stencil: {function.__name__} has a parameter named out",
            hint="name it otherwise: out= of a call is where the results are stored",
        )
    own, flags = _read(options, names)
    return Stencil(make_dispatcher(function, flags), own)


def _read(options: dict[str, Any], names: tuple[str, ...] | None) -> tuple[StencilOptions, Any]:
    """Return the options of a stencil with these parameters, and the flags of its code.

    Raises OptionError.
    """
    known = (*_OWN, *_OF_JIT)
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known, f"options: {', '.join(known)}")
            raise OptionError(f"@stencil has no option {name!r}", hint=hint)
    own = StencilOptions(
        _neighborhood(options.get("neighborhood")),
        _cval(options.get("cval")),
        _standard(options.get("standard_indexing"), names),
    )
    flags = {name: value for name, value in options.items() if name in _OF_JIT}
    return own, flags_from_options(flags)


def _neighborhood(value: Any) -> Neighborhood | None:
    if value is None:
        return None
    try:
        pairs = tuple((_index(low), _index(high)) for low, high in value)
    except (TypeError, ValueError):
        pairs = ()
    if not pairs:
        raise OptionError(
            f"option neighborhood must be a tuple of pairs of integers, not {shown(value)}",
            hint="one pair for each dimension, the lowest and the highest index: ((-1, 1), (0, 1))",
        )
    for low, high in pairs:
        if not -(2**31) <= low <= high < 2**31 and low <= high:
            raise OptionError(
                f"option neighborhood has the pair ({low}, {high})", hint="write indices of 32 bits"
            )
        if low > high:
            raise OptionError(
                f"option neighborhood has the pair ({low}, {high}), whose first index is greater",
                hint=f"write the lowest index first: ({high}, {low})",
            )
    return pairs


def _index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError
    return int(value)


def _cval(value: Any) -> Any:
    if value is None or isinstance(value, int | float | complex | np.number | np.bool_):
        return value
    raise OptionError(
        f"option cval must be a number, not {shown(value)}",
        hint="it is what the border is filled with",
    )


def _standard(value: Any, names: tuple[str, ...] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    given = (value,) if isinstance(value, str) else value
    if not isinstance(given, tuple | list | set | frozenset) or not all(
        isinstance(name, str) for name in given
    ):
        raise OptionError(
            f"option standard_indexing must be a tuple of names, not {shown(value)}",
            hint='standard_indexing=("weights",)',
        )
    for name in given:
        if names is not None and name not in names:
            hint = did_you_mean(name, names, f"parameters: {', '.join(names)}")
            raise OptionError(
                f"option standard_indexing names {name!r}, which is no parameter", hint=hint
            )
    return tuple(sorted(given))
