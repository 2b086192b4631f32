"""Memory in more than one array: `as_strided sliding_window_view frombuffer`, and whether there is
some: `may_share_memory shares_memory`."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from cutaway.errors import TypingError
from cutaway.extending.registry import primitive
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import wanted_dtype
from cutaway.library.arrays.kit.shapes import replaced, strided
from cutaway.library.arrays.kit.typers import (
    flag,
    is_integral,
    is_integral_or_default,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.layout.shaping import read_only
from cutaway.library.data.buffers import as_array
from cutaway.lowering.arrays.overlap import extent
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    make_tuple,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple
from cutaway.typing.types.buffers import Buffer, bytes_type
from cutaway.typing.types.texts import is_written

# --- views with steps of their own ------------------------------------------------------------


@private
def _dense_steps(shape, itemsize):
    """The steps of an array without gaps."""
    steps, step = shape, itemsize
    for k in range(len(shape) - 1, -1, -1):
        steps = replaced(steps, k, step)
        step *= shape[k]
    return steps


@numpy(as_strided, by_value=True)
def _as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    written = flag(writeable)
    own_shape, own_strides = left_out(shape), left_out(strides)
    if not isinstance(x, Array) or written is None:
        return None
    if not (own_shape or is_shape(shape)) or not (own_strides or is_shape(strides)):
        return None
    dense = own_strides and x.layout == "C"
    axes = x.ndim if own_shape else len(shape.items)
    if axes != (axes if dense else x.ndim if own_strides else len(strides.items)):
        raise TypingError(
            "mismatch in length of strides and shape", hint="give a step for each axis"
        )

    @private
    def view_of(x, shape, strides):
        return strided(x, x.shape if own_shape else shape, x.strides if own_strides else strides)

    @private
    def dense_view_of(x, shape, strides):
        sizes = x.shape if own_shape else shape
        return strided(x, sizes, _dense_steps(sizes, x.itemsize))

    view_of = dense_view_of if dense else view_of
    if written and not x.readonly:
        return lambda x, shape=None, strides=None, subok=False, writeable=True: view_of(
            x, shape, strides
        )
    return lambda x, shape=None, strides=None, subok=False, writeable=True: read_only(
        view_of(x, shape, strides)
    )


_ALL_NEEDED = (
    "Since axis is `None`, must provide window_shape for all dimensions of `x`; got {}"
    " window_shape elements and `x.ndim` is {}."
)
_AS_MANY = (
    "Must provide matching length window_shape and axis; got {} window_shape elements and {} axes"
    " elements."
)


@private
def _window_axis(shape, axis, size):
    """A shape with fewer places along an axis, as windows of a size leave them."""
    if size > shape[axis]:
        raise ValueError("window shape cannot be larger than input array shape")
    return replaced(shape, axis, shape[axis] - size + 1)


@numpy(sliding_window_view, by_value=True)
def _sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    if not isinstance(x, Array) or not (is_integral(window_shape) or is_shape(window_shape)):
        return None
    sizes = len(window_shape.items) if isinstance(window_shape, Tuple) else 1
    axes = x.ndim if left_out(axis) else len(axis.items) if isinstance(axis, Tuple) else 1
    fits = left_out(axis) or is_integral(axis) or is_shape(axis)
    written = flag(writeable)
    if not fits or written is None:
        return None
    if sizes != axes:
        message = (_ALL_NEEDED if left_out(axis) else _AS_MANY).format(sizes, axes)

        def misfit(x, window_shape, axis=None, *, subok=False, writeable=False):
            raise ValueError(message)

        return misfit
    numbers, every = tuple(range(sizes)), tuple(range(x.ndim))
    some_axes = private(
        (lambda axis: every)
        if left_out(axis)
        else (lambda axis: axis)
        if isinstance(axis, Tuple)
        else (lambda axis: (axis,))
    )
    as_tuple = private(
        (lambda size: size) if isinstance(window_shape, Tuple) else (lambda size: (size,))
    )

    @private
    def windows(x, sizes, axes):
        for k in literal_unroll(numbers):
            if sizes[k] < 0:
                raise ValueError("`window_shape` cannot contain negative values")
        shape, strides = x.shape, x.strides
        steps = ()
        for k in literal_unroll(numbers):
            place = axis_of(x, axes[k])
            shape = _window_axis(shape, place, sizes[k])
            steps = steps + (strides[place],)  # noqa: RUF005  a list cannot be typed
        return strided(x, shape + sizes, strides + steps)

    def writeable_view(x, window_shape, axis=None, *, subok=False, writeable=False):
        return windows(x, as_tuple(window_shape), some_axes(axis))

    def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
        return read_only(windows(x, as_tuple(window_shape), some_axes(axis)))

    return writeable_view if written and not x.readonly else sliding_window_view


# --- shared memory ----------------------------------------------------------------------------


def memory_bounds(a):
    """The addresses of the first byte of an array, of the first byte past it, and of its first
    element."""
    low, high = np.lib.array_utils.byte_bounds(a)
    return low, high, a.__array_interface__["data"][0]


def _bounds_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(Tuple((types.int64,) * 3), (ty,)) if isinstance(ty, Array) else None


@primitive(memory_bounds, _bounds_rule, any_elements=True)
def find_bounds(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Two products an axis."""
    parts, ty = array_parts(args[0]), args[0].ty
    assert isinstance(ty, Array)
    low, high = extent(build, parts.data, parts.shape, parts.strides, item_size(ty.dtype))
    first = build.convert("ptrtoint", "ptr", parts.data, "i64")
    return make_tuple([Value(types.int64, (part,)) for part in (low, high, first)])


