"""Shapes and arrays that are broadcast: `broadcast_shapes broadcast_to`."""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.shapes import is_merged, joint_shape, merged, require, spread
from cutaway.library.arrays.kit.sizes import require_room
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    has_places,
    is_integral,
    is_shape,
    numpy,
    private,
)
from cutaway.typing import types

_CANNOT_BE_SPREAD = (
    "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and"
    " requested shape {}"
)


def _sizes(shape):
    """A shape as a tuple: NumPy takes a number for that of one axis."""
    return tuple(np.atleast_1d(shape))


@overload(_sizes, jit_options=OPTIONS)
def _sizes_of(shape):
    return (lambda shape: (shape,)) if is_integral(shape) else (lambda shape: tuple(shape))


@private
def _line_of_shape(shape):
    """An array of that shape, which takes no memory."""
    return spread(np.array(0), _sizes(shape))


@numpy(np.broadcast_shapes)
def _broadcast_shapes(*args):
    if not all(is_shape(one) or isinstance(one, types.Integer) for one in args):
        return None

    def broadcast_shapes(*args):
        shape = ()
        for one in literal_unroll(args):
            if not is_merged(_sizes(one)):
                raise ValueError("negative dimensions are not allowed")
            shape = merged(shape, _sizes(one))
        if not is_merged(shape):
            arrays = ()
            for one in literal_unroll(args):
                arrays = arrays + (_line_of_shape(one),)  # noqa: RUF005  a list cannot be typed
            joint_shape(arrays)  # which raises, in NumPy's words
        return shape

    return broadcast_shapes


@numpy(np.broadcast_to)
def _broadcast_to(array, shape):
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

    def broadcast_to(array, shape):
        if not is_merged(shape):
            raise ValueError("all elements of broadcast shape must be non-negative")
        require(merged(array.shape, shape) == shape, _CANNOT_BE_SPREAD, (array.shape, shape))
        require_room(shape, itemsize)
        return spread(array, shape)

    return broadcast_to
