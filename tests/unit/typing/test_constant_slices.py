"""Slices that are constants of a function: of tuples, texts and arrays."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway

PART, WHOLE, TURNED, FAR = slice(1, 3), slice(None), slice(None, None, -1), slice(0, 10**30)
CORNER = (slice(0, 2), 1)
ITEMS = (1, 2.5, 3, 4)


def of_tuples():
    return ITEMS[PART], ITEMS[WHOLE], ITEMS[TURNED], ITEMS[FAR]


def of_texts(text):
    return text[PART], text[TURNED]


def of_arrays(a):
    b = a.copy()
    b[PART] = 7
    b[PART] += 1
    return a[PART].sum(), a[TURNED][0].sum(), a[CORNER].sum(), b.sum()


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(of_tuples, ()), (of_texts, ("abcd",)), (of_arrays, (np.arange(12.0).reshape(4, 3),))],
)
def test_a_constant_slice_is_as_good_as_one_that_is_written(function, arguments):
    assert cutaway.njit(function)(*arguments) == function(*arguments)
