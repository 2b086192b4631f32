"""Views of shared memory: `as_strided sliding_window_view frombuffer`, and tests for sharing:
`may_share_memory shares_memory`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import float_or
from cutaway.library.arrays.kit.shapes import replaced, strided
from cutaway.library.arrays.kit.takes import (
    Anything,
    Elements,
    Flag,
    Integer,
    IntegerOrNone,
    IntsOrNone,
    NumberDtype,
    Sizes,
    SizesOrNone,
    as_tuple,
    numpy,
)
from cutaway.library.arrays.kit.typers import (
    is_in_rows,
    is_integral,
    left_out,
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

# --- views with given strides -----------------------------------------------------------------


@private
def _dense_steps(shape, itemsize):
    """The strides of a contiguous array."""
    steps, step = shape, itemsize
    for k in range(len(shape) - 1, -1, -1):
        steps = replaced(steps, k, step)
        step *= shape[k]
    return steps


@static
def _check_steps(x: Array, shape: Any, strides: Any) -> None:
    """Refuse strides whose number differs from that of the view's axes."""
    axes = x.ndim if left_out(shape) else len(shape.items)
    dense = left_out(strides) and x.layout == "C"
    if not dense and axes != (x.ndim if left_out(strides) else len(strides.items)):
        raise TypingError(
            "mismatch in length of strides and shape", hint="give a step for each axis"
        )


@numpy(as_strided)
def as_strided_view(
    x: Elements,
    shape: IntsOrNone = None,
    strides: IntsOrNone = None,
    subok: Anything = False,
    writeable: Flag = True,
):
    """A view with the given shape and strides."""
    _check_steps(x, shape, strides)
    sizes = x.shape if shape is None else as_tuple(shape)
    if strides is not None:
        view = strided(x, sizes, as_tuple(strides))
    elif is_in_rows(x):
        view = strided(x, sizes, _dense_steps(sizes, x.itemsize))
    else:
        view = strided(x, sizes, x.strides)
    return view if writeable and x.flags.writeable else read_only(view)


@private
def _window_axis(shape, axis, size):
    """A shape with an axis shortened to the number of windows along it."""
    if size > shape[axis]:
        raise ValueError("window shape cannot be larger than input array shape")
    return replaced(shape, axis, shape[axis] - size + 1)


@private
def _every_axis(x):
    axes = x.shape
    for k in range(x.ndim):
        axes = replaced(axes, k, k)
    return axes


@private
def _windows(x, sizes, axes):
    for size in sizes:
        if size < 0:
            raise ValueError("`window_shape` cannot contain negative values")
    shape, strides, steps = x.shape, x.strides, sizes
    for k in range(len(sizes)):
        place = axis_of(x, axes[k])
        shape = _window_axis(shape, place, sizes[k])
        steps = replaced(steps, k, strides[place])
    return strided(x, shape + sizes, strides + steps)


@numpy(sliding_window_view)
def windows(
    x: Elements,
    window_shape: Sizes,
    axis: SizesOrNone = None,
    *,
    subok: Anything = False,
    writeable: Flag = False,
):
    """All windows of a shape, as views."""
    sizes = as_tuple(window_shape)
    axes = _every_axis(x) if axis is None else as_tuple(axis)
    if len(sizes) != len(axes):
        if axis is None:
            raise ValueError(
                "Since axis is `None`, must provide window_shape for all dimensions of `x`; got"
                f" {len(sizes)} window_shape elements and `x.ndim` is {x.ndim}."
            )
        raise ValueError(
            f"Must provide matching length window_shape and axis; got {len(sizes)} window_shape"
            f" elements and {len(axes)} axes elements."
        )
    view = _windows(x, sizes, axes)
    return view if writeable and x.flags.writeable else read_only(view)


# --- shared memory ----------------------------------------------------------------------------


def memory_bounds(a):
    """The addresses of an array's first byte, of the end of its memory, and of its first
    element."""
    low, high = np.lib.array_utils.byte_bounds(a)
    return low, high, a.__array_interface__["data"][0]


