"""Products that sum: `dot vdot inner matmul vecdot matvec vecmat`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.constants import Known, numpy_of_constants
from cutaway.library.arrays.kit.core_axes import core_axes
from cutaway.library.arrays.kit.dtypes import joint
from cutaway.library.arrays.kit.elements import plain, result_is_number, single
from cutaway.library.arrays.kit.filling import lies_in_a_line
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.operations import PRODUCTS
from cutaway.library.arrays.kit.shapes import require
from cutaway.library.arrays.kit.stacks import require_loop, stacked
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    is_array,
    is_integral,
    is_number,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.products.blas import (
    dots_into,
    has_products,
    is_in_blas,
    multiply_lines,
    multiply_tables_into,
    ready,
)
from cutaway.lowering.arrays.loops import has_loop
from cutaway.lowering.arrays.stacks import signature_of, stack_call
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean

# --- a line times a line ----------------------------------------------------------------------


def dot_lines(a, b, zero):
    """The sum of the products of two lines of one length, as numbers like `zero`."""
    return np.dot(a, b) + zero


LANES = 8  # sums side by side, which become vector instructions


@overload(dot_lines, jit_options=OPTIONS)
def _dot_lines(a, b, zero):
    cast = types.to_dtype(zero).type

    def plain(a, b, zero):
        total = zero
        for k in range(len(a)):
            total += a[k] * b[k]
        return cast(total)

    def in_lanes(a, b, zero):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
        end = len(a) - len(a) % LANES
        for k in range(0, end, LANES):
            s0 += a[k] * b[k]
            s1 += a[k + 1] * b[k + 1]
            s2 += a[k + 2] * b[k + 2]
            s3 += a[k + 3] * b[k + 3]
            s4 += a[k + 4] * b[k + 4]
            s5 += a[k + 5] * b[k + 5]
            s6 += a[k + 6] * b[k + 6]
            s7 += a[k + 7] * b[k + 7]
        total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
        for k in range(end, len(a)):
            total += a[k] * b[k]
        return total

    def of_bools(a, b, zero):
        for k in range(len(a)):
            if a[k] and b[k]:
                return True
        return zero

    if isinstance(zero, Boolean):
        return of_bools
    if is_in_blas(a, b):
        return lambda a, b, zero: multiply_lines(a, b)
    return in_lanes if isinstance(zero, types.Float) else plain


_NOT_ALIGNED = "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})"


@private
def _require_aligned(first, second, size, other, axis):
    require(size == other, _NOT_ALIGNED, (first, second, size, len(first) - 1, other, axis))


def dot_kind(a, b):
    """The dtype of a product of arrays, its zero, and a class that makes its numbers."""
    dtype = joint(a, b)
    return dtype, dtype.type(0), dtype.type


# --- a line times a table, and tables ---------------------------------------------------------


@private
def multiply_tables(out, a, b):
    """Add the product of two tables to `out`: by rows, so that the inner loop goes through
    memory in order; in blocks of rows of `b` that stay in the cache."""
    block = 64
    for start in range(0, b.shape[0], block):
        stop = min(start + block, b.shape[0])
        for i in range(a.shape[0]):
            row, line = out[i], a[i]
            fours = stop - (stop - start) % 4
            for k in range(start, fours, 4):
                add_four(row, line[k : k + 4], b[k], b[k + 1], b[k + 2], b[k + 3])
            for k in range(fours, stop):
                add_multiple(row, line[k], b[k])


@private
def add_four(out, line, r0, r1, r2, r3):
    """As four times `add_multiple`, but `out` is read and written once."""
    x0, x1, x2, x3 = line[0], line[1], line[2], line[3]
    for j in range(len(out)):
        out[j] = out[j] + x0 * r0[j] + x1 * r1[j] + x2 * r2[j] + x3 * r3[j]


@private
def add_multiple(out, x, row):
    for j in range(len(out)):
        out[j] += x * row[j]


def _dot_of(a, b, check, prepared):
    """Multiplies arrays of one and two dimensions; `check` raises if they do not fit, `prepared` is
    what NumPy's function for tables is given."""
    dtype, zero, cast = dot_kind(a, b)

    def lines(a, b):
        check(a, b, a.shape[0], b.shape[0], 0)
        return dot_lines(a, b, zero)

    def table_and_line(a, b):
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.empty(a.shape[0], dtype)
        for k in range(len(out)):
            out[k] = dot_lines(a[k], b, zero)
        return out

    def line_and_table(a, b):
        check(a, b, a.shape[0], b.shape[0], 0)
        out = np.zeros(b.shape[1], dtype)
        for k in range(len(a)):
            add_multiple(out, cast(a[k]), b[k])
        return out

    def tables(a, b):
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.zeros((a.shape[0], b.shape[1]), dtype)
        multiply_tables(out, a, np.ascontiguousarray(b))
        return out

    def table_and_line_by_blas(a, b):
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.empty(a.shape[0], dtype)
        multiply_tables_into(out[:, None], prepared(a), prepared(b)[:, None])
        return out

    def line_and_table_by_blas(a, b):
        check(a, b, a.shape[0], b.shape[0], 0)
        out = np.empty(b.shape[1], dtype)
        multiply_tables_into(out[None, :], prepared(a)[None, :], prepared(b))
        return out

    def tables_by_blas(a, b):
        check(a, b, a.shape[1], b.shape[0], 0)
        out = np.empty((a.shape[0], b.shape[1]), dtype)
        multiply_tables_into(out, prepared(a), prepared(b))
        return out

    def lines_by_blas(a, b):
        check(a, b, a.shape[0], b.shape[0], 0)
        return dot_lines(prepared(a), prepared(b), zero)

    if is_in_blas(a, b):
        line_and_table, table_and_line = line_and_table_by_blas, table_and_line_by_blas
        tables, lines = tables_by_blas, lines_by_blas
    by_dimensions = {(1, 1): lines, (2, 1): table_and_line, (1, 2): line_and_table, (2, 2): tables}
    chosen = by_dimensions.get((a.ndim, b.ndim))
    return None if chosen is None else private(chosen)


