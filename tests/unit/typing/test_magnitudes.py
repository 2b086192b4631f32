"""Floats that are known not to be zero are divided by without a test, and no others."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cutaway
from cutaway.typing import types
from cutaway.typing.analysis.magnitudes import ANY, Magnitude, Magnitudes

KNOWN = {
    "logistic": lambda x, y: 1.0 / (1.0 + np.exp(-x)),
    "softened": lambda x, y: 1.0 / (x * x + y * y + 1e-9),
    "distance": lambda x, y: x / (0.5 + np.sqrt(x * x)),
    "angle": lambda x, y: x / (np.sin(y) - 3.0),
    "square": lambda x, y: np.cos(x) ** 2 + np.tanh(y) ** 2,
    "negative": lambda x, y: x / -(1.0 + abs(y)),
}
UNKNOWN = {
    "any": lambda x, y: x / y,
    "root": lambda x, y: x / np.sqrt(y * y),
    "sum": lambda x, y: x / (1.0 + y),
    "small": lambda x, y: x / (np.sin(y) - 1.0),
    "square": lambda x, y: x**2,
    "product": lambda x, y: x / ((1.0 + x * x) * y),
    "underflow": lambda x, y: x / ((1e-200 + x * x) * (1e-200 + y * y)),
}


def asks(function):
    """True if the code of a function of two floats may raise."""
    return "cutaway_describe(" in str(cutaway.trace(function, 1.0, 2.0).at("llvm_opt"))


@pytest.mark.parametrize("name", KNOWN)
def test_known(name):
    assert not asks(KNOWN[name])
    compiled = cutaway.jit(KNOWN[name])
    with np.errstate(all="ignore"):
        for x in (0.0, -0.0, 1.0, -3.5, 1e200, math.inf, -math.inf):
            for y in (0.0, 2.0, -1e-300, 1e200):
                expected = float(KNOWN[name](np.float64(x), np.float64(y)))
                assert compiled(x, y) == expected or math.isnan(expected)


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown(name):
    assert asks(UNKNOWN[name])


def test_a_divisor_that_becomes_zero_still_raises():
    compiled = cutaway.jit(UNKNOWN["underflow"])
    with pytest.raises(ZeroDivisionError):
        compiled(0.0, 0.0)


def test_a_float32_that_is_rounded_to_zero_is_no_divisor():
    single = np.float32(0.0)
    assert asks(lambda x, y: x / np.float32(1e-60 + x * x))
    compiled = cutaway.jit(lambda x: x / np.float32(1e-60 + x * x))
    with pytest.raises(ZeroDivisionError):
        compiled(single)


def test_ranges():
    one = Magnitude(1.0, math.inf)
    assert one.is_nonzero and not ANY.is_nonzero and Magnitude(-2.0, -1.0).is_nonzero
    assert Magnitude(-2.0, 3.0).times(Magnitude(-5.0, 1.0)) == Magnitude(-15.0, 10.0)
    assert Magnitude(0.0, 1.0).times(ANY) == ANY  # 0 times infinity is NaN
    nothing = Magnitudes({"x": types.float64}, {}, {}, lambda name, block: None)
    assert nothing.at("x", 0) == ANY
