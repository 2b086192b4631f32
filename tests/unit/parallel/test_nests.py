"""Loops over prange that stand directly in each other are one nest."""

from __future__ import annotations

import numpy as np
import pytest
from thread_counts import number_of_threads

import cutaway
from cutaway import prange

pytestmark = pytest.mark.sampled(test=2, others=6)


def products(a, b):
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            b[i, j] = a[i, j] * 2.0 + i - j


def with_sums(a, b):
    s, low = 0, 9.0
    for i in prange(a.shape[0]):
        for j in prange(1, a.shape[1], 2):
            s += i * j
            low = min(low, a[i, j])
            b[i, j] += a[i, j]
    return s, low


def three_deep(a, b):
    n = a.shape[1]
    count = 0
    for i in prange(len(a)):
        for j in prange(n):
            for k in prange(2 * n + 1):
                count += i ^ j ^ k
    return count


def with_an_inner_loop(a, b):
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            s = 0.0
            for k in range(j % 7):
                if k % 2 == 0:
                    s += a[i, j] * k
            b[i, j] = s


NESTS = [products, with_sums, three_deep, with_an_inner_loop]


def triangular(a, b):
    for i in prange(a.shape[0]):
        for j in prange(i, a.shape[1]):
            b[i, j] = a[i, j]


def something_between(a, b):
    for i in prange(a.shape[0]):
        x = i * 2.0
        for j in prange(a.shape[1]):
            b[i, j] = a[i, j] * x


def one_row_each(a, b):
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            b[i, 0] += a[i, j]


def in_the_order_of_a_row(a, b):
    for i in prange(a.shape[0]):
        for j in prange(1, a.shape[1]):
            b[i, j] = b[i, j - 1] + a[i, j]


def with_a_place(a, b):
    best, row = 9.0, -1
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            if a[i, j] < best:
                best = a[i, j]
                row = i * 10_000 + j
    return best, row


def raising(a, b):
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            if a[i, j] < 0:
                raise ValueError("negative", i, j)


LOOPS = [triangular, something_between, one_row_each, in_the_order_of_a_row, with_a_place, raising]


def table(shape):
    return np.round(np.random.default_rng(shape).random(shape), 2), np.zeros(shape)


def dimensions(program, *args):
    text = cutaway.trace(cutaway.jit(program, parallel=True), *args).at("parfor").text
    heads = [line for line in text.splitlines() if "parfor " in line.partition(" from (")[0]]
    return {line.partition(" from (")[2].partition(")")[0].count(",") + 1 for line in heads}


@pytest.mark.parametrize("program", [*NESTS, *LOOPS], ids=lambda one: one.__name__)
def test_a_nest_gives_what_python_gives(program):
    compiled = cutaway.jit(program, parallel=True)
    for shape in ((0, 5), (3, 0), (1, 1), (2, 3_000), (70, 90), (300, 7), (5, 400)):
        wanted_args = table(shape)
        wanted = program(*wanted_args)
        for threads in (1, 2, 4):
            with number_of_threads(threads):
                args = table(shape)
                assert compiled(*args) == wanted
                assert all(map(np.array_equal, args, wanted_args))


@pytest.mark.parametrize("program", NESTS, ids=lambda one: one.__name__)
def test_loops_with_nothing_between_them_are_one_nest(program):
    args = table((5, 6))
    assert max(dimensions(program, *args)) == (3 if program is three_deep else 2)
    record = cutaway.trace(cutaway.jit(program, parallel=True), *args)
    assert not record.at("parfor").verify()
    assert record.witness(*args).ok


@pytest.mark.parametrize("program", LOOPS, ids=lambda one: one.__name__)
def test_other_loops_stay_as_they_are(program):
    assert dimensions(program, *table((5, 6))) == {1}


def test_the_exception_of_the_first_iteration_of_a_row_is_raised():
    a, b = table((400, 300))
    a[7, 200], a[8, 1], a[300, 0] = -1, -1, -1
    with number_of_threads(4), pytest.raises(ValueError) as caught:
        cutaway.jit(raising, parallel=True)(a, b)
    assert caught.value.args == ("negative", 7, 200)
