"""Decompositions of matrices: `cholesky qr svd svdvals`."""

from __future__ import annotations

import numpy as np
from numpy.linalg._linalg import QRResult, SVDResult

from cutaway.extending.bodies import refuse
from cutaway.library.arrays.kit.dtypes import real_dtype
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.takes import Flag, Text, numpy
from cutaway.library.arrays.kit.typers import private
from cutaway.library.linalg.kinds import (
    LinAlgError,
    Stack,
    computed_dtype,
    in_dtype,
    loop_of,
    require_square,
    table_dtype,
)


@numpy(np.linalg.cholesky)
def cholesky(a: Stack, /, *, upper: Flag = False):
    require_square(a)
    failed, x = stacked(loop_of("cholesky_up" if upper else "cholesky_lo", "t.t", a), a)
    if failed:
        raise LinAlgError("Matrix is not positive definite")
    return in_dtype(x, table_dtype(a))


# --- QR ---------------------------------------------------------------------------------------

BAD_QR = "Incorrect argument found while performing QR factorization"


@numpy(np.linalg.qr)
def qr(a: Stack, mode: Text = "reduced"):
    """A QR decomposition from LAPACK's packed form: R, the reflectors below it, their factors."""
    table, dtype = np.empty(a.shape, computed_dtype(a)), table_dtype(a)
    table[...] = a
    failed, factors = stacked(loop_of("qr_r_raw", "t.t", a), table)
    if failed:
        raise LinAlgError(BAD_QR)
    if mode == "r":
        return in_dtype(_upper(table[..., : min(a.shape[-2], a.shape[-1]), :]), dtype)
    if mode == "raw":
        return in_dtype(np.swapaxes(table, -1, -2), dtype), in_dtype(factors, dtype)
    if mode in ("e", "economic"):
        return in_dtype(table, dtype)
    if mode == "complete" and a.shape[-2] > a.shape[-1]:
        failed, q = stacked(loop_of("qr_complete", "tt.t", a), table, factors)
        r = _upper(table)
    elif mode in ("complete", "reduced", "f", "full"):
        failed, q = stacked(loop_of("qr_reduced", "tt.t", a), table, factors)
        r = _upper(table[..., : min(a.shape[-2], a.shape[-1]), :])
    else:
        refuse(f"Unrecognized mode '{mode}'")
    if failed:
        raise LinAlgError(BAD_QR)
    return QRResult(in_dtype(q, dtype), in_dtype(r, dtype))


@private
def _upper(tables):
    """Copies of matrices with zeros below the diagonal."""
    out = tables.copy()
    for k in range(min(out.shape[-2] - 1, out.shape[-1])):
        out[..., k + 1 :, k] = 0
    return out


# --- singular values --------------------------------------------------------------------------

NO_SVD = "SVD did not converge"


@numpy(np.linalg.svd)
def svd(a: Stack, full_matrices: Flag = True, compute_uv: Flag = True, hermitian: Flag = False):
    if hermitian:
        if compute_uv:
            return _hermitian_svd(a)
        return np.sort(np.abs(np.linalg.eigvalsh(a)))[..., ::-1]
    dtype = table_dtype(a)
    if not compute_uv:
        failed, s = stacked(loop_of("svd", "t.d", a), a)
        if failed:
            raise LinAlgError(NO_SVD)
        return in_dtype(s, real_dtype(dtype))
    failed, u, s, vh = stacked(loop_of("svd_f" if full_matrices else "svd_s", "t.tdt", a), a)
    if failed:
        raise LinAlgError(NO_SVD)
    return SVDResult(in_dtype(u, dtype), in_dtype(s, real_dtype(dtype)), in_dtype(vh, dtype))


@private
def _hermitian_svd(a):
    """The singular value decomposition of a Hermitian matrix, from its eigenvalues' magnitudes."""
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


@numpy(np.linalg.svdvals)
def svdvals(x: Stack, /):
    return np.linalg.svd(x, True, False)
