"""Functions of NumPy's for arrays of times and durations, by their counts of units.

NaT is the smallest count.  Where it has to be the largest one, each count is lowered by one, which
makes NaT wrap around to the other end and leaves all others in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import removed
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Array, DateTime, TimeDelta

DATED = DateTime | TimeDelta
NAT = np.iinfo(np.int64).min
LAST = np.iinfo(np.int64).max


def _is_dated(*arrays: Any) -> bool:
    """True if all arguments are arrays of times of one unit."""
    kinds = {one.dtype if isinstance(one, Array) else None for one in arrays}
    return len(kinds) == 1 and _is_time(*kinds)


def _is_time(*ones: Any) -> bool:
    """True if all arguments are times or durations of a unit that is known."""
    return all(isinstance(one, DATED) and one.unit != "generic" for one in ones)


def _maker(ty: DateTime | TimeDelta) -> Any:
    """What makes a time of its count."""
    cls = np.datetime64 if isinstance(ty, DateTime) else np.timedelta64
    unit = np.dtype(types.to_dtype(ty)).str.partition("[")[2][:-1]
    return private(lambda count: cls(int(count), unit))


# --- the first, the last ----------------------------------------------------------------------


@private
def lowered(a):
    """The counts less one, in which NaT is the largest."""
    return a.view(np.int64) - np.int64(1)


@private
def raised(count):
    """The count that was lowered to this."""
    return NAT if count == LAST else count + 1


def _register_extreme(function: Any, smallest: bool, skips_nat: bool, *methods: str) -> None:
    """Register np.min or one like it."""
    extreme = np.min if smallest else np.max

    @numpy(function, *methods)
    def typer(a, axis=None):
        if not _is_dated(a) or not is_integral_or_default(axis):
            return None
        kind, time_of = types.to_dtype(a.dtype), _maker(a.dtype)
        if left_out(axis) or a.ndim == 1:
            if smallest != skips_nat:  # NaT is the smallest count
                return lambda a, axis=None: time_of(extreme(a.view(np.int64), axis))
            return lambda a, axis=None: time_of(raised(extreme(lowered(a), axis)))
        if smallest != skips_nat:
            return lambda a, axis=None: extreme(a.view(np.int64), axis).view(kind)
        return lambda a, axis=None: (extreme(lowered(a), axis) + np.int64(1)).view(kind)


for _function in {np.min, np.amin}:
    _register_extreme(_function, True, False, *(("min",) if _function is np.min else ()))
for _function in {np.max, np.amax}:
    _register_extreme(_function, False, False, *(("max",) if _function is np.max else ()))
_register_extreme(np.nanmin, True, True)
_register_extreme(np.nanmax, False, True)


@numpy(np.argmin, "argmin")
def _argmin(a, axis=None):
    if not _is_dated(a) or not is_integral_or_default(axis):
        return None
    return lambda a, axis=None: np.argmin(a.view(np.int64), axis)


@numpy(np.argmax, "argmax")
def _argmax(a, axis=None):
    if not _is_dated(a) or not is_integral_or_default(axis):
        return None
    return lambda a, axis=None: np.argmax(lowered(a), axis)


@numpy(np.ptp)
def _ptp(a, axis=None):
    if not _is_dated(a) or not is_integral_or_default(axis):
        return None
    return lambda a, axis=None: np.max(a, axis) - np.min(a, axis)


@numpy(np.clip, "clip")
def _clip(a, a_min=None, a_max=None):
    bounds = [getattr(one, "dtype", one) for one in (a_min, a_max)]
    if not _is_dated(a) or bounds != [a.dtype, a.dtype]:
        return None
    return lambda a, a_min=None, a_max=None: np.minimum(np.maximum(a, a_min), a_max)


# --- sums -------------------------------------------------------------------------------------


def _is_summed(a: Any, axis: Any) -> bool:
    fits = _is_dated(a) and isinstance(a.dtype, TimeDelta)
    return fits and is_integral_or_default(axis)


@numpy(np.sum, "sum")
def _sum(a, axis=None):
    if not _is_summed(a, axis):
        return None
    time_of, kind = _maker(a.dtype), types.to_dtype(a.dtype)

    def of_all(a, axis=None):
        if axis is not None:
            axis_of(a, axis)
        total = time_of(0)
        for x in a.ravel():
            total = total + x
        return total

    def along(a, axis=None):
        k = axis_of(a, axis)
        lines, out = lines_along(a, k), np.zeros(removed(a.shape, k), kind)
        for n in range(a.shape[k]):
            out += lines[..., n]
        return out

    return of_all if left_out(axis) or a.ndim == 1 else along


@numpy(np.mean, "mean")
def _mean(a, axis=None):
    if not _is_summed(a, axis):
        return None
    if left_out(axis):
        return lambda a, axis=None: np.sum(a) / a.size
    return lambda a, axis=None: np.sum(a, axis) / a.shape[axis]


@numpy(np.cumsum, "cumsum")
def _cumsum(a, axis=None):
    if not _is_summed(a, axis):
        return None
    if left_out(axis) and a.ndim != 1:
        return lambda a, axis=None: np.cumsum(a.ravel(), 0)
    if left_out(axis):
        return lambda a, axis=None: np.cumsum(a, 0)

    def cumsum(a, axis=None):
        k = axis_of(a, axis)
        out = np.empty(a.shape, a.dtype)
        out[...] = a
        lines = lines_along(out, k)
        for n in range(1, a.shape[k]):
            lines[..., n] = lines[..., n - 1] + lines[..., n]
        return out

    return cumsum


@numpy(np.diff, by_value=True)
def _diff(a, n=1, axis=-1):
    often = said(n)
    if not _is_dated(a) or not a.ndim or not is_integral_or_default(axis):
        return None
    if type(often) is not int or often < 1:
        return None

    def of_line(a, n=1, axis=-1):
        axis_of(a, axis)
        out = a[1:] - a[:-1]
        for _ in range(n - 1):
            out = out[1:] - out[:-1]
        return out

    def along(a, n=1, axis=-1):
        k = axis_of(a, axis)
        lines = np.swapaxes(a, k, a.ndim - 1)
        out = lines[..., 1:] - lines[..., :-1]
        for _ in range(n - 1):
            out = out[..., 1:] - out[..., :-1]
        return np.swapaxes(out, k, a.ndim - 1)

    return of_line if a.ndim == 1 else along


@numpy(np.median)
def _median(a, axis=None):
    if not _is_summed(a, axis) or not left_out(axis):
        return None
    time_of = _maker(a.dtype)

    def median(a, axis=None):
        line = np.sort(a.ravel())
        half = len(line) // 2
        if not len(line) or np.isnat(line[-1]):
            return time_of(NAT)
        return line[half] if len(line) % 2 else (line[half - 1] + line[half]) / 2

    return median


# --- searching --------------------------------------------------------------------------------


@numpy(np.searchsorted, "searchsorted")
def _searchsorted(a, v, side="left"):
    same = _is_dated(a) and getattr(v, "dtype", v) is a.dtype
    if not same or not isinstance(getattr(side, "value", side), str):
        return None
    if isinstance(v, Array):
        return lambda a, v, side="left": np.searchsorted(lowered(a), lowered(v), side)

    def of_one(a, v, side="left"):
        count = v.view(np.int64)
        return np.searchsorted(lowered(a), LAST if count == NAT else count - 1, side)

    return of_one


def _register_on_counts(function: Any, *methods: str) -> None:
    """Register a function that asks which counts are zero."""

    @numpy(function, *methods)
    def typer(a):
        return (lambda a: function(a.view(np.int64))) if _is_dated(a) else None


_register_on_counts(np.nonzero, "nonzero")
for _function in (np.count_nonzero, np.flatnonzero, np.argwhere):
    _register_on_counts(_function)


@numpy(np.isin)
def _isin(element, test_elements):
    if not _is_dated(element, test_elements):
        return None

    def isin(element, test_elements):
        found = np.isin(element.view(np.int64), test_elements.view(np.int64))
        return found & ~np.isnat(element)  # NaT is in nothing

    return isin


@numpy(np.union1d)
def _union1d(ar1, ar2):
    if not _is_dated(ar1, ar2):
        return None
    return lambda ar1, ar2: np.unique(np.concatenate((ar1.ravel(), ar2.ravel())))


@private
def _known(a):
    """The counts that are not NaT, in order and once each."""
    counts = np.unique(a.view(np.int64))
    return counts[counts != NAT]


@numpy(np.intersect1d)
def _intersect1d(ar1, ar2):
    if not _is_dated(ar1, ar2):
        return None
    kind = types.to_dtype(ar1.dtype)
    return lambda ar1, ar2: np.intersect1d(_known(ar1), _known(ar2)).view(kind)


@numpy(np.setdiff1d)
def _setdiff1d(ar1, ar2):
    if not _is_dated(ar1, ar2):
        return None

    def setdiff1d(ar1, ar2):
        own = np.unique(ar1)
        return own[~np.isin(own, ar2)]

    return setdiff1d


# --- ranges -----------------------------------------------------------------------------------

_NOT_A_TIME = "arange: cannot use NaT (not-a-time) datetime values"


def count_of(x):
    """The count of a time, or a number as it is."""
    return x.view(np.int64) if isinstance(x, np.datetime64 | np.timedelta64) else x


@overload(count_of, jit_options=OPTIONS)
def _count_of(x):
    return (lambda x: x.view(np.int64)) if isinstance(x, DATED) else (lambda x: x)


def _is_step(step: Any, ty: Any) -> bool:
    """True if a range of times goes on by a step: an integer, or a duration of its unit."""
    if isinstance(step, TimeDelta):
        return (step.unit, step.multiple) == (ty.unit, ty.multiple)
    return is_integral(step)


@numpy(np.arange)
def _arange(start, stop, step=1):
    if not isinstance(start, DATED) or not _is_time(start) or stop is not start:
        return None
    plain = not isinstance(step, types.Type) or isinstance(step, types.Omitted)
    if not plain and not _is_step(step, start):
        return None
    kind = types.to_dtype(start)

    def arange(start, stop, step=1):
        first, last, width = count_of(start), count_of(stop), count_of(step)
        if first == NAT or last == NAT or width == NAT:
            raise ValueError(_NOT_A_TIME)
        if width == 0:
            raise ValueError("arange: step cannot be zero")
        return np.arange(first, last, width).view(kind)

    return arange
