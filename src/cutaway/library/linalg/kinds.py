"""What linear algebra computes in and what it gives, and checks that its functions share."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.dataclass import dataclass
from cutaway.library.arrays.kit.typers import OPTIONS, is_array, private
from cutaway.typing import types
from cutaway.typing.types import Array

LinAlgError = np.linalg.LinAlgError

# --- kinds of numbers -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """The letters of the dtype in which LAPACK computes and of its real numbers, and the dtypes of
    results: of matrices, of real numbers, and of complex ones."""

    letter: str
    dtype: np.dtype[Any]
    real: np.dtype[Any]
    complex: np.dtype[Any]

    def loop(self, name: str, inputs: str, outputs: str) -> str:
        """The name of a loop; in its types `t` is the dtype that is computed in."""
        shown = (one.replace("t", self.letter) for one in (inputs, outputs))
        return f"numpy.linalg.{name}.{'.'.join(shown)}"


def kind_of(*arrays: Any) -> Kind:
    """The kind of arrays together.  Raises TypingError for one that NumPy does not take."""
    dtypes = [types.to_dtype(array.dtype) for array in arrays]
    for dtype in dtypes:
        if dtype.kind not in "biufc" or dtype.char in "eg":
            raise TypingError(f"array type {dtype.name} is unsupported in linalg")
    single = all(dtype.char in "fF" for dtype in dtypes)
    is_complex = any(dtype.kind == "c" for dtype in dtypes)
    real, whole = np.dtype("f" if single else "d"), np.dtype("F" if single else "D")
    return Kind("D" if is_complex else "d", whole if is_complex else real, real, whole)


def in_dtype(x, dtype):
    """An array, or a number, as one of a dtype; the array itself where it is one."""
    return x.astype(dtype, copy=False)


@overload(in_dtype, jit_options=OPTIONS)
def _in_dtype(x, dtype):
    wanted = types.from_dtype(dtype.value)
    cast = dtype.value.type
    if not isinstance(x, Array):
        return lambda x, dtype: cast(x)
    return (lambda x, dtype: x) if x.dtype is wanted else (lambda x, dtype: x.astype(dtype))


# --- checks -----------------------------------------------------------------------------------


def are_stacks(*arrays: Any) -> bool:
    """True if all arguments are arrays of matrices.  Raises TypingError for lines and numbers."""
    if not all(map(is_array, arrays)):
        return False
    for array in arrays:
        if array.ndim < 2:
            raise TypingError(
                f"{array.ndim}-dimensional array given. Array must be at least two-dimensional",
                hint="`a[None, :]` makes a matrix of a line",
            )
    return True


@private
def require_square(a):
    """Raise LinAlgError unless the matrices are square."""
    if a.shape[-2] != a.shape[-1]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
