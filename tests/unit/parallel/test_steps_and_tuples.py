"""Steps that are known only when the loop runs, and tuples that iterations have in common."""

from __future__ import annotations

import numpy as np
import pytest
from thread_counts import number_of_threads

import cutaway
from cutaway import prange

pytestmark = pytest.mark.sampled(test=2, others=12)

END = 2**63 - 1


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [
        *[(0, 30_000, 1), (0, 30_000, 7), (29_999, -1, -1), (29_999, 3, -4), (5, 5, 3), (5, 9, -2)],
        *[(-20_000, 20_000, 3), (END - 50_000, END, 9), (-END, -END + 40_000, 13)],
        (-END + 40_000, -END - 1, -11),
    ],
)
def test_a_step_may_be_any_number(start, stop, step, threads):
    compiled = cutaway.jit(sums_of_steps, parallel=True)
    with number_of_threads(threads):
        assert compiled(start, stop, step) == sums_of_steps(start, stop, step)


def sums_of_steps(start, stop, step):
    odd, last, count = 0, -1, 0
    for i in prange(start, stop, step):
        odd ^= i
        count += 1
        last = i
    return odd, last, count


def constant_steps(n):
    count, last = 0, 0
    for i in prange(9223372036854700000, 9223372036854775807, 1000):
        count += 1
        last = i
    for i in prange(-9223372036854700000, -9223372036854775807, -1000):
        count += n
        last ^= i
    return count, last


def test_the_end_of_a_part_may_be_beyond_all_integers():
    with number_of_threads(4):
        assert cutaway.jit(constant_steps, parallel=True)(2) == constant_steps(2)


def test_a_step_of_zero_raises():
    compiled = cutaway.jit(sums_of_steps, parallel=True)
    assert compiled(0, 3, 1) == (3, 2, 3)
    with pytest.raises(ValueError, match="arg 3 must not be zero"):
        compiled(0, 3, 0)


def test_each_level_takes_the_same_steps():
    record = cutaway.trace(cutaway.jit(sums_of_steps, parallel=True), 3, 60, 4)
    assert "parfor" in record.at("parfor").text
    assert record.witness(3, 60, 4).ok
    assert record.witness(60, 3, -4).ok


def pair(a):
    s = (0.0, 1.0)
    for i in prange(len(a)):
        s = (s[0] + a[i], s[1] * (1 + a[i] * 1e-5))
    return s


def under_a_condition(a):
    s = (0, 0.5, 7)
    for i in prange(len(a)):
        if a[i] > 0.5:
            s = (s[0] + 1, min(s[1], a[i] / 3), s[2])
        for _ in range(i % 3):
            s = (s[0], s[1], s[2] ^ i)
    return s, s[1]


def two_at_once(a):
    s, t = 0.0, 1
    for i in prange(len(a)):
        s, t = s + a[i], t + i
    return s, t


def place_of_the_least(a):
    best = (2.0, -1)
    for i in prange(len(a)):
        if a[i] < best[0]:
            best = (a[i], i)
    return best


def tuple_after_nothing(a):
    s = (1, 2)
    for i in prange(len(a) - len(a)):
        s = (s[0] + i, s[1])
    return s


def one_item_alone(a):
    s = (0, -0.0)
    for i in prange(len(a)):
        if a[i] > 0.5:
            s = (s[0] + 1, s[1])
    return s


TUPLES = [
    one_item_alone,
    pair,
    under_a_condition,
    two_at_once,
    place_of_the_least,
    tuple_after_nothing,
]


@pytest.mark.parametrize("program", TUPLES, ids=lambda one: one.__name__)
def test_the_items_of_a_tuple_are_variables_of_their_own(program):
    a = np.random.default_rng(3).random(20_000)
    compiled = cutaway.jit(program, parallel=True)
    wanted = program(a)
    for threads in (1, 2, 4):
        with number_of_threads(threads):
            found = compiled(a)
            assert np.allclose(flat(found), flat(wanted), rtol=1e-12)
            assert found == compiled(a)


@pytest.mark.parametrize("program", TUPLES, ids=lambda one: one.__name__)
def test_each_level_has_the_same_items(program):
    a = np.random.default_rng(3).random(40)
    record = cutaway.trace(cutaway.jit(program, parallel=True), a)
    assert "parfor" in record.at("parfor").text
    assert not record.at("parfor").verify()
    assert record.witness(a).ok


def flat(values):
    return [
        one for value in values for one in (flat(value) if isinstance(value, tuple) else [value])
    ]
