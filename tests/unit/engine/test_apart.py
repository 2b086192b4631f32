"""Elements that a loop keeps apart are read once, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway

UNKNOWN = "noalias.scope.decl"


def eliminated(w):
    n = w.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            w[i, k] /= w[k, k]
            for j in range(k + 1, n):
                w[i, j] -= w[i, k] * w[k, j]


def from_the_same_place(w):  # w[i, k] is written in the first run
    n = w.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            for j in range(k, n):
                w[i, j] -= w[i, k] * w[k, j]


def spread(a):  # what one run of the outer loop writes the next one reads
    for k in range(len(a)):
        for j in range(k + 1, len(a)):
            a[j] += a[k] + 1.0


def few_rows(w):  # loops that LLVM unrolls
    if w.shape[0] < 4 or w.shape[1] < 4:
        raise ValueError
    for k in range(3):
        for i in range(3):
            for j in range(k + 1, 4):
                w[i, j] -= w[i, k] * 0.5


def far_off(a, n):  # n + 1 may wrap around
    for j in range(n + 1, len(a)):
        a[j] += a[n]


def running_down(a):
    for k in range(len(a)):
        for j in range(len(a) - 1, k, -1):
            a[j] += a[k]


def known(function, *args):
    f = cutaway.jit(function)
    f(*args)
    return UNKNOWN in f.inspect_llvm(f.signatures[0])


def test_a_scope_begins_where_the_counter_is_beyond_the_read():
    assert known(eliminated, np.eye(4))
    assert known(spread, np.ones(5))
    assert known(few_rows, np.eye(4))


def test_there_is_none_where_they_may_meet():
    assert not known(from_the_same_place, np.eye(4))
    assert not known(far_off, np.ones(5), 2)
    assert not known(eliminated, np.eye(8)[::2, ::2])
    overlapping = np.lib.stride_tricks.as_strided(np.ones(8), (5,), (0,))
    assert not known(spread, overlapping)


@pytest.mark.parametrize(
    "function", [eliminated, from_the_same_place, few_rows], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("n", [4, 9, 33])
def test_matrices_are_as_in_python(function, order, n):
    given = np.random.default_rng(n).random((n, n)) + n * np.eye(n)
    given = np.repeat(given, 2, 1)[:, ::2] if order == "strided" else np.array(given, order=order)
    ours, theirs = given.copy(order="K"), given.copy()
    if order == "strided":
        ours = np.repeat(given, 2, 1)[:, ::2]
    cutaway.jit(function)(ours)
    function(theirs)
    assert np.array_equal(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("function", [spread, running_down], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_vectors_are_as_in_python(function, n):
    ours, theirs = np.arange(n) / 3, np.arange(n) / 3
    cutaway.jit(function)(ours)
    function(theirs)
    assert np.array_equal(ours, theirs)


def test_numbers_at_the_end_of_an_int64_are_as_in_python():
    f = cutaway.jit(far_off)
    for n in (2**63 - 1, 3, -1, -3):
        a = np.arange(6.0)
        try:
            f(a, n)
        except IndexError:
            assert n not in (3, -1, -3)
        else:
            expected = np.arange(6.0)
            if n != 2**63 - 1:
                far_off(expected, n)
                assert np.array_equal(a, expected)


@cutaway.jit
def row_of(w, i, k):
    for j in range(k + 1, w.shape[1]):
        w[i, j] -= w[i, k] * w[k, j]


def by_a_function(w):
    for k in range(w.shape[0]):
        for i in range(k + 1, w.shape[0]):
            row_of(w, i, k)


def test_a_function_that_is_inlined_into_a_loop_keeps_its_scopes_apart():
    given = np.random.default_rng(1).random((9, 9))
    ours, theirs = given.copy(), given.copy()
    cutaway.jit(by_a_function)(ours)
    for k in range(9):
        for i in range(k + 1, 9):
            row_of.py_func(theirs, i, k)
    assert np.array_equal(ours, theirs)
