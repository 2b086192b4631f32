"""What a block has computed is not emitted again where it dominates, and is where it does not."""

from __future__ import annotations

import re

import numpy as np
import pytest

import cutaway


def lines(function, *args):
    """The lines of LLVM IR that lowering writes for a call's types."""
    f = cutaway.jit(function)
    f(*args)
    (text,) = f.inspect_llvm().values()
    return [line.strip().partition(", !dbg")[0] for line in text.splitlines()]


def count(found, pattern):
    """How many lines have something."""
    return sum(bool(re.search(pattern, line)) for line in found)


def test_a_sum_of_indices_is_computed_once_in_a_block():
    def f(a, b, i):
        return a[i - 1] + b[i - 1]

    found = lines(f, np.arange(4.0), np.arange(5.0), 2)
    assert count(found, r"= sub i64 %arg.i, 1") == 1
    assert count(found, r"call void @cutaway_describe") == 2


def test_an_index_is_checked_once_where_it_was_checked_before():
    def f(counts, k):
        counts[k] += 1
        if counts[k] > 3:
            counts[k] = 0
        return counts[k]

    counts = np.zeros(4, np.int64)
    found = lines(f, counts, 2)
    assert count(found, r"call void @cutaway_describe") == 1
    compiled = cutaway.jit(f)
    for k in (-4, -1, 0, 3, 3, 3):
        expected = counts.copy()
        assert f(expected, k) == compiled(counts, k)
        assert np.array_equal(counts, expected)
    for k in (-5, 4, 2**62):
        with pytest.raises(IndexError, match=f"index {k} is out of bounds for axis 0 with size 4"):
            compiled(counts, k)


def test_a_check_on_one_way_is_none_on_the_other():
    def f(a, k, look):
        if look:
            a[k] = 1.0
        return a[k]

    found = lines(f, np.zeros(3), 1, True)
    assert count(found, r"call void @cutaway_describe") == 2
    compiled = cutaway.jit(f)
    assert compiled(np.zeros(3), -1, False) == 0.0 and compiled(np.zeros(3), -1, True) == 1.0
    for look in (False, True):
        with pytest.raises(IndexError, match="index 3 is out of bounds"):
            compiled(np.zeros(3), 3, look)


def test_a_check_in_a_loop_is_none_after_it():
    def f(a, k, n):
        total = 0.0
        for _ in range(n):
            total += a[k]
        return total + a[k]

    compiled = cutaway.jit(f)
    assert compiled(np.arange(3.0), -1, 2) == 6.0
    for n in (0, 1):
        with pytest.raises(IndexError, match="index 7 is out of bounds"):
            compiled(np.arange(3.0), 7, n)


def test_the_same_index_of_another_size_is_checked():
    def f(a, b, k):
        return a[k] + b[k]

    compiled = cutaway.jit(f)
    assert compiled(np.arange(3.0), np.arange(4.0), -1) == 5.0
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        compiled(np.arange(3.0), np.arange(4.0), 3)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 2"):
        compiled(np.arange(4.0), np.arange(2.0), 3)


def test_a_division_after_a_test_of_its_divisor_is_not_made_before_it():
    def f(a, n, d):
        if d != 0:
            n += a // d
        else:
            n -= 1
        return n + (a // d if d > 2 else 0)

    compiled = cutaway.jit(f)
    for d in (-3, 0, 1, 3):
        assert compiled(17, 1, d) == f(17, 1, d)


def test_a_long_function_keeps_its_results():
    source = ["def f(a, k):", "    t = 0"]
    for i in range(120):
        source += [f"    if a[k] > {i}:", f"        t += a[(k + {i}) % 5] * (k + {i})"]
    scope: dict = {}
    exec("\n".join([*source, "    return t"]), scope)
    a = np.arange(60, 65)
    for k in (-5, 0, 4):
        assert cutaway.jit(scope["f"])(a, k) == scope["f"](a, k)


def test_several_sums_under_conditions_meet_in_one_block():
    def f(a, b):
        t, u, v, w = 0.0, 0, -0.0, 0.0
        for i in range(len(a)):
            if a[i] > 0.5:
                t += a[i]
                u += 1
                w -= b[i]
            elif b[i] > 0.3:
                v += b[i]
        return t, u, v, w

    compiled = cutaway.jit(f)
    for given in (
        np.random.default_rng(1).random((2, 101)),
        np.zeros((2, 5)),
        np.full((2, 3), np.nan),
    ):
        assert repr(compiled(*given)) == repr(
            tuple(x.item() if hasattr(x, "item") else x for x in f(*given))
        )
