"""Chains and powers of matrices, and the products that `np` has under the same names."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.constants import ConstantArgument, numpy_of_constants
from cutaway.library.arrays.kit.takes import Constant, Dtype, Numbers, Target, numpy
from cutaway.library.arrays.kit.typers import dimensions, is_array, private, said
from cutaway.library.arrays.layout.shaping import read_only
from cutaway.library.arrays.products.outer import diagonals_of
from cutaway.library.linalg.kinds import Stack, require_square
from cutaway.typing.types import Array, Tuple

# --- powers -----------------------------------------------------------------------------------


@static
def _is_known(n: Any) -> bool:
    """True if an exponent is a constant."""
    return said(n) is not None


@numpy(np.linalg.matrix_power)
def matrix_power(a: Stack, n: Constant):
    require_square(a)
    if _is_known(n):
        if n == 0:
            return _ones_like(a)
        if n == 1:
            return a
        return _power(np.ascontiguousarray(a) if n > 0 else np.linalg.inv(a), abs(n))
    if n == 0:
        return _ones_like(a)
    if n == 1:  # returning a read-only matrix itself would change the result type
        return a if a.flags.writeable else a.copy()
    if a.dtype.kind in "biu":  # NumPy returns floats for these
        if n < 0:
            raise ValueError(
                "a negative power of integers is one of floats: convert the matrix first"
            )
        return _power(a.copy(), n)
    return _power(np.linalg.inv(a) if n < 0 else a.copy(), abs(n))


@private
def _ones_like(a):
    out = np.zeros(a.shape, a.dtype)
    for k in range(a.shape[-1]):
        out[..., k, k] = 1
    return out


@private
def _power(a, n):
    """The positive power of a stack, with multiplications in NumPy's order."""
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


# --- chains -----------------------------------------------------------------------------------


@static
def _require_chain(arrays: Tuple) -> None:
    """Refuse operands without a product, in NumPy's words."""
    if len(arrays.items) < 2:
        raise TypingError("Expecting at least two arrays.")
    for k, array in enumerate(arrays.items if len(arrays.items) > 2 else ()):
        at_end = k in (0, len(arrays.items) - 1)
        if dimensions(array) != 2 and not (at_end and dimensions(array) == 1):
            raise TypingError(
                f"{dimensions(array)}-dimensional array given. Array must be two-dimensional"
            )


@static
def _require_writeable(out: Array) -> None:
    if out.readonly:
        raise TypingError("the output of np.linalg.multi_dot must be a writeable array")


Chain = Takes(
    "arrays of numbers in a list",
    lambda one: isinstance(one, Tuple) and all(map(is_array, one.items)),
)


@numpy(np.linalg.multi_dot)
def multi_dot(arrays: Chain, *, out: Target = None):
    _require_chain(arrays)
    if out is not None:
        _require_writeable(out)
        result = np.asarray(np.linalg.multi_dot(arrays))
        if result.shape != out.shape:
            raise ValueError("output array has wrong dimensions")
        out[...] = result
        return out
    if len(arrays) == 2:
        return np.dot(arrays[0], arrays[1])
    first, last = arrays[0], arrays[-1]
    row = first[None, :] if first.ndim == 1 else first
    column = last[:, None] if last.ndim == 1 else last
    product = _product((row, *arrays[1:-1], column))
    if first.ndim == 1 and last.ndim == 1:
        return product[0, 0]
    return product.ravel() if first.ndim == 1 or last.ndim == 1 else product


@private
def _product(tables):
    """The product of three or more matrices, in the cheapest order."""
    if len(tables) == 3:
        rows, first = tables[0].shape
        second, columns = tables[2].shape
        if rows * second * (first + columns) < first * columns * (rows + second):
            return np.dot(np.dot(tables[0], tables[1]), tables[2])
        return np.dot(tables[0], np.dot(tables[1], tables[2]))
    sizes = np.empty(len(tables) + 1, np.int64)
    _note_sizes(sizes, tables, 0)
    return _product_from(0, tables, _splits(sizes))


@private
def _product_from(k, tables, splits):
    """The product of matrices, the first of which is the k-th of the chain."""
    if len(tables) == 1:
        return tables[0]
    return _product_of_parts(k, tables[:1], tables[1:], splits)


@private
def _product_of_parts(k, left, right, splits):
    """The product of matrices that are split here or further on."""
    here, last = k + len(left) - 1, k + len(left) + len(right) - 1
    if len(right) > 1 and splits[k, last] != here:
        return _product_of_parts(k, (*left, right[0]), right[1:], splits)
    return np.dot(_product_from(k, left, splits), _product_from(here + 1, right, splits))


@private
def _note_sizes(sizes, tables, k):
    for table in tables:
        sizes[k] = table.shape[0]
        sizes[k + 1] = table.shape[1]
        k += 1


@private
def _splits(sizes):
    """The split of each range of the chain that minimizes the number of multiplications."""
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


# --- from `np` --------------------------------------------------------------------------------


@numpy(np.linalg.outer)
def outer(x1: Numbers, x2: Numbers, /):
    if x1.ndim != 1 or x2.ndim != 1:
        refuse(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and"
            f" x2.ndim={x2.ndim}."
        )
    return np.outer(x1, x2)


@numpy(np.linalg.matmul)
def matmul(x1: Numbers, x2: Numbers, /):
    return np.matmul(x1, x2)


@numpy(np.linalg.vecdot)
def vecdot(x1: Numbers, x2: Numbers, /, *, axis: Constant = -1):
    if _is_known(axis) and axis == -1:
        return np.vecdot(x1, x2)
    return np.vecdot(x1, x2, axis=axis)


@numpy_of_constants(np.linalg.tensordot, "x1", "x2", axes=2)
def _tensordot(x1, x2, axes):
    if not is_array(x1) or not is_array(x2) or not isinstance(axes, ConstantArgument):
        return None
    summed = axes.value
    return lambda x1, x2, /, *, axes=2: np.tensordot(x1, x2, summed)


@numpy(np.linalg.cross)
def cross(x1: Numbers, x2: Numbers, /, *, axis: Constant = -1):
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are"
            f" {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return np.cross(x1, x2, axis=axis)


@numpy(np.linalg.diagonal)
def diagonal(x: Stack, /, *, offset: Constant = 0):
    return read_only(diagonals_of(x, offset, -2, -1))


@numpy(np.linalg.trace)
def trace(x: Stack, /, *, offset: Constant = 0, dtype: Dtype = None):
    return np.trace(x, offset, -2, -1, dtype)


@numpy(np.linalg.matrix_transpose)
def matrix_transpose(x: Numbers, /):
    if x.ndim < 2:
        refuse(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return np.swapaxes(x, -1, -2)
