"""Norms, and what is told from singular values: `norm vector_norm matrix_norm cond matrix_rank`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.constants import Known, numpy_of_constants
from cutaway.library.arrays.kit.dtypes import inexact
from cutaway.library.arrays.kit.lines import in_memory_order, lines_along
from cutaway.library.arrays.kit.several_axes import in_shape, shape_with_ones
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    is_array,
    is_integral,
    is_real,
    is_shape,
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
from cutaway.typing.types import Array, Complex

# --- of lines ---------------------------------------------------------------------------------


def _line_norm(order: Any, keeps: bool) -> Any:
    """The norms along an axis, or over all of a line, by an order: a function of an array, an axis,
    and the order."""

    def largest(x, axis, order):
        return np.max(np.abs(x), axis=axis, keepdims=keeps, initial=0)

    def smallest(x, axis, order):
        return np.min(np.abs(x), axis=axis, keepdims=keeps)

    def count(x, axis, order):
        return np.sum(_not_zero(x), axis=axis, keepdims=keeps)

    def total(x, axis, order):
        return np.sum(np.abs(x), axis=axis, keepdims=keeps)

    def length(x, axis, order):
        return np.sqrt(np.sum(_squares(x), axis=axis, keepdims=keeps))

    def root(x, axis, order):
        powers = np.abs(x)
        powers **= order
        return _root_of(np.sum(powers, axis=axis, keepdims=keeps), order)

    table = {math.inf: largest, -math.inf: smallest, 0: count, 1: total, 2: length, None: length}
    if order is not UNKNOWN:
        return private(table.get(order, root))
    every = {one: private(function) for one, function in table.items()}
    at_inf, at_minus, at_0, at_1, at_2 = (every[one] for one in (math.inf, -math.inf, 0, 1, 2))
    other = private(root)

    def by_order(x, axis, order):
        if order == math.inf:
            return at_inf(x, axis, order)
        if order == -math.inf:
            return at_minus(x, axis, order)
        if order == 0:
            return at_0(x, axis, order)
        if order == 1:
            return at_1(x, axis, order)
        if order == 2:
            return at_2(x, axis, order)
        return other(x, axis, order)

    return private(by_order)


UNKNOWN = object()


def _squares(x):
    """The squares of sizes."""
    return (x.conj() * x).real


@overload(_squares, jit_options=OPTIONS)
def _squares_typer(x):
    if isinstance(x.dtype, Complex):
        return lambda x: (np.conjugate(x) * x).real
    return lambda x: x * x


def _not_zero(x):
    """One for each element that is not zero."""
    return (x != 0).astype(x.real.dtype)


@overload(_not_zero, jit_options=OPTIONS)
def _not_zero_typer(x):
    dtype = np.zeros(0, types.to_dtype(x.dtype)).real.dtype
    return lambda x: (x != 0).astype(dtype)


def _root_of(sums, order):
    """The root of sums of powers."""
    return sums ** np.reciprocal(order, dtype=sums.dtype)


@overload(_root_of, jit_options=OPTIONS)
def _root_of_typer(sums, order):
    cast = types.to_dtype(sums.dtype if isinstance(sums, Array) else sums).type

    def root_of(sums, order):
        return sums ** cast(cast(1) / cast(order))

    return root_of


# --- of tables --------------------------------------------------------------------------------


def _table_norm(order: Any, places: tuple[int, int] | None) -> Any:
    """The norms of tables that two axes make, which may be known: a function of an array, these,
    and the order."""
    columns, rows = _sums(places, False), _sums(places, True)

    def columns_largest(x, row, column, order):
        return _largest(columns(x, row, column), column - (column > row))

    def columns_smallest(x, row, column, order):
        return np.min(columns(x, row, column), axis=column - (column > row))

    def rows_largest(x, row, column, order):
        return _largest(rows(x, row, column), row - (row > column))

    def rows_smallest(x, row, column, order):
        return np.min(rows(x, row, column), axis=row - (row > column))

    def length(x, row, column, order):
        return np.sqrt(np.sum(_squares(x), axis=(row, column)))

    def singular_largest(x, row, column, order):
        return _largest(_singular_values(x, row, column), -1)

    def singular_smallest(x, row, column, order):
        return np.min(_singular_values(x, row, column), axis=-1)

    def singular_total(x, row, column, order):
        return np.sum(_singular_values(x, row, column), axis=-1)

    by_text = {None: length, "fro": length, "f": length, "nuc": singular_total}
    by_number = {
        1: columns_largest,
        -1: columns_smallest,
        math.inf: rows_largest,
        -math.inf: rows_smallest,
        2: singular_largest,
        -2: singular_smallest,
    }
    if order is not UNKNOWN:
        found = {**by_text, **by_number}.get(order)
        if found is None:
            raise TypingError("Invalid norm order for matrices.")
        return private(found)
    return _by_order([private(function) for function in by_number.values()])


def _by_order(functions: list[Any]) -> Any:
    at_1, at_minus_1, at_inf, at_minus_inf, at_2, at_minus_2 = functions

    def by_order(x, row, column, order):
        if order == 2:
            return at_2(x, row, column, order)
        if order == -2:
            return at_minus_2(x, row, column, order)
        if order == 1:
            return at_1(x, row, column, order)
        if order == math.inf:
            return at_inf(x, row, column, order)
        if order == -1:
            return at_minus_1(x, row, column, order)
        if order == -math.inf:
            return at_minus_inf(x, row, column, order)
        raise ValueError("Invalid norm order for matrices.")

    return private(by_order)


def _sums(places: tuple[int, int] | None, along_rows: bool) -> Any:
    """The sums of sizes along the columns of tables, or along their rows."""
    axis = 0 if places is None else places[along_rows]

    def along(x, row, column):
        return np.sum(np.abs(x), axis=axis)

    def down(x, row, column):
        return np.sum(np.abs(x), axis=row)

    def across(x, row, column):
        return np.sum(np.abs(x), axis=column)

    return private(along if places is not None else across if along_rows else down)


def _largest(sizes, axis):
    """The largest of sizes along an axis, 0 where there are none."""
    return np.max(sizes, axis=axis, initial=0)


@overload(_largest, jit_options=OPTIONS)
def _largest_typer(sizes, axis):
    zero = types.to_dtype(sizes.dtype).type(0)

    def of_line(sizes, axis):
        top = zero
        for x in sizes:
            if x > top or x != x:  # which stays
                top = x
        return top

    def of_several(sizes, axis):
        return np.max(sizes, axis=axis, initial=0)

    return of_line if sizes.ndim == 1 else of_several


@private
def _singular_values(x, row, column):
    turned = lines_along(lines_along(x, row), column - (column > row))
    return np.linalg.svd(turned, True, False)


# --- functions --------------------------------------------------------------------------------


def _order_of(ord: Any) -> Any:  # noqa: A002  Any: a type or `Known`; a constant
    """The order of a norm: a constant, UNKNOWN for a number, or a TypingError."""
    if isinstance(ord, Known):
        return ord.value
    if not is_real(ord):
        raise TypingError(f"the order of a norm must be a number or a string, not {ord}")
    return UNKNOWN


def _flat_norm(x: Array, keeps: bool) -> Any:
    """The length of all elements, as NumPy computes it: by products of lines."""
    ones = (1,) * x.ndim

    def of_real(x):
        line = _in_order(x)
        return np.sqrt(np.dot(line, line))

    def of_complex(x):
        line = _in_order(x)
        return np.sqrt(np.dot(line.real, line.real) + np.dot(line.imag, line.imag))

    length = private(of_complex if isinstance(x.dtype, Complex) else of_real)
    return private(lambda x: np.array((length(x),)).reshape(ones)) if keeps and ones else length


def _in_order(x):
    """The elements as one line in the order in which they are in memory."""
    return x.ravel(order="K")


@overload(_in_order, jit_options=OPTIONS)
def _in_order_typer(x):
    if x.layout == "C":
        return lambda x: x.ravel()
    return (lambda x: x.T.ravel()) if x.layout == "F" else (lambda x: in_memory_order(x).ravel())


def _norm_of(x: Array, order: Any, axis: Any, keeps: bool, known: Any = None) -> Any:
    """A function of an array, an axis or axes, which may be `known`, and an order."""
    ndim = x.ndim
    if left_out(axis):
        lengths = (None, "fro", "f") if ndim == 2 else (None, 2) if ndim == 1 else (None,)
        if order in lengths:
            flat = _flat_norm(x, keeps)
            return private(lambda x, axis, order: flat(x))
    places = ndim if left_out(axis) else len(axis.items) if isinstance(axis, types.Tuple) else 1
    if places not in (1, 2):
        raise TypingError("Improper number of dimensions to norm.")
    if places == 1:
        if isinstance(order, str):
            raise TypingError(f"Invalid norm order '{order}' for vectors")
        along = _line_norm(order, keeps)
        if left_out(axis):
            return private(lambda x, axis, order: along(x, 0, order))
        if isinstance(axis, types.Tuple):
            return private(lambda x, axis, order: along(x, axis[0], order))
        return along
    pair = (0, 1) if left_out(axis) else known
    if pair is not None:
        pair = tuple(one % ndim if -ndim <= one < ndim else ndim for one in pair)
    is_pair = pair is not None and ndim not in pair and pair[0] != pair[1]
    return _norm_of_axes(_table_norm(order, pair if is_pair else None), left_out(axis), keeps)


def _norm_of_axes(of_tables: Any, every: bool, keeps: bool) -> Any:
    def of_axes(x, axis, order):
        row, column = axis_of(x, axis[0]), axis_of(x, axis[1])
        if row == column:
            raise ValueError("Duplicate axes given.")
        return of_tables(x, row, column, order)

    def of_all(x, axis, order):
        return of_tables(x, 0, 1, order)

    found = private(of_all if every else of_axes)
    if not keeps:
        return found
    return private(lambda x, axis, order: in_shape(found(x, axis, order), shape_with_ones(x, axis)))


def _is_axis(axis: Any) -> bool:
    return left_out(axis) or is_integral(axis) or is_shape(axis)


@numpy_of_constants(np.linalg.norm, "x", ord=None, axis=None, keepdims=False)
def _norm(x, ord, axis, keepdims):  # noqa: A002
    axis_type = axis.ty if isinstance(axis, Known) else axis
    if not is_array(x) or not isinstance(keepdims, Known) or not _is_axis(axis_type):
        return None
    if isinstance(axis_type, types.ListDisplay):
        raise TypingError("'axis' must be None, an integer or a tuple of integers")
    dtype = inexact(types.to_dtype(x.dtype))
    inner = Array(types.from_dtype(dtype), x.ndim, x.layout)
    known = axis.value if isinstance(axis, Known) and isinstance(axis.value, tuple) else None
    computed = _norm_of(inner, _order_of(ord), axis_type, bool(keepdims.value), known)

    def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
        return computed(in_dtype(x, dtype), axis, ord)

    return norm


@numpy_of_constants(np.linalg.matrix_norm, "x", keepdims=False, ord="fro")
def _matrix_norm(x, keepdims, ord):  # noqa: A002
    if not is_array(x) or not isinstance(keepdims, Known):
        return None
    if x.ndim < 2:
        raise TypingError("a matrix has at least two dimensions")
    keeps, order = bool(keepdims.value), _order_of(ord)

    def matrix_norm(x, /, *, keepdims=False, ord="fro"):  # noqa: A002
        return np.linalg.norm(x, order, (-2, -1), keeps)

    def by_order(x, /, *, keepdims=False, ord="fro"):  # noqa: A002
        return np.linalg.norm(x, ord, (-2, -1), keeps)

    return by_order if order is UNKNOWN else matrix_norm


@numpy_of_constants(np.linalg.vector_norm, "x", axis=None, keepdims=False, ord=2)
def _vector_norm(x, axis, keepdims, ord):  # noqa: A002
    axis_type = axis.ty if isinstance(axis, Known) else axis
    if not is_array(x) or not isinstance(keepdims, Known) or not _is_axis(axis_type):
        return None
    dtype, order = inexact(types.to_dtype(x.dtype)), _order_of(ord)
    ndim = 1 if left_out(axis_type) else x.ndim
    inner = Array(types.from_dtype(dtype), ndim, x.layout)
    if isinstance(axis_type, types.Tuple):
        known = axis.value if isinstance(axis, Known) else None
        return _vector_norm_of_axes(inner, known, order, bool(keepdims.value))
    along = _norm_of(inner, order, types.int64, False)
    keeps = bool(keepdims.value)

    def of_all(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
        return along(in_dtype(x.ravel(), dtype), 0, ord)

    def of_lines(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
        return along(in_dtype(x, dtype), axis, ord)

    found = private(of_all if left_out(axis_type) else of_lines)
    return _kept(found) if keeps else found


def _kept(found: Any) -> Any:
    def kept(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
        result = found(x, axis=axis, keepdims=False, ord=ord)
        return in_shape(result, shape_with_ones(x, axis))

    return kept


def _vector_norm_of_axes(x: Array, given: Any, order: Any, keeps: bool) -> Any:
    """The norms of what lies along several axes, taken as one."""
    if given is None:
        return None
    axes = tuple(one % x.ndim for one in given)
    rest = tuple(k for k in range(x.ndim) if k not in axes)
    order_of_axes, count = axes + rest, len(axes)
    if len(set(axes)) != count:
        raise TypingError("repeated axis")
    inner = Array(x.dtype, 1 + len(rest), "C")
    along, dtype = _norm_of(inner, order, types.int64, False), types.to_dtype(x.dtype)

    def of_axes(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
        turned = np.transpose(x, order_of_axes)
        size = 1
        for k in range(count):
            size *= turned.shape[k]
        table = turned.reshape((size,) + turned.shape[count:])  # noqa: RUF005
        return along(in_dtype(table, dtype), 0, ord)

    found = private(of_axes)
    return _kept(found) if keeps else found


# --- of singular values -----------------------------------------------------------------------


@numpy_of_constants(np.linalg.cond, "x", p=None)
def _cond(x, p):
    if not are_stacks(x):
        return None
    order = _order_of(p)
    if order is UNKNOWN:
        return None  # which of two ways is gone depends on it
    kind = kind_of(x)
    real, loop = kind.real, kind.loop("inv", "t", "t")
    is_smallest_first = order == -2

    def by_values(x, p=None):
        _require_elements(x)
        s = np.linalg.svd(x, True, False)
        return _ratio(x, s[..., -1] / s[..., 0] if is_smallest_first else s[..., 0] / s[..., -1])

    def by_norms(x, p=None):
        _require_elements(x)
        require_square(x)
        _, inverse = stacked(loop, x)
        product = np.linalg.norm(x, order, (-2, -1)) * np.linalg.norm(inverse, order, (-2, -1))
        return _ratio(x, in_dtype(product, real))

    return by_values if order in (None, 2, -2) else by_norms


@private
def _require_elements(x):
    if x.shape[-1] * x.shape[-2] == 0:
        raise LinAlgError("cond is not defined on empty arrays")


def _ratio(x, r):
    """Conditions, infinite where they are no numbers though all elements are."""
    return np.where(np.isnan(r) & ~np.isnan(x).any(axis=(-2, -1)), np.inf, r)[()]


@overload(_ratio, jit_options=OPTIONS)
def _ratio_typer(x, r):
    def of_one(x, r):
        return type_of_r(np.inf) if np.isnan(r) and not np.isnan(x).any() else r

    def of_several(x, r):
        conditions = r.ravel()
        tables = x.reshape((conditions.size,) + x.shape[-2:])  # noqa: RUF005
        for k in range(conditions.size):
            if np.isnan(conditions[k]) and not np.isnan(tables[k]).any():
                conditions[k] = np.inf
        return r

    if isinstance(r, Array):
        return of_several
    type_of_r = types.to_dtype(r).type
    return of_one


@numpy(np.linalg.matrix_rank)
def _matrix_rank(A, tol=None, hermitian=False, *, rtol=None):  # noqa: N803
    if not is_array(A) or flag(hermitian) is None:
        return None
    if not left_out(tol) and not left_out(rtol):
        raise TypingError("`tol` and `rtol` can't be both set.")
    if not all(left_out(one) or is_real(one) for one in (tol, rtol)):
        return None
    if A.ndim < 2:
        return lambda A, tol=None, hermitian=False, *, rtol=None: int(np.any(A != 0))  # noqa: N803
    cast, is_hermitian = kind_of(A).real.type, bool(flag(hermitian))
    least, told, related = cast(np.finfo(cast).eps), not left_out(tol), not left_out(rtol)

    @private
    def by_size(s, A, tol, rtol):  # noqa: N803
        return float(cast(s.max(initial=0) * cast(cast(max(A.shape[-2], A.shape[-1])) * least)))

    @private
    def by_ratio(s, A, tol, rtol):  # noqa: N803
        return float(s.max(initial=0)) * float(rtol)

    @private
    def by_value(s, A, tol, rtol):  # noqa: N803
        return float(tol)

    limit = by_value if told else by_ratio if related else by_size

    @private
    def count_of(s, A, tol, rtol):  # noqa: N803
        bound, count = limit(s, A, tol, rtol), 0
        for k in range(len(s)):
            count += float(s[k]) > bound
        return count

    def of_one(A, tol=None, hermitian=False, *, rtol=None):  # noqa: N803
        return count_of(np.linalg.svd(A, True, False, is_hermitian), A, tol, rtol)

    def of_several(A, tol=None, hermitian=False, *, rtol=None):  # noqa: N803
        s = np.linalg.svd(A, True, False, is_hermitian)
        out = np.zeros(A.shape[:-2], np.int64)
        lines = s.reshape(out.size, s.shape[-1])
        for k in range(out.size):
            out.flat[k] = count_of(lines[k], A, tol, rtol)
        return out

    return of_one if A.ndim == 2 else of_several
