"""Arrays split into views: `array_split split hsplit vsplit dsplit unstack`, and `trim_zeros`.

NumPy returns a list of parts. Here they are a tuple, so their number must be known at compile time;
`unstack` returns an array with the axis in front, which is iterated like a tuple.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import layers_along
from cutaway.library.arrays.kit.shapes import inserted, removed, strided
from cutaway.library.arrays.kit.takes import (
    Constant,
    Elements,
    Integer,
    Numbers,
    SizesOrNone,
    as_tuple,
    numpy,
)
from cutaway.library.arrays.kit.typers import is_integral, is_shape, private, said
from cutaway.typing.types import Array

_MOST = 256  # largest number of parts in a tuple

# --- a part along an axis ---------------------------------------------------------------------


@private
def part_along(a, axis, start, stop):
    """A view of layers `start` to `stop` along an axis, as of a slice."""
    k = axis_of(a, axis)
    layers = layers_along(a, k)[start:stop]
    shape = inserted(removed(layers.shape, 0), k, layers.shape[0])
    return strided(layers, shape, inserted(removed(layers.strides, 0), k, layers.strides[0]))


@private
def _section_start(size, count, k):
    """The start of the k-th part; the first parts may be one element longer."""
    return k * (size // count) + min(k, size % count)


@static
def _is_front(axis: Any) -> bool:
    """True if an axis is known to be the first one."""
    return said(axis) == 0


@static
def _numbers(count: Any) -> tuple[int, ...]:
    return tuple(range(said(count))) if said(count) <= _MOST else ()


def _are_parts(parts: Any) -> bool:
    return is_integral(parts) or is_shape(parts) or isinstance(parts, Array)


HasAxes = Takes("an array with an axis or more", lambda a: isinstance(a, Array) and a.ndim > 0)
Parts = Takes("the number of parts, or a tuple of the places to cut at", _are_parts, by_value=True)


@static
def _require_known(parts: Any) -> None:
    if type(said(parts)) is not int or said(parts) > _MOST:
        raise TypingError(
            "the number of parts of an array must be known when compiling",
            hint=f"write the number, at most {_MOST}, or a tuple of the places to cut at",
        )


@private
def _sections(ary, numbers, size, axis, is_front):
    """Parts of equal size, the first ones of which may be one element longer."""
    found = ()
    for k in literal_unroll(numbers):
        start = _section_start(size, len(numbers), k)
        stop = _section_start(size, len(numbers), k + 1)
        found = (*found, ary[start:stop] if is_front else part_along(ary, axis, start, stop))
    return found


@private
def _between(ary, places, size, axis, is_front):
    """The parts between the positions in a tuple."""
    found, start = (), 0
    for stop in literal_unroll(places):
        found = (*found, ary[start:stop] if is_front else part_along(ary, axis, start, stop))
        start = stop
    return (*found, ary[start:size] if is_front else part_along(ary, axis, start, size))


def _register(function: Any, is_even: bool) -> None:
    """Register a function that splits into a number of parts, of equal size if `is_even`, or at the
    positions in a tuple."""

    @numpy(function)
    def split(ary: HasAxes, indices_or_sections: Parts, axis: Constant = 0):
        size = ary.shape[axis]
        if isinstance(indices_or_sections, tuple):
            return _between(ary, indices_or_sections, size, axis, _is_front(axis))
        _require_known(indices_or_sections)
        if indices_or_sections < 0 or (indices_or_sections == 0 and not is_even):
            raise ValueError("number sections must be larger than 0.")
        if indices_or_sections == 0:
            raise ZeroDivisionError("division by zero")
        if is_even and size % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        return _sections(ary, _numbers(indices_or_sections), size, axis, _is_front(axis))


_register(np.array_split, False)
_register(np.split, True)


def _register_along(function: Any, least: int, axis: int) -> None:
    """Register a function that splits arrays of `least` or more axes along one of them."""
    message = f"{function.__name__} only works on arrays of {least} or more dimensions"

    @numpy(function)
    def split_along(ary: Elements, indices_or_sections: Parts):
        if ary.ndim < least:
            raise ValueError(message)
        if ary.ndim == 1:
            return np.split(ary, indices_or_sections)
        return np.split(ary, indices_or_sections, axis)


_register_along(np.hsplit, 1, 1)
_register_along(np.vsplit, 2, 0)
_register_along(np.dsplit, 3, 2)


@numpy(np.unstack)
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
    """The index of the first nonzero layer, or the number of layers."""
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
    """True if zeros are trimmed at this end."""
    ends = said(trim).lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise TypingError(f"unexpected character(s) in `trim`: {ends!r}", hint="'fb', 'f' or 'b'")
    return end.value in ends


@numpy(np.trim_zeros)
def trim_zeros(filt: Numbers, trim: Ends = "fb", axis: SizesOrNone = None):
    """A view without zeros at the ends of axes."""
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
