"""Positions of elements: `searchsorted digitize nonzero flatnonzero argwhere count_nonzero`."""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing import gathering
from cutaway.library.arrays.kit.dtypes import joint
from cutaway.library.arrays.kit.elements import result_is_number, single
from cutaway.library.arrays.kit.lines import line_at, lines_along
from cutaway.library.arrays.kit.places import (
    count_true,
    next_from_left,
    next_from_right,
    place_from_left,
    place_from_right,
)
from cutaway.library.arrays.kit.reducing import reduces
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    has_real_elements,
    is_array,
    is_integral,
    is_left_out_or,
    is_number,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple

ZERO, ONE = np.uint64(0), np.uint64(1)  # of places that cannot be negative

# --- in sorted arrays -------------------------------------------------------------------------


def _is_side(side):
    return isinstance(side, str | types.String | types.Choice | types.Str | types.Omitted)


@private
def _is_right(side):
    if side == "left" or side == "l":
        return False
    if side == "right" or side == "r":
        return True
    raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")


@numpy(np.searchsorted, "searchsorted")
def _searchsorted(a, v, side="left"):
    if not is_array(a) or a.ndim != 1 or not has_real_elements(a, v) or not _is_side(side):
        return None
    cast = joint(a, v).type

    def of_number(a, v, side="left"):
        if _is_right(side):
            return place_from_right(a, cast(single(v)), cast)
        return place_from_left(a, cast(single(v)), cast)

    def of_array(a, v, side="left"):
        out = np.empty(v.shape, np.int64)
        line = out.ravel()
        k, last = 0, 0
        if _is_right(side):
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

    return of_number if result_is_number(v) else of_array


@numpy(np.searchsorted, "searchsorted")
def _searchsorted_by(a, v, side="left", sorter=None):
    if not is_array(a) or a.ndim != 1 or not has_real_elements(a, v) or not _is_side(side):
        return None
    if left_out(sorter):
        return lambda a, v, side="left", sorter=None: np.searchsorted(a, v, side)
    if not is_array(sorter) or sorter.ndim != 1 or not types.is_integral(sorter.dtype):
        return None

    def by_places(a, v, side="left", sorter=None):
        if len(sorter) != len(a):
            raise ValueError("sorter.size must equal a.size")
        for k in sorter:
            if k < 0 or k >= len(a):
                raise ValueError("Sorter index out of range.")
        return np.searchsorted(np.take(a, sorter), v, side)

    return by_places


@private
def _direction(bins):
    """1 where numbers rise or stay, -1 where they fall, 0 for neither."""
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


@numpy(np.digitize)
def _digitize(x, bins, right=False):
    if not is_array(bins) or bins.ndim != 1 or not has_real_elements(x, bins):
        return None
    if not is_left_out_or(types.is_integral, right):
        return None

    @private
    def place(bins, x, right):
        return np.searchsorted(bins, x, "left") if right else np.searchsorted(bins, x, "right")

    def rising(x, bins, right=False):
        direction = _direction(bins)
        if direction == 0:
            raise ValueError("bins must be monotonically increasing or decreasing")
        if direction > 0:
            return place(bins, x, right)
        return _from_end(len(bins), place(bins[::-1], x, right))

    return rising


def _from_end(count, places):
    return count - places


@overload(_from_end, jit_options=OPTIONS)
def _from_end_typer(count, places):
    def of_array(count, places):
        places *= -1
        places += count
        return places

    return of_array if isinstance(places, Array) else (lambda count, places: count - places)


# --- what is not zero -------------------------------------------------------------------------


reduces("count_nonzero", np.count_nonzero, is_method=False)


