"""LAPACK's own functions, which SciPy exports, called as Numba's modules call them."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending import get_cython_function_address, register_jitable
from cutaway.typing import types
from cutaway.typing.types import Type

_MODULE = "scipy.linalg.cython_lapack"
_LETTERS: MappingProxyType[Type, str] = MappingProxyType(
    {types.float32: "s", types.float64: "d", types.complex64: "c", types.complex128: "z"}
)


class Lapack:
    """The functions, each for a type of elements."""

    def numba_xgesv(self, dtype: Type) -> Callable[..., Any]:
        """Solve equations in place: `(kind, n, nrhs, a, lda, ipiv, b, ldb)`, with `a.ctypes`,
        `ipiv.ctypes` and `b.ctypes` of Fortran-contiguous arrays; returns LAPACK's `info`."""
        return _xgesv(dtype)


@functools.cache
def _xgesv(dtype: Type) -> Callable[..., Any]:
    gesv = _function("gesv", dtype, 8)

    @register_jitable
    def xgesv(kind, n, nrhs, a, lda, ipiv, b, ldb):  # type: ignore[no-untyped-def]
        sizes = np.array((n, nrhs, lda, ldb, 0), dtype=np.int32)
        n_at, nrhs_at, lda_at = sizes.ctypes, sizes[1:].ctypes, sizes[2:].ctypes
        gesv(n_at, nrhs_at, a, lda_at, ipiv, b, sizes[3:].ctypes, sizes[4:].ctypes)
        return sizes[4]

    return xgesv


def _function(name: str, dtype: Type, count: int) -> Any:
    """Return a function of LAPACK, which takes `count` pointers."""
    if dtype not in _LETTERS:
        raise TypingError(f"LAPACK has no numbers of type {dtype}", hint="it has float64")
    address = get_cython_function_address(_MODULE, f"{_LETTERS[dtype]}{name}")
    return ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * count)(address)
