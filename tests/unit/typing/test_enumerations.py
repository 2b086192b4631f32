"""The places that `enumerate` counts are counters: indices by them are tested before the loop."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway


def doubled(a, out):
    for i, x in enumerate(a):
        out[2 * i] = x
        out[2 * i + 1] = -x


def differences(a, out):
    for i, x in enumerate(a):
        out[i] = x - a[i - 1]


def from_one(a, out):
    for i, x in enumerate(a, 1):
        out[i] = x


def of_a_part(a, out):
    for i, x in enumerate(a[::2]):
        out[i] = x + a[i]


def after_the_end(a, out):
    for i, x in enumerate(a):
        out[i + 1] = x


def of_rows(a, out):
    table = a.reshape(-1, 1)
    for i, row in enumerate(table):
        out[i] = row[0] + table[i, 0]


def outcome(function, size, room):
    out = np.zeros(room, np.int64)
    try:
        function(np.arange(1, size + 1), out)
    except IndexError as error:
        return str(error), out.tolist()
    return "", out.tolist()


PROGRAMS = (doubled, differences, from_one, of_a_part, after_the_end, of_rows)


@pytest.mark.parametrize("function", PROGRAMS)
def test_loops_over_enumerate_do_what_python_does(function):
    compiled = cutaway.jit(function)
    for size in (0, 1, 2, 5):
        for room in (0, 1, 2, 4, 5, 6, 9, 10):
            assert outcome(compiled, size, room) == outcome(function, size, room)


@pytest.mark.parametrize("function, proved", [(doubled, True), (from_one, False)])
def test_what_is_counted_from_zero_is_tested_before_the_loop(function, proved):
    c = cutaway.trace(function, np.arange(4), np.zeros(9, np.int64))
    assert ("once before the loop" in str(c.remarks)) == proved
