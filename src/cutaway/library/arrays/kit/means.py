"""Means and variances of arrays as NumPy makes them of sums: with masks, dtypes and several axes.

A sum is divided by how many elements were added, in float64, and is rounded to its own type.
"""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.blocks import tuple_of_axes
from cutaway.library.arrays.kit.dtypes import (
    element_dtype,
    joint_dtype,
    real_dtype,
    single_or_double,
)
from cutaway.library.arrays.kit.lines import in_memory_order
from cutaway.library.arrays.kit.shapes import spread
from cutaway.library.arrays.kit.sums import buffer_sizes, buffered_sum
from cutaway.library.arrays.kit.typers import (
    is_complex,
    is_everywhere,
    is_in_columns,
    is_in_rows,
    private,
)

# --- how many ---------------------------------------------------------------------------------


@private
def count_along(a, axis, keepdims, where):
    """How many elements a mask selects along some axes: a number where there is no mask."""
    if is_everywhere(where):
        if a.ndim == 0 or axis is None:
            return a.size
        count = 1
        for one in tuple_of_axes(a, axis):
            count *= a.shape[one]
        return count
    return np.add.reduce(spread(np.asarray(where), a.shape), axis, np.int64, keepdims=keepdims)


# --- a sum by a count -------------------------------------------------------------------------


@private
def quotient(total, count):
    """A sum, or each of several, by how many there were."""
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
def in_half(x):
    """A number, or each element of an array, as float16."""
    return x.astype(np.float16) if isinstance(x, np.ndarray) else np.float16(x)


@private
def root(x):
    """The square root of a number, or of each element of an array, which changes."""
    return np.sqrt(x, out=x) if isinstance(x, np.ndarray) else np.sqrt(x)


@private
def sum_of_integers(a):
    """The sum of all integers of an array as floats, as many at a time as NumPy converts."""
    runs = in_memory_order(a)
    size, outer = buffer_sizes(runs, True)
    return buffered_sum(runs, np.empty(size), outer, 0.0)


@private
def floats_of(a):
    """An array of inexact numbers as it is, but float16 as float32, or integers as floats in the
    same order of memory."""
    if a.dtype.kind in "fc" and a.dtype != np.float16:
        return a
    dtype = single_or_double(a)
    if is_in_columns(a):
        out = np.empty(a.shape[::-1], dtype)
        out[...] = a.T
        return out.T
    out = np.empty(a.shape, dtype)
    out[...] = a
    return out


# --- means and variances ----------------------------------------------------------------------


@private
def sum_by(a, axis, dtype, keepdims, where):
    """The sum of the elements that a mask selects along axes, computed in a dtype."""
    if not is_everywhere(where):
        return np.add.reduce(a, axis, dtype, keepdims=keepdims, where=where)
    if element_dtype(a) == dtype:
        return np.sum(a, axis, keepdims=keepdims)
    if a.dtype.kind in "biu" and dtype == np.float64 and not isinstance(axis, tuple):
        if axis is not None and a.ndim > 1:
            return np.sum(floats_of(a), axis, keepdims=keepdims)
        total = sum_of_integers(a)
        return np.full((1,) * a.ndim, total) if keepdims else total
    return np.add.reduce(a, axis, dtype, keepdims=keepdims)


@private
def mean_by(a, axis, dtype, keepdims, where):
    """The mean of an array along axes, computed in a dtype."""
    total = sum_by(a, axis, dtype, keepdims, where)
    return quotient(total, count_along(a, axis, keepdims, where))


@private
def squares(distance):
    """The squares of the absolute values of numbers, which change."""
    if is_complex(distance):
        real, imag = distance.real, distance.imag
        return real * real + imag * imag
    return np.multiply(distance, distance, out=distance)


@private
def spread_by(a, axis, dtype, ddof, keepdims, where):
    """The variance of an array along axes, computed in a dtype."""
    if axis is None:
        mean = mean_by(a, axis, dtype, False, where)
        return spread_around(a, mean, axis, dtype, ddof, keepdims, where)
    mean = mean_by(a, axis, dtype, True, where)
    return spread_around(a, mean, axis, dtype, ddof, keepdims, where)


@private
def spread_around(a, mean, axis, dtype, ddof, keepdims, where):
    """The variance of an array around means, along axes, computed in a dtype."""
    far = a.astype(joint_dtype(a, mean))  # in the order of `a`, as NumPy has the difference
    far -= mean
    total = sum_by(squares(far), axis, real_dtype(dtype), keepdims, where)
    return quotient(total, np.maximum(count_along(a, axis, keepdims, where) - ddof, 0))
