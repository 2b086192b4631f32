"""In the style of numba-stats: parallel densities, chosen by what the arguments are."""

import math

import numba as nb
import numpy as np
from numba.extending import overload, register_jitable


@nb.njit(inline="always")
def standardized(x, loc, scale):
    return (x - loc) / scale


@nb.njit(nogil=True, error_model="numpy", parallel=True)
def pdf(x, loc, scale):
    result = np.empty_like(x)
    for i in nb.prange(len(x)):
        z = standardized(x[i], loc, scale)
        result[i] = np.exp(-0.5 * z * z) / (np.sqrt(2 * np.pi) * scale)
    return result


@nb.vectorize(["float32(float32)", "float64(float64)"])
def cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def width(x):
    raise NotImplementedError


@register_jitable
def span(x):
    return np.max(x) - np.min(x)


@overload(width)
def _width(x):
    if isinstance(x, nb.types.Array):
        return lambda x: span(x)
    if isinstance(x, nb.types.Number):
        return lambda x: 0.0
    return None


@nb.njit
def widths(x):
    return width(x), width(x[0])


def test_densities():
    x = np.linspace(-3.0, 3.0, 101)
    z = (x - 0.5) / 2.0
    assert np.allclose(pdf(x, 0.5, 2.0), np.exp(-0.5 * z * z) / (np.sqrt(2 * np.pi) * 2.0))
    assert cdf(np.float32([0.0])).dtype == np.float32 and cdf(0.0) == 0.5


def test_what_an_argument_is():
    assert widths(np.array([1.0, 4.0])) == (3.0, 0.0)


def test_an_error_of_types_is_caught():
    try:
        nb.njit(lambda x: width("text"))(1)
    except nb.core.errors.TypingError as error:
        assert isinstance(error, nb.core.errors.NumbaError)
    else:
        raise AssertionError
