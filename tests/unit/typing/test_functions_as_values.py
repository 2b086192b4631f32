"""Compiled functions as values: chosen, in tuples, passed on and returned."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from corpus.programs.compare import check_levels
from cutaway.errors import CompileError, SignatureError, TypingError, UnsupportedError
from cutaway.extending import register_jitable
from cutaway.ir.rewriting import RewriteRecord
from cutaway.stages.rules import described
from cutaway.typing import types
from cutaway.typing.types.conversions import Conversion, conversion, unify

pytestmark = pytest.mark.sampled(fast=8)


@cutaway.jit
def twice(x):
    return x + x


@cutaway.jit
def square(x):
    return x * x


@cutaway.jit
def half(x):
    return x / 2


@cutaway.jit
def raises(x):
    if x > 2:
        raise ValueError("too large")
    return x


@cutaway.jit
def tail(a):
    return a[1:]


@cutaway.jit
def thinned(a):
    return a[::2]


@cutaway.jit
def apply(g, x):
    return g(x)


PAIR = (twice, square)


def chosen(c, x):
    g = twice if c else square
    return g(x)


def mixed_results(c, x):
    g = twice if c else half
    return g(x)


def of_three(k, x):
    g = twice
    if k == 1:
        g = square
    if k == 2:
        g = half
    return g(x), g(x + 1)


def indexed(t, k, x):
    return t[k](x)


def of_global(k, x):
    return PAIR[k](x)


def iterated(t, x):
    for g in t:
        x = g(x)
    return x


def passed_on(c, x):
    g = twice if c else square
    return apply(g, x)


def arrays(c, a):
    g = tail if c else thinned
    b = g(a)
    b = g(b)
    return b


def raising(c, x):
    g = raises if c else twice
    return g(x)


def by_keyword(c, v):
    g = twice if c else square
    return g(x=v)


def in_a_loop(n):
    g = twice
    s = 1
    for k in range(n):
        s = g(s) % 1000
        g = square if k % 2 else twice
    return s


@register_jitable
def applied(g, x):
    return g(x)


def read_two_levels_in(x):
    k = x + 1

    def middle(y):
        def inner(z):
            return z + k

        return inner(y)

    return applied(middle, x)


def passed_on_two_levels_in(x):
    k = x + 1

    def middle(y):
        def inner(z):
            return z + k

        return applied(inner, y) + k

    return applied(middle, x)


def closing_over(k):
    def function(x):
        def middle(y):
            def inner(z):
                return applied(lambda w: w * z + k, z)

            return inner(y) + k

        return applied(middle, x)

    return function


def assigns_two_levels_in(x):
    k = x + 1

    def middle(y):
        def inner(z):
            nonlocal k
            k = 5
            return z + k

        return inner(y)

    return applied(middle, x) + k


CASES = [
    (read_two_levels_in, (3,)),
    (passed_on_two_levels_in, (3,)),
    (closing_over(4), (3,)),
    (closing_over(1.5), (3,)),
    *((chosen, (c, x)) for c in (True, False) for x in (3, 2.5)),
    *((mixed_results, (c, 3)) for c in (False,)),
    *((of_three, (k, 3.0)) for k in range(3)),
    *((indexed, (PAIR, k, 3)) for k in (0, 1, -1, 2)),
    *((of_global, (k, 3)) for k in (0, 1, 5)),
    (iterated, (PAIR, 3)),
    (iterated, ((twice, half, square), 3.0)),
    *((passed_on, (c, 3)) for c in (True, False)),
    *((arrays, (c, np.arange(9.0))) for c in (True, False)),
    *((raising, (c, x)) for c in (True, False) for x in (1, 3)),
    *((by_keyword, (c, 3)) for c in (True, False)),
    (in_a_loop, (6,)),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_it_gives_what_python_gives_at_every_level(function, args):
    check_levels(function, args, "typed")


def test_what_is_carried_along_is_read_by_a_rule_of_the_table():
    c = cutaway.jit(closing_over(4)).trace(3, level="rewrite")
    facts = [fact for record in c.passes for fact in record.rewrites]
    rules = {fact.rule for fact in facts if isinstance(fact, RewriteRecord)}
    assert "read_captured" in rules and all(described(rule).equation for rule in rules)


def test_a_variable_two_levels_out_is_not_assigned_to():
    with pytest.raises(UnsupportedError, match="assigning to a variable of the enclosing"):
        cutaway.jit(assigns_two_levels_in)(3)


def test_results_of_two_types_are_unified():
    f = cutaway.jit(mixed_results)
    assert f(True, 3) == 6.0 and type(f(True, 3)) is float


def test_a_function_is_returned():
    @cutaway.jit
    def pick(c):
        return twice if c else square

    assert pick(True) is twice
    assert pick(False) is square

    @cutaway.jit
    def call(c, x):
        return pick(c)(x)

    assert [call(True, 3), call(False, 3)] == [6, 9]


def test_memory_of_what_is_returned_is_kept_and_freed():
    f = cutaway.jit(arrays)
    for _ in range(100):
        assert f(True, np.arange(9.0)).tolist() == list(range(2, 9))


def test_results_without_a_common_type_are_refused():
    @cutaway.jit
    def pair(x):
        return x, x

    @cutaway.jit
    def f(c, x):
        g = pair if c else twice
        return g(x)

    with pytest.raises(TypingError, match="which return different types: .* and"):
        f(True, 1)


def test_a_function_that_does_not_take_the_arguments_is_refused():
    @cutaway.jit
    def two(x, y):
        return x + y

    @cutaway.jit
    def f(c, x):
        g = two if c else twice
        return g(x)

    with pytest.raises(CompileError, match="two"):
        f(True, 1)


def test_the_union_of_functions_climbs():
    one, other, third = map(cutaway.typeof, (twice, square, half))
    pair = unify(one, other)
    assert pair is unify(other, one) is unify(pair, one)
    assert unify(unify(one, other), third) is unify(one, unify(third, other))
    assert conversion(one, pair) is conversion(pair, unify(pair, third)) is Conversion.PROMOTION
    assert conversion(third, pair) is conversion(pair, one) is Conversion.NONE
    assert isinstance(pair, types.Functions)


def test_a_type_of_functions_by_signature_is_refused():
    with pytest.raises(SignatureError, match="cannot be written"):
        cutaway.jit("float64(FunctionType(float64(float64)), float64)")(apply.py_func)
