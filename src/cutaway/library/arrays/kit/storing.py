"""Results that a function of no ufunc stores in an array of the caller's."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.typers import private
from cutaway.typing.types import Array


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
    """A result, or the array of the caller's in which it is stored, where there is one."""
    if out is None:
        return result
    _require_takes(out, result)
    if out.shape != np.shape(result):
        raise ValueError("the output array does not have the shape of the result")
    out[...] = result
    return out
