"""Sums and products up to each element, and differences: `cumsum cumprod diff ediff1d`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.numpy_typing import (
    is_array,
    is_integral_or_default,
    left_out,
    numpy,
    private,
    sum_dtype,
)
from cutaway.library.numpy_views import axis_of, line_at, line_count, lines_along, replaced
from cutaway.typing import types
from cutaway.typing.types import Boolean, Complex

# --- sums and products ------------------------------------------------------------------------


@private
def _add_up(out, elements, start, skip):  # type: ignore[no-untyped-def]
    total, k = start, 0
    for x in elements:
        if not (skip and x != x):  # noqa: PLR0124
            total += x
        out[k] = total
        k += 1


@private
def _multiply_up(out, elements, start, skip):  # type: ignore[no-untyped-def]
    total, k = start, 0
    for x in elements:
        if not (skip and x != x):  # noqa: PLR0124
            total *= x
        out[k] = total
        k += 1


def _register(function: Any, method: str, step: Any, first: int, skip: bool) -> None:
    # Any: functions
    @numpy(function, *((method,) if method else ()))
    def cumulative(a, axis=None, dtype=None):  # type: ignore[no-untyped-def]
        made = sum_dtype(a, dtype) if is_array(a) else None
        if made is None or not is_integral_or_default(axis):
            return None
        if isinstance(a.dtype, Complex) and made.kind != "c":
            return None
        start = made.type(first)

        if a.ndim == 0 and not left_out(axis):  # NumPy takes it for a line
            return lambda a, axis=None, dtype=None: function(a.reshape(1), axis, dtype)

        def of_all(a, axis=None, dtype=None):  # type: ignore[no-untyped-def]
            out = np.empty(a.size, made)
            step(out, a.flat, start, skip)
            return out

        def of_line(a, axis=None, dtype=None):  # type: ignore[no-untyped-def]
            axis_of(a, axis)
            out = np.empty(a.size, made)
            step(out, a, start, skip)
            return out

        def of_lines(a, axis=None, dtype=None):  # type: ignore[no-untyped-def]
            out = np.empty(a.shape, made)
            source, target = lines_along(a, axis), lines_along(out, axis)
            for k in range(line_count(source)):
                step(line_at(target, k), line_at(source, k), start, skip)
            return out

        if left_out(axis):
            return of_all
        return of_line if a.ndim == 1 else of_lines


_register(np.cumsum, "cumsum", _add_up, 0, False)
_register(np.cumprod, "cumprod", _multiply_up, 1, False)
_register(np.nancumsum, "", _add_up, 0, True)
_register(np.nancumprod, "", _multiply_up, 1, True)


# --- differences ------------------------------------------------------------------------------


@numpy(np.diff)
def _diff(a, n=1, axis=-1):  # type: ignore[no-untyped-def]
    if not is_array(a) or not a.ndim:
        return None
    if not is_integral_or_default(n) or not is_integral_or_default(axis):
        return None
    differs = isinstance(a.dtype, Boolean)

    @private
    def subtract(target, source):  # type: ignore[no-untyped-def]
        for k in range(len(target)):
            if differs:
                target[k] = source[k + 1] != source[k]
            else:
                target[k] = source[k + 1] - source[k]

    def of_lines(a, n=1, axis=-1):  # type: ignore[no-untyped-def]
        if n < 0:
            raise ValueError(f"order must be non-negative but got {n}")
        place, now = axis_of(a, axis), a.copy()
        for _ in range(min(n, now.shape[place] + 1)):  # then nothing is left
            out = np.empty(replaced(now.shape, place, max(now.shape[place] - 1, 0)), a.dtype)
            source, target = lines_along(now, place), lines_along(out, place)
            for k in range(line_count(target)):
                subtract(line_at(target, k), line_at(source, k))
            now = out
        return now

    return of_lines


@numpy(np.ediff1d)
def _ediff1d(ary):  # type: ignore[no-untyped-def]
    if not is_array(ary) or isinstance(ary.dtype, Boolean):
        return None

    def ediff1d(ary):  # type: ignore[no-untyped-def]
        line = ary.ravel()
        out = np.empty(max(len(line) - 1, 0), ary.dtype)
        for k in range(len(out)):
            out[k] = line[k + 1] - line[k]
        return out

    return ediff1d


# --- the area under a curve -------------------------------------------------------------------


def _register_trapezoid(function: Any) -> None:  # Any: a function of NumPy
    @numpy(function)
    def trapezoid(y, x=None, dx=1.0):  # type: ignore[no-untyped-def]
        if not is_array(y) or y.ndim != 1 or not (left_out(x) or is_array(x) and x.ndim == 1):
            return None

        def even(y, x=None, dx=1.0):  # type: ignore[no-untyped-def]
            areas = np.empty(max(len(y) - 1, 0))
            for k in range(len(areas)):
                areas[k] = dx * (y[k + 1] + y[k]) / 2.0
            return areas.sum()

        def uneven(y, x=None, dx=1.0):  # type: ignore[no-untyped-def]
            if len(x) != len(y):
                raise ValueError(
                    "operands could not be broadcast together with shapes"
                    f" ({len(x) - 1},) ({len(y) - 1},) "
                )
            areas = np.empty(max(len(y) - 1, 0))
            for k in range(len(areas)):
                areas[k] = (x[k + 1] - x[k]) * (y[k + 1] + y[k]) / 2.0
            return areas.sum()

        if isinstance(y.dtype, Complex) or not types.is_real(y.dtype):
            return None
        return even if left_out(x) else uneven


_register_trapezoid(getattr(np, "trapezoid", None) or np.trapz)
