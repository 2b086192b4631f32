"""Attributes of arrays: `shape ndim size dtype T mT strides itemsize nbytes device`, and `len`."""

from __future__ import annotations

from cutaway.extending.registry import attribute, primitive
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple


def _axes_tuple(ty: Array) -> Tuple:
    return Tuple((types.int64,) * ty.ndim)


@attribute(Array, "shape", _axes_tuple, any_elements=True)
def shape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.shape`."""
    return Value(sig.returns, array_parts(args[0]).shape)


@attribute(Array, "strides", _axes_tuple, any_elements=True)
def strides(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.strides`, in bytes."""
    return Value(sig.returns, array_parts(args[0]).strides)


def _number(build: FunctionBuilder, number: int) -> Value:
    return build.constant(types.int64, number)


@attribute(Array, "ndim", lambda ty: types.int64, any_elements=True)
def ndim(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.ndim`."""
    assert isinstance(args[0].ty, Array)
    return _number(build, args[0].ty.ndim)


@attribute(Array, "itemsize", lambda ty: types.int64, any_elements=True)
def itemsize(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.itemsize`, in bytes."""
    assert isinstance(args[0].ty, Array)
    return _number(build, item_size(args[0].ty.dtype))


@attribute(Array, "size", lambda ty: types.int64, any_elements=True)
def size(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.size`: the number of elements."""
    return Value(types.int64, (element_count(build, array_parts(args[0]).shape),))


@attribute(Array, "nbytes", lambda ty: types.int64, any_elements=True)
def nbytes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.nbytes`."""
    assert isinstance(args[0].ty, Array)
    count = element_count(build, array_parts(args[0]).shape)
    return Value(
        types.int64, (build.binary("mul", "i64", count, str(item_size(args[0].ty.dtype))),)
    )


def _dtype_type(ty: Array) -> types.DType:
    dtype: types.DType = types.constant_type(types.DType, types.to_dtype(ty.dtype))
    return dtype


@attribute(Array, "dtype", _dtype_type, any_elements=True)
def dtype(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.dtype`."""
    return Value(sig.returns, ())


_TRANSPOSED = {"C": "F", "F": "C", "A": "A"}


def transposed_type(ty: Array) -> Array:
    """The type of the array with its axes reversed."""
    return ty if ty.ndim < 2 else ty.viewed(ty.ndim, _TRANSPOSED[ty.layout])


def _matrix_transposed_type(ty: Array) -> Array | None:
    if ty.ndim < 2:
        return None
    return transposed_type(ty) if ty.ndim == 2 else ty.viewed(ty.ndim, "A")


@attribute(Array, "mT", _matrix_transposed_type, any_elements=True)
def matrix_transpose(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.mT`: a view with the last two axes exchanged."""
    assert isinstance(sig.returns, Array)
    parts = array_parts(args[0])
    shape, strides = ((*each[:-2], each[-1], each[-2]) for each in (parts.shape, parts.strides))
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, shape, strides))


@attribute(Array, "device", lambda ty: types.String("cpu"), any_elements=True)
def device(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.device`: always the processor."""
    return Value(sig.returns, ())


@attribute(Array, "T", transposed_type, any_elements=True)
def transpose(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.T`: a view with the axes reversed."""
    assert isinstance(sig.returns, Array)
    parts = array_parts(args[0])
    turned = ArrayParts(parts.owner, parts.data, parts.shape[::-1], parts.strides[::-1])
    return array_value(sig.returns, turned)


def _length_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Array)
    if not fits or arguments.types[0].ndim == 0:
        return None
    return Signature(types.int64, arguments.types)


@primitive(len, _length_rule, any_elements=True)
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(a)`."""
    return Value(types.int64, (array_parts(args[0]).shape[0],))
