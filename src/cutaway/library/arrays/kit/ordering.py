"""Functions that give arrays of a dtype, in an order that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.dtypes import asked_dtype
from cutaway.library.arrays.kit.typers import (
    are_elements,
    dimensions,
    element,
    left_out,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Array


def order_of(order: Any, default: str) -> str | None:
    """The order that an argument asks for; None where it is not known."""
    name = default if left_out(order) else said(order)
    return name if name in ("C", "F", "A", "K") else None


def copier(order: str, a: Array) -> Any:
    """The function that copies an array in an order."""
    if order == "F" or (order in "AK" and a.layout == "F"):
        return private(lambda a: a.T.copy().T)
    return private(lambda a: a.copy())


def as_wanted(a: Any, dtype: Any, order: Any) -> Any:
    """The function that gives an array of a dtype in an order, itself where it is that."""
    way = order_of(order, "K")
    item_type = asked_dtype(dtype, element(a)) if are_elements(a) else None
    if item_type is None or way is None:
        return None
    kind = types.to_dtype(item_type)
    if way == "C" and dimensions(a):
        return private(lambda a: np.ascontiguousarray(a, kind))
    if way == "F" and dimensions(a):
        return private(lambda a: np.asfortranarray(a, kind))
    if item_type is element(a) and isinstance(a, Array):
        return private(lambda a: a)
    return private(lambda a: np.asarray(a, kind))
