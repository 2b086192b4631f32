"""Sums of arrays in NumPy's order, to the last bit.

NumPy goes through the memory from low to high addresses, the axis with the smallest step
innermost, and adds a run of elements pairwise in blocks of 128.  Numbers of float16 are added in
float32, and rounded after each run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.lines import in_memory_order, line_at
from cutaway.library.arrays.kit.typers import (
    is_complex,
    is_in_columns,
    is_in_rows,
    private,
)
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.loops import has_loop, loop_pointer, stored
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, item_size
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Type

# --- one run ----------------------------------------------------------------------------------

_BLOCK = 128  # numbers that NumPy adds in eight lanes


@private
def pairwise(a, start, count):
    """The sum of so many floats or complex numbers of a line; of float16 a float32."""
    if is_complex(a):
        return _pairwise_complex(a, start, count)
    if count <= _BLOCK:
        return in_lanes(a, start, count)
    half = count // 2
    half -= half % 8
    return pairwise(a, start, half) + pairwise(a, start + half, count - half)


@static
def lane_dtype(argument: Any) -> np.dtype[Any]:
    """The dtype in which elements of an array are added in lanes."""
    dtype = element_dtype(argument)
    return np.dtype(np.float32) if dtype == np.float16 else dtype


@private
def in_lanes(a, start, count):
    """The sum of so many floats of a line, of which there are few; of float16 a float32."""
    of = lane_dtype(a).type
    if count < 8:
        total = of(-0.0)
        for k in range(start, start + count):
            total += of(a[k])
        return total
    r0, r1, r2, r3 = of(a[start]), of(a[start + 1]), of(a[start + 2]), of(a[start + 3])
    r4, r5, r6, r7 = of(a[start + 4]), of(a[start + 5]), of(a[start + 6]), of(a[start + 7])
    whole = count - count % 8
    for k in range(start + 8, start + whole, 8):
        r0 += of(a[k])
        r1 += of(a[k + 1])
        r2 += of(a[k + 2])
        r3 += of(a[k + 3])
        r4 += of(a[k + 4])
        r5 += of(a[k + 5])
        r6 += of(a[k + 6])
        r7 += of(a[k + 7])
    total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for k in range(start + whole, start + count):
        total += of(a[k])
    return total


@private
def _pairwise_complex(a, start, count):
    if count < 4:
        total = -a.dtype.type(0)
        for k in range(start, start + count):
            total += a[k]
        return total
    if 2 * count <= _BLOCK:
        r0, r1, r2, r3 = a[start], a[start + 1], a[start + 2], a[start + 3]
        whole = count - count % 4
        for k in range(start + 4, start + whole, 4):
            r0 += a[k]
            r1 += a[k + 1]
            r2 += a[k + 2]
            r3 += a[k + 3]
        total = (r0 + r1) + (r2 + r3)
        for k in range(start + whole, start + count):
            total += a[k]
        return total
    half = count // 2
    half -= half % 4
    return pairwise(a, start, half) + pairwise(a, start + half, count - half)


# --- through a buffer -------------------------------------------------------------------------

_BUFFER = 8192  # elements that NumPy copies or converts at a time


@private
def buffer_sizes(runs, converts):
    """The size of the buffer, and the number of elements after which it is never shared: whole
    inner axes as far as they fit go through it together, and as many of those as fit, but none
    across the end of the next axis."""
    shape, strides = runs.shape, runs.strides
    core, outer, group, step = 1, 0, 1, 0
    for k in range(runs.ndim - 1, -2, -1):
        if k >= 0:
            if shape[k] == 1:
                continue
            if group == 1:
                group, step = shape[k], strides[k]
                continue
            if strides[k] == group * step:
                group *= shape[k]
                continue
        if outer == 0:
            if core * group <= _BUFFER or (core == 1 and not converts):
                core *= group
            else:
                outer = core * group
        if k >= 0:
            group, step = shape[k], strides[k]
    core = max(core, 1)
    outer = max(core, outer)
    return min(max(_BUFFER // core, 1) * core, outer), outer


@private
def buffered_sum(runs, buffer, outer, total):
    """The sum of an array in memory order, whose elements are copied into a buffer first."""
    kind = buffer.dtype.type
    position, done, limit = 0, 0, len(buffer)
    length = runs.shape[-1]
    for r in range(runs.size // max(length, 1)):
        line = line_at(runs, r)
        k = 0
        while k < length:
            count = min(length - k, limit - position)
            buffer[position : position + count] = line[k : k + count]
            position += count
            k += count
            if position == limit:
                total = kind(total + pairwise(buffer, 0, position))
                done += position
                position = 0
                limit = min(len(buffer), outer - done % outer)
    return total


def runs_sum(runs, buffer, size, outer, total):
    """The same, by NumPy's own loop.  What is added at once is copied into the buffer, which has
    `size` elements, but where it lies in one line."""
    return buffered_sum(runs, np.empty(size, buffer.dtype), outer, total)


def _add_loop(dtype: Type) -> str:
    char = types.to_dtype(dtype).char
    return f"numpy.add.{char}{char}.{char}"


def _runs_rule(arguments: Arguments) -> Signature | None:
    runs, _, _, _, total = arguments.types
    return Signature(total, arguments.types) if isinstance(runs, Array) else None


@primitive(runs_sum, _runs_rule)
def lower_runs_sum(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One call of the runtime."""
    runs, buffer = array_parts(args[0]), array_parts(args[1])
    place, number = build.alloca("i64", 2), Array(sig.returns, 1, "C")
    store_element(build, number, args[4], place)
    arguments = [
        ("ptr", loop_pointer(build, _add_loop(sig.returns))),
        ("ptr", runs.data),
        ("i64", str(len(runs.shape))),
        ("ptr", stored(build, "i64", [*runs.shape, *runs.strides])),
        ("ptr", buffer.data),
        ("i64", args[2].parts[0]),
        ("i64", args[3].parts[0]),
        ("i64", str(item_size(sig.returns))),
        ("ptr", place),
    ]
    build.call("void", "cutaway_sum_runs", arguments)
    return load_element(build, number, place)


# --- a whole array ----------------------------------------------------------------------------


@static
def adds_by_numpy(a: Array) -> bool:
    """True if NumPy's own loop adds up elements of an array that may lie apart."""
    return a.aligned and has_loop(_add_loop(a.dtype))


@private
def total(a):
    """The sum of all elements, floats or complex numbers."""
    kind, zero = a.dtype.type, a.dtype.type(0)
    if is_in_rows(a):
        return kind(zero + pairwise(a.ravel(), 0, a.size))
    if is_in_columns(a):
        return kind(zero + pairwise(a.T.ravel(), 0, a.size))
    runs = in_memory_order(a)
    is_line = runs.shape[-1] == runs.size
    if adds_by_numpy(a):
        if is_line:
            return runs_sum(runs, np.empty(0, a.dtype), runs.size, runs.size, zero)
        size, outer = buffer_sizes(runs, False)
        return runs_sum(runs, np.empty(size, a.dtype), size, outer, zero)
    if is_line:
        return kind(zero + pairwise(line_at(runs, 0), 0, runs.size))
    size, outer = buffer_sizes(runs, False)
    return buffered_sum(runs, np.empty(size, a.dtype), outer, zero)