@numpy(np.count_nonzero)
def _count_nonzero(a, axis=None):
    if is_number(a) and left_out(axis):
        return lambda a, axis=None: int(bool(a))
    if not is_array(a) or not is_left_out_or(types.is_integral, axis):
        return None

    if a.ndim == 0 and not left_out(axis):  # NumPy takes it for a line
        return lambda a, axis=None: np.count_nonzero(a.reshape(1), axis)

    def of_all(a, axis=None):
        return count_true(a)

    def of_lines(a, axis=None):
        lines = lines_along(a, axis)
        out = np.empty(lines.shape[:-1], np.int64)
        for k in range(out.size):
            out.flat[k] = count_true(line_at(lines, k))
        return out

    if left_out(axis):
        return of_all
    return of_lines if a.ndim > 1 else (lambda a, axis=None: count_true(lines_along(a, axis)))


@numpy(np.count_nonzero)
def _count_keeping_axis(a, axis=None, *, keepdims=False):
    if not is_array(a) or not a.ndim or flag(keepdims) is None:
        return None
    several = is_shape(axis) and len(axis.items) > 0
    if flag(keepdims) and (several or is_integral(axis)):
        return lambda a, axis=None, *, keepdims=False: np.sum(a != 0, axis, keepdims=True)
    return (lambda a, axis=None, *, keepdims=False: np.sum(a != 0, axis)) if several else None


def places_of_true(a):
    """The places where a mask is true, an array for each axis."""
    return np.nonzero(a)


def _places_rule(arguments: Arguments) -> Signature | None:
    (ty,) = arguments.types
    if not isinstance(ty, Array) or ty.dtype is not types.boolean or ty.ndim == 0:
        return None
    return Signature(Tuple((Array(types.int64, 1, "C"),) * ty.ndim), (ty,))


@primitive(places_of_true, _places_rule)
def find_places(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The runtime goes through the mask twice: they are counted first."""
    return make_tuple(gathering.true_places(build, args[0]))


@numpy(np.flatnonzero)
def _flatnonzero(a):
    if is_array(a) and a.dtype is types.boolean and a.ndim:
        return lambda a: places_of_true(a.ravel())[0]

    def flatnonzero(a):
        out = np.empty(count_true(a), np.int64)
        _place_true(out, a.ravel())
        return out

    return flatnonzero if is_array(a) else None


@private
def _place_true(out, line):
    """Every place is written, and overwritten by the next where it is none: without a branch
    that depends on the data."""
    n, k = ZERO, ZERO
    count = np.uint64(len(out))
    while n < count:
        out[n] = k
        n += np.uint64(bool(line[k]))
        k += ONE


@private
def _split_places(places, size):
    """The places along the last axis; what is given keeps those of the others."""
    last = np.empty(len(places), np.int64)
    for k in range(len(places)):
        last[k] = places[k] % size
        places[k] //= size
    return last


def _split(places, shape):
    return np.unravel_index(places, shape)


@overload(_split)
def _split_typer(places, shape):
    if len(shape.items) == 1:
        return lambda places, shape: (places,)

    def split(places, shape):
        last = _split_places(places, shape[-1])
        return _split(places, shape[:-1]) + (last,)  # noqa: RUF005  a list cannot be typed

    return split


@numpy(np.nonzero, "nonzero")
def _nonzero(a):
    if not is_array(a):
        return None
    if a.ndim == 0:
        return _nonzero_of_single
    if a.dtype is types.boolean:
        return lambda a: places_of_true(a)
    return lambda a: _split(np.flatnonzero(a), a.shape)


def _nonzero_of_single(a):
    raise ValueError(
        "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
    )


@numpy(np.argwhere)
def _argwhere(a):
    if not is_array(a) or a.ndim == 0:
        return None

    def argwhere(a):
        places = np.flatnonzero(a)
        out = np.empty((len(places), a.ndim), np.int64, "F")  # as NumPy's lies
        for n in range(len(places)):
            place = places[n]
            for axis in range(a.ndim - 1, -1, -1):
                out[n, axis] = place % a.shape[axis]
                place //= a.shape[axis]
        return out

    return argwhere
