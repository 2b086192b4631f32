"""The simulator checks divisors that are integers, whatever the kernel does."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import cuda


@cuda.jit
def floored(out):
    i = cuda.grid(1)
    out[i] = 10 // (i - 5)


@cuda.jit
def rest(out):
    i = cuda.grid(1)
    out[i] = 10 % (i - 5)


@cuda.jit
def in_place(out):
    i = cuda.grid(1)
    x = 10
    x //= i - 5
    out[i] = x


@cuda.jit
def of_float(out):
    i = cuda.grid(1)
    out[i] = 10.0 / (i - 5)


@pytest.mark.parametrize("kernel", [floored, rest, in_place], ids=["//", "%", "//="])
def test_an_integer_division_by_zero_raises(kernel):
    with pytest.raises(ZeroDivisionError):
        cuda.simulate(kernel)[1, 8](np.zeros(8, np.int64))
    given = np.zeros(4, np.int64)
    cuda.simulate(kernel)[1, 4](given)
    assert given.any()


def test_a_float_divided_by_zero_is_what_the_hardware_makes_of_it():
    given = np.zeros(8)
    cuda.simulate(of_float)[1, 8](given)
    assert given[5] == np.inf
