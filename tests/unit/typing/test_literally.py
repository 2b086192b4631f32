"""`literally`: the value of an argument becomes part of its type."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.errors import CutawayError, TypingError

MIXED = (1, 2.5, True)


@cutaway.jit
def item(i):
    return MIXED[cutaway.literally(i)]


@cutaway.jit
def named(kind, x):
    if cutaway.literally(kind) == "square":
        return x * x
    return (x,)


@cutaway.jit
def flagged(x, twice=False):
    if cutaway.literally(twice):
        return x, x
    return x


def test_outside_of_compiled_code_it_gives_its_argument():
    assert cutaway.literally(3) == 3
    assert item.py_func(1) == 2.5


def test_a_value_decides_a_type():
    assert [item(k) for k in (0, 1, 2, -1)] == [1, 2.5, True, True]
    assert types.literal(1) in {argtypes[0] for argtypes in item.signatures}
    assert [type(item(k)) for k in range(3)] == [int, float, bool]


def test_texts_and_bools_decide_types_too():
    assert [named("square", 3), named("other", 3), named("".join(["squ", "are"]), 3.5)] == [
        9,
        (3,),
        12.25,
    ]
    assert [flagged(1), flagged(1, True), flagged(1, twice=False), flagged(2, True)] == [
        1,
        (1, 1),
        1,
        (2, 2),
    ]


def test_calls_alternate_between_values_without_python():
    for _ in range(3):
        assert [item(0), item(1)] == [1, 2.5]
    before = item.stats
    for _ in range(50):
        for k in (0, 1, 2, -1, 0, 1):
            assert item(k) == MIXED[k]
    resolved = [record.hits for record in item.specializations]
    assert item.stats.compilations == before.compilations, resolved
    assert before.calls + 300 == item.stats.calls


def test_many_values_are_told_apart_beyond_the_hot_guards():
    @cutaway.jit
    def f(n, x):
        return cutaway.literally(n) * x

    values = [0, 1, -1, 2**31, -(2**31), 2**40, 2**40 + 1, 2**62, -(2**62), 7]
    for _ in range(3):
        for value in values:
            assert f(value, 1) == value
    assert len(f.signatures) == len(values)
    assert f(True, 1) == 1
    assert len(f.signatures) == len(values) + 1  # True is no 1


@pytest.mark.parametrize("value", [1.5, None, (1, 2), 2**70, np.float32(1)])
def test_a_value_that_no_type_holds_is_refused(value):
    with pytest.raises(CutawayError):
        item(value)


def test_a_constant_needs_no_argument():
    @cutaway.jit
    def f(x):
        return MIXED[cutaway.literally(1 + 1)], MIXED[cutaway.literally(x.ndim)]

    with pytest.raises(TypingError, match="computed"):
        f(np.zeros(3))


def test_it_goes_through_a_call_with_a_constant():
    @cutaway.jit
    def f(x):
        return item(0) + x, item(1), item(2)

    assert f(2) == (3, 2.5, True)


def test_it_is_passed_on_to_the_caller_of_the_caller():
    @cutaway.jit
    def middle(i):
        return item(i)

    @cutaway.jit
    def outer(x, i):
        return x, middle(i=i)

    assert [outer(0, 0), outer(0, 1), outer(0, 0)] == [(0, 1), (0, 2.5), (0, 1)]


def test_two_arguments_one_after_the_other():
    @cutaway.jit
    def f(a, b):
        if cutaway.literally(a):
            return MIXED[cutaway.literally(b)]
        return b

    assert [f(1, 1), f(0, 1), f(1, 0), f(1, 1), f(0, 5), f(0, 6)] == [2.5, 1, 1, 2.5, 5, 6]


def test_a_computed_value_is_refused_where_it_is_passed():
    @cutaway.jit
    def f(n):
        s = 0.0
        for k in range(n):
            s += item(k)
        return s

    with pytest.raises(TypingError, match="computed") as caught:
        f(3)
    assert "item(k)" in str(caught.value)


def test_a_default_that_is_left_out_is_a_constant():
    @cutaway.jit
    def f(x, i=1):
        return MIXED[cutaway.literally(i)]

    assert [f(0), f(0, 2), f(0), f(0, i=0)] == [2.5, True, 2.5, 1]


def test_an_explicit_signature_has_no_value():
    with pytest.raises(TypingError, match="literally"):

        @cutaway.jit("(int64,)")
        def f(i):
            return MIXED[cutaway.literally(i)]


def test_a_closed_function_takes_the_values_that_it_knows():
    @cutaway.jit
    def f(i):
        return MIXED[cutaway.literally(i)]

    f(0), f(1)
    f.disable_compile()
    assert [f(0), f(1)] == [1, 2.5]
    with pytest.raises(TypingError, match="no specialization"):
        f(2)


def test_it_can_be_traced_and_explained():
    @cutaway.jit
    def f(i):
        return MIXED[cutaway.literally(i)]

    assert "2.5" in f.trace(1).at("ssa").text
    f(1)
    assert f.explain_dispatch(1).chosen == (types.literal(1),)


def test_a_forgotten_function_compiles_anew():
    @cutaway.jit
    def f(i):
        return MIXED[cutaway.literally(i)]

    assert f(1) == 2.5
    f.forget()
    assert [f(1), f(0)] == [2.5, 1]


def test_it_can_be_stepped_through():
    s = cutaway.step(item, 1)
    while not s.finished:
        s.next()
    assert s.passes[-1].unit_after.argtypes == (types.literal(1),)
