"""The same elements in another shape or order: views where NumPy gives views.  (`reshape` and
`ravel`, which copy what is not in C order, are methods.)"""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload, overload_method
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import expanded, inserted, removed, replaced, strided
from cutaway.library.arrays.kit.sizes import clamped, size_of_both
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    has_places,
    is_array,
    is_integral,
    is_integral_or_default,
    is_number,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.typing import types
from cutaway.typing.types import Array

# --- axes -------------------------------------------------------------------------------------


@numpy(np.expand_dims)
def _expand_dims(a, axis):
    fits = has_places(a) and is_integral(axis)
    return (lambda a, axis: expanded(a, axis)) if fits else None


@numpy(np.squeeze, "squeeze")
def _squeeze(a, axis):
    if not has_places(a) or not a.ndim or not is_integral(axis):
        return None

    def squeeze(a, axis):
        k = axis_of(a, axis)
        if a.shape[k] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return strided(a, removed(a.shape, k), removed(a.strides, k))

    return squeeze


@numpy(np.swapaxes, "swapaxes")
def _swapaxes(a, axis1, axis2):
    if not has_places(a) or not a.ndim or not is_integral(axis1) or not is_integral(axis2):
        return None

    def swapaxes(a, axis1, axis2):
        i, k = axis_of(a, axis1, "axis1"), axis_of(a, axis2, "axis2")
        shape = replaced(replaced(a.shape, i, a.shape[k]), k, a.shape[i])
        strides = replaced(replaced(a.strides, i, a.strides[k]), k, a.strides[i])
        return strided(a, shape, strides)

    return swapaxes


@numpy(np.moveaxis)
def _moveaxis(a, source, destination):
    if not has_places(a) or not a.ndim or not is_integral(source) or not is_integral(destination):
        return None

    def moveaxis(a, source, destination):
        i, k = axis_of(a, source, "source"), axis_of(a, destination, "destination")
        shape = inserted(removed(a.shape, i), k, a.shape[i])
        return strided(a, shape, inserted(removed(a.strides, i), k, a.strides[i]))

    return moveaxis


@numpy(np.transpose, "transpose")
def _transpose(a, axes=None):
    if left_out(axes):
        return (lambda a, axes=None: a.T) if isinstance(a, Array) else None
    if not has_places(a) or not is_shape(axes):
        return None
    if len(axes.items) != a.ndim:
        return _misfit_of_axes
    if not a.ndim:
        return lambda a, axes=None: a.T

    def transpose(a, axes=None):
        shape, strides, seen = a.shape, a.strides, a.shape
        for k in range(a.ndim):
            seen = replaced(seen, k, 0)
        for k in range(a.ndim):
            axis = axis_of(a, axes[k])
            if seen[axis]:
                raise ValueError("repeated axis in transpose")
            seen = replaced(seen, axis, 1)
            shape = replaced(shape, k, a.shape[axis])
            strides = replaced(strides, k, a.strides[axis])
        return strided(a, shape, strides)

    return transpose


def _misfit_of_axes(a, axes=None):
    raise ValueError("axes don't match array")


@overload_method(Array, "transpose", jit_options=OPTIONS)
def _transpose_one_by_one(a, *axes):
    if not all(map(is_integral, axes)):
        return None
    return lambda a, *axes: np.transpose(a, axes)


@numpy(np.atleast_1d)
def _atleast_1d(a):
    if is_number(a):
        return lambda a: np.array((a,))
    if not has_places(a):
        return None
    return (lambda a: a) if a.ndim else (lambda a: a.reshape(1))


@numpy(np.atleast_2d)
def _atleast_2d(a):
    if is_number(a):
        return lambda a: np.array((a,)).reshape(1, 1)
    if not has_places(a):
        return None
    if a.ndim == 0:
        return lambda a: a.reshape(1, 1)
    return (lambda a: a) if a.ndim > 1 else (lambda a: expanded(a, 0))