def _bounds_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(Tuple((types.int64,) * 3), (ty,)) if isinstance(ty, Array) else None


@primitive(memory_bounds, _bounds_rule, any_elements=True)
def find_bounds(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit two products per axis."""
    parts, ty = array_parts(args[0]), args[0].ty
    assert isinstance(ty, Array)
    low, high = extent(build, parts.data, parts.shape, parts.strides, item_size(ty.dtype))
    first = build.convert("ptrtoint", "ptr", parts.data, "i64")
    return make_tuple([Value(types.int64, (part,)) for part in (low, high, first)])


@private
def _may_share(a, b):
    """True if the memory extents of two arrays overlap."""
    if a.size == 0 or b.size == 0:
        return False
    low, high, _ = memory_bounds(a)
    first, last, _ = memory_bounds(b)
    return low < last and first < high


@private
def _terms(a, b):
    """The absolute strides of two arrays, largest first, each with its maximum count."""
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
    """True if multiples of steps, within their counts, can sum to a number from `low` to `high`."""
    count = len(steps)
    reach = np.zeros(count + 1, np.int64)  # the largest sum of the steps from the k-th on
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
        if taken[k] < 0:  # the fewest that leave a reachable rest
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
    """True if two arrays share a byte: strides upward from the first byte of one meet strides
    downward from the last byte of the other."""
    if not _may_share(a, b):
        return False
    low, _, _ = memory_bounds(a)
    _, last, _ = memory_bounds(b)
    steps, most = _terms(a, b)
    distance = last - b.itemsize - low
    return _can_sum_to(distance - a.itemsize + 1, distance + b.itemsize - 1, steps, most)


@numpy(np.may_share_memory)
def may_share_memory(a: Elements, b: Elements, /, max_work: IntegerOrNone = 0):
    return _may_share(a, b)


@numpy(np.shares_memory)
def shares_memory(a: Elements, b: Elements, /, max_work: IntegerOrNone = -1):
    return _shares(a, b)


# --- the memory of buffers --------------------------------------------------------------------


def memory_as(buffer, dtype, count, offset):
    """`count` elements of a dtype in a buffer, from a byte offset on."""
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
    """Emit a view of the same memory with another size."""
    parts = array_parts(as_array(args[0]) if isinstance(args[0].ty, Buffer) else args[0])
    assert isinstance(sig.returns, Array)
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    data, unit = build.offset(parts.data, args[3].parts[0]), str(item_size(sig.returns.dtype))
    view = ArrayParts(parts.owner, data, (args[2].parts[0],), (unit,))
    return array_value(sig.returns, view)


def _lends(buffer: Any) -> bool:
    """True for bytes and C-ordered arrays. Raises TypingError for a buffer that can be resized."""
    if isinstance(buffer, Buffer) and buffer.cls is not bytes:
        raise TypingError(
            f"np.frombuffer does not accept {buffer}, which can be resized while an array has its"
            " memory",
            hint="pass bytes, or call np.frombuffer outside and pass the array",
        )
    return isinstance(buffer, Buffer) or (isinstance(buffer, Array) and buffer.layout == "C")


Lent = Takes("bytes, or an array in C order", _lends)


@numpy(np.frombuffer)
def frombuffer(buffer: Lent, dtype: NumberDtype = None, count: Integer = -1, offset: Integer = 0):
    """An array over the memory of a buffer."""
    kind, wanted = float_or(dtype), int(count)
    size = buffer.nbytes if isinstance(buffer, np.ndarray) else len(buffer)
    if offset < 0 or offset > size:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({size})")
    if wanted < 0:
        if (size - offset) % kind.itemsize:
            raise ValueError("buffer size must be a multiple of element size")
        wanted = (size - offset) // kind.itemsize
    elif wanted > (size - offset) // kind.itemsize:
        raise ValueError("buffer is smaller than requested size")
    return memory_as(buffer, kind, wanted, int(offset))
