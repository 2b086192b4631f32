"""Arrays with elements inserted or deleted: `append insert delete`, over all elements or along an
axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.places import checked_place, count_true
from cutaway.library.arrays.kit.shapes import merged, replaced, require, shape_of
from cutaway.library.arrays.kit.takes import Elements, IntegerOrNone, numpy
from cutaway.library.arrays.kit.typers import (
    are_alike,
    has_real_elements,
    is_array,
    is_integral,
    is_number,
    is_shape,
    private,
)
from cutaway.library.arrays.layout.joining import joined
from cutaway.library.math.number_classes import fitting
from cutaway.typing import types
from cutaway.typing.types import Array, Type

# --- append -----------------------------------------------------------------------------------


@static
def _is_element(value: Any, arr: Any) -> bool:
    """True if a value is an element of a non-numeric array and not longer than its elements."""
    if is_array(arr) or not isinstance(value, Type) or is_number(value):
        return False
    return value is arr.dtype or value is getattr(arr, "element", None)


@private
def _line_of_one(value, arr):
    """An array of length one with the dtype of another."""
    out = np.empty(1, arr.dtype)
    out[0] = value
    return out


_can_join = static(are_alike)
_is_single = static(is_number)


@static
def _is_text(arr: Any) -> bool:
    return isinstance(arr.dtype, types.FixedString)


Values = Takes(
    "an array, or an element",
    lambda values: (
        isinstance(values, Array) or not isinstance(values, types.Tuple | types.IterableType)
    ),
)


@numpy(np.append)
def append(arr: Elements, values: Values, axis: IntegerOrNone = None):
    """An array followed by other values."""
    if _can_join(arr, values):
        if axis is None:
            return joined((arr.ravel(), values.ravel()), 0)
        return joined((arr, values), axis)
    if axis is not None:
        refuse("only arrays are put together along an axis")
    if _is_single(values):
        return joined((arr.ravel(), np.array((values,))), 0)
    if not _is_element(values, arr) or _is_text(arr):  # a longer text would widen the dtype
        refuse("what is appended is no element of the array")
    return joined((arr.ravel(), _line_of_one(values, arr)), 0)


# --- insertion --------------------------------------------------------------------------------


@static
def _kind_of(obj: Any) -> str | None:
    """The kind of an index: a position, a slice, a mask or an array of positions; None for
    others."""
    if is_integral(obj):
        return "place"
    if isinstance(obj, types.Slice):
        return "slice"
    if is_shape(obj):
        return "places"
    if not is_array(obj) or not is_integral(obj.dtype):
        return None
    if obj.dtype is types.boolean:
        return "mask"
    return "array" if obj.ndim == 0 else "places" if obj.ndim == 1 else None


def _are_places(obj: Any) -> bool:
    """True for a valid index; NumPy computes positions in their type, so unsigned ones wrap."""
    kind = _kind_of(obj)
    unsigned = kind == "places" and is_array(obj) and not obj.dtype.signed
    return kind is not None and not unsigned and getattr(obj, "items", True) != ()


_POSITIONS = "a position, some of them, a slice, or a mask"
Places = Takes(_POSITIONS, _are_places, takes_lists=True)
Deleted = Takes(_POSITIONS, lambda obj: _kind_of(obj) is not None, takes_lists=True)


@static
def _holds(arr: Any, values: Any) -> bool:
    """True if an array can store the values."""
    if is_array(arr) and has_real_elements(values):
        return True
    are_complex = is_array(arr) and isinstance(arr.dtype, types.Complex)
    return (are_complex and is_number(values)) or are_alike(arr, values)


@private
def _lengthened(arr, place, values, k):
    """An array with values inserted before a position along an axis."""
    whole = isinstance(values, np.ndarray) and values.ndim == arr.ndim
    size, width = arr.shape[k], values.shape[0] if whole else 1
    if place < -size or place > size:
        raise IndexError(f"index {place} is out of bounds for axis {k} with size {size}")
    first = int(place) + size if place < 0 else int(place)
    out = np.empty(replaced(arr.shape, k, size + width), arr.dtype)
    lines, target = lines_along(arr, k), lines_along(out, k)
    target[..., :first] = lines[..., :first]
    new = target[..., first : first + width]
    if not isinstance(values, np.ndarray):
        new[...] = fitting(values, arr.dtype)
    elif whole:
        new[...] = lines_along(values, 0)
    else:
        new[..., 0] = values
    target[..., first + width :] = lines[..., first:]
    return out


@private
def _final_places(places, size):
    """The final positions of inserted elements; equal positions keep their order."""
    for k in range(len(places)):
        places[k] += size if places[k] < 0 else 0
    order = np.argsort(places, kind="stable")
    for n in range(len(order)):
        k = order[n]
        places[k] = checked_place(places[k] + n, size + len(places), 0)
    return places


@private
def _places_from_one(obj, place, width, size, k):
    """The final positions of all values inserted at a single position."""
    if place < -size or place > size:
        if isinstance(obj, tuple):
            raise IndexError(f"index ({place},) is out of bounds for axis {k} with size {size}")
        raise IndexError(f"index [{place}] is out of bounds for axis {k} with size {size}")
    return place + (size if place < 0 else 0) + np.arange(width)


@private
def _block_of(arr, values, count, k):
    """The values for some positions along an axis, in the array's dtype."""
    block = np.empty(replaced(arr.shape, k, count), arr.dtype)
    if isinstance(values, np.ndarray):
        block[...] = values
    else:
        block[...] = fitting(values, arr.dtype)
    return block


