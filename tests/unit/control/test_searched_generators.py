"""`x in generator`, and `x not in generator`: the values up to the first that is equal."""

from __future__ import annotations

import pytest

from cutaway import njit
from cutaway.errors import UnsupportedError
from cutaway.stages.untyped import inlining


@njit
def doubled(n):
    for i in range(n):
        yield i * 2


def compiled(n):
    return 4 in doubled(n), 5 in doubled(n), 4 not in doubled(n), 5 not in doubled(n)


def expression(n):
    return 4 in (i * i for i in range(n)), 4 not in (i * i for i in range(n))


def of_pairs(n):
    return (2, 2.0) in zip(range(n), range(n)), (1, 2) not in enumerate(range(n))


def of_text(n):
    return "b" in (word for word in ("a", "b")), "c" in (word for word in ("a", "b"))


def goes_on_behind_it(n):
    values = doubled(n)
    there = 4 in values
    return there, sum(values)


def raises_on_the_way(n):
    return 1 in (6 // (i - 3) for i in range(n))


@pytest.mark.parametrize("n", [0, 2, 3, 6])
@pytest.mark.parametrize(
    "function", [compiled, expression, of_pairs, of_text, goes_on_behind_it, raises_on_the_way]
)
def test_a_generator_is_searched_as_python_does(function, n):
    def outcome(f):
        try:
            return f(n)
        except ZeroDivisionError as error:
            return type(error)

    assert outcome(njit(function)) == outcome(function)


def test_a_function_that_is_too_large_names_what_it_calls(monkeypatch):
    monkeypatch.setattr(inlining, "MOST_BLOCKS", 0)

    @njit(inline="always")
    def small(x):
        if x > 1:
            return 2
        return x

    @njit
    def caller(x):
        return small(x) + small(x + 1)

    with pytest.raises(UnsupportedError, match="the body of small takes the place") as raised:
        caller(1)
    assert "inner function" not in raised.value.message
    assert raised.value.hint == "leave out its option `inline`"
