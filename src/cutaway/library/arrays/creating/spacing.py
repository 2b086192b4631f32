"""Numbers at equal distances, and their powers: `arange linspace logspace geomspace`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import asked_dtype, wanted_dtype
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    element,
    flag,
    is_integral,
    is_integral_or_default,
    is_left_out_or,
    is_real,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.library.arrays.kit.usual import require_usual
from cutaway.library.core import messages
from cutaway.library.math.weak_numbers import fitting
from cutaway.typing import types
from cutaway.typing.ufuncs import as_given

# --- arange -----------------------------------------------------------------------------------

_ARANGE_ZERO_STEP = messages.message_of(lambda: np.arange(0, 1, 0))
_TOO_MANY_TRUTHS = messages.message_of(lambda: np.arange(0, 3, 1, bool))


@overload(np.arange)
def _arange(start, stop=None, step=None, dtype=None):
    numbers = [one for one in (start, stop, step) if not left_out(one)]
    if left_out(start) or not all(map(is_real, numbers)):
        return None
    floats = any(isinstance(one, types.Float) for one in numbers)
    wide = not floats and types.uint64 in map(element, numbers)  # int64 cannot hold them
    item_type = asked_dtype(dtype, types.float64 if floats else types.int64)
    if item_type is None:
        return None
    if isinstance(item_type, types.Complex):
        return _complex_arange(types.to_dtype(item_type))
    out_dtype, from_zero, by_one = types.to_dtype(item_type), left_out(stop), left_out(step)
    are_truths = item_type is types.boolean

    def arange(start, stop=None, step=None, dtype=None):
        first, last, stride = start, stop, step
        if from_zero:
            first, last = 0, start
        if by_one:
            stride = 1
        if wide:
            first, last, stride = _all_wide(first, last, stride)
        count = step_count(first, last, stride)
        if are_truths and count > 2:
            raise TypeError(_TOO_MANY_TRUTHS)
        array = np.empty(count, out_dtype)
        go_up(array, first, stride)
        return array

    return arange


def _complex_arange(dtype: np.dtype[Any]) -> Any:
    """What goes up by real steps, as complex numbers: NumPy adds up each part by itself."""
    part = dtype.type(0).real.dtype

    def arange(start, stop=None, step=None, dtype=None):
        return np.arange(start, stop, step, part).astype(wanted)

    wanted = dtype
    return arange


@private
def _all_wide(first, last, stride):
    return fitting(first, _WIDE), fitting(last, _WIDE), fitting(stride, _WIDE)


_WIDE = np.dtype(np.uint64)


@overload(np.arange)
def _arange_told(start, stop=None, step=None, dtype=None, *, device=None, like=None):
    require_usual(device, like)
    if not all(is_real(one) for one in (start, stop, step) if not left_out(one)):
        return None
    out_dtype = None if left_out(dtype) else asked_dtype(dtype, types.float64)
    if out_dtype is None:

        def plain(start, stop=None, step=None, dtype=None, *, device=None, like=None):
            return np.arange(start, stop, step)

        return plain if left_out(dtype) else None
    wanted = types.to_dtype(out_dtype)

    def as_told(start, stop=None, step=None, dtype=None, *, device=None, like=None):
        return np.arange(start, stop, step, wanted)

    return as_told


def step_count(first, last, stride):
    """The number of elements of `np.arange` with these bounds and this step."""
    return len(np.arange(first, last, stride))


@overload(step_count)
def _step_count(first, last, stride):
    if first is types.uint64:
        return lambda first, last, stride: _step_count_of_distance(float(last - first), stride)
    integral = all(map(is_integral, (first, last, stride)))
    return _step_count_of_integers if integral else _step_count_of_floats


def _step_count_of_integers(first, last, stride):
    if stride == 0:
        raise ZeroDivisionError(_ARANGE_ZERO_STEP)
    return len(range(int(first), int(last), int(stride)))


def _step_count_of_floats(first, last, stride):
    return _step_count_of_distance(float(last - first), stride)


@private
def _step_count_of_distance(distance, stride):
    if stride == 0:
        raise ZeroDivisionError(messages.FLOAT_DIVISION)
    ratio = distance / stride
    if ratio == 0 and distance != 0:  # too little to be told from nothing
        return int(math.copysign(1.0, ratio) > 0)
    if math.isnan(ratio):
        raise ValueError("arange: cannot compute length")
    if not -9223372036854775808.0 <= ratio < 9223372036854775808.0:
        raise ValueError("Maximum allowed size exceeded")
    return max(math.ceil(ratio), 0)


def go_up(array, first, stride):
    """Fill an array with steps; the first two have to fit."""
    low, high = array.dtype.type(first), array.dtype.type(first + stride)
    array[:2] = (low, high)[: len(array)]
    for k in range(2, len(array)):
        array[k] = low + array.dtype.type(k) * (high - low)


@overload(go_up)
def _go_up(array, first, stride):
    integral = all(map(is_integral, (array.dtype, first, stride)))
    if integral and first is types.uint64:
        return _go_up_by_wide_integers
    return _go_up_by_integers if integral else _go_up_from_first_two


def _go_up_by_integers(array, first, stride):
    """NumPy looks at whether the first two fit; the others wrap around."""
    count = len(array)
    if count > 0:
        fitting(first, array.dtype)
    if count > 1:
        fitting(first + stride, array.dtype)
    for k in range(count):
        array[k] = first + k * stride


def _go_up_by_wide_integers(array, first, stride):
    count, number = len(array), first
    if count > 0:
        fitting(first, array.dtype)
    if count > 1:
        fitting(first + stride, array.dtype)
    for k in range(count):
        array[k] = number
        number += stride


def _go_up_from_first_two(array, first, stride):
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
def evenly_spaced(start, stop, num, endpoint):
    """So many floats from `start` to `stop`."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    steps = num - 1 if endpoint else num
    first, delta = float(start), float(stop) - float(start)
    array = np.empty(num)
    step = delta / steps if steps > 0 else delta
    if step == 0.0 and delta != 0.0:  # too small for a float
        for k in range(num):
            array[k] = k / steps * delta + first
    else:
        for k in range(num):
            array[k] = k * step + first
    if endpoint and num > 1:
        array[num - 1] = stop
    return array


