"""Values that elements of an array are filled with."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.typers import OPTIONS, is_number, private
from cutaway.typing import types
from cutaway.typing.types import Array, Complex


def are_values(array: Any, values: Any) -> bool:
    """True if an array can be written to, with values that its elements can be."""
    if not isinstance(array, Array) or array.readonly:
        return False
    dtype = values.dtype if isinstance(values, Array) else values
    if not is_number(array.dtype):
        return dtype is array.dtype
    return is_number(dtype) and (isinstance(array.dtype, Complex) or types.is_real(dtype))


def converted_line(values, like):
    """Values, one or an array of them, as a line of elements of an array's dtype."""
    line = np.empty(np.size(values), like.dtype)
    line[:] = values if np.ndim(values) == 0 else np.ravel(values)
    return line


@overload(converted_line, jit_options=OPTIONS)
def _converted_line(values, like):
    if isinstance(values, Array):
        if values.dtype is like.dtype:
            return lambda values, like: values.ravel()
        return lambda values, like: values.ravel().astype(like.dtype)

    def of_number(values, like):
        line = np.empty(1, like.dtype)
        line[0:1] = values  # a number of Python's must fit
        return line

    return of_number


@private
def lies_in_a_line(a):
    """True if an array lies in one piece, in C order."""
    step = a.itemsize
    for k in range(a.ndim - 1, -1, -1):
        if a.shape[k] != 1 and a.strides[k] != step:
            return a.size == 0
        step *= a.shape[k]
    return True


def apart(values, *targets):
    """The values, or a copy of them where an array that is written to may share their memory."""
    shared = (np.may_share_memory(values, one) for one in targets)
    return np.copy(values, order="K") if np.ndim(values) and any(shared) else values


@overload(apart, jit_options=OPTIONS)
def _apart(values, *targets):
    def of_array(values, *targets):
        shared = False
        for target in literal_unroll(targets):
            shared = shared or np.may_share_memory(values, target)
        return np.copy(values, order="K") if shared else values

    return of_array if isinstance(values, Array) else lambda values, *targets: values
