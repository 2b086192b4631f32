"""Positions of elements: `searchsorted digitize nonzero flatnonzero argwhere count_nonzero`."""

from __future__ import annotations

import numpy as np

from cutaway.extending.bodies import refuse
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing import gathering
from cutaway.library.arrays.kit.dtypes import joint_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.lines import line_at, lines_along
from cutaway.library.arrays.kit.places import (
    count_true,
    next_from_left,
    next_from_right,
    place_from_left,
    place_from_right,
)
from cutaway.library.arrays.kit.reducing import reduces
from cutaway.library.arrays.kit.takes import (
    Axes,
    Flag,
    Numbers,
    Operands,
    Output,
    RealLine,
    Reals,
    Truth,
    Word,
    numpy,
)
from cutaway.library.arrays.kit.typers import private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple

ZERO, ONE = np.uint64(0), np.uint64(1)  # for positions, which are never negative

# --- sorted arrays ----------------------------------------------------------------------------


@private
def _require_side(side):
    if side != "left" and side != "l" and side != "right" and side != "r":
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")


@private
def _by_places(a, sorter):
    """The elements of a line in the order of the positions in `sorter`."""
    if len(sorter) != len(a):
        raise ValueError("sorter.size must equal a.size")
    for k in sorter:
        if k < 0 or k >= len(a):
            raise ValueError("Sorter index out of range.")
    return np.take(a, sorter)


@numpy(np.searchsorted, "searchsorted")
def searchsorted(a: RealLine, v: Reals, side: Word = "left", sorter: Output = None):
    """The insertion positions of elements in a sorted line."""
    if sorter is not None:
        if sorter.ndim != 1 or sorter.dtype.kind not in "biu":
            refuse("a sorter is a line of ints")
        return np.searchsorted(_by_places(a, sorter), v, side)
    _require_side(side)
    cast = joint_dtype(a, v).type
    right = side == "right" or side == "r"
    if not isinstance(v, np.ndarray) or v.ndim == 0:
        x = cast(single(v))
        return place_from_right(a, x, cast) if right else place_from_left(a, x, cast)
    out = np.empty(v.shape, np.int64)
    line = out.ravel()
    k, last = 0, 0
    if right:
        for x in v.flat:
            last = next_from_right(a, cast(x), cast, last)
            line[k] = last
            k += 1
    else:
        for x in v.flat:
            last = next_from_left(a, cast(x), cast, last)
            line[k] = last
            k += 1
    return out


@private
def _direction(bins):
    """1 for ascending numbers, -1 for descending ones, 0 for neither."""
    k, last = 0, len(bins) - 1
    while k < last and bins[k] == bins[k + 1]:
        k += 1
    if k >= last:
        return 1
    rising = bins[k] < bins[k + 1]
    for n in range(k, last):
        if (bins[n] > bins[n + 1]) if rising else (bins[n] < bins[n + 1]):
            return 0
    return 1 if rising else -1


@private
def _between(bins, x, right):
    return np.searchsorted(bins, x, "left") if right else np.searchsorted(bins, x, "right")


@numpy(np.digitize)
def digitize(x: Reals, bins: RealLine, right: Truth = False):
    """The index of the bin that each element belongs to."""
    direction = _direction(bins)
    if direction == 0:
        raise ValueError("bins must be monotonically increasing or decreasing")
    if direction > 0:
        return _between(bins, x, right)
    places = _between(bins[::-1], x, right)
    if isinstance(places, np.ndarray):
        places *= -1
        places += len(bins)
        return places
    return len(bins) - places


# --- nonzero elements -------------------------------------------------------------------------


reduces("count_nonzero", np.count_nonzero, is_method=False)


@numpy(np.count_nonzero)
def count_nonzero(a: Operands, axis: Axes = None, *, keepdims: Flag = False):
    """The number of nonzero elements."""
    if not isinstance(a, np.ndarray):
        if axis is not None or keepdims:
            refuse("a number has no axes", "leave out `axis` and `keepdims`")
        return int(bool(a))
    if keepdims or isinstance(axis, tuple):
        if a.ndim == 0:
            refuse("an array of one element has no axes", "leave out `axis` and `keepdims`")
        return np.sum(a != 0, axis, keepdims=keepdims)
    if axis is None:
        return count_true(a)
    lines = lines_along(a if a.ndim else a.reshape(1), axis)  # NumPy treats it as a line
    if lines.ndim == 1:
        return count_true(lines)
    out = np.empty(lines.shape[:-1], np.int64)
    for k in range(out.size):
        out.flat[k] = count_true(line_at(lines, k))
    return out


def places_of_true(a):
    """The indices where a mask is true, an array per axis."""
    return np.nonzero(a)


def _places_rule(arguments: Arguments) -> Signature | None:
    (ty,) = arguments.types
    if not isinstance(ty, Array) or ty.dtype is not types.boolean or ty.ndim == 0:
        return None
    return Signature(Tuple((Array(types.int64, 1, "C"),) * ty.ndim), (ty,))


@primitive(places_of_true, _places_rule)
def find_places(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit two runtime passes over the mask: the first one counts."""
    return make_tuple(gathering.true_places(build, args[0]))


@numpy(np.flatnonzero)
def flatnonzero(a: Numbers):
    """The flat indices of nonzero elements."""
    if a.dtype == np.bool_ and a.ndim > 0:
        return places_of_true(a.ravel())[0]
    out = np.empty(count_true(a), np.int64)
    _place_true(out, a.ravel())
    return out


@private
def _place_true(out, line):
    """Store every index, and overwrite it by the next if the element is zero: this needs no branch
    that depends on the data."""
    n, k = ZERO, ZERO
    count = np.uint64(len(out))
    while n < count:
        out[n] = k
        n += np.uint64(bool(line[k]))
        k += ONE


@private
def _split_places(places, size):
    """The indices along the last axis; `places` becomes the flat indices of the other axes."""
    last = np.empty(len(places), np.int64)
    for k in range(len(places)):
        last[k] = places[k] % size
        places[k] //= size
    return last


@private
def _split(places, shape):
    """Flat indices as one index array per axis."""
    if len(shape) == 1:
        return (places,)
    last = _split_places(places, shape[-1])
    return _split(places, shape[:-1]) + (last,)  # noqa: RUF005  a list cannot be typed


@numpy(np.nonzero, "nonzero")
def nonzero(a: Numbers):
    """The indices of nonzero elements, an array per axis."""
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero()"
            " instead."
        )
    if a.dtype == np.bool_:
        return places_of_true(a)
    return _split(np.flatnonzero(a), a.shape)


@numpy(np.argwhere)
def argwhere(a: Numbers):
    """The indices of nonzero elements, a row for each."""
    if a.ndim == 0:
        refuse("an array of one element has no places", "use np.atleast_1d(a)")
    places = np.flatnonzero(a)
    out = np.empty((len(places), a.ndim), np.int64, "F")  # in NumPy's memory order
    for n in range(len(places)):
        place = places[n]
        for axis in range(a.ndim - 1, -1, -1):
            out[n, axis] = place % a.shape[axis]
            place //= a.shape[axis]
    return out
