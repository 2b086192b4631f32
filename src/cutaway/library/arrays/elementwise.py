"""Functions of each element by itself that are no ufuncs: `nan_to_num`."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.typers import (
    are_numbers_or_left_out,
    is_array,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Complex, Float


def _replacing(dtype):  # type: ignore[no-untyped-def]
    """The replacement of a number that is not finite."""
    largest = float(np.finfo(dtype).max)

    @private
    def replacing(x, nan, posinf, neginf):  # type: ignore[no-untyped-def]
        if x != x:  # noqa: PLR0124
            return nan
        if x == np.inf:
            return largest if posinf is None else posinf
        if x == -np.inf:
            return -largest if neginf is None else neginf
        return float(x)

    return replacing


@numpy(np.nan_to_num)
def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
    numbers = are_numbers_or_left_out(nan, posinf, neginf)
    if not is_array(x) or not isinstance(copy, bool) or not numbers:
        return None
    if x.ndim == 0:  # NumPy gives a number

        def of_single(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
            line = np.nan_to_num(x.reshape(1), nan=nan, posinf=posinf, neginf=neginf)
            return line[0]

        return of_single
    if not isinstance(x.dtype, Float | Complex):
        return lambda x, copy=True, nan=0.0, posinf=None, neginf=None: x.copy()
    part = x.dtype.part if isinstance(x.dtype, Complex) else x.dtype
    replacing = _replacing(types.to_dtype(part))

    def of_floats(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
        out = x.copy()
        line = out.ravel()
        for k in range(len(line)):
            line[k] = replacing(line[k], nan, posinf, neginf)
        return out

    def of_complex(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
        out = x.copy()
        line = out.ravel()
        for k in range(len(line)):
            real = replacing(line[k].real, nan, posinf, neginf)
            line[k] = complex(real, replacing(line[k].imag, nan, posinf, neginf))
        return out

    return of_complex if isinstance(x.dtype, Complex) else of_floats
