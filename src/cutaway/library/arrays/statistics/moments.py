"""Means and variances: `mean var std average ptp`; without NaN: `nanmean nanvar nanstd`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import refuse, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import (
    element_dtype,
    inexact,
    inexact_dtype,
    mean_dtype,
    promoted,
)
from cutaway.library.arrays.kit.elements import plain
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.means import (
    by_freedom,
    count_along,
    mean_by,
    spread_by,
)
from cutaway.library.arrays.kit.reducing import reduces
from cutaway.library.arrays.kit.several_axes import line_of_single, stored, without_nan
from cutaway.library.arrays.kit.takes import (
    Axes,
    Dtype,
    Flag,
    Mask,
    Numbers,
    Operand,
    Output,
    Real,
    RealOrNone,
    numpy,
)
from cutaway.library.arrays.kit.typers import has_order, is_everywhere, left_out, private
from cutaway.typing import types
from cutaway.typing.types import Array

# --- means ------------------------------------------------------------------------------------

reduces("mean", np.mean)
reduces("var", np.var)
reduces("std", np.std)


@static
def is_own(a: Array, dtype: Any) -> bool:
    """True for a float array whose mean is computed in its own dtype."""
    return isinstance(a.dtype, types.Float) and types.to_dtype(a.dtype) == dtype.value


@private
def _mean_of(a, axis: Axes, dtype, keepdims: Flag, where: Mask, skips: Flag):
    computed = mean_dtype(a, dtype)
    if computed is None:
        refuse("a mean is computed in floats, or in complex numbers of an array of such")
    if skips and a.dtype.kind in "fc":
        if axis is None and is_everywhere(where) and not keepdims and is_own(a, computed):
            return _fused_mean(a)
        return mean_by(without_nan(a, 0), np.isnan(a), axis, computed, keepdims, where)
    if a.ndim == 0 and axis is not None:
        axis_of(a, axis)  # raises AxisError
    if a.dtype == np.float16 and dtype is None and not skips:
        return mean_by(a, None, axis, np.dtype(np.float32), keepdims, where)
    return mean_by(a, None, axis, computed, keepdims, where)


@numpy(np.mean, "mean")
def mean(
    a: Numbers,
    axis: Axes = None,
    dtype: Dtype = None,
    out: Output = None,
    keepdims: Flag = False,
    *,
    where: Mask = True,
):
    """The mean of elements; float16 is computed in float32."""
    result = _mean_of(a, axis, dtype, keepdims, where, False)
    if dtype is None and out is None and element_dtype(a) == np.float16:
        return result.astype(np.float16) if isinstance(result, np.ndarray) else np.float16(result)
    return stored(out, result)


@numpy(np.nanmean)
def nanmean(
    a: Numbers,
    axis: Axes = None,
    dtype: Dtype = None,
    out: Output = None,
    keepdims: Flag = False,
    where: Mask = True,
):
    """The mean of the elements that are not NaN."""
    if a.ndim == 0 and a.dtype.kind in "fc":
        return np.nanmean(line_of_single(a, axis))
    return stored(out, _mean_of(a, axis, dtype, keepdims, where, True))


# --- variances --------------------------------------------------------------------------------


@private
def _variance(a, axis: Axes, dtype, ddof, keepdims: Flag, where: Mask, mean, skips: Flag):
    computed = mean_dtype(a, dtype)
    if computed is None:
        refuse("a variance is computed in floats, or in complex numbers of an array of such")
    if skips and a.dtype.kind in "fc":
        if a.ndim == 0:
            line = line_of_single(a, axis)
            return _variance(line, None, dtype, ddof, keepdims, where, mean, True)
        if mean is None and is_everywhere(where) and not keepdims and is_fused(a, axis, computed):
            return _fused_variance(a, axis, ddof)
        gaps, numbers = np.isnan(a), without_nan(a, 0)
        return spread_by(numbers, gaps, mean, axis, computed, ddof, keepdims, where)
    if a.ndim == 0 and axis is not None:
        axis_of(a, axis)  # raises AxisError
    if mean is None:
        return spread_by(a, None, None, axis, computed, ddof, keepdims, where)
    if element_dtype(mean) != computed or computed == np.float16:
        refuse("a mean must have the dtype that the variance is computed in")
    return spread_by(a, None, np.asarray(mean), axis, computed, ddof, keepdims, where)


@static
def is_fused(a: Array, axis: Any, dtype: Any) -> bool:
    """True if mean and variance without NaN take loops without temporary arrays: for real numbers
    in C order, along one axis or over a line."""
    if isinstance(axis, types.Tuple) or not is_own(a, dtype):
        return False
    return a.layout == "C" and a.ndim > 1 or a.ndim == 1 and left_out(axis)


@private
def _fused_mean(a):
    total = np.sum(np.where(np.isnan(a), a.dtype.type(0), a))
    return a.dtype.type(np.float64(total) / np.float64(np.count_nonzero(~np.isnan(a))))


@private
def _fused_variance(a, axis: Axes, ddof):
    zero = a.dtype.type(0)
    if axis is None:
        mean, count = _fused_mean(a), np.count_nonzero(~np.isnan(a))
        return by_freedom(np.sum(np.square(np.where(np.isnan(a), zero, a - mean))), count - ddof)
    count = count_along(a, np.isnan(a), axis, False, True)
    means = np.sum(without_nan(a, 0), axis, keepdims=True)
    np.true_divide(means, count.reshape(means.shape), out=means, casting="unsafe")
    total = np.sum(np.square(np.where(np.isnan(a), zero, a - means)), axis)
    return by_freedom(total, count - ddof)


def _register_spread(function: Any, rooted: bool, skips: bool, *methods: str) -> None:
    @numpy(function, *methods)
    def spread(
        a: Numbers,
        axis: Axes = None,
        dtype: Dtype = None,
        out: Output = None,
        ddof: Real = 0,
        keepdims: Flag = False,
        *,
        where: Mask = True,
        mean: Operand = None,
        correction: RealOrNone = None,
    ):
        if correction is not None and ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        free = ddof if correction is None else correction
        variance = _variance(a, axis, dtype, free, keepdims, where, mean, skips)
        if not rooted:
            return stored(out, variance)
        if isinstance(variance, np.ndarray):
            return stored(out, np.sqrt(variance, out=variance))
        return stored(out, np.sqrt(variance))


_register_spread(np.var, False, False, "var")
_register_spread(np.std, True, False, "std")
_register_spread(np.nanvar, False, True)
_register_spread(np.nanstd, True, True)


@numpy(np.ptp)
def ptp(a: Numbers, axis: Axes = None, out: Output = None, keepdims: Flag = False):
    """The difference of the largest and the smallest element."""
    if not has_order(a):
        refuse("only numbers with an order have a least and a greatest, and bools no difference")
    result = a.max(axis, keepdims=keepdims)
    result -= a.min(axis, keepdims=keepdims)
    return stored(out, result)


# --- weighted means ---------------------------------------------------------------------------


@static
def _weighted_dtype(a: Any, weights: Any) -> np.dtype[Any]:
    """The dtype in which elements are multiplied by weights."""
    common = promoted(a, weights)
    return np.result_type(common, np.float64) if types.is_integral(a.dtype) else inexact(common)


@private
def _shaped_as(scale, mean):
    """The sum of weights repeated for each of several means, or a single one."""
    if isinstance(mean, np.ndarray) and not isinstance(scale, np.ndarray):
        return np.full(mean.shape, scale)
    return scale


@private
def _by_count(a, axis, keepdims):
    """The mean of an array, and the number of elements of each mean."""
    mean = np.mean(a, axis, keepdims=keepdims)
    count = np.asarray(mean).size
    if (a.ndim > 1 or keepdims) and count == 0:
        raise ZeroDivisionError("division by zero")  # NumPy divides by the number of means
    return mean, _shaped_as(inexact_dtype(a).type(a.size / count), mean)


@private
def _by_weight(a, axis, weights, keepdims):
    """The weighted mean, and the sums of the weights, which have the array's shape or are a line
    along one axis."""
    dtype = _weighted_dtype(a, weights)
    if weights.ndim == a.ndim:
        if a.shape != weights.shape:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        heavy = plain(weights, dtype)
        scale = np.sum(heavy, axis, keepdims=keepdims)
        if np.any(scale == 0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        return np.sum(plain(a, dtype) * heavy, axis, keepdims=keepdims) / scale, scale
    if weights.ndim != 1 or axis is None or isinstance(axis, tuple):
        refuse("weights of fewer axes than the array are a line along one axis")
    index = axis_of(a, axis, "axis")
    if a.shape[index] != len(weights):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    scale = plain(weights, dtype).sum()
    if scale == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    product = a.astype(dtype)
    lines = lines_along(product, index)
    lines *= weights
    mean = np.sum(product, index, keepdims=keepdims) / scale
    return mean, _shaped_as(scale, mean)


@numpy(np.average)
def average(
    a: Numbers,
    axis: Axes = None,
    weights: Output = None,
    returned: Flag = False,
    *,
    keepdims: Flag = False,
):
    """The weighted mean; with `returned` also the sums of the weights."""
    if axis is not None and not isinstance(axis, tuple):
        axis_of(a, axis, "axis")
    if weights is None:
        both = _by_count(a, axis, keepdims)
    else:
        both = _by_weight(a, axis, weights, keepdims)
    return both if returned else both[0]
