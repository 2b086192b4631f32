"""Polynomials by coefficients, the highest power first: `poly polyadd polysub polymul polydiv
polyder polyint polyfit roots`; `polyval` is in `interpolation.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.dtypes import inexact, joint
from cutaway.library.arrays.kit.takes import (
    Constant,
    Flag,
    Integer,
    Numbers,
    Output,
    RealOrNone,
    numpy,
)
from cutaway.library.arrays.kit.typers import (
    are_elements,
    dimensions,
    flag,
    is_array,
    is_complex,
    is_number,
    left_out,
    private,
    said,
)
from cutaway.typing.types import Tuple

# --- coefficients -----------------------------------------------------------------------------


def is_tuple_of_numbers(argument: Any) -> bool:
    """True if an argument is a non-empty tuple of numbers."""
    return (
        isinstance(argument, Tuple) and bool(argument.items) and all(map(is_number, argument.items))
    )


def _is_line(argument: Any) -> bool:
    """True if an argument is a number, a one-dimensional array or a tuple of numbers."""
    if isinstance(argument, Tuple):
        return is_tuple_of_numbers(argument)
    return are_elements(argument) and dimensions(argument) <= 1


Line = Takes("a line or a tuple of numbers, or a number", _is_line)
LineOrNone = Takes(
    "a line or a tuple of numbers, a number, or None", lambda one: left_out(one) or _is_line(one)
)


@static
def line_dtype(*given: Any) -> np.dtype[Any]:
    """The common dtype of the elements of several lines."""
    items = [one.items if isinstance(one, Tuple) else (one,) for one in given]
    return joint(*(item for several in items for item in several))


@static
def inexact_line_dtype(*given: Any) -> np.dtype[Any]:
    """The dtype in which NumPy divides the elements of several lines."""
    return np.result_type(*(inexact(line_dtype(one)) for one in given))


@static
def common_dtype(*dtypes: Any) -> np.dtype[Any]:
    """The common dtype of several dtypes."""
    return np.result_type(*(one.value for one in dtypes))


@static
def _is_single(p: Any) -> bool:
    """True for a number or an array without dimensions, whose length NumPy asks for."""
    return not isinstance(p, Tuple) and dimensions(p) == 0


@private
def line(c):
    """The coefficients as a one-dimensional array."""
    return np.array(c) if isinstance(c, tuple) else np.atleast_1d(c)


# --- sums and products ------------------------------------------------------------------------


def _register_sum(function: Any, both: Any) -> None:
    subtracts = both is np.subtract

    @numpy(function)
    def combined(a1: Line, a2: Line):
        kind = line_dtype(a1, a2)
        if kind == np.bool_ and subtracts:
            refuse("numpy boolean subtract, the `-` operator, is not supported", "use integers")
        first, second, nothing = line(a1), line(a2), np.zeros(1, kind)
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


_register_sum(np.polyadd, np.add)
_register_sum(np.polysub, np.subtract)


@private
def without_zeros(c):
    """The coefficients without leading zeros; at least one is left."""
    given = line(c)
    start = 0
    while start < len(given) and given[start] == 0:
        start += 1
    return given[start:].copy() if start < len(given) else np.zeros(1, given.dtype)


@numpy(np.polymul)
def polymul(a1: Line, a2: Line):
    return np.convolve(without_zeros(a1), without_zeros(a2))


@numpy(np.polydiv)
def polydiv(u: Line, v: Line):
    second, kind = inexact_line_dtype(v), inexact_line_dtype(u, v)
    divisor = line(v).astype(second) + second.type(0)  # turns negative zeros positive
    rest = line(u).astype(inexact_line_dtype(u)).astype(kind)
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


# --- derivatives and integrals ----------------------------------------------------------------


_NO_LENGTH = "len() of unsized object"
_DEEPEST = 10_000  # integrals computed by one call


@static
def _is_zero(m: Any) -> bool:
    """True for a constant order of 0, which leaves the coefficients unchanged."""
    return said(m) == 0


@numpy(np.polyder)
def polyder(p: Line, m: Constant = 1):
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    if _is_single(p):
        raise TypeError(_NO_LENGTH)
    elif _is_zero(m):
        return line(p)
    kind = common_dtype(line_dtype(p), np.int64)
    out = line(p).astype(kind)
    for _ in range(min(m, len(out))):  # no coefficient is left then
        size = max(len(out) - 1, 0)
        out = out[:size] * np.arange(size, 0, -1).astype(kind)
    return out


@private
def _constants(k, count):
    """One constant of integration for each integral."""
    given = line(k)
    if len(given) == 1 and count > 1:
        return given[0] * np.ones(count, given.dtype)
    if len(given) < count:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    return given


@static
def _integral_dtype(p: Any, k: Any) -> np.dtype[Any]:
    own = inexact(np.result_type(line_dtype(p), np.int64))
    return np.result_type(own, np.float64 if left_out(k) else line_dtype(k))


@numpy(np.polyint)
def polyint(p: Line, m: Constant = 1, k: LineOrNone = None):
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    if _is_zero(m):
        return np.asarray(p) if _is_single(p) else line(p)
    elif _is_single(p):
        if m == 0:  # refused: the result's type would depend on the value
            raise TypeError("the order of an integral of a number must be known when compiling")
        raise TypeError(_NO_LENGTH)
    kind = _integral_dtype(p, k)
    out, begin = line(p).astype(kind), np.zeros(m) if k is None else _constants(k, m)
    if m > _DEEPEST:  # NumPy's recurses once per integral
        raise RecursionError("maximum recursion depth exceeded")
    for n in range(m):
        longer = np.empty(len(out) + 1, kind)
        longer[:-1] = out / np.arange(len(out), 0, -1).astype(kind)
        longer[-1] = begin[n]
        out = longer
    return out


# --- roots ------------------------------------------------------------------------------------

_NO_SEQUENCE = "dispatcher for __array_function__ did not return an iterable"


@static
def _zeros_dtype(zeros: Any) -> np.dtype[Any]:
    given = line_dtype(zeros)
    return given if given.char in "fdFD" else np.dtype(np.float64)


@private
def _with_zeros(zeros):
    """The polynomial with these zeros."""
    kind = _zeros_dtype(zeros)
    out, factor = np.ones(1, kind), np.ones(2, kind)
    for zero in zeros.astype(kind):  # the negative of an unsigned number wraps
        factor[1] = -zero
        out = np.convolve(out, factor)
    return out


def _are_zeros(argument: Any) -> bool:
    return _is_line(argument) or (is_array(argument) and argument.ndim == 2)


@numpy(np.poly)
def poly(seq_of_zeros: Takes("a line of numbers, or a table", _are_zeros)):
    if _is_single(seq_of_zeros):
        raise TypeError(_NO_SEQUENCE)
    elif isinstance(seq_of_zeros, tuple) or seq_of_zeros.ndim == 1:
        return _with_zeros(line(seq_of_zeros))
    out = _with_zeros(np.linalg.eigvals(seq_of_zeros))
    return out if is_complex(seq_of_zeros) else out.real.copy()


@numpy(np.roots)
def roots(p: Line):
    if _is_single(p):
        raise TypeError(_NO_SEQUENCE)
    kind = inexact_line_dtype(p)
    result = common_dtype(kind, np.complex64)
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


# --- fitting ----------------------------------------------------------------------------------


@private
def require_points(x, y, deg):
    """Raise NumPy's errors for points that no polynomial can be fitted to."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


