"""Statistics: `var std average ptp`."""

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
from cutaway.library.arrays.kit.means import root, spread_around, spread_by
from cutaway.library.arrays.kit.reducing import reduces
from cutaway.library.arrays.kit.several_axes import stored
from cutaway.library.arrays.kit.takes import Axes, Dtype, Flag, Mask, Numbers, Output, Real, numpy
from cutaway.library.arrays.kit.typers import has_order, private
from cutaway.typing import types

# --- spread -----------------------------------------------------------------------------------


@private
def _variance(a, axis, dtype, ddof, keepdims, where, mean):
    computed = mean_dtype(a, dtype)
    if computed is None:
        refuse("a variance is computed in floats, or in complex numbers of an array of such")
    if a.ndim == 0 and axis is not None:
        axis_of(a, axis)  # raises AxisError
    if mean is None:
        return spread_by(a, axis, computed, ddof, keepdims, where)
    if element_dtype(mean) != computed or computed == np.float16:
        refuse("a mean must have the dtype that the variance is computed in")
    return spread_around(a, np.asarray(mean), axis, computed, ddof, keepdims, where)


def _register_spread(function: Any, rooted: bool) -> None:
    @numpy(function, function.__name__)
    def spread(
        a: Numbers,
        axis: Axes = None,
        dtype: Dtype = None,
        out: Output = None,
        ddof: Real = 0,
        keepdims: Flag = False,
        *,
        where: Mask = True,
        mean: Output = None,
        correction: Real = None,
    ):
        if correction is not None and ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        free = ddof if correction is None else correction
        variance = _variance(a, axis, dtype, free, keepdims, where, mean)
        return stored(out, root(variance) if rooted else variance)


reduces("var", np.var)
reduces("std", np.std)
_register_spread(np.var, False)
_register_spread(np.std, True)


@numpy(np.ptp)
def ptp(a: Numbers, axis: Axes = None, out: Output = None, keepdims: Flag = False):
    """The distance from the least to the greatest element."""
    if not has_order(a):
        refuse("only numbers with an order have a least and a greatest, and bools no difference")
    result = a.max(axis, keepdims=keepdims)
    result -= a.min(axis, keepdims=keepdims)
    return stored(out, result)


# --- means with weights, and of products ------------------------------------------------------


@static
def _weighted_dtype(a: Any, weights: Any) -> np.dtype[Any]:
    """The dtype in which elements are multiplied by weights."""
    common = promoted(a, weights)
    return np.result_type(common, np.float64) if types.is_integral(a.dtype) else inexact(common)


@private
def _shaped_as(scale, mean):
    """A sum of weights for each of several means, or for one."""
    if isinstance(mean, np.ndarray) and not isinstance(scale, np.ndarray):
        return np.full(mean.shape, scale)
    return scale


@private
def _by_count(a, axis, keepdims):
    """The mean of an array, and how many elements each is of."""
    mean = np.mean(a, axis, keepdims=keepdims)
    count = np.asarray(mean).size
    if (a.ndim > 1 or keepdims) and count == 0:
        raise ZeroDivisionError("division by zero")  # NumPy counts elements of each
    return mean, _shaped_as(inexact_dtype(a).type(a.size / count), mean)


@private
def _by_weight(a, axis, weights, keepdims):
    """The mean of an array by weights of its shape, or a line of them along an axis, and their
    sums."""
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
    """The mean by weights, with their sums where those are `returned`."""
    if axis is not None and not isinstance(axis, tuple):
        axis_of(a, axis, "axis")
    if weights is None:
        both = _by_count(a, axis, keepdims)
    else:
        both = _by_weight(a, axis, weights, keepdims)
    return both if returned else both[0]
