"""One line slid along another one: `convolve correlate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.dtypes import joint
from cutaway.library.arrays.kit.elements import plain
from cutaway.library.arrays.kit.shapes import strided
from cutaway.library.arrays.kit.typers import are_elements, dimensions, is_array, numpy, private
from cutaway.library.arrays.products.blas import dots_into, has_products
from cutaway.library.arrays.products.dots import add_four, add_multiple, dot_lines
from cutaway.typing import types


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


def _is_mode(mode):
    return isinstance(mode, str | types.String | types.Choice | types.Str | types.Omitted)


BLOCK = 2048  # elements of the result that stay in the cache while products are added to them
FEW = 11  # so many products of floats NumPy adds in order, more with its library


@private
def _slide_by_dots(out, longer, shorter, start, zero):
    """At each place the product of the shorter line with what it lies on; `start` counts places
    from the first that both have an element at."""
    size, width = len(longer), len(shorter)
    for n in range(len(out)):
        first = n + start - width + 1
        low, high = max(first, 0), min(first + width, size)
        out[n] = dot_lines(longer[low:high], shorter[low - first : high - first], zero)


@private
def _set_multiple(out, x, row, zero):
    for j in range(len(out)):
        out[j] = zero + x * row[j]  # a sum starts with zero, which makes 0.0 of -0.0


@private
def _set_two(out, x, first, y, second, zero):
    for j in range(len(out)):
        out[j] = zero + x * first[j] + y * second[j]


@private
def _set_few(out, longer, shorter, zero):
    """Begin the sums of so many products that the rest are fours; returns how many."""
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
    """The same where all of the shorter line lies on the other: each of its elements times many at
    once, added in its order."""
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


def _sliding(dtype: np.dtype[Any]) -> Any:
    """What slides the shorter line along the longer one, a function of `out longer shorter start`,
    of lines of that dtype side by side."""
    zero, size = dtype.type(0), dtype.itemsize
    most = {"i": np.iinfo(np.int64).max, "u": np.iinfo(np.int64).max, "f": FEW}.get(dtype.kind, 0)
    if dtype.char == "e":
        most = 0

    def slide(out, longer, shorter, start):
        width = len(shorter)
        inside = min(max(width - 1 - start, 0), len(out))  # from there all of it lies on the other
        outside = max(min(len(longer) - start, len(out)), inside)
        _slide_by_dots(out[:inside], longer, shorter, start, zero)
        part, rest = out[inside:outside], longer[start + inside - width + 1 :]
        if width <= most and len(part):
            _add_products(part, rest, shorter, zero)
        elif len(part):
            dots_into(part, strided(rest, (len(part), width), (size, size)), shorter)
        _slide_by_dots(out[outside:], longer, shorter, start + outside, zero)

    return private(slide)


def _register_slide(function: Any, usual: str, names: tuple[str, str], step: int) -> None:
    """A function of NumPy that takes the line that slides with this step."""
    first, second = (f"{name} cannot be empty" for name in names)

    @numpy(function)
    def slide(a, v, mode=usual):
        if not is_array(a) or not is_array(v) or a.ndim != 1 or v.ndim != 1 or not _is_mode(mode):
            return None
        dtype = joint(a, v)
        if not has_products(dtype):
            return None
        along = _sliding(dtype)
        sliding = _conjugate_line if dtype.kind == "c" and step > 0 else _line

        def implementation(a, v, mode=usual):
            if len(a) == 0:
                raise ValueError(first)
            if len(v) == 0:
                raise ValueError(second)
            start, count = _margin(mode, max(len(a), len(v)), min(len(a), len(v)))
            out = np.empty(count, dtype)
            if len(a) >= len(v):
                along(out, _line(a, dtype), sliding(v[::step], dtype), start)
                return out
            along(out, sliding(v, dtype), _line(a[::step], dtype), start)
            return out if step < 0 else out[::-1].copy()

        return implementation


@private
def _line(a, dtype):
    return np.ascontiguousarray(plain(a, dtype))


@private
def _conjugate_line(a, dtype):
    return np.conjugate(_line(a, dtype))


_register_slide(np.convolve, "full", ("a", "v"), -1)
_register_slide(np.correlate, "valid", ("first array argument", "second array argument"), 1)


@numpy(np.convolve)
def _convolve_single(a, v, mode="full"):
    """A number, or an array without dimensions, is a line of one element."""
    if not are_elements(a, v) or 0 not in (dimensions(a), dimensions(v)):
        return None
    if max(dimensions(a), dimensions(v)) > 1 or not _is_mode(mode):
        return None
    return lambda a, v, mode="full": np.convolve(np.atleast_1d(a), np.atleast_1d(v), mode)
