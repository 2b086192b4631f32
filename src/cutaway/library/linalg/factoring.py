"""Decompositions of matrices: `cholesky qr svd svdvals`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg._linalg import QRResult, SVDResult

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.typers import flag, numpy, private
from cutaway.library.linalg.kinds import (
    Kind,
    LinAlgError,
    are_stacks,
    in_dtype,
    kind_of,
    require_square,
)
from cutaway.typing import types
from cutaway.typing.types import Array


@numpy(np.linalg.cholesky)
def _cholesky(a, /, *, upper=False):
    if not are_stacks(a) or flag(upper) is None:
        return None
    kind = kind_of(a)
    dtype, loop = kind.dtype, kind.loop("cholesky_up" if flag(upper) else "cholesky_lo", "t", "t")

    def cholesky(a, /, *, upper=False):
        require_square(a)
        failed, x = stacked(loop, a)
        if failed:
            raise LinAlgError("Matrix is not positive definite")
        return in_dtype(x, dtype)

    return cholesky


# --- an orthogonal matrix and a triangle ------------------------------------------------------

BAD_QR = "Incorrect argument found while performing QR factorization"


@numpy(np.linalg.qr)
def _qr(a, mode="reduced"):
    if not are_stacks(a) or not isinstance(mode, str | types.String | types.Omitted):
        return None
    name = mode if isinstance(mode, str) else mode.value
    if name in ("f", "full"):
        name = "reduced"
    if name in ("e", "economic"):
        name = "economic"
    makers = {"reduced": _qr_of, "complete": _qr_of, "r": _triangle, "raw": _raw, "economic": _raw}
    if name not in makers:
        raise TypingError(f"Unrecognized mode '{name}'")
    return makers[name](a, kind_of(a), name)


def _reflected(a: Array, kind: Kind) -> Any:
    """What gives the triangle and what LAPACK stores below it, in one table, and the factors."""
    dtype = np.dtype(kind.letter)
    loop = kind.loop("qr_r_raw", "t", "t")

    def reflected(a):
        table = np.empty(a.shape, dtype)
        table[...] = a
        failed, factors = stacked(loop, table)
        if failed:
            raise LinAlgError(BAD_QR)
        return table, factors

    return private(reflected)


def _triangle(a: Array, kind: Kind, mode: str) -> Any:
    reflected, dtype = _reflected(a, kind), kind.dtype

    def qr(a, mode="reduced"):
        table, _ = reflected(a)
        return in_dtype(_upper(table[..., : min(a.shape[-2], a.shape[-1]), :]), dtype)

    return qr


def _raw(a: Array, kind: Kind, mode: str) -> Any:
    reflected, dtype = _reflected(a, kind), kind.dtype

    def raw(a, mode="reduced"):
        table, factors = reflected(a)
        return in_dtype(np.swapaxes(table, -1, -2), dtype), in_dtype(factors, dtype)

    def economic(a, mode="reduced"):
        return in_dtype(reflected(a)[0], dtype)

    return raw if mode == "raw" else economic


def _qr_of(a: Array, kind: Kind, mode: str) -> Any:
    reflected, dtype = _reflected(a, kind), kind.dtype
    reduced, complete = (kind.loop(f"qr_{one}", "tt", "t") for one in ("reduced", "complete"))

    def qr_reduced(a, mode="reduced"):
        table, factors = reflected(a)
        failed, q = stacked(reduced, table, factors)
        if failed:
            raise LinAlgError(BAD_QR)
        r = _upper(table[..., : min(a.shape[-2], a.shape[-1]), :])
        return QRResult(in_dtype(q, dtype), in_dtype(r, dtype))

    def qr_complete(a, mode="reduced"):
        if a.shape[-2] <= a.shape[-1]:
            return qr_of_wide(a)
        table, factors = reflected(a)
        failed, q = stacked(complete, table, factors)
        if failed:
            raise LinAlgError(BAD_QR)
        return QRResult(in_dtype(q, dtype), in_dtype(_upper(table), dtype))

    qr_of_wide = private(qr_reduced)
    return qr_complete if mode == "complete" else qr_reduced


@private
def _upper(tables):
    """New tables with zeros below their diagonals."""
    out = tables.copy()
    for k in range(min(out.shape[-2] - 1, out.shape[-1])):
        out[..., k + 1 :, k] = 0
    return out


# --- singular values --------------------------------------------------------------------------

NO_SVD = "SVD did not converge"


@numpy(np.linalg.svd)
def _svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    flags = [flag(one) for one in (full_matrices, compute_uv, hermitian)]
    if not are_stacks(a) or None in flags:
        return None
    full, vectors, is_hermitian = flags
    if is_hermitian:
        return _hermitian_svd(a) if vectors else _hermitian_values()
    return _vectors_and_values(a, bool(full)) if vectors else _values(a)


def _vectors_and_values(a: Array, full: bool) -> Any:
    kind = kind_of(a)
    dtype, real = kind.dtype, kind.real
    loop = kind.loop("svd_f" if full else "svd_s", "t", "tdt")

    def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
        failed, u, s, vh = stacked(loop, a)
        if failed:
            raise LinAlgError(NO_SVD)
        return SVDResult(in_dtype(u, dtype), in_dtype(s, real), in_dtype(vh, dtype))

    return svd


def _values(a: Array) -> Any:
    kind = kind_of(a)
    real, loop = kind.real, kind.loop("svd", "t", "d")

    def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
        failed, s = stacked(loop, a)
        if failed:
            raise LinAlgError(NO_SVD)
        return in_dtype(s, real)

    return svd


def _hermitian_svd(a: Array) -> Any:
    """The singular values of a matrix with real eigenvalues are the sizes of these."""

    def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
        s, u = np.linalg.eigh(a)
        sizes, left = np.empty(s.shape, s.dtype), np.empty(u.shape, u.dtype)
        signs = np.empty(s.shape, s.dtype)
        count, size = max(s.size // max(s.shape[-1], 1), 0), s.shape[-1]
        values, vectors = s.reshape(count, size), u.reshape(count, size, size)
        for k in range(count):
            order = np.argsort(np.abs(values[k]))[::-1]
            for i in range(size):
                value = values[k, order[i]]
                sizes.reshape(count, size)[k, i] = abs(value)
                signs.reshape(count, size)[k, i] = np.copysign(1.0, value)
                left.reshape(count, size, size)[k, :, i] = vectors[k, :, order[i]]
        right = np.swapaxes(left * signs[..., None, :], -1, -2)
        return SVDResult(left, sizes, np.conjugate(right))

    return svd


def _hermitian_values() -> Any:
    def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
        return np.sort(np.abs(np.linalg.eigvalsh(a)))[..., ::-1]

    return svd


@numpy(np.linalg.svdvals)
def _svdvals(x, /):
    return (lambda x, /: np.linalg.svd(x, True, False)) if are_stacks(x) else None
