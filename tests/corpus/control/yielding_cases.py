"""Generators of numbers and arrays that Python calls: machine code does what Python does."""

from __future__ import annotations

import numpy as np

from corpus.control.cases import Cases

CASES = Cases()


# --- generators that others use ------------------------------------------------------------------


def upward(n, step=1):
    for k in range(0, n, step):  # noqa: UP028
        yield k


def tree(n):
    if n > 0:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 2)


def parts(a):
    b = a * 2
    for k in range(len(b)):
        yield b[k:]


def quotients(n):
    for k in range(n):
        yield 12 // (k - 3)


def stopped(n):
    yield n
    raise StopIteration(n)


GENERATORS = {
    one.__name__: one for one in (upward, tree, parts, quotients, stopped)
}  # which are compiled by themselves


# --- generators that Python takes the values of --------------------------------------------------


@CASES.case((4,), (0,))
def squares(n):
    for k in range(n):
        yield k * k


@CASES.case((3,), (0,), steps=("next", "next", "next", "close", "next"))
def step_by_step(n):
    yield n
    for k in range(n):
        yield -k


@CASES.case((np.arange(3),), (np.zeros(0, int),))
def of_an_array(a):
    for x in a:
        yield x + 1
    yield len(a)


@CASES.case((np.arange(4), 2), (np.arange(2), 0))
def of_arrays(a, k):
    b = a + k
    for x in range(len(a)):
        yield b * x
        b = b[1:]


@CASES.case((2, "text"), (0, ""))
def of_tuples(n, word):
    for k in range(n):
        yield k, word, (k, None)


@CASES.case((2,), (1,), (0,))
def of_what_may_be_none(n):
    for k in range(n):
        yield k if k % 2 else None


@CASES.case((5,), (2,))
def conditions_and_returns(n):
    k = 0
    while True:
        if k == n:
            return
        if k % 2:
            yield k
        k += 1
        if k == 3:
            yield 100


@CASES.case((3,), (0,))
def of_other_generators(n):
    yield from upward(n)
    yield from tree(n)
    yield from (k * 10 for k in range(n))
    yield from (7, 8)


@CASES.case((7,), (2,))
def what_fails(n):
    s = 0
    for x in quotients(n):
        s += x
        yield s


@CASES.case((np.arange(5), 3), (np.arange(5), -1), (np.arange(2), 4), (np.zeros(0, int), 0))
def with_a_loop_that_seldom_runs(a, n):
    for k in range(4):
        x = a[n]
        yield a[0] + x + k
    for k in range(n):
        yield a[k] + a[n - k]


@CASES.case((7,), (2,))
def what_is_handled(n):
    for k in range(n):
        try:
            x = 12 // (k - 3)
        except ZeroDivisionError:
            x = -100
        yield x


@CASES.case((3,), steps=("next", ("throw", KeyError("thrown")), "next"))
def thrown_into(n):
    for k in range(n):  # noqa: UP028
        yield k


@CASES.case((5, 3), (0, 3))
def variables_of_all_kinds(n, x):
    total, ratio, found = 0, 1.5, False
    both = (n, x)
    for k in range(n):
        total += k
        ratio /= 2
        found = found or k == x
        yield total, ratio, found, both
        both = (both[1], k)


# --- functions that take values in their own way -------------------------------------------------


@CASES.case((5,), (1,), (0,))
def one_after_the_other(n):
    values = upward(n)
    first = next(values)
    second = next(values, -5)
    s = 0
    for x in values:
        s = 3 * s + x
    return first, second, s, next(values, 100)


@CASES.case((6,), (2,), (0,))
def two_loops_over_one(n):
    values = upward(n)
    s = 0
    for x in values:
        s += x
        if x == 2:
            break
    for x in values:
        s += 100 * x
    return s, sum(values)


@CASES.case((4,), (0,))
def side_by_side(n):
    s = 0
    for k, (x, y) in enumerate(zip(upward(n), tree(n))):
        s = 5 * s + k + x * y
    return s


@CASES.case((4,), (0,))
def a_tree(n):
    return sum(tree(n)), sum(1 for _ in tree(n)), max(tree(n + 1))


@CASES.case((4,), (1,))
def made_outside_of_the_loop(n):
    values = (k * k for k in range(n))
    s = 0
    for k in range(3):
        s += sum(values) * (k + 1)
    return s


@CASES.case((0,), (3,))
def made_on_one_way(n):
    values = upward(2)
    if n:
        values = upward(n)
    return sum(values)


@CASES.case((np.arange(5),), (np.arange(1),))
def views_of_what_is_gone(a):
    values = parts(a)
    first = next(values)
    s = 0
    for b in values:
        s += b.sum()
    return s + first.sum()


@CASES.case((7,), (2,))
def failures_are_handled(n):
    values = quotients(n)
    s = 0
    try:
        while True:
            s += next(values)
    except ZeroDivisionError:
        s = -s
    except StopIteration:
        s += 1000
    return s, next(values, 5)


@CASES.case((3,))
def stop_iteration_within(n):
    s = 0
    for x in stopped(n):
        s += x
    return s


@CASES.case((3,))
def a_generator_is_returned(n):
    return upward(n, 2)
