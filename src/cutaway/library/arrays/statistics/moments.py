"""Statistics: `var std average ptp`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact, mean_dtype, promoted
from cutaway.library.arrays.kit.elements import map2, plain
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.means import count_along, quotient, root, spread_by, squares
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
    flag,
    is_array,
    is_axes,
    is_everywhere,
    is_integral,
    is_integral_or_default,
    is_real,
    is_told,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.library.arrays.statistics.means import mean_of_sum
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex, Tuple

# --- spread -----------------------------------------------------------------------------------


@private
def _square_of_distance(x, mean):
    distance = x - mean
    return distance * distance


def squared(a, mean):
    """The squares of the distances from a mean, in the order of `a`; real numbers."""
    distance = a - mean
    return (distance * distance.conjugate()).real


@overload(squared, jit_options=OPTIONS)
def _squared(a, mean):
    out_dtype = inexact(element_dtype(a))

    def of_real(a, mean):
        out = a.astype(out_dtype)
        out -= mean
        out *= out
        return out

    def of_line(a, mean):
        out = np.empty(a.shape, out_dtype)
        map2(_square_of_distance, out, a, mean)
        return out

    def of_complex(a, mean):
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


def _is_freedom(ddof):
    return not isinstance(ddof, types.Type) or isinstance(ddof, types.Omitted) or is_real(ddof)


def _means(a: types.Array) -> tuple[Any, Any]:
    """What gives the mean of an array, and its means along an axis.  For the spread of float16
    NumPy does not take `np.mean`, but divides sums that are rounded."""

    @private
    def mean(a):
        return a.mean()

    @private
    def means(a, axis):
        return a.mean(axis)

    @private
    def mean_of_halves(a):
        return np.float16(mean_of_sum(a.sum(), a.size))

    @private
    def means_of_halves(a, axis):
        out = a.sum(axis)
        for k in range(out.size):
            out.flat[k] = np.float16(mean_of_sum(out.flat[k], a.shape[axis]))
        return out

    return (mean_of_halves, means_of_halves) if a.dtype is types.float16 else (mean, means)


def _spread_as_told(a: Any, told: tuple[Any, ...], rooted: bool) -> Any:
    """The implementation of a variance that is told more than an axis, of `axis dtype out keepdims
    where`; None where it is not compiled."""
    axis, dtype, out, keepdims, where = told

    def misfit(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
        return np.var(a, axis)  # raises AxisError

    if not a.ndim and is_integral(axis):
        return misfit
    computed = mean_dtype(a, dtype)
    if computed is None or not (left_out(out) or is_array(out)) or not is_axes(a, axis):
        return None
    if not left_out(out):
        check_out(np.add, out, left_over(a, axis, keepdims))
    reduced = spread_by(computed, bool(flag(keepdims)), not is_everywhere(where), rooted)

    def spread(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
        return reduced(a, axis, ddof, where)

    def stored(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
        store_result(out, np.asarray(reduced(a, axis, ddof, where)))
        return out

    return spread if left_out(out) else stored


def _register_spread(function: Any, root: bool) -> None:
    def kept(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
        return in_shape(function(a, axis, ddof=ddof), shape_with_ones(a, axis))

    @numpy(function, function.__name__)
    def spread(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
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
        def of_line(a, ddof):
            total = squared(a, mean_of(a)).sum()
            variance = cast(total / max(float(a.size - ddof), 0.0))
            return cast(math.sqrt(variance)) if root else variance

        def of_all(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
            return of_line(a, ddof)

        def of_only_axis(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
            axis_of(a, axis)
            return of_line(a, ddof)

        def of_lines(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
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


@numpy(np.ptp, by_value=True)
def _ptp(a, axis=None, out=None, keepdims=False):
    if not is_array(a) or isinstance(a.dtype, Boolean | Complex) or flag(keepdims) is None:
        return None
    if not is_axes(a, axis) or not (left_out(out) or is_array(out)):
        return None
    cast, keeps, known = element_dtype(a).type, bool(flag(keepdims)), said(axis)
    if not left_out(out):
        check_out(np.maximum, out, left_over(a, axis, keepdims))

    def of_all(a, axis=None, out=None, keepdims=False):
        return cast(a.max(axis) - a.min(axis))

    def of_lines(a, axis=None, out=None, keepdims=False):
        result = a.max(axis, keepdims=keeps)
        result -= a.min(axis, keepdims=keeps)
        return result

    def along_known_axis(a, axis=None, out=None, keepdims=False):
        result = a.max(known, keepdims=keeps)
        result -= a.min(known, keepdims=keeps)
        return result

    def stored(a, axis=None, out=None, keepdims=False):
        store_result(out, np.asarray(np.ptp(a, axis, keepdims=keeps)))
        return out

    if not left_out(out):
        return stored
    if left_over(a, axis, keepdims):
        return along_known_axis if isinstance(known, int) else of_lines
    return of_all


# --- means with weights, and of products ------------------------------------------------------


def shaped_as(scale, mean):
    """A sum of weights for each of several means, or for one."""
    if np.shape(scale) == np.shape(mean):
        return scale
    return np.full(np.shape(mean), scale)


@overload(shaped_as, jit_options=OPTIONS)
def _shaped_as(scale, mean):
    if isinstance(mean, Array) and not isinstance(scale, Array):
        return lambda scale, mean: np.full(mean.shape, scale)
    return lambda scale, mean: scale


def is_any_zero(x):
    """True if a number, or one of several, is zero."""
    return np.any(x == 0)


@overload(is_any_zero, jit_options=OPTIONS)
def _is_any_zero(x):
    return (lambda x: np.any(x == 0)) if isinstance(x, Array) else (lambda x: x == 0)


def _plain_average(a: Array, axis: Any, keeps: bool) -> Any:
    """The mean of an array, and how many elements each is of, a function of `a axis`."""
    cast, apart = inexact(element_dtype(a)).type, a.ndim > 1 or keeps
    known = said(axis)
    if isinstance(known, int):
        mean_along = private(lambda a, axis: np.mean(a, known, keepdims=keeps))
    else:
        mean_along = private(lambda a, axis: np.mean(a, axis, keepdims=keeps))

    @private
    def average(a, axis):
        mean = mean_along(a, axis)
        count = np.asarray(mean).size
        if apart and count == 0:
            raise ZeroDivisionError("division by zero")  # NumPy counts elements of each
        return mean, shaped_as(cast(a.size / count), mean)

    return average


def _weighted_average(a: Array, weights: Array, axis: Any, keeps: bool) -> Any:
    """The same by weights, which have the shape of the array, or are a line along an axis; a
    function of `a axis weights`."""
    common = promoted(a, weights)
    dtype = common if common.kind in "fc" and not types.is_integral(a.dtype) else inexact(common)
    if types.is_integral(a.dtype):
        dtype = np.result_type(common, np.float64)

    if left_out(axis) and not keeps:
        total = private(lambda x, axis: x.sum())
    else:
        total = private(lambda x, axis: np.sum(x, axis, keepdims=keeps))

    @private
    def of_shape(a, axis, weights):
        if a.shape != weights.shape:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        given = plain(weights, dtype)
        scale = total(given, axis)
        if is_any_zero(scale):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        return total(plain(a, dtype) * given, axis) / scale, scale

    @private
    def of_line(a, axis, weights):
        place = axis_of(a, axis, "axis")
        if a.shape[place] != len(weights):
            raise ValueError(
                "Shape of weights must be consistent with shape of a along specified axis."
            )
        scale = plain(weights, dtype).sum()
        if scale == 0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        product = a.astype(dtype)
        lines = lines_along(product, place)
        lines *= weights
        mean = total(product, place) / scale
        return mean, shaped_as(scale, mean)

    if weights.ndim == a.ndim:
        return of_shape
    return of_line if weights.ndim == 1 and is_integral(axis) else None


@numpy(np.average, by_value=True)
def _average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    both, keeps = flag(returned), flag(keepdims)
    if not is_array(a) or not is_axes(a, axis) or both is None or keeps is None:
        return None
    if not left_out(weights) and not is_array(weights):
        return None
    plain, checks = left_out(weights), is_integral(axis)
    if plain:
        averaged = _plain_average(a, axis, keeps)
    else:
        averaged = _weighted_average(a, weights, axis, keeps)
    taken = private((lambda parts: parts) if both else (lambda parts: parts[0]))

    def by_count(a, axis=None, weights=None, returned=False, *, keepdims=False):
        if checks:
            axis_of(a, axis, "axis")
        return taken(averaged(a, axis))

    def by_weight(a, axis=None, weights=None, returned=False, *, keepdims=False):
        if checks:
            axis_of(a, axis, "axis")
        return taken(averaged(a, axis, weights))

    if averaged is None:
        return None
    return by_count if plain else by_weight


# --- spread by a correction, or around a mean -------------------------------------------------


def _register_corrected(function: Any, rooted: bool) -> None:
    @numpy(function)
    def spread(
        a,
        axis=None,
        dtype=None,
        out=None,
        ddof=0,
        keepdims=False,
        *,
        where=True,
        mean=None,
        correction=0,
    ):
        given = isinstance(ddof, types.Type) and not isinstance(ddof, types.Omitted)
        if isinstance(correction, types.Type) and given:
            raise TypingError(
                "ddof and correction can't be provided simultaneously.", hint="leave out `ddof`"
            )
        if not is_array(a) or not is_axes(a, axis) or flag(keepdims) is None:
            return None
        if is_told(dtype, out, where):
            return None
        keeps, freedom = bool(flag(keepdims)), isinstance(correction, types.Type)
        around = not left_out(mean)
        if around and not (is_array(mean) and _has_type_of_mean(mean, a)):
            return None
        real = inexact(element_dtype(a)).type(0).real.dtype

        def corrected(
            a,
            axis=None,
            dtype=None,
            out=None,
            ddof=0,
            keepdims=False,
            *,
            where=True,
            mean=None,
            correction=0,
        ):
            return function(a, axis, ddof=correction, keepdims=keeps)

        def around_mean(
            a,
            axis=None,
            dtype=None,
            out=None,
            ddof=0,
            keepdims=False,
            *,
            where=True,
            mean=None,
            correction=0,
        ):
            far = squares(a - mean)
            total = np.add.reduce(far, axis, real, keepdims=keeps)
            count = count_along(a, axis, keeps, True) - (correction if freedom else ddof)
            result = quotient(total, max(count, 0))
            return root(result) if rooted else result

        return around_mean if around else corrected


def _has_type_of_mean(mean: Array, a: Array) -> bool:
    return element_dtype(mean) == inexact(element_dtype(a)) and a.dtype is not types.float16


_register_corrected(np.var, False)
_register_corrected(np.std, True)
