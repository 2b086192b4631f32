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


@cuda.jit
def both(a, b, out):
    i = cuda.grid(1)
    quotient, remainder = divmod(a[i], b[i])
    out[i] = 100 * quotient + remainder


def test_divmod_is_pythons_and_checks_its_divisor():
    a, b, out = np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2]), np.zeros(4, np.int64)
    cuda.simulate(both)[1, 4](a, b, out)
    assert out.tolist() == [100 * q + r for q, r in map(divmod, a.tolist(), b.tolist())]
    with pytest.raises(ZeroDivisionError):
        cuda.simulate(both)[1, 4](a, np.array([2, 0, -2, -2]), out)


@cuda.jit
def whole(a, b, out):
    if cuda.grid(1) == 0:
        out[0, :] = a // b
        out[1, :] = a % b


def test_whole_arrays_are_divided_as_numpy_divides_them():
    a, b = np.array([7, -7, 7, -7]), np.array([2, 0, -2, 0])
    out = np.ones((2, 4), np.int64)
    cuda.simulate(whole)[1, 4](a, b, out)
    with np.errstate(all="ignore"):
        assert out.tolist() == [(a // b).tolist(), (a % b).tolist()]
