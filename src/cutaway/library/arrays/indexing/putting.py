"""Elements stored at positions, and where masks are true: `put place putmask copyto` and others."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.indexing.taking import is_mode, placed, require_mode, wrong_axes
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import require_safe_places
from cutaway.library.arrays.kit.filling import apart, are_values, converted_line, lies_in_a_line
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.places import checked_place
from cutaway.library.arrays.kit.shapes import (
    is_merged,
    merged,
    replaced,
    require,
    spread,
    strided,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    element,
    is_array,
    is_integral,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Integer
from cutaway.typing.ufuncs import is_python_number

# --- values -----------------------------------------------------------------------------------


def held(values):
    """Values that are converted as those of arrays are: a float in an array of one."""
    return np.full(1, values) if isinstance(values, float) else values


@overload(held, jit_options=OPTIONS)
def _held(values):
    if isinstance(values, types.Float):
        return lambda values: np.full(1, values)
    return lambda values: values


# --- positions --------------------------------------------------------------------------------


@numpy(np.put, "put")
def _put(a, ind, v, mode="raise"):
    indices = is_integral(ind) or (is_array(ind) and is_integral(ind.dtype))
    if not are_values(a, v) or not indices or not is_mode(mode):
        return None
    require_safe_places(ind)

    def put(a, ind, v, mode="raise"):
        require_mode(mode)
        places, size = apart(converted_line(ind, np.empty(0, np.int64)), a), a.size
        if size == 0 and len(places):
            raise IndexError("cannot replace elements of an empty array")
        values = apart(converted_line(v, a), a)
        count = len(values)
        if count == 0 or len(places) == 0:
            return
        if mode == "raise" and not lies_in_a_line(a):
            for k in places:  # NumPy writes to a copy, which is lost
                checked_place(k, size, 0)
        for n in range(len(places)):
            place = checked_place(placed(places[n], size, mode), size, 0)
            a.flat[place] = values[n % count]

    return put


@numpy(np.put_along_axis)
def _put_along_axis(arr, indices, values, axis):
    fits = are_values(arr, values) and is_array(arr) and is_array(indices)
    if not fits or not isinstance(indices.dtype, Integer):
        return None
    dtype = types.to_dtype(arr.dtype)
    wrong = wrong_axes(arr, indices, axis)
    if wrong:
        return _refuse_lines(wrong)
    if left_out(axis):

        def of_all(arr, indices, values, axis):
            line = arr.ravel()
            line[indices] = values
            arr[...] = line.reshape(arr.shape)

        return of_all

    def of_lines(arr, indices, values, axis):
        k = axis_of(arr, axis)
        shape = merged(replaced(arr.shape, k, 1), replaced(indices.shape, k, 1))
        if not is_merged(shape):
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together")
        places_shape = replaced(shape, k, indices.shape[k])
        given = np.empty(places_shape, dtype)
        given[...] = values
        target = lines_along(_stretched(arr, replaced(shape, k, arr.shape[k])), k)
        places, lines = lines_along(spread(indices, places_shape), k), lines_along(given, k)
        for n in range(line_count(places)):
            for place in line_at(places, n):
                checked_place(place, target.shape[-1], k)
        for n in range(line_count(places)):
            _put_line(line_at(target, n), line_at(places, n), line_at(lines, n), k)

    return of_lines


def _refuse_lines(wrong):
    def refuse(arr, indices, values, axis):
        raise ValueError(wrong)

    return refuse


@private
def _stretched(a, shape):
    """A view of a shape that can be written to, with axes of length one repeated."""
    strides = a.strides
    for k in range(a.ndim):
        if a.shape[k] == 1 and shape[k] != 1:
            strides = replaced(strides, k, 0)
    return strided(a, shape, strides)


@private
def _put_line(line, places, values, axis):
    for k in range(len(places)):
        line[checked_place(places[k], len(line), axis)] = values[k]


# --- masks ------------------------------------------------------------------------------------


@numpy(np.place)
def _place(arr, mask, vals):
    if not are_values(arr, vals) or not is_array(mask):
        return None
    if isinstance(vals, Array) and not _check_cast(arr, vals, "safe"):
        return None

    def place(arr, mask, vals):
        if mask.size != arr.size:
            raise ValueError("place: mask and data must be the same size")
        values, chosen = apart(converted_line(vals, arr), arr), apart(mask.ravel(), arr)
        count, n = len(values), 0
        if count == 0 and chosen.any():
            raise ValueError("Cannot insert from an empty array!")
        for k in range(len(chosen)):
            if chosen[k]:
                arr.flat[k] = values[n]
                n = n + 1 if n + 1 < count else 0

    return place


@numpy(np.putmask)
def _putmask(a, mask, values):
    if not are_values(a, values) or not is_array(mask):
        return None
    if isinstance(values, Array) and not _check_cast(a, values, "safe"):
        return None

    def putmask(a, mask, values):
        if mask.size != a.size:
            raise ValueError("putmask: mask and data must be the same size")
        given, chosen = apart(converted_line(values, a), a), apart(mask.ravel(), a)
        count, n = len(given), 0
        if count == 0:
            return
        for k in range(len(chosen)):
            if chosen[k]:
                a.flat[k] = given[n]
            n = n + 1 if n + 1 < count else 0

    return putmask


@numpy(np.copyto)
def _copyto(dst, src, casting="same_kind", where=True):
    if not are_values(dst, src):
        return None
    if not _check_cast(dst, src, casting):
        return None
    if where is True or (isinstance(where, types.Omitted) and where.value is True):
        return _copy_all
    dtype = types.to_dtype(dst.dtype)
    if is_array(where) and where.dtype is types.boolean and where.ndim <= dst.ndim:

        def where_true(dst, src, casting="same_kind", where=True):
            given = np.empty(dst.shape, dtype)
            given[...] = held(src)
            mask = np.empty(dst.shape, np.bool_)
            require(_fits_into(where.shape, dst.shape), _WRONG_MASK, (where.shape, dst.shape))
            mask[...] = where
            dst[mask] = given[mask]

        return where_true
    if isinstance(where, types.Boolean):

        def if_true(dst, src, casting="same_kind", where=True):
            if where:
                dst[...] = held(src)

        return if_true
    return None


_WRONG_MASK = "could not broadcast where mask from shape {} into shape {}"


@private
def _fits_into(shape, whole):
    """True if a mask of a shape can be repeated to another with as many axes or more."""
    missing = len(whole) - len(shape)
    for k in range(len(shape)):
        if shape[k] != 1 and shape[k] != whole[missing + k]:
            return False
    return True


# The kinds of numbers of Python's that arrays of a kind take, if they fit.
_FITTING = {"i": "i", "u": "i", "f": "if", "c": "ifc", "b": "", "m": "", "M": ""}


def _copy_all(dst, src, casting="same_kind", where=True):
    dst[...] = held(src)


def _check_cast(dst: Array, src: Any, casting: Any) -> bool:
    """True if NumPy lets elements be converted so; raises TypingError, in its words, if not."""
    rule = casting.value if isinstance(casting, types.String | types.Omitted) else casting
    if not isinstance(rule, str):
        return False
    wanted, given = types.to_dtype(dst.dtype), types.to_dtype(element(src))
    is_own = is_python_number(element(src)) and not isinstance(src, Array)
    if np.can_cast(given, wanted, rule) or (is_own and given.kind in _FITTING[wanted.kind]):
        return True
    raise TypingError(
        f"Cannot cast array data from {given!r} to {wanted!r} according to the rule {rule!r}",
        hint="np.copyto(..., casting='unsafe') converts all",
    )
