"""Functions given by points or by coefficients: `interp polyval`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.dtypes import joint
from cutaway.library.arrays.kit.elements import result_is_number, single
from cutaway.library.arrays.kit.places import place_from_right
from cutaway.library.arrays.kit.typers import (
    are_elements,
    are_numbers_or_left_out,
    element,
    is_array,
    is_left_out_or,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types


@private
def _interpolated(x, xp, fp, left, right):
    last = len(xp) - 1
    if x != x:  # noqa: PLR0124
        return x if last else np.float64(fp[0])  # of one point NumPy only asks what is less
    if x < xp[0]:
        return left
    if x > xp[last]:
        return right
    k = place_from_right(xp, x, float) - 1
    low, start = np.float64(fp[k]), np.float64(xp[k])
    if k == last or start == x:
        return low
    high, end = np.float64(fp[k + 1]), np.float64(xp[k + 1])
    slope = (high - low) / (end - start)
    y = slope * (x - start) + low
    if y != y:  # noqa: PLR0124
        y = slope * (x - end) + high
        if y != y and low == high:  # noqa: PLR0124
            y = low
    return y


@private
def _line_between(low, high, inverse, x, start, end):
    slope = (high - low) * inverse
    y = slope * (x - start) + low
    if y != y:  # noqa: PLR0124
        y = slope * (x - end) + high
        if y != y and low == high:  # noqa: PLR0124
            y = low
    return y


@private
def _interpolated_complex(x, xp, fp, left, right):
    last = len(xp) - 1
    if x != x:  # noqa: PLR0124
        return complex(x, 0.0) if last else np.complex128(fp[0])
    if x < xp[0]:
        return left
    if x > xp[last]:
        return right
    k = place_from_right(xp, x, float) - 1
    low, start = np.complex128(fp[k]), np.float64(xp[k])
    if k == last or start == x:
        return low
    high, end = np.complex128(fp[k + 1]), np.float64(xp[k + 1])
    inverse = 1.0 / (end - start)
    return complex(
        _line_between(low.real, high.real, inverse, x, start, end),
        _line_between(low.imag, high.imag, inverse, x, start, end),
    )


@private
def _check_points(xp, fp):
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")


def _are_lines(xp: Any, fp: Any) -> bool:
    return all(is_array(a) and a.ndim == 1 for a in (xp, fp)) and types.is_real(xp.dtype)


def _are_ends(fp: Any, *ends: Any) -> bool:
    if isinstance(fp.dtype, types.Complex):
        return all(is_left_out_or(types.is_number, one) for one in ends)
    return are_numbers_or_left_out(*ends)


@numpy(np.interp)
def _interp(x, xp, fp, left=None, right=None):
    if not are_elements(x) or not types.is_real(element(x)) or not _are_lines(xp, fp):
        return None
    if not _are_ends(fp, left, right):
        return None
    no_left, no_right = left_out(left), left_out(right)
    whole = isinstance(fp.dtype, types.Complex)
    dtype, cast = (np.complex128, complex) if whole else (np.float64, float)
    value_at = _interpolated_complex if whole else _interpolated

    @private
    def left_of(fp, left):
        return dtype(fp[0]) if no_left else cast(left)

    @private
    def right_of(fp, right):
        return dtype(fp[len(fp) - 1]) if no_right else cast(right)

    def of_number(x, xp, fp, left=None, right=None):
        _check_points(xp, fp)
        return value_at(np.float64(single(x)), xp, fp, left_of(fp, left), right_of(fp, right))

    def of_array(x, xp, fp, left=None, right=None):
        _check_points(xp, fp)
        first, last = left_of(fp, left), right_of(fp, right)
        out = np.empty(x.shape, dtype)
        line, k = out.ravel(), 0
        for one in x.flat:
            line[k] = value_at(np.float64(one), xp, fp, first, last)
            k += 1
        return out

    return of_number if result_is_number(x) else of_array


@numpy(np.interp)
def _interp_over_periods(x, xp, fp, left=None, right=None, period=None):
    if not are_elements(x) or not types.is_real(element(x)) or not _are_lines(xp, fp):
        return None
    if left_out(period):
        if not _are_ends(fp, left, right):
            return None
        return lambda x, xp, fp, left=None, right=None, period=None: np.interp(
            x, xp, fp, left, right
        )
    if not are_numbers_or_left_out(period):
        return None
    dtype = np.complex128 if isinstance(fp.dtype, types.Complex) else np.float64

    def interp(x, xp, fp, left=None, right=None, period=None):
        if period == 0:
            raise ValueError("period must be a non-zero value")
        if len(xp) != len(fp):
            raise ValueError("fp and xp are not of the same length")
        if not len(xp):
            raise ValueError("array of sample points is empty")
        length, count = abs(float(period)), len(xp)
        starts = xp.astype(np.float64) % length
        order = np.argsort(starts)
        points, values = np.empty(count + 2), np.empty(count + 2, dtype)
        for k in range(count):
            points[k + 1], values[k + 1] = starts[order[k]], fp[order[k]]
        points[0], values[0] = points[count] - length, values[count]
        points[count + 1], values[count + 1] = points[1] + length, values[1]
        return np.interp(np.asarray(x) % length, points, values)

    def interp_one(x, xp, fp, left=None, right=None, period=None):
        line = np.empty(1)
        line[0] = single(x)
        return np.interp(line, xp, fp, period=period)[0]

    return interp_one if result_is_number(x) else interp


@numpy(np.polyval)
def _polyval(p, x):
    if not is_array(p) or p.ndim != 1 or not are_elements(x):
        return None
    dtype = joint(p, x)
    zero, cast = dtype.type(0), dtype.type
    if dtype.kind == "b":
        return None

    @private
    def value_at(p, x):
        total = zero
        for c in p:
            total = cast(total * x + c)
        return total

    def of_array(p, x):
        out = np.empty(x.shape, dtype)
        line, k = out.ravel(), 0
        for one in x.flat:
            line[k] = value_at(p, cast(one))
            k += 1
        return out

    return (lambda p, x: value_at(p, cast(single(x)))) if result_is_number(x) else of_array
