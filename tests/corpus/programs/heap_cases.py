"""`heapq`, `bisect`, `functools.reduce`, and `zip` that ends in time."""

from __future__ import annotations

import bisect
import functools
import heapq
import operator

import numpy as np

from corpus.programs.cases import case

HEAPS = (
    ([3, 1, 2, 5, 4, 1, 0],),
    ([2.5, -0.0, float("inf"), 0.0, -1.0],),
    ([(1, "b"), (0, "c"), (1, "a"), (0, "c")],),
    (["b", "", "ab", "a"],),
    ([[2, 1], [], [3], [2]],),
    ([7],),
)
NUMBERS = (*HEAPS[:2], HEAPS[-1], ([],))

# --- heapq --------------------------------------------------------------------------------------


@case(*HEAPS)
def heap_made_at_once(items):
    heapq.heapify(items)
    return items


@case(*HEAPS)
def heap_of_pushes(items):
    heap = []
    for item in items:
        heapq.heappush(heap, item)
    return heap


@case(*HEAPS, ([],))
def heap_popped(heap):
    heapq.heapify(heap)
    out = []
    while heap:
        out.append(heapq.heappop(heap))
    return out


@case(*HEAPS)
def heap_push_and_pop(heap):
    last = heap[-1]
    heapq.heapify(heap)
    first = heapq.heappushpop(heap, last)
    return first, heapq.heapreplace(heap, last), heapq.heappushpop(heap, first), heap


@case(([],), ([1],))
def heap_pop_of_nothing(heap):
    heapq.heappop(heap)
    return heapq.heappop(heap)


@case(([],), ([2],))
def heap_replace_in_nothing(heap):
    return heapq.heapreplace(heap, 1), heap


@case(([], 3), ([1], 3))
def heap_push_pop_into_nothing(heap, item):
    return heapq.heappushpop(heap, item), heap


@case((5,))
def heap_of_display(x):
    heap = [x, 3, x - 4]
    heapq.heapify(heap)
    return heapq.heappop(heap), heap


@case((4,), (0,))
def heap_of_pairs(n):
    heap = []
    for k in range(n):
        heapq.heappush(heap, (-k / 2, k))
    return heap


@case((300,))
def heap_of_many(n):
    heap = [(k * 7919) % 1013 for k in range(n)]
    heapq.heapify(heap)
    for k in range(n):
        if heapq.heapreplace(heap, (k * 31) % 500) > 250:
            heapq.heappush(heap, k)
    return heap


@case((np.array([[0, 7, 9, -1], [7, 0, 1, 8], [9, 1, 0, 2], [-1, 8, 2, 0]]), 0))
def heap_of_shortest_ways(weights, start):
    ways = {}
    heap = [(0, start)]
    while heap:
        so_far, node = heapq.heappop(heap)
        if node in ways:
            continue
        ways[node] = so_far
        for other in range(len(weights)):
            if weights[node, other] >= 0 and other not in ways:
                heapq.heappush(heap, (so_far + weights[node, other], other))
    return ways


@case(*[(items, n) for (items,) in HEAPS for n in (-1, 0, 1, 2, 20)])
def heap_firsts(items, n):
    return heapq.nsmallest(n, items), heapq.nlargest(n, items), items


@case(([3, -4, 1, 4, -1, 2], 3), ([], 2))
def heap_firsts_by_key(items, n):
    return heapq.nsmallest(n, items, key=abs), heapq.nlargest(n, items, key=lambda x: x % 3)


@case(([3, -4, 1, 4, -1, 2], 3))
def heap_firsts_of_iterables(items, n):
    return heapq.nsmallest(n, (x * x for x in items)), heapq.nlargest(n, set(items))


@case(([3.0, float("nan"), 1.0, 2.0, 0.5], 2))
def heap_firsts_beside_nan(items, n):
    return heapq.nsmallest(n, items), heapq.nlargest(n, items)


@case(({"a": 3, "b": 1, "c": 2, "d": 3}, 3))
def heap_most_common(counts, n):
    return heapq.nlargest(n, counts.items(), key=lambda pair: pair[1])