@private
def _may_share(a, b):
    """True if the memory between the first and the last byte of two arrays has bytes in common."""
    if a.size == 0 or b.size == 0:
        return False
    low, high, _ = memory_bounds(a)
    first, last, _ = memory_bounds(b)
    return low < last and first < high


@private
def _terms(a, b):
    """The steps of two arrays, all of them upward and the largest first, each with how often it can
    be taken."""
    count = a.ndim + b.ndim
    steps, most = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for k in range(a.ndim):
        steps[k], most[k] = abs(a.strides[k]), a.shape[k] - 1
    for k in range(b.ndim):
        steps[a.ndim + k], most[a.ndim + k] = abs(b.strides[k]), b.shape[k] - 1
    for end in range(count - 1, 0, -1):
        for k in range(end):
            if steps[k] < steps[k + 1]:
                steps[k], steps[k + 1] = steps[k + 1], steps[k]
                most[k], most[k + 1] = most[k + 1], most[k]
    return steps, most


@private
def _can_sum_to(low, high, steps, most):
    """True if steps, each taken some times, can come to a number from `low` to `high`."""
    count = len(steps)
    reach = np.zeros(count + 1, np.int64)  # of all steps from the k-th on
    for k in range(count - 1, -1, -1):
        reach[k] = reach[k + 1] + steps[k] * most[k]
    taken, total, k = np.full(count + 1, -1, np.int64), 0, 0
    while k >= 0:
        if k == count:
            if low <= total <= high:
                return True
            k -= 1
            continue
        step = steps[k]
        if taken[k] < 0:  # as few as leave enough to the others
            missing = low - total - reach[k + 1]
            taken[k] = max(-(-missing // step), 0) if step > 0 else 0
            total += taken[k] * step
        else:
            taken[k] += 1
            total += step
        if taken[k] > most[k] or total > high or (step == 0 and taken[k] > 0):
            total -= taken[k] * step
            taken[k] = -1
            k -= 1
        else:
            k += 1
    return False


@private
def _shares(a, b):
    """True if two arrays have a byte in common: steps upward from the first byte of one, and steps
    downward from the last byte of the other, meet."""
    if not _may_share(a, b):
        return False
    low, _, _ = memory_bounds(a)
    _, last, _ = memory_bounds(b)
    steps, most = _terms(a, b)
    distance = last - b.itemsize - low
    return _can_sum_to(distance - a.itemsize + 1, distance + b.itemsize - 1, steps, most)


@numpy(np.may_share_memory)
def _may_share_memory(a, b, /, max_work=0):
    fits = isinstance(a, Array) and isinstance(b, Array) and is_integral_or_default(max_work)
    return (lambda a, b, /, max_work=0: _may_share(a, b)) if fits else None


@numpy(np.shares_memory)
def _shares_memory(a, b, /, max_work=-1):
    fits = isinstance(a, Array) and isinstance(b, Array) and is_integral_or_default(max_work)
    return (lambda a, b, /, max_work=-1: _shares(a, b)) if fits else None


# --- the memory of buffers --------------------------------------------------------------------


def memory_as(buffer, dtype, count, offset):
    """So many elements of a dtype in memory that begins with a number of other bytes."""
    return np.frombuffer(buffer, dtype, count, offset)


def _memory_rule(arguments: Arguments) -> Signature | None:
    buffer, dtype, count, offset = arguments.types
    kind = dtype.dtype if isinstance(dtype, types.DType) else None
    if kind is None or not is_integral(count) or not is_integral(offset):
        return None
    if is_written(buffer, bytes):
        buffer = bytes_type
    owned = buffer.array if isinstance(buffer, Buffer) else buffer
    assert isinstance(owned, Array)
    view = Array(kind, 1, "C", owned.readonly, item_size(kind) == 1)
    return Signature(view, (buffer, dtype, types.int64, types.int64))


@primitive(memory_as, _memory_rule, any_elements=True)
def take_memory(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The same memory with another size."""
    parts = array_parts(as_array(args[0]) if isinstance(args[0].ty, Buffer) else args[0])
    assert isinstance(sig.returns, Array)
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    data, unit = build.offset(parts.data, args[3].parts[0]), str(item_size(sig.returns.dtype))
    view = ArrayParts(parts.owner, data, (args[2].parts[0],), (unit,))
    return array_value(sig.returns, view)


@numpy(np.frombuffer)
def _frombuffer(buffer, dtype=None, count=-1, offset=0):
    kind = wanted_dtype(dtype, types.float64)
    is_bytes = isinstance(buffer, Buffer) and buffer.cls is bytes
    if isinstance(buffer, Buffer) and not is_bytes:
        raise TypingError(
            f"np.frombuffer does not accept {buffer}, which can be resized while an array has its"
            " memory",
            hint="pass bytes, or call np.frombuffer outside and pass the array",
        )
    lends = isinstance(buffer, Array) and buffer.layout == "C"
    if kind is None or not (is_bytes or lends):
        return None
    if not is_integral_or_default(count) or not is_integral_or_default(offset):
        return None
    itemsize = kind.itemsize
    bytes_of = private((lambda b: len(b)) if is_bytes else (lambda b: b.nbytes))

    def frombuffer(buffer, dtype=None, count=-1, offset=0):
        size, wanted = bytes_of(buffer), int(count)
        if offset < 0 or offset > size:
            raise ValueError(
                f"offset must be non-negative and no greater than buffer length ({size})"
            )
        if wanted < 0:
            if (size - offset) % itemsize:
                raise ValueError("buffer size must be a multiple of element size")
            wanted = (size - offset) // itemsize
        elif wanted > (size - offset) // itemsize:
            raise ValueError("buffer is smaller than requested size")
        return memory_as(buffer, kind, wanted, int(offset))

    return frombuffer
