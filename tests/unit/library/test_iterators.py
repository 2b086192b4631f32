"""`heapq`, `bisect` and `itertools` beside Python's own, over random lists: order, ends, errors."""

from __future__ import annotations

import bisect
import heapq
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

import cutaway

pytestmark = pytest.mark.sampled(test=4, others=12, fast=0)

ROUNDS = 150


def course_of_a_heap(heap, numbers):
    """Push, pop and replace, as the numbers say."""
    heapq.heapify(heap)
    out = []
    for number in numbers:
        kind = number % 5
        if kind < 2:
            heapq.heappush(heap, number)
        elif kind == 2 and heap:
            out.append(heapq.heappop(heap))
        elif kind == 3:
            out.append(heapq.heappushpop(heap, number))
        else:
            out.append(heapq.heapreplace(heap, number))
    return out, heap


def sorted_by_a_heap(items, numbers):
    heap = []
    for item in items:
        heapq.heappush(heap, (item % 7, item))
    return [heapq.heappop(heap) for _ in range(len(heap))]


def firsts(items, numbers):
    return [
        (heapq.nsmallest(n, items), heapq.nlargest(n, items, key=lambda x: x % 10))
        for n in (-1, 0, 1, 2, 5, len(items), 400)
    ]


def merged(items, numbers):
    first, second = sorted(items), sorted(numbers)
    both = list(heapq.merge(first, second, first[::2]))
    backward = list(heapq.merge(first[::-1], second[::-1], reverse=True))
    return both, backward, list(heapq.merge(first, second, key=lambda x: x // 8))


def places(items, numbers):
    items.sort()
    out = []
    for x in numbers:
        out.append((bisect.bisect_left(items, x), bisect.bisect(items, x)))
        low, high = abs(x) % 4, min(len(items), abs(x) % 9)
        out.append((bisect.bisect_left(items, x, low, high), bisect.bisect(items, x, low, high)))
        out.append((bisect.bisect_left(items, x // 2, key=lambda y: y // 2), 0))
        bisect.insort(items, x)
        bisect.insort_left(items, x)
    return out, items


def indices_out_of_range(items, numbers):
    return bisect.bisect(items, numbers[0], len(items) - 5, len(items) + 4)


def groups(items, numbers):
    whole = [(key, list(group)) for key, group in itertools.groupby(items, lambda x: x % 2)]
    first = [(key, next(group)) for key, group in itertools.groupby(sorted(numbers))]
    return whole, first


def slices(items, numbers):
    out = []
    for n in numbers[:6]:
        start, stop, step = n % 5, abs(n) % 23, abs(n) % 4 + 1
        rest = iter(items)
        out.append(list(itertools.islice(rest, start, stop, step)))
        out.append(list(itertools.islice(rest, n % 3)))
        out.append(list(rest))
    return out


def tuples(items, numbers):
    few = items[:5]
    pairs = list(itertools.product(few, numbers[:3])), list(itertools.product(few, repeat=3))
    chosen = list(itertools.combinations(few, 3)), list(itertools.permutations(few, 3))
    return pairs, chosen, list(itertools.combinations_with_replacement(few, 3))


def longest(items, numbers):
    return (
        list(itertools.zip_longest(items, numbers, fillvalue=-1)),
        list(itertools.zip_longest(items, numbers[:3], items[::2])),
    )


def one_by_one(items, numbers):
    middle = list(itertools.dropwhile(lambda x: x < 40, items))
    before = list(itertools.takewhile(lambda x: x < 40, itertools.chain(items, numbers)))
    sums = list(itertools.accumulate(items)), list(itertools.accumulate(numbers, max, initial=3))
    odd = list(itertools.filterfalse(lambda x: x % 2, itertools.compress(items, numbers)))
    return middle, before, sums, odd, list(itertools.pairwise(items))


def shared(items, numbers):
    first, second = itertools.tee(items)
    out = []
    for number in numbers:
        out.append(next(first, -1) if number % 2 else next(second, -2))
    return out, list(first), list(second)


PROGRAMS: tuple[Callable[..., Any], ...] = (
    *(course_of_a_heap, sorted_by_a_heap, firsts, merged, places, indices_out_of_range, groups),
    *(slices, tuples, longest, one_by_one, shared),
)


def outcome(function: Callable[..., Any], *args: list[int]) -> Any:
    """The result, and the arguments afterward; or the exception."""
    try:
        return function(*args), args
    except (IndexError, ValueError) as error:
        return type(error), str(error), args


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_random_lists(program):
    compiled, random_numbers = cutaway.jit(program), random.Random(program.__name__)
    for _ in range(ROUNDS):
        sizes = random_numbers.randrange(30), random_numbers.randrange(1, 20)
        items, numbers = ([random_numbers.randrange(-9, 60) for _ in range(size)] for size in sizes)
        expected = outcome(program, list(items), list(numbers))
        assert outcome(compiled, list(items), list(numbers)) == expected
