"""Branches that types decide: what users read about them, and that a wrong fact is noticed."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.typing import types
from cutaway.typing.inference import reached

TABLE = np.arange(6.0).reshape(2, 3)
READ_ONLY = np.arange(6.0).reshape(2, 3)
READ_ONLY.flags.writeable = False


def first(a):
    if a.ndim == 1:
        return a[0]
    return a[0, 0]


def halved(a):
    total = a.sum()
    if isinstance(total, int):
        return total >> 1
    return total / 2


def in_either_order(a, c):
    if a.flags.c_contiguous:
        return a[0, 0]
    return -a[0, 0] if c else a.T[0, 0]


def kept(a):
    if a.flags.writeable:
        a[0, 0] = a[0, 0]
    return a[0, 0]


def decisions(f, *args):
    """The decisions about branches, as they are told to users."""
    record = cutaway.jit(f).trace(*args).record
    return [one.reason for one in record.decisions if one.by == "decide_by_types"]


@pytest.mark.parametrize(
    ("f", "args", "reason"),
    [
        (first, (TABLE,), "false here, since `a.ndim` is 2, so what would be done if it holds"),
        (first, (TABLE[0],), "true here, since `a.ndim` is 1, so what would be done otherwise"),
        (halved, (TABLE,), "false here, since `total` is float64, so"),
        (halved, (TABLE.astype(int),), "true here, since `total` is int64, so"),
        (
            in_either_order,
            (TABLE, True),
            "true here, since `a` is in C order, so",
        ),
        (kept, (READ_ONLY,), "false here, since `a` is read-only, so"),
        (kept, (TABLE,), "true here, since `a` can be written to, so"),
    ],
)
def test_each_decision_says_what_decided_it(f, args, reason):
    (said,) = decisions(f, *args)
    assert reason in said and said.endswith("is not compiled")


def test_what_only_a_value_decides_is_left():
    assert decisions(in_either_order, TABLE[:, ::2], True) == []
    assert cutaway.jit(in_either_order)(TABLE[:, ::2], True) == -0.0


def test_a_wrong_fact_of_a_type_is_noticed(monkeypatch):
    monkeypatch.setattr(types.Array, "constant_attribute", lambda self, name: self.ndim - 1)
    assert cutaway.jit(lambda a: a.ndim + 0)(TABLE) != TABLE.ndim


def test_a_branch_that_nothing_decides_goes_both_ways(monkeypatch):
    def sign(n):
        if n > 0:
            return 1
        return -1

    monkeypatch.setattr(reached, "_taken", lambda op, known: reached.targets(op)[:1])
    assert cutaway.jit(sign)(-2) == 1  # a planted fault: the other side is lost
    monkeypatch.undo()
    assert cutaway.jit(sign)(-2) == -1
