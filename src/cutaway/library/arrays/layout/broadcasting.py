"""Shapes and arrays that are broadcast: `broadcast_shapes broadcast_to`."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, spread
from cutaway.library.arrays.kit.sizes import require_room
from cutaway.library.arrays.kit.typers import (
    are_elements,
    dimensions,
    has_places,
    is_shape,
    numpy,
)
from cutaway.typing import types

_NO_COMMON_SHAPE = (
    "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0"
    " with shape {} and arg 1 with shape {}."
)


_CANNOT_BE_SPREAD = (
    "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and"
    " requested shape {}"
)


@numpy(np.broadcast_shapes)
def _broadcast_shapes(first, second):  # type: ignore[no-untyped-def]
    if not is_shape(first) or not is_shape(second):
        return None

    def broadcast_shapes(first, second):  # type: ignore[no-untyped-def]
        if not is_merged(first) or not is_merged(second):
            raise ValueError("negative dimensions are not allowed")
        shape = merged(first, second)
        require(is_merged(shape), _NO_COMMON_SHAPE, (first, second), True)
        return shape

    return broadcast_shapes


@numpy(np.broadcast_to)
def _broadcast_to(array, shape):  # type: ignore[no-untyped-def]
    if types.is_integral(shape):
        return lambda array, shape: np.broadcast_to(array, (shape,))
    fits = are_elements(array) or has_places(array)
    if not fits or not is_shape(shape) or dimensions(array) > len(shape.items):
        return None
    if not has_places(array):
        return lambda array, shape: np.broadcast_to(np.array((array,)).reshape(()), shape)
    if isinstance(shape, types.ListDisplay):
        return lambda array, shape: np.broadcast_to(array, tuple(shape))
    itemsize = element_dtype(array).itemsize

    def broadcast_to(array, shape):  # type: ignore[no-untyped-def]
        if not is_merged(shape):
            raise ValueError("all elements of broadcast shape must be non-negative")
        require(merged(array.shape, shape) == shape, _CANNOT_BE_SPREAD, (array.shape, shape))
        require_room(shape, itemsize)
        return spread(array, shape)

    return broadcast_to
