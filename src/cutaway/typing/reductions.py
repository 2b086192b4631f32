"""The types of reductions of arrays, and their initial values; loaded only for programs that have
some."""

from __future__ import annotations

import math

from cutaway.ir.reductions import REDUCTIONS, Reduction
from cutaway.typing import types
from cutaway.typing.types import Array, Type
from cutaway.typing.ufuncs import element_of


def reduced_type(function: str, whole: Type, axis: int | None, keepdims: bool) -> Type:
    """Return the type of a reduction of an array or number of type `whole`, in C order."""
    element = _reduced_element(function, element_of(whole))
    ndim = whole.ndim if isinstance(whole, Array) else 0
    left = ndim if keepdims else 0 if axis is None else ndim - 1
    return Array(element, left, "C") if left > 0 else element


def _reduced_element(function: str, element: Type) -> Type:
    gives = REDUCTIONS[function].gives
    if gives in ("truth", "count"):
        return types.boolean if gives == "truth" else types.int64
    if gives == "total" and types.is_integral(element):
        unsigned = isinstance(element, types.Integer) and not element.signed
        return types.uint64 if unsigned else types.int64
    return element


def identity_of(how: Reduction, ty: Type) -> int | float | bool:
    """Return the initial value of a reduction, as a value of a type."""
    if how.identity is not None:
        value: int | float = how.identity
    elif isinstance(ty, types.Integer):
        value = ty.low if how.ufunc == "maximum" else ty.high
    else:
        value = -math.inf if how.ufunc == "maximum" else math.inf
    if isinstance(ty, types.Boolean):
        return value > 0
    return value if isinstance(ty, types.Integer) else float(value)
