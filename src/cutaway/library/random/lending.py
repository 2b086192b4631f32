"""Arrays of compiled code as Python sees them while it is called from there.

An array is lent as a tuple: its address, the letter of its dtype, its shape and its strides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, make_tuple
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple


def lent(build: FunctionBuilder, value: Value) -> Value:
    """An array as what Python can be told of it; the value of a default; others as they are."""
    if isinstance(value.ty, types.Omitted):
        return build.cast(value, _type_of_default(value.ty.value))
    if not isinstance(value.ty, Array):
        return value
    parts = array_parts(value)
    letter = ord(types.to_dtype(value.ty.dtype).char)
    address = build.convert("ptrtoint", "ptr", parts.data, "i64")
    numbers = [Value(types.int64, (text,)) for text in (address, str(letter))]
    return make_tuple([*numbers, _sizes(parts.shape), _sizes(parts.strides)])


def _type_of_default(value: Any) -> types.Type:
    return types.none if value is None else types.from_dtype(np.asarray(value).dtype)


def _sizes(texts: tuple[str, ...]) -> Value:
    return Value(Tuple((types.int64,) * len(texts)), texts)


class _Memory:
    """Memory of somebody else's, as NumPy asks for it."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


def borrowed(given: Any) -> Any:
    """An array on the memory that was lent; anything else as it is."""
    if not isinstance(given, tuple) or len(given) != 4 or not isinstance(given[2], tuple):
        return given
    address, letter, shape, strides = given
    typestr = np.dtype(chr(letter)).str
    interface = {"data": (address, False), "shape": shape, "strides": strides, "typestr": typestr}
    return np.asarray(_Memory({**interface, "version": 3}))
