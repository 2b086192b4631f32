"""Arrays of lists: `np.array(items)`, and `np.concatenate` and others of lists of arrays.

The numbers of a list lie side by side, so that an array of them is one copy.  Items that are lists,
tuples or arrays are copied one by one.
"""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, static
from cutaway.library.arrays.kit.dtypes import asked_dtype
from cutaway.library.arrays.kit.shapes import raise_uneven
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.list_methods import has_items
from cutaway.library.containers.lists import numbers_of
from cutaway.typing import types
from cutaway.typing.types import Array, List
from cutaway.typing.types.sequences import array_type

Numbers = Takes("a list of numbers", lambda ty: isinstance(ty, List) and types.is_number(ty.item))
Rows = Takes(
    "a list of lists, tuples or arrays of numbers",
    lambda ty: isinstance(ty, List) and not types.is_number(ty.item) and array_type(ty) is not None,
)
Arrays = Takes(
    "a list of arrays of numbers",
    lambda ty: isinstance(ty, List) and isinstance(ty.item, Array) and array_type(ty) is not None,
)


@static
def _dtype_of(items, dtype):
    """Return the dtype of an array of a list.  Raises TypingError where it has no such."""
    own = array_type(items)
    wanted = None if own is None else asked_dtype(dtype, own.dtype)
    if wanted is None:
        raise TypingError("a list cannot be converted to that dtype", hint="leave it out")
    return types.to_dtype(wanted)


@static
def _axes_of(items):
    """Return the number of axes of an array of a list."""
    return array_type(items).ndim


@body(np.array, **OPTIONS)
def array_of_numbers(object: Numbers, dtype=None):
    return np.array(numbers_of(object), dtype)


@body(np.asarray, **OPTIONS)
def asarray_of_numbers(a: Numbers, dtype=None):
    return np.array(numbers_of(a), dtype)


@body(np.array, **OPTIONS)
def array_of_rows(object: Rows, dtype=None):
    return _stacked(object, _dtype_of(object, dtype))


@body(np.asarray, **OPTIONS)
def asarray_of_rows(a: Rows, dtype=None):
    return _stacked(a, _dtype_of(a, dtype))


@private
def _stacked(items, dtype):
    if not has_items(items):
        return np.empty(0, dtype)
    if len(items) == 0:
        return np.empty((0,) * _axes_of(items), dtype)
    first = np.asarray(items[0])
    made = np.empty((len(items), *first.shape), dtype)
    for k, item in enumerate(items):
        row = np.asarray(item)
        for axis in range(row.ndim):
            if row.shape[axis] != first.shape[axis]:
                raise_uneven(len(items), first.shape, axis)
        made[k] = row
    return made


# --- lists of arrays ------------------------------------------------------------------------------


@body(np.concatenate, **OPTIONS)
def concatenated(arrays: Arrays, axis=0):
    if len(arrays) == 0:
        raise ValueError("need at least one array to concatenate")
    first = np.swapaxes(arrays[0], 0, axis)
    total = 0
    for one in arrays:
        total += one.shape[axis]
    turned = np.empty((total, *first.shape[1:]), _dtype_of(arrays, None))
    start = 0
    for one in arrays:
        part = np.swapaxes(one, 0, axis)
        if part.shape[1:] != first.shape[1:]:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match"
                " exactly"
            )
        turned[start : start + len(part)] = part
        start += len(part)
    return np.swapaxes(turned, 0, axis)


@body(np.stack, **OPTIONS)
def stacked(arrays: Arrays, axis=0):
    if len(arrays) == 0:
        raise ValueError("need at least one array to stack")
    for one in arrays:
        if one.shape != arrays[0].shape:
            raise ValueError("all input arrays must have the same shape")
    return np.moveaxis(_stacked(arrays, _dtype_of(arrays, None)), 0, axis)


@body(np.vstack, **OPTIONS)
def stacked_by_rows(tup: Arrays):
    if _axes_of(tup) == 2:
        return _stacked(tup, _dtype_of(tup, None))
    return np.concatenate(tup)


@body(np.hstack, **OPTIONS)
def stacked_by_columns(tup: Arrays):
    return np.concatenate(tup, 0 if _axes_of(tup) == 2 else 1)
