"""Python's functions of iterables, unpacking of any length, and loops over texts."""

from __future__ import annotations

import numpy as np

from corpus.programs.cases import case

ROWS = (([3, 1, 2],), ([],), ({3: 1, 1: 2},), ((4, 5, 4),), (range(3),), (["b", "a"],))
TEXTS = (("abcab",), ("",), ("ü€a",), ("\U0001f40d!",))


@case(([3, 1, 2],), ([5],), ({3: 1, 1: 2},), (range(4),), (["b", "a"],), (np.arange(3),))
def unpack_first_and_rest(items):
    first, *rest = items
    *front, last = items
    return first, rest, front, last


@case(([],), ([1],), ([1, 2],), ([1, 2, 3, 4],))
def unpack_both_ends(items):
    first, *middle, last = items
    middle.append(first)
    return middle, last


@case(([1, 2],), ([],), ([1],), ([1, 2, 3],), ({7: 1, 8: 2},), (["a", "b"],), ("xy",), ("xyz",))
def unpack_two(items):
    a, b = items
    return a, b


@case(([[1, 2], [3, 4, 5]],), ([[1, 2]],))
def unpack_nested_rows(rows):
    (a, b), (c, *d) = rows
    return a, b, c, d


@case(([3, -4, 2],), ({3: 1, -4: 2},), ((4, 5, -6),), (range(3),))
def least_by_key(items):
    return min(items, key=abs), max(items, key=lambda x: -x), max(items, key=abs, default=0)


@case(([],), ({},))
def least_of_nothing(items):
    return min(items, default=4), max(items, key=lambda x: x, default=5), max(items)


@case(([3, 1, 2],))
def least_of_iterators(items):
    table = dict(zip(items, items[::-1]))
    pairs = max(enumerate(items)), min(zip(items, items[1:])), max(iter(items))
    return pairs, min(table.values()), max(table.items(), key=lambda pair: pair[1])


@case(*TEXTS)
def text_characters(text):
    out = []
    for c in text:
        out.append(c)
    return out, list(text), sorted(text), [c + "." for c in text if c != "b"]


@case(*TEXTS)
def text_as_set(text):
    letters = set(text)
    return len(letters), "a" in letters, sorted(letters), list(enumerate(text))


@case(*TEXTS)
def text_counted(text):
    counts = {}
    for c in text:
        counts[c] = counts.get(c, 0) + 1
    return counts, dict(zip(text, range(9))), min(text, default="-")


@case((3,))
def text_constant(n):
    return [c for c in "héllo"][:n], max("abc"), {c: ord(c) for c in "xyz"}


@case(("abc", "abd"))
def texts_together(first, second):
    return (
        [a == b for a, b in zip(first, second)],
        list(map(ord, first)),
        list(reversed(list(second))),
    )


@case(*ROWS)
def dict_from_keys(items):
    return dict.fromkeys(items, 0), list(dict.fromkeys(items))


@case(({1: 2.5, 3: 4.5},), ({},), ({"a": 1, "b": 2},))
def dict_backward(table):
    return (
        list(reversed(table)),
        [x for x in reversed(table.values())],
        list(reversed(table.items())),
    )


@case(([[1], [2, 3], []],), ([],), ([[]],))
def sum_of_lists(rows):
    return sum(rows, []), sum(rows, start=[0]) if rows else [], rows


@case(((3, 1, 2),), ((1.5, -2.0),))
def sorted_tuple(items):
    made = sorted(items)
    made.append(items[0])
    return made, sorted(items, key=abs, reverse=True)


@case(([4, 5],))
def enumerate_from(items):
    return (
        list(enumerate(items, start=3)),
        list(enumerate(items, -1)),
        [k for k, _ in enumerate(items)],
    )