@numpy(np.atleast_3d)
def _atleast_3d(a):
    if is_number(a):
        return lambda a: np.array((a,)).reshape(1, 1, 1)
    if not has_places(a):
        return None
    if a.ndim == 0:
        return lambda a: a.reshape(1, 1, 1)
    if a.ndim == 1:
        return lambda a: expanded(expanded(a, 0), 2)
    return (lambda a: a) if a.ndim > 2 else (lambda a: expanded(a, 2))


# --- diagonals --------------------------------------------------------------------------------


@private
def diagonal_of(a, offset):
    """The diagonal of a table, a view."""
    place = clamped(offset, a.shape[0], a.shape[1])
    part = a[max(-place, 0) :, max(place, 0) :]
    count = min(part.shape[0], part.shape[1])
    return strided(part, (count,), (a.strides[0] + a.strides[1],))


def read_only(a):
    """A view that cannot be written to."""
    return np.broadcast_to(a, a.shape)


@overload(read_only)
def _read_only(a):
    return lambda a: np.broadcast_to(a, a.shape)


@numpy(np.diagonal, "diagonal")
def _diagonal(a, offset=0):
    fits = has_places(a) and a.ndim == 2 and is_integral_or_default(offset)
    return (lambda a, offset=0: read_only(diagonal_of(a, offset))) if fits else None


FARTHEST = (1 << 63) - 1


@numpy(np.diag)
def _diag(v, k=0):
    if not has_places(v) or not is_integral_or_default(k):
        return None

    def table(v, k=0):
        distance = clamped(k, FARTHEST, FARTHEST)
        size = size_of_both(len(v), abs(distance))
        out = np.zeros((size, size), v.dtype)
        for n in range(len(v)):
            out[n + max(-distance, 0), n + max(distance, 0)] = v[n]
        return out

    if v.ndim == 2:
        return lambda v, k=0: read_only(diagonal_of(v, k))
    return table if v.ndim == 1 else None


@numpy(np.diagflat)
def _diagflat(v, k=0):
    fits = has_places(v) and is_integral_or_default(k)
    return (lambda v, k=0: np.diag(v.ravel(), k)) if fits else None


# --- order ------------------------------------------------------------------------------------


@private
def flipped(a, axis):
    """A view with one axis turned round."""
    k = axis_of(a, axis)
    lines = lines_along(a, k)[..., ::-1]
    last = a.ndim - 1
    shape = inserted(removed(lines.shape, last), k, lines.shape[last])
    return strided(lines, shape, inserted(removed(lines.strides, last), k, lines.strides[last]))


@numpy(np.flip)
def _flip(m, axis=None):
    if not has_places(m):
        return None
    if is_integral(axis):
        return (lambda m, axis=None: flipped(m, axis)) if m.ndim else _no_axis_to_flip
    if not m.ndim and left_out(axis):
        return lambda m, axis=None: m[()]
    every = (slice(None, None, -1),) * m.ndim
    if not left_out(axis):
        return None
    return (lambda m, axis=None: m[every]) if m.ndim > 1 else _flip_line


def _no_axis_to_flip(m, axis=None):
    axis_of(m, axis)
    return m[()]


def _flip_line(m, axis=None):
    return m[::-1]


@numpy(np.flipud)
def _flipud(m):
    def misfit(m):
        raise ValueError("Input must be >= 1-d.")

    if not has_places(m):
        return None
    return (lambda m: m[::-1]) if m.ndim else misfit


@numpy(np.fliplr)
def _fliplr(m):
    def misfit(m):
        raise ValueError("Input must be >= 2-d.")

    if not has_places(m):
        return None
    return (lambda m: m[:, ::-1]) if m.ndim > 1 else misfit


@private
def _roll_line(out, line, shift):
    size = len(line)
    if size:
        first = shift % size
        out[first:] = line[: size - first]
        out[:first] = line[size - first :]


