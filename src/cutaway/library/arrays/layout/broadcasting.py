"""Shapes and arrays that are broadcast: `broadcast_shapes broadcast_to`."""

from __future__ import annotations

import numpy as np

from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit import takes
from cutaway.library.arrays.kit.shapes import is_merged, joint_shape, merged, require, spread
from cutaway.library.arrays.kit.sizes import require_room
from cutaway.library.arrays.kit.takes import AnyElements, Sizes, as_tuple
from cutaway.library.arrays.kit.typers import is_shape, numpy, private
from cutaway.typing import types

_CANNOT_BE_SPREAD = (
    "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and"
    " requested shape {}"
)


@private
def _line_of_shape(shape):
    """An array of that shape, which takes no memory."""
    return spread(np.array(0), as_tuple(shape))


@numpy(np.broadcast_shapes)
def _broadcast_shapes(*args):
    if not all(is_shape(one) or isinstance(one, types.Integer) for one in args):
        return None

    def broadcast_shapes(*args):
        shape = ()
        for one in literal_unroll(args):
            if not is_merged(as_tuple(one)):
                raise ValueError("negative dimensions are not allowed")
            shape = merged(shape, as_tuple(one))
        if not is_merged(shape):
            arrays = ()
            for one in literal_unroll(args):
                arrays = arrays + (_line_of_shape(one),)  # noqa: RUF005  a list cannot be typed
            joint_shape(arrays)  # which raises, in NumPy's words
        return shape

    return broadcast_shapes


@takes.numpy(np.broadcast_to)
def broadcast_to(array: AnyElements, shape: Sizes):
    """A view of an array that runs over a shape."""
    sizes = as_tuple(shape)
    if not isinstance(array, np.ndarray):
        return np.broadcast_to(np.array((array,)).reshape(()), sizes)
    if not is_merged(sizes):
        raise ValueError("all elements of broadcast shape must be non-negative")
    if array.ndim > len(sizes):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    require(merged(array.shape, sizes) == sizes, _CANNOT_BE_SPREAD, (array.shape, sizes))
    require_room(sizes, array.itemsize)
    return spread(array, sizes)
