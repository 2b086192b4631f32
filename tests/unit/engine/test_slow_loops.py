"""Loops that hardly ever run are functions of their own, and do what they did in their place."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway

pytestmark = pytest.mark.usefixtures("one_processor")


def sums(a, n):
    total, last = 0, -1
    for i in range(n):
        total += a[i]
        last = i
    return total, last


def first_at_least(a, n, x):
    found = n
    for i in range(n):
        if a[i] >= x:
            found = i
            break
    return found


def grown(a, n):
    made = np.zeros(len(a))
    for k in range(n):
        made[k] = a[k] + 1.0
    return made


def halves(a, n):
    parts = np.arange(3.0)
    for k in range(n):
        parts = parts * a[k]
    return parts


def pairs(a, n, m):
    seen = 0
    for i in range(n):
        for k in range(m):
            if a[i, k] < 0:
                continue
            seen += i * k
        a[i, 0] = seen
    return seen


GRID = np.arange(12).reshape(3, 4)
CALLS = [
    (sums, (np.arange(5), 5)),
    (sums, (np.arange(5), 6)),
    (sums, (np.arange(0), 0)),
    (first_at_least, (np.arange(5), 9, 3)),
    (first_at_least, (np.arange(5), 9, 30)),
    (first_at_least, (np.arange(5), 5, 30)),
    (grown, (np.arange(3.0), 3)),
    (grown, (np.arange(3.0), 4)),
    (halves, (np.arange(3.0), 3)),
    (halves, (np.arange(3.0), 4)),
    (pairs, (GRID, 3, 4)),
    (pairs, (GRID, 3, 5)),
    (pairs, (GRID, 4, 4)),
]


def told(function, args):
    """What a call gives or raises, and what it leaves in its arrays."""
    args = [one.copy() if isinstance(one, np.ndarray) else one for one in args]
    try:
        result = function(*args)
    except IndexError as error:
        result = repr(error)
    return np.asarray(result).tolist(), str(args)


@pytest.mark.parametrize(("function", "args"), CALLS)
def test_a_loop_does_the_same_in_a_function_of_its_own(function, args):
    assert told(cutaway.jit(function), args) == told(function, args)


@pytest.mark.parametrize("function", [sums, grown, pairs])
def test_a_loop_that_hardly_ever_runs_is_moved_out(function):
    args = next(args for one, args in CALLS if one is function)
    text = cutaway.trace(function, *args).at("llvm").text
    assert text.count("noinline optnone cold") == 1
    assert ".slow." in text


def test_llvm_leaves_such_a_loop_as_it_is():
    compilation = cutaway.trace(sums, np.arange(5), 5)
    body = compilation.at("llvm_opt").text.partition("define internal")[2]
    assert "alloca i64" in body  # the counter of the range, as it was written


def test_arrays_made_before_such_a_loop_are_freed_when_it_raises():
    compiled = cutaway.jit(grown)
    a = np.arange(3.0)
    for _ in range(50):
        with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
            compiled(a, 4)
