"""Convolution and correlation of lines: `convolve correlate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.dtypes import element_dtype, joint_dtype
from cutaway.library.arrays.kit.elements import plain
from cutaway.library.arrays.kit.shapes import strided
from cutaway.library.arrays.kit.takes import numpy
from cutaway.library.arrays.kit.typers import are_elements, dimensions, private
from cutaway.library.arrays.products.blas import dots_into
from cutaway.library.arrays.products.dots import (
    add_four,
    add_multiple,
    dot_lines,
    require_products,
)
from cutaway.typing import types

LineOrNumber = Takes("a line of numbers", lambda a: are_elements(a) and dimensions(a) < 2)


@private
def _margin(mode, longer, shorter):
    """The start of the result within the full one, and its length."""
    if mode == "full":
        return 0, longer + shorter - 1
    if mode == "same":
        return (shorter - 1) // 2, longer
    if mode == "valid":
        return shorter - 1, longer - shorter + 1
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")


Mode = Takes(
    "a string",
    lambda mode: isinstance(mode, types.String | types.Choice | types.Str | types.Omitted),
)


BLOCK = 2048  # results that stay in the cache while products are added
FEW = 11  # up to this length NumPy adds products in order, beyond by BLAS


@private
def _slide_by_dots(out, longer, shorter, start, zero):
    """Store at each offset the dot product over the overlap; `start` counts offsets from the first
    overlap."""
    size, width = len(longer), len(shorter)
    for n in range(len(out)):
        first = n + start - width + 1
        low, high = max(first, 0), min(first + width, size)
        out[n] = dot_lines(longer[low:high], shorter[low - first : high - first], zero)


@private
def _set_multiple(out, x, row, zero):
    for j in range(len(out)):
        out[j] = zero + x * row[j]  # sums start with zero, which turns -0.0 into 0.0


@private
def _set_two(out, x, first, y, second, zero):
    for j in range(len(out)):
        out[j] = zero + x * first[j] + y * second[j]


@private
def _set_few(out, longer, shorter, zero):
    """Begin the sums with as many products as leave a multiple of four; returns their number."""
    size, few = len(out), len(shorter) % 4
    if few == 0:
        out[...] = zero
    elif few == 1:
        _set_multiple(out, shorter[0], longer[:size], zero)
    else:
        _set_two(out, shorter[0], longer[:size], shorter[1], longer[1 : 1 + size], zero)
    if few == 3:
        add_multiple(out, shorter[2], longer[2 : 2 + size])
    return few


@private
def _add_products(out, longer, shorter, zero):
    """Store the products where the shorter line lies fully inside the longer: for each of its
    elements, a vectorized loop adds in order."""
    for low in range(0, len(out), BLOCK):
        part = out[low : low + BLOCK]
        size, few = len(part), _set_few(part, longer[low:], shorter, zero)
        for k in range(few, len(shorter), 4):
            first = low + k
            add_four(
                part,
                shorter[k : k + 4],
                longer[first : first + size],
                longer[first + 1 : first + 1 + size],
                longer[first + 2 : first + 2 + size],
                longer[first + 3 : first + 3 + size],
            )


@static
def _most(out: Any) -> int:
    """The number of products of a dtype that are added in order."""
    dtype = element_dtype(out)
    if dtype == np.float16:
        return 0
    return FEW if dtype.kind == "f" else 2**62 if dtype.kind in "iu" else 0


@private
def _slide(out, longer, shorter, start):
    """Correlate two contiguous lines of one dtype."""
    width, zero, step = len(shorter), element_dtype(out).type(0), out.itemsize
    inside = min(max(width - 1 - start, 0), len(out))  # from here on the overlap is full
    outside = max(min(len(longer) - start, len(out)), inside)
    _slide_by_dots(out[:inside], longer, shorter, start, zero)
    part, rest = out[inside:outside], longer[start + inside - width + 1 :]
    if _most(out) > 0 and width <= _most(out) and len(part):
        _add_products(part, rest, shorter, zero)
    elif len(part):
        dots_into(part, strided(rest, (len(part), width), (step, step)), shorter)
    _slide_by_dots(out[outside:], longer, shorter, start + outside, zero)


@private
def _line(a, dtype):
    return np.ascontiguousarray(plain(a, dtype))


@private
def _sliding_line(a, dtype, conjugates):
    line = _line(a, dtype)
    return np.conjugate(line) if conjugates and dtype.kind == "c" else line


def _register_slide(function: Any, usual: str, names: tuple[str, str], step: int) -> None:
    """Register a NumPy function that reads the sliding line with this step."""
    first, second = (f"{name} cannot be empty" for name in names)

    @numpy(function)
    def slide(a: LineOrNumber, v: LineOrNumber, mode: Mode = usual):
        if step < 0 and (
            dimensions(a) == 0 or dimensions(v) == 0
        ):  # a number counts as a line of one element
            return np.convolve(np.atleast_1d(a), np.atleast_1d(v), mode)
        if dimensions(a) == 0 or dimensions(v) == 0:
            refuse("only lines are correlated", "`np.atleast_1d` makes one of a number")
        require_products(a, v)
        dtype = joint_dtype(a, v)
        if len(a) == 0:
            raise ValueError(first)
        if len(v) == 0:
            raise ValueError(second)
        start, count = _margin(mode, max(len(a), len(v)), min(len(a), len(v)))
        out = np.empty(count, dtype)
        if len(a) >= len(v):
            _slide(out, _line(a, dtype), _sliding_line(v[::step], dtype, step > 0), start)
            return out
        _slide(out, _sliding_line(v, dtype, step > 0), _line(a[::step], dtype), start)
        return out if step < 0 else out[::-1].copy()


_register_slide(np.convolve, "full", ("a", "v"), -1)
_register_slide(np.correlate, "valid", ("first array argument", "second array argument"), 1)
