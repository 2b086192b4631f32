"""Reductions that leave NaN out: `nansum nanprod nanmean nanvar nanstd nanmin nanmax nanmedian
nanargmin nanargmax`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.order import numbers_first
from cutaway.library.arrays.kit.shapes import expanded
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.statistics import along, middle_of
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
    """The number of elements that are not NaN."""
    count = 0
    for x in a.flat:
        count += x == x  # noqa: PLR0124
    return count


def _as_it_is(plain, axis):  # type: ignore[no-untyped-def]
    """The implementation for elements that are never NaN: the `plain` function of NumPy."""
    if left_out(axis):
        return lambda a, axis=None: plain(a)
    return lambda a, axis=None: plain(a, axis)


def _register_total(function: Any, total: Any, neutral: int) -> None:  # Any: of NumPy
    @numpy(function)
    def of_numbers(a, axis=None):  # type: ignore[no-untyped-def]
        if not is_array(a) or not is_integral_or_default(axis):
            return None
        if not isinstance(a.dtype, Float | Complex):
            return _as_it_is(total, axis)
        if left_out(axis):
            return lambda a, axis=None: total(without_nan(a, neutral))
        return lambda a, axis=None: total(without_nan(a, neutral), axis)


_register_total(np.nansum, np.sum, 0)
_register_total(np.nanprod, np.prod, 1)


# --- one number of each line ------------------------------------------------------------------


def _register_by_line(function: Any, of_line: Any, whole: Any, empty: str = "") -> None:
    """`of_line` of the elements that are numbers; `whole` where there is no NaN to leave out;
    `empty` is what is said of no elements.  (Any: functions.)"""

    @numpy(function)
    def of_numbers(a, axis=None):  # type: ignore[no-untyped-def]
        if not is_array(a) or isinstance(a.dtype, Complex) or not is_integral_or_default(axis):
            return None
        result = chosen(a, axis)
        if not empty:
            return result
        if (single := _of_single(function, a, axis)) is not None:
            return single
        reduced, whole_array = private(result), left_out(axis) or a.ndim == 0

        def checked(a, axis=None):  # type: ignore[no-untyped-def]
            if (a.size if whole_array else a.shape[axis_of(a, axis)]) == 0:
                raise ValueError(empty)
            return reduced(a, axis)

        return checked

    def chosen(a: Any, axis: Any) -> Any:  # Any: types, a function
        if not isinstance(a.dtype, Float):
            return _as_it_is(whole, axis)
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


_EMPTY = "zero-size array to reduction operation {} which has no identity"
_register_by_line(np.nanmin, _least, np.min, _EMPTY.format("fmin"))
_register_by_line(np.nanmax, _greatest, np.max, _EMPTY.format("fmax"))
_register_by_line(np.nanmedian, _middle, np.median)


@private
def numbers_along(a, axis):  # type: ignore[no-untyped-def]
    """The number of elements of each line along an axis that are not NaN."""
    counts = np.isnan(a).sum(axis)
    counts *= -1
    counts += a.shape[axis]
    return counts


def _of_single(function, a, axis):  # type: ignore[no-untyped-def]
    """The implementation along an axis of a single number, which counts as one; None for others."""
    if a.ndim or not is_integral(axis):
        return None

    def of_single(a, axis=None):  # type: ignore[no-untyped-def]
        require_any_axis(a, axis)
        return function(a)

    return of_single


def _of_one_line(a, axis):  # type: ignore[no-untyped-def]
    """True if an axis is given that is the only one."""
    return is_integral(axis) and a.ndim < 2


@numpy(np.nanmean)
def _nanmean(a, axis=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_integral_or_default(axis):
        return None
    if not isinstance(a.dtype, Float | Complex):
        return _as_it_is(np.mean, axis)
    if (single := _of_single(np.nanmean, a, axis)) is not None:
        return single
    cast = element_dtype(a).type

    def of_all(a, axis=None):  # type: ignore[no-untyped-def]
        return cast(without_nan(a, 0).sum() / count_numbers(a))

    def of_line(a, axis=None):  # type: ignore[no-untyped-def]
        line = lines_along(a, axis)
        return cast(without_nan(line, 0).sum() / count_numbers(line))

    def of_lines(a, axis=None):  # type: ignore[no-untyped-def]
        k = axis_of(a, axis)
        out = without_nan(a, 0).sum(k)
        out /= numbers_along(a, k)
        return out

    if left_out(axis):
        return of_all
    return of_line if _of_one_line(a, axis) else of_lines


@private
def _make_squares(work, a):  # type: ignore[no-untyped-def]
    """The squares of distances, and zero in the place of NaN."""
    line, k = work.ravel(), 0
    for x in a.flat:
        line[k] = line[k] * line[k] if x == x else 0  # noqa: PLR0124
        k += 1


def _register(function: Any, plain: Any, made: Callable[[Any], tuple[Any, Any]]) -> None:
    """The implementation for real numbers: `made` returns for their class the function of all
    elements, and that of lines along an axis.  (Any: functions, and a class of NumPy.)"""

    @numpy(function)
    def of_numbers(a, axis=None):  # type: ignore[no-untyped-def]
        if not is_array(a) or isinstance(a.dtype, Complex) or not is_integral_or_default(axis):
            return None
        if not isinstance(a.dtype, Float):
            return _as_it_is(plain, axis)
        if (single := _of_single(function, a, axis)) is not None:
            return single
        of_elements, of_lines = made(element_dtype(a).type)
        if left_out(axis):
            return lambda a, axis=None: of_elements(a)
        if _of_one_line(a, axis):
            return lambda a, axis=None: of_elements(lines_along(a, axis))
        return of_lines


def _spread(root: bool) -> Callable[[Any], tuple[Any, Any]]:  # Any: see _register
    def made(cast: Any) -> tuple[Any, Any]:
        @private
        def of_elements(a):  # type: ignore[no-untyped-def]
            count = count_numbers(a)
            work = without_nan(a, 0)
            work -= cast(work.sum() / count)
            _make_squares(work, a)
            result = cast(work.sum() / count)
            return cast(math.sqrt(result)) if root else result

        def of_lines(a, axis=None):  # type: ignore[no-untyped-def]
            place = axis_of(a, axis)
            counts, work = numbers_along(a, place), without_nan(a, 0)
            mean = work.sum(place)
            mean /= counts
            work -= expanded(mean, place)
            _make_squares(work, a)
            result = work.sum(place)
            result /= counts
            line = result.ravel()
            for k in range(len(line)):
                line[k] = math.sqrt(line[k]) if root else line[k]
            return result

        return of_elements, of_lines

    return made


_register(np.nanvar, np.var, _spread(root=False))
_register(np.nanstd, np.std, _spread(root=True))


# --- places -----------------------------------------------------------------------------------


def _place(plain: Any, value: float) -> Callable[[Any], tuple[Any, Any]]:  # Any: see _register
    def made(cast: Any) -> tuple[Any, Any]:
        @private
        def of_elements(a):  # type: ignore[no-untyped-def]
            if a.size and count_numbers(a) == 0:
                raise ValueError("All-NaN slice encountered")
            return plain(without_nan(a, value))

        def of_lines(a, axis=None):  # type: ignore[no-untyped-def]
            k = axis_of(a, axis)
            if a.shape[k]:
                for count in numbers_along(a, k).flat:
                    if count == 0:
                        raise ValueError("All-NaN slice encountered")
            return plain(without_nan(a, value), k)

        return of_elements, of_lines

    return made


_register(np.nanargmin, np.argmin, _place(np.argmin, np.inf))
_register(np.nanargmax, np.argmax, _place(np.argmax, -np.inf))
