"""New arrays: tables with ones, triangles, steps and powers; and arrays like a number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.library.arrays.sizes import clamped
from cutaway.library.numpy.typing import (
    asked_dtype,
    flag,
    is_array,
    is_integral,
    is_integral_or_default,
    is_number,
    is_real,
    left_out,
    numpy,
    private,
    promoted,
)
from cutaway.typing import types

# --- tables -----------------------------------------------------------------------------------


def _wanted_dtype(dtype: Any, default: Any) -> np.dtype[Any] | None:  # Any: types, or defaults
    found = default if isinstance(dtype, type) else asked_dtype(dtype, default)
    if isinstance(dtype, types.Omitted):
        found = default
    return None if found is None else types.to_dtype(found)


def _are_sizes(rows: Any, columns: Any, diagonal: Any) -> bool:  # Any: types, or defaults
    return is_integral(rows) and all(map(is_integral_or_default, (columns, diagonal)))


@numpy(np.eye)
def _eye(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803  NumPy's name
    made = _wanted_dtype(dtype, types.float64)
    if made is None or not _are_sizes(N, M, k):
        return None
    square = left_out(M)

    def eye(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803
        out = np.zeros((N, N if square else M), made)
        offset = clamped(k, out.shape[0], out.shape[1])
        row, column = max(-offset, 0), max(offset, 0)
        for n in range(min(out.shape[0] - row, out.shape[1] - column)):
            out[row + n, column + n] = 1
        return out

    return eye


@numpy(np.identity)
def _identity(n, dtype=None):  # type: ignore[no-untyped-def]
    made = _wanted_dtype(dtype, types.float64)
    return (
        None
        if made is None or not is_integral(n)
        else (lambda n, dtype=None: np.eye(n, n, 0, made))
    )


@numpy(np.tri)
def _tri(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803
    made = _wanted_dtype(dtype, types.float64)
    if made is None or not _are_sizes(N, M, k):
        return None
    square = left_out(M)

    def tri(N, M=None, k=0, dtype=float):  # type: ignore[no-untyped-def]  # noqa: N803
        out = np.zeros((max(N, 0), max(N if square else M, 0)), made)
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
    made, square = promoted(x, types.int64), left_out(N)
    if x.dtype is not types.boolean:
        made = np.promote_types(made, int)

    def vander(x, N=None, increasing=False):  # type: ignore[no-untyped-def]  # noqa: N803
        count = len(x) if square else N
        if count < 0:
            raise ValueError("negative dimensions are not allowed")
        out = np.empty((len(x), count), made)
        for i in range(len(x)):
            power = made.type(1)
            for j in range(count):
                out[i, j if increasing else count - 1 - j] = power
                power = made.type(x[i]) if j == 0 else power * made.type(x[i])
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


# --- steps ------------------------------------------------------------------------------------


@numpy(np.logspace)
def _logspace(start, stop, num=50, endpoint=True, base=10.0):  # type: ignore[no-untyped-def]
    if not is_real(start) or not is_real(stop) or not is_integral_or_default(num):
        return None

    def logspace(start, stop, num=50, endpoint=True, base=10.0):  # type: ignore[no-untyped-def]
        out = np.linspace(start, stop, num, endpoint)
        for k in range(len(out)):
            out[k] = float(base) ** out[k]
        return out

    return logspace


@numpy(np.geomspace)
def _geomspace(start, stop, num=50, endpoint=True):  # type: ignore[no-untyped-def]
    if not is_real(start) or not is_real(stop) or not is_integral_or_default(num):
        return None
    if not is_integral_or_default(endpoint):
        return None

    def geomspace(start, stop, num=50, endpoint=True):  # type: ignore[no-untyped-def]
        first, last = float(start), float(stop)
        if first == 0 or last == 0:
            raise ValueError("Geometric sequence cannot include zero")
        sign = -1.0 if first < 0 else 1.0
        low = math.log10(sign * first)
        high = math.log10(sign * last) if sign * last > 0 else np.nan
        out = np.logspace(low, high, num, endpoint)
        for k in range(len(out)):
            out[k] *= sign
        if len(out):
            out[0] = first
        if len(out) > 1 and endpoint:
            out[len(out) - 1] = last
        return out

    return geomspace


@numpy(np.linspace)
def _linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):  # type: ignore[no-untyped-def]
    made, step = _wanted_dtype(dtype, types.float64), flag(retstep)
    if made is None or step is None or not is_real(start) or not is_real(stop):
        return None
    if not is_integral_or_default(num) or not is_integral_or_default(endpoint):
        return None
    whole = made.kind in "iu"

    @private
    def line_of(start, stop, num, endpoint):  # type: ignore[no-untyped-def]
        out = np.linspace(start, stop, num, endpoint)
        if whole:
            for k in range(len(out)):
                out[k] = out[k] // 1.0 if np.isfinite(out[k]) else out[k]
        return out.astype(made)

    def line(start, stop, num=50, endpoint=True, retstep=False, dtype=None):  # type: ignore[no-untyped-def]
        return line_of(start, stop, num, endpoint)

    def with_step(start, stop, num=50, endpoint=True, retstep=False, dtype=None):  # type: ignore[no-untyped-def]
        steps = num - 1 if endpoint else num
        found = line_of(start, stop, num, endpoint)
        return found, (float(stop) - float(start)) / steps if steps > 0 else np.nan

    return with_step if step else line


# --- like a number ----------------------------------------------------------------------------


def _register_like(function: Any, fill: Any) -> None:  # Any: a function of NumPy, a number
    @numpy(function)
    def like(a, dtype=None):  # type: ignore[no-untyped-def]
        made = asked_dtype(dtype, a) if is_number(a) else None
        if made is None:
            return None
        chosen = types.to_dtype(made)
        return lambda a, dtype=None: np.full((), fill, chosen)


_register_like(np.zeros_like, 0)
_register_like(np.ones_like, 1)
_register_like(np.empty_like, 0)


@numpy(np.full_like)
def _full_like(a, fill_value, dtype=None):  # type: ignore[no-untyped-def]
    if is_array(a) and is_array(fill_value):
        return _full_of_array(a, dtype)
    made = asked_dtype(dtype, a) if is_number(a) and is_number(fill_value) else None
    if made is None:
        return None
    chosen = types.to_dtype(made)
    return lambda a, fill_value, dtype=None: np.full((), fill_value, chosen)


def _full_of_array(a, dtype):  # type: ignore[no-untyped-def]
    made = asked_dtype(dtype, a.dtype)
    if made is None:
        return None
    chosen = types.to_dtype(made)

    def full_like(a, fill_value, dtype=None):  # type: ignore[no-untyped-def]
        out = np.empty(a.shape, chosen)
        out[...] = fill_value
        return out

    return full_like


@numpy(np.asarray)
def _asarray(a, dtype=None):  # type: ignore[no-untyped-def]
    made = asked_dtype(dtype, a) if is_number(a) else None
    if made is None:
        return None
    chosen = types.to_dtype(made)
    return lambda a, dtype=None: np.full((), a, chosen)
