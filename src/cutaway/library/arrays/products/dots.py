"""Products with sums: `dot vdot inner matmul vecdot matvec vecmat`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.constants import ConstantArgument, numpy_of_constants
from cutaway.library.arrays.kit.core_axes import core_axes
from cutaway.library.arrays.kit.dtypes import element_dtype, joint_dtype
from cutaway.library.arrays.kit.elements import plain, single
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import is_in_order, require
from cutaway.library.arrays.kit.stacks import require_loop, stacked
from cutaway.library.arrays.kit.takes import Constant, Numbers, Operands, Output, numpy
from cutaway.library.arrays.kit.typers import (
    dimensions,
    is_array,
    is_in_rows,
    left_out,
    private,
    said,
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

_in_blas = static(is_in_blas)

# --- vector times vector ----------------------------------------------------------------------

LANES = 8  # independent partial sums, which LLVM vectorizes


@private
def dot_lines(a, b, zero):
    """The dot product of two lines of one length, in the type of `zero`."""
    if element_dtype(zero) == np.bool_:
        for k in range(len(a)):
            if a[k] and b[k]:
                return True
        return zero
    if _in_blas(a, b):
        return multiply_lines(a, b)
    if element_dtype(zero).kind == "f":
        return _dot_in_lanes(a, b, zero)
    total = zero
    for k in range(len(a)):
        total += a[k] * b[k]
    return element_dtype(zero).type(total)


@private
def _dot_in_lanes(a, b, zero):
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


# --- vector times matrix, and matrices --------------------------------------------------------


@private
def multiply_tables(out, a, b):
    """Add the product of two matrices to `out`: by rows, so that the inner loop reads memory in
    order, and in blocks of rows of `b` that stay in the cache."""
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
    """Like four calls of `add_multiple`, with `out` read and written once."""
    x0, x1, x2, x3 = line[0], line[1], line[2], line[3]
    for j in range(len(out)):
        out[j] = out[j] + x0 * r0[j] + x1 * r1[j] + x2 * r2[j] + x3 * r3[j]


@private
def add_multiple(out, x, row):
    for j in range(len(out)):
        out[j] += x * row[j]


@private
def _by_blas(a, b):
    """The product of two arrays of one or two dimensions by BLAS."""
    if a.ndim == 1 and b.ndim == 1:
        return multiply_lines(a, b)
    if b.ndim == 1:
        column = np.empty(a.shape[0], a.dtype)
        multiply_tables_into(column[:, None], a, b[:, None])
        return column
    if a.ndim == 1:
        row = np.empty(b.shape[1], a.dtype)
        multiply_tables_into(row[None, :], a[None, :], b)
        return row
    table = np.empty((a.shape[0], b.shape[1]), a.dtype)
    multiply_tables_into(table, a, b)
    return table


@private
def _by_loops(a, b):
    """The product of two arrays of one or two dimensions without BLAS."""
    dtype = joint_dtype(a, b)
    if a.ndim == 1 and b.ndim == 1:
        return dot_lines(a, b, dtype.type(0))
    if b.ndim == 1:
        column = np.empty(a.shape[0], dtype)
        for k in range(len(column)):
            column[k] = dot_lines(a[k], b, dtype.type(0))
        return column
    if a.ndim == 1:
        row = np.zeros(b.shape[1], dtype)
        for k in range(len(a)):
            add_multiple(row, dtype.type(a[k]), b[k])
        return row
    table = np.zeros((a.shape[0], b.shape[1]), dtype)
    multiply_tables(table, a, np.ascontiguousarray(b))
    return table


_NOT_ALIGNED = "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})"


@private
def _multiplied_lines(a, b):
    """The product of arrays of several dimensions, line by line."""
    require_products(a, b)
    size, place = a.shape[-1], max(b.ndim - 2, 0)
    other = b.shape[place]
    require(size == other, _NOT_ALIGNED, (a.shape, b.shape, size, a.ndim - 1, other, place))
    if b.ndim == 1:
        out = np.empty(a.shape[:-1], joint_dtype(a, b))
        dots_into(out, a, b)
        return out
    out = np.empty(a.shape[:-1] + b.shape[:-2] + b.shape[-1:], joint_dtype(a, b))
    dots_into(out, a, lines_along(b, -2))
    return out


@private
def _scaled(a, x):
    """An array times a number."""
    dtype = joint_dtype(a, x)
    out, factor = np.empty(a.shape, dtype), dtype.type(x)
    line, k = out.ravel(), 0
    for element in a.flat:
        line[k] = dtype.type(0) + dtype.type(element) * factor  # never -0.0, as in NumPy
        k += 1
    return out


_NOT_ACCEPTABLE = (
    "output array is not acceptable (must have the right datatype, number of dimensions, and be a"
    " C-Array)"
)


@static
def _check_dot_output(a: Any, b: Any, out: Any) -> None:
    """Refuse an output that is not of the type that `dot` returns."""
    ndim = dimensions(a) + dimensions(b) - 2 * bool(dimensions(a) and dimensions(b))
    fits = element_dtype(out) == joint_dtype(a, b) and out.ndim == ndim and out.layout != "F"
    if not fits or out.readonly:
        raise TypingError(_NOT_ACCEPTABLE)


@numpy(np.dot, "dot")
def dot(a: Operands, b: Operands, out: Output = None):
    if out is not None:
        _check_dot_output(a, b, out)
        if not is_in_rows(out) and not is_in_order(out.shape, out.strides, out.itemsize):
            raise ValueError(_NOT_ACCEPTABLE)
        result = np.asarray(np.dot(a, b))
        if result.shape != out.shape:
            raise ValueError("output array has wrong dimensions")
        out[...] = result
        return out
    if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        return a * b
    dtype = joint_dtype(a, b)
    if dimensions(a) == 0 and dimensions(b) == 0:
        return dtype.type(dtype.type(single(a)) * dtype.type(single(b)))
    if dimensions(a) == 0:
        return _scaled(b, single(a))
    if dimensions(b) == 0:
        return _scaled(a, single(b))
    if _is_converted(a, b):
        return np.dot(plain(a, dtype), plain(b, dtype))
    if a.ndim > 2 or b.ndim > 2:
        return _multiplied_lines(a, b)
    size, other = a.shape[-1], b.shape[0]
    require(size == other, _NOT_ALIGNED, (a.shape, b.shape, size, a.ndim - 1, other, 0))
    if _in_blas(a, b):
        return _by_blas(ready(a), ready(b))
    return _by_loops(a, b)


@static
def require_products(a: Any, b: Any) -> None:
    """Refuse arrays that NumPy has no callable dot function for."""
    if not has_products(joint_dtype(a, b)):
        raise TypingError(
            f"products of {joint_dtype(a, b)} of this NumPy cannot be called from compiled code",
            hint="NumPy 2 is needed, and CUTAWAY_NUMPY_LOOPS must not be 0",
        )


@static
def _is_converted(a: Any, b: Any) -> bool:
    """True if an array must be converted to the joint dtype or aligned, and a loop exists for
    it."""
    is_alike = a.dtype is b.dtype and a.aligned and b.aligned
    return not is_alike and has_products(joint_dtype(a, b))


# --- generalized ufuncs -----------------------------------------------------------------------


@numpy(np.matmul)
def matmul(a: Numbers, b: Numbers, /, out: Output = None):
    if out is not None:
        return _stored("matmul", a, b, out)
    if not 0 < a.ndim < 3 or not 0 < b.ndim < 3:
        return stacked(_loop_of("matmul", a, b), a, b)[1]
    if _is_converted(a, b):
        return np.matmul(plain(a, joint_dtype(a, b)), plain(b, joint_dtype(a, b)))
    if a.shape[-1] != b.shape[0]:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature"
            f" (n?,k),(k,m?)->(n?,m?) (size {b.shape[0]} is different from {a.shape[-1]})"
        )
    return _by_blas(a, b) if _in_blas(a, b) else _by_loops(a, b)


@numpy(operator.matmul)
def matmul_by_operator(a: Numbers, b: Numbers, /):
    return np.matmul(a, b)


@static
def _loop_of(name: Any, a: Any, b: Any) -> str:
    """The name of the loop for a product of stacks."""
    function, char = getattr(np, said(name)), joint_dtype(a, b).char
    sizes = signature_of(function)[0]
    for number, (array, names) in enumerate(zip((a, b), sizes, strict=True)):
        least = sum(not name.endswith("?") for name in names)
        if array.ndim < least:
            raise TypingError(
                f"{function.__name__}: Input operand {number} does not have enough dimensions (has"
                f" {array.ndim}, gufunc core with signature {function.signature} requires {least})"
            )
    loop = f"numpy.{function.__name__}.{char}{char}.{char}"
    require_loop(loop)
    return loop


@static
def _check_output(name: Any, a: Any, b: Any, out: Any) -> None:
    """Refuse an output that cannot hold a product."""
    target, dtype = element_dtype(out), joint_dtype(a, b)
    if not np.can_cast(dtype, target, "same_kind"):
        raise TypingError(
            f"Cannot cast ufunc '{said(name)}' output from {dtype!r} to {target!r} with casting"
            " rule 'same_kind'"
        )
    if out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")


@static
def _core_of(name: Any, a: Any, b: Any) -> int:
    """The number of core axes of a product."""
    call = stack_call(f"numpy.{said(name)}.??.?", getattr(np, said(name)), (a.ndim, b.ndim))
    return 0 if call is None else len(call.outputs[0])


@static
def _mismatch_of(name: Any) -> str:
    signature = getattr(np, said(name)).signature
    return (
        f"{said(name)}: Output operand 0 has a mismatch in its core dimension {{}}, with gufunc"
        f" signature {signature} (size {{}} is different from {{}})"
    )


@private
def _product_of(name, a, b):
    if name == "matmul":
        return np.matmul(a, b)
    return stacked(_loop_of(name, a, b), a, b)[1]


@private
def _stored(name, a, b, out):
    """The product stored in the caller's array, which may be an operand too."""
    _check_output(name, a, b, out)
    result, core = np.asarray(_product_of(name, a, b)), _core_of(name, a, b)
    for k in range(core):
        size, wanted = out.shape[out.ndim - core + k], result.shape[result.ndim - core + k]
        require(size == wanted, _mismatch_of(name), (k, size, wanted))
    out[...] = result
    return out


