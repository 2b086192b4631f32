"""Reductions over several axes, and with axes that stay as ones: `sum prod min max any all mean`.

Without these two an operator of the compiler's own does it (`array_reductions`).  Whether axes
stay is part of the result's type: `keepdims` has to be a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.numpy.typing import (
    OPTIONS,
    element_dtype,
    flag,
    inexact,
    is_array,
    is_integral,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.library.numpy.views import axis_of, removed, replaced
from cutaway.typing.types import Array, Tuple

# --- several axes -----------------------------------------------------------------------------


@private
def _place_of_largest(axes):  # type: ignore[no-untyped-def]
    """The place of the largest axis.  Raises ValueError where it is there twice."""
    place = 0
    for k in range(1, len(axes)):
        if axes[k] == axes[place]:
            raise ValueError("duplicate value in 'axis'")
        place = k if axes[k] > axes[place] else place
    return place


def counted_axes(a, axes):  # type: ignore[no-untyped-def]
    """The axes counted from 0."""
    return tuple(axis_of(a, axis) for axis in axes)


@overload(counted_axes, jit_options=OPTIONS)
def _counted_axes(a, axes):  # type: ignore[no-untyped-def]
    def counted(a, axes):  # type: ignore[no-untyped-def]
        found = axes
        for k in range(len(axes)):
            found = replaced(found, k, axis_of(a, axes[k]))
        return found

    return counted


def reduced_in_turn(function, a, axes):  # type: ignore[no-untyped-def]
    """`function` of an array along each of some axes, the last axis first."""
    while axes:
        place = _place_of_largest(axes)
        a, axes = function(a, axes[place]), (*axes[:place], *axes[place + 1 :])
    return a


@overload(reduced_in_turn, jit_options=OPTIONS)
def _reduced_in_turn(function, a, axes):  # type: ignore[no-untyped-def]
    if len(axes.items) == 1:
        return lambda function, a, axes: function(a, axes[0])

    def reduced(function, a, axes):  # type: ignore[no-untyped-def]
        place = _place_of_largest(axes)
        return reduced_in_turn(function, function(a, axes[place]), removed(axes, place))

    return reduced


# --- axes that stay ---------------------------------------------------------------------------


def shape_with_ones(a, axis):  # type: ignore[no-untyped-def]
    """The shape of an array with one at the axes that are reduced."""
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    counted = {axis_of(a, one) for one in axes}
    return tuple(1 if k in counted else size for k, size in enumerate(a.shape))


@overload(shape_with_ones, jit_options=OPTIONS)
def _shape_with_ones(a, axis):  # type: ignore[no-untyped-def]
    ones = (1,) * a.ndim

    def of_axes(a, axis):  # type: ignore[no-untyped-def]
        shape = a.shape
        for one in axis:
            shape = replaced(shape, axis_of(a, one), 1)
        return shape

    if left_out(axis):
        return lambda a, axis: ones
    if isinstance(axis, Tuple):
        return of_axes
    return lambda a, axis: replaced(a.shape, axis_of(a, axis), 1)


def in_shape(found, shape):  # type: ignore[no-untyped-def]
    """A result, which may be a number, as an array of a shape."""
    return np.reshape(found, shape)


@overload(in_shape, jit_options=OPTIONS)
def _in_shape(found, shape):  # type: ignore[no-untyped-def]
    if isinstance(found, Array):
        return lambda found, shape: found.reshape(shape)
    return lambda found, shape: np.array((found,)).reshape(shape)


# --- reductions -------------------------------------------------------------------------------


def is_new_reduction(a: Any, axis: Any, keepdims: Any) -> bool:  # Any: types, or defaults
    """Whether a call has several axes, or axes that stay, and both are known."""
    if not is_array(a) or a.ndim == 0 or flag(keepdims) is None:
        return False
    several = is_shape(axis) and 0 < len(axis.items) <= a.ndim
    if not (several or left_out(axis) or is_integral(axis)):
        return False
    return several or keepdims is not False


def reduction(function: Any, axis: Any, keeps: bool) -> Any:  # Any: functions, a type
    """What gives `function` of an array along one axis, several, or all."""
    found = _of_axes(function, axis)

    @private
    def kept(a, axis):  # type: ignore[no-untyped-def]
        return in_shape(found(a, axis), shape_with_ones(a, axis))

    return kept if keeps else found


def _of_axes(function: Any, axis: Any) -> Any:  # Any: see `reduction`
    if left_out(axis):
        return private(lambda a, axis: function(a))
    if not isinstance(axis, Tuple):
        return private(lambda a, axis: function(a, axis))

    @private
    def along(a, axis):  # type: ignore[no-untyped-def]
        return function(a, axis)

    return private(lambda a, axis: reduced_in_turn(along, a, counted_axes(a, axis)))


def _register_total(function: Any, method: str) -> None:  # Any: of NumPy
    @numpy(function, method)
    def total(a, axis=None, dtype=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
        if not left_out(dtype) or not left_out(out) or not is_new_reduction(a, axis, keepdims):
            return None
        reduced = reduction(function, axis, bool(flag(keepdims)))
        return lambda a, axis=None, dtype=None, out=None, keepdims=False: reduced(a, axis)


def _register_choice(function: Any, *methods: str) -> None:  # Any: of NumPy
    @numpy(function, *methods)
    def choice(a, axis=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
        if not left_out(out) or not is_new_reduction(a, axis, keepdims):
            return None
        reduced = reduction(function, axis, bool(flag(keepdims)))
        return lambda a, axis=None, out=None, keepdims=False: reduced(a, axis)


_register_total(np.sum, "sum")
_register_total(np.prod, "prod")
_register_choice(np.min, "min")
_register_choice(np.max, "max")
_register_choice(np.any, "any")
_register_choice(np.all, "all")


# --- mean -------------------------------------------------------------------------------------


def divided(total, count, made):  # type: ignore[no-untyped-def]
    """A sum, or an array of sums, by how many there were."""
    return np.asarray(total, made)[()] / count


@overload(divided, jit_options=OPTIONS)
def _divided(total, count, made):  # type: ignore[no-untyped-def]
    def of_array(total, count, made):  # type: ignore[no-untyped-def]
        out = total.astype(made)
        out /= count
        return out

    if isinstance(total, Array):
        return of_array
    return lambda total, count, made: made(total) / made(count)


def _mean_of(a: Any, axis: Any) -> Any:  # Any: types; what gives the mean
    if not isinstance(axis, Tuple):
        return _of_axes(np.mean, axis)
    made = inexact(element_dtype(a)).type
    total = _of_axes(np.sum, axis)

    @private
    def mean(a, axis):  # type: ignore[no-untyped-def]
        count = 1
        for one in axis:
            count *= a.shape[axis_of(a, one)]
        return divided(total(a, axis), count, made)

    return mean


@numpy(np.mean, "mean")
def _mean(a, axis=None, dtype=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
    if not left_out(dtype) or not left_out(out) or not is_new_reduction(a, axis, keepdims):
        return None
    mean, keeps = _mean_of(a, axis), flag(keepdims)

    def kept(a, axis=None, dtype=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
        return in_shape(mean(a, axis), shape_with_ones(a, axis))

    def plain(a, axis=None, dtype=None, out=None, keepdims=False):  # type: ignore[no-untyped-def]
        return mean(a, axis)

    return kept if keeps else plain


# --- var, std ---------------------------------------------------------------------------------


def register_kept_spread(function: Any, method: str) -> None:  # Any: of NumPy
    """`var` or `std` with axes that stay."""

    @numpy(function, method)
    def spread(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):  # type: ignore[no-untyped-def]
        if not left_out(dtype) or not left_out(out) or not is_new_reduction(a, axis, keepdims):
            return None
        if isinstance(axis, Tuple):
            return None
        whole = left_out(axis)

        @private
        def of_axis(a, axis, ddof):  # type: ignore[no-untyped-def]
            return function(a, ddof=ddof) if whole else function(a, axis, ddof=ddof)

        def spread(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):  # type: ignore[no-untyped-def]
            return in_shape(of_axis(a, axis, ddof), shape_with_ones(a, axis))

        return spread
