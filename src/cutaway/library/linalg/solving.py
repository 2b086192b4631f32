"""Equations, inverses, determinants: `solve inv det slogdet lstsq pinv tensorsolve tensorinv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg._linalg import SlogdetResult

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.typers import (
    flag,
    is_array,
    is_integral_or_default,
    is_real,
    left_out,
    numpy,
    private,
)
from cutaway.library.linalg.kinds import (
    LinAlgError,
    are_stacks,
    in_dtype,
    kind_of,
    require_square,
)
from cutaway.typing import types

SINGULAR = "Singular matrix"


@numpy(np.linalg.solve)
def _solve(a, b):
    if not are_stacks(a) or not is_array(b) or not b.ndim:
        return None
    kind = kind_of(a, b)
    dtype, loop = kind.dtype, kind.loop("solve1" if b.ndim == 1 else "solve", "tt", "t")

    def solve(a, b):
        require_square(a)
        failed, x = stacked(loop, a, b)
        if failed:
            raise LinAlgError(SINGULAR)
        return in_dtype(x, dtype)

    return solve


@numpy(np.linalg.inv)
def _inv(a):
    if not are_stacks(a):
        return None
    kind = kind_of(a)
    dtype, loop = kind.dtype, kind.loop("inv", "t", "t")

    def inv(a):
        require_square(a)
        failed, x = stacked(loop, a)
        if failed:
            raise LinAlgError(SINGULAR)
        return in_dtype(x, dtype)

    return inv


@numpy(np.linalg.det)
def _det(a):
    if not are_stacks(a):
        return None
    kind = kind_of(a)
    dtype, loop = kind.dtype, kind.loop("det", "t", "t")

    def det(a):
        require_square(a)
        _, x = stacked(loop, a)
        return in_dtype(x, dtype)

    return det


@numpy(np.linalg.slogdet)
def _slogdet(a):
    if not are_stacks(a):
        return None
    kind = kind_of(a)
    dtype, real, loop = kind.dtype, kind.real, kind.loop("slogdet", "t", "td")

    def slogdet(a):
        require_square(a)
        _, sign, logarithm = stacked(loop, a)
        return SlogdetResult(in_dtype(sign, dtype), in_dtype(logarithm, real))

    return slogdet


# --- least squares ----------------------------------------------------------------------------


@numpy(np.linalg.lstsq)
def _lstsq(a, b, rcond=None):
    if not is_array(a) or not is_array(b) or not (left_out(rcond) or is_real(rcond)):
        return None
    for ndim in (a.ndim, max(b.ndim, 1) + (b.ndim == 1)):
        if ndim != 2:
            raise TypingError(f"{ndim}-dimensional array given. Array must be two-dimensional")
    least = float(np.finfo(np.float64).eps) if left_out(rcond) else -1.0
    solved = _least_squares(a, b)

    def of_table(a, b, rcond=None):
        return solved(a, b, least * max(a.shape[0], a.shape[1]))

    def of_line(a, b, rcond=None):
        x, squares, rank, s = solved(a, b[:, None], least * max(a.shape[0], a.shape[1]))
        return x[:, 0], squares, rank, s

    def of_table_to(a, b, rcond=None):
        return solved(a, b, float(rcond))

    def of_line_to(a, b, rcond=None):
        x, squares, rank, s = solved(a, b[:, None], float(rcond))
        return x[:, 0], squares, rank, s

    if left_out(rcond):
        return of_line if b.ndim == 1 else of_table
    return of_line_to if b.ndim == 1 else of_table_to


def _least_squares(a: Any, b: Any) -> Any:
    kind = kind_of(a, b)
    dtype, real, loop = kind.dtype, kind.real, kind.loop("lstsq", "ttd", "tdid")
    right = types.to_dtype(b.dtype)

    def least_squares(a, b, cutoff):
        rows, columns = a.shape
        if rows != b.shape[0]:
            raise LinAlgError("Incompatible dimensions")
        count = b.shape[1]
        padded = b if count else np.zeros((rows, 1), right)  # LAPACK takes no empty table
        failed, x, squares, rank, s = stacked(loop, a, padded, cutoff)
        if failed:
            raise LinAlgError("SVD did not converge in Linear Least Squares")
        if rows == 0:
            x[...] = 0
        known = count if rank == columns and rows > columns else 0
        found = in_dtype(x[:, :count], dtype), in_dtype(squares[:known], real)
        return found[0], found[1], rank, in_dtype(s, real)

    return private(least_squares)


@numpy(np.linalg.pinv)
def _pinv(a, rcond=None, hermitian=False):
    if not are_stacks(a) or flag(hermitian) is None:
        return None
    inverted = _pseudo_inverse(kind_of(a).dtype, bool(flag(hermitian)))

    def usual(a, rcond=None, hermitian=False):
        return inverted(a, 1e-15)

    def told(a, rcond=None, hermitian=False):
        return inverted(a, rcond)

    if left_out(rcond):
        return usual
    return told if is_real(rcond) else None


@numpy(np.linalg.pinv)
def _pinv_to(a, rcond=None, hermitian=False, *, rtol):
    if not are_stacks(a) or flag(hermitian) is None:
        return None
    kind = kind_of(a)
    if not left_out(rcond):
        raise TypingError("`rtol` and `rcond` can't be both set.")
    least = float(np.finfo(kind.dtype).eps)
    inverted = _pseudo_inverse(kind.dtype, bool(flag(hermitian)))

    def by_size(a, rcond=None, hermitian=False, *, rtol):
        return inverted(a, max(a.shape[-2], a.shape[-1]) * least)

    def told(a, rcond=None, hermitian=False, *, rtol):
        return inverted(a, rtol)

    if left_out(rtol):
        if types.is_integral(a.dtype):
            raise TypingError(f"data type {types.to_dtype(a.dtype).name!r} not inexact")
        return by_size
    return told if is_real(rtol) else None


def _pseudo_inverse(dtype: Any, hermitian: bool) -> Any:
    def pseudo_inverse(a, cutoff):
        if a.shape[-1] * a.shape[-2] == 0:
            return np.zeros(_turned(a).shape, dtype)
        u, s, vt = np.linalg.svd(np.conjugate(a), False, True, hermitian)
        for k in range(s.size // s.shape[-1]):
            _invert_large(s.reshape(-1, s.shape[-1])[k], cutoff)
        return np.matmul(_turned(vt), s[..., None] * _turned(u))

    return private(pseudo_inverse)


@private
def _invert_large(s, cutoff):
    """The inverses of singular values, in place; zero for those that are small."""
    limit = s.max() * cutoff
    for k in range(len(s)):
        s[k] = 1 / s[k] if s[k] > limit else 0


@private
def _turned(a):
    return np.swapaxes(a, -1, -2)


# --- tensors ----------------------------------------------------------------------------------


@private
def _product(sizes):
    product = 1
    for size in sizes:
        product *= size
    return product


@numpy(np.linalg.tensorinv)
def _tensorinv(a, ind=2):
    if not is_array(a) or not is_integral_or_default(ind):
        return None
    if isinstance(ind, types.Type) and not isinstance(ind, types.Literal | types.Omitted):
        return None  # the shape of the result needs its value
    count = ind.literal_value if isinstance(ind, types.Literal) else getattr(ind, "value", ind)
    if count <= 0:
        raise TypingError("Invalid ind argument.")

    def tensorinv(a, ind=2):
        rows = _product(a.shape[count:])
        return np.linalg.inv(a.reshape(rows, -1)).reshape(a.shape[count:] + a.shape[:count])

    return tensorinv


@numpy(np.linalg.tensorsolve)
def _tensorsolve(a, b, axes=None):
    if not is_array(a) or not is_array(b) or a.ndim < b.ndim:
        return None
    order = list(range(a.ndim))
    for axis in _constant_axes(axes):
        if axis not in order:
            raise TypingError("list.remove(x): x not in list", hint="axes are counted from 0")
        order.remove(axis)
        order.insert(a.ndim, axis)
    places, first = tuple(order), b.ndim if a.ndim > b.ndim else 0

    def tensorsolve(a, b, axes=None):
        turned = np.transpose(a, places)
        rows = _product(turned.shape[first:])
        if turned.size != rows * rows:
            raise LinAlgError(
                "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) =="
                " prod(a.shape[:b.ndim])"
            )
        x = np.linalg.solve(turned.reshape(rows, rows), b.ravel())
        return x.reshape(turned.shape[first:])

    fits = left_out(axes) or _constant_axes(axes)
    return tensorsolve if fits else None


def _constant_axes(axes: Any) -> tuple[int, ...]:
    """Axes that are constants; none where they are not."""
    if isinstance(axes, types.Tuple) and all(isinstance(x, types.Literal) for x in axes.items):
        return tuple(one.literal_value for one in axes.items)
    return ()
