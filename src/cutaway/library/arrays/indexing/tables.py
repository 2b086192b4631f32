"""Tables of indices: `indices diag_indices tril_indices triu_indices mask_indices` and their
`_from` forms, `fill_diagonal`, and places counted in C order: `unravel_index ravel_multi_index`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import wanted_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.filling import converted_line
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
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    dimensions,
    element,
    flag,
    is_array,
    is_integral,
    is_integral_or_default,
    is_number,
    is_shape,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- the indices of all places ----------------------------------------------------------------


@numpy(np.indices, by_value=True)
def _indices(dimensions, dtype=int, sparse=False):
    kind, apart = wanted_dtype(dtype, types.int64), flag(sparse)
    if kind is None or not isinstance(dimensions, Tuple) or not is_shape(dimensions):
        return None
    if apart is None:
        raise TypingError("`sparse` must be known when compiling", hint="write True or False")
    count = len(dimensions.items)
    numbers, ones = tuple(range(count)), (1,) * count

    def dense(dimensions, dtype=int, sparse=False):
        out = np.empty((count,) + dimensions, kind)  # noqa: RUF005  a list cannot be typed
        for k in literal_unroll(numbers):
            line = np.arange(dimensions[k]).astype(kind)
            out[k] = line.reshape(replaced(ones, k, dimensions[k]))
        return out

    def open_mesh(dimensions, dtype=int, sparse=False):
        out = ()
        for k in literal_unroll(numbers):
            line = np.arange(dimensions[k]).astype(kind)
            out = out + (line.reshape(replaced(ones, k, dimensions[k])),)  # noqa: RUF005
        return out

    return open_mesh if apart else dense


# --- diagonals --------------------------------------------------------------------------------


@numpy(np.diag_indices, by_value=True)
def _diag_indices(n, ndim=2):
    count = said(ndim)
    if not is_integral(n):
        return None
    if not isinstance(count, int):
        raise TypingError("`ndim` must be known when compiling", hint="write the number")

    def diag_indices(n, ndim=2):
        line = np.arange(n)
        return (line,) * count

    return diag_indices


@private
def _require_equal_sides(shape):
    for size in shape:
        if size != shape[0]:
            raise ValueError("All dimensions of input must be of equal length")


@numpy(np.diag_indices_from)
def _diag_indices_from(arr):
    if not isinstance(arr, Array):
        return None
    count = arr.ndim

    def misfit(arr):
        raise ValueError("input array must be at least 2-d")

    def diag_indices_from(arr):
        _require_equal_sides(arr.shape)
        return np.diag_indices(arr.shape[0], count)

    return diag_indices_from if count > 1 else misfit


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
    """The places of the elements on a diagonal that begins anew below a tall table's last row."""
    step = a.shape[1] + 1
    return np.arange(0, a.size, step)