def _register_loop(function: np.ufunc) -> None:
    """Register a generalized product."""
    name = function.__name__

    @numpy(function)
    def product(a: Numbers, b: Numbers, /, out: Output = None):
        return _product_of(name, a, b) if out is None else _stored(name, a, b, out)


_register_loop(np.matvec)
_register_loop(np.vecmat)


@static
def _is_last(axis: Any) -> bool:
    return said(axis) == -1


@numpy(np.vecdot)
def vecdot(a: Numbers, b: Numbers, /, out: Output = None, axis: Constant = -1):
    if _is_last(axis) or a.ndim == 0 or b.ndim == 0:
        return _product_of("vecdot", a, b) if out is None else _stored("vecdot", a, b, out)
    x, y = lines_along(a, axis), lines_along(b, axis)
    return _product_of("vecdot", x, y) if out is None else _stored("vecdot", x, y, out)


# --- with explicit axes -------------------------------------------------------------------------

# The numbers of core axes of each product's operands and result.
_CORES = {np.matmul: (2, 2, 2), np.vecdot: (1, 1, 0), np.matvec: (2, 1, 1), np.vecmat: (1, 2, 1)}


def _register_told(function: Any) -> None:
    """Register the calls of a product that name axes or a dtype."""

    @numpy_of_constants(
        function, "a", "b", out=None, axes=None, axis=None, keepdims=False, dtype=None, casting=None
    )
    def typer(a, b, out, *told):
        a, b, out = (one.ty if isinstance(one, ConstantArgument) else one for one in (a, b, out))
        fits = is_array(a) and is_array(b) and (left_out(out) or is_array(out))
        if not fits or not all(isinstance(one, ConstantArgument) for one in told):
            return None
        return _told(function, a, b, *(one.value for one in told))


