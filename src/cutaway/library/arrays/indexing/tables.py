"""Tables of indices: `indices diag_indices tril_indices triu_indices mask_indices` and their
`_from` forms, `fill_diagonal`, and flat indices: `unravel_index ravel_multi_index`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import wanted_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.filling import converted_line, require_values
from cutaway.library.arrays.kit.shapes import (
    is_merged,
    merged,
    replaced,
    require,
    shape_of,
    spread,
    strided,
)
from cutaway.library.arrays.kit.sizes import clamped, require_room
from cutaway.library.arrays.kit.takes import (
    Axis,
    Elements,
    Flag,
    Integer,
    Ints,
    Numbers,
    NumbersOrTuple,
    Places,
    RowsOrColumns,
    Sizes,
    Truth,
    numpy,
)
from cutaway.library.arrays.kit.typers import dimensions, element, is_integral, private, said
from cutaway.typing import types
from cutaway.typing.types import Tuple

# --- all indices of a shape -------------------------------------------------------------------


def _is_places_or_tuple(argument: Any) -> bool:
    items = argument.items if isinstance(argument, Tuple) else (argument,)
    return all(isinstance(element(one), types.Integer) for one in items)


PlacesOrTuple = Takes("some ints in a tuple, or an array of ints", _is_places_or_tuple)


@static
def _dtype_of_indices(dtype):
    return wanted_dtype(dtype, types.int64)


@numpy(np.indices)
def indices(dimensions: Ints, dtype=int, sparse: Flag = False):
    """The indices of all elements of a shape: for each axis a table, or an open line."""
    kind = _dtype_of_indices(dtype)
    if kind is None:
        refuse("indices are numbers", "for example dtype=np.int32")
    ones = (1,) * len(dimensions)
    if sparse:
        return _open_mesh(dimensions, ones, kind)
    out = np.empty((len(dimensions),) + dimensions, kind)  # noqa: RUF005  a list cannot be typed
    k = 0
    for size in literal_unroll(dimensions):
        out[k] = np.arange(size).astype(kind).reshape(replaced(ones, k, size))
        k += 1
    return out


@private
def _open_mesh(dimensions, ones, kind):
    out, k = (), 0
    for size in literal_unroll(dimensions):
        line = np.arange(size).astype(kind)
        out = out + (line.reshape(replaced(ones, k, size)),)  # noqa: RUF005
        k += 1
    return out


# --- diagonals --------------------------------------------------------------------------------


@static
def _known_count(ndim):
    count = said(ndim)
    if not isinstance(count, int):
        raise TypingError("`ndim` must be known when compiling", hint="write the number")
    return count


@numpy(np.diag_indices)
def diag_indices(n: Integer, ndim: Axis = 2):
    """The indices of a diagonal."""
    return (np.arange(n),) * _known_count(ndim)


@private
def _require_equal_sides(shape):
    for size in shape:
        if size != shape[0]:
            raise ValueError("All dimensions of input must be of equal length")


@numpy(np.diag_indices_from)
def diag_indices_from(arr: Elements):
    """The indices of an array's diagonal."""
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    _require_equal_sides(arr.shape)
    return (np.arange(arr.shape[0]),) * arr.ndim


@private
def _main_diagonal(a):
    """A view of the elements with equal indices."""
    count, step = a.shape[0], 0
    for k in range(a.ndim):
        count = min(count, a.shape[k])
        step += a.strides[k]
    return strided(a, (count,), (step,))


@private
def _wrapped_diagonal(a):
    """The flat indices of a diagonal that restarts below the last row of a tall table."""
    step = a.shape[1] + 1
    return np.arange(0, a.size, step)


