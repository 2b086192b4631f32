"""Evenly spaced numbers and their powers: `arange linspace logspace geomspace`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.dtypes import asked_dtype, real_dtype, wanted_dtype
from cutaway.library.arrays.kit.shapes import shape_of
from cutaway.library.arrays.kit.takes import (
    Anything,
    Axis,
    Dtype,
    Flag,
    Integer,
    NumberDtype,
    Operands,
    Real,
    RealOrNone,
    Truth,
    numpy,
    require_usual,
)
from cutaway.library.arrays.kit.typers import (
    dimensions,
    element,
    is_integral,
    is_real,
    left_out,
    private,
    said,
)
from cutaway.library.core import messages
from cutaway.library.math.number_classes import fitting
from cutaway.typing import types
from cutaway.typing.ufuncs import as_given

# --- arange -----------------------------------------------------------------------------------

_ARANGE_ZERO_STEP = messages.message_of(lambda: np.arange(0, 1, 0))
_TOO_MANY_TRUTHS = messages.message_of(lambda: np.arange(0, 3, 1, bool))


@static
def _is_wide(*numbers: Any) -> bool:
    """True if an integer may exceed int64 (uint64), and no float is among the arguments."""
    given = [one for one in numbers if not left_out(one)]
    floats = any(isinstance(one, types.Float) for one in given)
    return not floats and types.uint64 in map(element, given)


@static
def _are_integral(*numbers: Any) -> bool:
    return all(map(is_integral, numbers))


@static
def _arange_dtype(start: Any, stop: Any, step: Any, dtype: Any) -> np.dtype[Any]:
    floats = any(isinstance(one, types.Float) for one in (start, stop, step))
    item_type = asked_dtype(dtype, types.float64 if floats else types.int64)
    if item_type is None:
        raise TypingError("a range has numbers as its elements", hint="for example np.float64")
    return types.to_dtype(item_type)


@numpy(np.arange)
def arange(
    start: Real,
    stop: RealOrNone = None,
    step: RealOrNone = None,
    dtype: Dtype = None,
    *,
    device: Anything = None,
    like: Anything = None,
):
    """Numbers from `start` to before `stop`, by a step."""
    require_usual(device, like)
    out_dtype = _arange_dtype(start, stop, step, dtype)
    if out_dtype.kind == "c":  # NumPy adds the parts separately
        return np.arange(start, stop, step, real_dtype(out_dtype)).astype(out_dtype)
    first, last = (0, start) if stop is None else (start, stop)
    stride = 1 if step is None else step
    if _is_wide(start, stop, step):
        first, last, stride = fitting(first, _WIDE), fitting(last, _WIDE), fitting(stride, _WIDE)
    count = _step_count(first, last, stride)
    if out_dtype.kind == "b" and count > 2:
        raise TypeError(_TOO_MANY_TRUTHS)
    array = np.empty(count, out_dtype)
    _go_up(array, first, stride)
    return array


_WIDE = np.dtype(np.uint64)


@private
def _step_count(first, last, stride):
    """The number of elements of `np.arange` with these bounds and this step."""
    if _are_integral(first, last, stride) and not _is_wide(first):
        if stride == 0:
            raise ZeroDivisionError(_ARANGE_ZERO_STEP)
        return len(range(int(first), int(last), int(stride)))
    return _step_count_of_distance(float(last - first), stride)


@private
def _step_count_of_distance(distance, stride):
    if stride == 0:
        raise ZeroDivisionError(messages.FLOAT_DIVISION)
    ratio = distance / stride
    if ratio == 0 and distance != 0:  # the quotient underflowed
        return int(math.copysign(1.0, ratio) > 0)
    if math.isnan(ratio):
        raise ValueError("arange: cannot compute length")
    if not -9223372036854775808.0 <= ratio < 9223372036854775808.0:
        raise ValueError("Maximum allowed size exceeded")
    return max(math.ceil(ratio), 0)


@private
def _go_up(array, first, stride):
    """Fill an array with steps, after NumPy's check that the first two fit."""
    count = len(array)
    if not _are_integral(array.dtype.type(0), first, stride):
        _go_up_from_first_two(array, first, stride)
        return
    if count > 0:
        fitting(first, array.dtype)
    if count > 1:
        fitting(first + stride, array.dtype)
    if _is_wide(first):
        number = first
        for k in range(count):
            array[k] = number
            number += stride
    else:
        for k in range(count):
            array[k] = first + k * stride


