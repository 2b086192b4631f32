"""Small arrays of known size that nothing holds when the function ends are on its stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cutaway

pytestmark = pytest.mark.sampled(others=3, fast=6)

A = np.arange(1.0, 6.0)


def in_loop(a):
    total = 0.0
    for i in range(len(a)):
        d = np.zeros(3)
        d[0] = a[i]
        d[2] = 1.0
        e = d * d + 1
        total += e.sum() + e[1]
    return total


def of_two_axes(n):
    m = np.zeros((3, 3))
    v = np.ones(3)
    for i in range(n):
        m[i % 3, (i * 2) % 3] += i
        row = m[i % 3]
        v[i % 3] = row.sum() + m.T[0, 1]
    return v.max()


def unpacked(n):
    x, y, z = np.full(3, n + 0.5)
    return x + y * z


def empty(n):
    x = np.zeros(0)
    return x.sum() + len(x) + n


def copied(a):
    part = np.ones(2)
    part[1] = 7.0
    a[1:3] = part
    return a.sum()


def raised(n):
    x = np.full(4, 2.0)
    x[n] = 1.0
    return x.sum()


def of_a_helper(n):
    @cutaway.jit
    def total(x):
        return x[0] + x.sum()

    return total(np.full(3, n * 1.0))


@pytest.mark.parametrize(
    ("program", "args", "arrays"),
    [
        (in_loop, (A,), 2),
        (of_two_axes, (10,), 2),
        (unpacked, (2,), 1),
        (empty, (1,), 1),
        (copied, (A.copy(),), 1),
        (raised, (-1,), 1),
    ],
)
def test_what_stays_is_on_the_stack(program, args, arrays):
    text = str(cutaway.trace(program, *args).remarks)
    assert text.count("are on the stack") == arrays
    assert cutaway.jit(program)(*args) == program(*args)


def test_an_index_out_of_bounds_raises():
    with pytest.raises(IndexError):
        cutaway.jit(raised)(4)


def given_back():
    return np.zeros(3)


def view_given_back():
    x = np.arange(4.0) * 1
    y = np.ones(4)
    z = y[1:]
    z[0] = x[1]
    return z


def in_a_tuple(n):
    return np.full(2, n), n


def carried(n):
    p, q = np.zeros(2), np.ones(2)
    for i in range(n):
        q = p
        p = np.full(2, i + 0.5)
    return q[0] + p[0]


def either(n):
    x = np.zeros(2)
    y = np.ones(2)
    z = x if n > 2 else y
    z[0] = 5.0
    return z


def turned(n):
    return np.full((2, 3), n).T


def reshaped(n):
    return np.full((2, 3), n).reshape(6)


def too_large(n):
    return np.zeros(1 << 20)[n]


@pytest.mark.parametrize(
    ("program", "args"),
    [
        *((given_back, ()), (view_given_back, ()), (in_a_tuple, (3,)), (carried, (5,))),
        *((either, (1,)), (turned, (2,)), (reshaped, (2,)), (too_large, (5,))),
    ],
)
def test_what_is_held_elsewhere_is_not(program, args):
    assert "are on the stack" not in str(cutaway.trace(program, *args).remarks)
    result, expected = cutaway.jit(program)(*args), program(*args)
    for one, other in zip(flat(result), flat(expected), strict=True):
        assert np.array_equal(one, other)


def flat(value: Any) -> tuple[Any, ...]:
    """The items of a tuple, or the value."""
    return value if isinstance(value, tuple) else (value,)