@private
def _check_dot(a, b, size, other, axis):
    _require_aligned(a.shape, b.shape, size, other, axis)


@private
def _check_matmul(a, b, size, other, axis):
    if size != other:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature"
            f" (n?,k),(k,m?)->(n?,m?) (size {other} is different from {size})"
        )


def _dot(a, b, out=None):
    if not are_elements(a, b) or not _is_output(out):
        return None
    if not left_out(out):
        return _dot_into(a, b, out)
    if is_number(a) and is_number(b):
        return lambda a, b, out=None: a * b
    if result_is_number(a, b):
        cast = joint(a, b).type
        return lambda a, b, out=None: cast(cast(single(a)) * cast(single(b)))
    if not dimensions(a) or not dimensions(b):
        return lambda a, b, out=None: _scaled(a, b)
    if not has_one_kind(a, b) and has_products(joint(a, b)):
        return _dot_of_kinds(joint(a, b))
    product = _dot_of(a, b, _check_dot, ready) or _dot_of_lines(a, b)
    return None if product is None else (lambda a, b, out=None: product(a, b))


def _dot_of_kinds(dtype: Any) -> Any:
    return lambda a, b, out=None: np.dot(plain(a, dtype), plain(b, dtype))


def _dot_of_lines(a: Array, b: Array) -> Any:
    """The product of arrays of several dimensions, line by line."""
    dtype = joint(a, b)
    if not has_products(dtype):
        return None

    def dot(a, b):
        _require_aligned(a.shape, b.shape, a.shape[-1], b.shape[-2], b.ndim - 2)
        out = np.empty(a.shape[:-1] + b.shape[:-2] + b.shape[-1:], dtype)
        dots_into(out, a, lines_along(b, -2))
        return out

    def dot_with_line(a, b):
        _require_aligned(a.shape, b.shape, a.shape[-1], b.shape[0], 0)
        out = np.empty(a.shape[:-1], dtype)
        dots_into(out, a, b)
        return out

    return private(dot_with_line if b.ndim == 1 else dot)


_NOT_ACCEPTABLE = (
    "output array is not acceptable (must have the right datatype, number of dimensions, and be a"
    " C-Array)"
)


def _dot_into(a: Any, b: Any, out: Any) -> Any:
    ndim = dimensions(a) + dimensions(b) - 2 * bool(dimensions(a) and dimensions(b))
    fits = types.to_dtype(out.dtype) == joint(a, b) and out.ndim == ndim and out.layout != "F"
    if not fits or out.readonly:
        raise TypingError(_NOT_ACCEPTABLE)
    is_c = out.layout == "C"

    def dot(a, b, out=None):
        if not (is_c or lies_in_a_line(out)):
            raise ValueError(_NOT_ACCEPTABLE)
        result = np.asarray(np.dot(a, b))
        if result.shape != out.shape:
            raise ValueError("output array has wrong dimensions")
        out[...] = result
        return out

    return dot


def _scaled(a, b):
    return np.multiply(np.asarray(a), np.asarray(b))


@overload(_scaled, jit_options=OPTIONS)
def _scaled_typer(a, b):
    dtype = joint(a, b)
    zero, cast = dtype.type(0), dtype.type

    def of_array(array, x):
        out = np.empty(array.shape, dtype)
        line, k = out.ravel(), 0
        for element in array.flat:
            line[k] = zero + cast(element) * cast(single(x))  # never -0.0, as NumPy has it
            k += 1
        return out

    scaled = private(of_array)
    return (lambda a, b: scaled(a, b)) if dimensions(a) else (lambda a, b: scaled(b, a))


