"""Sums and products up to each element, and differences: `cumsum cumprod diff ediff1d`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, joint, promoted, sum_dtype
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.several_axes import store_result
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.storing import stored, takes
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    flag,
    is_array,
    is_integral,
    is_integral_or_default,
    is_number,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.library.math.weak_numbers import fitting
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex

# --- sums and products ------------------------------------------------------------------------


@private
def _add_up(out, elements, start, nothing, skip):
    total, k = start, 0
    for x in elements:
        if skip and x != x:  # noqa: PLR0124
            total += nothing
        else:
            total += out.dtype.type(x)
        out[k] = total
        k += 1


@private
def _multiply_up(out, elements, start, nothing, skip):
    total, k = start, 0
    for x in elements:
        if not (skip and x != x):  # noqa: PLR0124
            total *= out.dtype.type(x)
        out[k] = total
        k += 1


@private
def _multiply_up_complex(out, elements, start, nothing, skip):
    """The first element is itself, which 1 * x is not where x is infinite."""
    total, k = start, 0
    for x in elements:
        one = nothing if skip and x != x else out.dtype.type(x)  # noqa: PLR0124
        total = one if k == 0 else total * one
        out[k] = total
        k += 1


def _start(dtype: np.dtype[Any], neutral: int) -> Any:
    """The start that keeps the first element as it is: -0.0 + x is x, but 0.0 + -0.0 is 0.0."""
    negative = dtype.type(complex(-0.0, -0.0)) if dtype.kind == "c" else dtype.type(-0.0)
    return negative if dtype.kind in "fc" and not neutral else dtype.type(neutral)


def _of_whole_numbers(function: Any, dtype: np.dtype[Any], neutral: int | None) -> Any:
    """The implementation for integers that floats are converted to, one by one."""

    def converted(a, axis=None, dtype=None):
        return function(a.astype(whole), axis, whole)

    def converted_without_nan(a, axis=None, dtype=None):
        return function(np.where(a == a, a, a.dtype.type(neutral)).astype(whole), axis, whole)  # noqa: PLR0124

    whole = dtype
    return converted if neutral is None else converted_without_nan


def _register(function: Any, method: str, step: Any, neutral: int, skip: bool) -> None:
    @numpy(function, *((method,) if method else ()))
    def cumulative(a, axis=None, dtype=None):
        out_dtype = sum_dtype(a, dtype) if is_array(a) else None
        if out_dtype is None or not is_integral_or_default(axis):
            return None
        if isinstance(a.dtype, Complex) and out_dtype.kind != "c":
            return None
        if out_dtype.kind in "iu" and not is_integral(a.dtype):
            return _of_whole_numbers(function, out_dtype, neutral if skip else None)
        start, nothing = _start(out_dtype, neutral), out_dtype.type(neutral)
        going = _multiply_up_complex if neutral and out_dtype.kind == "c" else step

        if a.ndim == 0 and not left_out(axis):  # NumPy takes it for a line
            return lambda a, axis=None, dtype=None: function(a.reshape(1), axis, dtype)

        def of_all(a, axis=None, dtype=None):
            out = np.empty(a.size, out_dtype)
            going(out, a.flat, start, nothing, skip)
            return out

        def of_line(a, axis=None, dtype=None):
            axis_of(a, axis)
            out = np.empty(a.size, out_dtype)
            going(out, a, start, nothing, skip)
            return out

        def of_lines(a, axis=None, dtype=None):
            out = np.empty(a.shape, out_dtype)
            source, target = lines_along(a, axis), lines_along(out, axis)
            for k in range(line_count(source)):
                going(line_at(target, k), line_at(source, k), start, nothing, skip)
            return out

        if left_out(axis):
            return of_all
        return of_line if a.ndim == 1 else of_lines


def _register_into(function: Any, method: str) -> None:
    """Register a function that stores its results, which are computed in the dtype of the output
    where none is told."""

    @numpy(function, *((method,) if method else ()))
    def cumulative(a, axis=None, dtype=None, out=None):
        if not is_array(a) or left_out(out) or not is_array(out):
            return None
        computed = sum_dtype(a, out.dtype if left_out(dtype) else dtype)
        if left_out(dtype):
            computed = element_dtype(out)
        if computed is None or not takes(out, computed) or computed != element_dtype(out):
            return None

        def kept(a, axis=None, dtype=None, out=None):
            return stored(out, function(a, axis, computed))

        return kept


for _function in (np.cumsum, np.cumprod):
    _register_into(_function, _function.__name__)
for _function in (np.nancumsum, np.nancumprod):
    _register_into(_function, "")

_register(np.cumsum, "cumsum", _add_up, 0, False)
_register(np.cumprod, "cumprod", _multiply_up, 1, False)
_register(np.nancumsum, "", _add_up, 0, True)
_register(np.nancumprod, "", _multiply_up, 1, True)


# --- differences ------------------------------------------------------------------------------


@numpy(np.diff, by_value=True)
def _diff(a, n=1, axis=-1):
    if not is_array(a) or not a.ndim:
        return None
    if not is_integral_or_default(n) or not is_integral_or_default(axis):
        return None
    times = said(n)
    if times == 0:  # not times: False is a number of times, too

        def itself(a, n=1, axis=-1):
            return a

        return itself
    # Where the number is known later, both results need one type.
    kept = private((lambda a: a.copy()) if times is not None or a.readonly else (lambda a: a))
    differs = isinstance(a.dtype, Boolean)

    @private
    def step(a, axis):
        size = a.shape[axis]
        after, before = part_along(a, axis, 1, size), part_along(a, axis, 0, max(size - 1, 0))
        return after != before if differs else after - before

    def of_lines(a, n=1, axis=-1):
        if n < 0:
            raise ValueError(f"order must be non-negative but got {n}")
        place = axis_of(a, axis)
        if n == 0:
            return kept(a)
        now = step(a, place)
        for _ in range(1, min(n, a.shape[place] + 1)):  # then nothing is left
            now = step(now, place)
        return now

    return of_lines


def longer(a, before, behind, axis, dtype):
    """An array of a dtype with elements before its own along an axis, and behind them."""
    parts = [one for one in (before, a, behind) if one is not None]
    shape = tuple(1 if k == axis else size for k, size in enumerate(a.shape))
    whole = [np.broadcast_to(one, shape) if np.ndim(one) == 0 else one for one in parts]
    return np.concatenate(whole, axis).astype(dtype)


@overload(longer, jit_options=OPTIONS)
def _longer(a, before, behind, axis, dtype):
    def joined(a, before, behind, axis, dtype):
        first, last = size_along(before, axis), size_along(behind, axis)
        count = a.shape[axis]
        out = np.empty(replaced(a.shape, axis, first + count + last), dtype)
        target = lines_along(out, axis)
        put_along(target[..., :first], before, axis)
        target[..., first : first + count] = lines_along(a, axis)
        put_along(target[..., first + count :], behind, axis)
        return out

    return joined


def size_along(x, axis):
    """How many elements of a line there are to be put beside those of an array."""
    return 0 if x is None else np.shape(x)[axis] if np.ndim(x) else 1


@overload(size_along, jit_options=OPTIONS)
def _size_along(x, axis):
    if left_out(x):
        return lambda x, axis: 0
    if isinstance(x, Array) and x.ndim:
        return lambda x, axis: x.shape[axis]
    return lambda x, axis: 1


def put_along(target, x, axis):
    """Assign elements to lines along an axis: those of an array, or a number to all."""
    if x is not None:
        target[...] = np.moveaxis(x, axis, -1) if np.ndim(x) else x


@overload(put_along, jit_options=OPTIONS)
def _put_along(target, x, axis):
    def lines(target, x, axis):
        target[...] = lines_along(x, axis)

    def number(target, x, axis):
        target[...] = x

    if left_out(x):
        return lambda target, x, axis: None
    return lines if isinstance(x, Array) and x.ndim else number


@numpy(np.diff)
def _diff_of_longer(a, n=1, axis=-1, prepend=None, append=None):
    given = [one for one in (prepend, append) if not left_out(one)]
    fits = is_array(a) and a.ndim and are_elements(*given)
    if not fits or not is_integral_or_default(n) or not is_integral_or_default(axis):
        return None
    if any(is_array(one) and one.ndim not in (0, a.ndim) for one in given):
        return None
    dtype = joint(a, *given)

    def diff(a, n=1, axis=-1, prepend=None, append=None):
        place = axis_of(a, axis)
        return np.diff(longer(a, prepend, append, place, dtype), n, place)

    return diff


@numpy(np.ediff1d)
def _ediff1d_of_longer(ary, to_end=None, to_begin=None):
    given = [one for one in (to_end, to_begin) if not left_out(one)]
    if not is_array(ary) or isinstance(ary.dtype, Boolean) or not are_elements(*given):
        return None
    if not given:  # then there is less to do
        return None
    dtype = element_dtype(ary)
    for one in given:
        if not np.can_cast(element_dtype(one), dtype, "same_kind"):
            raise TypingError(
                "dtype of `to_begin` and `to_end` must be compatible with input `ary` under the"
                " `same_kind` rule",
                hint="convert them first",
            )

    def ediff1d(ary, to_end=None, to_begin=None):
        steps = np.diff(ary.ravel())
        return longer(steps, flat_if_array(to_begin), flat_if_array(to_end), 0, dtype)

    return ediff1d


def flat_if_array(x):
    """An array as one line, anything else as it is."""
    return np.ravel(x) if isinstance(x, np.ndarray) else x


@overload(flat_if_array)
def _flat_if_array(x):
    return (lambda x: x.ravel()) if isinstance(x, Array) else (lambda x: x)


@numpy(np.ediff1d)
def _ediff1d(ary, to_end=None, to_begin=None):
    if not is_array(ary) or isinstance(ary.dtype, Boolean):
        return None
    if not left_out(to_end) or not left_out(to_begin):
        return None

    def ediff1d(ary, to_end=None, to_begin=None):
        return np.diff(ary.ravel())

    return ediff1d


# --- the area under a curve -------------------------------------------------------------------


def _register_trapezoid(function: Any) -> None:
    @numpy(function)
    def trapezoid(y, x=None, dx=1.0):
        if not is_array(y) or y.ndim != 1 or not types.is_real(y.dtype):
            return None
        if not (left_out(x) or is_array(x) and x.ndim == 1 and types.is_real(x.dtype)):
            return None
        product = promoted(y, x if not left_out(x) else dx if is_number(dx) else types.float64)
        out_dtype = promoted(product, types.float64)
        of_y, of_product, of_area = element_dtype(y).type, product.type, out_dtype.type

        @private
        def area(width, low, high):
            """NumPy's steps, each of which may wrap around."""
            doubled = of_product(of_product(width) * of_product(of_y(high + low)))
            return of_area(of_area(doubled) / of_area(2))

        def even(y, x=None, dx=1.0):
            areas, width = np.empty(max(len(y) - 1, 0), out_dtype), fitting(dx, product)
            for k in range(len(areas)):
                areas[k] = area(width, y[k], y[k + 1])
            return areas.sum()

        def uneven(y, x=None, dx=1.0):
            widths, count = np.diff(x), max(len(y) - 1, 0)
            if len(widths) != count and len(widths) != 1 and count != 1:
                raise ValueError(
                    "operands could not be broadcast together with shapes"
                    f" ({len(widths)},) ({count},) "
                )
            areas = np.empty(len(widths) if count == 1 else count, out_dtype)
            for k in range(len(areas)):
                place = 0 if count == 1 else k
                width = widths[0 if len(widths) == 1 else k]
                areas[k] = area(width, y[place], y[place + 1])
            return areas.sum()

        return even if left_out(x) else uneven


