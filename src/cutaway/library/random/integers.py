"""`integers` and its like: uniform integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import asked_dtype
from cutaway.library.arrays.kit.shapes import spread
from cutaway.library.arrays.kit.typers import OPTIONS, flag, left_out, private
from cutaway.library.random.bounded import (
    HIGH,
    LOW,
    draw_between,
    fill_between,
    fill_each,
    limits,
    span_of,
)
from cutaway.library.random.drawing import shape_for
from cutaway.library.random.kit import GENERATOR, STATE, counted, is_size, methods
from cutaway.typing import types
from cutaway.typing.types import Array


def _are_arrays(*bounds: Any) -> bool:
    return any(isinstance(one, Array) and one.ndim for one in bounds)


def _is_bound(bound: Any) -> bool:
    if isinstance(bound, Array):
        return types.is_integral(bound.dtype)
    return isinstance(bound, types.Type) and types.is_real(bound)


def between(rng, method, low, high, size, name, closed):
    """Integers of a dtype between bounds: of two bounds, or of two for each element."""
    zero = not np.any(low)
    if size is None and np.ndim(low) == 0 and np.ndim(high) == 0:
        return draw_between(rng, name, span_of(low, high, name, closed, zero))
    out = np.empty(shape_for(rng, method, (low, high), size), name)
    _fill(rng, out, low, high, name, closed, zero)
    return out


def _fill(rng, out, low, high, name, closed, zero):
    lows, sizes = np.empty(out.size, np.uint64), np.empty(out.size, np.uint64)
    pairs = zip(
        np.broadcast_to(low, out.shape).flat, np.broadcast_to(high, out.shape).flat, strict=True
    )
    for k, (a, b) in enumerate(pairs):
        lows[k], sizes[k] = span_of(a, b, name, closed, zero)
    fill_each(rng, name, out, lows, sizes)


@private
def _one(rng, method, low, high, size, name, closed):
    first = counted(low)
    return draw_between(rng, name, span_of(first, counted(high), name, closed, first == 0))


@private
def _many(rng, method, low, high, size, name, closed):
    first, last = counted(low), counted(high)
    out = np.empty(shape_for(rng, method, (), size), name)
    if out.size:  # NumPy does not look at the bounds of none
        fill_between(rng, name, out, span_of(first, last, name, closed, first == 0))
    return out


def _is_zero(x):
    """True if no bound is another number than 0."""
    return not np.any(x)


@overload(_is_zero, jit_options=OPTIONS)
def _zero(x):
    if not isinstance(x, Array):
        return lambda x: x == 0

    def of_array(x):
        for one in x.flat:
            if one:
                return False
        return True

    return of_array


def _elements(x, shape):
    """A bound for each element."""
    return np.broadcast_to(x, shape)


@overload(_elements, jit_options=OPTIONS)
def _elements_of(x, shape):
    if isinstance(x, Array):
        return lambda x, shape: spread(x, shape)
    return lambda x, shape: spread(np.full((), counted(x)), shape)


@private
def _each(rng, method, low, high, size, name, closed):
    out = np.empty(shape_for(rng, method, (low, high), size), name)
    lows, sizes = np.empty(out.size, np.uint64), np.empty(out.size, np.uint64)
    k, zero = 0, _is_zero(low)
    for a, b in zip(_elements(low, out.shape).flat, _elements(high, out.shape).flat):
        lows[k], sizes[k] = span_of(a, b, name, closed, zero)
        k += 1
    if not k:
        _check_each(low, high, name, closed)
    fill_each(rng, name, out, lows, sizes)
    return out


def _check_each(low, high, name, closed):
    """Raise ValueError for a bound that a dtype cannot have, where there is no pair of bounds."""
    least, most = limits(np.dtype(name))
    for one in np.atleast_1d(low).flat:
        if one < least:
            raise ValueError(LOW.format(name))
    for one in np.atleast_1d(high).flat:
        if one - (not closed) > most:
            raise ValueError(HIGH.format(name))


@overload(_check_each, jit_options=OPTIONS, prefer_literal=True)
def _check_each_of(low, high, name, closed):
    least, most = limits(np.dtype(str(name.value)))
    too_low, too_high = LOW.format(name.value), HIGH.format(name.value)

    def check_each(low, high, name, closed):
        for one in np.atleast_1d(low).flat:
            if one < least:
                raise ValueError(too_low)
        for one in np.atleast_1d(high).flat:
            if float(one) - (not closed) > most:
                raise ValueError(too_high)

    fits = most < 1 << 63  # in an int64; no other number is larger than it
    return check_each if fits else (lambda low, high, name, closed: None)


@overload(between, jit_options=OPTIONS)
def _between(rng, method, low, high, size, name, closed):
    make = _each if _are_arrays(low, high) else _one if left_out(size) else _many

    def between(rng, method, low, high, size, name, closed):
        return make(rng, method, low, high, size, name, closed)

    return between if _is_bound(low) and _is_bound(high) and is_size(size) else None


def _wanted(dtype: Any, default: Any) -> np.dtype[Any] | None:
    """The dtype that is asked for; None where it is not known."""
    if dtype is default or isinstance(dtype, types.Omitted):
        return np.dtype(default)
    item = asked_dtype(dtype, types.int64)
    return None if item is None else types.to_dtype(item)


def _refusing(dtype: np.dtype[Any], method: str) -> Any:
    words = f"Unsupported dtype {dtype!r} for {method}"

    @private
    def refuse(rng, method, low, high, size, name, closed):
        raise TypeError(words)

    return refuse


@methods(GENERATOR, "integers")
def _integers(rng, low, high=None, size=None, dtype=np.int64, endpoint=False):
    wanted = _wanted(dtype, np.int64)
    if wanted is None or flag(endpoint) is None and endpoint is not types.boolean:
        return None
    make, name = between if wanted.kind in "bui" else _refusing(wanted, "integers"), wanted.name

    def below(rng, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return make(rng, "integers", 0, low, size, name, bool(endpoint))

    def within(rng, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return make(rng, "integers", low, high, size, name, bool(endpoint))

    return below if left_out(high) else within


@methods(STATE, "randint")
def _randint(rng, low, high=None, size=None, dtype=int):
    wanted = _wanted(dtype, int)
    if wanted is None:
        return None
    make, name = between if wanted.kind in "bui" else _refusing(wanted, "randint"), wanted.name

    def below(rng, low, high=None, size=None, dtype=int):
        return make(rng, "randint", 0, low, size, name, False)

    def within(rng, low, high=None, size=None, dtype=int):
        return make(rng, "randint", low, high, size, name, False)

    return below if left_out(high) else within


@methods(STATE, "random_integers")
def _random_integers(rng, low, high=None, size=None):
    def below(rng, low, high=None, size=None):
        return between(rng, "randint", 1, counted(low) + 1, size, "int64", False)

    def within(rng, low, high=None, size=None):
        return between(rng, "randint", counted(low), counted(high) + 1, size, "int64", False)

    return below if left_out(high) else within
