"""The same elements in another shape or order, as views where NumPy returns views. (`reshape` and
`ravel`, which copy arrays that are not in C order, are methods.)"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, body, refuse
from cutaway.extending.registry import method
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import (
    expanded,
    inserted,
    removed,
    replaced,
    shape_of,
    strided,
)
from cutaway.library.arrays.kit.sizes import clamped, size_of_both
from cutaway.library.arrays.kit.takes import (
    AnyElements,
    Elements,
    Integer,
    Ints,
    IntsOrNone,
    Sizes,
    SizesOrNone,
    SomeAxes,
    as_tuple,
    is_several,
    numpy,
)
from cutaway.library.arrays.kit.typers import OPTIONS, is_array, is_integral, is_shape, private
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.typing import types
from cutaway.typing.types import Array

# --- several axes -----------------------------------------------------------------------------


@private
def _counted_from_zero(axes, ndim, repeated="repeated axis"):
    """Axes counted from 0, for an array of `ndim` dimensions. Raises for an axis out of range or
    repeated."""
    result = as_tuple(axes)
    for k in range(len(axes)):
        axis = axes[k] + ndim if axes[k] < 0 else axes[k]
        if axis < 0 or axis >= ndim:
            raise np.exceptions.AxisError(axes[k], ndim, None)
        for n in range(k):
            if result[n] == axis:
                raise ValueError(repeated)
        result = replaced(result, k, axis)
    return result


@private
def _with_axes(a, axes):
    """A view with axes of length one inserted at positions of the result."""
    if a.ndim == 0:
        return a.reshape((1,) * len(axes))
    shape, strides, n = a.shape + axes, a.strides + axes, 0
    for k in range(len(shape)):
        if k in axes:
            shape, strides = replaced(shape, k, 1), replaced(strides, k, 0)
        else:
            shape, strides = replaced(shape, k, a.shape[n]), replaced(strides, k, a.strides[n])
            n += 1
    return strided(a, shape, strides)


@private
def _require_single(a, k):
    if a.shape[k] != 1:
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")


@private
def _without_axes(a, axes):
    """A view without some axes, which have length one."""
    if len(axes) == 0:
        return a
    last = 0
    for k in range(1, len(axes)):
        last = k if axes[k] > axes[last] else last
    k = axes[last]
    _require_single(a, k)
    rest = strided(a, removed(a.shape, k), removed(a.strides, k))
    return _without_axes(rest, removed(axes, last))


@private
def _seen(a):
    """The same view in a type without a known layout."""
    return strided(a, a.shape, a.strides)


# --- axes -------------------------------------------------------------------------------------


@numpy(np.expand_dims)
def expand_dims(a: Elements, axis: Sizes):
    if not is_several(axis):
        return expanded(a, axis)
    return _with_axes(a, _counted_from_zero(axis, a.ndim + len(axis)))


@numpy(np.squeeze, "squeeze")
def squeeze(a: Elements, axis: SizesOrNone = None):
    if axis is None:
        if a.ndim > 0:
            refuse(
                "how many axes are left depends on the sizes, which are not known when compiling",
                "name the axes: np.squeeze(a, axis=0)",
            )
        return a
    if is_several(axis):
        return _without_axes(a, _counted_from_zero(axis, a.ndim))
    if a.ndim == 0:
        refuse("an array without axes has none to squeeze out", "leave out `axis`")
    k = axis_of(a, axis)
    _require_single(a, k)
    return strided(a, removed(a.shape, k), removed(a.strides, k))


@numpy(np.swapaxes, "swapaxes")
def swapaxes(a: Elements, axis1: Integer, axis2: Integer):
    i, k = axis_of(a, axis1, "axis1"), axis_of(a, axis2, "axis2")
    if a.ndim == 0:
        return a
    shape = replaced(replaced(a.shape, i, a.shape[k]), k, a.shape[i])
    strides = replaced(replaced(a.strides, i, a.strides[k]), k, a.strides[i])
    return strided(a, shape, strides)


@numpy(np.moveaxis)
def moveaxis(a: Elements, source: Sizes, destination: Sizes):
    if not is_several(source) and not is_several(destination):
        i, k = axis_of(a, source, "source"), axis_of(a, destination, "destination")
        if a.ndim == 0:
            return a
        shape = inserted(removed(a.shape, i), k, a.shape[i])
        return strided(a, shape, inserted(removed(a.strides, i), k, a.strides[i]))
    origins = _counted_from_zero(as_tuple(source), a.ndim)
    places = _counted_from_zero(as_tuple(destination), a.ndim)
    if len(origins) != len(places):
        refuse(
            "`source` and `destination` arguments must have the same number of elements",
            "name as many places as axes",
        )
    order, axis = a.shape, 0
    for k in range(a.ndim):
        origin = -1
        for n in range(len(places)):
            origin = origins[n] if places[n] == k else origin
        if origin < 0:
            while axis in origins:
                axis += 1
            origin = axis
            axis += 1
        order = replaced(order, k, origin)
    return _permuted(a, order)


@numpy(np.transpose, "transpose")
def transpose(a: Elements, axes: IntsOrNone = None):
    if axes is None:
        return a.T
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    if a.ndim == 0:
        return a.T
    return _permuted(a, _counted_from_zero(axes, a.ndim, "repeated axis in transpose"))


@private
def _permuted(a, order):
    """A view with permuted axes."""
    shape, strides = a.shape, a.strides
    for k in range(a.ndim):
        shape = replaced(shape, k, a.shape[order[k]])
        strides = replaced(strides, k, a.strides[order[k]])
    return strided(a, shape, strides)


@body(method(Array, "transpose"), **OPTIONS)
def transpose_one_by_one(a, *axes):
    return np.transpose(a, axes)


@numpy(np.atleast_1d)
def atleast_1d(a: AnyElements):
    if not isinstance(a, np.ndarray):
        return np.array((a,))
    return a if a.ndim > 0 else a.reshape(1)


@numpy(np.atleast_2d)
def atleast_2d(a: AnyElements):
    if len(shape_of(a)) == 0:
        return np.atleast_1d(a).reshape(1, 1)
    return a if a.ndim > 1 else expanded(a, 0)


@numpy(np.atleast_3d)
def atleast_3d(a: AnyElements):
    if len(shape_of(a)) == 0:
        return np.atleast_1d(a).reshape(1, 1, 1)
    if a.ndim == 1:
        return expanded(expanded(a, 0), 2)
    return a if a.ndim > 2 else expanded(a, 2)


# --- diagonals --------------------------------------------------------------------------------


@private
def _diagonal_of(a, offset):
    """The diagonal of a table, as a view."""
    place = clamped(offset, a.shape[0], a.shape[1])
    part = a[max(-place, 0) :, max(place, 0) :]
    count = min(part.shape[0], part.shape[1])
    return strided(part, (count,), (a.strides[0] + a.strides[1],))


@private
def read_only(a):
    """A read-only view."""
    return np.broadcast_to(a, a.shape)


Table = Takes("an array of two axes", lambda one: isinstance(one, Array) and one.ndim == 2)


@numpy(np.diagonal, "diagonal")
def diagonal_of_table(a: Table, offset: Integer = 0):
    return read_only(_diagonal_of(a, offset))


@numpy(np.diagonal, "diagonal")
def diagonal(a: Elements, offset: Integer = 0, axis1: Integer = 0, axis2: Integer = 1):
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i, k, last = axis_of(a, axis1, "axis1"), axis_of(a, axis2, "axis2"), a.ndim - 1
    if i == k:
        raise ValueError("axis1 and axis2 cannot be the same")
    tables = lines_along(lines_along(a, i), k - 1 if k > i else k)
    rows, columns = tables.shape[last - 1], tables.shape[last]
    place = clamped(offset, rows, columns)
    part = tables[..., max(-place, 0) :, max(place, 0) :]
    count = min(part.shape[last - 1], part.shape[last])
    step = part.strides[last - 1] + part.strides[last]
    shape = replaced(removed(part.shape, last), last - 1, count)
    return read_only(strided(part, shape, replaced(removed(part.strides, last), last - 1, step)))


FARTHEST = (1 << 63) - 1


@numpy(np.diag)
def diag(v: Elements, k: Integer = 0):
    if v.ndim == 2:
        return read_only(_diagonal_of(v, k))
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    distance = clamped(k, FARTHEST, FARTHEST)
    size = size_of_both(len(v), abs(distance))
    out = np.zeros((size, size), v.dtype)
    for n in range(len(v)):
        out[n + max(-distance, 0), n + max(distance, 0)] = v[n]
    return out


@numpy(np.diagflat)
def diagflat(v: Elements, k: Integer = 0):
    return np.diag(v.ravel(), k)


# --- order ------------------------------------------------------------------------------------


@private
def _flipped(a, axis):
    """A view with one axis reversed."""
    k = axis_of(a, axis)
    lines = lines_along(a, k)[..., ::-1]
    last = a.ndim - 1
    shape = inserted(removed(lines.shape, last), k, lines.shape[last])
    return strided(lines, shape, inserted(removed(lines.strides, last), k, lines.strides[last]))


@numpy(np.flip)
def flip(m: Elements, axis: SomeAxes = None):
    if axis is None:
        return m[(slice(None, None, -1),) * m.ndim]
    if is_several(axis):
        result = _seen(m)
        for one in _counted_from_zero(axis, m.ndim):
            result = _seen(_flipped(result, one))
        return result
    if m.ndim == 0:
        axis_of(m, axis)  # raises AxisError
        return m[()]
    return _flipped(m, axis)


@numpy(np.flipud)
def flipud(m: Elements):
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]


@numpy(np.fliplr)
def fliplr(m: Elements):
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def _is_shift(shift: Any) -> bool:
    if is_array(shift):
        return shift.ndim < 2 and isinstance(shift.dtype, types.Integer)
    return is_integral(shift) or is_shape(shift)


Shift = Takes("an int, or several in a tuple or an array", _is_shift)


@private
def _total(shift):
    """The total shift of elements along one axis."""
    if isinstance(shift, np.ndarray):
        return int(np.sum(shift))
    total = 0
    for one in as_tuple(shift):
        total += one
    return total


@private
def _rolled_along(a, shift, axis):
    out, k = np.empty(a.shape, a.dtype), axis_of(a, axis)
    size = a.shape[k]
    if size:
        first = shift % size
        part_along(out, k, first, size)[...] = part_along(a, k, 0, size - first)
        part_along(out, k, 0, first)[...] = part_along(a, k, size - first, size)
    return out


@private
def _rolled_as_line(a, shift):
    out, line = np.empty(a.shape, a.dtype), a.ravel()
    size = len(line)
    if size:
        first, target = shift % size, out.ravel()
        target[first:] = line[: size - first]
        target[:first] = line[size - first :]
    return out


@numpy(np.roll)
def roll(a: Elements, shift: Shift, axis: SomeAxes = None):
    if axis is None:
        return _rolled_as_line(a, _total(shift))
    if not is_several(axis):
        return _rolled_along(a, _total(shift), axis)
    axes, shifts, out = as_tuple(axis), shift, a.copy()
    if not is_several(shift):
        for one in axes:
            out = _rolled_along(out, _total(shift), one)
        return out
    if len(shifts) != len(axes):
        refuse("'shift' and 'axis' must name as many shifts as axes")
    for k in range(len(axes)):
        out = _rolled_along(out, shifts[k], axes[k])
    return out


@numpy(np.rot90)
def rot90(m: Elements, k: Integer = 1, axes: Ints = (0, 1)):
    if len(axes) != 2:
        refuse("len(axes) must be 2.", "name two axes")
    if m.ndim < 2:
        refuse("only an array of two axes or more is turned")
    first, second = axes[0], axes[1]
    if first == second or abs(first - second) == m.ndim:
        raise ValueError("Axes must be different.")
    turns = k % 4
    if turns == 0:
        return _seen(m)
    if turns == 2:
        return _seen(_flipped(_flipped(m, first), second))
    if turns == 1:
        return _seen(np.swapaxes(_flipped(m, second), first, second))
    return _seen(_flipped(np.swapaxes(m, first, second), second))
