"""Loading the areas of the library, and its functions with random arrays."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import cutaway
from corpus.library.alike import all_alike
from corpus.programs.compare import quiet


@pytest.fixture(autouse=True)
def without_warnings():
    with quiet():
        yield


# --- loading ---------------------------------------------------------------------------------


def test_one_area_is_loaded_without_the_others():
    program = """
import numpy as np, cutaway
from cutaway.foundation.loading import has_run
f = cutaway.jit(lambda a: np.cumsum(a))
f(np.arange(3))
from cutaway.library.areas import AREAS
print(*(area for area in AREAS if has_run(f"cutaway.library.{area}")))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    # These come with the methods.
    new_arrays = {"arrays.creating.conversions", "arrays.creating.creation"}
    parts = {"arrays.layout.splitting"}  # sums along an axis go through memory part by part
    assert set(done.stdout.split()) - new_arrays - parts == {"arrays.statistics.cumulative"}


# --- random arrays ----------------------------------------------------------------------------

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64)
LINES = arrays.arrays(np.float64, st.integers(0, 70), elements=FLOATS)
INTEGERS = arrays.arrays(np.int16, st.integers(0, 70), elements=st.integers(-9, 9))
FINITE = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(-100, 100))

sort = cutaway.jit(lambda a: np.sort(a))
argsort = cutaway.jit(lambda a: np.argsort(a, kind="stable"))
unique = cutaway.jit(lambda a: np.unique(a))
median = cutaway.jit(lambda a: np.median(a))
histogram = cutaway.jit(lambda a, n: np.histogram(a, n))
quantile = cutaway.jit(lambda a, q: np.quantile(a, q))
searchsorted = cutaway.jit(lambda a, v: (np.searchsorted(a, v), np.searchsorted(a, v, "right")))


@settings(max_examples=200, deadline=None)
@given(st.one_of(LINES, INTEGERS))
def test_sorting_random_arrays_gives_what_numpy_gives(a):
    assert all_alike(sort(a), np.sort(a))
    assert all_alike(argsort(a), np.argsort(a, kind="stable"))
    assert all_alike(unique(a), np.unique(a))


@settings(max_examples=200, deadline=None)
@given(LINES, LINES)
def test_searching_sorted_random_arrays_gives_what_numpy_gives(a, v):
    a = np.sort(a)
    assert all_alike(searchsorted(a, v), (np.searchsorted(a, v), np.searchsorted(a, v, "right")))


@settings(max_examples=200, deadline=None)
@given(FINITE, st.integers(1, 20), st.floats(0, 1))
def test_statistics_of_random_arrays_are_numpys(a, n, q):
    try:
        expected = np.histogram(a, n)
    except ValueError as error:  # a range too small to be cut into bins
        with pytest.raises(ValueError, match=re.escape(str(error))):
            histogram(a, n)
    else:
        assert all_alike(histogram(a, n), expected)
    assert median(a) == np.median(a)
    assert quantile(a, q) == pytest.approx(np.quantile(a, q), rel=1e-12, abs=1e-12)
