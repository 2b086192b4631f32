"""Object mode keeps no memory: functions that are called again and again leave nothing behind."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest

import corpora
import cutaway
from corpus.control.cases import Case, outcome
from objects.test_machine_code import CASES

pytestmark = pytest.mark.sampled(test=6, others=18, fast=15)

EVERY = 15  # functions of which a run takes one
ROUNDS = 120
MOST = 60  # blocks that caches of Python's take now and then; a leak is one of each round


def kept(function: Callable[..., Any], case: Case) -> int:
    """The memory, in blocks, that some rounds of calls leave behind at the least."""
    found = []
    before = 0
    for _ in range(5):
        for _ in range(ROUNDS):
            for args in case.calls:
                outcome(function, case, args)
        gc.collect()
        now = sys.getallocatedblocks()
        found.append(now - before)
        before = now
    return min(found[2:])


@pytest.mark.part
@pytest.mark.parametrize("case", corpora.sample(EVERY, CASES), ids=lambda case: case.name)
def test_nothing_is_left_behind(case: Case):
    left = kept(cutaway.jit(forceobj=True, looplift=False)(case.function), case)
    # A function may fill caches of Python's in Python as well.
    assert left <= MOST or left <= MOST + kept(case.function, case)
