"""A Python value as compiled code would hold it: what the interpreter does to each result once
types are known, so that it wraps and rounds where machine code does."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.typing.types import Boolean, Complex, Float, Integer, Optional, Tuple, Type


def coerce(ty: Type, value: Any) -> Any:  # Any: values of the interpreted program
    """The value of type `ty` that stands for a Python value.

    Integers wrap to their width, floats round to theirs; arrays, ranges and what else has no
    other form stay as they are.
    """
    match ty:
        case Boolean():
            return bool(value)
        case Integer():
            return _wrapped(ty, int(value))
        case Float(bits=64):
            return float(value)
        case Float():
            return float(_single(value))
        case Complex(bits=128):
            return complex(value)
        case Complex():
            number = complex(value)
            return complex(float(_single(number.real)), float(_single(number.imag)))
        case Tuple(items=items) if isinstance(value, tuple) and len(value) == len(items):
            return ty.made(map(coerce, items, value))
        case Optional(inner=inner):
            return None if value is None else coerce(inner, value)
    return value


def _wrapped(ty: Integer, value: int) -> int:
    value &= (1 << ty.bits) - 1
    return value - (1 << ty.bits) if ty.signed and value > ty.high else value


def _single(value: Any) -> np.float32:  # Any: a real number
    with np.errstate(over="ignore", under="ignore"):
        return np.float32(value)
