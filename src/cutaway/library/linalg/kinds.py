"""The dtypes of linear algebra's computations and results, and checks shared by its functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.typers import is_array, private, said

LinAlgError = np.linalg.LinAlgError

# --- kinds of numbers -------------------------------------------------------------------------


@static
def table_dtype(*arrays: Any) -> np.dtype[Any]:
    """The dtype of results for these arrays. Raises TypingError for one that NumPy refuses."""
    dtypes = [element_dtype(array) for array in arrays]
    for dtype in dtypes:
        if dtype.kind not in "biufc" or dtype.char in "eg":
            raise TypingError(f"array type {dtype.name} is unsupported in linalg")
    single = all(dtype.char in "fF" for dtype in dtypes)
    if any(dtype.kind == "c" for dtype in dtypes):
        return np.dtype("F" if single else "D")
    return np.dtype("f" if single else "d")


@static
def computed_dtype(*arrays: Any) -> np.dtype[Any]:
    """The dtype in which LAPACK computes."""
    return np.dtype("D" if table_dtype(*arrays).kind == "c" else "d")


@static
def complex_dtype(*arrays: Any) -> np.dtype[Any]:
    """The dtype of complex results for these arrays."""
    return np.result_type(table_dtype(*arrays), np.complex64)


@static
def loop_of(name: Any, signature: Any, *arrays: Any) -> str:
    """The name of the loop for arrays; `t` in its signature stands for the computing dtype."""
    shown = said(signature).replace("t", computed_dtype(*arrays).char)
    return f"numpy.linalg.{said(name)}.{shown}"


@static
def eps_of(*arrays: Any) -> float:
    """The machine epsilon of the dtype of results."""
    return float(np.finfo(table_dtype(*arrays)).eps)


@private
def in_dtype(x, dtype):
    """An array or number converted to a dtype; itself if it has the dtype."""
    if element_dtype(x) == dtype:
        return x
    return x.astype(dtype) if isinstance(x, np.ndarray) else dtype.type(x)


# --- checks -----------------------------------------------------------------------------------


def are_stacks(*arrays: Any) -> bool:
    """True if all arguments are arrays of matrices. Raises TypingError for vectors and numbers."""
    if not all(map(is_array, arrays)):
        return False
    for array in arrays:
        if array.ndim < 2:
            raise TypingError(
                f"{array.ndim}-dimensional array given. Array must be at least two-dimensional",
                hint="`a[None, :]` makes a matrix of a line",
            )
    return True


Stack = Takes("an array of matrices", are_stacks)


@private
def require_square(a):
    """Raise LinAlgError unless the matrices are square."""
    if a.shape[-2] != a.shape[-1]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
