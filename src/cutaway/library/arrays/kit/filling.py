"""Values and results stored in the caller's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.typers import element, is_number, private
from cutaway.typing import types
from cutaway.typing.types import Array, Complex


def are_values(array: Any, values: Any) -> bool:
    """True if an array is writable and its elements can hold the values."""
    if not isinstance(array, Array) or array.readonly:
        return False
    dtype = values.dtype if isinstance(values, Array) else values
    if not is_number(array.dtype):
        return dtype is array.dtype
    return is_number(dtype) and (isinstance(array.dtype, Complex) or types.is_real(dtype))


@static
def require_values(a: Any, values: Any) -> None:
    """Refuse a read-only array, or values that its elements cannot hold."""
    if a.readonly:
        raise TypingError("assignment destination is read-only", hint="pass a writeable array")
    if not are_values(a, values):
        raise TypingError(
            f"elements of type {a.dtype} are not made of {element(values)}",
            hint="convert the values first",
        )


@private
def converted_line(values, like):
    """A value, or an array of them, as a line of elements of an array's dtype."""
    if isinstance(values, np.ndarray):
        return values.ravel() if values.dtype == like.dtype else values.ravel().astype(like.dtype)
    line = np.empty(1, like.dtype)
    line[0:1] = values  # a Python number must fit
    return line


@private
def apart(values, *targets):
    """The values, copied if a written array may share their memory."""
    if not isinstance(values, np.ndarray):
        return values
    shared = False
    for target in literal_unroll(targets):
        shared = shared or np.may_share_memory(values, target)
    return np.copy(values, order="K") if shared else values


# --- results -----------------------------------------------------------------------------------


@static
def _require_takes(out: Array, result: Any) -> None:
    """Refuse an output that cannot hold a result."""
    if out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")
    if not np.can_cast(element_dtype(result), element_dtype(out), "same_kind"):
        raise TypingError(
            f"cannot cast the result from {element_dtype(result)} to {element_dtype(out)} with"
            " casting rule 'same_kind'",
            hint="pass an output of a wider type",
        )


@private
def stored(out, result):
    """The result, or the caller's output array after storing it."""
    if out is None:
        return result
    _require_takes(out, result)
    if out.shape != np.shape(result):
        raise ValueError("the output array does not have the shape of the result")
    out[...] = result
    return out
