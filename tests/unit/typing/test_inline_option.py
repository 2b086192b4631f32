"""`inline=`: compiled functions whose bodies are put in the place of their calls."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import cutaway
from corpus.programs.compare import check_levels
from cutaway.errors import OptionError
from cutaway.ir import nodes
from cutaway.ir.traversal import walk

pytestmark = pytest.mark.sampled(fast=6)

HERE = sys.modules[__name__]


@cutaway.jit(inline="always")
def scaled(x, factor=2, *, shift=0):
    y = x * factor
    return y + shift


@cutaway.jit(inline="always")
def clipped(x):
    if x < 0:
        return 0
    if x > 10:
        raise ValueError("too large")
    return x


@cutaway.jit(inline="always")
def both(x):
    return scaled(clipped(x))


@cutaway.jit(inline="always")
def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)


@cutaway.jit(inline="always")
def total(*items):
    s = 0
    for x in items:
        s += x
    return s


def closed_over():
    k = 3

    @cutaway.jit(inline="always")
    def add(x):
        return x + k

    return add


ADD = closed_over()


def plain(x):
    return scaled(x) + scaled(x, 3) + scaled(x, shift=1)


def branching(x):
    s = 0
    for k in range(3):
        s += clipped(x + k)
    return s


def nested(x):
    y = both(x)
    return y + both(x + 1)


def recursive(n):
    return factorial(n)


def starred(a, b):
    return total(a, b, 1), total()


def closure(x):
    return ADD(x)


def of_module(x):
    return HERE.scaled(x, math.pi)


def own_variable(x, y):
    z = scaled(x)
    return y + z


CASES = [
    (plain, (3,)),
    (plain, (2.5,)),
    (branching, (-1,)),
    (branching, (9,)),
    (nested, (4,)),
    (nested, (-3,)),
    (recursive, (6,)),
    (starred, (1, 2)),
    (closure, (4,)),
    (of_module, (2.0,)),
    (own_variable, (1, 2.5)),
]


def calls_in(function, *args):
    """The compiled functions that are still called."""
    c = cutaway.trace(function, *args)
    return "compiled function" in c.at("typed").text or "_dispatch" in c.at("typed").text


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_it_gives_what_python_gives_at_every_level(function, args):
    check_levels(function, args, "ir", "ssa", "typed")


def test_no_call_is_left():
    units = cutaway.trace(plain, 3)
    assert "call" not in units.at("typed").text
    assert "y@scaled" in units.at("ir").text


def test_the_usual_function_is_called():
    @cutaway.jit
    def usual(x):
        return x

    def f(x):
        return usual(x)

    assert "call" in cutaway.trace(f, 3).at("typed").text


def test_a_function_decides_by_the_ir_of_caller_and_callee():
    asked = []

    def decide(call, caller, callee):
        asked.append((type(call), caller.name, callee.name))
        return len(list(walk(callee))) < 20

    @cutaway.jit(inline=decide)
    def small(x):
        return x + 1

    @cutaway.jit(inline=lambda call, caller, callee: False)
    def kept(x):
        return x + 1

    def f(x):
        return small(x) * kept(x)

    assert cutaway.jit(f)(2) == 9
    assert asked == [(nodes.Call, "f", "small")]
    assert cutaway.trace(f, 2).at("typed").text.count("call ") == 1


def test_a_function_with_other_options_is_called():
    @cutaway.jit(inline="always", error_model="numpy")
    def quotient(x, y):
        return x / y

    def f(x, y):
        return quotient(x, y)

    assert cutaway.jit(f)(1.0, 0.0) == np.inf
    assert "call" in cutaway.trace(f, 1.0, 2.0).at("typed").text


def test_a_function_with_declared_variables_or_signatures_is_called():
    @cutaway.jit(inline="always", locals={"y": "int64"})
    def declared(x):
        y = x
        return y

    def f(x):
        return declared(x)

    assert cutaway.jit(f)(2.5) == 2


def test_what_a_signature_says_to_return_is_returned():
    @cutaway.jit("float64(int64)", inline="always")
    def written(n):
        return n

    @cutaway.jit(inline="always")
    def compiled(n):
        return n

    compiled.compile("float64(int64)")
    found = cutaway.jit(lambda n: (written(n), compiled(n)))(3)
    assert found == (3.0, 3.0) and set(map(type, found)) == {float}


def test_arguments_that_do_not_fit_are_told():
    @cutaway.jit
    def f(x):
        return scaled(x, 1, 2)

    with pytest.raises(cutaway.errors.TypingError, match="do not match"):
        f(1)


def test_an_inlined_function_can_be_called_itself():
    assert scaled(3) == 6
    assert scaled(3, shift=2) == 8


@pytest.mark.parametrize("wrong", ["sometimes", True, 3, None, int])
def test_a_wrong_value_is_refused_at_decoration(wrong):
    with pytest.raises(OptionError, match="option inline"):
        cutaway.jit(inline=wrong)(plain)


def test_a_function_that_does_not_answer_is_told():
    @cutaway.jit(inline=lambda call, caller, callee: 3)
    def odd(x):
        return x

    @cutaway.jit
    def f(x):
        return odd(x)

    with pytest.raises(OptionError, match="neither True nor False"):
        f(1)
