"""Arrays cut into views: `array_split split hsplit vsplit dsplit unstack`, and `trim_zeros`.

NumPy gives a list of parts.  Here they are a tuple, so their number has to be known when compiling;
`unstack` gives an array with the axis in front, which is gone through as a tuple is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit import takes
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import layers_along
from cutaway.library.arrays.kit.shapes import inserted, removed, strided
from cutaway.library.arrays.kit.takes import Elements, Integer, Numbers, SizesOrNone, as_tuple
from cutaway.library.arrays.kit.typers import (
    is_integral,
    is_integral_or_default,
    is_shape,
    numpy,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

_MOST = 256  # parts that a tuple is made of

# --- a part along an axis ---------------------------------------------------------------------


@private
def part_along(a, axis, start, stop):
    """A view of the layers from one place up to another along an axis, as of a slice."""
    k = axis_of(a, axis)
    layers = layers_along(a, k)[start:stop]
    shape = inserted(removed(layers.shape, 0), k, layers.shape[0])
    return strided(layers, shape, inserted(removed(layers.strides, 0), k, layers.strides[0]))


@private
def _section_start(size, count, k):
    """Where the k-th of some parts begins; the first parts may have one element more."""
    return k * (size // count) + min(k, size % count)


def _is_front(axis: Any) -> bool:
    """True if an axis is known to be the first."""
    first = isinstance(axis, types.Literal) and axis.literal_value == 0
    return axis == 0 or first or isinstance(axis, types.Omitted)


def _cutter(axis: Any) -> Any:
    """The function that gives a part: a plain slice along the first axis."""
    if _is_front(axis):
        return private(lambda a, axis, start, stop: a[start:stop])
    return part_along


# --- a number of parts ------------------------------------------------------------------------


def _in_sections(count: int, axis: Any, even: bool) -> Any:
    """The implementation that gives so many parts, all of one size where `even`."""
    numbers, cut = tuple(range(count)), _cutter(axis)

    def split(ary, indices_or_sections, axis=0):
        size = ary.shape[axis]
        if even and size % count:
            raise ValueError("array split does not result in an equal division")
        parts = ()
        for k in literal_unroll(numbers):
            start, stop = _section_start(size, count, k), _section_start(size, count, k + 1)
            parts = parts + (cut(ary, axis, start, stop),)  # noqa: RUF005  a list cannot be typed
        return parts

    return split


def _at_places(count: int, axis: Any) -> Any:
    """The implementation that cuts at the places in a tuple."""
    numbers, cut = tuple(range(count)), _cutter(axis)

    def split(ary, indices_or_sections, axis=0):
        size = ary.shape[axis]
        parts, start = (), 0
        for k in literal_unroll(numbers):
            stop = indices_or_sections[k]
            parts = parts + (cut(ary, axis, start, stop),)  # noqa: RUF005
            start = stop
        return parts + (cut(ary, axis, start, size),)  # noqa: RUF005

    return split


def _raising(error: type[Exception], message: str) -> Any:
    def split(ary, indices_or_sections, axis=0):
        if ary.shape[axis] >= 0:  # an axis that is not there is the first error
            raise error(message)
        return ()

    return split


def _split_of(ary: Any, places: Any, axis: Any, even: bool) -> Any:
    if not isinstance(ary, Array) or not ary.ndim or not is_integral_or_default(axis):
        return None
    if is_shape(places) and isinstance(places, Tuple):
        return _at_places(len(places.items), axis)
    if isinstance(places, types.Literal) and is_integral(places):
        count = int(places.literal_value)
        if count < 0 or (count == 0 and not even):
            return _raising(ValueError, "number sections must be larger than 0.")
        if count == 0:
            return _raising(ZeroDivisionError, "division by zero")
        if count <= _MOST:
            return _in_sections(count, axis, even)
    if is_integral(places) or isinstance(places, Array):
        raise TypingError(
            "the number of parts of an array must be known when compiling",
            hint=f"write the number, at most {_MOST}, or a tuple of the places to cut at",
        )
    return None


@numpy(np.array_split, by_value=True)
def _array_split(ary, indices_or_sections, axis=0):
    return _split_of(ary, indices_or_sections, axis, even=False)


@numpy(np.split, by_value=True)
def _split(ary, indices_or_sections, axis=0):
    return _split_of(ary, indices_or_sections, axis, even=True)


def _along(function: Any, least: int) -> None:
    """Register a function that splits along the last of so many axes."""
    message = f"{function.__name__} only works on arrays of {least} or more dimensions"

    @numpy(function, by_value=True)
    def split_along(ary, indices_or_sections):
        def misfit(ary, indices_or_sections):
            raise ValueError(message)

        if not isinstance(ary, Array):
            return None
        if ary.ndim < least:
            return misfit
        axis = 0 if least == 1 and ary.ndim == 1 else max(least, 2) - 1 if least != 2 else 0
        found = _split_of(ary, indices_or_sections, 0 if axis == 0 else types.int64, even=True)
        if found is None:
            return None
        split = private(found)
        return lambda ary, indices_or_sections: split(ary, indices_or_sections, axis)


_along(np.hsplit, 1)
_along(np.vsplit, 2)
_along(np.dsplit, 3)


@takes.numpy(np.unstack)
def unstack(x: Elements, /, *, axis: Integer = 0):
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return layers_along(x, axis)


# --- zeros at the ends ------------------------------------------------------------------------


@private
def _is_zero(a):
    """True if all elements are zero."""
    for x in a.flat:  # noqa: SIM110  loops are the point
        if x:
            return False
    return True


@private
def _first_layer(a):
    """The place of the first layer that is not zero, or the number of layers."""
    k = 0
    while k < len(a) and _is_zero(a[k : k + 1]):
        k += 1
    return k


@private
def _trimmed(a, axis, front, back):
    """A view without layers of zeros at the ends of an axis."""
    layers = layers_along(a, axis)
    size = len(layers)
    start = _first_layer(layers)
    if start == size:
        return part_along(a, axis, 0, 0)
    stop = size - _first_layer(layers[::-1]) if back else size
    return part_along(a, axis, start if front else 0, stop)


Ends = Takes("'fb', 'f' or 'b'", lambda trim: isinstance(said(trim), str))


@static
def _is_trimmed(trim: Any, end: Any) -> bool:
    """True if zeros are trimmed at an end."""
    ends = said(trim).lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise TypingError(f"unexpected character(s) in `trim`: {ends!r}", hint="'fb', 'f' or 'b'")
    return end.value in ends


@takes.numpy(np.trim_zeros)
def trim_zeros(filt: Numbers, trim: Ends = "fb", axis: SizesOrNone = None):
    """A view without the zeros at the ends of axes."""
    if filt.ndim == 0:
        refuse("an array without axes has no ends")
    front, back = _is_trimmed(trim, "f"), _is_trimmed(trim, "b")
    out = part_along(filt, 0, 0, filt.shape[0])
    if axis is None:
        for k in range(filt.ndim):
            out = _trimmed(out, k, front, back)
        return out
    for one in as_tuple(axis):
        out = _trimmed(out, axis_of(filt, one, "axis"), front, back)
    return out
