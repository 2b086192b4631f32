"""Functions of single numbers have NumPy's bits, one at a time and in loops that become vectors."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import cutaway
import warm
from cutaway import config
from cutaway.targets.cpu import engine

UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh"
    " arccosh arctanh cbrt"
).split()
BINARY = "arctan2 hypot power float_power logaddexp logaddexp2".split()
COMPLEX = "exp log sin cos sqrt".split()


def numbers(dtype, seed):
    """Numbers of all sizes, and special ones."""
    rng = np.random.default_rng(seed)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, np.inf, -np.inf, np.nan, 1e-40, 90.0, 750.0]
    special += [-746.0, 1e30, 1e22, 5e-324]
    plain = rng.uniform(-1, 1, 300)
    wide = rng.normal(size=200) * 2.0 ** rng.integers(-20, 20, 200)
    found = np.concatenate([plain, special, wide])
    rng.shuffle(found)
    with np.errstate(all="ignore"):
        return found.astype(dtype)


def one_by_one(function, *arrays):
    """What NumPy computes of single numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([function(*args) for args in zip(*arrays, strict=True)])


def looping(f, count):
    """Loops that call a function: as it is, under a condition, and with what came before."""

    def one(x, out):
        for i in range(len(x)):
            out[i] = f(x[i])

    def some(x, out):
        for i in range(len(x)):
            if i % 3:
                out[i] = f(x[i])

    def carried(x, out):
        last = x[0]
        for i in range(len(x)):
            last = f(last if i % 3 == 2 else x[i])
            out[i] = last

    def pairs(x, y, out):
        for i in range(len(x)):
            out[i] = f(x[i], y[i])

    def of_number(x, y, out):
        exponent = y[0]
        for i in range(len(x)):
            out[i] = f(x[i], exponent)

    return (one, some, carried) if count == 1 else (pairs, of_number)


def same_bits(found, expected):
    """NaNs count as equal: their signs are of no function."""
    numbers = ~(np.isnan(found) & np.isnan(expected))
    return found[numbers].tobytes() == expected[numbers].tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name, dtype):
    function = getattr(np, name)
    x = numbers(dtype, len(name))
    for loop in looping(function, 1):
        expected, out = np.zeros_like(x), np.zeros_like(x)
        with np.errstate(all="ignore"):
            loop(x, expected)
        cutaway.jit(loop)(x, out)
        assert same_bits(out, expected), loop.__name__


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(name, dtype):
    function = getattr(np, name)
    x, y = numbers(dtype, 1), numbers(dtype, 2)
    pairs, of_number = looping(function, 2)
    result = one_by_one(function, x[:1], y[:1]).dtype
    out = np.zeros(len(x), result)
    cutaway.jit(pairs)(x, y, out)
    assert same_bits(out, one_by_one(function, x, y))
    compiled = cutaway.jit(of_number)
    for exponent in (2.0, 0.5, -1.0, 0.75, 0.0, 1.0, 3.0):
        same = np.full_like(y, exponent)
        compiled(x, same, out)
        assert same_bits(out, one_by_one(function, x, same)), exponent


@pytest.mark.parametrize("name", COMPLEX)
def test_functions_of_a_complex_number(name):
    function = getattr(np, name)
    x = numbers(np.float64, 3) + 1j * numbers(np.float64, 4)
    expected = one_by_one(function, x)
    out = np.zeros_like(x)
    cutaway.jit(looping(function, 1)[0])(x, out)
    assert same_bits(out.real.copy(), expected.real.copy())
    assert same_bits(out.imag.copy(), expected.imag.copy())


def test_the_loop_becomes_vectors_where_numpy_has_them():
    program = looping(np.exp, 1)[0]
    compiled = cutaway.trace(program, np.ones(64), np.ones(64))
    has_vectors = "+avx512f" in engine.host()[1].features and not config.value("CPU")
    assert ("@numpy.numbers8.exp.d.d(<8 x double>" in str(compiled.at("llvm_opt"))) == has_vectors


def test_without_numpys_loops_the_c_library_is_called():
    program = """
import math, numpy as np, cutaway
@cutaway.jit
def f(x):
    return np.exp(x) + np.tan(x)
assert all(f(x) == math.exp(x) + math.tan(x) for x in np.linspace(-2, 2, 500))
"""
    environment = {"CUTAWAY_NUMPY_LOOPS": "0"}
    warm.run([sys.executable, "-c", program], env=environment, check=True)
