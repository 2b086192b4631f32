"""Products of matrices and vectors by NumPy's own functions, which call its BLAS library."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.typers import OPTIONS
from cutaway.lowering.arrays.elements import load_element
from cutaway.lowering.arrays.loops import call_loop, has_loop, loop_parts, loop_pointer, stored
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Complex, Float, Type


def is_in_blas(*arrays: Array) -> bool:
    """True if NumPy multiplies arrays of these types by BLAS, and its functions can be called."""
    dtype = arrays[0].dtype
    if any(one.dtype is not dtype or not one.aligned for one in arrays):
        return False
    return isinstance(dtype, Float | Complex) and has_loop(_table_loop(dtype))


def _char(dtype: Type) -> str:
    return types.to_dtype(dtype).char


def _table_loop(dtype: Type) -> str:
    char = _char(dtype)
    return f"numpy.matmul.{char}{char}.{char}"


# --- matrices ---------------------------------------------------------------------------------


def multiply_tables_into(out, a, b):
    """Store the product of two matrices of matching shapes in a third one."""
    np.matmul(a, b, out=out)


def _tables_rule(arguments: Arguments) -> Signature | None:
    fits = all(isinstance(ty, Array) and ty.ndim == 2 for ty in arguments.types)
    return Signature(types.none, arguments.types) if fits and len(arguments) == 3 else None


@primitive(multiply_tables_into, _tables_rule)
def lower_product_of_tables(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one call, with the sizes and strides of all three."""
    out, a, b = (array_parts(arg) for arg in args)
    assert isinstance(args[0].ty, Array)
    sizes = ("1", *a.shape, b.shape[1])
    steps = ("0", "0", "0", *a.strides, *b.strides, *out.strides)
    call_loop(build, _table_loop(args[0].ty.dtype), sizes, (a.data, b.data, out.data), steps)
    return Value(types.none, ())


def ready(a):
    """The array in a form that BLAS takes: a matrix contiguous along one axis, a vector with a
    positive stride."""
    return np.ascontiguousarray(a)


@overload(ready, jit_options=OPTIONS)
def _ready(a):
    size = types.to_dtype(a.dtype).itemsize

    def as_it_is_or_copied(a):
        rows, columns = a.strides
        if columns == size and rows % size == 0 and rows >= a.shape[1] * size:
            return a
        if rows == size and columns % size == 0 and columns >= a.shape[0] * size:
            return a
        return a.copy()[:, :]

    def line(a):
        step = a.strides[0]
        return a if step > 0 and step % size == 0 else a.copy()[:]

    if a.layout != "A":
        return None
    return line if a.ndim == 1 else as_it_is_or_copied


def _dense_rule(arguments: Arguments) -> Signature | None:
    (a,) = arguments.types
    is_dense = isinstance(a, Array) and a.layout != "A"
    return Signature(a, arguments.types) if is_dense else None


@primitive(ready, _dense_rule, shares=True)
def lower_dense(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Return the array itself: for short vectors a call and a reference would cost more than the
    product."""
    return args[0]


# --- vectors ----------------------------------------------------------------------------------


def multiply_lines(a, b):
    """The dot product of two vectors."""
    return np.dot(a, b)


def _lines_rule(arguments: Arguments) -> Signature | None:
    first, second = arguments.types
    lines = isinstance(first, Array) and isinstance(second, Array) and is_in_blas(first, second)
    return Signature(first.dtype, arguments.types) if lines else None


@primitive(multiply_lines, _lines_rule)
def lower_product_of_lines(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one call, with the stride of each."""
    a, b = (array_parts(arg) for arg in args)
    function, data = loop_parts(build, f"numpy.dtype.dot.{_char(sig.returns)}")
    out = build.alloca("i64", 2)
    operands = [("ptr", a.data), ("i64", a.strides[0]), ("ptr", b.data), ("i64", b.strides[0])]
    operands += [("ptr", out), ("i64", a.shape[0]), ("ptr", data)]
    build.emit(f"call void {function}({', '.join(f'{kind} {part}' for kind, part in operands)})")
    return load_element(build, Array(sig.returns, 1, "C"), out)


# --- vectors in arrays of several dimensions --------------------------------------------------


def has_products(dtype: np.dtype[Any]) -> bool:
    """True if NumPy's dot function for a dtype exists and can be called."""
    return has_loop(f"numpy.dtype.dot.{dtype.char}")


def dots_into(out, a, b):
    """Store the dot products of all lines of two arrays of one dtype, along their last axes."""
    for place in np.ndindex(out.shape):  # np.inner of matrices adds in another order
        out[place] = np.dot(a[place[: a.ndim - 1]], b[place[a.ndim - 1 :]])


def _dots_rule(arguments: Arguments) -> Signature | None:
    out, a, b = arguments.types
    if not all(isinstance(ty, Array) for ty in (out, a, b)):
        return None
    fits = out.ndim == a.ndim + b.ndim - 2 and out.dtype is a.dtype is b.dtype
    return Signature(types.none, arguments.types) if fits else None


@primitive(dots_into, _dots_rule)
def lower_products_of_lines(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one runtime call."""
    out, a, b = (array_parts(arg) for arg in args)
    assert isinstance(args[0].ty, Array)
    first, second = a.strides[:-1], b.strides[:-1]
    strides = [*first, *["0"] * len(second), *["0"] * len(first), *second, *out.strides]
    arguments = [
        ("ptr", loop_pointer(build, f"numpy.dtype.dot.{_char(args[0].ty.dtype)}")),
        ("ptr", stored(build, "ptr", [a.data, b.data, out.data])),
        ("i64", str(len(out.shape))),
        ("ptr", stored(build, "i64", [*out.shape, *strides])),
        ("i64", a.shape[-1]),
        ("i64", a.strides[-1]),
        ("i64", b.strides[-1]),
    ]
    build.call("void", "cutaway_numpy_dots", arguments)
    return Value(types.none, ())