@private
def _go_up_from_first_two(array, first, stride):
    """Store the first two elements, which must fit, and continue from these in the array's type."""
    count = len(array)
    if count > 1:
        low = array.dtype.type(fitting(first, array.dtype))
        high = array.dtype.type(fitting(first + stride, array.dtype))
        step = array.dtype.type(high - low)
        for k in range(count):  # restarting at 0 keeps vectors of elements aligned
            array[k] = low + array.dtype.type(k) * step
        array[0], array[1] = low, high
    elif count > 0:
        array[0] = fitting(first, array.dtype)


# --- linspace ---------------------------------------------------------------------------------


@private
def _evenly_spaced(start, stop, num, endpoint):
    """`num` evenly spaced floats from `start` to `stop`."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    steps = num - 1 if endpoint else num
    first, delta = float(start), float(stop) - float(start)
    array = np.empty(num)
    step = delta / steps if steps > 0 else delta
    if step == 0.0 and delta != 0.0:  # underflow
        for k in range(num):
            array[k] = k / steps * delta + first
    else:
        for k in range(num):
            array[k] = k * step + first
    if endpoint and num > 1:
        array[num - 1] = stop
    return array


@static
def _are_usual(start: Any, stop: Any) -> bool:
    """True if both ends are computed with as float64."""
    return all(
        is_real(end) and not (isinstance(end, types.Float) and end is not types.float64)
        for end in (start, stop)
    )


@static
def _is_first(axis: Any) -> bool:
    return bool(said(axis) == 0)


@static
def _ends_dtype(*ends: Any) -> np.dtype[Any]:
    """The inexact dtype in which numbers between the ends are computed."""
    given = [as_given(getattr(end, "literal_type", end)) for end in ends]
    common = np.result_type(*(one(0) if isinstance(one, type) else one for one in given))
    return common if common.kind in "fc" else np.result_type(common, np.float64)


@static
def _spaced_dtype(start: Any, stop: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype of the result, from the ends or from the `dtype` argument."""
    computed = _ends_dtype(start, stop)
    result = wanted_dtype(dtype, types.from_dtype(computed))
    if result is None or (result.kind in "iu" and computed.kind == "c"):
        raise TypingError("these numbers have no such dtype", hint="leave out `dtype`")
    return result


@private
def _has_zero(x):
    """True if a number, or any element of an array, is zero."""
    return np.any(x == 0) if isinstance(x, np.ndarray) else x == 0


@private
def _line_between(start, stop, num, endpoint, dtype):
    """Evenly spaced numbers between two numbers, computed as float64."""
    out = _evenly_spaced(start, stop, num, endpoint)
    if dtype.kind in "iu":
        for k in range(len(out)):
            out[k] = out[k] // 1.0 if np.isfinite(out[k]) else out[k]
    return out if dtype == np.float64 else out.astype(dtype)


