"""`literally` in what extensions register: the typer is asked again with the value."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import literally, types
from cutaway.errors import TypingError
from cutaway.extending import overload, overload_method

MIXED = (1, 2.5, 3j)


def powered(x, n):
    raise NotImplementedError


@overload(powered)
def typed_powered(x, n):
    if not isinstance(n, types.Literal):
        return lambda x, n: literally(n)
    value = n.literal_value
    if value == 2:
        return lambda x, n: x * x
    return lambda x, n: (x, value)


def item(n, t=None):
    raise NotImplementedError


@overload(item)
def typed_item(n, t=None):
    return lambda n, t=None: MIXED[literally(n)]


def both(x, n):
    raise NotImplementedError


@overload(both)
def typed_both(x, n):
    return lambda x, n: (powered(x, n), item(n))


def test_the_typer_is_asked_again_with_the_value_of_a_parameter():
    @cutaway.jit
    def f(x, n):
        return powered(x, n)

    assert [f(3, 2), f(3, 3), f(2.5, 2)] == [9, (3, 3), 6.25]
    assert f.trace(3, 2).at("llvm").run(3, 2) == 9


def test_the_typer_is_asked_again_with_a_constant():
    @cutaway.jit
    def f(x):
        return powered(x, 2), powered(x, n=3), powered(n=2, x=x)

    assert f(3) == (9, (3, 3), 9)


def test_a_constant_goes_into_the_implementation():
    @cutaway.jit
    def f():
        return item(0), item(1), item(n=2), item(1, t=2)

    assert f() == (1, 2.5, 3j, 2.5)


def test_a_value_goes_through_an_overload_that_calls_others():
    @cutaway.jit
    def f(x, n):
        return both(x, n)

    @cutaway.jit
    def g(x):
        return both(x, 2)

    assert f(3, 2) == g(3) == (9, 3j)


def test_a_computed_value_is_refused_where_it_is_passed():
    @cutaway.jit
    def f(x, n):
        return powered(x, n + 1)

    with pytest.raises(TypingError, match="computed") as caught:
        f(3, 1)
    assert "powered(x, n + 1)" in str(caught.value)


def test_methods_take_values_too():
    @overload_method(types.Array, "mixed_item")
    def mixed_item(a, n):
        return lambda a, n: MIXED[literally(n)]

    @cutaway.jit
    def f(a, n):
        return a.mixed_item(n), a.mixed_item(n=0)

    assert [f(np.zeros(2), n) for n in (0, 1)] == [(1, 1), (2.5, 1)]

    @cutaway.jit
    def g(a):
        return a.mixed_item(a.size)

    with pytest.raises(TypingError, match="computed"):
        g(np.zeros(2))


def test_the_owner_of_a_method_is_no_value():
    @overload_method(types.Array, "own_value")
    def own_value(a):
        return lambda a: literally(a)

    @cutaway.jit
    def f(a):
        return a.own_value()

    with pytest.raises(TypingError, match="literally"):
        f(np.zeros(2))


def test_an_inner_function_takes_values():
    @cutaway.jit
    def f(n):
        def pick(k):
            return MIXED[literally(k)]

        return pick(n), pick(1)

    assert [f(0), f(2)] == [(1, 2.5), (3j, 2.5)]


def test_an_inner_function_that_is_passed_on_needs_a_value_it_is_called_with():
    @cutaway.jit
    def apply(g, x):
        return g(x)

    @cutaway.jit
    def f(n, y):
        def pick(k):
            return MIXED[literally(k)] + y

        return apply(pick, n)

    assert [f(0, 1), f(1, 1)] == [2, 3.5]


def test_a_captured_value_is_refused():
    @cutaway.jit
    def apply(g, x):
        return g(x)

    @cutaway.jit
    def f(n):
        m = n + 1

        def pick(k):
            return MIXED[literally(m)] + k

        return apply(pick, 1)

    with pytest.raises(TypingError, match="literally"):
        f(0)
