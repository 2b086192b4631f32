"""In the style of nucs, quantecon and stumpy: options set from outside, functions as arguments."""

import warnings

import numba
import numpy as np
from numba import jit, njit, prange

FLAGS = {"nsz", "arcp", "contract", "afn", "reassoc"}
kwargs = {"cache": False, "nogil": True, "fastmath": FLAGS}


@njit(**kwargs)
def golden(function, low, high, steps):
    ratio = (np.sqrt(5.0) - 1.0) / 2.0
    for _ in range(steps):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if function(a) < function(b):
            high = b
        else:
            low = a
    return 0.5 * (low + high)


@njit
def parabola(x):
    return (x - 2.0) ** 2


@njit("f8[:](f8[:], i8)", parallel=True, fastmath=FLAGS)
def window_means(T, m):
    out = np.empty(len(T) - m + 1)
    for i in prange(len(out)):
        out[i] = np.mean(T[i : i + m])
    return out


@jit(nopython=True)
def first_row(matrix):
    for i in range(matrix.shape[0]):
        if np.all(matrix[i] > 0):
            return i
    return None


def test_functions_are_arguments():
    assert abs(golden(parabola, 0.0, 5.0, 60) - 2.0) < 1e-6


def test_windows():
    assert np.allclose(window_means(np.arange(5.0), 2), [0.5, 1.5, 2.5, 3.5])


def test_a_result_that_may_be_none():
    assert first_row(np.array([[0, 1], [1, 1]])) == 1 and first_row(np.zeros((2, 2))) is None


def test_warnings_of_numba_can_be_silenced_by_name():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=numba.NumbaPerformanceWarning)
        warnings.warn("slow", numba.core.errors.NumbaPerformanceWarning, stacklevel=1)


def test_what_is_missing_says_so():
    try:
        numba.typed.List()
    except numba.core.errors.UnsupportedError as error:
        assert "numba.typed.List" in str(error)
    assert not isinstance(numba.typeof(1), numba.types.ListType)
