"""Views of arrays block by block: all elements along some axes, at each index of the others."""

from __future__ import annotations

import numpy as np

from cutaway.extending.bodies import static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import lines_along, part_at
from cutaway.library.arrays.kit.several_axes import counted_axes
from cutaway.library.arrays.kit.shapes import removed, replaced
from cutaway.library.arrays.kit.typers import is_in_rows, private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple

# --- which axes -------------------------------------------------------------------------------


@private
def tuple_of_axes(a, axis):
    """Axes counted from 0: one, some, or all for None."""
    if axis is None:
        return all_axes(a)
    return counted_axes(a, axis) if isinstance(axis, tuple) else (axis_of(a, axis),)


@static
def all_axes(a: Array) -> tuple[int, ...]:
    """The numbers of all axes."""
    return tuple(range(a.ndim))


@private
def require_distinct(axes, message="duplicate value in 'axis'"):
    """Raise ValueError for a repeated axis."""
    for k in range(len(axes)):
        for n in range(k):
            if axes[k] == axes[n]:
                raise ValueError(message)


# --- selected axes last -----------------------------------------------------------------------


@private
def order_of_axes(x, a, axes):
    """A view of `x` with the given axes last, ordered by their strides in `a`."""
    if len(axes) == 1:
        return lines_along(x, axes[0])
    if is_in_rows(a) and x.ndim == len(axes):
        return x
    place = _place_of_farthest(a, axes)
    axis = axes[place]
    rest = _counted_without(removed(axes, place), axis)
    return order_of_axes(lines_along(x, axis), lines_along(a, axis), rest)


@private
def _place_of_farthest(a, axes):
    """The position in `axes` of the axis with the largest stride, the first of equal ones."""
    place, strides = 0, a.strides
    for k in range(1, len(axes)):
        own, best = abs(strides[axes[k]]), abs(strides[axes[place]])
        place = k if own > best or (own == best and axes[k] < axes[place]) else place
    return place


@private
def _counted_without(axes, axis):
    """The axis numbers after another axis was moved to the end."""
    result = axes
    for k in range(len(axes)):
        result = replaced(result, k, axes[k] - 1 if axes[k] > axis else axes[k])
    return result


@private
def lies_inside(a, axes):
    """True if no leading axis has a smaller stride than the last `len(axes)` axes."""
    shape, strides, kept = a.shape, a.strides, a.ndim - len(axes)
    least = 0
    for k in range(a.ndim):
        if k >= kept and shape[k] != 1:
            step = abs(strides[k])
            least = step if least == 0 or step < least else least
    for k in range(a.ndim):
        if k < kept and shape[k] != 1 and abs(strides[k]) < least:
            return False
    return True


@private
def with_front_behind(a, axes):
    """A view with the first `len(axes)` axes moved to the end."""
    first = lines_along(a, 0)
    return first if len(axes) == 1 else with_front_behind(first, axes[1:])


# --- one block --------------------------------------------------------------------------------


def block_at(a, k, axes):
    """The k-th block of the last `len(axes)` axes, a view."""
    outer = a.shape[: a.ndim - len(axes)]
    return a[np.unravel_index(k, outer)] if outer else a


def _block_rule(arguments: Arguments) -> Signature | None:
    ty, _, axes = arguments.types
    if not isinstance(ty, Array) or not isinstance(axes, Tuple):
        return None
    count = len(axes.items)
    if count > ty.ndim:
        return None
    layout = "C" if ty.layout == "C" else "A"
    return Signature(ty.viewed(count, layout), (ty, types.int64, axes))


@primitive(block_at, _block_rule, any_elements=True, shares=True)
def take_block(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a view of the inner axes."""
    return part_at(build, sig.returns, args)


@private
def in_same_order(a, b):
    """True if the elements of two arrays of one shape have the same order and spacing in memory."""
    for k in range(a.ndim):
        if a.shape[k] != 1 and a.strides[k] * b.itemsize != b.strides[k] * a.itemsize:
            return False
    return True
