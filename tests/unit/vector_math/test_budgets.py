"""Each polynomial is within its budget, and right where a function is none of numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import cutaway
from cutaway.library.polynomials.table import ROWS
from vector_math.exact import distance, exact
from vector_math.places import in_domain, pairs, places

pytestmark = pytest.mark.sampled(test=3, others=9, fast=30)

DTYPES = (np.float64, np.float32)
NAMES = sorted(ROWS)
COUNT = 1500


def compiled(name, **options):
    """The function of NumPy's, with polynomials."""
    function = getattr(np, name)
    options = {"vector_math": True, **options}
    if ROWS[name].arity == 1:
        return cutaway.jit(lambda a: function(a), **options)
    return cutaway.jit(lambda a, b: function(a, b), **options)


def arguments(name, dtype, rng):
    if ROWS[name].arity == 1:
        return (in_domain(name, places(name, dtype, COUNT, rng)),)
    return pairs(name, dtype, COUNT, rng)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_within_its_budget(name, dtype):
    args = arguments(name, dtype, np.random.default_rng([len(name), ord(name[0])]))
    found = compiled(name)(*args)
    assert found.dtype == dtype
    budget = ROWS[name].budgets[dtype is np.float32]
    far = [
        (distance(result, exact(name, given), dtype), *given, result)
        for *given, result in zip(*args, found, strict=True)
    ]
    assert len(far) > COUNT // 2
    assert max(far)[0] <= budget, max(far)


SPECIAL = (
    *(0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 2.5, -2.5),
    *(1e300, -1e300, 1e-300, -1e-300, 5e-324, -5e-324, 2.0**52, 2.0**53, 2.0**53 - 1, -(2.0**53)),
    *(2.0**53 + 2, 4.0, -4.0, 0.25, 1.5, 2.0**52 + 1, -(2.0**52) - 1, 1e4, -1e4, 1e19, -1e19),
    *(2.0**64, -(2.0**64), 1.7976931348623157e308, 0.9999999999999999, 1.0000000000000002),
)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_special_values_are_numpys(name, dtype):
    arity = ROWS[name].arity
    with np.errstate(all="ignore"):
        table = np.array(SPECIAL).astype(dtype)
        args = tuple(np.array(list(itertools.product(table, repeat=arity))).T.copy())
        expected = getattr(np, name)(*args)
        found = compiled(name)(*args)
    for given, one, other in zip(zip(*args, strict=True), expected, found, strict=True):
        assert np.isnan(one) == np.isnan(other), (given, one, other)
        assert np.isinf(one) == np.isinf(other), (given, one, other)
        if not np.isnan(one):
            assert np.signbit(one) == np.signbit(other), (given, one, other)
            assert (one == 0) == (other == 0), (given, one, other)


@pytest.mark.parametrize("name", NAMES)
def test_an_element_is_the_same_wherever_it_stands(name):
    args = arguments(name, np.float64, np.random.default_rng(7))
    args = tuple(arg[:203] for arg in args)
    f = compiled(name)
    whole = f(*args)
    apart = np.concatenate([f(*(arg[k : k + 1].copy() for arg in args)) for k in range(203)])
    strided = f(*(np.repeat(arg, 2)[::2] for arg in args))
    reversed_ = f(*(arg[::-1].copy() for arg in args))[::-1]
    for other in (apart, strided, reversed_):
        assert np.array_equal(whole, other, equal_nan=True)


@pytest.mark.parametrize("name", NAMES)
def test_fastmath_is_no_worse_on_finite_numbers(name):
    args = arguments(name, np.float64, np.random.default_rng(11))
    args = tuple(arg[:400] for arg in args)
    with np.errstate(all="ignore"):
        finite = np.isfinite(getattr(np, name)(*args))
    args = tuple(arg[finite] for arg in args)
    fast = compiled(name, fastmath=True)(*args)
    for *given, result in zip(*args, fast, strict=True):
        assert distance(result, exact(name, given), np.float64) <= ROWS[name].budgets[0], given


def test_every_function_of_the_table_has_vectors():
    a, b = np.linspace(0.1, 0.9, 64), np.linspace(0.2, 0.8, 64)
    for name in NAMES:
        f = compiled(name)
        f(*(a, b)[: ROWS[name].arity])
        text = f.trace(*(a, b)[: ROWS[name].arity]).at("llvm_opt")
        assert " x double>" in str(text), name
