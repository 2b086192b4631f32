"""`map`, `filter`, `itertools`, `heapq.merge`: values, empty ones, laziness, and errors."""

from __future__ import annotations

import heapq
import itertools
import math

import numpy as np

from corpus.programs.cases import case

ITEMS = (([3, 0, 2, 0, 5],), ([],), ((1.5, 0.0, 2.5),), (range(1, 6, 2),), (np.arange(4),))
FEW = (([1, 2, 3],), ([],), ((4, 5),), (range(3),))
TEXTS = (["b", "", "ab"],)
LISTS = ([[1], [], [2, 3]],)

# --- map and filter -------------------------------------------------------------------------------


@case(*ITEMS)
def map_lambda(items):
    return [x for x in map(lambda x: x * 2 + 1, items)], sum(map(abs, items))


@case(*FEW)
def map_over_several(items):
    return list(map(lambda a, b: a * 10 + b, items, range(2)))


@case(([1, 8, 3],))
def map_over_three(items):
    return list(map(max, items, items, [7, 0, 9])), list(map(pow, items, items))


@case(TEXTS, LISTS)
def map_of_lengths(items):
    return list(map(len, items)), max(map(len, items)), sorted(map(len, items))


@case(([1, 2, 3],))
def map_is_lazy(items):
    seen = [0]

    def look(x):
        seen.append(x)
        return x * x

    squares = map(look, items)
    before = len(seen)
    first = next(squares)
    return before, first, len(seen), list(squares), seen


