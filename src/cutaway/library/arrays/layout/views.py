"""Reinterpreted arrays: `view byteswap`."""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body
from cutaway.extending.registry import method, primitive
from cutaway.library.arrays.kit.dtypes import dtype_of
from cutaway.library.arrays.kit.takes import Flag
from cutaway.library.arrays.kit.typers import OPTIONS, is_array, private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value, item_size
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array

# --- the same memory --------------------------------------------------------------------------


def viewed_rule(arguments: Arguments) -> Signature | None:
    """The signature of `a.view(dtype)`.

    Raises TypingError for incompatible sizes.
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
    """`a.view(dtype)`: the same bytes as another dtype; the last axis changes its length."""
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


@private
def _turned(x):
    """A real number with its bytes reversed."""
    one = np.full(1, x)
    places = one.view(np.uint8)
    for k in range(len(places) // 2):
        last = len(places) - 1 - k
        places[k], places[last] = places[last], places[k]
    return one[0]


Swapped = Takes("an array of numbers", lambda a: is_array(a) and a.dtype is not types.boolean)


@body(method(Array, "byteswap"), **OPTIONS)
def byteswap(a: Swapped, inplace: Flag = False):
    out = a if inplace else np.copy(a)
    for k in range(out.size):
        x = out.flat[k]
        if a.dtype.kind == "c":
            out.flat[k] = complex(_turned(x.real), _turned(x.imag))
        else:
            out.flat[k] = _turned(x)
    return out
