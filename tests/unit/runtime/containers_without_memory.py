"""Operations of containers while each allocation of the runtime fails in turn; it runs in a process
whose allocations can fail (`failing_allocations.c`)."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable
from typing import Any

import cutaway
from cutaway.runtime import stats

TEXTS = [letter * 40 for letter in "cabd"]
LISTS = [[3], [1, 2], [], [5]]
NUMBERS = [3.5, 1.0, 2.0, 7.5, -1.0] * 8


def store_slice(items):
    items[1:2] = items + items


def store_shorter_slice(items):
    items[1:3] = items[:1]


def extend(items):
    items.extend(items + items)


def insert(items):
    for _ in range(9):
        items.insert(1, items[0])


def append(items):
    for _ in range(9):
        items.append(items[0])


def sort(items):
    items.sort()


def sort_by_key(items):
    items.sort(key=len)


def repeat(items):
    items *= 5


def new_lists(items):
    made = [items + items, items * 3, sorted(items), items[::2], [one for one in items]]
    return len(made)


def count(items):
    counts = {}
    for item in items + items:
        counts[item] = counts.get(item, 0) + 1
    return len(counts)


def fill(table):
    for k in range(40):
        table[k] = [k]


def update(table):
    table.update({k: [k] for k in range(30)})
    return len(table | table)


def add(items):
    for k in range(40):
        items.add(k)


def unite(items):
    items |= {k for k in range(30)}
    return len(items & items) + len(items ^ {1, 2}) + len(items - {1})


CASES: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = (
    *((function, (TEXTS, LISTS)) for function in (store_slice, store_shorter_slice, extend)),
    *((function, (TEXTS, LISTS, NUMBERS)) for function in (insert, append, sort, repeat)),
    (sort_by_key, (TEXTS, LISTS)),
    (new_lists, (TEXTS, LISTS, NUMBERS)),
    (count, (TEXTS, NUMBERS)),
    *((function, ({1: [1], 2: [5]}, {0: [0]})) for function in (fill, update)),
    *((function, ({1, 2}, {0})) for function in (add, unite)),
)


def main() -> None:
    """Run all cases; raise AssertionError where something is lost, or memory is."""
    fail_after = ctypes.CDLL(None).fail_after
    fail_after.argtypes = [ctypes.c_long]
    failures = 0
    for function, arguments in CASES:
        compiled = cutaway.jit(function)
        for given in arguments:
            expected = copy.deepcopy(given)
            function(expected)
            compiled(copy.deepcopy(given))
            number = 0
            while True:
                own = copy.deepcopy(given)
                before = stats()[0] - stats()[1]
                fail_after(number)
                try:
                    compiled(own)
                    assert own == expected, (function, number, own)
                except MemoryError:
                    check_nothing_is_lost(own, given, expected, (function, number))
                has_failed = fail_after(-1)
                assert stats()[0] - stats()[1] == before, (function, number, "memory")
                if not has_failed:
                    break
                failures += 1
                number += 1
    print(failures)


def check_nothing_is_lost(found: Any, given: Any, expected: Any, where: object) -> None:
    """Raise AssertionError if an item is missing that is there before and after the operation."""
    if isinstance(found, list):
        for item in given:
            least = min(given.count(item), expected.count(item))
            assert found.count(item) >= least, (where, found)
    else:
        assert set(found) >= set(given), (where, found)


main()
