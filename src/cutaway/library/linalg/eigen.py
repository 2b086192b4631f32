"""Eigenvalues and eigenvectors: `eig eigvals eigh eigvalsh`.

`eig` and `eigvals` give complex numbers always: whether all are real is not known when compiling.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg._linalg import EighResult, EigResult

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.stacks import stacked
from cutaway.library.arrays.kit.typers import numpy, private
from cutaway.library.linalg.kinds import (
    LinAlgError,
    are_stacks,
    in_dtype,
    kind_of,
    require_square,
)
from cutaway.typing import types

NO_EIGENVALUES = "Eigenvalues did not converge"


@private
def _require_finite(a):
    if not np.isfinite(a).all():
        raise LinAlgError("Array must not contain infs or NaNs")


@numpy(np.linalg.eig)
def _eig(a):
    if not are_stacks(a):
        return None
    kind = kind_of(a)
    dtype, loop = kind.complex, kind.loop("eig", "t", "DD")

    def eig(a):
        require_square(a)
        _require_finite(a)
        failed, values, vectors = stacked(loop, a)
        if failed:
            raise LinAlgError(NO_EIGENVALUES)
        return EigResult(in_dtype(values, dtype), in_dtype(vectors, dtype))

    return eig


@numpy(np.linalg.eigvals)
def _eigvals(a):
    if not are_stacks(a):
        return None
    kind = kind_of(a)
    dtype, loop = kind.complex, kind.loop("eigvals", "t", "D")

    def eigvals(a):
        require_square(a)
        _require_finite(a)
        failed, values = stacked(loop, a)
        if failed:
            raise LinAlgError(NO_EIGENVALUES)
        return in_dtype(values, dtype)

    return eigvals


def _side(name: str, uplo: Any) -> str | None:
    """The loop for the lower or the upper triangle; None where it is not known which."""
    if not isinstance(uplo, str | types.String | types.Omitted):
        return None
    letter = (uplo if isinstance(uplo, str) else uplo.value).upper()
    if letter not in ("L", "U"):
        raise TypingError("UPLO argument must be 'L' or 'U'")
    return f"{name}_lo" if letter == "L" else f"{name}_up"


@numpy(np.linalg.eigh)
def _eigh(a, UPLO="L"):  # noqa: N803
    name = _side("eigh", UPLO)
    if not are_stacks(a) or name is None:
        return None
    kind = kind_of(a)
    dtype, real, loop = kind.dtype, kind.real, kind.loop(name, "t", "dt")

    def eigh(a, UPLO="L"):  # noqa: N803
        require_square(a)
        failed, values, vectors = stacked(loop, a)
        if failed:
            raise LinAlgError(NO_EIGENVALUES)
        return EighResult(in_dtype(values, real), in_dtype(vectors, dtype))

    return eigh


@numpy(np.linalg.eigvalsh)
def _eigvalsh(a, UPLO="L"):  # noqa: N803
    name = _side("eigvalsh", UPLO)
    if not are_stacks(a) or name is None:
        return None
    kind = kind_of(a)
    real, loop = kind.real, kind.loop(name, "t", "d")

    def eigvalsh(a, UPLO="L"):  # noqa: N803
        require_square(a)
        failed, values = stacked(loop, a)
        if failed:
            raise LinAlgError(NO_EIGENVALUES)
        return in_dtype(values, real)

    return eigvalsh