@numpy(np.fill_diagonal, by_value=True)
def _fill_diagonal(a, val, wrap=False):
    if is_array(a) and isinstance(val, Tuple) and all(map(is_number, val.items)):
        dtype = types.to_dtype(a.dtype)  # each has to fit
        return lambda a, val, wrap=False: np.fill_diagonal(a, np.array(val, dtype), wrap)
    if not is_array(a) or not (is_array(val) or is_number(val)):
        return None
    if isinstance(element(val), types.Complex) and not isinstance(a.dtype, types.Complex):
        return None
    if a.readonly:
        raise TypingError("assignment destination is read-only", hint="pass a writeable array")
    wraps = flag(wrap) is not False

    def misfit(a, val, wrap=False):
        raise ValueError("array must be at least 2-d")

    def fill_diagonal(a, val, wrap=False):
        _require_equal_sides(a.shape)
        _fill_line(_main_diagonal(a), val)

    def of_table(a, val, wrap=False):
        _fill_line(_main_diagonal(a), val)

    def of_wrapped_table(a, val, wrap=False):
        if not wrap:
            _fill_line(_main_diagonal(a), val)
        elif a.size:
            places, columns = _wrapped_diagonal(a), a.shape[1]
            line = np.empty(len(places), a.dtype)
            for n in range(len(places)):
                line[n] = a[places[n] // columns, places[n] % columns]
            _fill_line(line, val)
            for n in range(len(places)):
                a[places[n] // columns, places[n] % columns] = line[n]

    if a.ndim < 2:
        return misfit
    if a.ndim > 2:
        return fill_diagonal
    return of_wrapped_table if wraps else of_table


def _fill_line(line, val):
    """Give a line the values, again and again where they are fewer."""
    line.flat[:] = val


@overload(_fill_line, jit_options=OPTIONS)
def _fill_line_typer(line, val):
    def of_number(line, val):
        line[:] = val

    def of_array(line, val):
        values = converted_line(val, line)
        n = 0
        for k in range(len(line) if len(values) else 0):
            line[k] = values[n]
            n = n + 1 if n + 1 < len(values) else 0

    return of_array if isinstance(val, Array) else of_number


# --- triangles --------------------------------------------------------------------------------


@private
def _lower_count(rows, columns, offset):
    """How many places there are in and below a diagonal: rows that get longer, then whole ones."""
    first = min(max(-offset, 0), rows)
    whole = min(max(columns - offset, first), rows)
    growing = (whole - first) * (first + whole + 2 * offset + 1) // 2
    return growing + (rows - whole) * columns


@private
def _lower_places(rows, columns, k):
    """The places in and below a diagonal, row by row."""
    require_room((rows, columns), 16)  # of two arrays
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
    """The places in and above a diagonal, row by row."""
    require_room((rows, columns), 16)  # of two arrays
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
    def indices(n, k=0, m=None):
        if not is_integral(n) or not all(map(is_integral_or_default, (k, m))):
            return None
        if left_out(m):
            return lambda n, k=0, m=None: places(max(n, 0), max(n, 0), k)
        return lambda n, k=0, m=None: places(max(n, 0), max(m, 0), k)

    @numpy(of_array)
    def indices_from(arr, k=0):
        def misfit(arr, k=0):
            raise ValueError("input array must be 2-d")

        if not isinstance(arr, Array) or not is_integral_or_default(k):
            return None
        if arr.ndim != 2:
            return misfit
        return lambda arr, k=0: places(arr.shape[0], arr.shape[1], k)


_register_triangle(np.tril_indices, np.tril_indices_from, _lower_places)
_register_triangle(np.triu_indices, np.triu_indices_from, _upper_places)


@numpy(np.mask_indices)
def _mask_indices(n, mask_func, k=0):
    if not is_integral(n):
        return None
    return lambda n, mask_func, k=0: np.nonzero(mask_func(np.ones((n, n), np.int64), k) != 0)


# --- places in C order ------------------------------------------------------------------------

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
    """The remainders of places; the quotients take their place."""
    out = np.empty(places.shape, np.int64)
    line, rest = out.ravel(), places.ravel()
    for k in range(len(line)):
        quotient = rest[k] // size
        line[k] = rest[k] - quotient * size
        rest[k] = quotient
    return out


def _ordered(order: Any) -> str | None:
    """The order that an argument says; None for none of C and F."""
    name = said(order)
    return name if name in ("C", "F") else None


def _is_index(argument: Any) -> bool:
    ty = element(argument)
    return is_integral(ty) and ty is not types.boolean


@numpy(np.unravel_index, by_value=True)
def _unravel_index(indices, shape, order="C"):
    way = _ordered(order)
    if is_integral(shape):
        return lambda indices, shape, order="C": np.unravel_index(indices, (shape,))
    if not is_shape(shape) or not _is_index(indices) or way is None:
        return None
    count = len(shape.items)
    falling = tuple(range(count))[:: -1 if way == "C" else 1]

    def of_number(indices, shape, order="C"):
        place, out = int(single(indices)), ()
        _check_place(place, _size_of_shape(shape))
        for k in literal_unroll(falling):
            size = shape[k]
            out = (place % size,) + out  # noqa: RUF005  a list cannot be typed
            place = place // size
        return out

    def of_array(indices, shape, order="C"):
        size, out = _size_of_shape(shape), ()
        places = np.empty(indices.shape, np.int64)
        places[...] = indices
        for k in places.flat:
            _check_place(k, size)
        for k in literal_unroll(falling):
            out = (_divide(places, shape[k]),) + out  # noqa: RUF005
        return out

    found = of_array if dimensions(indices) else of_number
    if way == "C":
        return found
    forward = private(found)
    return lambda indices, shape, order="C": forward(indices, shape)[::-1]


# --- places of several indices ----------------------------------------------------------------


@private
def _require_room(shape, count):
    """Raise ValueError where places are to be counted in a shape that has none."""
    if _size_of_shape(shape) == 0 and count:
        raise ValueError("cannot unravel if shape has zero entries (is empty).")


def _in_range(mode: Any) -> Any:
    """The function that takes an index into its range."""

    def raising(k, size):
        if k < 0 or k >= size:
            raise ValueError("invalid entry in coordinates array")
        return k

    def wrapping(k, size):
        return k % size

    def clipping(k, size):
        return min(max(k, 0), size - 1)

    return private({"raise": raising, "wrap": wrapping, "clip": clipping}[mode])


@private
def _add_index(out, indices, size, taken):
    """Count places on by another index."""
    line, n = out.ravel(), 0
    for k in spread(indices, out.shape).flat:
        line[n] = line[n] * size + taken(int(k), size)
        n += 1


def _joint_shape(arrays):
    """The shape that arrays and numbers are broadcast to."""
    return np.broadcast(*arrays).shape


@overload(_joint_shape, jit_options=OPTIONS)
def _joint_shape_typer(arrays):
    def joint_shape(arrays):
        shape = ()
        for one in literal_unroll(arrays):
            before = shape
            shape = merged(before, shape_of(one))
            require(is_merged(shape), _NOT_TOGETHER, (before, shape_of(one)))
        return shape

    return joint_shape


_NOT_TOGETHER = "operands could not be broadcast together with shapes {} {} "


def _modes(mode: Any, count: int) -> tuple[str, ...] | None:
    names = mode.items if isinstance(mode, Tuple) else (mode,) * count
    found = tuple(said(one) for one in names)
    known = all(one in ("raise", "wrap", "clip") for one in found)
    return found if known and len(found) == count else None


@numpy(np.ravel_multi_index, by_value=True)
def _ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    if is_integral(dims):
        return lambda multi_index, dims, mode="raise", order="C": np.ravel_multi_index(
            multi_index, (dims,), mode, order
        )
    way = _ordered(order)
    if way is None or not is_shape(dims) or not dims.items:
        return None
    count = len(dims.items)
    if isinstance(multi_index, Array) and multi_index.ndim:
        return _of_layers(count) if _is_index(multi_index) else None
    modes = _modes(mode, count)
    if modes is None or not isinstance(multi_index, Tuple):
        return None
    if len(multi_index.items) != count:
        return _wrong_count(count)
    if not all(map(_is_index, multi_index.items)):
        return None
    if any(isinstance(one, Array) and one.ndim for one in multi_index.items):
        return _places_of_arrays(modes, way)
    return _place_of_numbers(modes, way)


def _wrong_count(count: int) -> Any:
    def misfit(multi_index, dims, mode="raise", order="C"):
        raise ValueError(f"parameter multi_index must be a sequence of length {count}")

    return misfit


def _of_layers(count: int) -> Any:
    numbers = tuple(range(count))

    def of_array(multi_index, dims, mode="raise", order="C"):
        if len(multi_index) != count:
            raise ValueError(f"parameter multi_index must be a sequence of length {count}")
        layers = ()
        for k in literal_unroll(numbers):
            layers = layers + (multi_index[k],)  # noqa: RUF005  a list cannot be typed
        return np.ravel_multi_index(layers, dims, mode, order)

    return of_array


def _falling(count: int, way: str) -> tuple[int, ...]:
    """The axes, the outermost first."""
    return tuple(range(count))[:: 1 if way == "C" else -1]


def _place_of_numbers(modes: tuple[str, ...], way: str) -> Any:
    takers, axes = tuple(map(_in_range, modes)), _falling(len(modes), way)

    def of_numbers(multi_index, dims, mode="raise", order="C"):
        _require_room(dims, 1)
        place = 0
        for k in literal_unroll(axes):
            place = place * dims[k] + takers[k](int(single(multi_index[k])), dims[k])
        return place

    return of_numbers


def _places_of_arrays(modes: tuple[str, ...], way: str) -> Any:
    takers = tuple(map(_in_range, modes))[:: 1 if way == "C" else -1]

    @private
    def add_all(out, indices, sizes):
        k = 0
        for one in literal_unroll(indices):
            _add_index(out, np.asarray(one), sizes[k], takers[k])
            k += 1
        return out

    def in_c_order(multi_index, dims, mode="raise", order="C"):
        out = np.zeros(_joint_shape(multi_index), np.int64)
        _require_room(dims, out.size)
        return add_all(out, multi_index, dims)

    def in_f_order(multi_index, dims, mode="raise", order="C"):
        out = np.zeros(_joint_shape(multi_index), np.int64)
        _require_room(dims, out.size)
        return add_all(out, multi_index[::-1], dims[::-1])

    return in_c_order if way == "C" else in_f_order
