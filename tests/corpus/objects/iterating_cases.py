"""Functions of Python that take iterables: `zip`, `map`, `sum`, `min`, `sorted` and the like."""

from __future__ import annotations

import functools
import itertools
import operator

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


def noted(items, log, name):
    """The items, with a note for each that is taken."""
    for item in items:
        log.append((name, item))
        yield item


@CASES.case(([1, 2, 3], "ab", []), ("abc", "xyz", [(1, 2, 3)]), ([], [], [5]))
def iterating_side_by_side(a, b, c):
    """`zip` ends with the shortest, or says that lengths differ."""
    found = [list(zip(a, b)), list(zip(a)), list(zip()), list(zip(*c)), dict(zip(a, b))]
    for items in (b, a[:1]):
        try:
            found.append(list(zip(a, items, strict=True)))
        except ValueError as error:
            found.append(said(error))
    return found, list(itertools.zip_longest(a, b, fillvalue=0))


@CASES.case(([],))
def iterating_side_by_side_takes_in_order(log):
    """`zip` takes from the first until one of them ends."""
    one, two = noted("abc", log, 1), noted("xy", log, 2)
    pairs = list(zip(one, two))
    return pairs, next(one, "ended"), next(two, "ended"), log


@CASES.case(([1, -2, 3],), ([],), (["1", "x"],), ((1.5, None),))
def iterating_with_functions(items):
    """`map` and `filter` are lazy, and raise where they are taken from."""
    made, kept = map(abs, items), filter(None, items)
    found = []
    try:
        found.append(next(kept, "none"))
        found.append(list(kept))
        found.append(list(made))
        found.append(list(map(operator.add, items, reversed(items))))
        found.append(list(map(lambda a, b: (a, b), items, "ab")))
        found.append(list(filter(lambda x: x > 1, items)))
    except TypeError as error:
        found.append(said(error))
    return found, next(made, "end")


@CASES.case(([1, 2.5, True],), ([],), (["a"],), ([[1], [2]],), ([1, "x"],), ([10**20, -1.0],))
def iterating_to_a_sum(items):
    """Sums with and without a start, which must be no text."""
    found = []
    for start in (0, 0.5, [], ""):
        try:
            found.append(sum(items, start))
        except TypeError as error:
            found.append(said(error))
    return found, sum(x for x in items if x == 1), sum(map(len, [items, items]))


@CASES.case(
    ([3, 1, 2],), ([],), (["b", "a", "C"],), ([1, "a"],), ([1, 1.0, True],), ([(1, 2), (1,)],)
)
def iterating_to_the_smallest(items):
    """`min` and `max` take the first of equal items, keys, and a default."""
    found = [min(items, default="none"), max(items, key=str, default="none")]
    try:
        found.append((min(items), max(items), min(items, key=repr)))
        found.append((min(*items), max(*items, 0)))
    except (ValueError, TypeError) as error:
        found.append(said(error))
    return found


@CASES.case(([0, "", 3, None],), ([],), ([1, 2],), ([[]],))
def iterating_to_any_and_all(items):
    """Both stop at the first item that decides."""
    log = []
    found = any(noted(items, log, "any")), all(noted(items, log, "all"))
    return found, log, any(x == 3 for x in items), all(not x for x in items), any([]), all([])


@CASES.case(("abc",), ([],), ({"k": 1},), (range(3),), (5,))
def iterating_with_numbers_and_backward(items):
    """`enumerate` and `reversed`, and what they do not take."""
    found = []
    for action in (
        enumerate,
        reversed,
        lambda x: enumerate(x, 10),
        lambda x: enumerate(x, start=-1),
    ):
        try:
            found.append(list(action(items)))
        except TypeError as error:
            found.append(said(error))
    return found


@CASES.case(([3, 1, 2],), (["b", "A", "c"],), ([(2, "a"), (1, "b"), (2, "A")],), ([],))
def iterating_in_order(items):
    """Sorted in several ways, and the list itself."""
    by_key = sorted(items, key=lambda x: str(x).lower()), sorted(items, key=str, reverse=True)
    one = sorted(
        items, key=functools.cmp_to_key(lambda a, b: (str(a) < str(b)) - (str(a) > str(b)))
    )
    kept = items[:]
    items.sort(reverse=True)
    items.reverse()
    return by_key, one, items == sorted(kept), kept, sorted(items) is items, sorted(tuple(items))


@CASES.case((["a", "b", "stop", "c"],), (["stop"],), ([],))
def iterating_until_a_value(lines):
    """`iter` with a function and an end, and `next` with a default."""
    waiting = iter(lines)
    taken = list(iter(lambda: next(waiting, "stop"), "stop"))
    rest = list(waiting)
    one = iter(taken)
    found = [next(one, None), next(one, None), next(one, 0)]
    try:
        next(one)
    except StopIteration as error:
        return taken, rest, found, error.args
    return taken, rest, found


