"""Whose memory a result has, whether it may be written to, and in which order it lies."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from fuzz.comparing_calls import Outcome, difference, memory_difference, outcome

LINE, TABLE = np.arange(4.0), np.arange(6.0).reshape(2, 3)
COLUMNS = np.asfortranarray(TABLE)
GAPS = np.arange(8.0)[::2]
LOCKED = np.arange(3.0)
LOCKED.flags.writeable = False
NONE = np.zeros(0, np.int64)

PROGRAMS = [
    # One dimension is in both orders.
    (lambda a: np.asfortranarray(a), LINE),
    (lambda a: np.asarray(a, order="F"), LINE),
    (lambda a: np.array(a, copy=None, order="F"), LINE),
    (lambda a: np.require(a, None, "F"), LINE),
    (lambda a: np.asfortranarray(a), LOCKED),
    # So is a table of one row, and what has no elements, which is known when it runs.
    (lambda a: np.asfortranarray(a), TABLE[:1]),
    (lambda a: np.asfortranarray(a), TABLE[:, :1]),
    (lambda a: np.ascontiguousarray(a), COLUMNS[:1]),
    (lambda a: np.asfortranarray(a), TABLE[:0]),
    (lambda a: np.asfortranarray(a), TABLE),
    (lambda a: np.asfortranarray(a), COLUMNS),
    (lambda a, n: np.ascontiguousarray(a[n:]), TABLE, 1),
    (lambda a, n: np.ascontiguousarray(a[:, n:]), TABLE, 0),
    (lambda a: np.ascontiguousarray(a), GAPS),
    # What is broadcast is read-only, also where nothing changes.
    (lambda a: np.broadcast_to(a, (4,)), LINE),
    (lambda a: np.broadcast_to(a, a.shape), TABLE),
    (lambda a: np.broadcast_to(a, (2, 4)), LINE),
    # Nothing is done.
    (lambda a: np.diff(a, 0), LINE),
    (lambda a, n: np.diff(a, n), LINE, 0),
    (lambda a, n: np.diff(a, n, 0), COLUMNS, 0),
    (lambda a: np.diff(a, 0), LOCKED),
    (lambda a: np.diff(a, 1), LOCKED),
    (lambda a, n: np.linalg.matrix_power(a, n), TABLE[:, :2], 1),
    (lambda a: np.linalg.matrix_power(a, 1), TABLE[:, :2]),
    # All are in Fortran order.
    (lambda a: np.concatenate((a, a)), COLUMNS),
    (lambda a: np.concatenate((a, a), 1), COLUMNS),
    (lambda a: np.concatenate((a, a + 1, a), -1), COLUMNS),
    (lambda a: np.vstack((a, a)), COLUMNS),
    (lambda a: np.hstack((a, a)), COLUMNS),
    (lambda a: np.concatenate((a, a.T.copy().reshape(2, 3))), COLUMNS),
    (lambda a: np.argwhere(a), TABLE),
    (lambda a: np.argwhere(a), LINE),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_result_lies_where_numpys_does(number):
    program, *given = PROGRAMS[number]
    first, second = (
        [one[...] if isinstance(one, np.ndarray) else one for one in given] for _ in range(2)
    )
    expected, found = outcome(program, first), outcome(cutaway.jit(program), second)
    assert difference(expected, found, "") == ""


def test_a_store_through_a_result_reaches_the_argument():
    @cutaway.jit
    def f(a):
        b = np.asfortranarray(a)
        b[0] = 7.0
        np.diff(a, 0)[1] = 8.0
        return b

    a = np.zeros(3)
    f(a)
    assert a.tolist() == [7.0, 8.0, 0.0]


def test_an_array_of_one_dimension_has_one_type_for_both_orders():
    array = cutaway.types.Array
    assert array(cutaway.float64, 1, "F") is array(cutaway.float64, 1, "C")
    assert array(cutaway.float64, 0, "F") is array(cutaway.float64, 0, "C")
    assert array(cutaway.float64, ndim=1, layout="F") is array(cutaway.float64, 1, "C")
    assert array(cutaway.float64, 2, "F") is not array(cutaway.float64, 2, "C")


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (lambda a: a, lambda a: a.copy(), "memory"),
        (lambda a: a[:], lambda a: np.broadcast_to(a, a.shape), "writeable"),
        (lambda a: np.ones((2, 3)), lambda a: np.ones((2, 3), order="F"), "order"),
        (lambda a: np.ones((4, 4))[::2, ::2], lambda a: np.ones((4, 6))[::2, ::2], "strides"),
        (lambda a: (1, a), lambda a: (1, a.copy()), "memory"),
        (lambda a: a[::2], lambda a: a[::2], ""),
    ],
)
def test_what_differs_is_told(one, other, kind):
    a, b = np.zeros(4), np.zeros(4)
    assert memory_difference(Outcome(one(a), (a,)), Outcome(other(b), (b,))) == kind
