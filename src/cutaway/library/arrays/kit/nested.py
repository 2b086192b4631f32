"""Sequences in sequences, as NumPy makes arrays of them."""

from __future__ import annotations

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Array, Tuple, Type


def leaves_of(ty: Type) -> tuple[int, list[Type]] | None:
    """The dimensions that numbers and arrays in sequences have together, and the types of all
    elements; None where these are not alike."""
    if types.is_number(ty):
        return 0, [ty]
    if isinstance(ty, Array) and types.is_number(ty.dtype):
        return ty.ndim, [ty.dtype]
    if not isinstance(ty, Tuple):
        return None
    inner = [leaves_of(item) for item in ty.items]
    ndims = {one[0] for one in inner if one is not None}
    if None in inner or len(ndims) > 1:
        return None
    return 1 + (ndims.pop() if ndims else 0), [ty for one in inner if one for ty in one[1]]


def array_type(sequence: Type) -> Array | None:
    """The type of the array of a sequence; None where it has none."""
    found = leaves_of(sequence) if isinstance(sequence, Tuple) else None
    if found is None:
        return None
    dtypes = [types.to_dtype(leaf) for leaf in found[1]] or [np.dtype(np.float64)]
    return Array(types.from_dtype(np.result_type(*dtypes)), found[0], "C")
