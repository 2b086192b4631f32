"""Means: sums divided by counts, as NumPy divides them.  `reductions.py` registers them."""

from __future__ import annotations

from types import FunctionType

import numpy as np

from cutaway.extending.overloads import overload, register_jitable
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import in_memory_order, lines_along
from cutaway.library.arrays.kit.sums import buffer_sizes, buffered_sum
from cutaway.library.arrays.statistics.halves import sum_of_halves
from cutaway.typing import types
from cutaway.typing.types import Array, Complex


def mean_of_sum(total, count):
    """The mean of so many numbers with this sum, as NumPy divides it."""
    return np.complex128(total) / count if isinstance(total, complex) else np.float64(total) / count


@overload(mean_of_sum)
def _mean_of_sum(total, count):
    return _mean_of_complex_sum if isinstance(total, Complex) else _mean_of_real_sum


def _mean_of_real_sum(total, count):
    if count == 0:
        return -np.nan
    return float(np.float64(total) / count)


def _mean_of_complex_sum(total, count):
    if count == 0:
        return complex(-np.nan, -np.nan)
    real, imag, scale = float(total.real), float(total.imag), 1.0 / count
    return complex((real + imag * 0.0) * scale, (imag - real * 0.0) * scale)


def mean_whole(a: Array) -> FunctionType:
    """The mean of a whole array of such a type."""
    if a.dtype is types.float16:
        return _mean_of_halves
    return _mean_of_integers if types.is_integral(a.dtype) else _mean_of_inexact


def _mean_of_halves(a):
    return np.float16(mean_of_sum(sum_of_halves(a), a.size))


def _mean_of_inexact(a):
    return a.dtype.type(mean_of_sum(a.sum(), a.size))


def _mean_of_integers(a):
    runs = in_memory_order(a)
    size, outer = buffer_sizes(runs, True)
    return mean_of_sum(buffered_sum(runs, np.empty(size), outer, 0.0), a.size)


def mean_along(a: Array) -> FunctionType:
    """The means of an array of such a type along one axis."""
    if a.ndim < 2:
        return _mean_along_only_axis
    if a.dtype is types.float16:
        return lambda a, axis: _mean_along_axis(a, axis).astype(np.float16)
    return _mean_along_axis


def _mean_along_only_axis(a, axis):
    axis_of(a, axis)
    return a.mean()


@register_jitable
def _mean_along_axis(a, axis):
    lines = lines_along(a, axis)
    out = floats_of(a).sum(axis)
    for k in range(out.size):
        out.flat[k] = out.dtype.type(mean_of_sum(out.flat[k], lines.shape[-1]))
    return out


def floats_of(a):
    """An array of inexact numbers as it is, but float16 as float32, or integers as floats in the
    same order of memory."""
    if a.dtype.char == "e":
        return a.astype(np.float32)
    return a.astype(float) if a.dtype.kind in "biu" else a


@overload(floats_of)
def _floats_of(a):
    dtype = np.float32 if a.dtype is types.float16 else np.float64

    def of_columns(a):
        out = np.empty(a.shape[::-1], dtype)
        out[...] = a.T
        return out.T

    def of_integers(a):
        out = np.empty(a.shape, dtype)
        out[...] = a
        return out

    if not types.is_integral(a.dtype) and a.dtype is not types.float16:
        return lambda a: a
    return of_columns if a.layout == "F" else of_integers
