"""`choice`: items of an array, or numbers below one."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    is_array,
    is_integral,
    left_out,
    private,
)
from cutaway.library.random.bounded import draw_between, fill_between
from cutaway.library.random.by_python import assign
from cutaway.library.random.drawing import draw, shape_for
from cutaway.library.random.kit import GENERATOR, STATE, is_size, methods
from cutaway.library.random.shuffling import is_first
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- with replacement, each as likely ----------------------------------------------------------


@private
def _span(count):
    return np.uint64(0), np.uint64(count - 1)


def _items(a: Any, words: tuple[str, str], size: Any) -> Any:
    """What draws items of a line, or numbers below one; the words are of its errors."""
    of_none, of_empty = words

    @private
    def number(rng, a, size):
        if a <= 0:
            raise ValueError(of_none)
        return draw_between(rng, "int64", _span(a))

    @private
    def numbers(rng, a, size):
        out = np.empty(shape_for(rng, "random", (), size), np.int64)
        if a <= 0 and out.size:
            raise ValueError(of_none)
        fill_between(rng, "int64", out, _span(a))
        return out

    @private
    def item(rng, a, size):
        if len(a) == 0:
            raise ValueError(of_empty)
        return a[draw_between(rng, "int64", _span(len(a)))]

    @private
    def items(rng, a, size):
        places = np.empty(shape_for(rng, "random", (), size), np.int64)
        if len(a) == 0 and places.size:
            raise ValueError(of_empty)
        fill_between(rng, "int64", places, _span(len(a)))
        out = np.empty(places.shape, a.dtype)
        line, into = places.ravel(), out.ravel()
        for k in range(len(line)):
            into[k] = a[line[k]]
        return out

    if isinstance(a, Array):
        return item if left_out(size) else items
    return number if left_out(size) else numbers


# --- with replacement, by probabilities ---------------------------------------------------------

_MARGIN = 1e-8  # of a sum of probabilities, beside 1; NumPy has the root of an epsilon


@private
def _sums(p, count):
    """The sums of probabilities up to each.  Raises ValueError, where NumPy does, with no words: it
    is asked for these."""
    sums, total, lost, bad = np.empty(len(p)), 0.0, 0.0, len(p) != count or len(p) == 0
    for k in range(len(p)):
        bad |= not p[k] >= 0.0
        part = p[k] - lost  # as Kahan adds up, to compare with 1
        more = total + part
        lost = (more - total) - part
        total = more
        sums[k] = p[k] if k == 0 else sums[k - 1] + p[k]
    return sums, bad or not abs(total - 1.0) <= _MARGIN


@private
def _weighted_place(rng, sums):
    x, last = draw(rng, "random", ()), sums[len(sums) - 1]
    low, high = 0, len(sums)
    while low < high:
        middle = (low + high) >> 1
        if x < sums[middle] / last:
            high = middle
        else:
            low = middle + 1
    return low


def _weighted(a: Any, size: Any) -> Any:
    """What draws by probabilities; where they are not good, NumPy says so."""
    by_numpy = _by_numpy(a, size)

    @private
    def places(rng, count, sums, size):
        out = np.empty(dimensions(size), np.int64)
        line = out.ravel()
        for k in range(len(line)):
            line[k] = _weighted_place(rng, sums)
        return out

    @private
    def number(rng, a, size, p, params):
        sums, bad = _sums(p, a)
        if bad:
            return by_numpy(rng, a, size, params)
        return _weighted_place(rng, sums)

    @private
    def numbers(rng, a, size, p, params):
        sums, bad = _sums(p, a)
        if bad:
            return by_numpy(rng, a, size, params)
        return places(rng, a, sums, size)

    @private
    def item(rng, a, size, p, params):
        sums, bad = _sums(p, len(a))
        if bad:
            return by_numpy(rng, a, size, params)
        return a[_weighted_place(rng, sums)]

    if isinstance(a, Array):
        return item if left_out(size) else None
    return number if left_out(size) else numbers


def _is_weighted(a: Any, replace: Any, p: Any) -> bool:
    if not isinstance(p, Array) or p.ndim != 1 or p.dtype is not types.float64:
        return False
    line = is_integral(a) or a.ndim == 1
    return bool(line and flag(replace))


# --- everything else is done by NumPy ----------------------------------------------------------


def dimensions(size):
    """A size as a shape; of none that of a number."""
    return () if size is None else tuple(np.atleast_1d(size).tolist())


@overload(dimensions, jit_options=OPTIONS)
def _dimensions_of(size):
    if left_out(size):
        return lambda size: ()
    return (lambda size: size) if isinstance(size, Tuple) else (lambda size: (size,))


def _by_numpy(a: Any, size: Any) -> Any:
    """What has NumPy draw, into an array of the shape that the result has."""
    dtype = types.to_dtype(a.dtype) if isinstance(a, Array) else np.dtype(np.int64)

    @private
    def of_numbers(rng, a, size, params):
        out = np.empty(dimensions(size), dtype)
        assign(rng, "choice", out, params)
        return out

    @private
    def of_rows(rng, a, size, params):
        out = np.empty(dimensions(size) + a.shape[1:], dtype)
        assign(rng, "choice", out, params)
        return out

    make = of_rows if isinstance(a, Array) and a.ndim > 1 else of_numbers

    @private
    def one(rng, a, size, params):
        return make(rng, a, size, params)[()]

    return one if left_out(size) and make is of_numbers else make


def _is_population(a: Any) -> bool:
    return is_integral(a) or (is_array(a) and a.ndim > 0)


def _is_plain(a: Any, replace: Any, p: Any) -> bool:
    line = is_integral(a) or a.ndim == 1
    return bool(line and left_out(p) and flag(replace))


def _are_shares(p: Any) -> bool:
    return left_out(p) or is_array(p) or isinstance(p, Tuple)


@methods(STATE, "choice")
def _choice(rng, a, size=None, replace=True, p=None):
    if not _is_population(a) or not is_size(size) or not _are_shares(p):
        return None
    if _is_plain(a, replace, p):
        words = "a must be greater than 0 unless no samples are taken"
        draw = _items(a, (words, "'a' cannot be empty unless no samples are taken"), size)
        return lambda rng, a, size=None, replace=True, p=None: draw(rng, a, size)
    make = _by_numpy(a, size)
    weighted = _weighted(a, size) if _is_weighted(a, replace, p) else None

    def by_weight(rng, a, size=None, replace=True, p=None):
        return weighted(rng, a, size, p, (a, size, replace, p))

    def choice(rng, a, size=None, replace=True, p=None):
        return make(rng, a, size, (a, size, replace, p))

    return by_weight if weighted else choice


@methods(GENERATOR, "choice")
def _choice_axis(rng, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    if not _is_population(a) or not is_size(size) or not _are_shares(p):
        return None
    if isinstance(a, Array) and a.ndim > 1 and not is_first(axis):
        return None
    if _is_plain(a, replace, p):
        words = "a must be a positive integer unless no samples are taken"
        draw = _items(a, (words, "a cannot be empty unless no samples are taken"), size)

        def plain(rng, a, size=None, replace=True, p=None, axis=0, shuffle=True):
            return draw(rng, a, size)

        return plain
    make = _by_numpy(a, size)
    weighted = _weighted(a, size) if _is_weighted(a, replace, p) else None

    def by_weight(rng, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        return weighted(rng, a, size, p, (a, size, replace, p, axis, shuffle))

    def choice(rng, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        return make(rng, a, size, (a, size, replace, p, axis, shuffle))

    return by_weight if weighted else choice
