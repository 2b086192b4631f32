"""LAPACK's own functions by the names of Numba's modules."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.compat import numba
from cutaway.errors import TypingError


def test_equations_are_solved_in_place():
    pytest.importorskip("scipy")
    for dtype in "fdFD":
        xgesv = numba.np.linalg._LAPACK().numba_xgesv(cutaway.typeof(np.zeros(1, dtype)).dtype)

        @cutaway.njit
        def solve(a, b):
            n, pivots = a.shape[0], np.empty(a.shape[0], np.int32)
            return xgesv(0, n, b.shape[1], a.ctypes, n, pivots.ctypes, b.ctypes, n)  # noqa: B023

        a = np.array([[3, 1, 0], [1, 2, 5], [2, 0, 7]], dtype, order="F")
        b = np.array([[1, 2], [3, 4], [5, 6]], dtype, order="F")
        wanted = np.linalg.solve(a, b)
        assert solve(a, b) == 0
        assert np.allclose(b, wanted, rtol=1e-4, atol=1e-5)
        assert solve(np.zeros((3, 3), dtype), b) == 1  # it says which pivot is zero


def test_lapack_has_no_integers():
    with pytest.raises(TypingError, match="no numbers of type int64"):
        numba.np.linalg._LAPACK().numba_xgesv(cutaway.types.int64)