@static
def eps_of_line(x: Any) -> float:
    """The machine epsilon of the dtype in which a line is fitted."""
    return float(np.finfo(inexact_line_dtype(x)).eps)


@static
def is_unscaled(cov: Any) -> bool:
    """True for `cov='unscaled'`."""
    return said(cov) == "unscaled"


@private
def _covariance(lhs, y, scale, resids, cov):
    """The covariance matrix of fitted coefficients."""
    base = np.linalg.inv(np.dot(lhs.T, lhs)) / np.outer(scale, scale)
    if is_unscaled(cov):
        return base
    rows, order = lhs.shape
    if rows <= order:
        raise ValueError(
            "the number of data points must exceed order to scale the covariance matrix"
        )
    factor = resids / (rows - order)
    return base * factor if y.ndim == 1 else base.reshape(order, order, 1) * factor


def _is_covariance(cov: Any) -> bool:
    return said(cov) == "unscaled" or flag(cov) is not None


@numpy(np.polyfit)
def polyfit(
    x: Numbers,
    y: Numbers,
    deg: Integer,
    rcond: RealOrNone = None,
    full: Flag = False,
    w: Output = None,
    cov: Takes("a constant bool, or 'unscaled'", _is_covariance, by_value=True) = False,
):
    if x.ndim != 1 or y.ndim not in (1, 2) or (w is not None and w.ndim != 1):
        refuse("a polynomial is fitted to a line of places, and to values in a line or a table")
    require_points(x, y, deg)
    limit = len(x) * eps_of_line(x) if rcond is None else rcond
    lhs = np.vander(x.astype(inexact_line_dtype(x)), deg + 1)
    rhs = y.astype(inexact_line_dtype(y))
    if w is not None:
        if len(w) != len(rhs):
            raise TypeError("expected w and y to have the same length")
        column = w.reshape(len(w), 1)
        lhs, rhs = lhs * column, rhs * (w if y.ndim == 1 else column)
    scale = np.sqrt((lhs * lhs).sum(axis=0))
    lhs = lhs / scale
    found, resids, rank, s = np.linalg.lstsq(lhs, rhs, limit)
    c = (found.T / scale).T
    if full:
        return c, resids, rank, s, limit
    if is_unscaled(cov) or cov:
        return c, _covariance(lhs, y, scale, resids, cov)
    return c
