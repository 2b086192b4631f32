"""Arrays put together: `concatenate stack hstack vstack dstack column_stack`; repeated: `tile`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of, new_axis_of
from cutaway.library.arrays.kit.dtypes import asked_dtype, element_dtype, promoted
from cutaway.library.arrays.kit.lines import line_count, lines_along
from cutaway.library.arrays.kit.shapes import expanded, replaced, shape_of, strided
from cutaway.library.arrays.kit.sizes import size_of_all
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_alike,
    are_elements,
    dimensions,
    has_places,
    is_array,
    is_integral,
    is_integral_or_default,
    is_number,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Tuple

# --- along an axis ----------------------------------------------------------------------------


def total_length(arrays, axis):
    """The sum of the lengths of arrays."""
    return sum(a.shape[axis] for a in arrays)


@overload(total_length, jit_options=OPTIONS)
def _total_length(arrays, axis):
    if len(arrays.items) == 1:
        return lambda arrays, axis: arrays[0].shape[axis]
    return lambda arrays, axis: arrays[0].shape[axis] + total_length(arrays[1:], axis)


@private
def _place_one(out, a, axis, start):
    lines, target = lines_along(a, axis), lines_along(out, axis)
    if a.shape[axis] and line_count(lines):
        target[..., start : start + a.shape[axis]] = lines


@private
def _check_sizes(first, a, axis, number):
    for k in range(first.ndim):
        if k != axis and first.shape[k] != a.shape[k]:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match"
                f" exactly, but along dimension {k}, the array at index 0 has size"
                f" {first.shape[k]} and the array at index {number} has size {a.shape[k]}"
            )


def place_all(out, arrays, axis, start):
    """Copy arrays behind each other."""
    for a in arrays:
        _place_one(out, a, axis, start)
        start += a.shape[axis]


@overload(place_all, jit_options=OPTIONS)
def _place_all(out, arrays, axis, start):
    def last(out, arrays, axis, start):
        _place_one(out, arrays[0], axis, start)

    def several(out, arrays, axis, start):
        first = arrays[0]
        _place_one(out, first, axis, start)
        place_all(out, arrays[1:], axis, start + first.shape[axis])

    return last if len(arrays.items) == 1 else several


def check_all(first, arrays, axis, number):
    """Raise ValueError where the arrays' other sizes differ."""
    for k, a in enumerate(arrays):
        _check_sizes(first, a, axis, number + k)


@overload(check_all, jit_options=OPTIONS)
def _check_all(first, arrays, axis, number):
    def last(first, arrays, axis, number):
        _check_sizes(first, arrays[0], axis, number)

    def several(first, arrays, axis, number):
        _check_sizes(first, arrays[0], axis, number)
        check_all(first, arrays[1:], axis, number + 1)

    return last if len(arrays.items) == 1 else several


def are_arrays(arrays: Any, ndim: int | None = None) -> bool:
    """True if a type is a tuple of arrays with the same number of dimensions, at least one."""
    if not isinstance(arrays, Tuple) or not arrays.items or not are_alike(*arrays.items):
        return False
    dims = {a.ndim for a in arrays.items}
    return len(dims) == 1 and 0 not in dims and (ndim is None or dims == {ndim})


def joined(arrays, axis):
    """Arrays of as many dimensions one behind the other."""
    return np.concatenate(arrays, axis)


@overload(joined, jit_options=OPTIONS)
def _joined(arrays, axis):
    dtype = promoted(*arrays.items)
    order = "F" if all(a.layout == "F" for a in arrays.items) else "C"

    def joined(arrays, axis):
        first = arrays[0]
        place = axis_of(first, axis)
        check_all(first, arrays, place, 0)
        shape = replaced(first.shape, place, total_length(arrays, place))
        out = np.empty(shape, dtype, order)
        place_all(out, arrays, place, 0)
        return out

    return joined


def all_flat(arrays):
    """Each array as one line."""
    return tuple(a.ravel() for a in arrays)


