"""`carray` and `farray`: arrays over memory at an address, which the caller keeps alive."""

from __future__ import annotations

import ctypes
import operator
from functools import partial
from math import prod
from typing import Any

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing.basic import fitted, is_storable
from cutaway.library.arrays.kit.dtypes import dtype_of
from cutaway.library.arrays.kit.typers import is_shape
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.memory import TOO_BIG, checked_size, contiguous_strides
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_value, item_size, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, Tuple, Type
from cutaway.typing.types.kinds import CPointer, RawPointer

NEGATIVE = "negative dimensions are not allowed"
NULL = "the pointer is null"


def carray(ptr: Any, shape: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """The memory at a pointer as an array in C order, which writes to that memory.

    `ptr` is a ctypes pointer, whose type determines the dtype, or a void pointer or an address,
    with `dtype`. The array does not keep the memory alive. Works in compiled code too, with an
    address or a pointer.
    """
    return _array_at(ptr, shape, dtype, "C")


def farray(ptr: Any, shape: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """Like `carray`, in Fortran order."""
    return _array_at(ptr, shape, dtype, "F")


def _array_at(ptr: Any, shape: Any, dtype: Any, order: Any) -> np.ndarray[Any, Any]:
    kind = _wanted_dtype(ptr, dtype)
    sizes = tuple(map(operator.index, shape if isinstance(shape, tuple) else (shape,)))
    if min(sizes, default=0) < 0:
        raise ValueError(NEGATIVE)
    nbytes = prod(sizes) * kind.itemsize
    if nbytes > np.iinfo(np.int64).max:
        raise ValueError(TOO_BIG)
    address = ptr if _is_address(ptr) else ctypes.cast(ptr, ctypes.c_void_p).value
    if not address:
        raise ValueError(NULL)
    if not nbytes:
        return np.empty(sizes, kind, order)
    memory = (ctypes.c_char * nbytes).from_address(int(address))
    return np.ndarray(sizes, kind, memory, order=order)


def _is_address(ptr: Any) -> bool:
    return isinstance(ptr, int | np.integer) and not isinstance(ptr, bool)


def _wanted_dtype(ptr: Any, dtype: Any) -> np.dtype[Any]:
    if dtype is not None:
        dtype = types.to_dtype(dtype) if isinstance(dtype, Type) else np.dtype(dtype)
    if _is_address(ptr) or isinstance(ptr, ctypes.c_void_p):
        if dtype is None:
            raise TypeError("an address or a void pointer needs a dtype")
        return dtype  # made above
    if not isinstance(ptr, ctypes._Pointer):
        raise TypeError(f"expected a ctypes pointer or an address, not {type(ptr).__name__}")
    own = np.dtype(ptr._type_)
    if dtype not in (None, own):
        raise TypeError(f"dtype {dtype} is not the type that the pointer points to, {own}")
    return own


# --- in compiled code -------------------------------------------------------------------------


def _element(ptr: Type, dtype: Type) -> Type | None:
    own = ptr.dtype if isinstance(ptr, CPointer) else None
    requested = dtype_of(dtype, own)  # None for an unknown dtype
    return requested if own in (None, requested) else None


def _rule(layout: str, arguments: Arguments) -> Signature | None:
    ptr, shape, dtype = arguments.types
    element = _element(ptr, dtype)
    if not (types.is_integral(ptr) or isinstance(ptr, RawPointer)) or element is None:
        return None
    if not types.is_integral(shape) and not is_shape(shape):
        return None
    ndim = len(shape.items) if isinstance(shape, Tuple) else 1
    size = Tuple((types.int64,) * ndim) if isinstance(shape, Tuple) else types.int64
    address = ptr if isinstance(ptr, RawPointer) else types.uint64
    # The address may not be aligned for the dtype.
    result = Array(element, ndim, layout if ndim > 1 else "C", False, item_size(element) == 1)
    return Signature(result, (address, size, dtype))


def _lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    assert isinstance(sig.returns, Array)
    sizes = tuple_items(args[1]) if isinstance(args[1].ty, Tuple) else [args[1]]
    shape, unit = tuple(size.parts[0] for size in sizes), item_size(sig.returns.dtype)
    _, overflow = checked_size(build, shape, str(unit))
    build.raise_if(overflow, ValueError, TOO_BIG)
    data = args[0].parts[0]
    if not isinstance(args[0].ty, RawPointer):
        data = build.convert("inttoptr", "i64", data, "ptr")
    build.raise_if(build.compare("eq", "ptr", data, "null"), ValueError, NULL)
    strides = contiguous_strides(build, shape, unit, sig.returns.layout)
    return array_value(sig.returns, ArrayParts("null", data, shape, strides))


for _function, _layout in ((carray, "C"), (farray, "F")):
    primitive(
        _function, partial(_rule, _layout), ("ptr", "shape", "dtype"), (REQUIRED, REQUIRED, None)
    )(_lower)


# --- items of pointers, without bounds checks as in C -----------------------------------------


def _pointed(arguments: Arguments) -> Array | None:
    """The array type for reading through a pointer to numbers with an integer index, or None."""
    pointer, index = arguments.types[:2]
    if not isinstance(pointer, CPointer) or not types.is_number(pointer.dtype):
        return None
    return Array(pointer.dtype, 1, "C") if types.is_integral(index) else None


def _item_rule(arguments: Arguments) -> Signature | None:
    array = _pointed(arguments)
    return None if array is None else Signature(array.dtype, (arguments.types[0], types.int64))


def _store_rule(arguments: Arguments) -> Signature | None:
    array, value = _pointed(arguments), arguments.types[2]
    if array is None or not is_storable(array.dtype, array.dtype, value):
        return None
    return Signature(types.none, (arguments.types[0], types.int64, value))


def _place(build: FunctionBuilder, array: Array, args: list[Value]) -> str:
    offset = build.binary("mul", "i64", args[1].parts[0], str(item_size(array.dtype)))
    return build.offset(args[0].parts[0], offset)


@primitive(operator.getitem, _item_rule)
def item_of_pointer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`p[i]` of a pointer to numbers."""
    array = Array(sig.returns, 1, "C", False, False)  # of unknown alignment
    return load_element(build, array, _place(build, array, args))


@primitive(operator.setitem, _store_rule)
def set_item_of_pointer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`p[i] = x` of a pointer to numbers."""
    pointer = args[0].ty
    assert isinstance(pointer, CPointer)
    array = Array(pointer.dtype, 1, "C", False, False)
    store_element(build, array, fitted(build, args[2], array.dtype), _place(build, array, args))
    return Value(types.none, ())
