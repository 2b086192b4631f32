"""Broadcasting of shapes and arrays: `broadcast_shapes broadcast_arrays broadcast_to`."""

from __future__ import annotations

import numpy as np

from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.shapes import (
    is_merged,
    joint_shape,
    merged,
    require,
    spread,
    strided,
)
from cutaway.library.arrays.kit.sizes import require_room
from cutaway.library.arrays.kit.takes import AnyElements, Operands, Sizes, as_tuple, numpy
from cutaway.library.arrays.kit.typers import private

_CANNOT_BE_SPREAD = (
    "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and"
    " requested shape {}"
)


@private
def _line_of_shape(shape):
    """An array of a shape that takes no memory."""
    return spread(np.array(0), as_tuple(shape))


@numpy(np.broadcast_shapes)
def broadcast_shapes(*args: Sizes):
    shape = ()
    for one in literal_unroll(args):
        if not is_merged(as_tuple(one)):
            raise ValueError("negative dimensions are not allowed")
        shape = merged(shape, as_tuple(one))
    if not is_merged(shape):
        arrays = ()
        for one in literal_unroll(args):
            arrays = (*arrays, _line_of_shape(one))
        joint_shape(arrays)  # raises NumPy's error
    return shape


@numpy(np.broadcast_arrays)
def broadcast_arrays(*args: Operands):
    shape, out = joint_shape(args), ()
    for one in literal_unroll(args):
        a = np.asarray(one)  # its views are writable, like NumPy's
        out = (*out, strided(a, shape, spread(a, shape).strides))
    return out


@numpy(np.broadcast_to)
def broadcast_to(array: AnyElements, shape: Sizes):
    """A view of an array broadcast to a shape."""
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
