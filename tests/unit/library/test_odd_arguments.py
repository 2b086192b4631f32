"""Arguments that no row of the case table can hold: what lies anywhere in memory, and what is
refused, which must not take the process down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway.errors import TypingError


def unaligned(values: Any, dtype: str) -> Any:
    """A line that begins at an odd address."""
    memory = bytearray(b"\0" + np.asarray(values).astype(dtype).tobytes())
    return np.frombuffer(memory, np.uint8)[1:].view(dtype)


@pytest.mark.parametrize("kind", ["quicksort", "stable"])
@pytest.mark.parametrize("dtype", ["f8", "i2"])
def test_places_of_what_is_not_aligned_are_sorted(dtype, kind):
    given = unaligned([3, 1, 2, 1], dtype)
    assert given.flags.aligned is False
    sorts = cutaway.njit(lambda a: (np.argsort(a, kind=kind), a.reshape(2, 2).argsort(0)))
    for found, expected in zip(sorts(given), sorts.py_func(given), strict=True):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    "given", [np.array([True, False, True]), np.zeros(0), np.array([1.0, 2.0])]
)
def test_places_are_counted_by_integers_only(given):
    """Each of the two calls once asked for the other one, without an end."""
    counts = cutaway.njit(lambda k: np.ravel_multi_index((k, k), (3, 4)))
    with pytest.raises(TypingError, match="ravel_multi_index does not accept"):
        counts(given)


def test_a_cross_product_of_bools_is_refused():
    crosses = cutaway.njit(lambda a: np.cross(a, a))
    with pytest.raises(TypingError, match="numpy boolean subtract"):
        crosses(np.array([True, False, True]))


@pytest.mark.parametrize("n", [1, 2, 7])
def test_transforms_of_nothing_are_those_of_zeros(n):
    """NumPy's own `irfft` reads an element that is not there."""
    for a in (np.zeros(0), np.zeros((2, 0)), np.zeros(0, complex)):
        for function in (lambda a, n: np.fft.irfft(a, n), lambda a, n: np.fft.hfft(a, n)):
            found = cutaway.jit(function)(a, n)
            assert found.shape == (*a.shape[:-1], n) and not found.any()