@CASES.case(*((k,) for k in range(7)))
def iterating_with_functions_that_are_called_wrongly(k):
    """What these functions say about their arguments."""
    if k == 0:
        return list(map(abs))
    if k == 1:
        return iter(5)
    if k == 2:
        return next([])
    if k == 3:
        return min()
    if k == 4:
        return list(map(None, [1]))
    if k == 5:
        return sum("ab")
    return iter(5, 6)


@CASES.case((3,), (0,))
def iterating_over_ranges(n):
    """Ranges forward, backward, empty, and large."""
    found = [list(range(n)), list(range(n, 0, -1)), list(range(-n, n, 2)), list(reversed(range(n)))]
    large = range(10**20, 10**20 + n)
    total = 0
    for k in range(n):
        for m in range(k, n):
            total += k * m
    found.append([k for k in large])
    found.append(
        (len(large), total, sum(range(n)), n in range(n), range(n)[-1:], 10**19 * n in large)
    )
    for step in (0, 1.5):
        try:
            found.append(range(0, n, step))
        except (ValueError, TypeError) as error:
            found.append(said(error))
    return found


@CASES.case(([1, 2, 3, 4],), ("ab",), ([],))
def iterating_by_the_library(items):
    """Functions of itertools in combination."""
    a, b = itertools.tee(items)
    next(b, None)
    found = [
        list(zip(a, b)),
        list(itertools.accumulate(items, max)),
        list(itertools.pairwise(items)),
    ]
    found.append([(key, list(group)) for key, group in itertools.groupby(items, lambda x: x == 1)])
    found.append(list(itertools.islice(itertools.cycle(items), 5)) if items else "none")
    found.append(list(itertools.takewhile(lambda x: x != 2, items)))
    found.append(list(itertools.dropwhile(lambda x: x != 2, items)))
    found.append(list(itertools.combinations(items, 2)) + list(itertools.product(items[:1], "xy")))
    return found, list(itertools.chain.from_iterable([items, items])), [*itertools.repeat(0, 2)]


@CASES.case(([1, 2, 3, 4],), ([5],), ([],))
def iterating_to_one_value(items):
    """`reduce` with and without a start."""
    found = [
        functools.reduce(operator.mul, items, 1),
        functools.reduce(lambda a, b: [a, b], items, 0),
    ]
    try:
        found.append(functools.reduce(lambda a, b: a * 10 + b, items))
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case(([1, 2, 3],), ([],))
def iterating_with_iterators_that_are_shared(items):
    """Several functions that take from one iterator, and what is left."""
    one = iter(items)
    found = [2 in one, list(one), list(one)]
    two = iter(items)
    found.append(list(zip(two, two)))
    three = iter(items)
    found.append([(x, next(three, "odd")) for x in three])
    four = map(str, items)
    found += [next(four, "none"), ",".join(four), iter(four) is four]
    return found


@CASES.case(([1, 2],), ("ab",), ({"k": 1},), ({5},), (None,))
def iterating_makes_containers(items):
    """Constructors take iterables, once."""
    found = []
    for kind in (list, tuple, set, frozenset, dict.fromkeys, sorted, dict):
        try:
            one = iter(items)
            found.append((kind(one), list(one)))
        except (TypeError, ValueError) as error:
            found.append(said(error))
    return found


@CASES.case(([], 2), ([], 5))
def iterating_with_an_exception_in_the_middle(log, n):
    """What functions do where an iterator raises."""

    def broken():
        for k in range(4):
            if k == n:
                raise OSError(k)
            log.append(k)
            yield k

    found = []
    for action in (
        list,
        sum,
        max,
        set,
        lambda items: dict(zip(items, "abcd")),
        lambda items: [*items],
    ):
        try:
            found.append(action(broken()))
        except OSError as error:
            found.append(said(error))
    return found, log


@CASES.case(([[3, 1], [2]],), ([],), (["ba", "c"],))
def iterating_in_place_of_loops(rows):
    """The same work by functions and by loops."""
    total, longest, flat = 0, 0, []
    for row in rows:
        total += len(row)
        longest = max(longest, len(row))
        for item in sorted(row):
            flat.append(item)
    by_functions = sum(map(len, rows)), max(map(len, rows), default=0)
    same = flat == list(itertools.chain.from_iterable(map(sorted, rows)))
    return (
        (total, longest) == by_functions,
        same,
        flat,
        [len(list(g)) for _, g in itertools.groupby(flat)],
    )
