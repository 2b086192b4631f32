"""Chains and powers of matrices, and what `np` has under the same names."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.constants import Known, numpy_of_constants
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.layout.shaping import read_only
from cutaway.library.arrays.products.outer import diagonals_of
from cutaway.library.linalg.kinds import are_stacks, require_square
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- powers -----------------------------------------------------------------------------------


@numpy(np.linalg.matrix_power, by_value=True)
def _matrix_power(a, n):
    if not are_stacks(a) or not is_integral(n):
        return None
    if isinstance(n, types.Literal):
        return _constant_power(int(n.literal_value))
    if types.is_integral(a.dtype):
        return _integer_power(types.to_dtype(a.dtype), _kept(a))
    dtype, kept = types.to_dtype(a.dtype), _kept(a)

    def matrix_power(a, n):
        require_square(a)
        if n == 0:
            return _ones_like(a, dtype)
        if n == 1:
            return kept(a)
        return _power(np.linalg.inv(a) if n < 0 else a.copy(), abs(n))

    return matrix_power


def _integer_power(dtype: Any, kept: Any) -> Any:
    """A power of integers, or of bools, whose exponent is not negative: of one that is, NumPy gives
    floats."""

    def matrix_power(a, n):
        require_square(a)
        if n < 0:
            raise ValueError(_NEGATIVE)
        if n == 0:
            return _ones_like(a, dtype)
        return _power(a.copy(), n) if n != 1 else kept(a)

    return matrix_power


def _kept(a: Any) -> Any:
    """The function that gives the first power: the matrix itself, but of one that is read-only a
    copy, for results of other powers are not, and have the same type."""
    return private((lambda a: a.copy()) if a.readonly else (lambda a: a))


_NEGATIVE = "a negative power of integers is one of floats: convert the matrix first"


@private
def _ones_like(a, dtype):
    out = np.zeros(a.shape, dtype)
    for k in range(a.shape[-1]):
        out[..., k, k] = 1
    return out


@private
def _power(a, n):
    """The power of a stack, for a positive exponent, in the order in which NumPy multiplies."""
    if n == 3:
        return np.matmul(np.matmul(a, a), a)
    z = a
    while n % 2 == 0:
        z = np.matmul(z, z)
        n //= 2
    result, n = z, n // 2
    while n > 0:
        z = np.matmul(z, z)
        if n % 2:
            result = np.matmul(result, z)
        n //= 2
    return result


def _constant_power(n: int) -> Any:
    def of_zero(a, n):
        require_square(a)
        return _ones_like(a, a.dtype)

    def of_one(a, n):
        require_square(a)
        return a

    def positive(a, n):
        require_square(a)
        return _power(np.ascontiguousarray(a), n)

    def negative(a, n):
        return _power(np.linalg.inv(a), -n)

    return {0: of_zero, 1: of_one}.get(n, positive if n > 0 else negative)


# --- chains -----------------------------------------------------------------------------------


@numpy(np.linalg.multi_dot)
def _multi_dot(arrays, *, out=None):
    if not isinstance(arrays, Tuple) or not all(map(is_array, arrays.items)):
        return None
    if len(arrays.items) < 2:
        raise TypingError("Expecting at least two arrays.")
    if not left_out(out):
        return _multi_dot_into(arrays, out)
    if len(arrays.items) == 2:
        return lambda arrays, *, out=None: np.dot(arrays[0], arrays[1])
    _check_dimensions(arrays)
    of_tables = _chain(len(arrays.items))
    first, last = (arrays.items[k].ndim == 1 for k in (0, -1))

    def multi_dot(arrays, *, out=None):
        return of_tables(arrays)

    def from_line(arrays, *, out=None):
        return of_tables((arrays[0][None, :],) + arrays[1:]).ravel()  # noqa: RUF005

    def to_line(arrays, *, out=None):
        return of_tables(arrays[:-1] + (arrays[-1][:, None],)).ravel()  # noqa: RUF005

    def between_lines(arrays, *, out=None):
        tables = (arrays[0][None, :],) + arrays[1:-1] + (arrays[-1][:, None],)  # noqa: RUF005
        return of_tables(tables)[0, 0]

    if first:
        return between_lines if last else from_line
    return to_line if last else multi_dot


def _check_dimensions(arrays: Tuple) -> None:
    for k, array in enumerate(arrays.items):
        assert isinstance(array, Array)
        at_end = k in (0, len(arrays.items) - 1)
        if array.ndim != 2 and not (at_end and array.ndim == 1):
            raise TypingError(
                f"{array.ndim}-dimensional array given. Array must be two-dimensional"
            )


def _multi_dot_into(arrays: Tuple, out: Any) -> Any:
    if not isinstance(out, Array) or out.readonly:
        raise TypingError("the output of np.linalg.multi_dot must be a writeable array")

    def stored(arrays, *, out=None):
        result = np.asarray(np.linalg.multi_dot(arrays))
        if result.shape != out.shape:
            raise ValueError("output array has wrong dimensions")
        out[...] = result
        return out

    return stored


def _chain(count: int) -> Any:
    """A function of so many tables: their product, in the cheapest order."""
    # For each range of tables a function of all tables and of where each range is split.
    products: dict[tuple[int, int], Any] = {(k, k): _item(k) for k in range(count)}
    for length in range(1, count):
        for i in range(count - length):
            splits = range(i, i + length)
            pairs = [_product(products[i, k], products[k + 1, i + length]) for k in splits]
            numbered = list(zip(splits, pairs, strict=True))
            *rest, (_, other) = numbered
            products[i, i + length] = reduce(
                lambda orelse, one: _choice(i, i + length, one[0], one[1], orelse), rest, other
            )
    whole = products[0, count - 1]
    if count == 3:
        left, right = _product(_product(_item(0), _item(1)), _item(2)), None
        right = _product(_item(0), _product(_item(1), _item(2)))
        return _chain_of_three(left, right)

    def chain(tables):
        sizes = np.empty(count + 1, np.int64)
        _note_sizes(sizes, tables, 0)
        return whole(tables, _splits(sizes))

    return private(chain)


def _chain_of_three(left: Any, right: Any) -> Any:
    nothing = np.zeros((1, 1), np.int64)

    def chain(tables):
        rows, first = tables[0].shape
        second, columns = tables[2].shape
        if rows * second * (first + columns) < first * columns * (rows + second):
            return left(tables, nothing)
        return right(tables, nothing)

    return private(chain)


def _item(k: int) -> Any:
    return private(lambda tables, splits: tables[k])


def _product(left: Any, right: Any) -> Any:
    return private(lambda tables, splits: np.dot(left(tables, splits), right(tables, splits)))


def _choice(i: int, k: int, split: int, then: Any, orelse: Any) -> Any:
    def choice(tables, splits):
        return then(tables, splits) if splits[i, k] == split else orelse(tables, splits)

    return private(choice)


@private
def _note_sizes(sizes, tables, k):
    for table in tables:
        sizes[k] = table.shape[0]
        sizes[k + 1] = table.shape[1]
        k += 1


@private
def _splits(sizes):
    """Where each range of tables is split, so that the fewest multiplications are needed."""
    count = len(sizes) - 1
    costs, splits = np.zeros((count, count)), np.zeros((count, count), np.int64)
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs[i, j] = np.inf
            for k in range(i, j):
                cost = costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if cost < costs[i, j]:
                    costs[i, j] = cost
                    splits[i, j] = k
    return splits


# --- as in `np` -------------------------------------------------------------------------------


@numpy(np.linalg.outer)
def _outer(x1, x2, /):
    if not is_array(x1) or not is_array(x2):
        return None
    if x1.ndim != 1 or x2.ndim != 1:
        raise TypingError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and"
            f" x2.ndim={x2.ndim}."
        )
    return lambda x1, x2, /: np.outer(x1, x2)


@numpy(np.linalg.matmul)
def _matmul(x1, x2, /):
    return (lambda x1, x2, /: np.matmul(x1, x2)) if is_array(x1) and is_array(x2) else None


@numpy(np.linalg.vecdot)
def _vecdot(x1, x2, /, *, axis=-1):
    if not is_array(x1) or not is_array(x2) or not is_integral_or_default(axis):
        return None
    if not isinstance(axis, types.Type) or isinstance(axis, types.Omitted):
        return lambda x1, x2, /, *, axis=-1: np.vecdot(x1, x2)
    return lambda x1, x2, /, *, axis=-1: np.vecdot(x1, x2, axis=axis)


@numpy_of_constants(np.linalg.tensordot, "x1", "x2", axes=2)
def _tensordot(x1, x2, axes):
    if not is_array(x1) or not is_array(x2) or not isinstance(axes, Known):
        return None
    summed = axes.value
    return lambda x1, x2, /, *, axes=2: np.tensordot(x1, x2, summed)


@numpy(np.linalg.cross)
def _cross(x1, x2, /, *, axis=-1):
    if not is_array(x1) or not is_array(x2) or not is_integral_or_default(axis):
        return None

    def cross(x1, x2, /, *, axis=-1):
        if x1.shape[axis] != 3 or x2.shape[axis] != 3:
            raise ValueError(
                "Both input arrays must be (arrays of) 3-dimensional vectors, but they are"
                f" {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
            )
        return np.cross(x1, x2, axis=axis)

    return cross


def _is_matrix_call(x: Any, offset: Any) -> bool:
    return is_array(x) and x.ndim >= 2 and is_integral_or_default(offset)


@numpy(np.linalg.diagonal)
def _diagonal(x, /, *, offset=0):
    if not _is_matrix_call(x, offset):
        return None
    return lambda x, /, *, offset=0: read_only(diagonals_of(x, offset, -2, -1))


@numpy(np.linalg.trace)
def _trace(x, /, *, offset=0, dtype=None):
    if not _is_matrix_call(x, offset):
        return None
    return lambda x, /, *, offset=0, dtype=None: np.trace(x, offset, -2, -1, dtype)


@numpy(np.linalg.matrix_transpose)
def _matrix_transpose(x, /):
    if not is_array(x):
        return None
    if x.ndim < 2:
        raise TypingError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return lambda x, /: np.swapaxes(x, -1, -2)
