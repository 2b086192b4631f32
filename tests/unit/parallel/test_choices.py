"""Variables that iterations of a parallel loop change under a condition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from thread_counts import number_of_threads

import cutaway
from cutaway import prange
from cutaway.errors import UnsupportedError
from cutaway.ir.combining import choice_of, ordered_places

pytestmark = pytest.mark.sampled(test=2, others=12)


def least(a):
    s = 0.75
    for i in prange(len(a)):
        if a[i] < s:
            s = a[i]
    return s


def least_of_the_rest(a):
    s = 3
    for i in prange(len(a)):
        x = int(a[i] * 10)
        if s >= x:
            s = x
    return s


def argmin(a):
    best, where = math.inf, -1
    for i in prange(len(a)):
        if a[i] < best:
            best = a[i]
            where = i
    return best, where


def last_argmax(a):
    best, where, double = -math.inf, -1, 0.0
    for i in prange(len(a)):
        x = a[i] * 2
        if best <= x:
            best = x
            where = i
            double = 2 * x + 1
    return best, where, double


def argmin_in_a_table(a):
    best, where = math.inf, (0, 0)
    for i in prange(len(a) // 10):
        for j in range(10):
            if i == 3:
                continue
            if a[10 * i + j] < best and j != 5:
                best = a[10 * i + j]
                where = (i, j)
    return best, where


def with_another_way_out(a):
    best, where = -9, 0
    for i in prange(len(a)):
        x = int(a[i] * 3) - 1
        if not (x > best):
            continue
        best = x
        where = i if x == 1 else -i
    return best, where


def asked_twice(a):
    best, where = -1, -1
    for i in prange(len(a)):
        x = int(a[i] * 100)
        if x >= best and x % 7 != 0:
            best = x
            where = i
        y = int(a[i] * 50)
        if y >= best:
            best = y
            where = -i
    return best, where


def conditional_last(a):
    last, x = 5, 0.5
    for i in prange(len(a)):
        before = last
        if a[i] > 0.5:
            last = i
            x = a[i]
        if a[i] > 0.97:
            last = before
    return last, x


def last_of_an_inner_loop(a):
    k = -1
    for i in prange(len(a)):
        for j in range(i % 5):
            k = i + j
            if j == 2:
                break
    return k


def all_kinds(a):
    s, low, where, last = 0, 2.0, -1, -1
    for i in prange(len(a)):
        s += i
        if a[i] < low:
            low = a[i]
            where = i
        if a[i] == 0.25:
            last = i
    return s, low, where, last


PROGRAMS = [
    *(least, least_of_the_rest, argmin, last_argmax, argmin_in_a_table, with_another_way_out),
    *(asked_twice, conditional_last, last_of_an_inner_loop, all_kinds),
]
SAMPLES = [0, 1, 7, 60, 50_007]


def numbers(n):
    return np.round(np.random.default_rng(n).random(n), 2)  # many are equal


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_the_choice_is_that_of_the_loop_in_order(program):
    compiled = cutaway.jit(program, parallel=True)
    for n in SAMPLES:
        a = numbers(n)
        wanted = program(a)
        for threads in (1, 2, 4):
            with number_of_threads(threads):
                assert compiled(a) == wanted


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_each_level_makes_the_same_choice(program):
    a = numbers(40)
    record = cutaway.trace(cutaway.jit(program, parallel=True), a)
    assert not record.at("parfor").verify()
    assert record.witness(a).ok


@pytest.mark.parametrize("program", [argmin, last_argmax, least], ids=lambda one: one.__name__)
def test_numbers_that_are_nan_are_taken_as_in_the_loop_in_order(program):
    compiled = cutaway.jit(program, parallel=True)
    a = numbers(20_000)
    a[::7] = math.nan
    a[13_001] = -math.inf
    assert compiled(a) == program(a)
    a[:] = math.nan
    assert compiled(a) == program(a)


def test_zeros_of_both_signs_are_told_apart():
    a = np.zeros(20_000)
    a[::2] = -0.0
    for program in (argmin, last_argmax):
        found, wanted = cutaway.jit(program, parallel=True)(a), program(a)
        assert found == wanted
        assert math.copysign(1, found[0]) == math.copysign(1, wanted[0])


def lasts(a):
    low, high = math.inf, -math.inf
    for i in prange(len(a)):
        if a[i] <= low:
            low = a[i]
        if high <= a[i]:
            high = a[i]
    return low, high


def test_of_equal_zeros_the_last_is_taken():
    a = np.zeros(20_000)
    for k in (0, 7, 10_000, 19_999):
        a[:] = 0.0
        a[k] = -0.0
        found = cutaway.jit(lasts, parallel=True)(a)
        assert list(map(math.copysign, (1, 1), found)) == [-1 if k == 19_999 else 1] * 2


def below_a_limit(places, b):
    limit, found = len(b), -1.0
    for i in prange(len(places)):
        k = places[i]
        if k >= 0 and k < limit:
            limit = k
            found = b[k]
    return limit, found


def test_what_a_comparison_proves_holds_in_all_parts():
    places = np.random.default_rng(2).integers(-(10**9), 10**9, 100_000)
    places[::50] = np.arange(1_000, 3_000)[::-1] % 1_500
    b = np.arange(1_200.0)
    compiled = cutaway.jit(below_a_limit, parallel=True)
    with number_of_threads(4):
        assert compiled(places, b) == below_a_limit(places, b)


def the_rest_is_set(a):
    best = math.inf
    for i in prange(len(a)):
        if a[i] < best:
            best = a[i]
        else:
            a[i] = 0


def counted(a):
    best, count = math.inf, 0
    for i in prange(len(a)):
        if a[i] < best:
            best = a[i]
            count += 1
    return best, count


def another_value(a):
    best = math.inf
    for i in prange(len(a)):
        if a[i] < best:
            best = a[i] + 1
    return best


def stored(a):
    best = math.inf
    for i in prange(len(a)):
        if a[i] < best:
            best = a[i]
            a[i] = 0.0
    return best


def what_it_was(a):
    best, where = math.inf, -1
    for i in prange(len(a)):
        before = where
        if a[i] < best:
            best = a[i]
            where = i
        if i % 2 == 0:
            where = before
    return best, where


def compared_with_what_it_was(a):
    best = math.inf
    for i in prange(len(a)):
        before = best
        if a[i] < best:
            best = a[i]
        if a[i] - 0.1 < before:
            best = a[i] - 0.1
    return best


def not_together(a):
    best, where = math.inf, -1
    for i in prange(len(a)):
        if a[i] < best:
            best = a[i]
            if i % 2 == 0:
                where = i
    return best, where


@pytest.mark.parametrize(
    "program",
    [
        *(the_rest_is_set, counted, another_value, stored, what_it_was),
        *(compared_with_what_it_was, not_together),
    ],
    ids=lambda one: one.__name__,
)
def test_what_else_depends_on_a_comparison_is_refused(program):
    with pytest.raises(UnsupportedError, match="depend on each other by `best`") as caught:
        cutaway.jit(program, parallel=True)(np.ones(3))
    assert "if x < s: s = x" in caught.value.hint


def private_sum(a):
    s = t = 0.0
    for i in prange(len(a)):
        s += a[i]
        t = s
    return s, t


def test_a_sum_that_another_variable_keeps_is_refused():
    with pytest.raises(UnsupportedError, match="depend on each other by `s`"):
        cutaway.jit(private_sum, parallel=True)(np.ones(3))


def test_the_meaning_of_an_operator_is_in_its_name():
    assert choice_of("add") is None
    assert choice_of("last") is None
    assert choice_of("with.3").key == 3
    assert choice_of("last_least.2").flag == 2
    assert ordered_places(("add", "first_least", "with.1")) == {1, 2}
    assert ordered_places(("last_least.2", "with.0", "or")) == {0, 1, 2}
