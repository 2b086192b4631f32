"""Numbers at equal distances, and their powers: `arange linspace logspace geomspace`."""

from __future__ import annotations

import math

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import asked_dtype, wanted_dtype
from cutaway.library.arrays.kit.typers import (
    flag,
    is_integral,
    is_integral_or_default,
    is_real,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.kit.usual import require_usual
from cutaway.library.core import messages
from cutaway.library.math.weak_numbers import fitting
from cutaway.typing import types

# --- arange -----------------------------------------------------------------------------------

_ARANGE_ZERO_STEP = messages.message_of(lambda: np.arange(0, 1, 0))
_TOO_MANY_TRUTHS = messages.message_of(lambda: np.arange(0, 3, 1, bool))


@overload(np.arange)
def _arange(start, stop=None, step=None, dtype=None):  # type: ignore[no-untyped-def]
    numbers = [one for one in (start, stop, step) if not left_out(one)]
    if left_out(start) or not all(map(is_real, numbers)):
        return None
    floats = any(isinstance(one, types.Float) for one in numbers)
    item_type = asked_dtype(dtype, types.float64 if floats else types.int64)
    if item_type is None or isinstance(item_type, types.Complex):
        return None
    out_dtype, from_zero, by_one = types.to_dtype(item_type), left_out(stop), left_out(step)
    are_truths = item_type is types.boolean

    def arange(start, stop=None, step=None, dtype=None):  # type: ignore[no-untyped-def]
        first, last, stride = start, stop, step
        if from_zero:
            first, last = 0, start
        if by_one:
            stride = 1
        count = step_count(first, last, stride)
        if are_truths and count > 2:
            raise TypeError(_TOO_MANY_TRUTHS)
        array = np.empty(count, out_dtype)
        go_up(array, first, stride)
        return array

    return arange


@overload(np.arange)
def _arange_told(start, stop=None, step=None, dtype=None, *, device=None, like=None):  # type: ignore[no-untyped-def]
    require_usual(device, like)
    out_dtype = None if left_out(dtype) else asked_dtype(dtype, types.float64)
    if out_dtype is None:

        def plain(start, stop=None, step=None, dtype=None, *, device=None, like=None):  # type: ignore[no-untyped-def]
            return np.arange(start, stop, step)

        return plain if left_out(dtype) else None
    wanted = types.to_dtype(out_dtype)

    def as_told(start, stop=None, step=None, dtype=None, *, device=None, like=None):  # type: ignore[no-untyped-def]
        return np.arange(start, stop, step, wanted)

    return as_told


def step_count(first, last, stride):  # type: ignore[no-untyped-def]
    """The number of elements of `np.arange` with these bounds and this step."""
    return len(np.arange(first, last, stride))


@overload(step_count)
def _step_count(first, last, stride):  # type: ignore[no-untyped-def]
    integral = all(map(is_integral, (first, last, stride)))
    return _step_count_of_integers if integral else _step_count_of_floats


def _step_count_of_integers(first, last, stride):  # type: ignore[no-untyped-def]
    if stride == 0:
        raise ZeroDivisionError(_ARANGE_ZERO_STEP)
    return len(range(int(first), int(last), int(stride)))


def _step_count_of_floats(first, last, stride):  # type: ignore[no-untyped-def]
    if stride == 0:
        raise ZeroDivisionError(messages.FLOAT_DIVISION)
    distance = float(last - first)
    ratio = distance / stride
    if ratio == 0 and distance != 0:  # too little to be told from nothing
        return int(math.copysign(1.0, ratio) > 0)
    if math.isnan(ratio):
        raise ValueError("arange: cannot compute length")
    if not -9223372036854775808.0 <= ratio < 9223372036854775808.0:
        raise ValueError("Maximum allowed size exceeded")
    return max(math.ceil(ratio), 0)


def go_up(array, first, stride):  # type: ignore[no-untyped-def]
    """Fill an array with steps; the first two have to fit."""
    low, high = array.dtype.type(first), array.dtype.type(first + stride)
    array[:2] = (low, high)[: len(array)]
    for k in range(2, len(array)):
        array[k] = low + array.dtype.type(k) * (high - low)


@overload(go_up)
def _go_up(array, first, stride):  # type: ignore[no-untyped-def]
    integral = all(map(is_integral, (array.dtype, first, stride)))
    return _go_up_by_integers if integral else _go_up_from_first_two


def _go_up_by_integers(array, first, stride):  # type: ignore[no-untyped-def]
    """NumPy looks at whether the first two fit; the others wrap around."""
    count = len(array)
    if count > 0:
        fitting(first, array.dtype)
    if count > 1:
        fitting(first + stride, array.dtype)
    for k in range(count):
        array[k] = first + k * stride


def _go_up_from_first_two(array, first, stride):  # type: ignore[no-untyped-def]
    """NumPy stores the first two, which have to fit, and goes on from these in the array's type."""
    count = len(array)
    if count > 1:
        low = array.dtype.type(fitting(first, array.dtype))
        high = array.dtype.type(fitting(first + stride, array.dtype))
        step = array.dtype.type(high - low)
        for k in range(count):  # from the beginning, where vectors of elements are aligned
            array[k] = low + array.dtype.type(k) * step
        array[0], array[1] = low, high
    elif count > 0:
        array[0] = fitting(first, array.dtype)


# --- linspace ---------------------------------------------------------------------------------


@private
def evenly_spaced(start, stop, num, endpoint):  # type: ignore[no-untyped-def]
    """So many floats from `start` to `stop`."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    steps = num - 1 if endpoint else num
    first, delta = float(start), float(stop) - float(start)
    array = np.empty(num)
    step = delta / steps if steps > 0 else math.nan
    for k in range(num):
        if steps <= 0:
            array[k] = k * delta + first
        elif step == 0.0:
            array[k] = k / steps * delta + first
        else:
            array[k] = k * step + first
    if endpoint and num > 1:
        array[num - 1] = stop
    return array


@numpy(np.linspace)
def _linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):  # type: ignore[no-untyped-def]
    out_dtype, step = wanted_dtype(dtype, types.float64), flag(retstep)
    if out_dtype is None or step is None or not is_real(start) or not is_real(stop):
        return None
    if not is_integral_or_default(num) or not is_integral_or_default(endpoint):
        return None
    whole, floats = out_dtype.kind in "iu", out_dtype == np.float64

    @private
    def converted(start, stop, num, endpoint):  # type: ignore[no-untyped-def]
        out = evenly_spaced(start, stop, num, endpoint)
        if whole:
            for k in range(len(out)):
                out[k] = out[k] // 1.0 if np.isfinite(out[k]) else out[k]
        return out.astype(out_dtype)

    line_of = evenly_spaced if floats else converted

    def line(start, stop, num=50, endpoint=True, retstep=False, dtype=None):  # type: ignore[no-untyped-def]
        return line_of(start, stop, num, endpoint)

    def with_step(start, stop, num=50, endpoint=True, retstep=False, dtype=None):  # type: ignore[no-untyped-def]
        steps = num - 1 if endpoint else num
        line = line_of(start, stop, num, endpoint)
        return line, (float(stop) - float(start)) / steps if steps > 0 else np.nan

    return with_step if step else line


# --- powers -----------------------------------------------------------------------------------


@numpy(np.logspace)
def _logspace(start, stop, num=50, endpoint=True, base=10.0):  # type: ignore[no-untyped-def]
    if not is_real(start) or not is_real(stop) or not is_integral_or_default(num):
        return None

    def logspace(start, stop, num=50, endpoint=True, base=10.0):  # type: ignore[no-untyped-def]
        out = np.linspace(start, stop, num, endpoint)
        for k in range(len(out)):
            out[k] = float(base) ** out[k]
        return out

    return logspace


@numpy(np.geomspace)
def _geomspace(start, stop, num=50, endpoint=True):  # type: ignore[no-untyped-def]
    if not is_real(start) or not is_real(stop) or not is_integral_or_default(num):
        return None
    if not is_integral_or_default(endpoint):
        return None

    def geomspace(start, stop, num=50, endpoint=True):  # type: ignore[no-untyped-def]
        first, last = float(start), float(stop)
        if first == 0 or last == 0:
            raise ValueError("Geometric sequence cannot include zero")
        sign = -1.0 if first < 0 else 1.0
        low = math.log10(sign * first)
        high = math.log10(sign * last) if sign * last > 0 else np.nan
        out = np.logspace(low, high, num, endpoint)
        for k in range(len(out)):
            out[k] *= sign
        if len(out):
            out[0] = first
        if len(out) > 1 and endpoint:
            out[len(out) - 1] = last
        return out

    return geomspace