def _told(function: Any, a: Any, b: Any, *told: Any) -> Any:
    axes, axis, keepdims, dtype, casting = told
    *cores, outer = _CORES[function]
    if a.ndim < cores[0] or b.ndim < cores[1]:
        return None  # with the core axes that `matmul` adds to vectors
    loops = max(a.ndim - cores[0], b.ndim - cores[1])
    (of_a, of_b), of_result, added = core_axes(
        function.__name__,
        (a.ndim, b.ndim),
        _CORES[function],
        loops + outer,
        axes,
        axis,
        bool(keepdims),
    )
    dtypes = [element_dtype(one) for one in (a, b)]
    computed = np.result_type(*dtypes) if dtype is None else np.dtype(dtype)
    if not all(np.can_cast(one, computed, casting or "same_kind") for one in dtypes):
        raise TypingError(
            f"Cannot cast ufunc '{function.__name__}' input 0 from {dtypes[0]!r} to {computed!r}"
            f" with casting rule '{casting or 'same_kind'}'"
        )
    ones, is_number = (1,) * added, loops + outer + added == 0
    converts_a, converts_b = (dtype is not None and one != computed for one in dtypes)

    def called(a, b, out=None, axes=None, axis=None, keepdims=False, dtype=None, casting=None):  # noqa: PLR0913
        x, y = np.transpose(a, of_a), np.transpose(b, of_b)
        first = x.astype(computed) if converts_a else x
        second = y.astype(computed) if converts_b else y
        result = np.asarray(function(first, second))
        product = np.transpose(result.reshape(result.shape + ones), of_result)  # noqa: RUF005
        if out is not None:
            np.copyto(out, product, casting="same_kind")
            return out
        return product[()] if is_number else product

    return called


for _one in _CORES:
    _register_told(_one)


# --- products of all elements, and of last axes -----------------------------------------------


@private
def _in_one_line(a, dtype):
    """All elements as one line of a dtype."""
    return plain(a if a.ndim == 1 else a.ravel(), dtype)


@numpy(np.vdot)
def vdot(a: Operands, b: Operands):
    first, second, dtype = np.asarray(a), np.asarray(b), joint_dtype(a, b)
    if first.size != second.size:
        raise ValueError(f"cannot reshape array of size {second.size} into shape ({first.size},)")
    x, y = _in_one_line(first, dtype), _in_one_line(second, dtype)
    if dtype.kind != "c":
        return dot_lines(x, y, dtype.type(0))
    if _has_loop("vecdot", x):
        return _product_of("vecdot", x, y)
    total = dtype.type(0)
    for k in range(len(x)):
        total += x[k].conjugate() * y[k]
    return total


@static
def _has_loop(name: Any, a: Any) -> bool:
    char = element_dtype(a).char
    return has_loop(f"numpy.{said(name)}.{char}{char}.{char}")


@numpy(np.inner)
def inner(a: Operands, b: Operands):
    if dimensions(b) < 2 or dimensions(a) == 0:
        return np.dot(a, b)
    return np.dot(a, np.swapaxes(b, -1, -2))
