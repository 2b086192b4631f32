"""Eigenvalues and eigenvectors: `eig eigvals eigh eigvalsh`.

`eig` and `eigvals` always return complex numbers: whether all are real is unknown at compile time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg._linalg import EighResult, EigResult

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.dtypes import real_dtype
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.takes import Text, numpy
from cutaway.library.arrays.kit.typers import private, said
from cutaway.library.linalg.kinds import (
    LinAlgError,
    Stack,
    complex_dtype,
    in_dtype,
    loop_of,
    require_square,
    table_dtype,
)

NO_EIGENVALUES = "Eigenvalues did not converge"


@private
def _require_finite(a):
    if not np.isfinite(a).all():
        raise LinAlgError("Array must not contain infs or NaNs")


@numpy(np.linalg.eig)
def eig(a: Stack):
    require_square(a)
    _require_finite(a)
    failed, values, vectors = stacked(loop_of("eig", "t.DD", a), a)
    if failed:
        raise LinAlgError(NO_EIGENVALUES)
    dtype = complex_dtype(a)
    return EigResult(in_dtype(values, dtype), in_dtype(vectors, dtype))


@numpy(np.linalg.eigvals)
def eigvals(a: Stack):
    require_square(a)
    _require_finite(a)
    failed, values = stacked(loop_of("eigvals", "t.D", a), a)
    if failed:
        raise LinAlgError(NO_EIGENVALUES)
    return in_dtype(values, complex_dtype(a))


@static
def _side_loop(name: Any, uplo: Any, signature: Any, a: Any) -> str:
    """The loop for the lower or the upper triangle."""
    side = {"L": "lo", "U": "up"}.get(said(uplo).upper())
    if side is None:
        raise TypingError("UPLO argument must be 'L' or 'U'")
    return loop_of(f"{said(name)}_{side}", said(signature), a)


@numpy(np.linalg.eigh)
def eigh(a: Stack, UPLO: Text = "L"):  # noqa: N803
    require_square(a)
    failed, values, vectors = stacked(_side_loop("eigh", UPLO, "t.dt", a), a)
    if failed:
        raise LinAlgError(NO_EIGENVALUES)
    dtype = table_dtype(a)
    return EighResult(in_dtype(values, real_dtype(dtype)), in_dtype(vectors, dtype))


@numpy(np.linalg.eigvalsh)
def eigvalsh(a: Stack, UPLO: Text = "L"):  # noqa: N803
    require_square(a)
    failed, values = stacked(_side_loop("eigvalsh", UPLO, "t.d", a), a)
    if failed:
        raise LinAlgError(NO_EIGENVALUES)
    return in_dtype(values, real_dtype(table_dtype(a)))