@numpy(np.fill_diagonal)
def fill_diagonal(a: Numbers, val: NumbersOrTuple, wrap: Truth = False):
    """Store values along a diagonal, repeating them if they are fewer."""
    if isinstance(val, (tuple, list)):
        np.fill_diagonal(a, np.array(val, a.dtype), wrap)  # each value has to fit
        return
    require_values(a, val)
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2:
        _require_equal_sides(a.shape)
        _fill_line(_main_diagonal(a), val)
    elif not wrap:
        _fill_line(_main_diagonal(a), val)
    elif a.size:
        places, columns = _wrapped_diagonal(a), a.shape[1]
        line = np.empty(len(places), a.dtype)
        for n in range(len(places)):
            line[n] = a[places[n] // columns, places[n] % columns]
        _fill_line(line, val)
        for n in range(len(places)):
            a[places[n] // columns, places[n] % columns] = line[n]


@private
def _fill_line(line, val):
    """Fill a line with values, repeating them if they are fewer."""
    if not isinstance(val, np.ndarray):
        line[:] = val
        return
    values = converted_line(val, line)
    n = 0
    for k in range(len(line) if len(values) else 0):
        line[k] = values[n]
        n = n + 1 if n + 1 < len(values) else 0


# --- triangles --------------------------------------------------------------------------------


@private
def _lower_count(rows, columns, offset):
    """The number of elements on and below a diagonal: rows of growing length, then whole ones."""
    first = min(max(-offset, 0), rows)
    whole = min(max(columns - offset, first), rows)
    growing = (whole - first) * (first + whole + 2 * offset + 1) // 2
    return growing + (rows - whole) * columns


@private
def _lower_places(rows, columns, k):
    """The indices of elements on and below a diagonal, row by row."""
    require_room((rows, columns), 16)  # for two arrays
    offset = clamped(k, rows, columns)
    count, n = _lower_count(rows, columns, offset), 0
    first, second = np.empty(count, np.int64), np.empty(count, np.int64)
    for i in range(max(-offset, 0), rows if count else 0):
        for j in range(min(i + offset + 1, columns)):
            first[n], second[n] = i, j
            n += 1
    return first, second


@private
def _upper_places(rows, columns, k):
    """The indices of elements on and above a diagonal, row by row."""
    require_room((rows, columns), 16)  # for two arrays
    offset = clamped(k, rows, columns)
    count, n = rows * columns - _lower_count(rows, columns, offset - 1), 0
    first, second = np.empty(count, np.int64), np.empty(count, np.int64)
    for i in range(min(columns - offset, rows) if count else 0):
        for j in range(max(i + offset, 0), columns):
            first[n], second[n] = i, j
            n += 1
    return first, second


def _register_triangle(function: Any, of_array: Any, places: Any) -> None:
    @numpy(function)
    def indices(n: Integer, k: Truth = 0, m: Truth = None):
        rows = max(n, 0)
        return places(rows, rows if m is None else max(m, 0), k)

    @numpy(of_array)
    def indices_from(arr: Elements, k: Truth = 0):
        if arr.ndim != 2:
            raise ValueError("input array must be 2-d")
        return places(arr.shape[0], arr.shape[1], k)


_register_triangle(np.tril_indices, np.tril_indices_from, _lower_places)
_register_triangle(np.triu_indices, np.triu_indices_from, _upper_places)


@numpy(np.mask_indices)
def mask_indices(n: Integer, mask_func, k=0):
    """The indices of the elements of a square that a function keeps nonzero."""
    return np.nonzero(mask_func(np.ones((n, n), np.int64), k) != 0)


# --- flat indices -----------------------------------------------------------------------------

_TOO_LARGE = (
    "dimensions are too large; arrays and shapes with a total size greater than 'intp' are not"
    " supported."
)


@private
def _size_of_shape(shape):
    size, limit = 1, (1 << 63) - 1
    for one in shape:
        if one > 0 and size > limit // one:
            raise ValueError(_TOO_LARGE)
        size *= one
    return size


@private
def _check_place(k, size):
    if k < 0 or k >= size:
        raise ValueError(f"index {k} is out of bounds for array with size {size}")


@private
def _divide(places, size):
    """The remainders of flat indices by a size; the array itself becomes the quotients."""
    out = np.empty(places.shape, np.int64)
    line, rest = out.ravel(), places.ravel()
    for k in range(len(line)):
        quotient = rest[k] // size
        line[k] = rest[k] - quotient * size
        rest[k] = quotient
    return out


def _is_index(argument: Any) -> bool:
    ty = element(argument)
    return is_integral(ty) and ty is not types.boolean


@numpy(np.unravel_index)
def unravel_index(indices: Places, shape: Sizes, order: RowsOrColumns = "C"):
    """The index along each axis for flat indices in C or F order."""
    if not isinstance(shape, tuple):
        return np.unravel_index(indices, (shape,))
    _require_indices(indices)
    total, sizes = _size_of_shape(shape), shape[::-1] if order == "C" else shape
    if not isinstance(indices, np.ndarray) or indices.ndim == 0:
        place = int(single(indices))
        _check_place(place, total)
        out = _digits(place, sizes)
    else:
        places = np.empty(indices.shape, np.int64)
        places[...] = indices
        for k in places.flat:
            _check_place(k, total)
        out = _digits(places, sizes)
    return out if order == "C" else out[::-1]


@private
def _digits(place, sizes):
    """The digits of a flat index, or an array of them, by the axes' sizes, innermost first."""
    out = ()
    for size in literal_unroll(sizes):
        if isinstance(place, np.ndarray):
            out = (_divide(place, size),) + out  # noqa: RUF005  a list cannot be typed
        else:
            out = (place % size,) + out  # noqa: RUF005
            place = place // size
    return out


@static
def _require_indices(indices):
    """Refuse indices that are floats or bools."""
    if not _is_index(indices):
        raise TypingError("only int indices permitted", hint="convert them to int64")


# --- from indices to flat indices -------------------------------------------------------------


@private
def _require_room(shape, count):
    """Raise ValueError if `count` indices refer to an empty shape."""
    if _size_of_shape(shape) == 0 and count:
        raise ValueError("cannot unravel if shape has zero entries (is empty).")


_MODES = ("raise", "wrap", "clip")


@private
def _in_range(k, size, mode):
    """An index brought into range by a mode's number; raises ValueError in mode `raise`."""
    if mode == 1:
        return k % size
    if mode == 2:
        return min(max(k, 0), size - 1)
    if k < 0 or k >= size:
        raise ValueError("invalid entry in coordinates array")
    return k


@private
def _add_index(out, indices, size, mode):
    """Extend flat indices by the index along one more axis."""
    line, n = out.ravel(), 0
    for k in spread(indices, out.shape).flat:
        line[n] = line[n] * size + _in_range(int(k), size, mode)
        n += 1


@private
def _joint_shape(arrays):
    """The shape that arrays and numbers broadcast to."""
    shape = ()
    for one in literal_unroll(arrays):
        before = shape
        shape = merged(before, shape_of(one))
        require(is_merged(shape), _NOT_TOGETHER, (before, shape_of(one)))
    return shape


_NOT_TOGETHER = "operands could not be broadcast together with shapes {} {} "


@static
def _modes(mode, dims):
    """The mode number of each axis."""
    count = len(dims.items)
    found = tuple(map(said, mode.items)) if isinstance(mode, Tuple) else (said(mode),) * count
    if len(found) != count or not all(one in _MODES for one in found):
        raise TypingError("a mode is 'raise', 'wrap' or 'clip', or one for each axis")
    return tuple(map(_MODES.index, found))


@static
def _have_axes(multi_index):
    return any(map(dimensions, multi_index.items))


@numpy(np.ravel_multi_index)
def ravel_multi_index(
    multi_index: PlacesOrTuple, dims: Sizes, mode="raise", order: RowsOrColumns = "C"
):
    """The flat indices, in C or F order, of indices along each axis."""
    if not isinstance(dims, tuple):
        return np.ravel_multi_index(multi_index, (dims,), mode, order)
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    if isinstance(multi_index, np.ndarray):
        return np.ravel_multi_index(_layers(multi_index, dims), dims, mode, order)
    modes, sizes = _modes(mode, dims), replaced(dims, 0, dims[0])  # a tuple of int64 only
    if _have_axes(multi_index):
        out = np.zeros(_joint_shape(multi_index), np.int64)
        _require_room(dims, out.size)
    else:
        out = 0
        _require_room(dims, 1)
    if order == "F":
        return _counted(out, multi_index[::-1], sizes[::-1], modes[::-1])
    return _counted(out, multi_index, sizes, modes)


@private
def _layers(a, dims):
    """The parts of an array along its first axis, one for each of the sizes."""
    out, n = (), 0
    for _ in literal_unroll(dims):
        out = out + (a[n],)  # noqa: RUF005  a list cannot be typed
        n += 1
    return out


@private
def _counted(place, indices, sizes, modes):
    """The flat index of indices along each axis, outermost first; an array `place` holds
    several."""
    k = 0
    for one in literal_unroll(indices):
        if isinstance(place, np.ndarray):
            _add_index(place, np.asarray(one), sizes[k], modes[k])
        else:
            place = place * sizes[k] + _in_range(int(single(one)), sizes[k], modes[k])
        k += 1
    return place
