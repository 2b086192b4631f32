"""Integers that are constants of a call: they decide branches of what is called, and nothing
else."""

from __future__ import annotations

from types import FunctionType

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


def compiled(function, **helpers):
    """A function with helpers that are compiled, too."""
    space = {**globals(), **{name: cutaway.jit(one) for name, one in helpers.items()}}
    moved = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    return cutaway.jit(moved), space


def units(dispatcher):
    """The types for which a function is compiled."""
    return [tuple(map(str, one)) for one in dispatcher.half.units]


def test_they_are_passed_on():
    def moved(a, axis):
        there = axis
        return helper(a, axis=there)

    helper_, space = compiled(moved, helper=along)

    def f(a):
        return helper_(a, 0), helper_(a, a.ndim - 1), helper_(a, -2), helper_(axis=5, a=a)

    (first,), one, (second,), none = cutaway.jit(f)(TABLE)
    assert np.array_equal(first, TABLE) and np.array_equal(second, TABLE)
    assert (one, none) == (1, "none")
    known = [f"Known[int]({k})" for k in (0, 1, -2, 5)]
    assert [row[1] for row in units(space["helper"])] == known


def test_what_a_function_computes_does_not_depend_on_them():
    def scaled(x, k):
        if k == 2:
            return x + k
        return x * k

    def f(x):
        return helper(x, 2), helper(x, 3)

    def g(x, k):
        return helper(x, k), helper(x, k + 1)

    for x in (np.int8(100), np.float32(0.1), np.int8([100])):
        fixed = compiled(f, helper=scaled)[0](x)
        for one, other in zip(fixed, compiled(g, helper=scaled)[0](x, 2), strict=True):
            assert np.array_equal(one, other)
            assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize(
    ("edge", "taken"),
    [(2**63 - 1, -(2**63)), (2**63 - 2, 2**63 - 1)],
)
def test_what_is_computed_of_them_wraps_as_it_does_when_it_runs(edge, taken):
    def next_of(k):
        k += 1
        if k == -(2**63):
            return -1
        if k == 2**63 - 1:
            return 1
        return 0

    space = {"helper": cutaway.jit(next_of), "EDGE": edge}
    f = cutaway.jit(FunctionType((lambda: helper(EDGE)).__code__, space))  # noqa: F821
    assert f() == (1 if taken > 0 else -1)
    assert units(space["helper"]) == [(f"Known[int]({edge})",)]


def test_a_function_is_compiled_for_a_few_of_them_and_for_recursion_once():
    def at(a, k):
        return a[0] if k == 0 else a[k]

    def f(a):
        return (
            *(helper(a, 0), helper(a, 1), helper(a, 2), helper(a, 3), helper(a, 4), helper(a, 5)),
            *(helper(a, 6), helper(a, 7), helper(a, 8), helper(a, 9), helper(a, 10)),
        )

    found, space = compiled(f, helper=at)
    assert found(np.arange(11)) == tuple(range(11))
    assert len(units(space["helper"])) == constants.MOST_KNOWN + 1

    def factorial(n):
        if n == 0:
            return 1
        return n * factorial_(n - 1)

    def g():
        return factorial_(5), factorial_(0)

    factorial_ = cutaway.jit(factorial)
    assert cutaway.jit(g)() == (120, 1)
    assert sorted(units(factorial_)) == [("Known[int](0)",), ("Known[int](5)",), ("int64",)]


def test_arguments_from_python_are_not_known():
    def at(a, k):
        return a[0] if k == 0 else a[k] + 1

    f = cutaway.jit(at)
    assert [f(TABLE[0], k) for k in (0, 1, 2)] == [0, 2, 3]
    assert units(f) == [("array(float64, 1d, C)", "int64")]


def test_a_decision_says_that_a_constant_of_the_call_decides():
    def f(a):
        return helper(a, 0)

    record = compiled(f, helper=along)[0].trace(TABLE).record
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