def _register_trapezoid_along(function: Any) -> None:
    @numpy(function)
    def trapezoid(y, x=None, dx=1.0, axis=-1):
        if not is_array(y) or not y.ndim or not types.is_real(y.dtype):
            return None
        spaced = not left_out(x)
        if spaced and not (is_array(x) and x.ndim in (1, y.ndim) and types.is_real(x.dtype)):
            return None
        if not is_integral_or_default(axis) or left_out(axis):
            return None
        whole = spaced and x.ndim == y.ndim
        product = promoted(y, x if spaced else dx if is_number(dx) else types.float64)
        dtype = promoted(product, types.float64)
        of_y, of_product = element_dtype(y), product

        @private
        def widths_of(x, dx, axis):
            if whole:
                return lines_along(np.diff(x, 1, axis), axis).astype(of_product)
            return np.diff(x).astype(of_product)

        def along(y, x=None, dx=1.0, axis=-1):
            place = axis_of(y, axis)
            if not spaced:
                size = y.shape[place]
                high, low = part_along(y, place, 1, size), part_along(y, place, 0, max(size - 1, 0))
                doubled = (high + low).astype(of_y).astype(of_product) * fitting(dx, product)
                return (doubled / 2.0).astype(dtype).sum(place)
            lines = lines_along(y, place)
            heights = (lines[..., 1:] + lines[..., :-1]).astype(of_y).astype(of_product)
            doubled = heights * widths_of(x, dx, place)
            areas = np.empty(replaced(y.shape, place, max(y.shape[place] - 1, 0)), dtype)
            lines_along(areas, place)[...] = doubled / 2.0
            return areas.sum(place)

        return along


