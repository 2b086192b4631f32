"""With fastmath= the errors of math's functions are still those of their arguments."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cutaway


@pytest.mark.parametrize("fastmath", [False, True, {"ninf"}, {"nnan"}])
def test_an_infinite_argument_that_was_computed_is_no_range_error(fastmath):
    @cutaway.njit(fastmath=fastmath)
    def f(x, s):
        result = np.empty(len(x))
        for i in range(len(x)):
            result[i] = math.expm1(s * (s - x[i]))
        return result

    assert f(np.array([-np.inf, np.inf]), 0.5).tolist() == [np.inf, -1.0]
    with pytest.raises(OverflowError):
        f(np.array([-2000.0]), 0.5)
