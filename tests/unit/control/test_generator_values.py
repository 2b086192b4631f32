"""What a generator returns is the value of its StopIteration, once, and leaves no reference."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

import cutaway
from cutaway.runtime import stats

A = np.arange(3.0)


def always(n):
    for i in range(n):  # noqa: UP028  a loop of our own, not a delegation
        yield i
    return n * 2


def sometimes(n):
    yield 1.5
    if n > 2:
        return n


def nothing_yielded(n):
    if n > 100:
        yield 1
    return n, 2.5


def a_new_array(a):
    yield 1
    return a * 2


def its_argument(a):
    yield 1
    return a


def none(n):
    yield n
    return None


def handled(n):
    yield 3
    try:
        n = 6 // n
    except ZeroDivisionError:
        return 5
    return n


def driven(generator):
    taken = []
    while True:
        try:
            taken.append(next(generator))
        except StopIteration as stop:
            with pytest.raises(StopIteration) as again:
                next(generator)
            value = stop.value
            shown = value.tolist() if isinstance(value, np.ndarray) else value
            return taken, shown, again.value.value


def held():
    gc.collect()
    made, released = stats()
    return sys.getrefcount(A), made - released


CALLS = (
    *((always, 3), (sometimes, 1), (sometimes, 3), (nothing_yielded, 3), (a_new_array, A)),
    *((its_argument, A), (none, 1), (handled, 0), (handled, 2)),
)


@pytest.mark.parametrize(("function", "x"), CALLS)
def test_the_value_is_that_of_the_stop(function, x):
    compiled = cutaway.jit(function)
    assert driven(compiled(x)) == driven(function(x))
    before = held()
    for _ in range(5):
        driven(compiled(x))
    assert held() == before


def test_compiled_code_that_takes_all_items_releases_the_value():
    new, own = cutaway.jit(a_new_array), cutaway.jit(its_argument)

    @cutaway.jit
    def taken(a):
        x, y = new(a), own(a)
        s = next(x) + next(y)
        for v in x:
            s += v
        for v in y:
            s += v
        return s

    assert taken(A) == 2
    before = held()
    for _ in range(5):
        taken(A)
    assert held() == before
