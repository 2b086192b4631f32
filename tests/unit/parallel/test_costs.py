"""Loops that take little time are not divided; what they take is estimated from their sizes.

A sum of floats tells whether a loop was divided: ones get lost beside a large number, and do not in
a part that has none.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from thread_counts import number_of_threads

import cutaway
from cutaway import prange


def plain(a, m):
    s = 0.0
    for i in prange(len(a)):
        s += a[i]
    return s


def with_a_loop(a, m):
    s = 0.0
    for i in prange(len(a)):
        k = 0
        for j in range(m):
            k ^= j
        s += a[i] + (k & 0)
    return s


def in_a_triangle(a, m):
    s = 0.0
    for i in prange(len(a)):
        k = 0
        for j in range(i * m, len(a) * m):
            k ^= j
        s += a[i] + (k & 0)
    return s


def with_functions(a, m):
    s = 0.0
    for i in prange(len(a)):
        t = 0.0
        for j in range(m):
            t += math.sin(j)
        s += a[i] + 0 * t
    return s


def along_rows(a, m):
    table, s = np.zeros((len(a), m)), 0.0
    for i in prange(table.shape[0]):
        for j in range(table.shape[1]):
            table[i, j] = i
        s += a[i]
    return s


def by_rows(a, m):
    table, s = np.zeros((len(a), m)), 0.0
    for i in prange(len(table)):
        row = table[i]
        for x in row:
            s += 0 * x
        s += a[i]
    return s


def whole_rows(a, m):
    table, s = np.zeros((len(a), m)), 0.0
    for i in prange(len(table)):
        table[i] = table[i] * 2 + a[i]
        s += a[i]
    return s


def is_divided(compiled, n, m):
    a = np.ones(n)
    a[0] = 1e16
    return compiled(a, m) != 1e16


LOOPS = [with_a_loop, in_a_triangle, with_functions, along_rows, by_rows, whole_rows]


@pytest.mark.parametrize("program", LOOPS, ids=lambda one: one.__name__)
def test_the_runs_of_inner_loops_are_known_when_the_loop_begins(program):
    compiled = cutaway.jit(program, parallel=True)
    with number_of_threads(4):
        assert not is_divided(compiled, 64, 2)
        assert is_divided(compiled, 64, 20_000)


def test_a_short_loop_is_not_divided():
    compiled = cutaway.jit(plain, parallel=True)
    with number_of_threads(4):
        assert not is_divided(compiled, 500, 0)
        assert is_divided(compiled, 100_000, 0)


def many(a):
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = 0
    for i in prange(len(a)):
        s0, s1, s2, s3, s4 = s0 + 1, s1 + i, s2 ^ i, s3 | i, s4 - i
        s5, s6, s7, s8, s9 = s5 + 2, s6 + i, s7 ^ 3, s8 | 4, s9 - 1
    return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9


def test_what_parts_give_may_be_more_than_the_stack_is_for():
    compiled = cutaway.jit(many, parallel=True)
    with number_of_threads(4):
        assert compiled(np.ones(50_000)) == many(np.ones(50_000))
