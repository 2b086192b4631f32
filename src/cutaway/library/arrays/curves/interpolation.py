"""Functions defined by points or by coefficients: `interp polyval`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse
from cutaway.library.arrays.kit.dtypes import joint_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.places import place_from_right
from cutaway.library.arrays.kit.takes import Line, Operands, RealOrNone, numpy
from cutaway.library.arrays.kit.typers import (
    are_elements,
    dimensions,
    element,
    is_array,
    is_complex,
    is_number,
    left_out,
    private,
)
from cutaway.typing import types


@private
def _between(low, high, slope, x, start, end):
    """The value of a line at `x`, computed from its start or, where that is NaN, from its end."""
    y = slope * (x - start) + low
    if y != y:  # noqa: PLR0124
        y = slope * (x - end) + high
        if y != y and low == high:  # noqa: PLR0124
            y = low
    return y


@private
def _interpolated(x, xp, fp, left, right):
    cast, last = (complex if is_complex(fp) else float), len(xp) - 1
    if x != x:  # noqa: PLR0124
        return cast(x) if last else cast(fp[0])  # with one point NumPy only compares with it
    if x < xp[0]:
        return left
    if x > xp[last]:
        return right
    k = place_from_right(xp, x, float) - 1
    low, start = cast(fp[k]), np.float64(xp[k])
    if k == last or start == x:
        return low
    high, end = cast(fp[k + 1]), np.float64(xp[k + 1])
    if is_complex(fp):
        inverse = 1.0 / (end - start)
        real, imag = (high.real - low.real) * inverse, (high.imag - low.imag) * inverse
        return complex(
            _between(low.real, high.real, real, x, start, end),
            _between(low.imag, high.imag, imag, x, start, end),
        )
    return _between(low, high, (high - low) / (end - start), x, start, end)


def _is_real_line(argument: Any) -> bool:
    return is_array(argument) and argument.ndim == 1 and types.is_real(argument.dtype)


def _are_real(argument: Any) -> bool:
    return are_elements(argument) and types.is_real(element(argument))


RealLine = Takes("a line of real numbers", _is_real_line)
RealPoints = Takes("real numbers", _are_real)
End = Takes("a number or None", lambda one: left_out(one) or is_number(element(one)))


@numpy(np.interp)
def interp(
    x: RealPoints,
    xp: RealLine,
    fp: Line,
    left: End = None,
    right: End = None,
    period: RealOrNone = None,
):
    if period is not None:
        return _interpolated_over(x, xp, fp, period)
    if not is_complex(fp) and (is_complex(left) or is_complex(right)):
        refuse("the ends of real values are real numbers")
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    cast = complex if is_complex(fp) else float
    first = cast(fp[0] if left is None else left)
    last = cast(fp[len(fp) - 1] if right is None else right)
    if dimensions(x) == 0:
        return _interpolated(np.float64(single(x)), xp, fp, first, last)
    out = np.empty(x.shape, np.complex128 if is_complex(fp) else np.float64)
    line, k = out.ravel(), 0
    for one in x.flat:
        line[k] = _interpolated(np.float64(one), xp, fp, first, last)
        k += 1
    return out


@private
def _interpolated_over(x, xp, fp, period):
    """Interpolated values of a periodic function."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length")
    if not len(xp):
        raise ValueError("array of sample points is empty")
    length, count = abs(float(period)), len(xp)
    starts = xp.astype(np.float64) % length
    order = np.argsort(starts)
    points = np.empty(count + 2)
    values = np.empty(count + 2, np.complex128 if is_complex(fp) else np.float64)
    for k in range(count):
        points[k + 1], values[k + 1] = starts[order[k]], fp[order[k]]
    points[0], values[0] = points[count] - length, values[count]
    points[count + 1], values[count + 1] = points[1] + length, values[1]
    if dimensions(x) == 0:
        return np.interp(np.float64(single(x)) % length, points, values)
    return np.interp(x % length, points, values)


@numpy(np.polyval)
def polyval(p: Line, x: Operands):
    dtype = joint_dtype(p, x)
    if dtype == np.bool_:
        refuse("a polynomial is one of numbers, not of bools")
    if dimensions(x) == 0:
        return _value_at(p, dtype.type(single(x)))
    out = np.empty(x.shape, dtype)
    line, k = out.ravel(), 0
    for one in x.flat:
        line[k] = _value_at(p, dtype.type(one))
        k += 1
    return out


@private
def _value_at(p, x):
    dtype = joint_dtype(p, x)
    total = dtype.type(0)
    for c in p:
        total = dtype.type(total * x + c)
    return total
