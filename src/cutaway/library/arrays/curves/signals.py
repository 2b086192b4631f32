"""Differences along axes, and jumps taken out of angles: `gradient unwrap`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, promoted
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_numbers_or_left_out,
    dimensions,
    is_array,
    is_integral,
    is_integral_or_default,
    is_number,
    is_shape,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.typing import types
from cutaway.typing.types import Tuple, Type

# --- gradient: steps of one size --------------------------------------------------------------


@private
def _even_inside(out, f, step):
    """Central differences; `step` is a number, or an array of one element."""
    out[..., 1:-1] = (f[..., 2:] - f[..., :-2]) / (2.0 * step)


@private
def _even_ends(out, f, step):
    """Differences of the first two and the last two layers."""
    out[..., :1] = (f[..., 1:2] - f[..., :1]) / step
    out[..., -1:] = (f[..., -1:] - f[..., -2:-1]) / step


@private
def _even_ends_of_second_order(out, f, step):
    """Differences of the first three and the last three layers."""
    a, b, c = -1.5 / step, 2.0 / step, -0.5 / step
    out[..., :1] = a * f[..., :1] + b * f[..., 1:2] + c * f[..., 2:3]
    a, b, c = 0.5 / step, -2.0 / step, 1.5 / step
    out[..., -1:] = a * f[..., -3:-2] + b * f[..., -2:-1] + c * f[..., -1:]


# --- gradient: steps between places that are given --------------------------------------------


@private
def _uneven_inside(out, f, steps):
    before, after = steps[:-1], steps[1:]
    a = -(after) / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    out[..., 1:-1] = a * f[..., :-2] + b * f[..., 1:-1] + c * f[..., 2:]


@private
def _uneven_ends(out, f, steps):
    out[..., :1] = (f[..., 1:2] - f[..., :1]) / steps[:1]
    out[..., -1:] = (f[..., -1:] - f[..., -2:-1]) / steps[-1:]


@private
def _uneven_ends_of_second_order(out, f, steps):
    first, second = steps[:1], steps[1:2]
    a = -(2.0 * first + second) / (first * (first + second))
    b = (first + second) / (first * second)
    c = -first / (second * (first + second))
    out[..., :1] = a * f[..., :1] + b * f[..., 1:2] + c * f[..., 2:3]
    first, second = steps[-2:-1], steps[-1:]
    a = second / (first * (first + second))
    b = -(second + first) / (first * second)
    c = (2.0 * second + first) / (second * (first + second))
    out[..., -1:] = a * f[..., -3:-2] + b * f[..., -2:-1] + c * f[..., -1:]


@private
def _are_alike(steps):
    for one in steps:
        if one != steps[0]:
            return False
    return True


@private
def _check_size(size, edge_order):
    if size < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1)"
            " elements are required."
        )


# --- gradient along an axis -------------------------------------------------------------------


def slopes_along(f, axis, spacing, edge_order):
    """The gradient along one axis; `f` has the type in which it is computed."""
    return np.gradient(f, spacing, axis=axis, edge_order=edge_order)


@overload(slopes_along, jit_options=OPTIONS, prefer_literal=True)
def _slopes_along(f, axis, spacing, edge_order):
    order = said(edge_order)
    even_ends = _by_order(order, _even_ends, _even_ends_of_second_order)
    uneven_ends = _by_order(order, _uneven_ends, _uneven_ends_of_second_order)

    def even(f, axis, spacing, edge_order):
        out = np.empty(f.shape, f.dtype)
        lines, target = lines_along(f, axis), lines_along(out, axis)
        _check_size(lines.shape[-1], edge_order)
        _even_inside(target, lines, spacing)
        even_ends(target, lines, spacing, edge_order)
        return out

    def uneven(f, axis, spacing, edge_order):
        if len(spacing) != f.shape[axis]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        steps = np.diff(spacing)
        out = np.empty(f.shape, f.dtype)
        lines, target = lines_along(f, axis), lines_along(out, axis)
        if not len(steps):
            raise IndexError("index 0 is out of bounds for axis 0 with size 0")
        _check_size(lines.shape[-1], edge_order)
        if _are_alike(steps):
            _even_inside(target, lines, steps[:1])
            even_ends(target, lines, steps[:1], edge_order)
        else:
            _uneven_inside(target, lines, steps)
            uneven_ends(target, lines, steps, edge_order)
        return out

    return uneven if dimensions(spacing) else even


def _by_order(order: Any, first: Any, second: Any) -> Any:
    """The function for the ends: of first order, of second, or of that which a value says."""

    def either(out, f, steps, edge_order):
        if edge_order == 2:
            second(out, f, steps)
        else:
            first(out, f, steps)

    if order is None:
        return private(either)
    chosen = second if order == 2 else first
    return private(lambda out, f, steps, edge_order: chosen(out, f, steps))


def _axes_of(f: Any, axis: Any) -> int | None:
    """How many axes there are gradients along; None where that is not known."""
    if left_out(axis):
        return dimensions(f)
    if isinstance(axis, Tuple) and is_shape(axis):
        return len(axis.items)
    return 1 if is_integral(axis) else None


def _is_spacing(argument: Any) -> bool:
    return is_number(argument) or is_array(argument)


def places_along(spacing):
    """Distances as NumPy takes them: places that are integers become floats."""
    single = np.ndim(spacing) == 0
    return spacing if single or spacing.dtype.kind not in "iu" else spacing.astype(np.float64)


@overload(places_along)
def _places_along(spacing):
    if not is_array(spacing):
        return lambda spacing: spacing
    if not spacing.ndim:
        return lambda spacing: spacing[()]
    if isinstance(spacing.dtype, types.Integer):
        return lambda spacing: spacing.astype(np.float64)
    return lambda spacing: spacing


@numpy(np.gradient, by_value=True)
def _gradient(f, *varargs, axis=None, edge_order=1):
    if not is_array(f) or not is_integral_or_default(edge_order):
        return None
    count = _axes_of(f, axis)
    if count is None or not all(map(_is_spacing, varargs)) or f.dtype is types.boolean:
        return None
    if any(dimensions(one) > 1 for one in varargs) and len(varargs) == count:
        return _refused(ValueError, "distances must be either scalars or 1d")
    one_for_all = len(varargs) == 1 and not dimensions(varargs[0])
    if varargs and not one_for_all and len(varargs) != count:
        return _refused(TypeError, "invalid number of arguments")
    kind = element_dtype(f)
    kind = kind if kind.kind in "fc" else np.dtype(np.float64)
    numbers, all_axes = tuple(range(count)), left_out(axis)
    single_axis = not all_axes and not isinstance(axis, Tuple)

    @private
    def place_of(f, axis, k):
        return k

    @private
    def place_given(f, axis, k):
        return axis_of(f, axis)

    @private
    def place_in_tuple(f, axis, k):
        return axis_of(f, axis[k])

    place = place_of if all_axes else place_given if single_axis else place_in_tuple
    return _gradients(numbers, place, kind, len(varargs), one_for_all)


def _refused(error: type[Exception], message: str) -> Any:
    def misfit(f, *varargs, axis=None, edge_order=1):
        raise error(message)

    return misfit


def _gradients(
    numbers: tuple[int, ...], place: Any, kind: np.dtype[Any], given: int, one_for_all: bool
) -> Any:
    """The implementation of `gradient` along so many axes."""

    def check_order(edge_order):
        if edge_order > 2:
            raise ValueError("'edge_order' greater than 2 not supported")

    check = private(check_order)

    def by_one(f, spacings, axis, edge_order):
        check(edge_order)
        values, out = f.astype(kind), ()
        for k in literal_unroll(numbers):
            slopes = slopes_along(values, place(f, axis, k), 1.0, edge_order)
            out = out + (slopes,)  # noqa: RUF005  a list cannot be typed
        return out

    def by_step(f, spacings, axis, edge_order):
        check(edge_order)
        values, out, step = f.astype(kind), (), places_along(spacings[0])
        for k in literal_unroll(numbers):
            out = out + (slopes_along(values, place(f, axis, k), step, edge_order),)  # noqa: RUF005
        return out

    def by_each(f, spacings, axis, edge_order):
        check(edge_order)
        values, out, k = f.astype(kind), (), 0
        for one in literal_unroll(spacings):
            step = places_along(one)
            out = out + (slopes_along(values, place(f, axis, k), step, edge_order),)  # noqa: RUF005
            k += 1
        return out

    found = private(by_one if not given else by_step if one_for_all else by_each)
    if len(numbers) == 1:
        return lambda f, *varargs, axis=None, edge_order=1: found(f, varargs, axis, edge_order)[0]
    return lambda f, *varargs, axis=None, edge_order=1: found(f, varargs, axis, edge_order)


# --- unwrap -----------------------------------------------------------------------------------


def _half(period: Any, whole: bool) -> Any:
    """The function that gives half a period, and whether both ends of an interval are halves."""
    if whole:
        return private(lambda period: (period // 2, period % 2 == 0))
    return private(lambda period: (period / 2, True))


@numpy(np.unwrap)
def _unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    def misfit(p, discont=None, axis=-1, *, period=2 * np.pi):
        raise ValueError("diff requires input that is at least one dimensional")

    if not is_array(p) or isinstance(p.dtype, types.Complex):
        return None
    if not p.ndim:
        return misfit
    numbers = are_numbers_or_left_out(discont, period) and not left_out(period)
    if not numbers or not is_integral_or_default(axis):
        return None
    kind = promoted(p, period if isinstance(period, Type) and is_number(period) else types.float64)
    half, cast = _half(period, kind.kind in "iu"), kind.type
    by_half = left_out(discont)

    @private
    def correction(steps, period, discont):
        """What is added to each step so that it becomes the smallest one."""
        high, both = half(period)
        low = -high
        wrapped = np.mod(steps - low, period) + low
        if both:
            up = (wrapped == low) & (steps > 0)
            wrapped = np.where(up, cast(high), wrapped)
        limit = high if by_half else discont
        return np.where(np.abs(steps) < limit, cast(0), wrapped - steps)

    def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
        k = axis_of(p, axis)
        up, size = p.astype(kind), p.shape[k]
        added = correction(np.diff(p, axis=k), period, discont)
        part_along(up, k, 1, size)[...] = part_along(p, k, 1, size) + added.cumsum(k)
        return up

    return unwrap
