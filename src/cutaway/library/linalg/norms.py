"""Norms and quantities from singular values: `norm vector_norm matrix_norm cond matrix_rank`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import refuse
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.constants import ConstantArgument, numpy_of_constants
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact, real_dtype
from cutaway.library.arrays.kit.lines import in_memory_order, lines_along
from cutaway.library.arrays.kit.several_axes import in_shape, shape_with_ones
from cutaway.library.arrays.kit.shapes import count_of
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.takes import Flag, Numbers, RealOrNone, numpy
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_complex,
    is_in_columns,
    is_in_rows,
    is_integral,
    is_real,
    is_shape,
    left_out,
    private,
)
from cutaway.library.linalg.kinds import (
    LinAlgError,
    are_stacks,
    eps_of,
    in_dtype,
    loop_of,
    require_square,
    table_dtype,
)
from cutaway.typing import types
from cutaway.typing.inference.statics import mark_by_value

# --- of vectors -------------------------------------------------------------------------------

# The algorithm of each order of a vector norm.
_OF_LINES = {
    math.inf: "largest",
    -math.inf: "smallest",
    0: "count",
    1: "total",
    2: "length",
    None: "length",
}


@private
def _line_norm(x, axis, order, way, keepdims):
    """The norms along an axis, or of a whole vector."""
    if way == "largest":
        return np.max(np.abs(x), axis=axis, keepdims=keepdims, initial=0)
    if way == "smallest":
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if way == "count":
        ones = (x != 0).astype(real_dtype(element_dtype(x)))
        return np.sum(ones, axis=axis, keepdims=keepdims)
    if way == "total":
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if way == "length":
        return np.sqrt(np.sum(_squares(x), axis=axis, keepdims=keepdims))
    powers = np.abs(x)
    powers **= order
    sums = np.sum(powers, axis=axis, keepdims=keepdims)
    cast = element_dtype(sums).type
    return sums ** cast(cast(1) / cast(order))


@private
def _line_norm_by_order(x, axis, order, way, keepdims):
    if order == math.inf:
        return _line_norm(x, axis, order, "largest", keepdims)
    if order == -math.inf:
        return _line_norm(x, axis, order, "smallest", keepdims)
    if order == 0:
        return _line_norm(x, axis, order, "count", keepdims)
    if order == 1:
        return _line_norm(x, axis, order, "total", keepdims)
    if order == 2:
        return _line_norm(x, axis, order, "length", keepdims)
    return _line_norm(x, axis, order, "root", keepdims)


@private
def _squares(x):
    """The squared magnitudes."""
    return (np.conjugate(x) * x).real if is_complex(x) else x * x


@private
def _length(x, keepdims):
    """The Euclidean length of all elements, computed by dot products as in NumPy."""
    line = _in_order(x)
    if is_complex(x):
        length = np.sqrt(np.dot(line.real, line.real) + np.dot(line.imag, line.imag))
    else:
        length = np.sqrt(np.dot(line, line))
    return np.array((length,)).reshape((1,) * x.ndim) if keepdims and x.ndim > 0 else length


@private
def _in_order(x):
    """The elements as one line in memory order."""
    if is_in_rows(x):
        return x.ravel()
    return x.T.ravel() if is_in_columns(x) else in_memory_order(x).ravel()


# --- of matrices ------------------------------------------------------------------------------

# The algorithm of each order of a matrix norm.
_OF_TABLES = {
    None: "length",
    "fro": "length",
    "f": "length",
    "nuc": "singular total",
    1: "columns largest",
    -1: "columns smallest",
    math.inf: "rows largest",
    -math.inf: "rows smallest",
    2: "singular largest",
    -2: "singular smallest",
}


@private
def _table_norm(x, row, column, order, way):
    """The norms of the matrices along two axes."""
    if way == "length":
        return np.sqrt(np.sum(_squares(x), axis=(row, column)))
    if way == "columns largest":
        return _largest(np.sum(np.abs(x), axis=row), column - (column > row))
    if way == "columns smallest":
        return np.min(np.sum(np.abs(x), axis=row), axis=column - (column > row))
    if way == "rows largest":
        return _largest(np.sum(np.abs(x), axis=column), row - (row > column))
    if way == "rows smallest":
        return np.min(np.sum(np.abs(x), axis=column), axis=row - (row > column))
    turned = lines_along(lines_along(x, row), column - (column > row))
    values = np.linalg.svd(turned, True, False)
    if way == "singular largest":
        return _largest(values, -1)
    if way == "singular smallest":
        return np.min(values, axis=-1)
    return np.sum(values, axis=-1)


@private
def _table_norm_by_order(x, row, column, order, way):
    if order == 2:
        return _table_norm(x, row, column, order, "singular largest")
    if order == -2:
        return _table_norm(x, row, column, order, "singular smallest")
    if order == 1:
        return _table_norm(x, row, column, order, "columns largest")
    if order == math.inf:
        return _table_norm(x, row, column, order, "rows largest")
    if order == -1:
        return _table_norm(x, row, column, order, "columns smallest")
    if order == -math.inf:
        return _table_norm(x, row, column, order, "rows smallest")
    raise ValueError("Invalid norm order for matrices.")


for _one in (_table_norm, _table_norm_by_order):
    mark_by_value(_one, (1, 2))  # sums along constant axes are faster


@private
def _largest(sizes, axis):
    """The largest magnitude along an axis, 0 if there are none."""
    if sizes.ndim > 1:
        return np.max(sizes, axis=axis, initial=0)
    top = element_dtype(sizes).type(0)
    for x in sizes:
        if x > top or x != x:  # a NaN stays
            top = x
    return top


# --- functions --------------------------------------------------------------------------------


def _way_of(order: Any, ways: dict[Any, str], other: str | None) -> str:
    """The algorithm for an order, a type or a constant; empty for a number that is not constant.
    Raises TypingError for an invalid order."""
    if isinstance(order, ConstantArgument):
        if isinstance(order.value, str) and other is not None:
            raise TypingError(f"Invalid norm order '{order.value}' for vectors")
        way = ways.get(order.value, other)
        if way is None:
            raise TypingError("Invalid norm order for matrices.")
        return way
    if not is_real(order):
        raise TypingError(f"the order of a norm must be a number or a string, not {order}")
    return ""


def _lengths(ndim: int) -> tuple[Any, ...]:
    """The orders that select the Euclidean length of all elements."""
    return (None, "fro", "f") if ndim == 2 else (None, 2) if ndim == 1 else (None,)


def _known_pair(axis: Any, ndim: int) -> tuple[int, int] | None:
    """Two constant axes, counted from 0; None for others."""
    if not isinstance(axis, ConstantArgument) or not isinstance(axis.value, tuple):
        return None
    row, column = (one % ndim if -ndim <= one < ndim else ndim for one in axis.value)
    return (row, column) if row != column and ndim not in (row, column) else None


def _axis_type(axis: Any) -> Any:
    """The type of an axis, of axes, or of None; None for other arguments."""
    ty = axis.ty if isinstance(axis, ConstantArgument) else axis
    return ty if left_out(ty) or is_integral(ty) or is_shape(ty) else None


@numpy_of_constants(np.linalg.norm, "x", ord=None, axis=None, keepdims=False)
def _norm(x, ord, axis, keepdims):  # noqa: A002
    if isinstance(axis, types.ListDisplay):
        raise TypingError("'axis' must be None, an integer or a tuple of integers")
    axis_type = _axis_type(axis)
    if not is_array(x) or not isinstance(keepdims, ConstantArgument) or axis_type is None:
        return None
    every, keeps = left_out(axis_type), bool(keepdims.value)
    count = x.ndim if every else len(axis_type.items) if is_shape(axis_type) else 1
    dtype, pair = inexact(types.to_dtype(x.dtype)), None
    if every and isinstance(ord, ConstantArgument) and ord.value in _lengths(x.ndim):
        return lambda x, ord=None, axis=None, keepdims=False: _length(in_dtype(x, dtype), keeps)
    if count == 2:
        way = _way_of(ord, _OF_TABLES, None)
        pair = (0, 1) if every else _known_pair(axis, x.ndim)
    elif count == 1:
        way = _way_of(ord, _OF_LINES, "root")
    else:
        raise TypingError("Improper number of dimensions to norm.")
    row, column = pair or (0, 0)
    along = _line_norm if way else _line_norm_by_order
    over = _table_norm if way else _table_norm_by_order

    def of_lines(x, ord=None, axis=None, keepdims=False):  # noqa: A002
        if isinstance(axis, tuple):
            return along(in_dtype(x, dtype), axis[0], ord, way, keeps)
        return along(in_dtype(x, dtype), 0 if axis is None else axis, ord, way, keeps)

    def of_tables(x, ord=None, axis=None, keepdims=False):  # noqa: A002
        if column > 0 or row > 0:
            result = over(in_dtype(x, dtype), row, column, ord, way)
        else:
            first, second = axis_of(x, axis[0]), axis_of(x, axis[1])
            if first == second:
                raise ValueError("Duplicate axes given.")
            result = over(in_dtype(x, dtype), first, second, ord, way)
        return in_shape(result, shape_with_ones(x, axis)) if keeps else result

    return of_tables if count == 2 else of_lines


@numpy_of_constants(np.linalg.matrix_norm, "x", keepdims=False, ord="fro")
def _matrix_norm(x, keepdims, ord):  # noqa: A002
    if not is_array(x) or not isinstance(keepdims, ConstantArgument):
        return None
    if x.ndim < 2:
        raise TypingError("a matrix has at least two dimensions")
    keeps, known = bool(keepdims.value), isinstance(ord, ConstantArgument)
    order = ord.value if isinstance(ord, ConstantArgument) else None

    def matrix_norm(x, /, *, keepdims=False, ord="fro"):  # noqa: A002
        if known:
            return np.linalg.norm(x, order, (-2, -1), keeps)
        return np.linalg.norm(x, ord, (-2, -1), keeps)

    return matrix_norm


@numpy_of_constants(np.linalg.vector_norm, "x", axis=None, keepdims=False, ord=2)
def _vector_norm(x, axis, keepdims, ord):  # noqa: A002
    axis_type = _axis_type(axis)
    if not is_array(x) or not isinstance(keepdims, ConstantArgument) or axis_type is None:
        return None
    dtype, way = inexact(types.to_dtype(x.dtype)), _way_of(ord, _OF_LINES, "root")
    along = _line_norm if way else _line_norm_by_order
    keeps, order_of_axes, count = bool(keepdims.value), (), 0
    if is_shape(axis_type):
        if not isinstance(axis, ConstantArgument):
            return None
        axes = tuple(one % x.ndim for one in axis.value)
        order_of_axes, count = axes + tuple(k for k in range(x.ndim) if k not in axes), len(axes)
        if len(set(axes)) != count:
            raise TypingError("repeated axis")

    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
        if axis is None:
            result = along(in_dtype(x.ravel(), dtype), 0, ord, way, False)
        elif isinstance(axis, tuple):
            turned = np.transpose(x, order_of_axes)
            table = turned.reshape((count_of(turned.shape[:count]), *turned.shape[count:]))
            result = along(in_dtype(table, dtype), 0, ord, way, False)
        else:
            result = along(in_dtype(x, dtype), axis, ord, way, False)
        return in_shape(result, shape_with_ones(x, axis)) if keeps else result

    return vector_norm


# --- singular values --------------------------------------------------------------------------


@numpy_of_constants(np.linalg.cond, "x", p=None)
def _cond(x, p):
    if not are_stacks(x):
        return None
    if not isinstance(p, ConstantArgument):
        _way_of(p, _OF_TABLES, None)
        return None  # it decides which of two algorithms is used
    order = p.value
    by_values, is_smallest_first = order in (None, 2, -2), order == -2

    def cond(x, p=None):
        if x.shape[-1] * x.shape[-2] == 0:
            raise LinAlgError("cond is not defined on empty arrays")
        if by_values:
            s = np.linalg.svd(x, True, False)
            first, last = s[..., 0], s[..., -1]
            return _ratio(x, last / first if is_smallest_first else first / last)
        require_square(x)
        _, inverse = stacked(loop_of("inv", "t.t", x), x)
        product = np.linalg.norm(x, order, (-2, -1)) * np.linalg.norm(inverse, order, (-2, -1))
        return _ratio(x, in_dtype(product, real_dtype(table_dtype(x))))

    return cond


@private
def _ratio(x, r):
    """Condition numbers, with NaN replaced by infinity if no element is NaN."""
    if not isinstance(r, np.ndarray):
        return element_dtype(r).type(np.inf) if np.isnan(r) and not np.isnan(x).any() else r
    conditions = r.ravel()
    tables = x.reshape((conditions.size,) + x.shape[-2:])  # noqa: RUF005
    for k in range(conditions.size):
        if np.isnan(conditions[k]) and not np.isnan(tables[k]).any():
            conditions[k] = np.inf
    return r


@numpy(np.linalg.matrix_rank)
def matrix_rank(
    A: Numbers,  # noqa: N803
    tol: RealOrNone = None,
    hermitian: Flag = False,
    *,
    rtol: RealOrNone = None,
):
    if tol is not None and rtol is not None:
        refuse("`tol` and `rtol` can't be both set.")
    if A.ndim < 2:
        return int(np.any(A != 0))
    s = np.linalg.svd(A, True, False, hermitian)
    if A.ndim == 2:
        return _rank_by(s, A, tol, rtol)
    out = np.zeros(A.shape[:-2], np.int64)
    lines = s.reshape(out.size, s.shape[-1])
    for k in range(out.size):
        out.flat[k] = _rank_by(lines[k], A, tol, rtol)
    return out


@private
def _rank_by(s, tables, tol, rtol):
    """The number of singular values above a limit."""
    if tol is not None:
        limit = float(tol)
    elif rtol is not None:
        limit = float(s.max(initial=0)) * float(rtol)
    else:
        cast = real_dtype(table_dtype(tables)).type
        least = cast(cast(max(tables.shape[-2], tables.shape[-1])) * cast(eps_of(tables)))
        limit = float(cast(s.max(initial=0) * least))
    count = 0
    for k in range(len(s)):
        count += float(s[k]) > limit
    return count
