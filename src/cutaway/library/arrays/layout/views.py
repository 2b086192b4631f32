"""Arrays read as other numbers: `view byteswap`."""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload_method
from cutaway.extending.registry import method, primitive
from cutaway.library.arrays.kit.dtypes import dtype_of
from cutaway.library.arrays.kit.typers import OPTIONS, flag, private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value, item_size
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, Complex

# --- the same memory --------------------------------------------------------------------------


def viewed_rule(arguments: Arguments) -> Signature | None:
    """The signature of `a.view(dtype)`.

    Raises TypingError for bytes that cannot be seen so.
    """
    array = arguments.types[0]
    if not isinstance(array, Array) or not types.is_number(array.dtype):
        return None
    dtype = dtype_of(arguments.types[1], array.dtype)
    if dtype is None or not types.is_number(dtype):
        return None
    size, own = item_size(dtype), item_size(array.dtype)
    if isinstance(dtype, types.Boolean) and dtype is not array.dtype:
        raise TypingError(
            "bytes cannot be viewed as booleans: they may be neither 0 nor 1",
            hint="compare the elements with 0",
        )
    if size != own and not array.ndim:
        raise TypingError(
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged",
            hint="reshape the array to (1,)",
        )
    if size != own and array.layout == "F" and array.ndim > 1:
        raise TypingError(
            "To change to a dtype of a different size, the last axis must be contiguous",
            hint="copy the array first",
        )
    aligned = array.aligned and size <= own
    return Signature(
        Array(dtype, array.ndim, array.layout, array.readonly, aligned), arguments.types
    )


@primitive(method(Array, "view"), viewed_rule, ("a", "dtype"), (REQUIRED, None), shares=True)
def view(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.view(dtype)`: the same bytes as other numbers; the last axis gets longer or shorter."""
    ty, own = sig.returns, args[0].ty
    assert isinstance(ty, Array) and isinstance(own, Array)
    parts, size, old = array_parts(args[0]), item_size(ty.dtype), item_size(own.dtype)
    shape, strides = parts.shape, parts.strides
    if size != old:
        apart = build.compare("ne", "i64", strides[-1], str(old))
        several = build.compare("ne", "i64", shape[-1], "1")
        build.raise_if(
            build.binary("and", "i1", apart, several),
            ValueError,
            "To change to a dtype of a different size, the last axis must be contiguous",
        )
        length = build.binary("mul", "i64", shape[-1], str(old))
        rest = build.binary("urem", "i64", length, str(size))
        build.raise_if(
            build.compare("ne", "i64", rest, "0"),
            ValueError,
            "When changing to a larger dtype, its size must be a divisor of the total size in"
            " bytes of the last axis of the array.",
        )
        shape = (*shape[:-1], build.binary("udiv", "i64", length, str(size)))
        strides = (*strides[:-1], str(size))
    return array_value(ty, ArrayParts(parts.owner, parts.data, shape, strides))


@overload_method(Array, "byteswap", jit_options=OPTIONS)
def _byteswap(a, inplace=False):
    fits = isinstance(a, Array) and types.is_number(a.dtype) and a.dtype is not types.boolean
    if not fits or flag(inplace) is None or (flag(inplace) and a.readonly):
        return None
    part = a.dtype.part if isinstance(a.dtype, Complex) else a.dtype
    size, unit = item_size(part), types.to_dtype(part).type

    @private
    def turned(x):
        one = np.empty(1, unit)
        one[0] = x
        places = one.view(np.uint8)
        for k in range(size // 2):
            places[k], places[size - 1 - k] = places[size - 1 - k], places[k]
        return one[0]

    @private
    def swap_real(a):
        for k in range(a.size):
            a.flat[k] = turned(a.flat[k])

    @private
    def swap_complex(a):
        for k in range(a.size):
            x = a.flat[k]
            a.flat[k] = complex(turned(x.real), turned(x.imag))

    swap = swap_complex if isinstance(a.dtype, Complex) else swap_real

    def in_place(a, inplace=False):
        swap(a)
        return a

    def aside(a, inplace=False):
        out = np.copy(a)
        swap(out)
        return out

    return in_place if flag(inplace) else aside
