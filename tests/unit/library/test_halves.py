"""Reductions of float16 give NumPy's bits, and so do numbers that are sought among them."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from corpus.programs.compare import quiet

pytestmark = pytest.mark.sampled(test=8, others=24, fast=0)

NAMES = "sum prod mean min max any all argmin argmax var std".split()
SHAPES = [(1,), (7,), (129,), (9000,), (3, 5), (40, 300), (10, 9000), (30, 20, 50), (5, 1), (0,)]
RANDOM = np.random.default_rng(2)


def arrays(shape):
    """Arrays of a shape, also ones whose products are neither 0 nor infinite, in many layouts."""
    for scale, middle in ((1, 0), (0.05, 1), (100, 0)):
        a = (RANDOM.normal(size=shape) * scale + middle).astype(np.float16)
        yield from (a, np.asfortranarray(a), a[::-1], a[..., ::2])
        if a.ndim > 1:
            yield from (a[:, ::3], a[::2])
    b = a.copy()
    b.flat[:1] = np.nan
    yield b


def outcome(call):
    """A result, numbers as arrays, or the words of an error."""
    with quiet():
        try:
            found = call()
        except ValueError as error:
            return str(error)
    return found


def same(wanted, found):
    if isinstance(wanted, str) or isinstance(found, str):
        return wanted == found
    if isinstance(wanted, np.ndarray) and wanted.dtype != found.dtype:
        return False
    one, other = np.asarray(wanted), np.asarray(found)
    equal = (one == other) & (np.signbit(one.astype("f8")) == np.signbit(other.astype("f8")))
    return one.shape == other.shape and bool((equal | ((one != one) & (other != other))).all())


@pytest.mark.parametrize("name", NAMES)
def test_reductions_have_numpys_bits(name):
    function = getattr(np, name)
    whole, along = cutaway.jit(lambda a: function(a)), cutaway.jit(lambda a, k: function(a, k))
    for shape in SHAPES:
        for a in arrays(shape):
            wanted, found = outcome(lambda: function(a)), outcome(lambda: whole(a))  # noqa: B023
            assert same(wanted, found), (shape, a.strides, wanted, found)
            for k in range(a.ndim):
                wanted = outcome(lambda: function(a, k))  # noqa: B023
                found = outcome(lambda: along(a, k))  # noqa: B023
                assert same(wanted, found), (shape, a.strides, k)


@pytest.mark.parametrize("function", [np.sum, np.prod, np.mean, np.max])
@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (2, 0), (0, 1, 2)])
def test_several_axes_are_rounded_where_numpy_rounds(function, axes):
    f = cutaway.jit(lambda a: function(a, axes))
    for shape in ((2, 3, 4), (7, 150, 9), (3, 0, 2)):
        for a in arrays(shape):
            if not a.flags.forc:
                continue  # in an order of NumPy's own (ledger: reduction-order)
            wanted, found = outcome(lambda: function(a, axes)), outcome(lambda: f(a))  # noqa: B023
            assert same(wanted, found), (shape, a.strides, wanted, found)


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_a_number_is_sought_as_one_of_the_elements(dtype):
    a = np.array([np.inf, 0.1, 3], dtype)
    f = cutaway.jit(lambda x, a: (x in a, x not in a))
    for x in (0.1, 0.2, 1e300, 3, 4, -1e300):
        with np.errstate(all="ignore"):
            assert f(x, a) == (x in a, x not in a), x


@pytest.mark.parametrize("kind", "efdFDi")
def test_a_trace_is_added_up_in_numpys_order(kind):
    f = cutaway.jit(lambda a, k: np.trace(a, k))
    for shape in ((60, 60), (5, 80), (80, 5), (0, 3)):
        a = (RANDOM.normal(size=shape) * 10).astype(kind)
        for k in (0, 1, -2, 70, -70):
            assert f(a, k) == np.trace(a, k), (shape, k)


def test_points_between_narrow_floats_are_found_in_64_bits():
    x = np.array([0.0, -0.741031, 3], np.float16)
    xp = np.array([-3.25, 0.1, 60000], np.float16)
    assert (cutaway.jit(lambda x, xp: np.interp(x, xp, xp))(x, xp) == np.interp(x, xp, xp)).all()
