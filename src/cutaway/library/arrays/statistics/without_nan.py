"""Reductions that leave NaN out: `nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmin
nanargmax`.

As NumPy does it, a sum has zeros in the place of NaN, and a minimum is that of `fmin`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import refuse
from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.dtypes import element_dtype, mean_dtype, real_dtype
from cutaway.library.arrays.kit.means import quotient, root, squares
from cutaway.library.arrays.kit.several_axes import in_shape, reduced_by, shape_with_ones, stored
from cutaway.library.arrays.kit.shapes import spread
from cutaway.library.arrays.kit.takes import (
    Axes,
    Axis,
    Dtype,
    Flag,
    Mask,
    NumberOrNone,
    Numbers,
    Operand,
    Output,
    Real,
    numpy,
)
from cutaway.library.arrays.kit.typers import is_complex, is_everywhere, is_in_rows, private


@private
def _numbers(a, neutral):
    """The elements, with another number in the place of each NaN."""
    if a.dtype.kind not in "fc":
        return a
    return np.where(np.isnan(a), a.dtype.type(neutral), a)


@private
def _line_of_single(a, axis):
    """A single number as a line, along whose axis NumPy reduces it."""
    if axis is not None:
        require_any_axis(a, axis)
    return a.reshape(1)


# --- sums and products ------------------------------------------------------------------------


def _register_total(function: Any, plain: Any, neutral: int) -> None:
    @numpy(function)
    def total(
        a: Numbers,
        axis: Axes = None,
        dtype: Dtype = None,
        out: Output = None,
        keepdims: Flag = False,
        initial: NumberOrNone = None,
        where: Mask = True,
    ):
        numbers = _numbers(a, neutral)
        if dtype is None and out is None and initial is None and is_everywhere(where):
            return plain(numbers, axis, keepdims=keepdims)  # with no array in between
        return reduced_by(plain, numbers, axis, dtype, out, keepdims, initial, where)


_register_total(np.nansum, np.sum, 0)
_register_total(np.nanprod, np.prod, 1)


# --- means ------------------------------------------------------------------------------------


@private
def count_numbers(a, axis, keepdims, where):
    """How many elements that a mask selects along some axes are numbers."""
    if is_everywhere(where):
        if axis is None and not keepdims:
            return np.sum(~np.isnan(a))
        return np.add.reduce(~np.isnan(a), axis, np.int64, keepdims=keepdims)
    return np.add.reduce(~np.isnan(a), axis, np.int64, keepdims=keepdims, where=where)


@private
def _sum_of_numbers(a, axis, dtype, keepdims, where):
    if axis is None and not keepdims and is_everywhere(where) and element_dtype(a) == dtype:
        return np.sum(_numbers(a, 0))
    return np.add.reduce(_numbers(a, 0), axis, dtype, keepdims=keepdims, where=where)


@numpy(np.nanmean)
def nanmean(
    a: Numbers,
    axis: Axes = None,
    dtype: Dtype = None,
    out: Output = None,
    keepdims: Flag = False,
    where: Mask = True,
):
    """The mean of the elements that are numbers."""
    computed = mean_dtype(a, dtype)
    if computed is None:
        refuse("a mean is computed in floats, or in complex numbers of an array of such")
    if a.dtype.kind not in "fc":
        if a.ndim == 0:
            return np.mean(a, axis)
        return np.mean(a, axis, computed, out, keepdims, where=where)
    if a.ndim == 0:
        return np.nanmean(_line_of_single(a, axis))
    result = _sum_of_numbers(a, axis, computed, keepdims, where)
    return stored(out, quotient(result, count_numbers(a, axis, keepdims, where)))


# --- variances --------------------------------------------------------------------------------


@private
def _spread_of_numbers(a, axis, dtype, ddof, keepdims, where):
    """The variance of the numbers in an array."""
    gaps, real = np.isnan(a), real_dtype(dtype)
    numbers = np.where(gaps, a.dtype.type(0), a)
    counts = np.asarray(count_numbers(a, axis, True, where))
    mean = np.add.reduce(numbers, axis, dtype, keepdims=True, where=where)
    np.true_divide(mean, counts, out=mean, casting="unsafe")
    if is_everywhere(where):
        np.subtract(numbers, mean, out=numbers, casting="unsafe")
    else:
        mask = spread(np.asarray(where), a.shape)
        np.subtract(numbers, mean, out=numbers, casting="unsafe", where=mask)
    far = squares(np.where(gaps, a.dtype.type(0), numbers))
    total = np.add.reduce(far, axis, real, keepdims=keepdims, where=where)
    return _freed(total, count_numbers(a, axis, keepdims, where) - ddof)


@private
def _fused_spread(a, axis, ddof):
    """The same in two loops, without arrays in between: of real numbers in C order, along an axis
    or of all."""
    zero = a.dtype.type(0)
    count = count_numbers(a, axis, False, True)
    if axis is None:
        mean = a.dtype.type(quotient(np.sum(_numbers(a, 0)), count))
        return _freed(np.sum(np.square(np.where(np.isnan(a), zero, a - mean))), count - ddof)
    means = np.sum(_numbers(a, 0), axis, keepdims=True)
    np.true_divide(means, count.reshape(means.shape), out=means, casting="unsafe")
    total = np.sum(np.square(np.where(np.isnan(a), zero, a - means)), axis)
    return _freed(total, count - ddof)


@private
def _freed(total, left):
    """Variances of sums of squares, by the degrees of freedom that are left."""
    return _where_free(quotient(total, left), left)


@private
def _where_free(variance, left):
    """Variances, NaN where no degrees of freedom are left."""
    nan = element_dtype(variance).type(np.nan)
    if isinstance(variance, np.ndarray):
        return np.where(left <= 0, nan, variance)
    return nan if left <= 0 else variance


@private
def _spread_around(a, axis, ddof, keepdims, mean):
    """The variance of the numbers of an array around a mean."""
    gaps = np.isnan(a)
    away = np.where(gaps, np.float64(0), a - mean)
    left = np.sum(~gaps, axis, keepdims=keepdims) - ddof
    return _where_free(np.sum(away * away, axis, keepdims=keepdims) / left, left)


@private
def _variance(a, axis, dtype, ddof, keepdims, where, mean):
    computed = mean_dtype(a, dtype)
    if computed is None:
        refuse("a variance is computed in floats, or in complex numbers of an array of such")
    if mean is not None:
        if dtype is not None or not is_everywhere(where) or a.dtype != np.float64 or a.ndim == 0:
            refuse("with a mean only arrays of float64 are compiled, without dtype and where")
        return _spread_around(a, axis, ddof, keepdims, mean)
    fused = a.dtype.kind == "f" and element_dtype(a) == computed
    if fused and is_everywhere(where) and not keepdims and not isinstance(axis, tuple):
        if is_in_rows(a) or (a.ndim == 1 and axis is None):
            if axis is None or a.ndim > 1:
                return _fused_spread(a, axis, ddof)
    return _spread_of_numbers(a, axis, computed, ddof, keepdims, where)


def _register_spread(function: Any, plain: Any, rooted: bool) -> None:
    @numpy(function)
    def spread_of(
        a: Numbers,
        axis: Axes = None,
        dtype: Dtype = None,
        out: Output = None,
        ddof: Real = 0,
        keepdims: Flag = False,
        where: Mask = True,
        mean: Operand = None,
        correction: NumberOrNone = None,
    ):
        if correction is not None and ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        free = ddof if correction is None else correction
        if a.dtype.kind not in "fc" and mean is None:
            return plain(a, axis, dtype, out, free, keepdims, where=where)
        if a.ndim == 0 and mean is None:
            return function(_line_of_single(a, axis), None, dtype, out, free, keepdims)
        variance = _variance(a, axis, dtype, free, keepdims, where, mean)
        return stored(out, root(variance) if rooted else variance)


_register_spread(np.nanvar, np.var, rooted=False)
_register_spread(np.nanstd, np.std, rooted=True)


# --- the least and the greatest ---------------------------------------------------------------


def _register_extreme(function: Any, reduce: Any) -> None:
    @numpy(function)
    def extreme(
        a: Numbers,
        axis: Axes = None,
        out: Output = None,
        keepdims: Flag = False,
        initial: NumberOrNone = None,
        where: Mask = True,
    ):
        return reduced_by(reduce, a, axis, None, out, keepdims, initial, where)


_register_extreme(np.nanmin, np.fmin.reduce)
_register_extreme(np.nanmax, np.fmax.reduce)


# --- places -----------------------------------------------------------------------------------


def _register_place(function: Any, plain: Any, value: float) -> None:
    @private
    def place(a, axis):
        if a.dtype.kind != "f":
            return plain(a, axis)
        gaps = np.isnan(a)
        if axis is None:
            if a.size and np.all(gaps):
                raise ValueError("All-NaN slice encountered")
        elif a.shape[axis_of(a, axis)] and np.any(np.asarray(np.all(gaps, axis))):
            raise ValueError("All-NaN slice encountered")
        return plain(np.where(gaps, a.dtype.type(value), a), axis)

    @numpy(function)
    def place_of(a: Numbers, axis: Axis = None, out: Output = None, keepdims: Flag = False):
        if is_complex(a):
            refuse("the places of complex numbers among NaN are not compiled")
        if a.ndim == 0:
            return stored(out, function(_line_of_single(a, axis)))
        if keepdims:
            return stored(out, in_shape(place(a, axis), shape_with_ones(a, axis)))
        return stored(out, place(a, axis))


_register_place(np.nanargmin, np.argmin, np.inf)
_register_place(np.nanargmax, np.argmax, -np.inf)
