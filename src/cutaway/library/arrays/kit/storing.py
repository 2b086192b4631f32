"""Results that a function of no ufunc stores in an array of the caller's."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.typers import is_array, left_out, private


def takes(out: Any, dtype: np.dtype[Any]) -> bool:
    """True if results of a dtype can be stored.  Raises TypingError where NumPy does not store
    them."""
    if left_out(out) or not is_array(out):
        return False
    if out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")
    if not np.can_cast(dtype, element_dtype(out), "same_kind"):
        raise TypingError(
            f"cannot cast the result from {dtype} to {element_dtype(out)} with casting rule"
            " 'same_kind'",
            hint="pass an output of a wider type",
        )
    return True


@private
def stored(out, result):
    """The array that a result is stored in, which has its shape."""
    if out.shape != result.shape:
        raise ValueError("the output array does not have the shape of the result")
    out[...] = result
    return out
