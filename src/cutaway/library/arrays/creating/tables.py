"""Tables of ones, triangles, powers, coordinates: `eye identity tri tril triu vander meshgrid`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import promoted, wanted_dtype
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.sizes import clamped
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
)
from cutaway.library.arrays.kit.usual import require_usual
from cutaway.typing import types

# --- tables -----------------------------------------------------------------------------------


def _are_sizes(rows: Any, columns: Any, diagonal: Any) -> bool:
    return is_integral(rows) and all(map(is_integral_or_default, (columns, diagonal)))


@numpy(np.eye)
def _eye(N, M=None, k=0, dtype=float):  # noqa: N803  NumPy's name
    out_dtype = wanted_dtype(dtype, types.float64)
    if out_dtype is None or not _are_sizes(N, M, k):
        return None
    square = left_out(M)

    def eye(N, M=None, k=0, dtype=float):  # noqa: N803
        out = np.zeros((N, N if square else M), out_dtype)
        offset = clamped(k, out.shape[0], out.shape[1])
        row, column = max(-offset, 0), max(offset, 0)
        for n in range(min(out.shape[0] - row, out.shape[1] - column)):
            out[row + n, column + n] = 1
        return out

    return eye


@numpy(np.eye)
def _eye_told(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):  # noqa: N803
    require_usual(device, like)
    out_dtype, name = wanted_dtype(dtype, types.float64), getattr(order, "value", order)
    if out_dtype is None or not _are_sizes(N, M, k) or name not in ("C", "F"):
        return None

    def in_rows(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):  # noqa: N803
        return np.eye(N, M, k, out_dtype)

    def in_columns(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):  # noqa: N803
        return np.asfortranarray(np.eye(N, M, k, out_dtype))

    return in_rows if name == "C" else in_columns


@numpy(np.identity)
def _identity(n, dtype=None, *, like=None):
    require_usual(None, like)
    out_dtype = wanted_dtype(dtype, types.float64)
    return (
        None
        if out_dtype is None or not is_integral(n)
        else (lambda n, dtype=None, *, like=None: np.eye(n, n, 0, out_dtype))
    )


@numpy(np.tri)
def _tri(N, M=None, k=0, dtype=float, *, like=None):  # noqa: N803
    require_usual(None, like)
    out_dtype = wanted_dtype(dtype, types.float64)
    if out_dtype is None or not _are_sizes(N, M, k):
        return None
    square = left_out(M)

    def tri(N, M=None, k=0, dtype=float, *, like=None):  # noqa: N803
        out = np.zeros((max(N, 0), max(N if square else M, 0)), out_dtype)
        offset = clamped(k, out.shape[0], out.shape[1])
        for i in range(out.shape[0] if out.size else 0):
            for j in range(min(i + offset + 1, out.shape[1])):
                out[i, j] = 1
        return out

    return tri


def _register_triangle(function: Any, lower: bool) -> None:
    @numpy(function)
    def triangle(m, k=0):
        if not is_array(m) or not m.ndim or not is_integral_or_default(k):
            return None
        if m.ndim == 1:
            return lambda m, k=0: function(np.broadcast_to(m, (len(m), len(m))), k)

        def triangles(m, k=0):
            out = np.zeros(m.shape, m.dtype)
            height, width = m.shape[m.ndim - 2], m.shape[m.ndim - 1]
            offset = clamped(k, height, width)
            for i in range(height if m.size else 0):
                first = 0 if lower else min(max(i + offset, 0), width)
                last = max(min(i + offset + 1, width), 0) if lower else width
                out[..., i, first:last] = m[..., i, first:last]
            return out

        def triangle(m, k=0):
            out = np.zeros(m.shape, m.dtype)
            offset = clamped(k, m.shape[0], m.shape[1])
            for i in range(m.shape[0] if m.size else 0):
                first = 0 if lower else min(max(i + offset, 0), m.shape[1])
                last = max(min(i + offset + 1, m.shape[1]), 0) if lower else m.shape[1]
                out[i, first:last] = m[i, first:last]
            return out

        return triangle if m.ndim == 2 else triangles


_register_triangle(np.tril, True)
_register_triangle(np.triu, False)


@numpy(np.vander)
def _vander(x, N=None, increasing=False):  # noqa: N803
    if not is_array(x) or x.ndim != 1 or not is_integral_or_default(N):
        return None
    if not is_integral_or_default(increasing):
        return None
    out_dtype, square = promoted(x, types.int64), left_out(N)
    if x.dtype is not types.boolean:
        out_dtype = np.promote_types(out_dtype, int)

    def vander(x, N=None, increasing=False):  # noqa: N803
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


def tables_of(lines, shape, place, swapped):
    """A table of a shape for each line: its elements along the axis at its place, the first two
    axes exchanged where that is told."""
    tables = []
    for k, line in enumerate(lines):
        axis = (1 - k) if swapped and k < 2 else k
        sizes = [1] * len(shape)
        sizes[axis] = len(line)
        tables.append(np.broadcast_to(line.reshape(sizes), shape).copy())
    return tuple(tables)


@overload(tables_of, jit_options=OPTIONS)
def _tables_of(lines, shape, place, swapped):
    def one(lines, shape, place, swapped):
        out = np.empty(shape, lines[0].dtype)
        axis = 1 - place if swapped and place < 2 else place
        lines_along(out, axis)[...] = lines[0].ravel()
        return (out,)

    def several(lines, shape, place, swapped):
        first = tables_of(lines[:1], shape, place, swapped)
        return first + tables_of(lines[1:], shape, place + 1, swapped)

    return one if len(lines.items) == 1 else several


@numpy(np.meshgrid)
def _meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    given = getattr(xi, "items", xi)
    name, thin = getattr(indexing, "value", indexing), flag(sparse)
    if not given or not all(is_array(one) and one.ndim < 2 for one in given):
        return None
    if not isinstance(name, str) or thin is None or flag(copy) is None:
        return None
    if name not in ("xy", "ij"):
        raise TypingError("Valid values for `indexing` are 'xy' and 'ij'.", hint="write 'ij'")
    if not flag(copy) and not thin:
        raise TypingError(
            "meshgrid with copy=False is not supported in compiled code", hint="leave out `copy`"
        )
    swapped = name == "xy" and len(given) > 1
    ones = (1,) * len(given)

    def dense(*xi, copy=True, sparse=False, indexing="xy"):
        return tables_of(xi, shape_of_lines(xi, ones, 0, swapped), 0, swapped)

    def open_(*xi, copy=True, sparse=False, indexing="xy"):
        return open_tables(xi, ones, 0, swapped)

    return open_ if thin else dense


def shape_of_lines(lines, shape, place, swapped):
    """The shape of a table that has an axis for each line."""
    for line in lines:
        axis = 1 - place if swapped and place < 2 else place
        shape = replaced(shape, axis, line.size)
        place += 1
    return shape


@overload(shape_of_lines, jit_options=OPTIONS)
def _shape_of_lines(lines, shape, place, swapped):
    def several(lines, shape, place, swapped):
        axis = 1 - place if swapped and place < 2 else place
        longer = replaced(shape, axis, lines[0].size)
        return shape_of_lines(lines[1:], longer, place + 1, swapped)

    return several if lines.items else (lambda lines, shape, place, swapped: shape)


def open_tables(lines, shape, place, swapped):
    """Each line as a table that has more than one element along its own axis alone."""
    shapes = []
    for k in range(len(lines)):
        axis = 1 - k if swapped and k < 2 else k
        shapes.append(replaced(shape, axis, lines[k].size))
    return tuple(line.copy().reshape(one) for line, one in zip(lines, shapes, strict=True))


@overload(open_tables, jit_options=OPTIONS)
def _open_tables(lines, shape, place, swapped):
    def one(lines, shape, place, swapped):
        axis = 1 - place if swapped and place < 2 else place
        return (lines[0].flatten().reshape(replaced(shape, axis, lines[0].size)),)

    def several(lines, shape, place, swapped):
        first = open_tables(lines[:1], shape, place, swapped)
        return first + open_tables(lines[1:], shape, place + 1, swapped)

    return one if len(lines.items) == 1 else several
