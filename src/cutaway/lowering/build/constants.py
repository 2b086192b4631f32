"""Constants of the program as LLVM values."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from cutaway.errors import ExtensionError
from cutaway.foundation.source import place_of
from cutaway.lowering.build.builder import Builder, symbol
from cutaway.lowering.build.patterns import Implementations
from cutaway.lowering.layout import ArrayParts, Value, array_value, make_tuple, zero_value
from cutaway.typing import types
from cutaway.typing.types import Array, Complex, Float, Integer, Tuple, Type
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.enums import EnumMember
from cutaway.typing.values.typeof import frozen, memory_size, typeof_constant

# What extensions write for constants of their types.
CONSTANTS = Implementations("constant")


def constant(build: Builder, ty: Type, value: Any) -> Value:  # Any: a constant of the program
    """The value of type `ty` that a Python constant stands for."""
    match ty:
        case types.Boolean():
            return Value(ty, ("true" if value else "false",))
        case Integer():
            return Value(ty, (str(int(value)),))
        case Float():
            return Value(ty, (float_text(float(value), ty),))
        case Complex():
            number = complex(value)
            parts = (float_text(number.real, ty.part), float_text(number.imag, ty.part))
            return Value(ty, parts)
        case Tuple(items=items):
            made = [constant(build, t, v) for t, v in zip(items, value, strict=True)]
            return Value(ty, make_tuple(made).parts)
        case types.Choice(values=values):
            return Value(ty, (str(values.index(value)),))
        case EnumMember():
            return Value(ty, (str(ty.place(value)),))
        case types.Str():
            return _frozen_text(build, value)
        case Buffer():
            data = _frozen_bytes(build, value)
            return Value(ty, ("null", data, str(len(value)), "1"))
        case types.Optional(inner=inner):
            if value is None:
                return zero_value(ty)
            return Value(ty, ("true", *constant(build, inner, value).parts))
        case types.DateTime() | types.TimeDelta():
            return Value(ty, (str(value.view(np.int64)),))
        case types.Range():
            return Value(ty, (str(value.start), str(value.stop)))
        case types.Slice():
            given = (value.start, value.stop, value.step)
            return Value(ty, tuple(str(int(part)) for part in given if part is not None))
        case Array():
            return _frozen_array(build, ty, value)
        case types.Constant() | types.NoneType() | types.EllipsisType():
            return Value(ty, ())
    lower = CONSTANTS.find((ty,))
    if lower is None:
        raise ExtensionError(
            f"a value of type {ty} cannot be a constant of a compiled function",
            place_of(type(ty)),
            "register how: @lower_constant",
        )
    found: Value = lower(build, ty, value)
    return found


def typed_constant(build: Builder, value: Any) -> Value:  # Any: see constant
    """A Python constant as a value of its own type."""
    ty = typeof_constant(value)
    assert ty is not None, f"{value!r} has no type"
    return constant(build, ty, value)


def float_text(value: float, ty: Float) -> str:
    """A float literal: LLVM writes both widths as the 64 bits of a double."""
    if ty.bits == 32:
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _frozen_array(build: Builder, ty: Array, value: np.ndarray[Any, Any]) -> Value:
    """A read-only copy of an array with its strides: of all the memory between its items."""
    value = frozen(value)
    memory = bytearray(memory_size(value))
    first = 0
    if memory:
        first = sum((1 - n) * step for n, step in zip(value.shape, value.strides) if step < 0)
        np.ndarray(value.shape, value.dtype, memory, first, value.strides)[...] = value
    data = _frozen_bytes(build, memory)
    if first:
        data = build.offset(data, str(first))
    shape, strides = (tuple(map(str, part)) for part in (value.shape, value.strides))
    return array_value(ty, ArrayParts("null", data, shape, strides))


def _frozen_bytes(build: Builder, data: bytes | bytearray) -> str:
    name = f"{build.code.name}.data.{len(build.code.globals)}"
    text = "".join(f"\\{byte:02X}" for byte in data)
    build.code.globals[name] = (
        f'{symbol(name)} = private unnamed_addr constant [{len(data)} x i8] c"{text}", align 64'
    )
    return symbol(name)


def _frozen_text(build: Builder, value: str) -> Value:
    """A string as Python keeps it: all characters as wide as the widest."""
    widest = max(map(ord, value), default=0)
    width, encoding = next(row for row in _ENCODINGS if widest < row[0])[1:]
    data = _frozen_bytes(build, value.encode(encoding, "surrogatepass"))
    return Value(types.str_type, ("null", data, str(len(value)), str(width)))


_ENCODINGS = ((2**8, 1, "latin-1"), (2**16, 2, "utf-16-le"), (2**21, 4, "utf-32-le"))
