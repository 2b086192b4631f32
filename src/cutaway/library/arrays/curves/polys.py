"""Polynomials as their coefficients, the highest power first: `poly polyadd polysub polymul polydiv
polyder polyint polyfit roots`; `polyval` is in `curves.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact, joint
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    flag,
    is_array,
    is_integral_or_default,
    is_left_out_or,
    is_number,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Tuple

# --- sums and products ------------------------------------------------------------------------


def _are_lines(*given: Any) -> bool:
    """True if all arguments are numbers, or lines or tuples of numbers."""
    return all(_is_line(one) for one in given)


def _is_line(argument: Any) -> bool:
    if isinstance(argument, Tuple):
        return bool(argument.items) and all(map(is_number, argument.items))
    return are_elements(argument) and dimensions(argument) <= 1


def _kind(argument: Any) -> np.dtype[Any]:
    """The dtype of the elements of a line."""
    if isinstance(argument, Tuple):
        return joint(*argument.items)
    return element_dtype(argument)


def line(c):
    """Coefficients as an array."""
    return np.atleast_1d(np.asarray(c))


@overload(line, jit_options=OPTIONS)
def _line(c):
    return (lambda c: np.array(c)) if isinstance(c, Tuple) else (lambda c: np.atleast_1d(c))


def _register_sum(function: Any, sign: int) -> None:
    @numpy(function)
    def typer(a1, a2):
        if not _are_lines(a1, a2):
            return None
        kind = np.result_type(_kind(a1), _kind(a2))
        if kind.kind == "b" and sign < 0:
            return None

        nothing = np.zeros(1, kind)
        both = np.add if sign > 0 else np.subtract

        def combined(a1, a2):
            first, second = line(a1), line(a2)
            more = len(first) - len(second)
            if more == 0:
                return both(first, second)
            out, k = np.empty(max(len(first), len(second)), kind), abs(more)
            if more > 0:
                both(first[:k], nothing, out[:k])
                both(first[k:], second, out[k:])
            else:
                both(nothing, second[:k], out[:k])
                both(first, second[k:], out[k:])
            return out

        return combined


_register_sum(np.polyadd, 1)
_register_sum(np.polysub, -1)


@private
def without_zeros(c):
    """Coefficients from the first on that is not zero; one is always left."""
    given = line(c)
    start = 0
    while start < len(given) and given[start] == 0:
        start += 1
    return given[start:].copy() if start < len(given) else np.zeros(1, given.dtype)


@numpy(np.polymul)
def _polymul(a1, a2):
    if not _are_lines(a1, a2):
        return None
    return lambda a1, a2: np.convolve(without_zeros(a1), without_zeros(a2))


@numpy(np.polydiv)
def _polydiv(u, v):
    if not _are_lines(u, v):
        return None
    first, second = inexact(_kind(u)), inexact(_kind(v))
    kind = np.result_type(first, second)

    def polydiv(u, v):
        divisor = line(v).astype(second) + second.type(0)  # so that no zero is negative
        rest = line(u).astype(first).astype(kind)
        if not len(rest) or not len(divisor):
            raise IndexError("index 0 is out of bounds for axis 0 with size 0")
        count = len(rest) - len(divisor) + 1
        scale, out = second.type(1) / divisor[:1], np.zeros(max(count, 1), kind)
        for k in range(count):
            factor = scale * rest[k : k + 1]
            out[k] = factor[0]
            rest[k : k + len(divisor)] -= factor * divisor
        start = 0
        while start < len(rest) - 1 and abs(rest[start]) <= 1e-8:
            start += 1
        return out, rest[start:]

    return polydiv


# --- derivatives and integrals ----------------------------------------------------------------


_NO_LENGTH = "len() of unsized object"
_NO_DERIVATIVE = "Order of derivative must be positive (see polyint)"
_NO_INTEGRAL = "Order of integral must be positive (see polyder)"
_DEEPEST = 10_000  # integrals in one call


def _is_single(p: Any) -> bool:
    """True for a number, or an array without dimensions, whose length NumPy asks for."""
    return are_elements(p) and dimensions(p) == 0


@numpy(np.polyder, by_value=True)
def _polyder(p, m=1):
    def misfit(p, m=1):
        if m < 0:
            raise ValueError(_NO_DERIVATIVE)
        raise TypeError(_NO_LENGTH)

    if not _are_lines(p) or not is_integral_or_default(m):
        return None
    if _is_single(p):
        return misfit
    if said(m) == 0:
        return lambda p, m=1: line(p)
    kind = np.result_type(_kind(p), np.int64)

    def polyder(p, m=1):
        if m < 0:
            raise ValueError(_NO_DERIVATIVE)
        out = line(p).astype(kind)
        for _ in range(min(m, len(out))):  # after which nothing is left
            size = max(len(out) - 1, 0)
            out = out[:size] * np.arange(size, 0, -1).astype(kind)
        return out

    return polyder


@private
def _constants(k, count):
    """A constant of integration for each integral."""
    given = line(k)
    if len(given) == 1 and count > 1:
        return given[0] * np.ones(count, given.dtype)
    if len(given) < count:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    return given


@numpy(np.polyint, by_value=True)
def _polyint(p, m=1, k=None):
    def misfit(p, m=1, k=None):
        if m < 0:
            raise ValueError(_NO_INTEGRAL)
        if m == 0:  # the value of the result would have another type
            raise TypeError("the order of an integral of a number must be known when compiling")
        raise TypeError(_NO_LENGTH)

    if not _are_lines(p) or not is_integral_or_default(m):
        return None
    if not left_out(k) and not _are_lines(k):
        return None
    if _is_single(p) and said(m) != 0:
        return misfit
    none = left_out(k)
    if said(m) == 0 and _is_single(p):
        return lambda p, m=1, k=None: np.asarray(p)
    if said(m) == 0:
        return lambda p, m=1, k=None: line(p)
    own = np.result_type(_kind(p), np.int64)
    kind = np.result_type(inexact(own), np.float64 if none else _kind(k))
    starts = private((lambda k, m: np.zeros(m)) if none else _constants)

    def polyint(p, m=1, k=None):
        if m < 0:
            raise ValueError(_NO_INTEGRAL)
        out, begin = line(p).astype(kind), starts(k, m)
        if m > _DEEPEST:  # NumPy's calls itself for each integral
            raise RecursionError("maximum recursion depth exceeded")
        for n in range(m):
            longer = np.empty(len(out) + 1, kind)
            longer[:-1] = out / np.arange(len(out), 0, -1).astype(kind)
            longer[-1] = begin[n]
            out = longer
        return out

    return polyint


# --- roots ------------------------------------------------------------------------------------


@private
def _no_sequence(seq_of_zeros):
    raise TypeError("dispatcher for __array_function__ did not return an iterable")


@numpy(np.poly)
def _poly(seq_of_zeros):
    if _is_single(seq_of_zeros):
        return lambda seq_of_zeros: _no_sequence(seq_of_zeros)
    if isinstance(seq_of_zeros, Tuple) and _is_line(seq_of_zeros):
        return lambda seq_of_zeros: np.poly(line(seq_of_zeros))
    if not is_array(seq_of_zeros):
        return None
    if seq_of_zeros.ndim == 2:
        if isinstance(seq_of_zeros.dtype, types.Complex):
            return lambda seq_of_zeros: np.poly(np.linalg.eigvals(seq_of_zeros))
        return lambda seq_of_zeros: np.poly(np.linalg.eigvals(seq_of_zeros)).real.copy()
    given = element_dtype(seq_of_zeros)
    kind = given if given.char in "fdFD" else np.dtype(np.float64)

    def poly(seq_of_zeros):
        out, factor = np.ones(1, kind), np.ones(2, kind)
        for zero in seq_of_zeros.astype(kind):  # -zero of an unsigned one is large
            factor[1] = -zero
            out = np.convolve(out, factor)
        return out

    return poly if seq_of_zeros.ndim == 1 else None


@numpy(np.roots)
def _roots(p):
    if _is_single(p):
        return lambda p: _no_sequence(p)
    if not _are_lines(p):
        return None
    given = _kind(p)
    kind = given if given.kind in "fc" else np.dtype(np.float64)
    result = np.result_type(kind, np.complex64)

    def roots(p):
        own = line(p).astype(kind)
        places = np.flatnonzero(own)
        if not len(places):
            return np.empty(0, result)
        zeros = len(own) - places[-1] - 1
        own = own[places[0] : places[-1] + 1]
        count = len(own) - 1
        out = np.zeros(count + zeros, result)
        if count:
            table = np.zeros((count, count), kind)
            for k in range(1, count):
                table[k, k - 1] = 1
            table[0] = -own[1:] / own[:1]
            out[:count] = np.linalg.eigvals(table)
        return out

    return roots


# --- fitting ----------------------------------------------------------------------------------


@private
def require_points(x, y, deg):
    """Refuse what no polynomial is fitted to, in NumPy's words."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


