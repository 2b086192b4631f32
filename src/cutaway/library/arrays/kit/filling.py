"""Values that elements of an array are filled with."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.typers import OPTIONS, is_number, private
from cutaway.typing import types
from cutaway.typing.types import Array, Complex


def are_values(array: Any, values: Any) -> bool:  # Any: types
    """True if an array can be written to, with values that its elements can be."""
    if not isinstance(array, Array) or array.readonly:
        return False
    dtype = values.dtype if isinstance(values, Array) else values
    if not is_number(array.dtype):
        return dtype is array.dtype
    return is_number(dtype) and (isinstance(array.dtype, Complex) or types.is_real(dtype))


def converted_line(values, like):  # type: ignore[no-untyped-def]
    """Values, one or an array of them, as a line of elements of an array's dtype."""
    line = np.empty(np.size(values), like.dtype)
    line[:] = values if np.ndim(values) == 0 else np.ravel(values)
    return line


@overload(converted_line, jit_options=OPTIONS)
def _converted_line(values, like):  # type: ignore[no-untyped-def]
    if isinstance(values, Array):
        if values.dtype is like.dtype:
            return lambda values, like: values.ravel()
        return lambda values, like: values.ravel().astype(like.dtype)

    def of_number(values, like):  # type: ignore[no-untyped-def]
        line = np.empty(1, like.dtype)
        line[0:1] = values  # a number of Python's must fit
        return line

    return of_number


@private
def lies_in_a_line(a):  # type: ignore[no-untyped-def]
    """True if an array lies in one piece, in C order."""
    step = a.itemsize
    for k in range(a.ndim - 1, -1, -1):
        if a.shape[k] != 1 and a.strides[k] != step:
            return a.size == 0
        step *= a.shape[k]
    return True
