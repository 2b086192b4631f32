"""Sequences as arrays: nested lists and tuples of numbers, which NumPy makes arrays of."""

from __future__ import annotations

import numpy as np

from cutaway.typing.types.absent import undefined
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import Type
from cutaway.typing.types.collected import Collected
from cutaway.typing.types.containers import List
from cutaway.typing.types.elements import to_dtype
from cutaway.typing.types.numbers import float64, from_dtype, is_number
from cutaway.typing.types.tuples import Tuple


def leaves_of(ty: Type) -> tuple[int, list[Type]] | None:
    """Return the number of dimensions of nested sequences of numbers and arrays, and the types of
    all elements; None if the dimensions differ."""
    if is_number(ty):
        return 0, [ty]
    if isinstance(ty, Array) and is_number(ty.dtype):
        return ty.ndim, [ty.dtype]
    if isinstance(ty, Collected):
        return ty.ndim, [ty.dtype]
    if isinstance(ty, List):
        items = (0, [float64]) if ty.item is undefined else leaves_of(ty.item)
        return None if items is None else (1 + items[0], items[1])
    if not isinstance(ty, Tuple):
        return None
    inner = [leaves_of(item) for item in ty.items]
    ndims = {one[0] for one in inner if one is not None}
    if None in inner or len(ndims) > 1:
        return None
    return 1 + (ndims.pop() if ndims else 0), [ty for one in inner if one for ty in one[1]]


def array_type(sequence: Type) -> Array | None:
    """Return the type of the array that a sequence converts to; None if it does not."""
    nested = leaves_of(sequence) if isinstance(sequence, Tuple | Collected | List) else None
    if nested is None:
        return None
    dtypes = [to_dtype(leaf) for leaf in nested[1]] or [np.dtype(np.float64)]
    return Array(from_dtype(np.result_type(*dtypes)), nested[0], "C")


def row_type(item: Type) -> Array | None:
    """Return the type of the array that an item of a list converts to; None if it does not."""
    if is_number(item):
        return Array(item, 0, "C")
    if isinstance(item, Array):
        return item if is_number(item.dtype) and item.ndim else None
    return array_type(item)


def list_of(item: Type) -> Collected | None:
    """Return the type of a list of such items; None if lists cannot contain them."""
    row = row_type(item)
    return None if row is None else Collected(row.dtype, 1 + row.ndim)
