"""`np.empty zeros ones` and their `_like` forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending import abstract
from cutaway.library.array_attributes import element_count
from cutaway.library.array_indexing import store_element
from cutaway.library.conversions import CLASS_TYPES
from cutaway.lowering.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.templates import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, Class, DType, Omitted, String, Tuple, Type

_META_BYTES = 64  # the data starts so far behind its record, see runtime/cutaway_runtime.h


def dtype_of(ty: Type, default: Type) -> Type | None:
    """The element type that a `dtype` argument asks for; None where it is not one."""
    match ty:
        case Omitted(value=None) | types.NoneType():
            return default
        case Class(value=value):
            return CLASS_TYPES.get(value)
        case DType(value=value) | String(value=value):
            return types.from_dtype(value)
    return None


def _shape_rule(arguments: Arguments) -> Signature | None:
    shape, dtype_argument = arguments.types
    dtype = dtype_of(dtype_argument, types.float64)
    dims = shape.items if isinstance(shape, Tuple) else (shape,)
    if dtype is None or not all(map(types.is_integral, dims)):
        return None
    return Signature(Array(dtype, len(dims), "C"), arguments.types)


def _like_rule(arguments: Arguments) -> Signature | None:
    array, dtype_argument = arguments.types
    if not isinstance(array, Array):
        return None
    dtype = dtype_of(dtype_argument, array.dtype)
    layout = "F" if array.layout == "F" else "C"
    return None if dtype is None else Signature(Array(dtype, array.ndim, layout), arguments.types)


def _allocate(build: FunctionBuilder, ty: Array, shape: tuple[str, ...], zeroed: bool) -> Value:
    nbytes, overflow = _checked_size(build, shape, item_size(ty.dtype))
    build.raise_if(overflow, MemoryError, "the array is too big for the address space")
    name = "cutaway_alloc_zeroed" if zeroed else "cutaway_alloc"
    owner = build.call("ptr", name, [("i64", nbytes)])
    failed = build.compare("eq", "ptr", owner, "null")
    build.raise_if(
        failed, MemoryError, "unable to allocate an array of {} bytes", payload=(nbytes,)
    )
    data = build.offset(owner, str(_META_BYTES))
    strides = _contiguous_strides(build, shape, item_size(ty.dtype), ty.layout)
    return array_value(ty, ArrayParts(owner, data, shape, strides))


def _checked_size(build: FunctionBuilder, shape: tuple[str, ...], size: int) -> tuple[str, str]:
    name = "llvm.umul.with.overflow.i64"
    total, overflow = str(size), "false"
    for dimension in shape:
        negative = build.compare("slt", "i64", dimension, "0")
        build.raise_if(negative, ValueError, "negative dimensions are not allowed")
        pair = build.call("{ i64, i1 }", name, [("i64", total), ("i64", dimension)])
        total = build.result(f"extractvalue {{ i64, i1 }} {pair}, 0")
        bit = build.result(f"extractvalue {{ i64, i1 }} {pair}, 1")
        overflow = build.binary("or", "i1", overflow, bit)
    too_large = build.compare("slt", "i64", total, "0")
    return total, build.binary("or", "i1", overflow, too_large)


def _contiguous_strides(
    build: FunctionBuilder, shape: tuple[str, ...], size: int, layout: str
) -> tuple[str, ...]:
    order = shape if layout == "F" else shape[::-1]
    strides, stride = [], str(size)
    for dimension in order:
        strides.append(stride)
        if len(strides) < len(order):
            stride = build.binary("mul", "i64", stride, dimension)
    return tuple(strides if layout == "F" else strides[::-1])


def _dimensions(build: FunctionBuilder, shape: Value) -> tuple[str, ...]:
    items = tuple_items(shape) if isinstance(shape.ty, Tuple) else [shape]
    return tuple(build.cast(item, types.int64).parts[0] for item in items)


def _create(build: FunctionBuilder, ty: Array, shape: tuple[str, ...], fill: Any) -> Value:
    # Any: None for memory as it is, or the number to fill with
    array = _allocate(build, ty, shape, zeroed=fill == 0 and fill is not None)
    if fill:
        parts = array_parts(array)
        value = build.constant(ty.dtype, fill)
        unit = item_size(ty.dtype)
        build.loop(
            element_count(build, shape),
            lambda k: store_element(
                build, ty, value, build.offset(parts.data, build.binary("mul", "i64", k, str(unit)))
            ),
        )
    return array


def _register(function: Any, like: Any, fill: Any) -> None:  # Any: NumPy functions, a number
    parameters, defaults = ("shape", "dtype"), (REQUIRED, None)

    @abstract(function, _shape_rule, parameters, defaults)
    def create(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(sig.returns, Array)
        return _create(build, sig.returns, _dimensions(build, args[0]), fill)

    @abstract(like, _like_rule, ("a", "dtype"), defaults)
    def create_like(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(sig.returns, Array)
        return _create(build, sig.returns, array_parts(args[0]).shape, fill)


_register(np.empty, np.empty_like, None)
_register(np.zeros, np.zeros_like, 0)
_register(np.ones, np.ones_like, 1)