# --- bisect -------------------------------------------------------------------------------------

SORTED = [1, 3, 3, 5]


@case((SORTED, 3), (SORTED, 0), (SORTED, 9), (SORTED, 2.5), (tuple(SORTED), 3), (range(9), 4))
@case((np.array(SORTED), 3), ([], 1))
def bisect_places(items, x):
    return bisect.bisect_left(items, x), bisect.bisect_right(items, x), bisect.bisect(items, x)


@case(
    *[(SORTED, 3, *ends) for ends in ((0, 2), (2, 4), (3, 1), (0, -1), (1, -2), (-1, 2))],
    (SORTED, 9, 0, 20),
    (np.array(SORTED), 9, 0, 20),
)
def bisect_between(items, x, low, high):
    return bisect.bisect_left(items, x, low, high), bisect.bisect(items, x, lo=low, hi=high)


@case(([(1, "a"), (2, "b"), (2, "c")], 2))
def bisect_by_key(items, x):
    def first(pair):
        return pair[0]

    return bisect.bisect_left(items, x, key=first), bisect.bisect(items, x, 1, key=first)


@case((["a", "b", "d"], "c"), ([(1, 2), (3, 4)], (1, 2)), ([[1], [2, 3]], [2]))
def bisect_others(items, x):
    return bisect.bisect_left(items, x), bisect.bisect(items, x)


@case((SORTED, 3), (SORTED, 0), ([], 1), ([0.5], 2.0))
def insort_one(items, x):
    bisect.insort(items, x)
    bisect.insort_left(items, x, 0, len(items) - 1)
    return items


@case(([-1, 2, -3], -2))
def insort_by_key(items, x):
    bisect.insort_right(items, x, key=abs)
    bisect.insort_left(items, x, key=abs)
    return items


@case((10,), (0,))
def insort_into_empty(n):
    items = []
    for k in range(n):
        bisect.insort(items, ((k * 7) % 5, k))
    return items


# --- reduce -------------------------------------------------------------------------------------


@case(([1, 2, 3],), ((1, 2, 3),), (range(1, 6),), ({2: 1, 3: 1},))
def reduce_numbers(items):
    product = functools.reduce(lambda a, b: a * b, items)
    return product, functools.reduce(operator.add, items), functools.reduce(max, items, 2)


@case(([],), ([1.5],))
def reduce_few(items):
    start = functools.reduce(lambda a, b: a - b, items, 10)
    return start, functools.reduce(lambda a, b: a - b, items)


@case(([[1, 2], [], [3]],))
def reduce_to_lists(rows):
    return functools.reduce(lambda a, b: a + b, rows, [0])


@case((5,))
def reduce_generator(n):
    return functools.reduce(lambda a, b: a * 10 + b, (k * k for k in range(n)))


@case((["a", "b", "c"],))
def reduce_to_dict(words):
    def put(table, word):
        table[word] = len(table)
        return table

    return functools.reduce(put, words, {})


# --- zip ----------------------------------------------------------------------------------------


@case(([1, 2, 3, 4],), ([1, 2],), ([1],))
def zip_asks_in_order(items):
    rest = iter(items)
    taken = [pair for pair in zip(range(2), rest)]
    return taken, next(rest, -1)


@case(([[1], [2]], [[3]]), ([[1]], [[3], [4]]), ([], []))
def zip_of_lists(first, second):
    return [a + b for a, b in zip(first, second)]


@case(([1, 2], [3, 4]), ([1, 2], [3]), ([1], [3, 4]), ([[1]], ["a", "b"]), ([], []))
def zip_strict(first, second):
    return [pair for pair in zip(first, second, strict=True)]


@case(([1], [2], [3, 4]), ([1], [2, 5], [3, 4]), ([1, 1], [2, 5], [3]), ([1], [2], [3]))
def zip_strict_of_three(first, second, third):
    return [row for row in zip(first, second, third, strict=True)]
