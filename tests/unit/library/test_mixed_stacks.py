"""`hstack vstack dstack column_stack` of arrays of different dimensions, and of none."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway

ONE, TURNED, LINE, TABLE = np.array(1), np.array(2j), np.arange(3), np.arange(6).reshape(3, 2)
CASES = [
    (ONE, TURNED, ONE),
    (ONE, LINE, LINE),
    (LINE, LINE, TABLE),
    (TABLE, LINE, LINE.astype("f4")),
    (LINE, LINE, np.arange(6.0).reshape(2, 3)),
    (np.asfortranarray(TABLE),) * 3,
]


@pytest.mark.parametrize("function", (np.hstack, np.vstack, np.dstack, np.column_stack))
def test_they_are_put_together_as_in_numpy(function):
    compiled = cutaway.jit(lambda a, b, c: function((a, b, c)))
    for arrays in CASES:
        try:
            expected = function(arrays)
        except ValueError:
            with pytest.raises((ValueError, cutaway.errors.TypingError)):
                compiled(*arrays)
            continue
        got = compiled(*arrays)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
