"""`a.flat`: assignment to all elements, and selections by slices, positions or bools. Assignment to
the parts of complex arrays: `a.real = values`."""

from __future__ import annotations

import operator

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, static
from cutaway.library.arrays.kit.filling import are_values, converted_line, require_values
from cutaway.library.arrays.kit.takes import Elements, Numbers, NumbersOrTuple, Values
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    is_array,
    is_in_columns,
    is_integral,
    private,
)
from cutaway.library.core.messages import message_of
from cutaway.typing import types
from cutaway.typing.overloads.context import AttributeSetter
from cutaway.typing.types import Flat, Slice

# --- parts of a.flat --------------------------------------------------------------------------


def _is_part(index):
    """True for a slice, an array of integers, or a line of bools."""
    if isinstance(index, Slice):
        return True
    whole = is_array(index) and is_integral(index.dtype)
    return whole and (index.dtype is not types.boolean or index.ndim == 1)


AllElements = Takes("`a.flat` of an array", lambda argument: isinstance(argument, Flat))
Part = Takes("a slice, or an array of ints or bools", _is_part)


@static
def _dtype_in(f):
    return types.to_dtype(f.array.dtype)


@private
def _places_in(f, index):
    """The positions that an index selects among the elements, in the index's shape."""
    if not isinstance(index, np.ndarray):
        return np.arange(len(f))[index]
    if index.dtype != np.bool_:
        return index
    if len(index) not in (0, len(f)):  # an empty mask selects nothing from any array
        raise IndexError(
            f"boolean index did not match indexed flat iterator along axis 0; size of axis is"
            f" {len(f)} but size of corresponding boolean axis is {len(index)}"
        )
    return np.flatnonzero(index)


@body(operator.getitem, **OPTIONS)
def part(f: AllElements, index: Part):
    """The elements at the selected positions."""
    places = _places_in(f, index)
    out = np.empty(places.shape, _dtype_in(f))
    line, k = out.ravel(), 0
    for place in places.flat:
        line[k] = f[int(place)]
        k += 1
    return out


@static
def _require_elements(f, values):
    """Refuse values that cannot be stored in the iterated array."""
    if not are_values(f.array, values):
        raise TypingError(f"{values} cannot be stored in {f}", hint="convert the values first")


@body(operator.setitem, **OPTIONS)
def assign(f: AllElements, index: Part, value: Values):
    """Store values at positions, repeating them from the first if they are fewer."""
    _require_elements(f, value)
    places, values = _places_in(f, index), converted_line(value, np.empty(0, _dtype_in(f)))
    count, n = len(values), 0
    if count == 0:
        return
    for place in places.flat:
        f[int(place)] = values[n]
        n = n + 1 if n + 1 < count else 0


# --- a.flat = values --------------------------------------------------------------------------


@body(AttributeSetter("flat"), **OPTIONS)
def assign_whole(a: Elements, value: NumbersOrTuple):
    """Store values in all elements, repeating them from the first if they are fewer."""
    if isinstance(value, (tuple, list)):
        a.flat = np.array(value, a.dtype)
        return
    require_values(a, value)
    line = converted_line(value, a)
    if not isinstance(value, np.ndarray):
        a[...] = line[0]
    # Values that lie in another order than a Fortran array are copied first, as NumPy does; else a
    # part of `a` would change while it is read.
    elif (value.dtype != a.dtype or is_in_columns(a)) and len(line) == a.size:
        a[...] = line.reshape(a.shape)
    else:
        _repeat(a, line)


@private
def _repeat(a, line):
    """Store a line of values in C order, repeating them from the first if they are fewer."""
    count, n = len(line), 0
    for k in range(a.size if count else 0):
        a.flat[k] = line[n]
        n = n + 1 if n + 1 < count else 0


# --- parts of complex arrays ------------------------------------------------------------------

# NumPy's message, which differs between versions.
_NO_IMAGINARY = message_of(lambda: setattr(np.zeros(1), "imag", 0))


@body(AttributeSetter("real"), **OPTIONS)
def assign_real(a: Numbers, value):
    """Store values in the real parts; for real numbers these are the array itself."""
    part = a.real
    part[...] = value


@body(AttributeSetter("imag"), **OPTIONS)
def assign_imag(a: Numbers, value):
    """Store values in the imaginary parts."""
    if a.dtype.kind != "c":
        raise TypeError(_NO_IMAGINARY)
    part = a.imag
    part[...] = value