@numpy(np.linspace)
def _linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):  # noqa: PLR0913
    if not _is_usual_end(start) or not _is_usual_end(stop) or not _is_first(axis):
        return _linspace_of_ends(start, stop, num, endpoint, retstep, dtype, axis)
    out_dtype, step = wanted_dtype(dtype, types.float64), flag(retstep)
    if out_dtype is None or step is None:
        return None
    if out_dtype.kind == "c":
        return _linspace_of_ends(start, stop, num, endpoint, retstep, dtype, axis)
    if not is_integral_or_default(num) or not is_integral_or_default(endpoint):
        return None
    whole, floats = out_dtype.kind in "iu", out_dtype == np.float64

    @private
    def converted(start, stop, num, endpoint):
        out = evenly_spaced(start, stop, num, endpoint)
        if whole:
            for k in range(len(out)):
                out[k] = out[k] // 1.0 if np.isfinite(out[k]) else out[k]
        return out.astype(out_dtype)

    line_of = evenly_spaced if floats else converted

    def line(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):  # noqa: PLR0913
        return line_of(start, stop, num, endpoint)

    def with_step(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):  # noqa: PLR0913
        steps = num - 1 if endpoint else num
        line = line_of(start, stop, num, endpoint)
        return line, (float(stop) - float(start)) / steps if steps > 0 else np.nan

    return with_step if step else line


# --- between ends of any kind -------------------------------------------------------------------


def _is_usual_end(end: Any) -> bool:
    """True for a number that is computed with as a float64."""
    return is_real(end) and not (isinstance(end, types.Float) and end is not types.float64)


def _is_first(axis: Any) -> bool:
    return said(axis) == 0


def _ends_dtype(*ends: Any) -> np.dtype[Any]:
    """The dtype in which numbers between ends are computed: it has fractions."""
    given = [as_given(end) for end in ends]
    found = np.result_type(*(one(0) if isinstance(one, type) else one for one in given))
    return found if found.kind in "fc" else np.result_type(found, np.float64)


def _has_zero(x):
    """True if a number is zero, or an element of an array."""
    return bool(np.any(np.equal(x, 0)))


@overload(_has_zero, jit_options=OPTIONS)
def _has_zero_typer(x):
    return (lambda x: np.any(x == 0)) if isinstance(x, types.Array) else (lambda x: x == 0)


def _linspace_of_ends(  # noqa: PLR0913  NumPy's parameters
    start: Any, stop: Any, num: Any, endpoint: Any, retstep: Any, dtype: Any, axis: Any
) -> Any:
    """Arrays between arrays, and lines of other numbers than float64."""
    integers = all(map(is_integral_or_default, (num, endpoint, axis)))
    step = flag(retstep)
    if not are_elements(start, stop) or not integers or step is None:
        return None
    computed = _ends_dtype(start, stop)
    wanted = wanted_dtype(dtype, types.from_dtype(computed))
    if wanted is None or (wanted.kind in "iu" and computed.kind == "c"):
        return None
    ones = (1,) * max(dimensions(start), dimensions(stop))
    whole = wanted.kind in "iu"

    @private
    def spaced(start, stop, num, endpoint):
        if num < 0:
            raise ValueError(f"Number of samples, {num}, must be non-negative.")
        steps = num - 1 if endpoint else num
        delta = np.subtract(stop, start, dtype=computed)
        ramp = np.arange(num).astype(computed).reshape((num, *ones))
        step = np.divide(delta, steps) if steps > 0 else np.multiply(delta, np.nan)
        if steps <= 0:
            out = ramp * delta
        elif _has_zero(step):  # of numbers too small to be told apart
            out = ramp / steps * delta
        else:
            out = ramp * step
        np.add(out, start, out=out)
        if endpoint and num > 1:
            out[num - 1, ...] = stop
        return out, step

    @private
    def finished(out, axis):
        turned = np.moveaxis(out, 0, axis)
        return (np.floor(turned) if whole else turned).astype(wanted)

    def between(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):  # noqa: PLR0913
        return finished(spaced(start, stop, num, endpoint)[0], axis)

    def with_step(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):  # noqa: PLR0913
        out, step = spaced(start, stop, num, endpoint)
        return finished(out, axis), step

    return with_step if step else between


