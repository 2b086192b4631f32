"""Distributions that a Generator draws in single precision too, and into arrays that are there; and
those of a RandomState that are told their shape in other ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import asked_dtype
from cutaway.library.arrays.kit.shapes import require
from cutaway.library.arrays.kit.typers import left_out, private
from cutaway.library.random.drawing import fill, shape_for
from cutaway.library.random.kit import GENERATOR, STATE, are_given, drawn, is_size, methods
from cutaway.typing import types
from cutaway.typing.types import Array, String, Tuple, Type

# --- results that are asked for -----------------------------------------------------------------

_BEHAVED = "contiguous, writable, aligned, and in machine byte-order."
_PLAIN = f"Supplied output array must be {_BEHAVED}"
_IN_C = f"Supplied output array must be C-{_BEHAVED}"


def _wanted(dtype: Any) -> Type | None:
    """The element type that is asked for."""
    if dtype is np.float64 or isinstance(dtype, types.Omitted):
        return types.float64
    return asked_dtype(dtype, types.float64)


def _refusal(out: Array, wanted: Type, in_order: bool) -> tuple[type[Exception], str] | None:
    """The error for an array that cannot take the numbers; None where it can."""
    layouts = "C" if in_order else "CF"
    if out.layout not in layouts or out.readonly or not out.aligned:
        return ValueError, _IN_C if in_order else _PLAIN
    if out.dtype is not wanted:
        names = types.to_dtype(wanted), types.to_dtype(out.dtype)
        expected = "Expected {}, got {}".format(*names)
        return TypeError, f"Supplied output array has the wrong type. {expected}"
    return None


def _raising(exception: type[Exception], words: str):
    @private
    def refuse(rng, name, params, size, out):
        raise exception(words)

    return refuse


@private
def _into_c(rng, name, params, size, out):
    _check_size(size, out)
    fill(rng, name, out, params)
    return out


@private
def _into_f(rng, name, params, size, out):
    """The numbers go into memory one after the other, whatever the order of the axes."""
    _check_size(size, out)
    fill(rng, name, out.T, params)
    return out


@private
def _into_shape(rng, name, params, size, out):
    """The parameters must fit the array as it is."""
    _check_size(size, out)
    shape_for(rng, name, params, out.shape)
    fill(rng, name, out, params)
    return out


def _check_size(size, out):
    """Raise ValueError where a size was asked for that the array has not."""
    if size is not None and tuple(np.atleast_1d(size)) != out.shape:
        raise ValueError(_OTHER_SIZE)


_OTHER_SIZE = "size must match out.shape when used together"


@overload(_check_size)
def _check_size_of(size, out):
    def of_number(size, out):
        require(size == out.shape[0], _OTHER_SIZE, ())

    def of_shape(size, out):
        require(size == out.shape, _OTHER_SIZE, ())

    def of_another(size, out):
        raise ValueError(_OTHER_SIZE)

    if left_out(size):
        return lambda size, out: None
    if isinstance(size, Tuple):
        return of_shape if len(size.items) == out.ndim else of_another
    return of_number if out.ndim == 1 else of_another


@private
def _anew(rng, name, params, size, out):
    return drawn(rng, name, params, size)


def _drawing(param: Any, out: Any, wanted: Type) -> Any:
    """The function that draws a number, an array, or into one that is there."""
    if left_out(out):
        return _anew
    if not isinstance(out, Array):
        return None
    in_order = param is not None
    refusal = _refusal(out, wanted, in_order)
    if refusal is not None:
        return _raising(*refusal)
    if in_order:
        return _into_shape
    return _into_c if out.layout == "C" else _into_f


def _unsupported(dtype: Type, name: str) -> Any:
    """What raises for a dtype that is not one of the two."""
    return _raising(TypeError, f"Unsupported dtype {types.to_dtype(dtype)!r} for {name}")


def _plan(param: Any, dtype: Any, out: Any, name: str) -> tuple[Any, str]:
    """The function that draws, and what code calls the distribution."""
    wanted = _wanted(dtype)
    if wanted is None:
        return None, name
    if wanted not in (types.float64, types.float32):
        return _unsupported(wanted, name), name
    single = ".single" * (wanted is types.float32)
    return _drawing(param, out, wanted), name + single


def _of_no_parameters(name):
    def typer(rng, size=None, dtype=np.float64, out=None):
        make, full = _plan(None, dtype, out, name)
        if make is None or not is_size(size):
            return None
        return lambda rng, size=None, dtype=np.float64, out=None: make(rng, full, (), size, out)

    return typer


methods(GENERATOR, "random")(_of_no_parameters("random"))
methods(GENERATOR, "standard_normal")(_of_no_parameters("standard_normal"))


@methods(GENERATOR, "standard_exponential")
def _standard_exponential(rng, size=None, dtype=np.float64, method="zig", out=None):
    how = _text(method)
    if how is None:
        return None
    stem = "standard_exponential" + ".inverse" * (how != "zig")
    make, full = _plan(None, dtype, out, "standard_exponential")
    full = full.replace("standard_exponential", stem)
    if make is None or not is_size(size):
        return None

    def standard_exponential(rng, size=None, dtype=np.float64, method="zig", out=None):
        return make(rng, full, (), size, out)

    return standard_exponential


def _text(value: Any) -> str | None:
    if isinstance(value, types.Omitted):
        value = value.value
    if isinstance(value, String):
        value = value.value
    return value if isinstance(value, str) else None


@methods(GENERATOR, "standard_gamma")
def _standard_gamma(rng, shape, size=None, dtype=np.float64, out=None):
    make, full = _plan(shape, dtype, out, "standard_gamma")
    if make is None or not are_given((shape,), size):
        return None

    def standard_gamma(rng, shape, size=None, dtype=np.float64, out=None):
        return make(rng, full, (shape,), size, out)

    return standard_gamma


# --- of a RandomState ---------------------------------------------------------------------------


@methods(STATE, "random_sample", "random")
def _random_sample(rng, size=None):
    if not is_size(size):
        return None
    return lambda rng, size=None: drawn(rng, "random", (), size)


@methods(STATE, "standard_normal")
def _standard_normal(rng, size=None):
    if not is_size(size):
        return None
    return lambda rng, size=None: drawn(rng, "standard_normal", (), size)


@methods(STATE, "standard_exponential")
def _frozen_exponential(rng, size=None):
    if not is_size(size):
        return None
    return lambda rng, size=None: drawn(rng, "standard_exponential", (), size)


@methods(STATE, "standard_gamma")
def _frozen_gamma(rng, shape, size=None):
    if not are_given((shape,), size):
        return None
    return lambda rng, shape, size=None: drawn(rng, "standard_gamma", (shape,), size)


@methods(STATE, "tomaxint")
def _tomaxint(rng, size=None):
    if not is_size(size):
        return None
    return lambda rng, size=None: drawn(rng, "tomaxint", (), size)


@methods(STATE, "rand")
def _rand(rng, *sizes):
    if not all(map(is_size, sizes)):
        return None
    if not sizes:
        return lambda rng, *sizes: drawn(rng, "random", (), None)
    return lambda rng, *sizes: drawn(rng, "random", (), sizes)


@methods(STATE, "randn")
def _randn(rng, *sizes):
    if not all(map(is_size, sizes)):
        return None
    if not sizes:
        return lambda rng, *sizes: drawn(rng, "standard_normal", (), None)
    return lambda rng, *sizes: drawn(rng, "standard_normal", (), sizes)