@case(([1, 0, 2],))
def map_raises(items):
    out = []
    for x in map(lambda x: 6 // x, items):
        out.append(x)
    return out


@case(*ITEMS)
def filter_items(items):
    return list(filter(None, items)), [x for x in filter(lambda x: x > 1, items)]


@case(TEXTS, LISTS)
def filter_by_truth(items):
    return list(filter(None, items)), list(filter(len, items))


@case(([1, 2, 3, 4, 5, 6],))
def map_of_filter(items):
    return sum(map(lambda x: x * x, filter(lambda x: x % 2, items))), set(
        map(lambda x: x % 3, items)
    )


@case(([3, 1, 2],))
def iter_of_function(items):
    rest = iter(items)
    taken = list(iter(lambda: next(rest, -1), 2))
    return taken, next(rest, 0)


# --- itertools: one after the other ---------------------------------------------------------------


@case(*ITEMS)
def chain_iterables(items):
    out = []
    for x in itertools.chain(items, [7, 8], items):
        out.append(x * 2.0)
    return out, list(itertools.chain()), sum(itertools.chain(items))


@case(LISTS, ([(1, 2), (3, 4)],), ([],))
def chain_from_iterable(rows):
    return list(itertools.chain.from_iterable(rows))


@case(({1: 2, 3: 4}, {5}))
def chain_dict_and_set(table, items):
    return list(itertools.chain(table, items, table.values())), list(itertools.chain(table.items()))


@case((3,), (-2,))
def count_until(start):
    out = []
    for x in itertools.count(start, 2):
        if x > 8:
            break
        out.append(x)
    return out, [k for k, _ in zip(itertools.count(), out)], next(itertools.count(step=3, start=1))


@case(*FEW, TEXTS)
def cycle_items(items):
    return list(itertools.islice(itertools.cycle(items), 7))


@case((2,), (0,), (-1,))
def repeat_item(n):
    return list(itertools.repeat(n, n)), list(itertools.repeat("a", times=n))


@case(([5, 6],))
def repeat_without_end(items):
    return list(map(pow, items, itertools.repeat(2)))


@case(*ITEMS)
def accumulate_items(items):
    sums = list(itertools.accumulate(items))
    return (
        sums,
        list(itertools.accumulate(items, max)),
        list(itertools.accumulate(items, initial=1.5)),
    )


@case(*FEW)
def accumulate_by_function(items):
    products = list(itertools.accumulate(items, lambda a, b: a * b))
    return products, list(itertools.accumulate(items, func=lambda a, b: a - b, initial=10))


@case(*ITEMS)
def compress_items(items):
    return list(itertools.compress(items, [1, 0, 1, 1])), list(itertools.compress(items, items))


@case(*ITEMS)
def drop_and_take_while(items):
    dropped = list(itertools.dropwhile(lambda x: x != 2, items))
    return dropped, list(itertools.takewhile(lambda x: x != 2, items))


@case(*ITEMS)
def filter_false(items):
    return list(itertools.filterfalse(None, items)), list(
        itertools.filterfalse(lambda x: x > 1, items)
    )


@case(([3, 1, 2],))
def take_while_takes_one_more(items):
    rest = iter(items)
    taken = list(itertools.takewhile(lambda x: x > 2, rest))
    return taken, list(rest)


@case(([(2, 5), (3, 2)],), ([],))
def starmap_pairs(pairs):
    return list(itertools.starmap(pow, pairs)), sum(itertools.starmap(lambda a, b: a - b, pairs))


@case(*FEW, TEXTS)
def pairwise_items(items):
    return list(itertools.pairwise(items))


@case(([0, 1, 2, 3, 4, 5, 6],), ([],), (range(3),))
def islice_items(items):
    first = list(itertools.islice(items, 3)), list(itertools.islice(items, 0))
    middle = list(itertools.islice(items, 1, 5)), list(itertools.islice(items, 1, None, 3))
    return first, middle, list(itertools.islice(items, None)), list(itertools.islice(items, 2, 2))


@case(([0, 1, 2, 3, 4, 5, 6], 2), ([0, 1], 5), ([0, 1], 0))
def islice_leaves_the_rest(items, n):
    rest = iter(items)
    first, after = list(itertools.islice(rest, n)), next(rest, -1)
    return first, after, list(itertools.islice(rest, 0, 3, 2)), list(rest)


@case(([1], -1, 0, 1), ([1], 0, -1, 1), ([1], 0, 1, 0), ([1, 2], 0, 1, 5))
def islice_checks(items, start, stop, step):
    return list(itertools.islice(items, start, stop, step))


@case(([1, 2, 3, 4],), ([],))
def tee_iterators(items):
    first, second = itertools.tee(x * x for x in items)
    begun = next(first, 0), next(first, 0)
    return begun, list(second), list(first), list(second), len(itertools.tee(items, 0))


@case(
    ([1, 2, 3],),
)
def tee_three(items):
    first, second, third = itertools.tee(items, 3)
    return list(map(max, first, second)), list(third)


@case(([1, 1, 2, 2, 2, 1],), ([],), (["a", "a", "b"],), ([1.5],))
def groupby_items(items):
    return [(key, list(group)) for key, group in itertools.groupby(items)]


@case(([1, 2, 4, 5, 7, 8, 10],))
def groupby_key(items):
    sums = []
    for key, group in itertools.groupby(items, lambda x: x // 3):
        sums.append((key, sum(group)))
    return sums, [key for key, _ in itertools.groupby(items, key=lambda x: x // 4)]


@case(([1, 1, 1, 2, 2, 3],))
def groupby_left_groups(items):
    out = []
    for key, group in itertools.groupby(items):
        out.append((key, next(group)))
    return out


# --- itertools: several at once -------------------------------------------------------------------


@case(([1, 2], ["a", "b"]), ([], [1]), ((1, 2), (2.5,)), (range(2), {3: 4}))
def product_of_two(first, second):
    return list(itertools.product(first, second)), list(itertools.product(second))


@case(([1, 2, 3],))
def product_reads_at_its_call(items):
    rest = iter(items)
    pairs, after = itertools.product(rest, repeat=2), next(rest, -1)
    chosen = itertools.combinations(items, 2)
    items.append(4)
    return next(pairs), after, list(chosen)


@case(([1, 2],), ([],))
def product_repeated(items):
    both = list(itertools.product(items, repeat=2)), list(itertools.product())
    return (
        both,
        list(itertools.product(items, [0], repeat=2)),
        list(itertools.product(items, repeat=0)),
    )


@case(([1, 2, 3, 4],), ([],), ((1, 2),), (range(4),), (["a", "b", "c"],))
def combinations_of_items(items):
    pairs = list(itertools.combinations(items, 2)), list(itertools.combinations(items, r=3))
    again = list(itertools.combinations_with_replacement(items, 2))
    return pairs, again, list(itertools.combinations(items, 0))


@case(([1, 2, 3],), ([],), ((1, 2),))
def permutations_of_items(items):
    return list(itertools.permutations(items, 2)), list(itertools.permutations(items, 3))


@case(([3, 1, 4, 1, 5],))
def combinations_in_loops(items):
    best = 0
    for a, b, c in itertools.combinations(items, 3):
        if a == 1:
            continue
        if a + b + c > 10:
            best = a * b * c
            break
    else:
        best = -1
    return best


@case(([1, 2, 3], [4]), ([], [1]), ([], []), ((1, 2), range(5)))
def zip_to_the_longest(first, second):
    whole = list(itertools.zip_longest(first, second))
    return whole, list(itertools.zip_longest(first, second, [7, 8], fillvalue=-1))


@case(([1, 4, 6], [2, 3, 7], [0, 9]), ([], [1], []), ([1, 1], [1], []))
def merge_sorted(first, second, third):
    return list(heapq.merge(first, second, third)), list(heapq.merge(first)), list(heapq.merge())


@case(([(1, 1), (2, 1)], [(1, 2), (2, 2)]))
def merge_is_stable(first, second):
    by_first = list(heapq.merge(first, second, key=lambda pair: pair[0]))
    return by_first, list(heapq.merge(first[::-1], second[::-1], reverse=True))


# --- what takes all items -------------------------------------------------------------------------


@case(*ITEMS)
def builtins_take_all(items):
    squares = list(x * x for x in items), set(x // 1 for x in items)
    return squares, dict((x, x + 1) for x in items), sorted((-x for x in items), reverse=True)


@case(([3, -4, 1],), ([],))
def min_and_max_by_key(items):
    low = min((x for x in items), key=abs, default=9), max(map(abs, items), default=0)
    return (
        low,
        max((x for x in items), key=lambda x: -x, default=9),
        sorted(map(abs, items), key=math.cos),
    )


@case(([],), ([2, 1],))
def min_of_nothing(items):
    return max(filter(None, items), key=lambda x: -x)


@case(([4, 5],))
def iterator_taken_twice(items):
    squares = map(lambda x: x * x, items)
    return list(squares), list(squares), sum(squares)


@case(([[1], [2]],))
def lists_yielded(rows):
    def longer(rows):
        for row in rows:
            yield row + [0]

    return [row for row in longer(rows)], list(map(lambda row: row + [1], rows))
