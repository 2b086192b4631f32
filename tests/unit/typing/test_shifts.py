"""Shifts of integers by counts that are known, likely, or unusual."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.library.math import bitwise
from cutaway.typing.analysis import intervals
from cutaway.typing.analysis.intervals import Interval

LEAST, MOST = -(2**63), 2**63 - 1
NUMBERS = (0, 1, -1, 2, 5, -7, 2**31, 2**32 + 1, -(2**40), 2**62, MOST, LEAST, LEAST + 1)
COUNTS = (0, 1, 2, 31, 32, 33, 62, 63, 64, 65, 127, 128, 255, 2**31, MOST)

BY_COUNT = bitwise._by_count

PROGRAM = """
def f(a, n):
    k = n & 63
    m = max(n, 0)
    return a << n, a >> n, a << k, a >> k, a << m, a >> m, a << 5, a >> 63, a << (n & 127)
"""


def wrapped(number):
    return (number - LEAST) % 2**64 + LEAST


def shifted(a, n):
    return wrapped(a << n) if n < 64 else 0


def by_python(a, n):
    k = n & 63
    right = a >> min(n, 64)
    known = shifted(a, k), a >> k
    tail = shifted(a, 5), a >> 63, shifted(a, n & 127)
    return (shifted(a, n), right, *known, shifted(a, n), right, *tail)


def compiled(source, **options):
    space: dict = {}
    exec(source, space)
    return cutaway.jit(space["f"], **options)


def wrong():
    f = compiled(PROGRAM)
    return [(a, n) for a in NUMBERS for n in COUNTS if f(a, n) != by_python(a, n)]


def test_shifts_by_all_edges():
    assert not wrong()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "u8"])
def test_shifts_of_elements_and_by_elements(dtype):
    f = compiled("def f(a, n, i, k):\n    return a[i] << n[k], a[i] >> n[k]")
    info = np.iinfo(dtype)
    values = np.array([info.min, 0, 1, 5, info.max // 3, info.max], dtype)
    counts = np.array([n for n in (0, 1, 7, 8, 31, 63, 64, 65, 100) if n <= info.max], dtype)
    for i, a in enumerate(values.tolist()):
        for k, n in enumerate(counts.tolist()):
            left, right = f(values, counts, i, k)
            low = 0 if dtype == "u8" else LEAST
            assert left == ((a << n) - low) % 2**64 + low if n < 64 else left == 0
            assert right == a >> n


@pytest.mark.parametrize("what", ["a << n", "a >> n", "a << -3"])
def test_negative_counts_raise_as_in_python(what):
    f = compiled(f"def f(a, n):\n    return {what}")
    for n in (-1, -64, LEAST):
        with pytest.raises(ValueError, match="negative shift count"):
            f(5, n)


def test_bits_that_are_lost_raise_where_overflow_does():
    f = compiled("def f(a, n):\n    return a << n", overflow="raise")
    for a in NUMBERS:
        for n in COUNTS:
            if a == 0 or (n < 64 and wrapped(a << n) == a << n):
                assert f(a, n) == (a << n if n < 64 else 0)
            else:
                with pytest.raises(OverflowError):
                    f(a, n)


def test_a_count_of_a_loop_is_not_asked_for():
    f = compiled(
        "def f(a):\n    t = 0\n    for k in range(0, 64, 8):\n        t += a >> k\n    return t"
    )
    assert f(-5) == sum(-5 >> k for k in range(0, 64, 8))
    text = f.inspect_llvm(f.signatures[0])
    assert "umin" not in text and "icmp ult" not in text


@pytest.mark.parametrize(
    "fault",
    [
        lambda build, count, shifted, *rest: shifted(count.parts[0]),
        lambda build, count, shifted, beyond, *rest: beyond(),
        lambda build, count, *rest: BY_COUNT(build, count, *rest[:2], True),
    ],
)
def test_a_wrong_way_is_found(monkeypatch, fault):
    monkeypatch.setattr(bitwise, "_by_count", fault)
    assert wrong()


def test_a_wrong_interval_of_counts_is_found(monkeypatch):
    monkeypatch.setitem(intervals.RULES, "&", lambda a, b: Interval(0, 63))
    assert wrong()
