"""NumPy functions for arrays of times and durations, computed on their counts of units.

NaT is the smallest count. Where it must be the largest, one is subtracted from each count: NaT
wraps around to the other end, and all others keep their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import removed
from cutaway.library.arrays.kit.takes import Integer, IntegerOrNone, Nothing, Text, numpy
from cutaway.library.arrays.kit.typers import element, is_integral, private, said
from cutaway.typing import types
from cutaway.typing.types import Array, TimeDelta

NAT = np.iinfo(np.int64).min


def _is_dated(*arrays: Any) -> bool:
    """True if all arguments are arrays of times of one unit."""
    kinds = {one.dtype if isinstance(one, Array) else None for one in arrays}
    return len(kinds) == 1 and _is_time(*kinds)


def _is_time(*ones: Any) -> bool:
    """True if all arguments are times or durations of a known unit."""
    return all(isinstance(one, types.Dated) and one.unit != "generic" for one in ones)


@static
def _unit_of(x: Any) -> str:
    return np.dtype(element_dtype(x)).str.partition("[")[2][:-1]


@private
def _times(counts, like):
    """Counts of units, a number or an array, as times."""
    if isinstance(counts, np.ndarray):
        return counts.view(like.dtype)
    return element_dtype(like).type(int(counts), _unit_of(like))


@static
def _require_same(one: Any, other: Any) -> None:
    if element(one) is not element(other):
        raise TypingError("the times are counted in different units", hint="convert one of them")


Times = Takes("an array of times", _is_dated)
Durations = Takes(
    "an array of durations", lambda a: _is_dated(a) and isinstance(a.dtype, TimeDelta)
)
Dated = Takes("times, or a time", lambda one: _is_time(element(one)))

# --- minima and maxima ------------------------------------------------------------------------


@private
def lowered(a):
    """The counts minus one, among which NaT is the largest."""
    return a.view(np.int64) - np.int64(1)


def _register_extreme(function: Any, smallest: bool, skips_nat: bool, *methods: str) -> None:
    """Register np.min or a function like it."""
    extreme, is_plain = np.min if smallest else np.max, smallest != skips_nat

    @numpy(function, *methods)
    def extreme_time(a: Times, axis: IntegerOrNone = None):
        if is_plain:  # NaT is the smallest count
            return _times(extreme(a.view(np.int64), axis), a)
        return _times(extreme(lowered(a), axis) + np.int64(1), a)


for _function in {np.min, np.amin}:
    _register_extreme(_function, True, False, *(("min",) if _function is np.min else ()))
for _function in {np.max, np.amax}:
    _register_extreme(_function, False, False, *(("max",) if _function is np.max else ()))
_register_extreme(np.nanmin, True, True)
_register_extreme(np.nanmax, False, True)


@numpy(np.argmin, "argmin")
def argmin(a: Times, axis: IntegerOrNone = None):
    return np.argmin(a.view(np.int64), axis)


@numpy(np.argmax, "argmax")
def argmax(a: Times, axis: IntegerOrNone = None):
    return np.argmax(lowered(a), axis)


@numpy(np.ptp)
def ptp(a: Times, axis: IntegerOrNone = None):
    return np.max(a, axis) - np.min(a, axis)


@numpy(np.clip, "clip")
def clip(a: Times, a_min: Dated = None, a_max: Dated = None):
    if a_min is None or a_max is None:
        refuse("times are clipped between two bounds")
    _require_same(a, a_min)
    _require_same(a, a_max)
    return np.minimum(np.maximum(a, a_min), a_max)


# --- sums -------------------------------------------------------------------------------------


@numpy(np.sum, "sum")
def sum_of_durations(a: Durations, axis: IntegerOrNone = None):
    if axis is None:
        return _total(a.ravel())
    k = axis_of(a, axis)
    if a.ndim == 1:
        return _total(a)
    lines, out = lines_along(a, k), np.zeros(removed(a.shape, k), a.dtype)
    for n in range(a.shape[k]):
        out += lines[..., n]
    return out


@private
def _total(line):
    total = _times(0, line)
    for x in line:
        total = total + x
    return total


@numpy(np.mean, "mean")
def mean(a: Durations, axis: IntegerOrNone = None):
    return np.sum(a) / a.size if axis is None else np.sum(a, axis) / a.shape[axis]


@numpy(np.cumsum, "cumsum")
def cumsum(a: Durations, axis: IntegerOrNone = None):
    if axis is None:
        return np.cumsum(a if a.ndim == 1 else a.ravel(), 0)
    k = axis_of(a, axis)
    out = np.empty(a.shape, a.dtype)
    out[...] = a
    lines = lines_along(out, k)
    for n in range(1, a.shape[k]):
        lines[..., n] = lines[..., n - 1] + lines[..., n]
    return out


Often = Takes("a positive constant", lambda n: type(said(n)) is int and said(n) > 0, by_value=True)


@numpy(np.diff)
def diff(a: Times, n: Often = 1, axis: Integer = -1):
    k = axis_of(a, axis)
    if a.ndim == 1:
        out = a[1:] - a[:-1]
        for _ in range(n - 1):
            out = out[1:] - out[:-1]
        return out
    lines = np.swapaxes(a, k, a.ndim - 1)
    steps = lines[..., 1:] - lines[..., :-1]
    for _ in range(n - 1):
        steps = steps[..., 1:] - steps[..., :-1]
    return np.swapaxes(steps, k, a.ndim - 1)


@numpy(np.median)
def median(a: Durations, axis: Nothing = None):
    line = np.sort(a.ravel())
    half = len(line) // 2
    if not len(line) or np.isnat(line[-1]):
        return _times(NAT, a)
    return line[half] if len(line) % 2 else (line[half - 1] + line[half]) / 2


# --- searching --------------------------------------------------------------------------------


@numpy(np.searchsorted, "searchsorted")
def searchsorted(a: Times, v: Dated, side: Text = "left"):
    _require_same(a, v)
    return np.searchsorted(lowered(a), lowered(v), side)


def _register_on_counts(function: Any, *methods: str) -> None:
    """Register a function that tests which counts are zero."""

    @numpy(function, *methods)
    def on_counts(a: Times):
        return function(a.view(np.int64))


_register_on_counts(np.nonzero, "nonzero")
for _function in (np.count_nonzero, np.flatnonzero, np.argwhere):
    _register_on_counts(_function)


@numpy(np.isin)
def isin(element: Times, test_elements: Times):
    _require_same(element, test_elements)
    found = np.isin(element.view(np.int64), test_elements.view(np.int64))
    return found & ~np.isnat(element)  # NaT is a member of no set


@numpy(np.union1d)
def union1d(ar1: Times, ar2: Times):
    _require_same(ar1, ar2)
    return np.unique(np.concatenate((ar1.ravel(), ar2.ravel())))


@private
def _known(a):
    """The distinct counts in ascending order, without NaT."""
    counts = np.unique(a.view(np.int64))
    return counts[counts != NAT]


@numpy(np.intersect1d)
def intersect1d(ar1: Times, ar2: Times):
    _require_same(ar1, ar2)
    return np.intersect1d(_known(ar1), _known(ar2)).view(ar1.dtype)


@numpy(np.setdiff1d)
def setdiff1d(ar1: Times, ar2: Times):
    _require_same(ar1, ar2)
    own = np.unique(ar1)
    return own[~np.isin(own, ar2)]


# --- ranges -----------------------------------------------------------------------------------


@static
def _is_counted(x: Any) -> bool:
    return isinstance(x, types.Dated)


@private
def _count_of(x):
    """The count of a time; numbers unchanged."""
    return x.view(np.int64) if _is_counted(x) else x


def _is_step(step: Any) -> bool:
    return is_integral(step) or isinstance(step, TimeDelta)


@static
def _require_step(step: Any, start: Any) -> None:
    """Refuse a step of another unit."""
    if isinstance(step, TimeDelta) and (step.unit, step.multiple) != (start.unit, start.multiple):
        raise TypingError("the step is counted in another unit", hint="convert it")


Time = Takes("a time", _is_time)
Step = Takes("an int, or a duration", _is_step)


@numpy(np.arange)
def arange(start: Time, stop: Time, step: Step = 1):
    _require_same(start, stop)
    _require_step(step, start)
    first, last, width = _count_of(start), _count_of(stop), _count_of(step)
    if first == NAT or last == NAT or width == NAT:
        raise ValueError("arange: cannot use NaT (not-a-time) datetime values")
    if width == 0:
        raise ValueError("arange: step cannot be zero")
    return np.arange(first, last, width).view(element_dtype(start))
