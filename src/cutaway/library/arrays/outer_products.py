"""Products of each with each: `outer kron cross tensordot`, and `trace`."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.dtypes import sum_dtype
from cutaway.library.arrays.kit.sizes import clamped
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral_or_default,
    numpy,
    private,
)
from cutaway.library.arrays.products import dot_kind
from cutaway.typing import types


@numpy(np.outer)
def _outer(a, b):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(b):
        return None
    dtype, _, cast = dot_kind(a, b)

    def outer(a, b):  # type: ignore[no-untyped-def]
        rows, columns = a.ravel(), b.ravel()
        out = np.empty((len(rows), len(columns)), dtype)
        for i in range(len(rows)):
            x = cast(rows[i])
            for j in range(len(columns)):
                out[i, j] = x * cast(columns[j])
        return out

    return outer


@numpy(np.kron)
def _kron(a, b):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(b):
        return None
    dtype, _, cast = dot_kind(a, b)

    def lines(a, b):  # type: ignore[no-untyped-def]
        out = np.empty(len(a) * len(b), dtype)
        for i in range(len(a)):
            for j in range(len(b)):
                out[i * len(b) + j] = cast(a[i]) * cast(b[j])
        return out

    def tables(a, b):  # type: ignore[no-untyped-def]
        rows, columns = b.shape
        out = np.empty((a.shape[0] * rows, a.shape[1] * columns), dtype)
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                x = cast(a[i, k])
                for m in range(rows):
                    for n in range(columns):
                        out[i * rows + m, k * columns + n] = x * cast(b[m, n])
        return out

    return {(1, 1): lines, (2, 2): tables}.get((a.ndim, b.ndim))


@private
def _cross_into(out, a, b, cast):  # type: ignore[no-untyped-def]
    a0, a1, a2 = cast(a[0]), cast(a[1]), cast(a[2])
    b0, b1, b2 = cast(b[0]), cast(b[1]), cast(b[2])
    out[0] = a1 * b2 - a2 * b1
    out[1] = a2 * b0 - a0 * b2
    out[2] = a0 * b1 - a1 * b0


@private
def _require_two_or_three(first, second):  # type: ignore[no-untyped-def]
    if first not in (2, 3) or second not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if first != 3 or second != 3:
        raise ValueError(
            "incompatible dimensions for cross product\n(dimension must be 3 in compiled code)"
        )


@private
def _require_three(first, second):  # type: ignore[no-untyped-def]
    if first != 3 or second != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are"
            f" {first} and {second} dimensional instead."
        )


# NumPy took vectors of two until 2.5.
_TAKES_TWO = np.lib.NumpyVersion(np.__version__) < "2.5.0"
_require_vectors = _require_two_or_three if _TAKES_TWO else _require_three


@numpy(np.cross)
def _cross(a, b):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(b) or a.ndim != b.ndim:
        return None
    dtype, _, cast = dot_kind(a, b)

    def lines(a, b):  # type: ignore[no-untyped-def]
        _require_vectors(len(a), len(b))
        out = np.empty(3, dtype)
        _cross_into(out, a, b, cast)
        return out

    def tables(a, b):  # type: ignore[no-untyped-def]
        _require_vectors(a.shape[1], b.shape[1])
        if a.shape != b.shape:
            raise ValueError("operands could not be broadcast together")
        out = np.empty(a.shape, dtype)
        for k in range(len(a)):
            _cross_into(out[k], a[k], b[k], cast)
        return out

    return {1: lines, 2: tables}.get(a.ndim)


@numpy(np.trace, "trace")
def _trace(a, offset=0):  # type: ignore[no-untyped-def]
    if not is_array(a) or a.ndim != 2 or not is_integral_or_default(offset):
        return None
    out_dtype = sum_dtype(a, None)
    assert out_dtype is not None
    zero = out_dtype.type(0)

    def trace(a, offset=0):  # type: ignore[no-untyped-def]
        total = zero
        place = clamped(offset, a.shape[0], a.shape[1])
        row, column = max(-place, 0), max(place, 0)
        while row < a.shape[0] and column < a.shape[1]:
            total += a[row, column]
            row += 1
            column += 1
        return total

    def trace_of_floats(a, offset=0):  # type: ignore[no-untyped-def]
        """In NumPy's order: that of the sum of a line."""
        place = clamped(offset, a.shape[0], a.shape[1])
        row, column = max(-place, 0), max(place, 0)
        line = np.empty(max(min(a.shape[0] - row, a.shape[1] - column), 0), out_dtype)
        for k in range(len(line)):
            line[k] = a[row + k, column + k]
        return line.sum()

    return trace if types.is_integral(a.dtype) else trace_of_floats