@private
def _put_layer(target, k, source, n):
    if target.ndim == 1:
        target[k] = source[n]
    else:
        target[..., k] = source[..., n]


@private
def _with_block(arr, block, places, k):
    """An array merged with the layers of a block at their final positions along an axis."""
    size, count = arr.shape[k], arr.shape[k] + len(places)
    out, is_new = np.empty(replaced(arr.shape, k, count), arr.dtype), np.zeros(count, np.bool_)
    old, new, target = lines_along(arr, k), lines_along(block, k), lines_along(out, k)
    for n in range(len(places)):
        is_new[places[n]] = True
        _put_layer(target, places[n], new, n)
    left = count - count_true(is_new)
    if left != size and size != 1:
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {size} input values to"
            f" the {left} output values where the mask is true"
        )
    n = 0
    for place in range(count):
        if not is_new[place]:
            _put_layer(target, place, old, n if size > 1 else 0)
            n += 1
    return out


@private
def _lengthened_at_several(arr, obj, given, values, k):
    """An array with values inserted before several positions along an axis."""
    size, places = arr.shape[k], given
    shaped = values
    if isinstance(values, np.ndarray):
        shaped = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
    if len(given) == 1 and _kind_of(obj) != "slice":
        width = shaped.shape[k] if isinstance(values, np.ndarray) else 1
        places = _places_from_one(obj, given[0], width, size, k)
    else:
        places = _final_places(given, size)
        if isinstance(values, np.ndarray):
            shape = replaced(arr.shape, k, len(places))
            message = (
                "shape mismatch: value array of shape {} could not be broadcast to indexing result"
                " of shape {}"
            )
            require(merged(values.shape, shape) == shape, message, (values.shape, shape))
    return _with_block(arr, _block_of(arr, shaped, len(places), k), places, k)


@private
def _inserted(arr, obj, values, k):
    """An array with values inserted along an axis that is counted from 0."""
    if _kind_of(obj) == "place":
        return _lengthened(arr, obj, values, k)
    if _kind_of(obj) == "array":
        return _lengthened(arr, obj[()], values, k)
    if _kind_of(obj) == "slice":
        return _lengthened_at_several(arr, obj, np.arange(arr.shape[k])[obj], values, k)
    if _kind_of(obj) == "mask":
        if obj.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        return _lengthened_at_several(arr, obj, np.flatnonzero(obj), values, k)
    return _lengthened_at_several(arr, obj, np.array(obj, np.int64), values, k)


@numpy(np.insert)
def insert(arr: Elements, obj: Places, values: Values, axis: IntegerOrNone = None):
    """An array with values inserted before elements, or before layers along an axis."""
    if _is_element(values, arr):
        return np.insert(arr, obj, _line_of_one(values, arr), axis)
    if not _holds(arr, values):
        refuse("these values are no elements of the array")
    if axis is None:
        return _inserted(arr.ravel(), obj, values, 0)
    if len(shape_of(values)) > arr.ndim:
        refuse("values have at most as many axes as the array that they are put into")
    return _inserted(arr, obj, values, axis_of(arr, axis))


# --- deletion ---------------------------------------------------------------------------------


@private
def _kept(obj, size, axis):
    """A mask of the positions in a line that are kept."""
    keep = np.ones(size, np.bool_)
    if _kind_of(obj) == "mask":
        if obj.ndim != 1 or len(obj) != size:
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the axis"
                f" length of {size}"
            )
        return ~obj
    if _kind_of(obj) == "slice":
        keep[obj] = False
    elif len(obj) > 0:
        for k in obj:
            keep[checked_place(k, size, axis)] = False
    return keep


@private
def _deleted(arr, obj, k):
    """An array without some positions along an axis that is counted from 0."""
    lines = lines_along(arr, k)
    if _kind_of(obj) == "place":
        place = checked_place(obj, arr.shape[k], k)
        out = np.empty(replaced(arr.shape, k, arr.shape[k] - 1), arr.dtype)
        target = lines_along(out, k)
        target[..., :place], target[..., place:] = lines[..., :place], lines[..., place + 1 :]
        return out
    keep = _kept(obj, arr.shape[k], k)
    if arr.ndim == 1:
        return np.take(arr, np.flatnonzero(keep))
    out, n = np.empty(replaced(arr.shape, k, count_true(keep)), arr.dtype), 0
    target = lines_along(out, k)
    for place in range(len(keep)):
        if keep[place]:
            target[..., n] = lines[..., place]
            n += 1
    return out


@numpy(np.delete)
def delete(arr: Elements, obj: Deleted, axis: IntegerOrNone = None):
    """An array without some elements, or without layers along an axis."""
    if axis is None:
        return _deleted(arr.ravel(), obj, 0)
    if arr.ndim == 0:
        refuse("an array without axes has no layers")
    return _deleted(arr, obj, axis_of(arr, axis))
