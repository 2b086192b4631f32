"""Assignments at positions and under masks: `put place putmask copyto` and others."""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import refuse, static
from cutaway.library.arrays.indexing.taking import (
    NO_LINE,
    OTHER_AXES,
    placed,
    require_mode,
    shape_of_lines,
)
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, require_safe_places
from cutaway.library.arrays.kit.filling import (
    apart,
    converted_line,
    require_values,
)
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.places import checked_place
from cutaway.library.arrays.kit.shapes import is_in_order, replaced, require, spread, strided
from cutaway.library.arrays.kit.takes import (
    Elements,
    Indices,
    IntegerOrNone,
    Mask,
    Mode,
    Numbers,
    Places,
    Values,
    Word,
    numpy,
)
from cutaway.library.arrays.kit.typers import element, is_everywhere, private, said
from cutaway.typing.types import Array
from cutaway.typing.ufuncs import is_python_number

# --- values -----------------------------------------------------------------------------------


@private
def held(values):
    """The values, with a float made an array of one, so that it converts as array elements do."""
    if not isinstance(values, np.ndarray) and element_dtype(values).kind == "f":
        return np.full(1, values)
    return values


# --- positions --------------------------------------------------------------------------------


@numpy(np.put, "put")
def put(a: Numbers, ind: Places, v: Values, mode: Mode = "raise"):
    """Store values at positions, repeating them from the first if they are fewer."""
    require_values(a, v)
    require_safe_places(ind)
    require_mode(mode)
    places, size = apart(converted_line(ind, np.empty(0, np.int64)), a), a.size
    if size == 0 and len(places):
        raise IndexError("cannot replace elements of an empty array")
    values = apart(converted_line(v, a), a)
    count = len(values)
    if count == 0 or len(places) == 0:
        return
    if mode == "raise" and not is_in_order(a.shape, a.strides, a.itemsize):
        for k in places:  # NumPy writes to a copy, which is lost
            checked_place(k, size, 0)
    for n in range(len(places)):
        place = checked_place(placed(places[n], size, mode), size, 0)
        a.flat[place] = values[n % count]


@numpy(np.put_along_axis)
def put_along_axis(arr: Numbers, indices: Indices, values: Values, axis: IntegerOrNone):
    """Store values at indices; each line along an axis has its own indices."""
    require_values(arr, values)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(NO_LINE)
        line = arr.ravel()
        line[indices] = values
        arr[...] = line.reshape(arr.shape)
        return
    k = axis_of(arr, axis)
    if arr.ndim != indices.ndim:
        raise ValueError(OTHER_AXES)
    shape = shape_of_lines(arr, indices, k)
    places_shape = replaced(shape, k, indices.shape[k])
    given = np.empty(places_shape, arr.dtype)
    given[...] = values
    target = lines_along(_stretched(arr, replaced(shape, k, arr.shape[k])), k)
    places, lines = lines_along(spread(indices, places_shape), k), lines_along(given, k)
    for n in range(line_count(places)):
        for place in line_at(places, n):
            checked_place(place, target.shape[-1], k)
    for n in range(line_count(places)):
        _put_line(line_at(target, n), line_at(places, n), line_at(lines, n), k)


@private
def _stretched(a, shape):
    """A writable view of a shape, with axes of length one repeated."""
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


@private
def _require_safe(a, values):
    require_values(a, values)
    if isinstance(values, np.ndarray):
        _require_cast(a, values, "safe")


@numpy(np.place)
def place(arr: Elements, mask: Numbers, vals: Values):
    """Store consecutive values where a mask is true."""
    _require_safe(arr, vals)
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


@numpy(np.putmask)
def putmask(a: Elements, mask: Numbers, values: Values):
    """Store each value whose position in the mask is true."""
    _require_safe(a, values)
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


@numpy(np.copyto)
def copyto(dst: Elements, src: Values, casting: Word = "same_kind", where: Mask = True):
    """Store values in an array, or where a mask is true."""
    require_values(dst, src)
    _require_cast(dst, src, casting)
    if where is None:
        refuse("a mask is an array of bools, or a bool", "leave out `where`")
    if is_everywhere(where):
        dst[...] = held(src)
    elif isinstance(where, np.ndarray):
        if where.dtype != np.bool_ or where.ndim > dst.ndim:
            refuse("a mask is of bools, and has no more dimensions than the array")
        given, mask = np.empty(dst.shape, dst.dtype), np.empty(dst.shape, np.bool_)
        given[...] = held(src)
        require(_fits_into(where.shape, dst.shape), _WRONG_MASK, (where.shape, dst.shape))
        mask[...] = where
        dst[mask] = given[mask]
    elif where:
        dst[...] = held(src)


_WRONG_MASK = "could not broadcast where mask from shape {} into shape {}"


@private
def _fits_into(shape, whole):
    """True if a mask's shape can be broadcast to a shape with as many axes or more."""
    missing = len(whole) - len(shape)
    for k in range(len(shape)):
        if shape[k] != 1 and shape[k] != whole[missing + k]:
            return False
    return True


# The kinds of Python numbers that arrays of each kind accept, if the values fit.
_FITTING = {"i": "i", "u": "i", "f": "if", "c": "ifc", "b": "", "m": "", "M": ""}


@static
def _require_cast(a, values, casting):
    """Refuse a conversion, in NumPy's words, that a casting rule forbids."""
    rule = said(casting)
    if not isinstance(rule, str):
        raise TypingError("`casting` must be known when compiling", hint="write the rule")
    wanted, given = element_dtype(a), element_dtype(values)
    is_own = is_python_number(element(values)) and not isinstance(values, Array)
    if not np.can_cast(given, wanted, rule) and not (
        is_own and given.kind in _FITTING[wanted.kind]
    ):
        raise TypingError(
            f"Cannot cast array data from {given!r} to {wanted!r} according to the rule {rule!r}",
            hint="np.copyto(..., casting='unsafe') converts all",
        )