def _weighing(w: Any, ndim: int) -> Any:
    """The function that weighs the rows of a system of equations."""

    def by_line(lhs, rhs, w):
        if len(w) != len(rhs):
            raise TypeError("expected w and y to have the same length")
        return lhs * w.reshape(len(w), 1), rhs * w

    def by_rows(lhs, rhs, w):
        if len(w) != len(rhs):
            raise TypeError("expected w and y to have the same length")
        return lhs * w.reshape(len(w), 1), rhs * w.reshape(len(w), 1)

    if left_out(w):
        return private(lambda lhs, rhs, w: (lhs, rhs))
    return private(by_line if ndim == 1 else by_rows)


def _covariance(unscaled: bool, ndim: int) -> Any:
    """The function that gives the covariance of fitted coefficients."""

    def covariance(lhs, scale, resids):
        base = np.linalg.inv(np.dot(lhs.T, lhs)) / np.outer(scale, scale)
        if unscaled:
            return base
        rows, order = lhs.shape
        if rows <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        factor = resids / (rows - order)
        return base * factor if ndim == 1 else base.reshape(order, order, 1) * factor

    return private(covariance)


@numpy(np.polyfit, by_value=True)
def _polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if not is_array(x) or not is_array(y) or x.ndim != 1 or y.ndim not in (1, 2):
        return None
    if not is_integral_or_default(deg) or not is_left_out_or(types.is_real, rcond):
        return None
    if not left_out(w) and not (is_array(w) and w.ndim == 1):
        return None
    unscaled = said(cov) == "unscaled"
    wants_all, wants_cov = flag(full), True if unscaled else flag(cov)
    if wants_all is None or wants_cov is None:
        raise TypingError(
            "`full` and `cov` must be known when compiling", hint="write True or False"
        )
    first, second, machine = inexact(element_dtype(x)), inexact(element_dtype(y)), left_out(rcond)
    eps, weigh = float(np.finfo(first).eps), _weighing(w, y.ndim)
    covariance = _covariance(unscaled, y.ndim)

    @private
    def fit(x, y, deg, rcond, w):
        require_points(x, y, deg)
        limit = len(x) * eps if machine else rcond
        lhs, rhs = weigh(np.vander(x.astype(first), deg + 1), y.astype(second), w)
        scale = np.sqrt((lhs * lhs).sum(axis=0))
        lhs = lhs / scale
        c, resids, rank, s = np.linalg.lstsq(lhs, rhs, limit)
        return (c.T / scale).T, resids, rank, s, limit, lhs, scale

    def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
        return fit(x, y, deg, rcond, w)[0]

    def polyfit_in_full(x, y, deg, rcond=None, full=False, w=None, cov=False):
        return fit(x, y, deg, rcond, w)[:5]

    def polyfit_with_covariance(x, y, deg, rcond=None, full=False, w=None, cov=False):
        c, resids, _, _, _, lhs, scale = fit(x, y, deg, rcond, w)
        return c, covariance(lhs, scale, resids)

    if wants_all:
        return polyfit_in_full
    return polyfit_with_covariance if wants_cov else polyfit
