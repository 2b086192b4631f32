"""Checks of triangular loops are left out where the loops' ranges say so, and only there."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import pipelines
from cutaway.ir.decisions import DONE
from cutaway.typing.analysis.ranges import Bounds, Ranges

UNCHECKED = pipelines.nopython.without("bounds_checks")


def above(t, n):
    s = 0.0
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for k in range(i + 1, j):
                s += t[i, k] + t[k + 1, j] + t[i + 1, j - 1]
    return s


def below(t, n):
    s = 0.0
    for i in range(n):
        for j in range(i - 1, -1, -1):
            s += t[i - 1, j] + t[j + 1, i]
    return s


def shifted(t, n):
    s = 0.0
    for i in range(n + 2):
        for j in range(i + 2, n):
            s += t[i + 2, j - 2]
    return s


def chains(t, n):
    s = 0.0
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            for k in range(i, j):
                s += t[i, k] + t[k + 1, j]
    return s


PROGRAMS = [above, below, shifted, chains]
SIZES = [(6, 6), (6, 5), (5, 6), (7, 4), (0, 0), (3, 9)]
NUMBERS = [6, 5, 7, 1, 0, -1, 2**63 - 1]


def outcome(function, t, n):
    try:
        return function(t, n)
    except IndexError as error:
        return str(error)


def differences(program):
    """The sizes and numbers for which the program does not do what it does with all checks."""
    ours, theirs = cutaway.jit(program), cutaway.jit(program, pipeline=UNCHECKED)
    far = program is not shifted and program is not chains  # which would run for years
    for rows, columns in SIZES:
        t = np.arange(1.0, 1 + rows * columns).reshape(rows, columns)
        for n in NUMBERS if far else NUMBERS[:6]:
            if outcome(ours, t, n) != outcome(theirs, t, n):
                yield rows, columns, n


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_they_do_the_same_with_and_without_the_pass(program):
    assert not list(differences(program))


@pytest.mark.parametrize("program", [above, shifted], ids=lambda f: f.__name__)
def test_the_checks_are_left_out(program):
    compilation = cutaway.trace(program, np.ones((6, 6)), 6)
    (record,) = [one for one in compilation.records if one.name == "bounds_checks"]
    assert {one.verdict for one in record.decisions} == {DONE}


def test_a_range_that_is_narrowed_too_far_is_found(monkeypatch):
    right = Ranges._narrowed

    def wrong(self, name, found, *args):
        narrowed = right(self, name, found, *args)
        if narrowed is found:
            return found
        return Bounds(narrowed.low.plus(1), narrowed.high.plus(-1), narrowed.conditions)

    monkeypatch.setattr(Ranges, "_narrowed", wrong)
    assert any(list(differences(program)) for program in (below, shifted))


def test_bounds_that_lead_back_to_each_other_come_to_an_end():
    def circling(a, places, n, k):
        for i in range(1, n - 1, 2):
            for j in range(places[i], i, 2):
                for m in range(j, (i + 1) * k):
                    if m == j:
                        a[j + m : i - j] = i + a[j + 1]

    found, wanted, places = np.zeros(60), np.zeros(60), np.arange(60) // 2
    cutaway.jit(circling)(found, places, 9, 3)
    circling(wanted, places, 9, 3)
    assert np.array_equal(found, wanted)
