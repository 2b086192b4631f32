"""Times and durations of different units: what NumPy makes of them."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import cutaway

UNITS = ("Y", "M", "W", "D", "h", "ms", "ns")
PAIRS = [
    (np.timedelta64, np.timedelta64),
    (np.datetime64, np.timedelta64),
    (np.datetime64, np.datetime64),
]
OPERATORS = (
    *(operator.add, operator.sub, operator.truediv, operator.floordiv, operator.mod),
    *(operator.eq, operator.ne, operator.lt, operator.ge),
)


def told(function, *args):
    try:
        result = function(*args)
    except Exception:  # noqa: BLE001  both shall raise
        return None
    return str(getattr(result, "dtype", "")).replace("bool", ""), str(result)


@pytest.mark.parametrize("function", OPERATORS)
def test_they_are_converted_as_in_numpy(function):
    compiled = cutaway.jit(lambda a, b: function(a, b))
    for (one, other), (u, v) in itertools.product(PAIRS, itertools.pairwise((*UNITS, "D", "ns"))):
        for x, y in ((5, 3), (-7, 2), ("NaT", 3)):
            given = one(x, u), other(y, v)
            expected, got = told(function, *given), told(compiled, *given)
            if one is not other and function in (operator.eq, operator.ne):
                continue  # a time is no duration: `==` of them is refused
            assert got is None if expected is None else got[1] == expected[1], given
            if expected is not None and "64[" in expected[0]:
                assert got == expected, given


def test_the_greater_and_the_smaller():
    both = cutaway.jit(lambda a, b: (max(a, b), min(a, b)))
    for unit in ("D", "ns"):
        for x, y in ((1, 2), (2, 1), ("NaT", 1), (1, "NaT")):
            for made in (np.datetime64, np.timedelta64):
                a, b = made(x, unit), made(y, unit)
                np.testing.assert_equal(both(a, b), (max(a, b), min(a, b)))
