"""Object mode keeps no memory: functions that are called again and again leave nothing behind."""

from __future__ import annotations

import gc
import sys

import pytest

import corpora
import cutaway
from control.cases import Case, outcome
from objects.test_machine_code import CASES

EVERY = 15  # functions of which a run takes one
ROUNDS = 120
MOST = 60  # blocks that caches of Python's take now and then; a leak is one of each round


def kept(case: Case) -> int:
    """The memory, in blocks, that some rounds of calls leave behind at the least."""
    compiled = cutaway.jit(forceobj=True)(case.function)
    found = []
    before = 0
    for _ in range(5):
        for _ in range(ROUNDS):
            for args in case.calls:
                outcome(compiled, case, args)
        gc.collect()
        now = sys.getallocatedblocks()
        found.append(now - before)
        before = now
    return min(found[2:])


@pytest.mark.parametrize("case", corpora.sample(EVERY, CASES), ids=lambda case: case.name)
def test_nothing_is_left_behind(case: Case):
    assert kept(case) <= MOST
