"""Views of arrays block by block: all elements along some axes, for each place along the others."""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import lines_along, part_at
from cutaway.library.arrays.kit.several_axes import counted_axes
from cutaway.library.arrays.kit.shapes import removed, replaced
from cutaway.library.arrays.kit.typers import OPTIONS, left_out, private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple

# --- which axes -------------------------------------------------------------------------------


def tuple_of_axes(a, axis):
    """Axes counted from 0: one, some, or all for None."""
    if axis is None:
        return tuple(range(a.ndim))
    return counted_axes(a, axis if isinstance(axis, tuple) else (axis,))


@overload(tuple_of_axes, jit_options=OPTIONS)
def _tuple_of_axes(a, axis):
    if left_out(axis):
        everything = tuple(range(a.ndim))
        return lambda a, axis: everything
    if isinstance(axis, Tuple):
        return lambda a, axis: counted_axes(a, axis)
    return lambda a, axis: (axis_of(a, axis),)


@private
def require_distinct(axes, message="duplicate value in 'axis'"):
    """Raise ValueError where an axis is there twice."""
    for k in range(len(axes)):
        for n in range(k):
            if axes[k] == axes[n]:
                raise ValueError(message)


# --- these axes behind the others -------------------------------------------------------------


def with_axes_behind(a, axes):
    """A view with some axes behind the others, as they lie in memory: the smallest step last."""
    return order_of_axes(a, a, axes)


def order_of_axes(x, a, axes):
    """A view of `x` with those axes behind the others, in the order in which they lie in `a`."""
    kept = [k for k in range(a.ndim) if k not in axes]
    inner = sorted(axes, key=lambda k: (-abs(a.strides[k]), k))
    return x.transpose((*kept, *inner))


@overload(with_axes_behind, jit_options=OPTIONS)
def _with_axes_behind(a, axes):
    return lambda a, axes: order_of_axes(a, a, axes)


@overload(order_of_axes, jit_options=OPTIONS)
def _order_of_axes(x, a, axes):
    if len(axes.items) == 1:
        return lambda x, a, axes: lines_along(x, axes[0])
    if a.layout == "C" and x.ndim == len(axes.items):
        return lambda x, a, axes: x

    def moved(x, a, axes):
        place = _place_of_farthest(a, axes)
        axis = axes[place]
        rest = _counted_without(removed(axes, place), axis)
        return order_of_axes(lines_along(x, axis), lines_along(a, axis), rest)

    return moved


@private
def _place_of_farthest(a, axes):
    """The place of the axis with the largest step, or of the first one of these."""
    place, strides = 0, a.strides
    for k in range(1, len(axes)):
        own, best = abs(strides[axes[k]]), abs(strides[axes[place]])
        place = k if own > best or (own == best and axes[k] < axes[place]) else place
    return place


@private
def _counted_without(axes, axis):
    """The same axes where one of the others went to the end."""
    result = axes
    for k in range(len(axes)):
        result = replaced(result, k, axes[k] - 1 if axes[k] > axis else axes[k])
    return result


@private
def lies_inside(a, axes):
    """True if no axis has a smaller step than the last so many as the tuple has items."""
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


def with_front_behind(a, axes):
    """A view with the first so many axes behind the others as the tuple has items."""
    count = len(axes)
    return a.transpose((*range(count, a.ndim), *range(count)))


@overload(with_front_behind, jit_options=OPTIONS)
def _with_front_behind(a, axes):
    if len(axes.items) == 1:
        return lambda a, axes: lines_along(a, 0)
    return lambda a, axes: with_front_behind(lines_along(a, 0), axes[1:])


# --- one block --------------------------------------------------------------------------------


def block_at(a, k, axes):
    """The k-th part of an array along the last so many axes as the tuple has items, a view."""
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
    """A view of the inner axes."""
    return part_at(build, sig.returns, args)


@private
def in_same_order(a, b):
    """True if elements of two arrays of one shape lie in the same order, as far apart."""
    for k in range(a.ndim):
        if a.shape[k] != 1 and a.strides[k] * b.itemsize != b.strides[k] * a.itemsize:
            return False
    return True
