"""Arrays that all iterations of a parallel loop change by one operator."""

from __future__ import annotations

import re

import numpy as np
import pytest
from thread_counts import number_of_threads

import cutaway
from cutaway import prange
from cutaway.errors import UnsupportedError
from cutaway.runtime import stats

pytestmark = pytest.mark.sampled(test=2, others=6)

N = 4_000


def rows(a):
    acc = np.ones(6)
    for i in prange(len(a)):
        acc += a[i]
    return acc


def differences(a):
    acc = np.zeros(12)[::2]
    for i in prange(len(a)):
        acc -= a[i] * 2 + 1
        acc[2:5] -= a[i, 2:5]
        acc[1] -= 5
        acc[-1] -= a[i, 0]
    return acc


def slices_by_variables(a):
    acc, low, high = np.zeros((3, 6)), 1, len(a) % 3 + 2
    for i in prange(len(a)):
        acc[low, high:] += a[i, high:]
        if a[i, 0] > 0.5:
            acc[0, 0] = a[i, 0] + acc[0, 0]
    return acc


def in_fortran_order(a):
    acc = np.ones((2, 6)).T
    for i in prange(len(a)):
        acc *= 1 + 1e-5 * a[i, 0]
        acc[1] /= 1 + 1e-5 * a[i, 1]
    return acc


def in_an_inner_loop(a):
    acc, seen = np.zeros(6, np.float32), np.zeros(6, np.bool_)
    for i in prange(len(a)):
        for j in range(3):
            if a[i, j] > 0.3:
                acc += a[i]
            seen |= a[i] > 1 - 1 / (j + 900)
    return acc, seen


def integers(a):
    total, product, both = np.zeros(6, np.int32), np.ones(6, np.uint8), np.full(6, -1, np.int16)
    odd = np.zeros((1, 6), np.int64)
    for i in prange(len(a)):
        total += np.int32(i)
        product *= np.uint8(3)
        both &= np.int16(i % 7 | 8)
        odd ^= i
    return total, product, both, odd


def by_elements(a):
    acc, last, total = np.zeros((2, 6)), 5, np.zeros(6)
    for i in prange(len(a)):
        for j in range(len(total)):
            total[j] += a[i, j]
        for j in range(a.shape[1]):
            acc[0, j] += a[i, j]
            for k in range(j, last, 2):
                acc[1, k] -= 1
    return acc, total


def with_a_view(a):
    acc = np.zeros(6)
    part = acc[1:3]
    for i in prange(len(a)):
        acc += a[i]
        part += i
    return acc


def extremes(a):
    low, high = np.full(6, 9.0), np.full(6, -9.0)
    for i in prange(len(a)):
        low[:] = np.minimum(a[i], low)
        high[:] = np.maximum(high, a[i])
    return low, high


def with_numbers(a):
    acc, s, where, best = np.zeros(6), 0, -1, 2.0
    for i in prange(len(a)):
        acc += a[i]
        s += i
        if a[i, 0] < best:
            best = a[i, 0]
            where = i
    return acc, s, where, best


def complex_numbers(a):
    acc = np.zeros(6, np.complex128)
    for i in prange(len(a)):
        acc += a[i] * 2j
    return acc


def without_elements(a):
    acc = np.zeros((0, 6))
    for _ in prange(len(a)):
        acc += 1.0
    return acc


PROGRAMS = [
    with_a_view,
    *(
        rows,
        differences,
        slices_by_variables,
        in_fortran_order,
        in_an_inner_loop,
        integers,
        by_elements,
    ),
    *(extremes, with_numbers, complex_numbers, without_elements),
]


def numbers(n):
    return np.random.default_rng(n).random((n, 6))


def agree(one, other):
    if isinstance(one, tuple):
        return all(map(agree, one, other))
    if np.asarray(one).dtype.kind in "iub":
        return np.array_equal(one, other)
    return np.allclose(one, other, rtol=1e-4 if np.asarray(one).dtype == np.float32 else 1e-11)


