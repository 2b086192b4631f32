"""In the style of numbagg: generalized ufuncs made by decorators, with options of the package."""

import numpy as np
from numba import config as settings
from numba import get_num_threads, guvectorize, set_num_threads


def moving(*signatures, layout="(n),()->(n)", **options):
    def decorate(function):
        return guvectorize(list(signatures), layout, nopython=True, **options)(function)

    return decorate


@moving("(float32[:], int64, float32[:])", "(float64[:], int64, float64[:])")
def moving_sum(a, window, out):
    total = 0.0
    for i in range(len(a)):
        if not np.isnan(a[i]):
            total += a[i]
        if i >= window and not np.isnan(a[i - window]):
            total -= a[i - window]
        out[i] = total


@guvectorize(["void(float64[:], int64[:], float64[:], float64[:])"], "(n),(n),(k)->(k)")
def grouped(values, labels, dummy, out):
    out[:] = 0.0
    for i in range(len(values)):
        out[labels[i]] += values[i]


def test_moving_sums_of_rows():
    a = np.array([[1.0, 2.0, np.nan, 4.0], [1.0, 1.0, 1.0, 1.0]])
    expected = [[1.0, 3.0, 2.0, 4.0], [1.0, 2.0, 2.0, 2.0]]
    assert np.array_equal(moving_sum(a, 2), expected)
    assert moving_sum(a.astype(np.float32), 2).dtype == np.float32


def test_groups_of_rows():
    values, labels = np.array([[1.0, 2.0, 4.0]] * 2), np.array([0, 1, 0])
    assert np.array_equal(grouped(values, labels, np.empty(2)), [[5.0, 2.0]] * 2)


def test_threads_are_numbas():
    before = get_num_threads()
    set_num_threads(1)
    assert get_num_threads() == 1
    set_num_threads(before)
    assert isinstance(settings.DISABLE_JIT, int | bool)
