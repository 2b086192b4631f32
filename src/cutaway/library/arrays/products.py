"""Products of arrays: `dot vdot inner outer kron cross matmul`, `trace`."""

from __future__ import annotations

import operator

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.blas import (
    is_in_blas,
    multiply_lines,
    multiply_tables_into,
    ready,
)
from cutaway.library.arrays.kit.dtypes import joint, sum_dtype
from cutaway.library.arrays.kit.elements import result_is_number, single
from cutaway.library.arrays.kit.operations import PRODUCTS
from cutaway.library.arrays.kit.shapes import require
from cutaway.library.arrays.kit.sizes import clamped
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    is_array,
    is_integral_or_default,
    is_number,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Boolean, Complex

# --- a line times a line ----------------------------------------------------------------------


def dot_lines(a, b, zero):  # type: ignore[no-untyped-def]
    """The sum of the products of two lines of one length, as numbers like `zero`."""
    return np.dot(a, b) + zero


LANES = 8  # sums side by side, which become vector instructions


@overload(dot_lines, jit_options=OPTIONS)
def _dot_lines(a, b, zero):  # type: ignore[no-untyped-def]
    cast = types.to_dtype(zero).type

    def plain(a, b, zero):  # type: ignore[no-untyped-def]
        total = zero
        for k in range(len(a)):
            total += a[k] * b[k]
        return cast(total)

    def in_lanes(a, b, zero):  # type: ignore[no-untyped-def]
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
        end = len(a) - len(a) % LANES
        for k in range(0, end, LANES):
            s0 += a[k] * b[k]
            s1 += a[k + 1] * b[k + 1]
            s2 += a[k + 2] * b[k + 2]
            s3 += a[k + 3] * b[k + 3]
            s4 += a[k + 4] * b[k + 4]
            s5 += a[k + 5] * b[k + 5]
            s6 += a[k + 6] * b[k + 6]
            s7 += a[k + 7] * b[k + 7]
        total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
        for k in range(end, len(a)):
            total += a[k] * b[k]
        return total

    def of_bools(a, b, zero):  # type: ignore[no-untyped-def]
        for k in range(len(a)):
            if a[k] and b[k]:
                return True
        return zero

    if isinstance(zero, Boolean):
        return of_bools
    if is_in_blas(a, b):
        return lambda a, b, zero: multiply_lines(a, b)
    return in_lanes if isinstance(zero, types.Float) else plain


_NOT_ALIGNED = "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})"


@private
def _require_aligned(first, second, size, other, axis):  # type: ignore[no-untyped-def]
    require(size == other, _NOT_ALIGNED, (first, second, size, len(first) - 1, other, axis))


def dot_kind(a, b):  # type: ignore[no-untyped-def]
    """The dtype of a product of arrays, its zero, and a class that makes its numbers."""
    dtype = joint(a, b)
    return dtype, dtype.type(0), dtype.type


# --- a line times a table, and tables ---------------------------------------------------------


@private
def multiply_tables(out, a, b):  # type: ignore[no-untyped-def]
    """Add the product of two tables to `out`: by rows, so that the inner loop goes through
    memory in order; in blocks of rows of `b` that stay in the cache."""
    block = 64
    for start in range(0, b.shape[0], block):
        stop = min(start + block, b.shape[0])
        for i in range(a.shape[0]):
            row, line = out[i], a[i]
            fours = stop - (stop - start) % 4
            for k in range(start, fours, 4):
                _add_four(row, line[k : k + 4], b[k], b[k + 1], b[k + 2], b[k + 3])
            for k in range(fours, stop):
                _add_multiple(row, line[k], b[k])


@private
def _add_four(out, line, r0, r1, r2, r3):  # type: ignore[no-untyped-def]
    """As four times `_add_multiple`, but `out` is read and written once."""
    x0, x1, x2, x3 = line[0], line[1], line[2], line[3]
    for j in range(len(out)):
        out[j] = out[j] + x0 * r0[j] + x1 * r1[j] + x2 * r2[j] + x3 * r3[j]


@private
def _add_multiple(out, x, row):  # type: ignore[no-untyped-def]
    for j in range(len(out)):
        out[j] += x * row[j]