@private
def _as_it_is(a):
    return a


def has_one_kind(a: Array, b: Array) -> bool:
    """True if two arrays have elements of one dtype, where NumPy's loops can read them."""
    return a.dtype is b.dtype and a.aligned and b.aligned


def _is_output(out: Any) -> bool:
    return left_out(out) or isinstance(out, Array)


# --- generalized ufuncs -----------------------------------------------------------------------


def _matmul(a, b, /, out=None):
    if not is_array(a) or not is_array(b) or not _is_output(out):
        return None
    if not left_out(out):
        return _stored(np.matmul, a, b, out)
    dtype = joint(a, b)
    if a.ndim <= 2 and b.ndim <= 2 and not has_one_kind(a, b) and has_products(dtype):
        return lambda a, b, /, out=None: np.matmul(plain(a, dtype), plain(b, dtype))
    product = _dot_of(a, b, _check_matmul, _as_it_is)
    if product is None:
        return _by_loop(np.matmul, a, b)
    return lambda a, b, /, out=None: product(a, b)


def _operator_matmul(a, b, /):
    if not is_array(a) or not is_array(b):
        return None
    return lambda a, b, /: np.matmul(a, b)


def _by_loop(function: np.ufunc, a: Array, b: Array) -> Any:
    dtype = joint(a, b)
    loop = f"numpy.{function.__name__}.{dtype.char}{dtype.char}.{dtype.char}"
    sizes = signature_of(function)[0]
    for number, (array, names) in enumerate(zip((a, b), sizes, strict=True)):
        least = sum(not name.endswith("?") for name in names)
        if array.ndim < least:
            raise TypingError(
                f"{function.__name__}: Input operand {number} does not have enough dimensions (has"
                f" {array.ndim}, gufunc core with signature {function.signature} requires {least})"
            )
    require_loop(loop)

    def by_loop(a, b, /, out=None):
        return stacked(loop, a, b)[1]

    return by_loop


def _stored(function: np.ufunc, a: Array, b: Array, out: Array) -> Any:
    """The product in an array of the caller's, which may be an operand, too."""
    found, dtype = types.to_dtype(out.dtype), joint(a, b)
    name, signature = function.__name__, function.signature
    if not np.can_cast(dtype, found, "same_kind"):
        raise TypingError(
            f"Cannot cast ufunc '{name}' output from {dtype!r} to {found!r} with casting rule"
            " 'same_kind'"
        )
    if out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")

    call = stack_call(f"numpy.{name}.??.?", function, (a.ndim, b.ndim))
    core = 0 if call is None else len(call.outputs[0])
    message = (
        f"{name}: Output operand 0 has a mismatch in its core dimension {{}}, with gufunc signature"
        f" {signature} (size {{}} is different from {{}})"
    )

    def stored(a, b, /, out=None):
        result = np.asarray(function(a, b))
        for k in range(core):
            size, wanted = out.shape[out.ndim - core + k], result.shape[result.ndim - core + k]
            require(size == wanted, message, (k, size, wanted))
        out[...] = result
        return out

    return stored


def _line_loop(function: np.ufunc) -> None:
    """Register a product with lines."""

    def typer(a, b, /, out=None):
        if not is_array(a) or not is_array(b) or not _is_output(out):
            return None
        return _by_loop(function, a, b) if left_out(out) else _stored(function, a, b, out)

    numpy(function)(typer)


for _one in (np.matvec, np.vecmat):
    _line_loop(_one)


@numpy(np.vecdot)
def _vecdot(a, b, /, out=None, axis=-1):
    if not is_array(a) or not is_array(b) or not _is_output(out):
        return None
    if not isinstance(axis, int | types.Omitted):
        return _vecdot_along(a, b, axis) if left_out(out) and is_integral(axis) else None
    if not left_out(out):
        stored = private(_stored(np.vecdot, a, b, out))
        return lambda a, b, /, out=None, axis=-1: stored(a, b, out)
    product = private(_by_loop(np.vecdot, a, b))
    return lambda a, b, /, out=None, axis=-1: product(a, b)


def _vecdot_along(a: Array, b: Array, axis: Any) -> Any:
    def vecdot(a, b, /, out=None, axis=-1):
        return np.vecdot(lines_along(a, axis), lines_along(b, axis))

    return vecdot if a.ndim and b.ndim else None


_TYPERS = {np.dot: _dot, np.matmul: _matmul, operator.matmul: _operator_matmul}

for _row in PRODUCTS:
    numpy(_row.function, *_row.methods)(_TYPERS[_row.function])


# --- with axes that a call names ----------------------------------------------------------------

# For each product the axes of its operands, and of its result, that are multiplied.
_CORES = {np.matmul: (2, 2, 2), np.vecdot: (1, 1, 0), np.matvec: (2, 1, 1), np.vecmat: (1, 2, 1)}


