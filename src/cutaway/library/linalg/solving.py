"""Equations, inverses, determinants: `solve inv det slogdet lstsq pinv tensorsolve tensorinv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg._linalg import SlogdetResult

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import element_dtype, real_dtype
from cutaway.library.arrays.kit.shapes import count_of, inserted, removed, replaced
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.takes import Flag, IntsOrNone, Numbers, RealOrNone, numpy
from cutaway.library.arrays.kit.typers import private, said
from cutaway.library.linalg.kinds import (
    LinAlgError,
    Stack,
    eps_of,
    in_dtype,
    loop_of,
    require_square,
    table_dtype,
)
from cutaway.typing import types

SINGULAR = "Singular matrix"


@numpy(np.linalg.solve)
def solve(a: Stack, b: Numbers):
    require_square(a)
    if b.ndim == 0:
        refuse("the right side of an equation is a line or a table", "`b[None]` makes a line of it")
    failed, x = stacked(loop_of("solve1" if b.ndim == 1 else "solve", "tt.t", a, b), a, b)
    if failed:
        raise LinAlgError(SINGULAR)
    return in_dtype(x, table_dtype(a, b))


@numpy(np.linalg.inv)
def inv(a: Stack):
    require_square(a)
    failed, x = stacked(loop_of("inv", "t.t", a), a)
    if failed:
        raise LinAlgError(SINGULAR)
    return in_dtype(x, table_dtype(a))


@numpy(np.linalg.det)
def det(a: Stack):
    require_square(a)
    _, x = stacked(loop_of("det", "t.t", a), a)
    return in_dtype(x, table_dtype(a))


@numpy(np.linalg.slogdet)
def slogdet(a: Stack):
    require_square(a)
    _, sign, logarithm = stacked(loop_of("slogdet", "t.td", a), a)
    dtype = table_dtype(a)
    return SlogdetResult(in_dtype(sign, dtype), in_dtype(logarithm, real_dtype(dtype)))


# --- least squares ----------------------------------------------------------------------------

EPS = float(np.finfo(np.float64).eps)


@static
def _require_tables(a: Any, b: Any) -> None:
    """Refuse arrays that are not matrices; `b` may be a vector."""
    for ndim in (a.ndim, 2 if b.ndim == 1 else b.ndim):
        if ndim != 2:
            raise TypingError(f"{ndim}-dimensional array given. Array must be two-dimensional")


@numpy(np.linalg.lstsq)
def lstsq(a: Numbers, b: Numbers, rcond: RealOrNone = None):
    _require_tables(a, b)
    cutoff = EPS * max(a.shape[0], a.shape[1]) if rcond is None else float(rcond)
    if b.ndim == 1:
        x, squares, rank, s = _least_squares(a, b[:, None], cutoff)
        return x[:, 0], squares, rank, s
    return _least_squares(a, b, cutoff)


@private
def _least_squares(a, b, cutoff):
    rows, columns = a.shape
    if rows != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    count = b.shape[1]
    padded = b if count else np.zeros((rows, 1), b.dtype)  # LAPACK accepts no empty matrix
    failed, x, squares, rank, s = stacked(loop_of("lstsq", "ttd.tdid", a, b), a, padded, cutoff)
    if failed:
        raise LinAlgError("SVD did not converge in Linear Least Squares")
    if rows == 0:
        x[...] = 0
    dtype, real = table_dtype(a, b), real_dtype(table_dtype(a, b))
    known = count if rank == columns and rows > columns else 0
    return in_dtype(x[:, :count], dtype), in_dtype(squares[:known], real), rank, in_dtype(s, real)


@static
def _inexact_eps(a: Any) -> float:
    """The machine epsilon of a dtype. Raises TypingError if it is not inexact."""
    if types.is_integral(a.dtype):
        raise TypingError(f"data type {element_dtype(a).name!r} not inexact")
    return eps_of(a)


@numpy(np.linalg.pinv)
def pinv(a: Stack, rcond: RealOrNone = None, hermitian: Flag = False):
    return _pseudo_inverse(a, 1e-15 if rcond is None else rcond, hermitian)


@numpy(np.linalg.pinv)
def pinv_to(a: Stack, rcond: RealOrNone = None, hermitian: Flag = False, *, rtol: RealOrNone):
    if rcond is not None:
        refuse("`rtol` and `rcond` can't be both set.")
    if rtol is None:
        cutoff = max(a.shape[-2], a.shape[-1]) * _inexact_eps(a)
        return _pseudo_inverse(a, cutoff, hermitian)
    return _pseudo_inverse(a, rtol, hermitian)


@private
def _pseudo_inverse(a, cutoff, hermitian):
    if a.shape[-1] * a.shape[-2] == 0:
        return np.zeros(_turned(a).shape, table_dtype(a))
    u, s, vt = np.linalg.svd(np.conjugate(a), False, True, hermitian)
    for k in range(s.size // s.shape[-1]):
        _invert_large(s.reshape(-1, s.shape[-1])[k], cutoff)
    return np.matmul(_turned(vt), s[..., None] * _turned(u))


@private
def _invert_large(s, cutoff):
    """Invert singular values in place; small ones become zero."""
    limit = s.max() * cutoff
    for k in range(len(s)):
        s[k] = 1 / s[k] if s[k] > limit else 0


@private
def _turned(a):
    return np.swapaxes(a, -1, -2)


# --- tensors ----------------------------------------------------------------------------------


Count = Takes("an int, as a constant", lambda ind: type(said(ind)) is int, by_value=True)


@numpy(np.linalg.tensorinv)
def tensorinv(a: Numbers, ind: Count = 2):
    if ind <= 0:
        refuse("Invalid ind argument.")
    rows = count_of(a.shape[ind:])
    return np.linalg.inv(a.reshape(rows, -1)).reshape(a.shape[ind:] + a.shape[:ind])


@private
def _with_last(order, axis):
    """A permutation of axes with one moved last."""
    for k in range(len(order)):
        if order[k] == axis:
            return inserted(removed(order, k), len(order) - 1, axis)
    raise ValueError("list.remove(x): x not in list")


@private
def _behind(shape, first):
    """The sizes of a shape after as many as another shape has."""
    rest = shape
    for _ in literal_unroll(first):
        rest = rest[1:]
    return rest


@numpy(np.linalg.tensorsolve)
def tensorsolve(a: Numbers, b: Numbers, axes: IntsOrNone = None):
    if a.ndim < b.ndim:
        refuse("`a` has to have as many axes as `b`, or more")
    turned = a
    if axes is not None:
        order = a.shape
        for k in range(a.ndim):
            order = replaced(order, k, k)
        for axis in axes:
            order = _with_last(order, axis)
        turned = np.transpose(a, order)
    shape = _behind(turned.shape, b.shape) if a.ndim > b.ndim else turned.shape
    rows = count_of(shape)
    if turned.size != rows * rows:
        raise LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) =="
            " prod(a.shape[:b.ndim])"
        )
    return np.linalg.solve(turned.reshape(rows, rows), b.ravel()).reshape(shape)
