"""Outer products: `outer kron cross tensordot`, and `trace`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.constants import ConstantArgument, numpy_of_constants
from cutaway.library.arrays.kit.dtypes import joint_dtype
from cutaway.library.arrays.kit.elements import plain, shape2
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import count_of, removed, replaced, strided
from cutaway.library.arrays.kit.sizes import clamped
from cutaway.library.arrays.kit.takes import (
    Constant,
    Dtype,
    Numbers,
    Operands,
    Output,
    Tables,
    numpy,
)
from cutaway.library.arrays.kit.typers import dimensions, is_array, left_out, private, said
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array


@private
def _whole_line(x):
    """The elements of an array, or a number, as one line."""
    return x.ravel() if isinstance(x, np.ndarray) else np.array((x,))


@numpy(np.outer)
def outer(a: Operands, b: Operands, out: Output = None):
    rows, columns = _whole_line(a), _whole_line(b)
    if out is not None:
        return np.multiply(rows[:, None], columns[None, :], out)
    result = np.empty((len(rows), len(columns)), joint_dtype(a, b))
    cast = joint_dtype(a, b).type
    for i in range(len(rows)):
        x = cast(rows[i])
        for j in range(len(columns)):
            result[i, j] = x * cast(columns[j])
    return result


# --- blocks -----------------------------------------------------------------------------------


def with_gaps(a, before):
    """A view with a new axis of length one before or after each axis."""
    axes = range(a.ndim)
    return np.expand_dims(a, tuple(2 * k if before else 2 * k + 1 for k in axes))


def _gaps_rule(arguments: Arguments) -> Signature | None:
    array, before = arguments.types
    if not isinstance(array, Array) or not isinstance(before, types.Boolean):
        return None
    return Signature(array.viewed(2 * array.ndim, "A"), arguments.types)


@primitive(with_gaps, _gaps_rule)
def make_gaps(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a view of the same memory."""
    parts, before = array_parts(args[0]), args[1].parts[0]
    axes = []
    for axis in zip(parts.shape, parts.strides, strict=True):
        numbers = zip(("1", "0"), axis, strict=True)
        pairs = [
            (build.select(before, "i64", new, old), build.select(before, "i64", old, new))
            for new, old in numbers
        ]
        axes += zip(*pairs, strict=True)
    shape, strides = zip(*axes, strict=True)
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, shape, strides))


@numpy(np.kron)
def kron(a: Operands, b: Operands):
    if dimensions(a) == 0 or dimensions(b) == 0:  # a number counts as an array of its own dtype
        return np.multiply(np.asarray(a), np.asarray(b))
    x = a.reshape((1,) * (b.ndim - a.ndim) + a.shape) if a.ndim < b.ndim else a
    y = b.reshape((1,) * (a.ndim - b.ndim) + b.shape) if b.ndim < a.ndim else b
    sizes = x.shape
    for k in range(x.ndim):
        sizes = replaced(sizes, k, x.shape[k] * y.shape[k])
    return (with_gaps(x, False) * with_gaps(y, True)).reshape(sizes)


# --- cross ------------------------------------------------------------------------------------


@private
def _require_two_or_three(first, second):
    if first not in (2, 3) or second not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if first != 3 or second != 3:
        raise ValueError(
            "incompatible dimensions for cross product\n(dimension must be 3 in compiled code)"
        )


@private
def _require_three(first, second):
    if first != 3 or second != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are"
            f" {first} and {second} dimensional instead."
        )


# NumPy accepted vectors of two until 2.5.
_TAKES_TWO = np.lib.NumpyVersion(np.__version__) < "2.5.0"
_require_vectors = _require_two_or_three if _TAKES_TWO else _require_three


def _is_axis(axis: Any) -> bool:
    return left_out(axis) or type(said(axis)) is int


Place = Takes("an axis, as a constant", _is_axis, by_value=True)


@numpy(np.cross)
def cross(
    a: Numbers,
    b: Numbers,
    axisa: Place = -1,
    axisb: Place = -1,
    axisc: Place = -1,
    axis: Place = None,
):
    if a.ndim == 0 or b.ndim == 0:
        refuse("a product of vectors needs arrays with an axis")
    dtype = joint_dtype(a, b)
    if dtype == np.bool_:
        refuse("numpy boolean subtract, the `-` operator, is not supported", "use integers")
    if a.ndim == 1 and b.ndim == 1:
        _require_vectors(len(a), len(b))
        line = np.empty(3, dtype)
        _cross_into(line, a, b, dtype.type)
        return line
    if axis is not None:
        return _crossed(a, b, axis, axis, axis, dtype)
    return _crossed(a, b, axisa, axisb, axisc, dtype)