def _mapped(function: Any, change: Any) -> None:
    """Register `function` of a tuple: `change` of each of its items."""
    changed = private(change)

    @overload(function)
    def mapped(arrays):
        if len(arrays.items) == 1:
            return lambda arrays: (changed(arrays[0]),)
        return lambda arrays: (changed(arrays[0]),) + function(arrays[1:])  # noqa: RUF005


_mapped(all_flat, lambda a: a.ravel())


@numpy(np.concatenate)
def _concatenate(arrays, axis=0):
    if left_out(axis) and isinstance(arrays, Tuple) and are_alike(*arrays.items):
        return lambda arrays, axis=0: joined(all_flat(arrays), 0)
    fits = are_arrays(arrays) and is_integral_or_default(axis)
    return (lambda arrays, axis=0: joined(arrays, axis)) if fits else None


def _asked(arrays: Any, dtype: Any, casting: Any) -> Any:
    """The dtype of arrays that are joined, which may be told by a
    type; None where it is not known.  Raises
    TypingError where they are not to be converted."""
    if not all(map(is_array, arrays.items)):
        return None
    common = promoted(*arrays.items)
    rule = getattr(casting, "value", casting)
    wanted = dtype if is_number(dtype) else asked_dtype(dtype, types.from_dtype(common))
    if wanted is None or not isinstance(rule, str):
        return None
    for one in map(element_dtype, arrays.items):
        if not np.can_cast(one, types.to_dtype(wanted), rule):
            raise TypingError(
                f"Cannot cast array data from {one!r} to {types.to_dtype(wanted)!r} according to"
                f" the rule {rule!r}",
                hint="name another dtype, or casting='unsafe'",
            )
    return types.to_dtype(wanted)


def _converting(arrays: Any, dtype: Any, out: Any, casting: Any, ndim: int) -> Any:
    """What joins arrays along an axis as another dtype, or into an output, a function of `arrays
    axis out`; None where it is not compiled."""
    if not left_out(out) and not left_out(dtype):
        raise TypingError(
            "concatenate() only takes `out` or `dtype` as an argument, but both were provided.",
            hint="leave out one of them",
        )
    stores = not left_out(out)
    if stores and (not is_array(out) or out.readonly or out.ndim != ndim):
        return None
    wanted = _asked(arrays, out.dtype if stores else dtype, casting)
    if wanted is None:
        return None

    @private
    def as_it_is(arrays, axis, out):
        return joined(arrays, axis)

    @private
    def converted(arrays, axis, out):
        return joined(arrays, axis).astype(wanted)

    @private
    def kept(arrays, axis, out):
        result = joined(arrays, axis)
        if out.shape != result.shape:
            raise ValueError("Output array is the wrong shape")
        out[...] = result
        return out

    if wanted is None:
        return None
    if wanted == promoted(*arrays.items) and not stores:
        return as_it_is
    return kept if stores else converted


