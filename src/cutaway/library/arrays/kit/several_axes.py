"""Reductions over several axes, one after the other, and axes that stay as ones."""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.shapes import removed, replaced
from cutaway.library.arrays.kit.typers import OPTIONS, left_out, private
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
        result = axes
        for k in range(len(axes)):
            result = replaced(result, k, axis_of(a, axes[k]))
        return result

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


def in_shape(result, shape):  # type: ignore[no-untyped-def]
    """A result, which may be a number, as an array of a shape."""
    return np.reshape(result, shape)


@overload(in_shape, jit_options=OPTIONS)
def _in_shape(result, shape):  # type: ignore[no-untyped-def]
    if isinstance(result, Array):
        return lambda result, shape: result.reshape(shape)
    return lambda result, shape: np.array((result,)).reshape(shape)