def _register_told(function: Any) -> None:
    """Register the calls of a product that name axes, or a dtype."""

    @numpy_of_constants(
        function, "a", "b", out=None, axes=None, axis=None, keepdims=False, dtype=None, casting=None
    )
    def typer(a, b, out, axes, axis, keepdims, dtype, casting):  # noqa: PLR0913
        a, b, out = (one.ty if isinstance(one, Known) else one for one in (a, b, out))
        told = (axes, axis, keepdims, dtype, casting)
        if not is_array(a) or not is_array(b) or not _is_output(out):
            return None
        if not all(isinstance(one, Known) for one in told):
            return None
        return _told(function, a, b, out, *(one.value for one in told))


def _told(  # noqa: PLR0913  what a call says
    function: Any,
    a: Array,
    b: Array,
    out: Any,
    axes: Any,
    axis: Any,
    keepdims: Any,
    dtype: Any,
    casting: Any,
) -> Any:
    *cores, outer = _CORES[function]
    if a.ndim < cores[0] or b.ndim < cores[1]:
        return None  # with the core axes of lines that `matmul` adds
    loops = max(a.ndim - cores[0], b.ndim - cores[1])
    found = core_axes(
        function.__name__,
        (a.ndim, b.ndim),
        _CORES[function],
        loops + outer,
        axes,
        axis,
        bool(keepdims),
    )
    dtypes = [types.to_dtype(one.dtype) for one in (a, b)]
    computed = np.result_type(*dtypes) if dtype is None else np.dtype(dtype)
    if not all(np.can_cast(one, computed, casting or "same_kind") for one in dtypes):
        raise TypingError(
            f"Cannot cast ufunc '{function.__name__}' input 0 from {dtypes[0]!r} to {computed!r}"
            f" with casting rule '{casting or 'same_kind'}'"
        )
    (of_a, of_b), of_result, added = found
    ones = (1,) * added
    converts = [one != computed for one in dtypes] if dtype is not None else [False, False]

    @private
    def product(a, b):
        x, y = np.transpose(a, of_a), np.transpose(b, of_b)
        result = np.asarray(function(first_in(x), second_in(y)))
        return np.transpose(result.reshape(result.shape + ones), of_result)  # noqa: RUF005

    as_it_is, converted = private(lambda x: x), private(lambda x: x.astype(computed))
    first_in, second_in = (converted if one else as_it_is for one in converts)
    is_number = loops + outer + added == 0

    def told(a, b, out=None, axes=None, axis=None, keepdims=False, dtype=None, casting=None):  # noqa: PLR0913
        return product(a, b)

    def number(a, b, out=None, axes=None, axis=None, keepdims=False, dtype=None, casting=None):  # noqa: PLR0913
        return product(a, b)[()]

    def stored(a, b, out=None, axes=None, axis=None, keepdims=False, dtype=None, casting=None):  # noqa: PLR0913
        np.copyto(out, product(a, b), casting="same_kind")
        return out

    if not left_out(out):
        return stored
    return number if is_number else told


for _one in _CORES:
    _register_told(_one)


# --- of all elements, and of last axes --------------------------------------------------------


def one_line(a):
    """All elements as one line; a line as it is."""
    return a if a.ndim == 1 else np.ravel(a)


@overload(one_line, jit_options=OPTIONS)
def _one_line(a):
    return (lambda a: a) if a.ndim == 1 else (lambda a: a.ravel())


@numpy(np.vdot)
def _vdot(a, b):
    if not are_elements(a, b):
        return None
    if not isinstance(a, Array) or not isinstance(b, Array):
        return lambda a, b: np.vdot(np.asarray(a), np.asarray(b))
    dtype, zero, _ = dot_kind(a, b)
    product = (
        _conjugated(dtype) if dtype.kind == "c" else private(lambda a, b: dot_lines(a, b, zero))
    )

    def vdot(a, b):
        if a.size != b.size:
            raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
        return product(plain(one_line(a), dtype), plain(one_line(b), dtype))

    return vdot


def _conjugated(dtype: Any) -> Any:
    zero = dtype.type(0)
    loop = f"numpy.vecdot.{dtype.char}{dtype.char}.{dtype.char}"

    def by_loop(a, b):
        return stacked(loop, a, b)[1]

    def by_elements(a, b):
        total = zero
        for k in range(len(a)):
            total += a[k].conjugate() * b[k]
        return total

    return private(by_loop if has_loop(loop) else by_elements)


@numpy(np.inner)
def _inner(a, b):
    if not are_elements(a, b):
        return None
    if dimensions(b) < 2 or not dimensions(a):
        return lambda a, b: np.dot(a, b)
    return lambda a, b: np.dot(a, np.swapaxes(b, -1, -2))
