"""Tables of ones, triangles, powers, coordinates: `eye identity tri tril triu vander meshgrid`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.dtypes import promoted, wanted_dtype
from cutaway.library.arrays.kit.sizes import clamped
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
)
from cutaway.typing import types

# --- tables -----------------------------------------------------------------------------------


def _are_sizes(rows: Any, columns: Any, diagonal: Any) -> bool:  # Any: types, or defaults
    return is_integral(rows) and all(map(is_integral_or_default, (columns, diagonal)))


@numpy(np.eye)
def _eye(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803  NumPy's name
    out_dtype = wanted_dtype(dtype, types.float64)
    if out_dtype is None or not _are_sizes(N, M, k):
        return None
    square = left_out(M)

    def eye(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803
        out = np.zeros((N, N if square else M), out_dtype)
        offset = clamped(k, out.shape[0], out.shape[1])
        row, column = max(-offset, 0), max(offset, 0)
        for n in range(min(out.shape[0] - row, out.shape[1] - column)):
            out[row + n, column + n] = 1
        return out

    return eye


@numpy(np.identity)
def _identity(n, dtype=None):  # type: ignore[no-untyped-def]
    out_dtype = wanted_dtype(dtype, types.float64)
    return (
        None
        if out_dtype is None or not is_integral(n)
        else (lambda n, dtype=None: np.eye(n, n, 0, out_dtype))
    )


@numpy(np.tri)
def _tri(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803
    out_dtype = wanted_dtype(dtype, types.float64)
    if out_dtype is None or not _are_sizes(N, M, k):
        return None
    square = left_out(M)

    def tri(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803
        out = np.zeros((max(N, 0), max(N if square else M, 0)), out_dtype)
        offset = clamped(k, out.shape[0], out.shape[1])
        for i in range(out.shape[0] if out.size else 0):
            for j in range(min(i + offset + 1, out.shape[1])):
                out[i, j] = 1
        return out

    return tri


def _register_triangle(function: Any, lower: bool) -> None:  # Any: np.tril or np.triu
    @numpy(function)
    def triangle(m, k=0):  # type: ignore[no-untyped-def]
        if not is_array(m) or m.ndim != 2 or not is_integral_or_default(k):
            return None

        def triangle(m, k=0):  # type: ignore[no-untyped-def]
            out = np.zeros(m.shape, m.dtype)
            offset = clamped(k, m.shape[0], m.shape[1])
            for i in range(m.shape[0] if m.size else 0):
                first = 0 if lower else min(max(i + offset, 0), m.shape[1])
                last = max(min(i + offset + 1, m.shape[1]), 0) if lower else m.shape[1]
                out[i, first:last] = m[i, first:last]
            return out

        return triangle


_register_triangle(np.tril, True)
_register_triangle(np.triu, False)


@numpy(np.vander)
def _vander(x, N=None, increasing=False):  # type: ignore[no-untyped-def]  # noqa: N803
    if not is_array(x) or x.ndim != 1 or not is_integral_or_default(N):
        return None
    if not is_integral_or_default(increasing):
        return None
    out_dtype, square = promoted(x, types.int64), left_out(N)
    if x.dtype is not types.boolean:
        out_dtype = np.promote_types(out_dtype, int)

    def vander(x, N=None, increasing=False):  # type: ignore[no-untyped-def]  # noqa: N803
        count = len(x) if square else N
        if count < 0:
            raise ValueError("negative dimensions are not allowed")
        out = np.empty((len(x), count), out_dtype)
        for i in range(len(x)):
            power = out_dtype.type(1)
            for j in range(count):
                out[i, j if increasing else count - 1 - j] = power
                power = out_dtype.type(x[i]) if j == 0 else power * out_dtype.type(x[i])
        return out

    return vander


@numpy(np.meshgrid)
def _meshgrid(x, y):  # type: ignore[no-untyped-def]
    if not is_array(x) or not is_array(y) or x.ndim != 1 or y.ndim != 1:
        return None

    def meshgrid(x, y):  # type: ignore[no-untyped-def]
        first = np.empty((len(y), len(x)), x.dtype)
        second = np.empty((len(y), len(x)), y.dtype)
        for i in range(len(y)):
            first[i] = x
            second[i] = y[i]
        return first, second

    return meshgrid
