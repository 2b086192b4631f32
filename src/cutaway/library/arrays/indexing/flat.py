"""`a.flat`: assigned as a whole, and its parts read and assigned by slices and by arrays of
positions or bools."""

from __future__ import annotations

import operator

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.filling import are_values, converted_line
from cutaway.library.arrays.kit.typers import OPTIONS, is_array, is_integral, is_number, private
from cutaway.typing import types
from cutaway.typing.overloads.context import AttributeSetter
from cutaway.typing.types import Array, Flat, Integer, Slice, Tuple


def places_in(f, index):
    """The positions that an index chooses among the elements, in its shape."""
    return index if index.dtype != np.bool_ else np.flatnonzero(index)


@overload(places_in, jit_options=OPTIONS)
def _places_in(f, index):
    if isinstance(index, Slice):
        return lambda f, index: np.arange(len(f))[index]
    if index.dtype is types.boolean:
        return _true_places
    return lambda f, index: index


def _true_places(f, index):
    if len(index) not in (0, len(f)):  # none chooses nothing, whatever there is
        raise IndexError(
            f"boolean index did not match indexed flat iterator along axis 0; size of axis is"
            f" {len(f)} but size of corresponding boolean axis is {len(index)}"
        )
    return np.flatnonzero(index)


def _is_part(f, index):
    """True for a slice, an array of integers, and a line of bools."""
    if not isinstance(f, Flat):
        return False
    if isinstance(index, Slice):
        return True
    if not is_array(index) or not is_integral(index.dtype):
        return False
    return isinstance(index.dtype, Integer) or index.ndim == 1


@overload(operator.getitem, jit_options=OPTIONS)
def _part(f, index):
    if not _is_part(f, index):
        return None
    dtype = types.to_dtype(f.array.dtype)

    def part(f, index):
        places = places_in(f, index)
        out = np.empty(places.shape, dtype)
        line, k = out.ravel(), 0
        for place in places.flat:
            line[k] = f[int(place)]
            k += 1
        return out

    return part


@private
def _store(f, places, values):
    """Store values at positions, again from the first where there are fewer."""
    count, n = len(values), 0
    if count == 0:
        return
    for place in places.flat:
        f[int(place)] = values[n]
        n = n + 1 if n + 1 < count else 0


@overload(operator.setitem, jit_options=OPTIONS)
def _assign(f, index, value):
    if not _is_part(f, index) or not are_values(f.array, value):
        return None
    dtype = types.to_dtype(f.array.dtype)

    def assign(f, index, value):
        _store(f, places_in(f, index), converted_line(value, np.empty(0, dtype)))

    return assign


# --- a.flat = values --------------------------------------------------------------------------


@overload(AttributeSetter("flat"), jit_options=OPTIONS)
def _assign_whole(a, value):
    if not isinstance(a, Array):
        return None
    dtype = types.to_dtype(a.dtype)
    if isinstance(value, Tuple) and value.items and all(map(is_number, value.items)):

        def of_items(a, value):
            a.flat = np.array(value, dtype)

        return of_items
    if not are_values(a, value):
        return None

    def of_number(a, value):
        a[...] = converted_line(value, a)[0]

    def of_others(a, value):
        line = converted_line(value, a)
        if len(line) == a.size:
            a[...] = line.reshape(a.shape)
        else:
            _repeat(a, line)

    def in_order(a, value):
        _repeat(a, converted_line(value, a))  # a part of `a` changes while it is read

    if not isinstance(value, Array):
        return of_number
    # NumPy copies values first that lie in another order than an array in Fortran's.
    return in_order if value.dtype is a.dtype and a.layout != "F" else of_others


@private
def _repeat(a, line):
    """Store a line of values in C order, again from the first where there are fewer."""
    count, n = len(line), 0
    for k in range(a.size if count else 0):
        a.flat[k] = line[n]
        n = n + 1 if n + 1 < count else 0