@private
def _crossed(a, b, axisa, axisb, axisc, dtype):
    x, y = lines_along(a, axisa), lines_along(b, axisb)
    _require_vectors(x.shape[-1], y.shape[-1])
    out = np.empty(shape2(x, y), dtype)
    x0, x1, x2 = plain(x[..., 0], dtype), plain(x[..., 1], dtype), plain(x[..., 2], dtype)
    y0, y1, y2 = plain(y[..., 0], dtype), plain(y[..., 1], dtype), plain(y[..., 2], dtype)
    out[..., 0] = x1 * y2 - x2 * y1
    out[..., 1] = x2 * y0 - x0 * y2
    out[..., 2] = x0 * y1 - x1 * y0
    return np.moveaxis(out, -1, axisc)


@private
def _cross_into(out, a, b, cast):
    a0, a1, a2 = cast(a[0]), cast(a[1]), cast(a[2])
    b0, b1, b2 = cast(b[0]), cast(b[1]), cast(b[2])
    out[0] = a1 * b2 - a2 * b1
    out[1] = a2 * b0 - a0 * b2
    out[2] = a0 * b1 - a1 * b0


# --- sums over given axes ---------------------------------------------------------------------


@numpy_of_constants(np.tensordot, "a", "b", axes=2)
def _tensordot(a, b, axes):
    if not is_array(a) or not is_array(b) or not isinstance(axes, ConstantArgument):
        return None
    of_a, of_b = _axes_of_both(a, b, axes.value)
    rest_a = tuple(k for k in range(a.ndim) if k not in of_a)
    rest_b = tuple(k for k in range(b.ndim) if k not in of_b)
    count, own = len(of_a), len(rest_a)
    if len(of_b) != count:
        raise TypingError("shape-mismatch for sum")
    order_a, order_b = rest_a + of_a, of_b + rest_b

    def tensordot(a, b, axes=2):
        x, y = np.transpose(a, order_a), np.transpose(b, order_b)
        if x.shape[own:] != y.shape[:count]:
            raise ValueError("shape-mismatch for sum")
        rows, columns, summed = x.shape[:own], y.shape[count:], count_of(y.shape[:count])
        product = np.dot(x.reshape(count_of(rows), summed), y.reshape(summed, count_of(columns)))
        return product.reshape(rows + columns)

    return tensordot


def _axes_of_both(a: Array, b: Array, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The summed axes of both arrays, counted from 0."""
    if isinstance(axes, int):
        sides = [tuple(range(-axes, 0)), tuple(range(axes))]
    else:
        first, second = axes
        sides = [tuple(one) if isinstance(one, tuple | list) else (one,) for one in (first, second)]
    counted = []
    for array, side in zip((a, b), sides, strict=True):
        for axis in side:
            if not -array.ndim <= axis < array.ndim:
                raise TypingError("tuple index out of range", hint=f"{array} has no axis {axis}")
        counted.append(tuple(axis % array.ndim for axis in side))
    return counted[0], counted[1]


# --- the diagonal -----------------------------------------------------------------------------


@private
def diagonals_of(a, offset, axis1, axis2):
    """A view of the diagonals of the matrices along two axes, as a last axis."""
    i, k = axis_of(a, axis1, "axis1"), axis_of(a, axis2, "axis2")
    if i == k:
        raise ValueError("axis1 and axis2 cannot be the same")
    tables = lines_along(lines_along(a, i), k - (k > i))
    place = clamped(offset, tables.shape[-2], tables.shape[-1])
    part = tables[..., max(-place, 0) :, max(place, 0) :]
    count = min(part.shape[-2], part.shape[-1])
    last = part.ndim - 1
    shape = replaced(removed(part.shape, last), last - 1, count)
    step = part.strides[-2] + part.strides[-1]
    return strided(part, shape, replaced(removed(part.strides, last), last - 1, step))


@numpy(np.trace, "trace")
def trace(
    a: Tables,
    offset: Constant = 0,
    axis1: Constant = 0,
    axis2: Constant = 1,
    dtype: Dtype = None,
    out: Output = None,
):
    return np.sum(diagonals_of(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)
