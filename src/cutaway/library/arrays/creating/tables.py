"""Tables of ones, triangles, powers, coordinates: `eye identity tri tril triu vander meshgrid`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import float_or, promoted
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.sizes import clamped
from cutaway.library.arrays.kit.takes import (
    Anything,
    Flag,
    Integer,
    IntegerOrNone,
    Line,
    Lines,
    NumberDtype,
    RowsOrColumns,
    Text,
    numpy,
    require_usual,
)
from cutaway.library.arrays.kit.typers import is_array, private
from cutaway.typing import types
from cutaway.typing.types import Array

# --- tables -----------------------------------------------------------------------------------


@private
def _identity(rows, columns, k, dtype):
    out = np.zeros((rows, columns), dtype)
    offset = clamped(k, out.shape[0], out.shape[1])
    row, column = max(-offset, 0), max(offset, 0)
    for n in range(min(out.shape[0] - row, out.shape[1] - column)):
        out[row + n, column + n] = 1
    return out


@numpy(np.eye)
def eye(
    N: Integer,  # noqa: N803  NumPy's name
    M: IntegerOrNone = None,  # noqa: N803
    k: Integer = 0,
    dtype: NumberDtype = float,
    order: RowsOrColumns = "C",
    *,
    device: Anything = None,
    like: Anything = None,
):
    """Ones on a diagonal."""
    require_usual(device, like)
    out = _identity(N, N if M is None else M, k, float_or(dtype))
    return np.asfortranarray(out) if order == "F" else out


@numpy(np.identity)
def identity(n: Integer, dtype: NumberDtype = None, *, like: Anything = None):
    require_usual(None, like)
    return _identity(n, n, 0, float_or(dtype))


@numpy(np.tri)
def tri(
    N: Integer,  # noqa: N803
    M: IntegerOrNone = None,  # noqa: N803
    k: Integer = 0,
    dtype: NumberDtype = float,
    *,
    like: Anything = None,
):
    """Ones below a diagonal, and on it."""
    require_usual(None, like)
    out = np.zeros((max(N, 0), max(N if M is None else M, 0)), float_or(dtype))
    offset = clamped(k, out.shape[0], out.shape[1])
    for i in range(out.shape[0] if out.size else 0):
        for j in range(min(i + offset + 1, out.shape[1])):
            out[i, j] = 1
    return out


def _register_triangle(function: Any, lower: bool) -> None:
    @numpy(function)
    def triangle(m: Lines, k: Integer = 0):
        if m.ndim == 1:
            return function(np.broadcast_to(m, (len(m), len(m))), k)
        out = np.zeros(m.shape, m.dtype)
        height, width = m.shape[m.ndim - 2], m.shape[m.ndim - 1]
        offset = clamped(k, height, width)
        for i in range(height if m.size else 0):
            first = 0 if lower else min(max(i + offset, 0), width)
            last = max(min(i + offset + 1, width), 0) if lower else width
            if m.ndim == 2:
                out[i, first:last] = m[i, first:last]
            else:
                out[..., i, first:last] = m[..., i, first:last]
        return out


_register_triangle(np.tril, True)
_register_triangle(np.triu, False)


@static
def _powers_dtype(x: Array) -> np.dtype[Any]:
    dtype = promoted(x, types.int64)
    return dtype if x.dtype is types.boolean else np.promote_types(dtype, int)


@numpy(np.vander)
def vander(x: Line, N: IntegerOrNone = None, increasing: IntegerOrNone = False):  # noqa: N803
    """The powers of the numbers, a row for each."""
    dtype, count = _powers_dtype(x), len(x) if N is None else N
    if count < 0:
        raise ValueError("negative dimensions are not allowed")
    out = np.empty((len(x), count), dtype)
    for i in range(len(x)):
        power = dtype.type(1)
        for j in range(count):
            out[i, j if increasing else count - 1 - j] = power
            power = dtype.type(x[i]) if j == 0 else power * dtype.type(x[i])
    return out


# --- coordinates ------------------------------------------------------------------------------


@private
def _dense_tables(lines, swapped):
    """One dense table for each line, which holds its elements along its own axis."""
    shape = _shape_of_lines(lines, swapped)
    tables, place = (), 0
    for line in literal_unroll(lines):
        out = np.empty(shape, line.dtype)
        lines_along(out, _axis_of_line(place, swapped))[...] = line.ravel()
        tables = (*tables, out)
        place += 1
    return tables


@private
def _open_tables(lines, swapped):
    """Each line as a table of length one along all axes but its own."""
    ones, tables, place = (1,) * len(lines), (), 0
    for line in literal_unroll(lines):
        shape = replaced(ones, _axis_of_line(place, swapped), line.size)
        tables = (*tables, line.flatten().reshape(shape))
        place += 1
    return tables


@private
def _axis_of_line(place, swapped):
    """The axis that line number `place` lies along: `xy` exchanges the first two."""
    return 1 - place if swapped and place < 2 else place


@private
def _shape_of_lines(lines, swapped):
    shape, place = (1,) * len(lines), 0
    for line in literal_unroll(lines):
        shape = replaced(shape, _axis_of_line(place, swapped), line.size)
        place += 1
    return shape


ShortLine = Takes(
    "an array of numbers with one axis, or none", lambda x: is_array(x) and x.ndim < 2
)


@numpy(np.meshgrid)
def meshgrid(*xi: ShortLine, copy: Flag = True, sparse: Flag = False, indexing: Text = "xy"):
    if len(xi) == 0:
        refuse("meshgrid takes one array or more")
    if indexing not in ("xy", "ij"):
        refuse("Valid values for `indexing` are 'xy' and 'ij'.", "write 'ij'")
    swapped = indexing == "xy" and len(xi) > 1
    if sparse:
        return _open_tables(xi, swapped)
    if not copy:
        refuse("meshgrid with copy=False is not supported in compiled code", "leave out `copy`")
    return _dense_tables(xi, swapped)