@numpy(np.roll)
def _roll(a, shift, axis=None):
    if not has_places(a) or not is_integral(shift):
        return None

    def of_all(a, shift, axis=None):
        out = np.empty(a.shape, a.dtype)
        _roll_line(out.ravel(), a.ravel(), shift)
        return out

    def of_lines(a, shift, axis=None):
        out, k = np.empty(a.shape, a.dtype), axis_of(a, axis)
        size = a.shape[k]
        if size:
            first = shift % size
            part_along(out, k, first, size)[...] = part_along(a, k, 0, size - first)
            part_along(out, k, 0, first)[...] = part_along(a, k, size - first, size)
        return out

    if left_out(axis):
        return of_all
    return of_lines if is_integral(axis) else None


@numpy(np.rot90)
def _rot90(m, k=1):
    if not has_places(m) or m.ndim != 2 or not is_integral_or_default(k):
        return None

    def rot90(m, k=1):
        turns = k % 4
        if turns == 0:
            return strided(m, m.shape, m.strides)
        if turns == 2:
            return strided(m[::-1, ::-1], m.shape, (-m.strides[0], -m.strides[1]))
        shape = m.shape[::-1]
        if turns == 1:
            return strided(m[:, ::-1], shape, (-m.strides[1], m.strides[0]))
        return strided(m[::-1], shape, (m.strides[1], -m.strides[0]))

    return rot90


# --- several axes at once ---------------------------------------------------------------------


@private
def _counted_from_zero(axes, ndim):
    """Axes of an array of so many dimensions, counted from 0.  Raises for what is none, and for
    one that is there twice."""
    result = tuple(axes)
    for k in range(len(axes)):
        axis = axes[k] + ndim if axes[k] < 0 else axes[k]
        if axis < 0 or axis >= ndim:
            raise np.exceptions.AxisError(axes[k], ndim)
        for n in range(k):
            if result[n] == axis:
                raise ValueError("repeated axis")
        result = replaced(result, k, axis)
    return result


def with_axes(a, axes):
    """A view with axes of one element at some places of the result."""
    for axis in sorted(axes):
        a = np.expand_dims(a, axis)
    return a


@overload(with_axes, jit_options=OPTIONS)
def _with_axes(a, axes):
    def several(a, axes):
        least = 0
        for k in range(1, len(axes)):
            least = k if axes[k] < axes[least] else least
        return with_axes(expanded(a, axes[least]), removed(axes, least))

    return several if axes.items else (lambda a, axes: a)


@numpy(np.expand_dims)
def _expand_several(a, axis):
    if not has_places(a) or not is_shape(axis) or not axis.items:
        return None
    ndim = a.ndim + len(axis.items)
    return lambda a, axis: with_axes(a, _counted_from_zero(axis, ndim))


def without_axes(a, axes):
    """A view without some axes, which have one element."""
    return np.squeeze(a, axes)


@overload(without_axes, jit_options=OPTIONS)
def _without_axes(a, axes):
    def several(a, axes):
        last = 0
        for k in range(1, len(axes)):
            last = k if axes[k] > axes[last] else last
        return without_axes(np.squeeze(a, axes[last]), removed(axes, last))

    return several if axes.items else (lambda a, axes: a)


@numpy(np.squeeze, "squeeze")
def _squeeze_several(a, axis=None):
    if not has_places(a):
        return None
    if left_out(axis):
        if not a.ndim:
            return lambda a, axis=None: a
        raise TypingError(
            "how many axes are left depends on the sizes, which are not known when compiling",
            hint="name the axes: np.squeeze(a, axis=0)",
        )
    if not is_shape(axis):
        return None
    ndim = a.ndim
    return lambda a, axis=None: without_axes(a, _counted_from_zero(axis, ndim))


