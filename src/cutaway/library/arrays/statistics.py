"""Statistics: `var std median percentile quantile average ptp cov corrcoef`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact, mean_dtype, promoted
from cutaway.library.arrays.kit.elements import map2
from cutaway.library.arrays.kit.lines import line_at, lines_along
from cutaway.library.arrays.kit.means import spread_by
from cutaway.library.arrays.kit.order import numbers_first
from cutaway.library.arrays.kit.reducing import reduces
from cutaway.library.arrays.kit.several_axes import (
    check_out,
    in_shape,
    left_over,
    shape_with_ones,
    store_result,
)
from cutaway.library.arrays.kit.shapes import expanded
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    element,
    flag,
    is_array,
    is_axes,
    is_everywhere,
    is_integral,
    is_integral_or_default,
    is_number,
    is_real,
    is_told,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.reductions import mean_of_sum
from cutaway.library.arrays.sorting import select_rank, sort_line
from cutaway.typing import types
from cutaway.typing.types import Boolean, Complex, Tuple

# --- spread -----------------------------------------------------------------------------------


@private
def _square_of_distance(x, mean):  # type: ignore[no-untyped-def]
    distance = x - mean
    return distance * distance


def squared(a, mean):  # type: ignore[no-untyped-def]
    """The squares of the distances from a mean, in the order of `a`; real numbers."""
    distance = a - mean
    return (distance * distance.conjugate()).real


@overload(squared, jit_options=OPTIONS)
def _squared(a, mean):  # type: ignore[no-untyped-def]
    out_dtype = inexact(element_dtype(a))

    def of_real(a, mean):  # type: ignore[no-untyped-def]
        out = a.astype(out_dtype)
        out -= mean
        out *= out
        return out

    def of_line(a, mean):  # type: ignore[no-untyped-def]
        out = np.empty(a.shape, out_dtype)
        map2(_square_of_distance, out, a, mean)
        return out

    def of_complex(a, mean):  # type: ignore[no-untyped-def]
        distance = a.copy()
        distance -= mean
        real, imag = distance.real.copy(), distance.imag.copy()
        real *= real
        imag *= imag
        real += imag
        return real

    if isinstance(a.dtype, Complex):
        return of_complex
    return of_line if a.layout == "C" and not is_array(mean) else of_real


def _is_freedom(ddof):  # type: ignore[no-untyped-def]
    return not isinstance(ddof, types.Type) or isinstance(ddof, types.Omitted) or is_real(ddof)


def _means(a: types.Array) -> tuple[Any, Any]:  # Any: functions
    """What gives the mean of an array, and its means along an axis.  For the spread of float16
    NumPy does not take `np.mean`, but divides sums that are rounded."""

    @private
    def mean(a):  # type: ignore[no-untyped-def]
        return a.mean()

    @private
    def means(a, axis):  # type: ignore[no-untyped-def]
        return a.mean(axis)

    @private
    def mean_of_halves(a):  # type: ignore[no-untyped-def]
        return np.float16(mean_of_sum(a.sum(), a.size))

    @private
    def means_of_halves(a, axis):  # type: ignore[no-untyped-def]
        out = a.sum(axis)
        for k in range(out.size):
            out.flat[k] = np.float16(mean_of_sum(out.flat[k], a.shape[axis]))
        return out

    return (mean_of_halves, means_of_halves) if a.dtype is types.float16 else (mean, means)


def _spread_as_told(a: Any, told: tuple[Any, ...], rooted: bool) -> Any:
    """The implementation of a variance that is told more than an axis, of `axis dtype out keepdims
    where`; None where it is not compiled.  (Any: types, or defaults; a function.)"""
    axis, dtype, out, keepdims, where = told
    computed = mean_dtype(a, dtype)
    if computed is None or not (left_out(out) or is_array(out)) or not is_axes(a, axis):
        return None
    if not left_out(out):
        check_out(np.add, out, left_over(a, axis, keepdims))
    reduced = spread_by(computed, bool(flag(keepdims)), not is_everywhere(where), rooted)

    def spread(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):  # type: ignore[no-untyped-def]
        return reduced(a, axis, ddof, where)

    def stored(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):  # type: ignore[no-untyped-def]
        store_result(out, np.asarray(reduced(a, axis, ddof, where)))
        return out

    return spread if left_out(out) else stored


def _register_spread(function: Any, root: bool) -> None:  # Any: of NumPy
    def kept(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):  # type: ignore[no-untyped-def]
        return in_shape(function(a, axis, ddof=ddof), shape_with_ones(a, axis))

    @numpy(function, function.__name__)
    def spread(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):  # type: ignore[no-untyped-def]
        if not is_array(a) or not _is_freedom(ddof) or flag(keepdims) is None:
            return None
        told = (axis, dtype, out, keepdims, where)
        if is_told(dtype, out, where) or isinstance(axis, Tuple):
            return _spread_as_told(a, told, root)
        if not is_integral_or_default(axis):
            return None
        if flag(keepdims):
            return kept if a.ndim else None
        mean_of, means_of = _means(a)
        out_dtype = inexact(element_dtype(a))
        cast = out_dtype.type(0).real.dtype.type

        @private
        def of_line(a, ddof):  # type: ignore[no-untyped-def]
            total = squared(a, mean_of(a)).sum()
            variance = cast(total / max(float(a.size - ddof), 0.0))
            return cast(math.sqrt(variance)) if root else variance

        def of_all(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):  # type: ignore[no-untyped-def]
            return of_line(a, ddof)

        def of_only_axis(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):  # type: ignore[no-untyped-def]
            axis_of(a, axis)
            return of_line(a, ddof)

        def of_lines(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):  # type: ignore[no-untyped-def]
            place = axis_of(a, axis)
            out = squared(a, expanded(means_of(a, place), place)).sum(place)
            count = max(float(a.shape[place] - ddof), 0.0)
            line = out.ravel()
            for k in range(len(line)):
                variance = cast(line[k] / count)
                line[k] = math.sqrt(variance) if root else variance
            return out

        if left_out(axis):
            return of_all
        return of_only_axis if a.ndim < 2 else of_lines


reduces("var", np.var)
reduces("std", np.std)
_register_spread(np.var, False)
_register_spread(np.std, True)


@numpy(np.ptp)
def _ptp(a, axis=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
    if not is_array(a) or isinstance(a.dtype, Boolean | Complex) or flag(keepdims) is None:
        return None
    if not is_axes(a, axis) or not (left_out(out) or is_array(out)):
        return None
    cast, keeps = element_dtype(a).type, bool(flag(keepdims))
    if not left_out(out):
        check_out(np.maximum, out, left_over(a, axis, keepdims))

    def of_all(a, axis=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
        return cast(a.max(axis) - a.min(axis))

    def of_lines(a, axis=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
        result = a.max(axis, keepdims=keeps)
        result -= a.min(axis, keepdims=keeps)
        return result

    def stored(a, axis=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
        store_result(out, np.asarray(np.ptp(a, axis, keepdims=keeps)))
        return out

    if not left_out(out):
        return stored
    return of_lines if left_over(a, axis, keepdims) else of_all


# --- ranks ------------------------------------------------------------------------------------


def along(function: Any, out_dtype: np.dtype[Any], axis: Any) -> Any:  # Any: functions, a type
    """Applies `function` to a copy of all elements, or of each line along an axis."""

    def of_all(a, axis=None):  # type: ignore[no-untyped-def]
        return function(a.flatten())

    def of_lines(a, axis=None):  # type: ignore[no-untyped-def]
        lines = lines_along(a, axis)
        out = np.empty(lines.shape[:-1], out_dtype)
        for k in range(out.size):
            out.flat[k] = function(line_at(lines, k).copy())
        return out

    def of_line(a, axis=None):  # type: ignore[no-untyped-def]
        return function(lines_along(a, axis).copy())

    if left_out(axis):
        return of_all
    return of_lines


@private
def largest_before(line, rank):  # type: ignore[no-untyped-def]
    """The largest of the elements in front of a rank."""
    best = line[0]
    for k in range(1, rank):
        best = line[k] if line[k] > best else best
    return best


@private
def middle_of(line, cast):  # type: ignore[no-untyped-def]
    """The median of a line, which is put in another order."""
    count = len(line)
    if count == 0 or numbers_first(line) < count:
        return cast(np.nan)
    half = count >> 1
    select_rank(line, half, count)
    if count % 2:
        return cast(line[half])
    return cast((cast(largest_before(line, half)) + cast(line[half])) / cast(2))


@numpy(np.median)
def _median(a, axis=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or isinstance(a.dtype, Complex) or not is_integral_or_default(axis):
        return None
    out_dtype = inexact(element_dtype(a))
    cast = out_dtype.type

    @private
    def median_of(line):  # type: ignore[no-untyped-def]
        return middle_of(line, cast)

    if is_integral(axis) and a.ndim < 2:
        return lambda a, axis=None: median_of(lines_along(a, axis).copy())
    return along(median_of, out_dtype, axis)


@private
def between_ranks(line, q):  # type: ignore[no-untyped-def]
    """The quantile of a sorted line, linear between two elements."""
    place = q * (len(line) - 1)
    low = int(place)
    first, last = float(line[low]), float(line[min(low + 1, len(line) - 1)])
    part, step = place - low, last - first
    if part >= 0.5:
        return last - step * (1 - part)
    return first + step * part


@private
def place_ranks(line, q):  # type: ignore[no-untyped-def]
    """Bring the elements that a quantile is between to their places."""
    low = int(q * (len(line) - 1))
    select_rank(line, low, len(line))
    least = low + 1
    for k in range(low + 1, len(line)):
        least = k if line[k] < line[least] else least
    if least < len(line):
        line[low + 1], line[least] = line[least], line[low + 1]


def _is_narrow(ty: types.Type) -> bool:
    return isinstance(ty, types.Float) and ty is not types.float64


def _register_quantile(function: Any, whole: float, message: str, skip: bool) -> None:
    # Any: a function of NumPy
    @private
    def share(q):  # type: ignore[no-untyped-def]
        result = q / whole
        if not 0 <= result <= 1:
            raise ValueError(message)
        return result

    @private
    def numbers(a, wanted, asked_first, exact):  # type: ignore[no-untyped-def]
        if a.size == 0 and exact:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        if not skip and a.size == 0:
            place = asked_first if wanted > 0 else -1
            raise IndexError(f"index {place} is out of bounds for axis 0 with size 0")
        line = a.flatten()
        count = numbers_first(line)
        return line[:count] if skip or count == len(line) else line[:0]

    @numpy(function)
    def quantile(a, q):  # type: ignore[no-untyped-def]
        real = is_array(a) and types.is_real(a.dtype)
        if not real or _is_narrow(a.dtype) or isinstance(a.dtype, Boolean):
            return None
        if not is_number(q) and not is_array(q):
            return None
        kind = element(q)  # NumPy finds places in the type of the shares
        if _is_narrow(kind) or isinstance(kind, types.Integer) and not kind.signed:
            return None

        # NumPy asks for the last element first where it looks for NaN.
        asked_first = 0 if types.is_integral(a.dtype) else -1
        exact = whole == 1.0 and types.is_integral(a.dtype) and types.is_integral(element(q))
        out_dtype = element_dtype(a) if exact else np.dtype(np.float64)
        value_at = _element_at_share if exact else between_ranks
        missing = out_dtype.type(0 if exact else np.nan)

        def one(a, q):  # type: ignore[no-untyped-def]
            wanted = share(q)
            line = numbers(a, wanted, asked_first, exact)
            if len(line) == 0:
                return missing
            place_ranks(line, wanted)
            return value_at(line, wanted)

        def many(a, q):  # type: ignore[no-untyped-def]
            shares, out = np.empty(q.shape), np.empty(q.shape, out_dtype)
            for k in range(q.size):
                shares.flat[k] = share(q.flat[k])
            if q.size == 0 and asked_first == 0:
                return out
            line = numbers(a, shares.flat[0] if q.size else 1.0, asked_first, exact)
            sort_line(line, len(line))
            for k in range(q.size):
                out.flat[k] = value_at(line, shares.flat[k]) if len(line) else missing
            return out

        if is_real(q):
            return one
        return many if is_array(q) and types.is_real(q.dtype) else None


@private
def _element_at_share(line, share):  # type: ignore[no-untyped-def]
    """The first or the last element of a sorted line: between two there is no integer."""
    return line[int(share) * (len(line) - 1)]


_PERCENT = "Percentiles must be in the range [0, 100]"
_SHARE = "Quantiles must be in the range [0, 1]"
_register_quantile(np.percentile, 100.0, _PERCENT, False)
_register_quantile(np.quantile, 1.0, _SHARE, False)
_register_quantile(np.nanpercentile, 100.0, _PERCENT, True)
_register_quantile(np.nanquantile, 1.0, _SHARE, True)


# --- means with weights, and of products ------------------------------------------------------


@numpy(np.average)
def _average(a, axis=None, weights=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_integral_or_default(axis):
        return None
    if left_out(weights):
        if left_out(axis):
            return lambda a, axis=None, weights=None: a.mean()
        return _mean_along if a.ndim > 1 else _mean_of_line
    if not is_array(weights) or weights.ndim != a.ndim or not left_out(axis):
        return None
    out_dtype = inexact(promoted(a, weights))

    def average(a, axis=None, weights=None):  # type: ignore[no-untyped-def]
        if a.shape != weights.shape:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        scale = weights.astype(out_dtype).sum()
        if scale == 0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        product = a.astype(out_dtype)
        product *= weights
        return product.sum() / scale

    return average


def _mean_of_line(a, axis=None, weights=None):  # type: ignore[no-untyped-def]
    return a.mean(axis_of(a, axis, "axis"))


def _mean_along(a, axis=None, weights=None):  # type: ignore[no-untyped-def]
    out = a.mean(axis_of(a, axis, "axis"))
    if out.size == 0:
        raise ZeroDivisionError("division by zero")  # NumPy counts elements of each
    return out


@private
def _centered(m):  # type: ignore[no-untyped-def]
    """Rows less their means."""
    out = m.astype(np.float64)
    for k in range(len(out)):
        out[k] -= out[k].mean()
    return out


@private
def _products(rows, count):  # type: ignore[no-untyped-def]
    """The sums of products of each two rows, by a number."""
    out = np.empty((len(rows), len(rows)))
    for i in range(len(rows)):
        for j in range(i, len(rows)):
            out[i, j] = out[j, i] = np.dot(rows[i], rows[j]) / count
    return out


@numpy(np.cov)
def _cov(m):  # type: ignore[no-untyped-def]
    if not is_array(m) or isinstance(m.dtype, Complex) or m.ndim not in (1, 2):
        return None

    def of_rows(m):  # type: ignore[no-untyped-def]
        return _products(_centered(m), max(m.shape[1] - 1, 0))

    def of_line(m):  # type: ignore[no-untyped-def]
        return _products(_centered(expanded(m, 0)), max(len(m) - 1, 0)).reshape(())

    return of_rows if m.ndim == 2 else of_line


@numpy(np.corrcoef)
def _corrcoef(x, y=None):  # type: ignore[no-untyped-def]
    if not is_array(x) or isinstance(x.dtype, Complex):
        return None

    def of_rows(x, y=None):  # type: ignore[no-untyped-def]
        return _normalized(np.cov(x))

    def of_lines(x, y=None):  # type: ignore[no-untyped-def]
        return _normalized(np.cov(np.vstack((x, y))))

    if left_out(y):
        return of_rows if x.ndim == 2 else None
    return of_lines if is_array(y) and y.ndim == x.ndim == 1 else None


@private
def _normalized(table):  # type: ignore[no-untyped-def]
    deviation = np.empty(len(table))
    for k in range(len(table)):
        deviation[k] = math.sqrt(table[k, k])
    for i in range(len(table)):
        for j in range(len(table)):
            coefficient = table[i, j] / deviation[i] / deviation[j]
            table[i, j] = np.clip(coefficient, -1.0, 1.0)
    return table
