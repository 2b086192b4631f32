"""The new values that atomic operations store in an element."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from cutaway.cuda.simulator.values import half, single
from cutaway.typing.types import Float, Integer, Type

Number = Any


def function_of(word: str, ty: Type) -> Callable[..., Number]:
    """Return the function from the old value of an element and the arguments to the new value."""
    change = _CHANGES[word]
    if word in ("cas", "compare_and_swap"):
        return _swap_of_floats(ty) if isinstance(ty, Float) else change
    if isinstance(ty, Integer):
        return lambda old, value: ty.coerced(change(old, value))
    if ty.name == "float32":
        return lambda old, value: single(change(old, value))
    if isinstance(ty, Float) and ty.bits == 16:
        return lambda old, value: half(change(old, value))
    return change


def _swap_of_floats(ty: Float) -> Callable[..., Number]:
    """Compare bits: -0.0 is not 0.0."""
    form = {16: "e", 32: "f", 64: "d"}[ty.bits]

    def swap(old: float, expected: float, value: float) -> float:
        return value if struct.pack(form, old) == struct.pack(form, expected) else old

    return swap


def _least(old: Number, value: Number) -> Number:
    if old != old or value != value:
        return value if old != old else old
    return min(old, value)


def _greatest(old: Number, value: Number) -> Number:
    if old != old or value != value:
        return value if old != old else old
    return max(old, value)


_CHANGES: dict[str, Callable[..., Number]] = {
    "add": lambda old, value: old + value,
    "sub": lambda old, value: old - value,
    "min": lambda old, value: value if value < old else old,  # a NaN stays
    "max": lambda old, value: value if value > old else old,
    "nanmin": _least,
    "nanmax": _greatest,
    "and_": lambda old, value: old & value,
    "or_": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "exch": lambda old, value: value,
    "inc": lambda old, value: 0 if old >= value else old + 1,
    "dec": lambda old, value: value if old == 0 or old > value else old - 1,
    "cas": lambda old, expected, value: value if old == expected else old,
    "compare_and_swap": lambda old, expected, value: value if old == expected else old,
}
