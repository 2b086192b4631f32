"""One of several functions: of the library, inner ones, classes, compiled ones, and None."""

from __future__ import annotations

import math
import operator
import sys

import numpy as np
import pytest

import cutaway
from corpus.programs.compare import check_levels
from cutaway.errors import TypingError
from cutaway.typing import types
from cutaway.typing.types.conversions import unify

pytestmark = pytest.mark.sampled(fast=8)


@cutaway.jit
def twice(x):
    return x + x


@cutaway.jit
def apply(g, x):
    return g(x)


def of_library(c, x):
    g = math.sin if c else math.cos
    return g(x)


def of_library_and_compiled(c, x):
    g = math.sin if c else twice
    return g(x)


def smallest_or_largest(c, x):
    g = min if c else max
    return g(x, 2.0) + g(x, 1.5, 3.0)


def of_classes(c, x):
    g = float if c else abs
    return g(x)


def indexed(k, x):
    return (math.sin, math.cos, math.tan)[k](x)


def iterated(x):
    s = x
    for g in (math.sin, math.cos, twice):
        s += g(x)
    return s


def of_operators(c, x):
    g = operator.add if c else operator.mul
    return g(x, 3.0)


def inner_ones(c, x):
    g = (lambda v: v + 1) if c else (lambda v: v * 2)
    return g(x)


def inner_ones_that_carry(c, x):
    y = x * 3
    z = x + 0.5
    g = (lambda v: v + y) if c else (lambda v: v * z)
    return g(x) + g(2.0)


def inner_and_compiled(c, x):
    def inner(v, w=4):
        return v - x * w

    g = twice
    if c:
        g = inner
    return g(2.0)


def passed_on(c, x):
    y = x + 1
    g = (lambda v: v + y) if c else math.sqrt
    return apply(g, x)


def maybe(c, x):
    g = None
    if c:
        g = twice
    if g is not None:
        return g(x)
    return x


def maybe_one_of_two(k, x):
    g = None
    if k == 1:
        g = twice
    if k == 2:
        g = math.sqrt
    if g is None:
        return x
    return g(x)


def unchecked(c, x):
    g = None
    if c:
        g = math.sqrt
    return g(x)


def first_or_rest(c, a):
    n = 1

    def head(b):
        return b[:n]

    g = head if c else (lambda b: b[a.size - 1 :])
    b = g(a)
    return b


def slices(c, a):
    g = operator.getitem if c else (lambda b, s: b.copy())
    b = g(a, slice(1, 3))
    return g(b, slice(0, 1))


def in_a_loop(n):
    g = twice
    s = 1.5
    for k in range(n):
        s = g(s) % 100.0
        g = math.sqrt if k % 2 else (lambda v: v + n)
    return s


CASES = [
    *(
        (function, (c, x))
        for function in (
            of_library,
            of_library_and_compiled,
            smallest_or_largest,
            of_classes,
            of_operators,
            inner_ones,
            inner_ones_that_carry,
            inner_and_compiled,
            maybe,
            unchecked,
        )
        for c in (True, False)
        for x in (0.5, 2.0)
    ),
    *((indexed, (k, 0.5)) for k in (0, 1, 2, -1, 3)),
    *((maybe_one_of_two, (k, 4.0)) for k in range(3)),
    *((function, (c, np.arange(4.0))) for function in (first_or_rest, slices) for c in (True, 0)),
    (iterated, (0.5,)),
    (in_a_loop, (7,)),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_it_gives_what_python_gives_at_every_level(function, args):
    check_levels(function, args, "typed")


@pytest.mark.parametrize("function", [first_or_rest, slices])
def test_what_inner_functions_carry_is_kept_and_freed(function):
    f = cutaway.jit(function)
    a = np.arange(4.0)
    f(True, a), f(False, a)
    before = sys.getrefcount(a)
    for k in range(200):
        kept = f(bool(k % 2), a)
    del kept
    assert sys.getrefcount(a) == before


def test_a_choice_is_passed_to_a_compiled_function():
    f = cutaway.jit(passed_on)
    assert [f(True, 2.0), f(False, 4.0)] == [5.0, 2.0]


def test_a_choice_of_the_library_is_returned():
    @cutaway.jit
    def pick(c):
        return math.sin if c else twice

    assert pick(True) is math.sin
    assert pick(False) is twice


def test_inner_functions_do_not_leave():
    @cutaway.jit
    def pick(c):
        return (lambda x: x) if c else (lambda x: -x)

    with pytest.raises(cutaway.errors.UnsupportedError, match="cannot be returned"):
        pick(True)


def test_a_function_around_the_one_before_has_no_type():
    @cutaway.jit
    def f(n, x):
        g = twice
        for _ in range(n):
            g = lambda v, before=g: before(v) + 1  # noqa: E731
        return g(x)

    with pytest.raises(TypingError, match="common type"):
        f(3, 1.0)


def test_exceptions_are_not_chosen_among():
    first, second = (types.constant_type(types.Class, cls) for cls in (ValueError, KeyError))
    assert unify(first, second) is None


def test_the_calls_of_a_choice_are_explained():
    c = cutaway.trace(of_library_and_compiled, True, 0.5)
    assert "math.sin" in str(c.why("g")) or "one of" in str(c.why("g"))
    assert "math.sin" in str(c.why_call())
