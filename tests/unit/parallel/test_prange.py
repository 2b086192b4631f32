"""Loops over prange give what they give in Python, whatever the number of threads."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import cutaway
from cutaway import prange, runtime
from cutaway.errors import OptionError, RaceWarning, UnsupportedError

pytestmark = pytest.mark.sampled(test=2, others=6)

N = 20_000  # so many that the loop is divided


def doubled(a, out):
    for i in prange(len(a)):
        out[i] = a[i] * 2


def total(a, out):
    s = 1.5
    for i in prange(len(a)):
        s += a[i]
        s -= 0.25
    return s


def several(a, out):
    low, high, count, product = math.inf, -math.inf, 0, 1.0
    for i in prange(len(a)):
        low = min(low, a[i])
        high = max(a[i], high)
        if a[i] > 0.5:
            count += 1
        product *= 1 + a[i] * 1e-5
    return low, high, count, product


def bits(a, out):
    both, either, odd = -1, 0, 0
    for i in prange(3, len(a)):
        both &= i | 12
        either |= i & 6
        odd ^= i
    return both, either, odd


def last(a, out):
    k, x = -1, 0.0
    for i in prange(len(a)):
        k, x = i, a[i]
    return k, x


def from_behind(a, out):
    s = 0
    for i in prange(len(a) - 1, 2, -3):
        s += i
        out[i] = i
    return s


def in_columns(a, out):
    for i in prange(len(a)):
        s = 0.0
        for j in range(i % 50):
            if j == 40:
                break
            if j % 3 == 0:
                continue
            s += a[j]
        out[i] = s


def nested(a, out):
    s = 0
    for i in prange(200):
        for j in prange(i):
            s += j
    return s


def twice(a, out):
    for i in prange(len(a)):
        out[i] = a[i]
    s = 0.0
    for i in prange(len(a)):
        s += out[i]
    return s


def with_arrays(a, out):
    for i in prange(len(a)):
        row = np.full(3, a[i])
        row[1] = i
        out[i] = row.sum()


def empty(a, out):
    s, k = 7, 3
    for i in prange(0):
        s += 1
        k = i
    return s, k


def after_a_condition(a, out):
    s = 0.0
    if len(a) > 3:
        for i in prange(len(a)):
            s += a[i]
    else:
        s = 1.0
    return s


PROGRAMS = [
    *(doubled, total, several, bits, last, from_behind, in_columns, nested, twice),
    *(with_arrays, empty, after_a_condition),
]


def data():
    return np.random.default_rng(1).random(N), np.zeros(N)


def same(one, other):
    return np.allclose(one, other, rtol=1e-12) if one is not None else other is None


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_a_parallel_loop_gives_what_python_gives(program):
    wanted_args, args = data(), data()
    wanted = program(*wanted_args)
    compiled = cutaway.jit(program, parallel=True)
    found = compiled(*args)
    assert same(wanted, found)
    assert all(map(np.array_equal, wanted_args, args))
    again = compiled(*args)
    assert found == again  # to the last bit


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_each_level_gives_what_python_gives(program):
    a, out = np.random.default_rng(1).random(60), np.zeros(60)
    record = cutaway.trace(cutaway.jit(program, parallel=True), a, out)
    assert "parfor" in record.levels
    assert "parfor " in record.at("parfor").text
    assert not record.at("parfor").verify()
    assert record.witness(a, out).ok


def test_without_the_option_prange_is_range():
    a, out = data()
    record = cutaway.trace(cutaway.jit(total), a, out)
    assert "parfor" not in record.levels
    off = cutaway.jit(total, parallel={"prange": False})
    assert off(a, out) == cutaway.jit(total)(a, out)


def raising(a, limit):
    for i in prange(len(a)):
        if a[i] > limit:
            raise ValueError("too large", i)
        a[i] = -1.0


@pytest.mark.parametrize("limit", [10, 5_000, 19_998])
def test_the_exception_of_the_first_iteration_is_raised(limit):
    a = np.arange(float(N))
    with pytest.raises(ValueError) as caught:
        cutaway.jit(raising, parallel=True)(a, float(limit))
    assert caught.value.args == ("too large", limit + 1)
    assert (a[: limit + 1] == -1).all()  # what comes before it has been executed
    assert caught.traceback[-1].name == "raising"


def test_an_index_out_of_range_raises():
    def shifted(a, out):
        for i in prange(len(a)):
            out[i] = a[i + 1]

    a, out = data()
    with pytest.raises(IndexError):
        cutaway.jit(shifted, parallel=True)(a, out)


def carried(a):
    s = 0.0
    for i in prange(len(a)):
        s = a[i] - s
    return s


def mixed(a):
    s = 1.0
    for i in prange(len(a)):
        s += a[i]
        s *= 2
    return s


def looked_at(a):
    s = 0.0
    for i in prange(len(a)):
        s += a[i]
        a[i] = s
    return s


def reset(a):
    s = 0.0
    for i in prange(len(a)):
        if a[i] > 0.5:
            s = 0.0
        s += a[i]
    return s


def one_element(a):
    for i in prange(len(a)):
        a[0] += a[i]


def whole_array(a):
    acc = np.zeros(2)
    for i in prange(len(a)):
        acc = acc + a[i]
    return acc


def left_early(a):
    for i in prange(len(a)):
        if a[i] > 0.5:
            break


def returning(a):
    for i in prange(len(a)):
        if a[i] > 0.5:
            return i
    return -1


@pytest.mark.parametrize(
    ("program", "words"),
    [
        *[(one, "depend on each other by `s`") for one in (carried, mixed, looked_at, reset)],
        (one_element, "write the same element"),
        (whole_array, "change `acc` as a whole"),
        (left_early, "left by break or return"),
        (returning, "left by break or return"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_iterations_that_depend_on_each_other_are_refused(program, words):
    with pytest.raises(UnsupportedError, match=words) as caught:
        cutaway.jit(program, parallel=True)(np.ones(3))
    assert caught.value.hint
    assert caught.value.loc.line > program.__code__.co_firstlineno


def test_options_of_parallel():
    with pytest.raises(OptionError, match="no part 'pranges'"):
        cutaway.jit(total, parallel={"pranges": True})
    with pytest.raises(OptionError, match="True, False, 'check' or a dict"):
        cutaway.jit(total, parallel="all")


def counted(a, out):
    for i in prange(len(a)):
        out[int(a[i] * 10)] += 1


def updated(a, out):
    for i in prange(1, len(a)):
        out[2 * i - 1] += a[i]


def test_an_update_that_may_be_a_race_warns():
    a, out = np.full(100, 0.5), np.zeros(200)
    with pytest.warns(RaceWarning, match="same element of `out`") as caught:
        cutaway.jit(counted, parallel=True)(a, out)
    assert caught[0].filename == __file__
    assert caught[0].lineno == counted.__code__.co_firstlineno + 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cutaway.jit(updated, parallel=True)(a, out)


def calling(a, out):
    for i in prange(len(a)):
        out[i] = negated(a[i], i)


@cutaway.jit
def negated(x, i):
    if x < 0:
        raise ValueError("negative", i)
    return -x


def with_function(f, a, out):
    for i in prange(len(a)):
        out[i] = f(a[i], i)


def test_a_body_calls_compiled_functions():
    a, out = data()
    cutaway.jit(calling, parallel=True)(a, out)
    assert np.array_equal(out, -a)
    cutaway.jit(with_function, parallel=True)(negated, a, a)
    assert np.array_equal(out, a)
    a[:] = 1.0
    a[[7_000, 12_000, 19_000]] = -1
    with pytest.raises(ValueError) as caught:
        cutaway.jit(calling, parallel=True)(a, out)
    assert caught.value.args == ("negative", 7_000)
    assert [entry.name for entry in caught.traceback[-2:]] == ["calling", "negated"]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_makes_no_difference_but_in_last_bits(threads):
    a, out = data()
    before = cutaway.get_num_threads()
    cutaway.set_num_threads(min(threads, before))
    try:
        assert np.isclose(cutaway.jit(total, parallel=True)(a, out), total(a, out), rtol=1e-12)
        cutaway.jit(in_columns, parallel=True)(a, out)
        wanted = np.zeros(N)
        in_columns(a, wanted)
        assert np.array_equal(out, wanted)
    finally:
        cutaway.set_num_threads(before)


def test_an_array_of_the_function_around_is_released_once_where_an_iteration_raises():
    @cutaway.jit(parallel=True)
    def f(a):
        b = np.zeros(len(a))
        for i in prange(len(a)):
            if a[i] == 3:
                raise ValueError(i)
            b[i] = a[i]
        return b

    before = runtime.stats()
    for _ in range(3):
        with pytest.raises(ValueError, match="3"):
            f(np.arange(10.0))
    taken, given = runtime.stats()
    assert taken - given == before[0] - before[1]


def test_a_loop_and_its_version_with_checks_raise_in_blocks_of_their_own():
    @cutaway.jit(parallel=True)
    def f(a, b):
        for i in prange(len(a)):
            if a[i] < 0:
                raise ValueError("negative")
            if a[i] == 100:
                raise KeyError
            b[i] = a[i] * 2
        return b

    a = np.arange(10.0)
    assert list(f(a, np.zeros(10))) == list(a * 2)
    with pytest.raises(IndexError):
        f(a, np.zeros(9))
    a[4] = -1
    with pytest.raises(ValueError, match="negative"):
        f(a, np.zeros(10))
    a[2] = 100
    with pytest.raises(KeyError):
        f(a, np.zeros(10))
