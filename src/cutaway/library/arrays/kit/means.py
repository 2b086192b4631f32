"""Means and variances of arrays, from sums as in NumPy: with masks, dtypes and several axes.

A sum is divided by the count in float64, and rounded to its own type. Where `gaps` is a mask and
not None, the elements that it selects are NaN and are left out.
"""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.blocks import tuple_of_axes
from cutaway.library.arrays.kit.dtypes import element_dtype, joint_dtype, real_dtype
from cutaway.library.arrays.kit.shapes import spread
from cutaway.library.arrays.kit.takes import Axes, Flag, Mask
from cutaway.library.arrays.kit.typers import is_complex, is_everywhere, is_in_rows, private


@private
def quotient(total, count):
    """A sum, or an array of sums, divided by the counts."""
    if isinstance(total, np.ndarray):
        if isinstance(count, np.ndarray) or not is_in_rows(total):
            return np.true_divide(total, np.asarray(count), out=total, casting="unsafe")
        line = total.ravel()
        for k in range(len(line)):
            line[k] = quotient(line[k], count)
        return total
    cast = element_dtype(total).type
    if is_complex(total):
        return cast(np.true_divide(np.complex128(total), np.complex128(count)))
    return cast(np.float64(total) / np.float64(count))


@private
def count_along(a, gaps, axis: Axes, keepdims: Flag, where: Mask):
    """The number of selected elements along some axes: a number without a mask."""
    if gaps is not None:
        if is_everywhere(where) and not isinstance(axis, tuple):
            return np.count_nonzero(~gaps, axis, keepdims=keepdims)
        return np.add.reduce(~gaps, axis, np.int64, keepdims=keepdims, where=where)
    if not is_everywhere(where):
        return np.add.reduce(spread(np.asarray(where), a.shape), axis, np.int64, keepdims=keepdims)
    if a.ndim == 0 or axis is None:
        return a.size
    count = 1
    for one in tuple_of_axes(a, axis):
        count *= a.shape[one]
    return count


@private
def _sum_by(a, axis: Axes, dtype, keepdims: Flag, where: Mask):
    """The sum along axes of the elements that a mask selects, computed in a dtype."""
    if element_dtype(a) == dtype and is_everywhere(where):
        return np.sum(a, axis, keepdims=keepdims)  # often compiled as a single loop
    return np.add.reduce(a, axis, dtype, keepdims=keepdims, where=where)


@private
def mean_by(a, gaps, axis: Axes, dtype, keepdims: Flag, where: Mask):
    """The mean of an array along axes, computed in a dtype."""
    total = _sum_by(a, axis, dtype, keepdims, where)
    return quotient(total, count_along(a, gaps, axis, keepdims, where))


@private
def _squares(distance):
    """The squared absolute values; real numbers are squared in place."""
    if is_complex(distance):
        real, imag = distance.real, distance.imag
        return real * real + imag * imag
    return np.multiply(distance, distance, out=distance)


@private
def spread_by(a, gaps, mean, axis: Axes, dtype, ddof, keepdims: Flag, where: Mask):
    """The variance along axes in a dtype, around the given means or those of the array."""
    if mean is None:
        keeps = gaps is not None or axis is not None
        mean = mean_by(a, gaps, axis, dtype, keeps, where)
        return spread_by(a, gaps, mean, axis, dtype, ddof, keepdims, where)
    if gaps is None:
        far = a.astype(joint_dtype(a, mean))  # in the memory order of `a`, like NumPy's difference
        far -= mean
    else:
        far = np.subtract(a, mean, out=a, casting="unsafe")
        far = np.where(gaps, a.dtype.type(0), far)
    total = _sum_by(_squares(far), axis, real_dtype(dtype), keepdims, where)
    left = count_along(a, gaps, axis, keepdims, where) - ddof
    return quotient(total, np.maximum(left, 0)) if gaps is None else by_freedom(total, left)


@private
def by_freedom(total, left):
    """Sums of squares divided by the degrees of freedom; NaN where none are left."""
    variance = quotient(total, left)
    nan = element_dtype(variance).type(np.nan)
    if isinstance(variance, np.ndarray):
        return np.where(left <= 0, nan, variance)
    return nan if left <= 0 else variance