@numpy(np.concatenate)
def _concatenate_told(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    whole = left_out(axis) and isinstance(arrays, Tuple) and all(map(is_array, arrays.items))
    if not whole and not (are_arrays(arrays) and is_integral_or_default(axis)):
        return None
    ndim = 1 if whole else arrays.items[0].ndim
    told = _converting(arrays, dtype, out, casting, ndim)

    def of_all(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
        return told(all_flat(arrays), 0, out)

    def along(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
        return told(arrays, axis, out)

    if told is None:
        return None
    return of_all if whole else along


@numpy(np.stack)
def _stack_told(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if not are_arrays(arrays) or not is_integral_or_default(axis):
        return None
    told = _converting(arrays, dtype, out, casting, arrays.items[0].ndim + 1)

    def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
        check_same(arrays[0], arrays)
        place = new_axis_of(arrays[0], axis)
        return told(all_expanded(arrays, place), place, out)

    return None if told is None else stack


def _register_stack(function: Any) -> None:
    @numpy(function)
    def stack(tup, *, dtype=None, casting="same_kind"):
        wanted = _asked(tup, dtype, casting) if are_arrays(tup) else None
        if wanted is None:
            return None
        return lambda tup, *, dtype=None, casting="same_kind": function(tup).astype(wanted)


# --- along a new axis -------------------------------------------------------------------------


def all_expanded(arrays, axis):
    """Each array with a new axis."""
    return tuple(np.expand_dims(a, axis) for a in arrays)


@overload(all_expanded)
def _all_expanded(arrays, axis):
    if len(arrays.items) == 1:
        return lambda arrays, axis: (expanded(arrays[0], axis),)
    return (
        lambda arrays, axis: (  # noqa: RUF005
            (expanded(arrays[0], axis),) + all_expanded(arrays[1:], axis)
        )
    )


def check_same(first, arrays):
    """Raise ValueError where the shapes of arrays differ."""
    for a in arrays:
        if a.shape != first.shape:
            raise ValueError(_NOT_ALIKE)


_NOT_ALIKE = "all input arrays must have the same shape"


@overload(check_same)
def _check_same(first, arrays):
    def last(first, arrays):
        if arrays[0].shape != first.shape:
            raise ValueError(_NOT_ALIKE)

    def several(first, arrays):
        if arrays[0].shape != first.shape:
            raise ValueError(_NOT_ALIKE)
        check_same(first, arrays[1:])

    return last if len(arrays.items) == 1 else several


@numpy(np.stack)
def _stack(arrays, axis=0):
    def stack(arrays, axis=0):
        check_same(arrays[0], arrays)
        place = new_axis_of(arrays[0], axis)
        return joined(all_expanded(arrays, place), place)

    if not is_integral_or_default(axis):
        return None
    return stack if are_arrays(arrays) or _are_single(arrays) else None


def _are_single(arrays: Any) -> bool:
    """True if a type is a tuple of arrays without dimensions."""
    alike = isinstance(arrays, Tuple) and bool(arrays.items) and are_alike(*arrays.items)
    return alike and not any(map(dimensions, arrays.items))


def _have_at_most(arrays: Any, ndim: int) -> bool:
    """True if a type is a tuple of numbers and arrays with no more dimensions."""
    alike = isinstance(arrays, Tuple) and bool(arrays.items) and are_alike(*arrays.items)
    return alike and all(dimensions(one) <= ndim for one in arrays.items)


def all_lines(arrays):
    """Each array, or number, with a dimension at least."""
    return tuple(np.atleast_1d(a) for a in arrays)


def all_rows(arrays):
    """Each array, or number, with two dimensions: a line is a row."""
    return tuple(np.atleast_2d(a) for a in arrays)


def all_columns(arrays):
    """Each array, or number, with two dimensions: a line is a column."""
    return tuple(np.atleast_2d(a) if a.ndim > 1 else np.atleast_2d(a).T for a in arrays)


def _register_each(function: Any, one: Any) -> None:
    """Have a function of a tuple do to each item what `one(type)` says."""

    @overload(function, jit_options=OPTIONS)
    def each(arrays):
        first = private(one(arrays.items[0]))
        if len(arrays.items) == 1:
            return lambda arrays: (first(arrays[0]),)
        return lambda arrays: (first(arrays[0]),) + function(arrays[1:])  # noqa: RUF005


_register_each(all_lines, lambda ty: lambda a: np.atleast_1d(a))
_register_each(all_rows, lambda ty: lambda a: np.atleast_2d(a))
_register_each(
    all_columns, lambda ty: (lambda a: a) if dimensions(ty) > 1 else lambda a: np.atleast_2d(a).T
)


@numpy(np.vstack)
def _vstack(tup):
    if are_arrays(tup, 1):
        return lambda tup: joined(all_expanded(tup, 0), 0)
    if _have_at_most(tup, 2) and not are_arrays(tup, 2):
        return lambda tup: joined(all_rows(tup), 0)
    return (lambda tup: joined(tup, 0)) if are_arrays(tup) else None


@numpy(np.hstack)
def _hstack(tup):
    if are_arrays(tup, 1):
        return lambda tup: joined(tup, 0)
    if _have_at_most(tup, 1):
        return lambda tup: joined(all_lines(tup), 0)
    return (lambda tup: joined(tup, 1)) if are_arrays(tup) else None


@numpy(np.dstack)
def _dstack(tup):
    if are_arrays(tup, 1):
        return lambda tup: joined(all_expanded(all_expanded(tup, 0), 2), 2)
    if are_arrays(tup, 2):
        return lambda tup: joined(all_expanded(tup, 2), 2)
    if _have_at_most(tup, 2):
        return lambda tup: joined(all_expanded(all_rows(tup), 2), 2)
    return (lambda tup: joined(tup, 2)) if are_arrays(tup) else None


@numpy(np.column_stack)
def _column_stack(tup):
    if are_arrays(tup, 1):
        return lambda tup: joined(all_expanded(tup, 1), 1)
    return (lambda tup: joined(all_columns(tup), 1)) if _have_at_most(tup, 2) else None


_register_stack(np.vstack)
_register_stack(np.hstack)

# --- repeated as a whole ----------------------------------------------------------------------


def interleaved(first, second):
    """The items of two tuples in turn."""
    return tuple(item for pair in zip(first, second, strict=True) for item in pair)


@overload(interleaved)
def _interleaved(first, second):
    if not len(first.items):
        return lambda first, second: ()
    return (
        lambda first, second: (  # noqa: RUF005
            (first[0], second[0]) + interleaved(first[1:], second[1:])
        )
    )


def products(first, second):
    """The products of the items of two tuples, which are sizes."""
    return tuple(size_of_all(x, y) for x, y in zip(first, second, strict=True))


@overload(products)
def _products(first, second):
    if not len(first.items):
        return lambda first, second: ()
    return (
        lambda first, second: (  # noqa: RUF005
            (size_of_all(first[0], second[0]),) + products(first[1:], second[1:])
        )
    )


@private
def is_emptied(shape, times):
    """True if there are no elements, or none before a number of times is negative."""
    for size in shape:
        if size == 0:
            return True
    for count in times:
        if count <= 0:
            return bool(count == 0)
    return False


@numpy(np.tile)
def _tile(A, reps):  # noqa: N803  NumPy's name
    if is_integral(reps):
        return _tiled_line() if dimensions(A) else (lambda A, reps: np.tile(A, (reps,)))  # noqa: N803
    if not (are_elements(A) or has_places(A)) or not is_shape(reps) or not reps.items:
        return None
    ndim = max(dimensions(A), len(reps.items))
    outer, inner = (1,) * (ndim - dimensions(A)), (1,) * (ndim - len(reps.items))
    dtype, ones = element_dtype(A), (1,) * ndim

    def tile(A, reps):  # noqa: N803
        shape, times = outer + shape_of(A), inner + tuple(reps)
        sizes = products(shape, times)
        nothing = is_emptied(shape, times)  # then NumPy only gives it another shape
        out = np.empty(0, dtype).reshape(sizes) if nothing else np.empty(sizes, dtype)
        steps = products(shape, out.strides)  # from one repetition to the next
        blocks = strided(out, interleaved(times, shape), interleaved(steps, out.strides))
        blocks[...] = in_shape_of(A, interleaved(ones, shape))
        return out

    return tile


def _tiled_line():
    def tile(A, reps):  # noqa: N803
        last = A.ndim - 1
        size = A.shape[last]
        shape = replaced(A.shape, last, size_of_all(size, reps))
        out = np.empty(shape, A.dtype) if A.size else np.empty(0, A.dtype).reshape(shape)
        for k in range(reps if A.size else 0):
            out[..., k * size : (k + 1) * size] = A
        return out

    return tile


def in_shape_of(x, shape):
    """An array in a shape, a number as it is."""
    return np.reshape(x, shape)


@overload(in_shape_of)
def _in_shape_of(x, shape):
    return (lambda x, shape: x.reshape(shape)) if is_array(x) else (lambda x, shape: x)
