"""Dicts and sets: every method and operator, over keys and values of every type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corpus.programs.cases import case

# Dicts of each type of key and value.
DICTS: dict[str, Callable[[], dict[Any, Any]]] = {
    "ints to ints": lambda: {3: 1, -1: 2, 2**40: 5, 0: -7},
    "ints to floats": lambda: {1: 1.5, 2: -0.0, 3: float("inf")},
    "floats to ints": lambda: {0.5: 1, -2.25: 2, 1e300: 3},
    "bools to texts": lambda: {True: "yes", False: ""},
    "texts to ints": lambda: {"b": 1, "": 2, "ab": 3, "ü€": 4},
    "pairs to floats": lambda: {(1, 2): 0.5, (2, 1): 1.5, (0, 0): 2.5},
    "texts and ints to texts": lambda: {("a", 1): "x", ("b", 2): "yy"},
    "ints to lists": lambda: {1: [1, 2], 2: [], 3: [3]},
    "texts to dicts": lambda: {"a": {1: 2}, "b": {3: 4, 5: 6}},
    "ints to arrays": lambda: {1: np.arange(3.0), 2: np.zeros(2)},
    "ints to tuples": lambda: {1: (1, 2.5), 2: (3, 4.5)},
    "one": lambda: {7: 8},
}
PLAIN = tuple(name for name in DICTS if "arrays" not in name)
NUMBERS = ("ints to ints", "ints to floats", "floats to ints", "pairs to floats", "one")
SETS: dict[str, Callable[[], list[Any]]] = {
    "ints": lambda: [3, -1, 2, 2**40],
    "floats": lambda: [1.5, -2.25, 0.0],
    "texts": lambda: ["b", "", "ab", "ü€"],
    "pairs": lambda: [(1, 2), (2, 1), (0, 0)],
    "one": lambda: [7],
}


def of(*names: str) -> list[Callable[[], tuple[Any, ...]]]:
    """A dict of each of these kinds, as the one argument."""
    return [lambda name=name: (DICTS[name](),) for name in names or DICTS]


def with_key(*names: str) -> list[Callable[[], tuple[Any, ...]]]:
    """A dict, and its last key."""
    return [lambda name=name: (DICTS[name](), list(DICTS[name]())[-1]) for name in names or DICTS]


def pairs(*names: str) -> list[Callable[[], tuple[Any, ...]]]:
    """A dict, and another with some of its entries."""
    made = []
    for name in names or PLAIN:
        made.append(lambda name=name: (DICTS[name](), dict(list(DICTS[name]().items())[:1])))
        made.append(lambda name=name: (DICTS[name](), DICTS[name]()))
    return made


def two_sets() -> list[Callable[[], tuple[Any, ...]]]:
    """Two sets with some items in common."""
    made = []
    for name in SETS:
        made.append(lambda name=name: (set(SETS[name]()), set(SETS[name]()[1:])))
        made.append(lambda name=name: (set(SETS[name]()), set(SETS[name]())))
    return made


# --- dicts --------------------------------------------------------------------------------------


@case(*with_key())
def look_up(d, key):
    return d[key], key in d, key not in d, len(d), bool(d)


@case(*with_key(*PLAIN))
def removed(d, key):
    del d[key]
    try:
        d[key]
    except KeyError:
        return d, key in d, list(d)


@case(*with_key())
def popped(d, key):
    value = d.pop(key)
    return value, len(d), d


@case(*with_key(*PLAIN))
def popped_or(d, key):
    first = d[key]
    return d.pop(key, first), d.pop(key, first), d


@case(*of())
def last_item(d):
    pair = d.popitem()
    return pair, d


@case(*with_key(*PLAIN))
def read_or_default(d, key):
    value = d[key]
    del d[key]
    return d.get(key, value), d.setdefault(key, value), d.setdefault(key, value), d


@case(*with_key())
def read_or_none(d, key):
    return d.get(key) is None, d.get(key)


@case(*of())
def gone_through(d):
    keys = [key for key in d]  # noqa: C416
    values = [value for value in d.values()]  # noqa: C416
    items = [(key, value) for key, value in d.items()]
    return keys, values, items, len(d.items()), len(d.values())


@case(*of())
def copied(d):
    other = d.copy()
    other.clear()
    return len(other), d, other


@case(*pairs())
def merged(d, other):
    both = d | other
    d.update(other)
    return both, d == both, both == other, both != other


@case(*pairs())
def merged_in_place(d, other):
    d |= other
    return d, {**d, **other}, dict(other), dict(d.items()) == d


@case(*of(*NUMBERS))
def sums(d):
    return sum(d.values()), max(d.values()), min(d.values()), max(d), min(d), sorted(d)


@case(*of(*PLAIN))
def turned_into_others(d):
    return {key: value for key, value in d.items()}, list(d), sorted(d.keys()), d is d  # noqa: C416


@case(([1, 2, 1, 3, 1],), (["a", "b", "a"],), ([(1, 2), (1, 2)],), ([0.5, 0.5, -0.0, 0.0],))
def counted(items):
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


@case(([1, 2, 1, 3, 1],), (["a", "b", "a"],))
def grouped(items):
    groups = {}
    for place, item in enumerate(items):
        groups.setdefault(item, []).append(place)
    return groups


@case((0,), (1,), (10,), (1000,))
def many_keys(n):
    d = {}
    for k in range(n):
        d[k * 7919 % 1009] = k
    for k in range(0, n, 2):
        d.pop(k * 7919 % 1009, -1)
    for k in range(n):
        d[-k] = k
    total = 0
    for key in d:
        total = total * 3 + key + d[key]
        total %= 1000003
    return len(d), total


@case((3,), (40,))
def keys_in_the_highest_bits(n):
    d = {}
    for k in range(n):
        d[k << 56] = k
    return [d[k << 56] for k in range(n)], len(d)


@case((5,), (100,))
def fed_and_emptied(n):
    d = {}
    for k in range(n * 50):
        d[k] = k
        if len(d) > 3:
            d.pop(k - 3)
    return d, list(d)


@case((3,))
def changed_while_gone_through(n):
    d = {1: n}
    for key in d:
        d[key + 1] = n
    return d


@case(lambda: ({1: 2},), lambda: ({},))
def missing(d):
    return d[5]


@case(lambda: ({"a": 1},))
def missing_text(d):
    del d["b"]
    return d


@case((4,))
def remembered(n):
    memo = {}

    def fibonacci(k):
        if k < 2:
            return k
        if k not in memo:
            memo[k] = fibonacci(k - 1) + fibonacci(k - 2)
        return memo[k]

    return fibonacci(n), memo


@case(lambda: ({0: [1, 2], 1: [2], 2: [0, 3], 3: []},))
def reached(graph):
    seen, stack, order = set(), [0], []
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        stack.extend(graph[node])
    return order


@case(lambda: ({1: [1]},))
def one_list_twice(d):
    d[2] = d[1]
    d[2].append(5)
    d[1] += [6]
    return d, d[1] is d[2]


# --- sets ---------------------------------------------------------------------------------------


@case(*two_sets())
def algebra(a, b):
    return a | b, a & b, a - b, a ^ b, a == b, a != b, a <= b, a < b, a >= b, a > b


@case(*two_sets())
def algebra_by_name(a, b):
    three = a.union(b), a.intersection(b), a.difference(b)
    return three, a.symmetric_difference(b), a.isdisjoint(b)


@case(*two_sets())
def in_place(a, b):
    c, d, e = a.copy(), a.copy(), a.copy()
    a |= b
    c &= b
    d -= b
    e ^= b
    return a, c, d, e, a.issuperset(b), c.issubset(b)


@case(*two_sets())
def updated(a, b):
    c, d, e = a.copy(), a.copy(), a.copy()
    a.update(b)
    c.intersection_update(b)
    d.difference_update(b)
    e.symmetric_difference_update(b)
    return a, c, d, e, len(a), bool(d), not e


@case(*[lambda name=name: (SETS[name](),) for name in SETS])
def made_of_lists(items):
    own = set(items)
    first = items[0]
    own.discard(first)
    gone = first in own
    own.add(first)
    own.remove(first)
    return own, gone, sorted({item for item in items}), first not in own  # noqa: C416


@case((3,), (50,))
def squares(n):
    own = {k * k % 17 for k in range(n)}
    return sorted(own), sum(own), max(own), 4 in own, len(own)


@case(lambda: ({1, 2},), lambda: (set(),))
def a_missing_item(s):
    s.remove(7)
    return s


@case(lambda: (set(),))
def taken_from_nothing(s):
    return s.pop()


@case(lambda: ({5},))
def taken(s):
    return s.pop(), s


@case((2,))
def constants(n):
    return n in {1, 2, 3}, n not in {5, 6}, "a" in {"a", "b"}, {1, 2} == {2, 1}


@case((3,))
def a_set_changed_while_gone_through(n):
    s = {n}
    for item in s:
        s.add(item + 1)
    return s