@private
def _spaced(start, stop, num, endpoint, computed):
    """Evenly spaced values between arrays, or numbers of other dtypes than float64, and the
    step."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    steps = num - 1 if endpoint else num
    delta = np.subtract(stop, start, dtype=computed)
    ramp = np.arange(num).astype(computed).reshape((num,) + (1,) * len(shape_of(delta)))  # noqa: RUF005
    step = np.divide(delta, steps) if steps > 0 else np.multiply(delta, np.nan)
    if steps <= 0:
        out = ramp * delta
    elif _has_zero(step):  # of a step that underflowed
        out = ramp / steps * delta
    else:
        out = ramp * step
    np.add(out, start, out=out)
    if endpoint and num > 1:
        out[num - 1, ...] = stop
    return out, step


@numpy(np.linspace)
def linspace(
    start: Operands,
    stop: Operands,
    num: Integer = 50,
    endpoint: Truth = True,
    retstep: Flag = False,
    dtype: NumberDtype = None,
    axis: Axis = 0,
):
    """`num` evenly spaced numbers between two numbers or arrays."""
    wanted = _spaced_dtype(start, stop, dtype)
    if _are_usual(start, stop) and _is_first(axis) and wanted.kind != "c":
        line = _line_between(start, stop, num, endpoint, wanted)
        steps = num - 1 if endpoint else num
        if not retstep:
            return line
        return line, (float(stop) - float(start)) / steps if steps > 0 else np.nan
    out, step = _spaced(start, stop, num, endpoint, _ends_dtype(start, stop))
    turned = np.moveaxis(out, 0, axis)
    made = (np.floor(turned) if wanted.kind in "iu" else turned).astype(wanted)
    return (made, step) if retstep else made


# --- powers -----------------------------------------------------------------------------------


@static
def _powers_dtype(start: Any, stop: Any, base: Any, dtype: Any) -> np.dtype[Any] | None:
    """The dtype asked for powers of a base; None for the dtype that they are computed in."""
    bases = types.float64 if isinstance(base, types.Omitted) else base
    kind = types.from_dtype(np.result_type(_ends_dtype(start, stop), _ends_dtype(bases)))
    return None if left_out(dtype) else wanted_dtype(dtype, kind)


@static
def _missing_axes(x: Any, *others: Any) -> int:
    return max(map(dimensions, others)) - dimensions(x)


@private
def _with_axes_of(x, start, stop, base):
    """An operand with as many axes as the one of the three with the most."""
    own = np.asarray(x)
    return own.reshape((1,) * _missing_axes(x, start, stop, base) + own.shape)  # noqa: RUF005


@private
def _powers(start, stop, num, endpoint, base, axis):
    if not isinstance(base, np.ndarray):
        return np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    first, last = _with_axes_of(start, start, stop, base), _with_axes_of(stop, start, stop, base)
    raised = np.expand_dims(_with_axes_of(base, start, stop, base), axis)
    return np.power(raised, np.linspace(first, last, num, endpoint, axis=axis))


@static
def _is_real(base: Any) -> bool:
    return left_out(base) or isinstance(base, types.Omitted) or is_real(base)


@numpy(np.logspace)
def logspace(
    start: Operands,
    stop: Operands,
    num: Integer = 50,
    endpoint: Truth = True,
    base: Operands = 10.0,
    dtype: NumberDtype = None,
    axis: Axis = 0,
):
    """Powers of a base with evenly spaced exponents."""
    if _are_usual(start, stop) and _is_real(base) and dtype is None and _is_first(axis):
        out = np.linspace(start, stop, num, endpoint)
        for k in range(len(out)):
            out[k] = float(base) ** out[k]
        return out
    wanted = _powers_dtype(start, stop, base, dtype)
    out = _powers(start, stop, num, endpoint, base, axis)
    return out if wanted is None else out.astype(wanted)


_ZERO = "Geometric sequence cannot include zero"


@private
def _geometric_line(start, stop, num, endpoint):
    """A geometric sequence between two numbers, computed as float64."""
    first, last = float(start), float(stop)
    if first == 0 or last == 0:
        raise ValueError(_ZERO)
    sign = np.sign(first)  # NaN for NaN
    low = math.log10(sign * first)
    high = math.log10(sign * last) if sign * last > 0 else np.nan
    out = np.logspace(low, high, num, endpoint)
    if len(out):
        out[0] = sign * first
    if len(out) > 1 and endpoint:
        out[len(out) - 1] = sign * last
    for k in range(len(out)):
        out[k] *= sign
    return out


@static
def _geometric_dtype(start: Any, stop: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype that a geometric sequence is computed in; numbers count like arrays here."""
    own = [types.to_dtype(element(end)) for end in (start, stop)]
    common = np.result_type(*own, wanted_dtype(dtype, types.float64))
    return common if common.kind in "fc" else np.dtype(np.float64)


@static
def _asked_or(dtype: Any, computed: Any) -> np.dtype[Any]:
    return wanted_dtype(dtype, types.from_dtype(computed.value))


@numpy(np.geomspace)
def geomspace(
    start: Operands,
    stop: Operands,
    num: Integer = 50,
    endpoint: Truth = True,
    dtype: NumberDtype = None,
    axis: Axis = 0,
):
    """`num` numbers between two numbers or arrays, each a constant multiple of the one before."""
    if _are_usual(start, stop) and dtype is None and _is_first(axis):
        return _geometric_line(start, stop, num, endpoint)
    if _has_zero(start) or _has_zero(stop):
        raise ValueError(_ZERO)
    inner = _geometric_dtype(start, stop, dtype)
    first, last = np.asarray(start).astype(inner), np.asarray(stop).astype(inner)
    sign = np.asarray(np.sign(first))  # computed with positive numbers, then the sign is restored
    first, last = np.asarray(first / sign), np.asarray(last / sign)
    out = np.logspace(np.log10(first), np.log10(last), num, endpoint, 10.0, inner)
    if num > 0:
        out[0, ...] = first
    if num > 1 and endpoint:
        out[num - 1, ...] = last
    return np.moveaxis(out * sign, 0, axis).astype(_asked_or(dtype, inner))
