"""The types by all their names in programs: NumPy's, C's, and short ones."""

from __future__ import annotations

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Type
from cutaway.typing.types.buffers import bytearray_type, bytes_type


def _of_c(name: str) -> Type:
    ty = types.from_dtype(np.dtype(name))
    assert ty is not None
    return ty


# The names of types in signatures; `cutaway.types` exports them, too.
NAMES: dict[str, Type] = {
    **types.SCALARS,
    "bool_": types.boolean,
    "boolean": types.boolean,
    "b1": types.boolean,
    "i1": types.int8,
    "i2": types.int16,
    "i4": types.int32,
    "i8": types.int64,
    "u1": types.uint8,
    "u2": types.uint16,
    "u4": types.uint32,
    "u8": types.uint64,
    "f2": types.float16,
    "f4": types.float32,
    "f8": types.float64,
    "c8": types.complex64,
    "c16": types.complex128,
    "intp": types.intp,
    "uintp": types.uint64,
    "ssize_t": types.intp,
    "size_t": types.uint64,
    "int_": types.int64,
    "uint": types.uint64,
    "byte": types.uint8,
    "char": types.int8,
    "uchar": types.uint8,
    "short": _of_c("short"),
    "ushort": _of_c("ushort"),
    "intc": _of_c("intc"),
    "uintc": _of_c("uintc"),
    "long_": _of_c("long"),
    "ulong": _of_c("ulong"),
    "longlong": _of_c("longlong"),
    "ulonglong": _of_c("ulonglong"),
    "half": types.float16,
    "single": types.float32,
    "double": types.float64,
    "float_": types.float64,
    "void": types.none,
    "none": types.none,
    "undefined": types.undefined,
    "ellipsis": types.ellipsis,
    "str": types.str_type,
    "unicode_type": types.str_type,
    "bytes": bytes_type,
    "bytes_type": bytes_type,
    "bytearray": bytearray_type,
}
