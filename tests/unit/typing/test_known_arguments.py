"""Integers that are constants of a call: they decide branches of what is called, and nothing
else."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.compiling import constants
from cutaway.frontend.build import build_function
from cutaway.ir.deciding import Deciding

TABLE = np.arange(6.0).reshape(2, 3)


def along(a, axis=None):
    if axis is None:
        return a.sum()
    if axis < 0:
        axis += a.ndim
    if axis == 0:
        return (a,)
    return axis if axis in (1, 2) else "none"


def units(dispatcher):
    """The types for which a function is compiled."""
    return [tuple(map(str, one)) for one in dispatcher.half.units]


def test_they_are_passed_on():
    helper = cutaway.jit(along)

    @cutaway.jit
    def moved(a, axis):
        there = axis
        return helper(a, axis=there)

    def f(a):
        return moved(a, 0), moved(a, a.ndim - 1), moved(a, -2), moved(axis=5, a=a)

    (first,), one, (second,), none = cutaway.jit(f)(TABLE)
    assert np.array_equal(first, TABLE) and np.array_equal(second, TABLE)
    assert (one, none) == (1, "none")
    known = [f"Known[int]({k})" for k in (0, 1, -2, 5)]
    assert [row[1] for row in units(helper)] == known


def test_what_a_function_computes_does_not_depend_on_them():
    @cutaway.jit
    def scaled(x, k):
        if k == 2:
            return x + k
        return x * k

    @cutaway.jit
    def f(x):
        return scaled(x, 2), scaled(x, 3)

    @cutaway.jit
    def g(x, k):
        return scaled(x, k), scaled(x, k + 1)

    for x in (np.int8(100), np.float32(0.1), np.int8([100])):
        for one, other in zip(f(x), g(x, 2), strict=True):
            assert np.array_equal(one, other)
            assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize(
    ("edge", "taken"),
    [(2**63 - 1, -(2**63)), (2**63 - 2, 2**63 - 1)],
)
def test_what_is_computed_of_them_wraps_as_it_does_when_it_runs(edge, taken):
    @cutaway.jit
    def next_of(k):
        k += 1
        if k == -(2**63):
            return -1
        if k == 2**63 - 1:
            return 1
        return 0

    assert cutaway.jit(lambda: next_of(edge))() == (1 if taken > 0 else -1)
    assert units(next_of) == [(f"Known[int]({edge})",)]


def test_a_function_is_compiled_for_a_few_of_them_and_for_recursion_once():
    @cutaway.jit
    def at(a, k):
        return a[0] if k == 0 else a[k]

    @cutaway.jit
    def f(a):
        few = at(a, 0), at(a, 1), at(a, 2), at(a, 3), at(a, 4), at(a, 5)
        return few, at(a, 6), at(a, 7), at(a, 8), at(a, 9), at(a, 10)

    assert f(np.arange(11)) == (tuple(range(6)), *range(6, 11))
    assert len(units(at)) == constants.MOST_KNOWN + 1

    @cutaway.jit
    def factorial(n):
        if n == 0:
            return 1
        return n * factorial(n - 1)

    assert cutaway.jit(lambda: (factorial(5), factorial(0)))() == (120, 1)
    assert sorted(units(factorial)) == [("Known[int](0)",), ("Known[int](5)",), ("int64",)]


def test_arguments_from_python_are_not_known():
    def at(a, k):
        return a[0] if k == 0 else a[k] + 1

    f = cutaway.jit(at)
    assert [f(TABLE[0], k) for k in (0, 1, 2)] == [0, 2, 3]
    assert units(f) == [("array(float64, 1d, C)", "int64")]


def test_a_decision_says_that_a_constant_of_the_call_decides():
    helper = cutaway.jit(along)
    record = cutaway.jit(lambda a: helper(a, 0)).trace(TABLE).record
    inner = next(one for one in record.functions if one.name == "along")
    said = [one.reason for one in inner.decisions if one.by == "decide_by_types"]
    assert said[0] == "it is a constant of the call: branches are decided for 0 alone"
    assert "it is always true here, since `axis` is 0, so" in said[-1]


@pytest.mark.parametrize(
    ("source", "indices"),
    [
        ("if b == 0: return a", {1}),
        ("if b < 2: return a", set()),
        ("if b in (1, 2) and c is not None: return a", {1, 2}),
        ("if b < 0: b += a.ndim\n    if b == 0: return a", {1}),
        ("b %= a.ndim\n    if b == 0: return a", {1}),
        ("if b % 2 == 0: return a", set()),
        ("if b == a.ndim - 1: return a", {1}),
        ("if b == a.size: return a", set()),
        ("while b != 0: b -= 1", set()),
        ("for b in range(3):\n        if b == 0: return a", set()),
        ("b = a.sum()\n    if b == 0: return a", set()),
    ],
)
def test_parameters_that_decide(source, indices):
    space = {}
    exec(f"def f(a, b, c):\n    {source}\n    return c", space)
    assert Deciding(build_function(space["f"])).indices == indices


def test_their_type_is_shown():
    known = constants.KnownInteger(3)
    assert str(known) == "Known[int](3)" and types.unliteral(known) is types.int64
    assert constants.KnownInteger(3) is known and known is not types.literal(3)
