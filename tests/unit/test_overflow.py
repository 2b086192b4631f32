"""overflow="raise": what does not fit in 64 bits raises, everything else is as in Python."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutaway

pytestmark = pytest.mark.sampled(others=3, fast=5)

LOW, HIGH = -(2**63), 2**63 - 1
EDGES = (0, 1, -1, 2, -2, 3, 7, 62, 63, 64, 2**31, 2**32, 3037000499, 3037000500, HIGH, LOW)
integers = st.sampled_from(EDGES) | st.integers(LOW, HIGH) | st.integers(-70, 70)

BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "square": lambda a, b: a**2 + b * 0,
    "fifth": lambda a, b: a**5,
    "sum": lambda a, b: sum((a, b, a)),
}
UNARY = {"-": lambda a: -a, "abs": lambda a: abs(a), "inverted": lambda a: ~a}
COMPILED = {
    function: cutaway.jit(overflow="raise")(function)
    for function in (*BINARY.values(), *UNARY.values())
}


def expected(function, *args):
    """Python's result or exception; OverflowError where a part of it does not fit."""
    if function is BINARY["**"] and (args[1] < 0 or (abs(args[0]) > 1 and args[1] > 64)):
        return ValueError if args[1] < 0 else OverflowError
    if function is BINARY["<<"] and args[0] and args[1] > 64:
        return OverflowError
    if function is BINARY["sum"] and not LOW <= args[0] + args[1] <= HIGH:
        return OverflowError
    try:
        result = function(*args)
    except (ZeroDivisionError, ValueError) as error:
        return type(error)
    if function is BINARY["square"] and not LOW <= args[0] ** 2 <= HIGH:
        return OverflowError
    return result if LOW <= result <= HIGH else OverflowError


def found(function, *args):
    try:
        return COMPILED[function](*args)
    except (OverflowError, ZeroDivisionError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=150, deadline=None)
@given(a=integers, b=integers)
def test_two_operands(name, a, b):
    function = BINARY[name]
    assert found(function, a, b) == expected(function, a, b), (a, b)


@pytest.mark.parametrize("name", UNARY)
@settings(max_examples=80, deadline=None)
@given(a=integers)
def test_one_operand(name, a):
    assert found(UNARY[name], a) == expected(UNARY[name], a), a


def test_unsigned():
    @cutaway.jit(overflow="raise")
    def f(a):
        return a[0] + a[1], a[0] * a[1]

    def call(*numbers):
        return f(np.array(numbers, dtype=np.uint64))

    assert call(2**63, 1) == (2**63 + 1, 2**63)
    for numbers in ((2**63, 2**63), (2**64 - 1, 1), (2**33, 2**33)):
        with pytest.raises(OverflowError, match="does not fit in 64 bits"):
            call(*numbers)


def test_the_line_and_words():
    @cutaway.jit(overflow="raise")
    def f(n):
        total = 1
        for k in range(1, n):
            total *= k
        return total

    assert f(21) == 2432902008176640000
    with pytest.raises(OverflowError, match="the result does not fit in 64 bits") as caught:
        f(22)
    assert caught.traceback[-1].lineno + 1 == f.py_func.__code__.co_firstlineno + 4


def test_the_option():
    with pytest.raises(cutaway.errors.OptionError, match="'wrap' or 'raise'"):
        cutaway.jit(overflow="saturate")(operator.add)
