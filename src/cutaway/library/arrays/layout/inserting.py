"""Arrays with elements put in or left out: `append insert delete`, of all elements or along an
axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.places import checked_place, count_true
from cutaway.library.arrays.kit.shapes import merged, replaced, require
from cutaway.library.arrays.kit.typers import (
    are_alike,
    has_places,
    has_real_elements,
    is_array,
    is_integral,
    is_number,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.layout.joining import are_arrays, joined
from cutaway.library.math.weak_numbers import fitting
from cutaway.typing import types
from cutaway.typing.types import Tuple

# --- more elements, and fewer -----------------------------------------------------------------


def _is_element(value: Any, arr: Any) -> bool:
    """True if a value is an element of an array of no numbers, and not longer than these are."""
    if is_array(arr) or not isinstance(value, types.Type) or is_number(value):
        return False
    return value is arr.dtype or value is getattr(arr, "element", None)


@private
def line_of_one(value, arr):
    """A line of one element like those of an array."""
    out = np.empty(1, arr.dtype)
    out[0] = value
    return out


@numpy(np.append)
def _append(arr, values, axis=None):
    if not has_places(arr):
        return None
    if is_array(arr) and is_number(values) and left_out(axis):
        return lambda arr, values, axis=None: joined((arr.ravel(), np.array((values,))), 0)
    grows = isinstance(arr.dtype, types.FixedString)  # with a longer text
    if _is_element(values, arr) and left_out(axis) and not grows:
        return lambda arr, values, axis=None: joined((arr.ravel(), line_of_one(values, arr)), 0)
    if not are_alike(arr, values):
        return None
    if left_out(axis):
        return lambda arr, values, axis=None: joined((arr.ravel(), values.ravel()), 0)
    fits = is_integral(axis) and are_arrays(Tuple((arr, values)))
    return (lambda arr, values, axis=None: joined((arr, values), axis)) if fits else None


@private
def _insert_place(k, size):
    if k < -size or k > size:
        raise IndexError(f"index {k} is out of bounds for axis 0 with size {size}")
    return int(k) + size if k < 0 else int(k)


@private
def _at_places(out, line, places, values):
    """A line with values in front of some of its elements; the places rise."""
    n = 0
    for k in range(len(out)):
        if n < len(places) and places[n] + n == k:
            out[k] = values
            n += 1
        else:
            out[k] = line[k - n]
    return out


def _inserted_at_places(arr, values):
    """The implementation that inserts before the elements of a slice."""

    def insert(arr, obj, values):
        line = arr.ravel()
        places = np.sort(np.arange(len(line))[obj])
        out = np.empty(len(line) + len(places), arr.dtype)
        return _at_places(out, line, places, fitting(values, arr.dtype))

    return insert if types.is_real(values) else None


@private
def _insert_lines(line, place, values):
    """A line with another one put in at a place."""
    out = np.empty(len(line) + len(values), line.dtype)
    out[:place], out[place : place + len(values)] = line[:place], values
    out[place + len(values) :] = line[place:]
    return out


@private
def _final_places(places, size):
    """The final positions of inserted elements; equal places keep their order."""
    for k in range(len(places)):
        places[k] += size if places[k] < 0 else 0
    order = np.argsort(places, kind="stable")
    for n in range(len(order)):
        k = order[n]
        places[k] = checked_place(places[k] + n, size + len(places), 0)
    return places


@private
def _insert_each(line, places, values):
    """A line with a value in each of some places, counted in the result."""
    if len(values) != len(places) and len(values) != 1:
        raise ValueError(
            f"shape mismatch: value array of shape ({len(values)},) could not be broadcast to"
            f" indexing result of shape ({len(places)},)"
        )
    out, new = (
        np.empty(len(line) + len(places), line.dtype),
        np.zeros(len(line) + len(places), bool),
    )
    for k in range(len(places)):
        new[places[k]] = True
        out[places[k]] = values[k if len(values) > 1 else 0]
    left = len(out) - count_true(new)
    if left != len(line) and len(line) != 1:
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {len(line)} input values to"
            f" the {left} output values where the mask is true"
        )
    n = 0
    for k in range(len(out)):
        if not new[k]:
            out[k] = line[n if len(line) > 1 else 0]
            n += 1
    return out


@private
def _require_place_of_array(place, size):
    if place < -size or place > size:
        raise IndexError(f"index [{place}] is out of bounds for axis 0 with size {size}")


@private
def _require_place_of_tuple(place, size):
    if place < -size or place > size:
        raise IndexError(f"index ({place},) is out of bounds for axis 0 with size {size}")


def _insert_at_several(obj, values):
    """The implementation that inserts before the elements at the places in an array or a tuple."""
    require_place = _require_place_of_array if is_array(obj) else _require_place_of_tuple
    line_of = private(
        (lambda arr, values: values.ravel())
        if is_array(values)
        else (lambda arr, values: np.full(1, fitting(values, arr.dtype), arr.dtype))
    )

    def several(arr, obj, values):
        line, places = arr.ravel(), np.array(obj, np.int64)
        if len(places) == 1:
            require_place(places[0], len(line))
            place = _insert_place(places[0], len(line))
            return _insert_lines(line, place, line_of(arr, values))
        places = _final_places(places, len(line))
        return _insert_each(line, places, line_of(arr, values))

    return several


@private
def _insert_one(line, k, value):
    """A line with an element put in before its k-th one."""
    return _insert_lines(line, _insert_place(k, len(line)), line_of_one(value, line))


def _are_places(obj: Any) -> bool:
    """True for a line of integers with a sign: NumPy adds to the places in their type."""
    return is_array(obj) and obj.ndim == 1 and obj.dtype in _SIGNED


_SIGNED = (types.int8, types.int16, types.int32, types.int64)


@numpy(np.insert)
def _insert_at_array(arr, obj, values, axis=None):
    """At a place in an array without dimensions, and where a mask is true."""
    if not is_array(arr) or not is_array(obj) or not is_integral(obj.dtype):
        return None
    is_mask = obj.dtype is types.boolean
    if obj.ndim == 0 and not is_mask:
        return lambda arr, obj, values, axis=None: np.insert(arr, obj[()], values, axis)
    if not is_mask:
        return None
    if obj.ndim == 1:
        return lambda arr, obj, values, axis=None: np.insert(arr, np.flatnonzero(obj), values, axis)

    def misfit(arr, obj, values, axis=None):
        raise ValueError("boolean array argument obj to insert must be one dimensional")

    return misfit


@numpy(np.insert)
def _insert(arr, obj, values):
    if has_places(arr) and is_integral(obj) and _is_element(values, arr):
        return lambda arr, obj, values: _insert_one(arr.ravel(), obj, values)
    if not is_array(arr):
        return None
    if isinstance(obj, types.Slice):
        return _inserted_at_places(arr, values)
    line = is_array(values) and values.ndim == 1 and arr.ndim == 1 and has_real_elements(values)
    if not line and not types.is_real(values):
        return None
    if _are_places(obj) or (is_shape(obj) and obj.items):
        return _insert_at_several(obj, values)
    if not is_integral(obj):
        return None
    if line:
        return lambda arr, obj, values: _insert_lines(arr, _insert_place(obj, len(arr)), values)

    def one(arr, obj, values):
        line = arr.ravel()
        place = _insert_place(obj, len(line))
        out = np.empty(len(line) + 1, arr.dtype)
        out[:place], out[place] = line[:place], fitting(values, arr.dtype)
        out[place + 1 :] = line[place:]
        return out

    return one


@numpy(np.delete)
def _delete(arr, obj):
    if not has_places(arr):
        return None

    def one(arr, obj):
        line = arr.ravel()
        place = checked_place(obj, len(line), 0)
        out = np.empty(len(line) - 1, arr.dtype)
        out[:place], out[place:] = line[:place], line[place + 1 :]
        return out

    def many(arr, obj):
        line = arr.ravel()
        keep = np.ones(len(line), np.bool_)
        for k in obj:
            keep[checked_place(k, len(line), 0)] = False
        return np.take(line, np.flatnonzero(keep))

    def part(arr, obj):
        line = arr.ravel()
        keep = np.ones(len(line), np.bool_)
        keep[obj] = False
        return np.take(line, np.flatnonzero(keep))

    if is_integral(obj):
        return one
    if isinstance(obj, types.Slice):
        return part
    fits = is_array(obj) and obj.ndim == 1 and isinstance(obj.dtype, types.Integer)
    return many if fits else None


# --- along an axis ----------------------------------------------------------------------------


@private
def _place_along(k, size, axis):
    if k < -size or k > size:
        raise IndexError(f"index {k} is out of bounds for axis {axis} with size {size}")
    return int(k) + size if k < 0 else int(k)


def _insert_several_along(arr: Any, number: bool, values: Any) -> Any:
    """The implementation that inserts before several places along an axis."""
    if not number and not (types.is_real(values.dtype) or isinstance(arr.dtype, types.Complex)):
        return None
    missing, dtype = arr.ndim - (0 if number else values.ndim), element_dtype(arr)
    front = (None,) * missing + (...,)

    @private
    def width_of(values, k):
        return 1 if number or k < missing else values.shape[k - missing]

    @private
    def put(block, values):
        if number:
            block[...] = fitting(values, dtype)
        else:
            block[...] = values[front]

    @private
    def check(block, values):
        if not number:
            message = (
                "shape mismatch: value array of shape {} could not be broadcast to indexing result"
                " of shape {}"
            )
            good = merged(values.shape, block.shape) == block.shape
            require(good, message, (values.shape, block.shape))

    def insert(arr, obj, values, axis=None):
        k, places = axis_of(arr, axis), np.array(obj, np.int64)
        size = arr.shape[k]
        if len(places) == 1:
            if places[0] < -size or places[0] > size:
                raise IndexError(
                    f"index [{places[0]}] is out of bounds for axis {k} with size {size}"
                )
            first = places[0] + (size if places[0] < 0 else 0)
            places = first + np.arange(width_of(values, k))
        else:
            places = _final_places(places, size)
        block = np.empty(replaced(arr.shape, k, len(places)), dtype)
        if len(obj) != 1:
            check(block, values)
        put(block, values)
        out = np.empty(replaced(arr.shape, k, size + len(places)), dtype)
        old, new, target = lines_along(arr, k), lines_along(block, k), lines_along(out, k)
        is_new = np.zeros(size + len(places), np.bool_)
        for n in range(len(places)):
            is_new[places[n]] = True
            target[..., places[n]] = new[..., n]
        n = 0
        for place in range(len(is_new)):
            if not is_new[place]:
                target[..., place] = old[..., n]
                n += 1
        return out

    return insert


@numpy(np.insert)
def _insert_along(arr, obj, values, axis=None):
    if not is_array(arr) or not arr.ndim:
        return None
    if left_out(axis):
        if isinstance(obj, Tuple) or isinstance(values, Tuple):
            return None  # which is asked for again with arrays
        fits = _insert(arr, obj, values) is not None
        return (lambda arr, obj, values, axis=None: np.insert(arr, obj, values)) if fits else None
    number = types.is_real(values) or (is_number(values) and isinstance(arr.dtype, types.Complex))
    fits = number or (is_array(values) and 0 < values.ndim <= arr.ndim)
    if not is_integral(axis) or not fits:
        return None
    if (is_shape(obj) and obj.items) or _are_places(obj):
        return _insert_several_along(arr, number, values)
    if not is_integral(obj):
        return None
    whole, dtype = not number and values.ndim == arr.ndim, element_dtype(arr)

    @private
    def width_of(values):
        return values.shape[0] if whole else 1

    @private
    def put(target, values):
        if number:
            target[...] = fitting(values, dtype)
        elif whole:
            target[...] = lines_along(values, 0)
        else:
            target[..., 0] = values

    def insert(arr, obj, values, axis=None):
        k = axis_of(arr, axis)
        size, width = arr.shape[k], width_of(values)
        place = _place_along(obj, size, k)
        out = np.empty(replaced(arr.shape, k, size + width), arr.dtype)
        lines, target = lines_along(arr, k), lines_along(out, k)
        target[..., :place] = lines[..., :place]
        put(target[..., place : place + width], values)
        target[..., place + width :] = lines[..., place:]
        return out

    return insert


def _keeping(obj: Any) -> Any:
    """What marks the places that stay of a line, a function of `obj size axis`."""

    @private
    def one(obj, size, axis):
        keep = np.ones(size, np.bool_)
        keep[checked_place(obj, size, axis)] = False
        return keep

    @private
    def many(obj, size, axis):
        keep = np.ones(size, np.bool_)
        for k in obj:
            keep[checked_place(k, size, axis)] = False
        return keep

    @private
    def part(obj, size, axis):
        keep = np.ones(size, np.bool_)
        keep[obj] = False
        return keep

    @private
    def nothing(obj, size, axis):
        return np.ones(size, np.bool_)

    @private
    def masked(obj, size, axis):
        if len(obj) != size:
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the axis"
                f" length of {size}"
            )
        return ~obj

    if is_integral(obj):
        return one
    if isinstance(obj, types.Slice):
        return part
    if is_shape(obj):
        return many if obj.items else nothing
    if not is_array(obj) or obj.ndim != 1 or not is_integral(obj.dtype):
        return None
    return masked if obj.dtype is types.boolean else many


@numpy(np.delete)
def _delete_along(arr, obj, axis=None):
    keeping = _keeping(obj)
    if not has_places(arr) or keeping is None or not (left_out(axis) or is_integral(axis)):
        return None

    def of_all(arr, obj, axis=None):
        return np.take(arr.ravel(), np.flatnonzero(keeping(obj, arr.size, 0)))

    def along(arr, obj, axis=None):
        k = axis_of(arr, axis)
        keep = keeping(obj, arr.shape[k], k)
        out = np.empty(replaced(arr.shape, k, count_true(keep)), arr.dtype)
        lines, target, n = lines_along(arr, k), lines_along(out, k), 0
        for place in range(len(keep)):
            if keep[place]:
                target[..., n] = lines[..., place]
                n += 1
        return out

    if left_out(axis):
        return of_all
    return along if arr.ndim else None