def bits(value):
    return [np.asarray(one).tobytes() for one in (value if isinstance(value, tuple) else (value,))]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_sums_of_arrays_are_those_of_the_loop_in_order(program):
    compiled = cutaway.jit(program, parallel=True)
    with np.errstate(over="ignore"):
        for n in (0, 1, 5, N):
            wanted = program(numbers(n))
            for threads in (1, 2, 4):
                with number_of_threads(threads):
                    found = compiled(numbers(n))
                    assert agree(wanted, found)
                    assert bits(found) == bits(compiled(numbers(n)))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_each_level_sums_up_the_same(program):
    a = numbers(11)
    record = cutaway.trace(cutaway.jit(program, parallel=True), a)
    assert re.search(r"= private\(\w", record.at("parfor").text)
    assert not record.at("parfor").verify()
    with np.errstate(over="ignore"):
        assert record.witness(a).ok


def given(a, acc):
    for i in prange(len(a)):
        acc += a[i]
        acc[0] += i


def test_the_array_of_an_argument_is_changed_in_place():
    acc, wanted = np.arange(6.0), np.arange(6.0)
    given(numbers(N), wanted)
    cutaway.jit(given, parallel=True)(numbers(N), acc)
    assert np.allclose(acc, wanted)


def raising(a, limit):
    acc = np.zeros(500)
    for i in prange(len(a)):
        acc += a[i, 0]
        if i == limit:
            raise ValueError("no further", i)
    return acc


def test_memory_is_freed_where_an_iteration_raises():
    compiled = cutaway.jit(raising, parallel=True)
    a = numbers(N)
    with number_of_threads(4):
        assert np.allclose(compiled(a, -1), raising(a, -1))
        before = live_blocks()
        for limit in (0, 1_500, N - 1):
            with pytest.raises(ValueError) as caught:
                compiled(a, limit)
            assert caught.value.args == ("no further", limit)
        assert live_blocks() == before


def live_blocks():
    allocated, released = stats()
    return allocated - released


def by_another_name(a):
    acc, s = np.zeros(6), 0.0
    part = acc[2:].T
    for i in prange(len(a)):
        acc += a[i]
        s += part[0]


def two_operators(a):
    acc = np.zeros(6)
    for i in prange(len(a)):
        acc += a[i]
        acc *= 2


def looked_at(a):
    acc = np.zeros(6)
    for i in prange(len(a)):
        acc += a[i]
        a[i, 0] = acc[0]


def new_array(a):
    acc = np.zeros(6)
    for i in prange(len(a)):
        acc = acc + a[i]


def of_itself(a):
    acc = np.zeros(6)
    for i in prange(len(a)):
        acc += a[i] * acc


def overwritten(a):
    acc = np.zeros(6)
    for i in prange(len(a)):
        acc += a[i]
        acc[1:3] = 0.0


def from_the_left(a):
    acc = np.zeros(6)
    for i in prange(len(a)):
        acc += 1.0
        acc[:] = a[i] - acc


@pytest.mark.parametrize(
    "program",
    [by_another_name, two_operators, looked_at, new_array, of_itself, overwritten, from_the_left],
    ids=lambda one: one.__name__,
)
def test_what_else_is_done_with_such_an_array_is_refused(program):
    with pytest.raises(UnsupportedError, match="change `acc` as a whole") as caught:
        cutaway.jit(program, parallel=True)(numbers(5))
    assert "+=" in caught.value.hint


def raising_beside_an_array(n, limit):
    out = np.zeros(n)
    for i in prange(n):
        out[i] = i
        if i >= limit:
            raise ValueError("no further", i)
    return out


def test_an_array_from_around_the_loop_is_freed_once():
    compiled = cutaway.jit(raising_beside_an_array, parallel=True)
    before = live_blocks()
    with number_of_threads(4):
        for limit in (0, 10, 3_000) * 5:
            with pytest.raises(ValueError) as caught:
                compiled(N, limit)
            assert caught.value.args == ("no further", limit)
    assert live_blocks() == before