# --- powers -----------------------------------------------------------------------------------


@numpy(np.logspace)
def _logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):  # noqa: PLR0913
    usual = _is_usual_end(start) and _is_usual_end(stop) and is_left_out_or(is_real, base)
    if not usual or not left_out(dtype) or not _is_first(axis):
        return _logspace_of_ends(start, stop, num, base, dtype)
    if not is_integral_or_default(num):
        return None

    def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):  # noqa: PLR0913
        out = np.linspace(start, stop, num, endpoint)
        for k in range(len(out)):
            out[k] = float(base) ** out[k]
        return out

    return logspace


def _logspace_of_ends(start: Any, stop: Any, num: Any, base: Any, dtype: Any) -> Any:
    """Powers between arrays, of arrays, or as another dtype."""
    is_given = isinstance(base, types.Type) and not isinstance(base, types.Omitted)
    bases = base if is_given else types.float64
    if not are_elements(start, stop, bases) or not is_integral_or_default(num):
        return None
    ndim = max(map(dimensions, (start, stop, bases)))
    first_of, last_of, base_of = (_with_dimensions(one, ndim) for one in (start, stop, bases))
    kind = types.from_dtype(np.result_type(_ends_dtype(start, stop), _ends_dtype(bases)))
    wanted = wanted_dtype(dtype, kind)
    if wanted is None:
        return None
    plain = left_out(dtype)

    @private
    def finished(out):
        return out if plain else out.astype(wanted)

    def of_number(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):  # noqa: PLR0913
        return finished(np.power(base, np.linspace(start, stop, num, endpoint, axis=axis)))

    def of_bases(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):  # noqa: PLR0913
        first, last = first_of(start), last_of(stop)
        raised = np.expand_dims(base_of(base), axis)
        return finished(np.power(raised, np.linspace(first, last, num, endpoint, axis=axis)))

    return of_bases if dimensions(bases) else of_number


def _with_dimensions(ty: Any, ndim: int) -> Any:
    """A function that gives an array, or a number, with so many dimensions."""
    missing = (1,) * (ndim - dimensions(ty))

    def of_number(x):
        return np.asarray(x).reshape(missing)

    def of_array(x):
        return x.reshape(missing + x.shape)  # noqa: RUF005

    return private(of_array if dimensions(ty) else of_number)


@numpy(np.geomspace)
def _geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):  # noqa: PLR0913
    usual = _is_usual_end(start) and _is_usual_end(stop)
    if not is_integral_or_default(num) or not is_integral_or_default(endpoint):
        return None
    if not usual or not left_out(dtype) or not _is_first(axis):
        return _geomspace_of_ends(start, stop, dtype, axis)

    def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):  # noqa: PLR0913
        first, last = float(start), float(stop)
        if first == 0 or last == 0:
            raise ValueError(_ZERO)
        sign = np.sign(first)  # of NaN it is NaN
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

    return geomspace


_ZERO = "Geometric sequence cannot include zero"


def _geomspace_of_ends(start: Any, stop: Any, dtype: Any, axis: Any) -> Any:
    """Geometric sequences between arrays or complex numbers, or as another dtype."""
    if not are_elements(start, stop) or not is_integral_or_default(axis):
        return None
    asked = wanted_dtype(dtype, types.float64)
    if asked is None:
        return None
    own = [types.to_dtype(element(end)) for end in (start, stop)]
    inner = np.result_type(*own, asked)  # numbers count as arrays here
    if inner.kind not in "fc":
        inner = np.dtype(np.float64)
    wanted = inner if left_out(dtype) else asked

    def between(start, stop, num=50, endpoint=True, dtype=None, axis=0):  # noqa: PLR0913
        if _has_zero(start) or _has_zero(stop):
            raise ValueError(_ZERO)
        first, last = np.asarray(start).astype(inner), np.asarray(stop).astype(inner)
        sign = np.asarray(np.sign(first))  # all is turned to the positive numbers, and back
        first, last = np.asarray(first / sign), np.asarray(last / sign)
        out = np.logspace(np.log10(first), np.log10(last), num, endpoint, 10.0, inner)
        if num > 0:
            out[0, ...] = first
        if num > 1 and endpoint:
            out[num - 1, ...] = last
        return np.moveaxis(out * sign, 0, axis).astype(wanted)

    return between