@numpy(np.moveaxis)
def _move_several(a, source, destination):
    if not has_places(a) or not is_shape(source) or not is_shape(destination):
        return None
    if len(source.items) != len(destination.items):
        raise TypingError(
            "`source` and `destination` arguments must have the same number of elements",
            hint="name as many places as axes",
        )
    ndim = a.ndim

    def moveaxis(a, source, destination):
        origins, places = _counted_from_zero(source, ndim), _counted_from_zero(destination, ndim)
        order, taken = np.full(ndim, -1), np.zeros(ndim, np.bool_)
        for k in range(len(origins)):
            order[places[k]] = origins[k]
            taken[origins[k]] = True
        axis, shape, strides = 0, a.shape, a.strides
        for k in range(ndim):
            if order[k] < 0:
                while taken[axis]:
                    axis += 1
                order[k] = axis
                axis += 1
            shape = replaced(shape, k, a.shape[order[k]])
            strides = replaced(strides, k, a.strides[order[k]])
        return strided(a, shape, strides)

    return moveaxis if source.items and ndim else None


@private
def _seen(a):
    """The same view in a type that does not tell its layout."""
    return strided(a, a.shape, a.strides)


@numpy(np.flip)
def _flip_several(m, axis=None):
    if not has_places(m) or not is_shape(axis) or not m.ndim or not axis.items:
        return None
    ndim = m.ndim

    def flip(m, axis=None):
        result = _seen(m)
        for one in _counted_from_zero(axis, ndim):
            result = _seen(flipped(result, one))
        return result

    return flip


@numpy(np.roll)
def _roll_by_array(a, shift, axis=None):
    whole = is_array(shift) and shift.ndim < 2 and isinstance(shift.dtype, types.Integer)
    if not has_places(a) or not whole or not (left_out(axis) or is_integral(axis)):
        return None
    return lambda a, shift, axis=None: np.roll(a, int(np.sum(shift)), axis)


@numpy(np.roll)
def _roll_several(a, shift, axis=None):
    several = is_shape(axis) and axis.items
    if not has_places(a) or not several:
        return None
    if is_integral(shift):

        def by_one(a, shift, axis=None):
            out = a.copy()
            for one in axis:
                out = np.roll(out, shift, one)
            return out

        return by_one
    if not is_shape(shift) or len(shift.items) != len(axis.items):
        return None

    def by_each(a, shift, axis=None):
        out = a.copy()
        for k in range(len(axis)):
            out = np.roll(out, shift[k], axis[k])
        return out

    return by_each


@numpy(np.rot90)
def _rot90_in_plane(m, k=1, axes=(0, 1)):
    if not has_places(m) or m.ndim < 2 or not is_integral_or_default(k):
        return None
    usual = not is_shape(axes)
    if not usual and len(axes.items) != 2:
        raise TypingError("len(axes) must be 2.", hint="name two axes")

    def rot90(m, k=1, axes=(0, 1)):
        first, second = axes[0], axes[1]
        if first == second or abs(first - second) == m.ndim:
            raise ValueError("Axes must be different.")
        turns = k % 4
        if turns == 0:
            return _seen(m)
        if turns == 2:
            return _seen(flipped(flipped(m, first), second))
        if turns == 1:
            return _seen(np.swapaxes(flipped(m, second), first, second))
        return _seen(flipped(np.swapaxes(m, first, second), second))

    return rot90


@numpy(np.diagonal, "diagonal")
def _diagonal_of_axes(a, offset=0, axis1=0, axis2=1):
    numbers = is_integral_or_default(offset)
    if not has_places(a) or a.ndim < 2 or not numbers:
        return None
    if not is_integral_or_default(axis1) or not is_integral_or_default(axis2):
        return None
    last = a.ndim - 1

    def diagonal(a, offset=0, axis1=0, axis2=1):
        i, k = axis_of(a, axis1, "axis1"), axis_of(a, axis2, "axis2")
        if i == k:
            raise ValueError("axis1 and axis2 cannot be the same")
        tables = lines_along(lines_along(a, i), k - 1 if k > i else k)
        rows, columns = tables.shape[last - 1], tables.shape[last]
        place = clamped(offset, rows, columns)
        part = tables[..., max(-place, 0) :, max(place, 0) :]
        count = min(part.shape[last - 1], part.shape[last])
        step = part.strides[last - 1] + part.strides[last]
        shape = replaced(removed(part.shape, last), last - 1, count)
        return read_only(
            strided(part, shape, replaced(removed(part.strides, last), last - 1, step))
        )

    return diagonal