def _dot_of(a, b, check, prepared):  # type: ignore[no-untyped-def]
    """Multiplies arrays of one and two dimensions; `check` raises if they do not fit, `prepared` is
    what NumPy's function for tables is given."""
    dtype, zero, cast = dot_kind(a, b)

    def lines(a, b):  # type: ignore[no-untyped-def]
        check(a, b, a.shape[0], b.shape[0], 0)
        return dot_lines(a, b, zero)

    def table_and_line(a, b):  # type: ignore[no-untyped-def]
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.empty(a.shape[0], dtype)
        for k in range(len(out)):
            out[k] = dot_lines(a[k], b, zero)
        return out

    def line_and_table(a, b):  # type: ignore[no-untyped-def]
        check(a, b, a.shape[0], b.shape[0], 0)
        out = np.zeros(b.shape[1], dtype)
        for k in range(len(a)):
            _add_multiple(out, cast(a[k]), b[k])
        return out

    def tables(a, b):  # type: ignore[no-untyped-def]
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.zeros((a.shape[0], b.shape[1]), dtype)
        multiply_tables(out, a, np.ascontiguousarray(b))
        return out

    def table_and_line_by_blas(a, b):  # type: ignore[no-untyped-def]
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.empty(a.shape[0], dtype)
        multiply_tables_into(out[:, None], prepared(a), b[:, None])
        return out

    def line_and_table_by_blas(a, b):  # type: ignore[no-untyped-def]
        check(a, b, a.shape[0], b.shape[0], 0)
        out = np.empty(b.shape[1], dtype)
        multiply_tables_into(out[None, :], a[None, :], prepared(b))
        return out

    def tables_by_blas(a, b):  # type: ignore[no-untyped-def]
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.empty((a.shape[0], b.shape[1]), dtype)
        multiply_tables_into(out, prepared(a), prepared(b))
        return out

    if is_in_blas(a, b):
        line_and_table, table_and_line = line_and_table_by_blas, table_and_line_by_blas
        tables = tables_by_blas
    by_dimensions = {(1, 1): lines, (2, 1): table_and_line, (1, 2): line_and_table, (2, 2): tables}
    chosen = by_dimensions.get((a.ndim, b.ndim))
    return None if chosen is None else private(chosen)


@private
def _check_dot(a, b, size, other, axis):  # type: ignore[no-untyped-def]
    _require_aligned(a.shape, b.shape, size, other, axis)


@private
def _check_matmul(a, b, size, other, axis):  # type: ignore[no-untyped-def]
    if size != other:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature"
            f" (n?,k),(k,m?)->(n?,m?) (size {other} is different from {size})"
        )


def _dot(a, b):  # type: ignore[no-untyped-def]
    if not are_elements(a, b):
        return None
    if is_number(a) and is_number(b):
        return lambda a, b: a * b
    if result_is_number(a, b):
        cast = joint(a, b).type
        return lambda a, b: cast(cast(single(a)) * cast(single(b)))
    if not dimensions(a) or not dimensions(b):
        return lambda a, b: _scaled(a, b)
    product = _dot_of(a, b, _check_dot, ready)
    return None if product is None else (lambda a, b: product(a, b))


def _scaled(a, b):  # type: ignore[no-untyped-def]
    return np.multiply(np.asarray(a), np.asarray(b))


@overload(_scaled, jit_options=OPTIONS)
def _scaled_typer(a, b):  # type: ignore[no-untyped-def]
    dtype = joint(a, b)
    zero, cast = dtype.type(0), dtype.type

    def of_array(array, x):  # type: ignore[no-untyped-def]
        out = np.empty(array.shape, dtype)
        line, k = out.ravel(), 0
        for element in array.flat:
            line[k] = zero + cast(element) * cast(single(x))  # never -0.0, as NumPy has it
            k += 1
        return out

    scaled = private(of_array)
    return (lambda a, b: scaled(a, b)) if dimensions(a) else (lambda a, b: scaled(b, a))


@private
def _as_it_is(a):  # type: ignore[no-untyped-def]
    return a


def _matmul(a, b, /):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(b):
        return None
    product = _dot_of(a, b, _check_matmul, _as_it_is)
    return None if product is None else (lambda a, b, /: product(a, b))


_TYPERS = {np.dot: _dot, np.matmul: _matmul, operator.matmul: _matmul}

for _row in PRODUCTS:
    numpy(_row.function, *_row.methods)(_TYPERS[_row.function])


@private
def _conjugate_times(a, b, zero):  # type: ignore[no-untyped-def]
    total = zero
    for k in range(len(a)):
        total += a[k].conjugate() * b[k]
    return total


@numpy(np.vdot)
def _vdot(a, b):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(b):
        return None
    dtype, zero, cast = dot_kind(a, b)
    conjugates = isinstance(a.dtype, Complex)

    def vdot(a, b):  # type: ignore[no-untyped-def]
        if a.size != b.size:
            raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
        if conjugates:
            return _conjugate_times(a.ravel(), b.ravel(), zero)
        return dot_lines(a.ravel(), b.ravel(), zero)

    return vdot


@numpy(np.inner)
def _inner(a, b):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(b) or not a.ndim or not b.ndim:
        return None
    dtype, zero, _ = dot_kind(a, b)

    def lines(a, b):  # type: ignore[no-untyped-def]
        _require_aligned(a.shape, b.shape, a.shape[0], b.shape[0], 0)
        return dot_lines(a, b, zero)

    def tables(a, b):  # type: ignore[no-untyped-def]
        _require_aligned(a.shape, b.shape, a.shape[1], b.shape[1], 1)
        out = np.empty((a.shape[0], b.shape[0]), dtype)
        for i in range(a.shape[0]):
            for j in range(b.shape[0]):
                out[i, j] = dot_lines(a[i], b[j], zero)
        return out

    def tables_by_blas(a, b):  # type: ignore[no-untyped-def]
        _require_aligned(a.shape, b.shape, a.shape[1], b.shape[1], 1)
        out = np.empty((a.shape[0], b.shape[0]), dtype)
        multiply_tables_into(out, ready(a), ready(b.T))
        return out

    if is_in_blas(a, b):
        tables = tables_by_blas
    return {(1, 1): lines, (2, 2): tables}.get((a.ndim, b.ndim))


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
