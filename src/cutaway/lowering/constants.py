"""Constants of the program as LLVM values."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from cutaway.errors import InternalError
from cutaway.lowering.builder import Builder, symbol
from cutaway.lowering.layout import ArrayParts, Value, array_value, make_tuple, zero_value
from cutaway.typing import types
from cutaway.typing.typeof import typeof_constant
from cutaway.typing.types import Array, Complex, Float, Integer, Tuple, Type


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
            return Value(ty, tuple(str(part) for part in given if part is not None))
        case Array():
            return _frozen_array(build, ty, value)
        case types.Constant() | types.NoneType() | types.EllipsisType():
            return Value(ty, ())
    raise InternalError(f"no constant of type {ty}")


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
    data = np.ascontiguousarray(value)
    name = f"{build.code.name}.data.{len(build.code.globals)}"
    text = "".join(f"\\{byte:02X}" for byte in data.tobytes())
    build.code.globals[name] = (
        f'{symbol(name)} = private unnamed_addr constant [{data.nbytes} x i8] c"{text}", align 64'
    )
    shape = tuple(map(str, value.shape))
    return array_value(ty, ArrayParts("null", symbol(name), shape, tuple(map(str, data.strides))))
