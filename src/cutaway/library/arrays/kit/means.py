"""Means and variances of arrays as NumPy makes them of sums: with masks, dtypes and several axes.

A sum is divided by how many elements were added, in float64, and is rounded to its own type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.blocks import tuple_of_axes
from cutaway.library.arrays.kit.shapes import spread
from cutaway.library.arrays.kit.typers import OPTIONS, flag, is_everywhere, left_out, private
from cutaway.typing import types
from cutaway.typing.types import Array, Complex

# --- how many ---------------------------------------------------------------------------------


def count_along(a, axis, keepdims, where):
    """How many elements a mask tells along some axes: a number where there is no mask."""
    if where is not True:
        mask = np.broadcast_to(where, a.shape)
        return np.add.reduce(mask, axis, np.int64, None, keepdims)
    return a.size if axis is None else int(np.prod([a.shape[k] for k in tuple_of_axes(a, axis)]))


@overload(count_along, jit_options=OPTIONS)
def _count_along(a, axis, keepdims, where):
    if flag(keepdims) is None:
        return None
    keeps = bool(flag(keepdims))

    def of_mask(a, axis, keepdims, where):
        mask = spread(np.asarray(where), a.shape)
        return np.add.reduce(mask, axis, np.int64, keepdims=keeps)

    def of_axes(a, axis, keepdims, where):
        count = 1
        for one in tuple_of_axes(a, axis):
            count *= a.shape[one]
        return count

    if not is_everywhere(where):
        return of_mask
    return (lambda a, axis, keepdims, where: a.size) if a.ndim == 0 or left_out(axis) else of_axes


# --- a sum by a count -------------------------------------------------------------------------


def quotient(total, count):
    """A sum, or each of several, by how many there were."""
    if isinstance(total, np.ndarray):
        return np.true_divide(total, count, out=total, casting="unsafe")
    return total.dtype.type(total / count)


@overload(quotient, jit_options=OPTIONS)
def _quotient(total, count):
    def of_array(total, count):
        return np.true_divide(total, np.asarray(count), out=total, casting="unsafe")

    if isinstance(total, Array):
        return of_array
    cast = types.to_dtype(total).type
    if isinstance(total, Complex):
        return lambda total, count: cast(np.true_divide(np.complex128(total), np.complex128(count)))
    return lambda total, count: cast(np.float64(total) / np.float64(count))


def in_half(x):
    """A number, or each element of an array, as float16."""
    return x.astype(np.float16) if isinstance(x, np.ndarray) else np.float16(x)


@overload(in_half, jit_options=OPTIONS)
def _in_half(x):
    return (lambda x: x.astype(np.float16)) if isinstance(x, Array) else lambda x: np.float16(x)


def root(x):
    """The square root of a number, or of each element of an array, which changes."""
    return np.sqrt(x, out=x) if isinstance(x, np.ndarray) else np.sqrt(x)


@overload(root, jit_options=OPTIONS)
def _root(x):
    return (lambda x: np.sqrt(x, out=x)) if isinstance(x, Array) else (lambda x: np.sqrt(x))


# --- means and variances ----------------------------------------------------------------------


def mean_by(dtype: np.dtype[Any], keeps: bool, masked: bool) -> Any:
    """The mean of an array along axes, computed in a dtype."""

    @private
    def mean(a, axis, where):
        if masked:
            total = np.add.reduce(a, axis, dtype, keepdims=keeps, where=where)
            return quotient(total, count_along(a, axis, keeps, where))
        total = np.add.reduce(a, axis, dtype, keepdims=keeps)
        return quotient(total, count_along(a, axis, keeps, True))

    return mean


def squares(distance):
    """The squares of the absolute values of numbers, which change."""
    return (distance * distance.conj()).real


@overload(squares, jit_options=OPTIONS)
def _squares(distance):
    def of_complex(distance):
        real, imag = distance.real, distance.imag
        return real * real + imag * imag

    if isinstance(distance.dtype, Complex):
        return of_complex
    return lambda distance: np.multiply(distance, distance, out=distance)


def spread_by(dtype: np.dtype[Any], keeps: bool, masked: bool, rooted: bool) -> Any:
    """The variance of an array along axes, or its root, computed in a dtype."""
    real = dtype.type(0).real.dtype

    @private
    def variance(a, axis, ddof, where):
        if masked:
            mean = np.add.reduce(a, axis, dtype, keepdims=True, where=where)
            mean = np.true_divide(
                mean, np.asarray(count_along(a, axis, True, where)), out=mean, casting="unsafe"
            )
            far = squares(a - mean)
            total = np.add.reduce(far, axis, real, keepdims=keeps, where=where)
            count = np.maximum(np.asarray(count_along(a, axis, keeps, where)) - ddof, 0)
        else:
            mean = np.add.reduce(a, axis, dtype, keepdims=True)
            mean = np.true_divide(
                mean, np.asarray(count_along(a, axis, True, True)), out=mean, casting="unsafe"
            )
            far = squares(a - mean)
            total = np.add.reduce(far, axis, real, keepdims=keeps)
            count = np.maximum(count_along(a, axis, keeps, True) - ddof, 0)
        result = quotient(total, count)
        return root(result) if rooted else result

    return variance
