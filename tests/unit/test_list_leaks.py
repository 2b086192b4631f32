"""Calls with lists leave references, memory and lists as they were, also where they raise.

Any in this file: lists of any items.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

import cutaway
from corpus.programs.cases import CASES
from corpus.programs.compare import outcome, quiet
from cutaway import typed
from cutaway.runtime import stats

pytestmark = pytest.mark.sampled(test=12, others=48, fast=0)

ROUNDS = 50
MODULES = "container dict heap list_alias list list_lending list_numpy list_typing native".split()
HOMES = {f"corpus.programs.{name}_cases" for name in MODULES}
OURS = [case for case in CASES if case.function.__module__ in HOMES]


def counted(value: Any) -> list[Any]:
    """The objects in arguments whose references are counted: lists, arrays, tuples, long texts."""
    if isinstance(value, list | tuple | typed.List):
        return [value, *(one for item in value for one in counted(item))]
    return [value] if isinstance(value, np.ndarray) else []


def held(objects: list[Any]) -> tuple[int, list[int]]:
    gc.collect()
    made, released = stats()
    return made - released, [sys.getrefcount(one) for one in objects]


@pytest.mark.slow
@pytest.mark.parametrize("case", OURS, ids=lambda case: case.name)
def test_calls_with_lists_leave_references_and_memory_as_they_were(case):
    compiled = cutaway.jit(case.function)
    gc.freeze()  # what other tests left need not be gone through again and again
    with quiet():
        for make in case.arguments[:: -(-len(case.arguments) // 4)]:
            left = [_left_by(compiled, make) for _ in range(3)][1:]
            assert [blocks for blocks, _ in left] == [0, 0], make
            assert min(objects for _, objects in left) < ROUNDS, make


def _left_by(compiled: Any, make: Any) -> tuple[int, int]:
    """The blocks of memory, and of Python's, that a number of calls leaves behind."""
    before = held([])[0], sys.getallocatedblocks()
    for _ in range(ROUNDS):
        outcome(compiled, make())
    return held([])[0] - before[0], sys.getallocatedblocks() - before[1]


@pytest.mark.parametrize(
    "items",
    (
        lambda: [np.arange(3), np.ones(2, np.int64)],
        lambda: ["a long text " * 5, "another one " * 3],
        lambda: [[1], [2, 3]],
        lambda: [([1.5], "text " * 9), ([], "more " * 7)],
    ),
)
@pytest.mark.parametrize("where", range(4))
def test_an_exception_releases_what_was_put_into_lists(items, where):
    @cutaway.jit
    def fails(items, where):
        other = [items[0]]
        items.append(items[0])
        if where == 0:
            raise ValueError("at once")
        other.extend(items)
        other[0] = other[-1]
        if where == 1:
            return other[99]
        rows = [other, items, other[:1]]
        rows.append(rows[0] + rows[1])
        if where == 2:
            del rows[5]
        rows.clear()
        return items.pop(77)

    def failing() -> tuple[int, list[int]]:
        given = items()
        objects = counted(given)
        with pytest.raises((ValueError, IndexError)):
            fails(given, where)
        assert len(given) == 3
        assert given[2] is given[0] or (type(given[0]) is tuple and given[2] == given[0])
        del given[2:]
        return held(objects)

    first = failing()
    for _ in range(5):
        assert failing() == first