_register_trapezoid(getattr(np, "trapezoid", None) or np.trapz)


# --- with the start in front ------------------------------------------------------------------


def _register_inclusive(function: Any, cumulative: Any, neutral: int) -> None:
    @numpy(function, by_value=True)
    def typer(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        kind = sum_dtype(x, dtype) if is_array(x) else None
        begins = flag(include_initial)
        if kind is None or begins is None or not is_integral_or_default(axis):
            return None
        if not left_out(out) and not is_array(out):
            return None
        if left_out(axis) and x.ndim > 1:
            return _no_axis

        @private
        def plain(x, axis):
            return cumulative(x, axis, kind)

        @private
        def of_line(x, axis):
            return cumulative(x.ravel(), 0, kind)

        values = of_line if left_out(axis) else plain

        @private
        def begun(x, axis):
            found = values(x, axis)
            k = 0 if found.ndim == 1 else axis_of(found, axis)
            longer = np.full(replaced(found.shape, k, found.shape[k] + 1), neutral, kind)
            lines_along(longer, k)[..., 1:] = lines_along(found, k)
            return longer

        given = begun if begins else values
        if left_out(out):
            return lambda x, /, *, axis=None, dtype=None, out=None, include_initial=False: given(
                x, 0 if axis is None else axis
            )

        def stored(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
            store_result(out, given(x, 0 if axis is None else axis))
            return out

        return stored


def _no_axis(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")


_register_inclusive(np.cumulative_sum, np.cumsum, 0)
_register_inclusive(np.cumulative_prod, np.cumprod, 1)
_register_trapezoid_along(getattr(np, "trapezoid", None) or np.trapz)
