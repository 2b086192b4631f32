"""Iterators that programs hold: `iter`, `next`, with and without a default."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.runtime import stats

LINE = np.arange(6.0)
TABLE = LINE.reshape(2, 3)


def two_iterators(a):
    one, other = iter(a), iter(a)
    return next(one), next(one), next(other)


def rows(a):
    it = iter(a)
    first, second = next(it), next(it)
    return first, second, next(it, first)


def after_the_end(a):
    it = iter(a)
    taken = 0
    try:
        while True:
            next(it)
            taken += 1
    except StopIteration:
        return taken


def a_loop_goes_on(n):
    it = iter(range(n))
    next(it)
    total = 0
    for k in it:
        total += k * 10
    return total, next(it, -1)


def of_a_tuple(n):
    it = iter((n, n + 1))
    return next(it), next(it), next(it, 7)


def of_iterators(a, b):
    it, counted, backward = zip(a, b), enumerate(a), reversed(b)
    next(counted)
    return next(it), next(counted), next(backward)


def new_memory(a):
    it = iter(a[a > 1])
    return next(it), next(iter(a + 1))


@cutaway.jit
def doubled(b):
    for row in b:
        yield row * 2


def of_a_generator(b):
    it = iter(doubled(b))
    row = next(it)
    return row, next(it, row), next(it, row)


def of_text(names):
    it = iter(names)
    return next(it)


CASES = [
    (two_iterators, LINE),
    (rows, TABLE),
    (after_the_end, LINE),
    (after_the_end, LINE[:0]),
    (a_loop_goes_on, 5),
    (of_a_tuple, 3),
    (of_iterators, LINE, TABLE),
    (new_memory, LINE),
    (of_a_generator, TABLE),
    (of_text, np.array(["ab", "c"])),
]


@pytest.mark.parametrize(("function", "args"), [(f, args) for f, *args in CASES])
def test_they_give_what_pythons_do_and_keep_no_memory(function, args):
    compiled = cutaway.jit(function)
    np.testing.assert_equal(compiled(*args), function(*args))
    before = stats()
    for _ in range(5):
        compiled(*args)
    after = stats()
    assert after[0] - before[0] == after[1] - before[1]


def test_the_end_raises():
    first = cutaway.jit(lambda a: next(iter(a)))
    with pytest.raises(StopIteration):
        first(LINE[:0])
    with pytest.raises(cutaway.errors.TypingError, match="next does not accept"):
        cutaway.jit(lambda a: next(a))(LINE)
