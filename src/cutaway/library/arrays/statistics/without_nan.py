"""Reductions that leave NaN out: `nansum nanprod nanmean nanvar nanstd nanmin nanmax nanmedian
nanargmin nanargmax`.

As NumPy does it, a sum has zeros in the place of NaN, and a minimum is that of `fmin`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.dtypes import element_dtype, mean_dtype
from cutaway.library.arrays.kit.means import quotient, root, squares
from cutaway.library.arrays.kit.several_axes import (
    check_out,
    in_shape,
    left_over,
    reduced_as_told,
    shape_with_ones,
    store_result,
)
from cutaway.library.arrays.kit.shapes import spread
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    is_array,
    is_axes,
    is_everywhere,
    is_real,
    is_told,
    left_out,
    numpy,
    private,
)
from cutaway.typing.types import Array, Complex, Float, Omitted, Tuple, Type, float64


def _may_be_nan(a: Array) -> bool:
    return isinstance(a.dtype, Float | Complex)


def _fits(a: Any, axis: Any, keepdims: Any, out: Any) -> bool:
    if not is_array(a) or flag(keepdims) is None or not is_axes(a, axis):
        return False
    return left_out(out) or is_array(out)


def _of_single(function: Any, axis: Any) -> Any:
    """The implementation for a single number, which counts as a line."""

    def of_number(a, axis=None):
        return function(a.reshape(1))

    def of_line(a, axis=None):
        require_any_axis(a, axis)
        return function(a.reshape(1))

    return of_number if left_out(axis) else of_line


# --- sums and products ------------------------------------------------------------------------


def _register_total(function: Any, plain: Any, by_ufunc: Any, neutral: int) -> None:
    @numpy(function)
    def total(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        if not _fits(a, axis, keepdims, out):
            return None
        nothing, replaces = element_dtype(a).type(neutral), _may_be_nan(a)
        reduced = reduced_as_told(by_ufunc, dtype, keepdims, initial, where)

        def of_all(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
            return plain(np.where(np.isnan(a), nothing, a))

        def of_lines(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
            return plain(np.where(np.isnan(a), nothing, a), axis)

        def told(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
            if replaces:
                return reduced(np.where(np.isnan(a), nothing, a), axis, out, initial, where)
            return reduced(a, axis, out, initial, where)

        more = is_told(dtype, out, initial, where) or bool(flag(keepdims))
        if reduced is None or more or isinstance(axis, Tuple) or not replaces or a.ndim == 0:
            return None if reduced is None else told
        return of_all if left_out(axis) else of_lines


_register_total(np.nansum, np.sum, np.add.reduce, 0)
_register_total(np.nanprod, np.prod, np.multiply.reduce, 1)


# --- means ------------------------------------------------------------------------------------


def _mean_of_single(function: Any, plain: Any, a: Array, axis: Any) -> Any:
    """The same, of means: of a number that cannot be NaN NumPy asks the plain function, for which a
    single number has no axis."""
    if left_out(axis) or _may_be_nan(a):
        return _of_single(function, axis)
    return lambda a, axis=None: plain(a, axis)


def count_numbers(a, axis, keepdims, where):
    """How many elements along some axes are numbers that a mask tells."""
    return np.add.reduce(~np.isnan(a), axis, np.int64, None, keepdims, where=where)


@overload(count_numbers, jit_options=OPTIONS)
def _count_numbers(a, axis, keepdims, where):
    if flag(keepdims) is None:
        return None
    keeps = bool(flag(keepdims))

    def of_all(a, axis, keepdims, where):
        return np.sum(~np.isnan(a))

    def of_lines(a, axis, keepdims, where):
        return np.add.reduce(~np.isnan(a), axis, np.int64, keepdims=keeps)

    def masked(a, axis, keepdims, where):
        return np.add.reduce(~np.isnan(a), axis, np.int64, keepdims=keeps, where=where)

    if not is_everywhere(where):
        return masked
    return of_all if left_out(axis) and not keeps else of_lines


def _mean_by(a: Array, dtype: np.dtype[Any], keeps: bool, masked: bool, whole: bool) -> Any:
    """The mean of the numbers in an array."""
    zero, same = element_dtype(a).type(0), element_dtype(a) == dtype

    @private
    def of_all(a, axis, where):
        total = np.sum(np.where(np.isnan(a), zero, a))
        return quotient(total, count_numbers(a, None, False, True))

    @private
    def mean(a, axis, where):
        numbers = np.where(np.isnan(a), zero, a)
        if masked:
            total = np.add.reduce(numbers, axis, dtype, keepdims=keeps, where=where)
            return quotient(total, count_numbers(a, axis, keeps, where))
        total = np.add.reduce(numbers, axis, dtype, keepdims=keeps)
        return quotient(total, count_numbers(a, axis, keeps, True))

    return of_all if whole and same and not masked and not keeps else mean


@overload(np.nanmean, jit_options=OPTIONS, strict=False)
def _nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    if not _fits(a, axis, keepdims, out):
        return None
    if a.ndim == 0:
        told = is_told(dtype, out, where) or flag(keepdims)
        return None if told else _mean_of_single(np.nanmean, np.mean, a, axis)
    computed = mean_dtype(a, dtype)
    if computed is None:
        return None
    if not left_out(out):
        check_out(np.add, out, left_over(a, axis, keepdims))
    whole = left_out(axis)
    keeps, masked = bool(flag(keepdims)), not is_everywhere(where)
    reduced = _mean_by(a, computed, keeps, masked, whole)

    def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        return reduced(a, axis, where)

    def of_integers(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        if masked:
            return np.mean(a, axis, computed, keepdims=keeps, where=where)
        return np.mean(a, axis, computed, keepdims=keeps)

    def stored(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        if masked:
            store_result(out, np.asarray(np.nanmean(a, axis, computed, None, keeps, where)))
        else:
            store_result(out, np.asarray(np.nanmean(a, axis, computed, None, keeps)))
        return out

    if not left_out(out):
        return stored
    return mean if _may_be_nan(a) else of_integers


# --- variances --------------------------------------------------------------------------------


def _spread_by(a: Array, dtype: np.dtype[Any], keeps: bool, masked: bool, rooted: bool) -> Any:
    """The variance of the numbers in an array, or its root."""
    cast = element_dtype(a).type
    zero, real = cast(0), dtype.type(0).real.dtype
    nan = real.type(np.nan)

    @private
    def variance(a, axis, ddof, where):
        gaps = np.isnan(a)
        numbers = np.where(gaps, zero, a)
        mask = spread(np.asarray(where), a.shape)
        counts = np.asarray(count_numbers(a, axis, True, where if masked else True))
        if masked:
            mean = np.add.reduce(numbers, axis, dtype, keepdims=True, where=where)
        else:
            mean = np.add.reduce(numbers, axis, dtype, keepdims=True)
        np.true_divide(mean, counts, out=mean, casting="unsafe")
        if masked:
            np.subtract(numbers, mean, out=numbers, casting="unsafe", where=mask)
        else:
            np.subtract(numbers, mean, out=numbers, casting="unsafe")
        far = squares(np.where(gaps, zero, numbers))
        if masked:
            total = np.add.reduce(far, axis, real, keepdims=keeps, where=where)
        else:
            total = np.add.reduce(far, axis, real, keepdims=keeps)
        left = count_numbers(a, axis, keeps, where if masked else True) - ddof
        result = without_freedom(quotient(total, left), left, nan)
        return root(result) if rooted else result

    return variance


def _can_be_fused(a: Array, axis: Any, told: bool, dtype: np.dtype[Any]) -> bool:
    if not isinstance(a.dtype, Float) or dtype != element_dtype(a) or told:
        return False
    if left_out(axis):
        return a.layout == "C" or a.ndim == 1
    return a.layout == "C" and a.ndim > 1 and not isinstance(axis, Tuple)


def _fused_spread(a: Array, axis: Any, rooted: bool) -> Any:
    """The same in two loops, without arrays in between: of real numbers in C order, along an axis
    or of all."""
    cast, whole = element_dtype(a).type, left_out(axis)
    zero, nan = cast(0), cast(np.nan)

    @private
    def of_all(a, axis, ddof, where):
        count = count_numbers(a, None, False, True)
        mean = cast(quotient(np.sum(np.where(np.isnan(a), zero, a)), count))
        total = np.sum(np.square(np.where(np.isnan(a), zero, a - mean)))
        result = without_freedom(quotient(total, count - ddof), count - ddof, nan)
        return root(result) if rooted else result

    @private
    def of_lines(a, axis, ddof, where):
        count = count_numbers(a, axis, False, True)
        mean = np.sum(np.where(np.isnan(a), zero, a), axis, keepdims=True)
        np.true_divide(mean, count.reshape(mean.shape), out=mean, casting="unsafe")
        total = np.sum(np.square(np.where(np.isnan(a), zero, a - mean)), axis)
        result = without_freedom(quotient(total, count - ddof), count - ddof, nan)
        return root(result) if rooted else result

    return of_all if whole else of_lines


def without_freedom(result, left, nan):
    """Variances, with NaN where no degrees of freedom are left."""
    return np.where(left <= 0, nan, result)[()]


@overload(without_freedom, jit_options=OPTIONS)
def _without_freedom(result, left, nan):
    if isinstance(result, Array):
        return lambda result, left, nan: np.where(left <= 0, nan, result)
    return lambda result, left, nan: nan if left <= 0 else result


def _register_spread(function: Any, plain: Any, rooted: bool) -> None:
    @overload(function, jit_options=OPTIONS, strict=False)
    def spread_of(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
        if not _fits(a, axis, keepdims, out) or (isinstance(ddof, Type) and not is_real(ddof)):
            return None
        if a.ndim == 0:
            told = is_told(dtype, out, where) or isinstance(ddof, Type) or flag(keepdims)
            return None if told else _mean_of_single(function, plain, a, axis)
        computed = mean_dtype(a, dtype)
        if computed is None:
            return None
        if not left_out(out):
            check_out(np.add, out, left_over(a, axis, keepdims))
        keeps, masked = bool(flag(keepdims)), not is_everywhere(where)
        reduced = _spread_by(a, computed, keeps, masked, rooted)
        if _can_be_fused(a, axis, keeps or masked, computed):
            reduced = _fused_spread(a, axis, rooted)

        def of_numbers(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
            return reduced(a, axis, ddof, where)

        def of_integers(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
            if masked:
                return plain(a, axis, computed, None, ddof, keeps, where=where)
            return plain(a, axis, computed, None, ddof, keeps)

        def stored(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
            if masked:
                result = function(a, axis, computed, None, ddof, keeps, where=where)
            else:
                result = function(a, axis, computed, None, ddof, keeps)
            store_result(out, np.asarray(result))
            return out

        if not left_out(out):
            return stored
        return of_numbers if _may_be_nan(a) else of_integers


def _register_told_spread(function: Any, rooted: bool) -> None:
    @numpy(function)
    def told(
        a,
        axis=None,
        dtype=None,
        out=None,
        ddof=0,
        keepdims=False,
        where=True,
        mean=None,
        correction=None,
    ):
        def by_mean(
            a,
            axis=None,
            dtype=None,
            out=None,
            ddof=0,
            keepdims=False,
            where=True,
            mean=None,
            correction=None,
        ):
            gaps = np.isnan(a)
            away = np.where(gaps, zero, a - mean)
            left = np.sum(~gaps, axis, keepdims=keeps) - (ddof if plain else correction)
            result = without_freedom(np.sum(away * away, axis, keepdims=keeps) / left, left, nan)
            return np.sqrt(result) if rooted else result

        def corrected(
            a,
            axis=None,
            dtype=None,
            out=None,
            ddof=0,
            keepdims=False,
            where=True,
            mean=None,
            correction=None,
        ):
            return function(a, axis, dtype, out, correction, keepdims, where=where)

        def both(
            a,
            axis=None,
            dtype=None,
            out=None,
            ddof=0,
            keepdims=False,
            where=True,
            mean=None,
            correction=None,
        ):
            raise ValueError("ddof and correction can't be provided simultaneously.")

        plain, keeps = left_out(correction), bool(flag(keepdims))
        if not plain and isinstance(ddof, Type) and not isinstance(ddof, Omitted):
            return both
        if not _fits(a, axis, keepdims, out) or not (plain or is_real(correction)):
            return None
        if left_out(mean):
            return None if plain else corrected
        if is_told(dtype, out, where) or a.dtype is not float64 or not a.ndim:
            return None
        zero, nan = np.float64(0), np.float64(np.nan)
        return by_mean if is_array(mean) or is_real(mean) else None


_register_spread(np.nanvar, np.var, rooted=False)
_register_told_spread(np.nanvar, rooted=False)
_register_told_spread(np.nanstd, rooted=True)
_register_spread(np.nanstd, np.std, rooted=True)


# --- the least and the greatest ---------------------------------------------------------------


def _register_extreme(function: Any, by_ufunc: Any) -> None:
    @numpy(function)
    def extreme(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        if not _fits(a, axis, keepdims, out):
            return None
        reduced = reduced_as_told(by_ufunc, None, keepdims, initial, where)

        def told(a, axis=None, out=None, keepdims=False, initial=None, where=True):
            return reduced(a, axis, out, initial, where)

        return told


_register_extreme(np.nanmin, np.fmin.reduce)
_register_extreme(np.nanmax, np.fmax.reduce)


# --- places -----------------------------------------------------------------------------------


def _register_place(function: Any, plain: Any, value: float) -> None:
    @overload(function, jit_options=OPTIONS, strict=False)
    def place(a, axis=None, out=None, keepdims=False):
        if not _fits(a, axis, keepdims, out) or isinstance(axis, Tuple):
            return None
        if isinstance(a.dtype, Complex):
            return None
        if a.ndim == 0:
            return None if is_told(out) or flag(keepdims) else _of_single(function, axis)
        keeps, replaces = bool(flag(keepdims)), _may_be_nan(a)
        filled = element_dtype(a).type(value) if replaces else None

        def of_all(a, axis=None, out=None, keepdims=False):
            if replaces:
                gaps = np.isnan(a)
                if a.size and np.all(gaps):
                    raise ValueError("All-NaN slice encountered")
                return plain(np.where(gaps, filled, a))
            return plain(a)

        def of_lines(a, axis=None, out=None, keepdims=False):
            if replaces:
                k, gaps = axis_of(a, axis), np.isnan(a)
                if a.shape[k] and np.any(np.asarray(np.all(gaps, k))):
                    raise ValueError("All-NaN slice encountered")
                return plain(np.where(gaps, filled, a), axis)
            return plain(a, axis)

        def kept(a, axis=None, out=None, keepdims=False):
            return in_shape(function(a, axis), shape_with_ones(a, axis))

        def stored(a, axis=None, out=None, keepdims=False):
            store_result(out, np.asarray(function(a, axis, keepdims=keeps)))
            return out

        if not left_out(out):
            check_out(plain, out, left_over(a, axis, keepdims))
            return stored
        if keeps:
            return kept
        return of_all if left_out(axis) else of_lines


_register_place(np.nanargmin, np.argmin, np.inf)
_register_place(np.nanargmax, np.argmax, -np.inf)
