"""Reductions that leave NaN out: `nansum nanprod nanmean nanvar nanstd nanmin nanmax nanmedian
nanargmin nanargmax`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.library.numpy_sorting import numbers_first
from cutaway.library.numpy_statistics import along, middle_of
from cutaway.library.numpy_typing import (
    element_dtype,
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.library.numpy_views import lines_along
from cutaway.typing.types import Complex, Float

# --- sums and products ------------------------------------------------------------------------


@private
def without_nan(a, value):  # type: ignore[no-untyped-def]
    """A copy with another value in the place of NaN."""
    out = a.copy()
    line = out.ravel()
    for k in range(len(line)):
        if line[k] != line[k]:  # noqa: PLR0124
            line[k] = value
    return out


@private
def count_numbers(a):  # type: ignore[no-untyped-def]
    """How many elements are no NaN."""
    count = 0
    for x in a.flat:
        count += x == x  # noqa: PLR0124
    return count


def _register_total(function: Any, total: Any, neutral: int) -> None:  # Any: of NumPy
    @numpy(function)
    def of_numbers(a, axis=None):  # type: ignore[no-untyped-def]
        if not is_array(a) or not is_integral_or_default(axis):
            return None
        if not isinstance(a.dtype, Float | Complex):
            return (lambda a, axis=None: total(a)) if left_out(axis) else _plain
        if left_out(axis):
            return lambda a, axis=None: total(without_nan(a, neutral))
        return lambda a, axis=None: total(without_nan(a, neutral), axis)

    def _plain(a, axis=None):  # type: ignore[no-untyped-def]
        return total(a, axis)


_register_total(np.nansum, np.sum, 0)
_register_total(np.nanprod, np.prod, 1)


# --- one number of each line ------------------------------------------------------------------


def _register_by_line(function: Any, of_line: Any, whole: Any) -> None:
    """`of_line` of the elements that are numbers; `whole` where there is no NaN to leave out.
    (Any: functions.)"""

    @numpy(function)
    def of_numbers(a, axis=None):  # type: ignore[no-untyped-def]
        if not is_array(a) or isinstance(a.dtype, Complex) or not is_integral_or_default(axis):
            return None
        if not isinstance(a.dtype, Float):
            return (
                (lambda a, axis=None: whole(a))
                if left_out(axis)
                else (lambda a, axis=None: whole(a, axis))
            )
        cast = element_dtype(a).type

        @private
        def reduced(line):  # type: ignore[no-untyped-def]
            return cast(of_line(line[: numbers_first(line)]))

        if is_integral(axis) and a.ndim < 2:
            return lambda a, axis=None: reduced(lines_along(a, axis).copy())
        return along(reduced, element_dtype(a), axis)


@private
def _mean(line):  # type: ignore[no-untyped-def]
    return line.sum() / len(line)


@private
def _least(line):  # type: ignore[no-untyped-def]
    return line.min() if len(line) else line.dtype.type(np.nan)


@private
def _greatest(line):  # type: ignore[no-untyped-def]
    return line.max() if len(line) else line.dtype.type(np.nan)


@private
def _middle(line):  # type: ignore[no-untyped-def]
    return middle_of(line, line.dtype.type)


_register_by_line(np.nanmin, _least, np.min)
_register_by_line(np.nanmax, _greatest, np.max)
_register_by_line(np.nanmedian, _middle, np.median)


@numpy(np.nanmean)
def _nanmean(a, axis=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or not left_out(axis):
        return None
    if not isinstance(a.dtype, Float | Complex):
        return lambda a, axis=None: a.mean()
    cast = element_dtype(a).type

    def nanmean(a, axis=None):  # type: ignore[no-untyped-def]
        return cast(without_nan(a, 0).sum() / count_numbers(a))

    return nanmean


def _register_spread(function: Any, plain: Any, root: bool) -> None:  # Any: of NumPy
    @numpy(function)
    def spread(a, axis=None):  # type: ignore[no-untyped-def]
        if not is_array(a) or isinstance(a.dtype, Complex) or not left_out(axis):
            return None
        if not isinstance(a.dtype, Float):
            return lambda a, axis=None: plain(a)
        cast = element_dtype(a).type

        def spread(a, axis=None):  # type: ignore[no-untyped-def]
            count = count_numbers(a)
            work = without_nan(a, 0)
            mean = cast(work.sum() / count)
            line, k = work.ravel(), 0
            for x in a.flat:
                line[k] = (x - mean) if x == x else 0  # noqa: PLR0124
                k += 1
            work *= work
            found = cast(work.sum() / count)
            return cast(math.sqrt(found)) if root else found

        return spread


_register_spread(np.nanvar, np.var, False)
_register_spread(np.nanstd, np.std, True)


# --- places -----------------------------------------------------------------------------------


def _register_place(function: Any, plain: Any, value: float) -> None:  # Any: of NumPy
    @numpy(function)
    def place(a):  # type: ignore[no-untyped-def]
        if not is_array(a) or isinstance(a.dtype, Complex):
            return None
        if not isinstance(a.dtype, Float):
            return lambda a: plain(a)

        def place(a):  # type: ignore[no-untyped-def]
            if a.size and count_numbers(a) == 0:
                raise ValueError("All-NaN slice encountered")
            return plain(without_nan(a, value))

        return place


_register_place(np.nanargmin, np.argmin, np.inf)
_register_place(np.nanargmax, np.argmax, -np.inf)
