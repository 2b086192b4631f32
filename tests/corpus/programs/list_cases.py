"""Lists: every method and operator, over items of every type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from corpus.programs.cases import case


class Point(NamedTuple):
    x: int
    y: float


# Lists of each type of item; the items of a row can be compared.
KINDS: dict[str, Callable[[], list[Any]]] = {
    "ints": lambda: [3, -1, 2, 2, 2**40],
    "floats": lambda: [1.5, -0.0, float("inf"), 0.0, -2.25],
    "booleans": lambda: [True, False, True],
    "complex numbers": lambda: [1j, -2 + 0.5j, 0j],
    "texts": lambda: ["b", "", "ab", "ü€", "b"],
    "tuples": lambda: [(1, 2.5), (0, -1.0), (1, 2.5)],
    "tuples of texts": lambda: [("a", 1), ("", 2), ("a", 0)],
    "nested tuples": lambda: [((1, 2), True), ((0, 5), False)],
    "named tuples": lambda: [Point(1, 2.5), Point(0, 1.0)],
    "lists": lambda: [[2, 1], [], [3]],
    "lists of lists": lambda: [[[1.5], []], [], [[2.5, 3.5]]],
    "lists in tuples": lambda: [([1], 2), ([], 3)],
    "optional ints": lambda: [None, 3, None, 4],
    "nothing": lambda: [None, None],
    "one int": lambda: [7],
}
ORDERED = ("ints", "floats", "booleans", "texts", "tuples", "tuples of texts", "nested tuples")
ORDERED += ("named tuples", "lists", "lists of lists", "lists in tuples", "one int")
NUMBERS = ("ints", "floats", "booleans", "complex numbers", "one int")
ARRAYS = {
    "arrays": lambda: [np.arange(3.0), np.ones(0), np.zeros(2)],
    "matrices": lambda: [np.arange(6).reshape(2, 3), np.ones((3, 1), np.int64)],
}


def of(*names: str) -> list[Callable[[], tuple[Any, ...]]]:
    """What makes a list of each of these kinds, as the one argument."""
    return [lambda name=name: (KINDS[name](),) for name in names or KINDS]


def with_item(*names: str) -> list[Callable[[], tuple[Any, ...]]]:
    """A list, and an item that is in it, but not the same object."""
    return [lambda name=name: (KINDS[name](), KINDS[name]()[-1]) for name in names or KINDS]


def pairs(*names: str) -> list[Callable[[], tuple[Any, ...]]]:
    """A list, and another that begins like it."""
    made = []
    for name in names or KINDS:
        made.append(lambda name=name: (KINDS[name](), KINDS[name]()[:-1]))
        made.append(lambda name=name: (KINDS[name](), KINDS[name]()))
        made.append(lambda name=name: (KINDS[name](), KINDS[name]()[::-1]))
    return made


def of_arrays() -> list[Callable[[], tuple[Any, ...]]]:
    """A list of arrays."""
    return [lambda make=make: (make(),) for make in ARRAYS.values()]


# --- items --------------------------------------------------------------------------------------


@case(*of(), *of_arrays())
def first_and_last(items):
    return items[0], items[-1], items[len(items) - 1], items[-len(items)]


@case(*of(), *of_arrays())
def length_and_truth(items):
    return len(items), bool(items), not items, 1 if items else 2


@case(*of(), *of_arrays())
def stored_items(items):
    items[0] = items[-1]
    items[-1] = items[1 % len(items)]
    return len(items)


@case(*of(), *of_arrays())
def gone_through(items):
    count = 0
    last = items[0]
    for one in items:
        count += 1
        last = one
    return count, last


@case(([1, 2, 3], 3), ([1, 2, 3], -4), ([], 0), ([], -1), (["a"], 5), ([[1]], 1))
def index_out_of_range(items, k):
    return items[k]


@case(([1, 2, 3], 3), ([1, 2, 3], -4), ([1.5], 2), ([[1]], -2))
def store_out_of_range(items, k):
    items[0] = items[-1]
    items[k] = items[0]
    return items


@case(([1, 2, 3], True), ([1, 2], np.int8(1)), ([1, 2], np.uint64(0)))
def odd_indices(items, k):
    return items[k]


# --- methods ------------------------------------------------------------------------------------


@case(*of(), *of_arrays())
def append_what_is_there(items):
    items.append(items[0])
    items.append(items[-2])
    return items


@case(*of(), *of_arrays())
def insert_everywhere(items):
    one = items[0]
    items.insert(0, items[-1])
    items.insert(2, one)
    items.insert(-1, one)
    items.insert(100, one)
    items.insert(-100, items[1])
    return len(items)


@case(*of(), *of_arrays())
def pop_until_empty(items):
    first = items.pop(0)
    last = first
    while items:
        last = items.pop()
    return first, last


@case(([], 0), ([1], 1), ([1, 2, 3], -4), ([1, 2, 3], -3), ([1, 2, 3], 1), (["a", "b"], 2))
def pop_at(items, k):
    return items.pop(k)


@case(([],), ([1],), ([[2]],))
def pop_twice(items):
    a = items.pop()
    items.pop()
    return a


@case(*of(), *of_arrays())
def clear_and_refill(items):
    one = items[0]
    items.clear()
    size = len(items)
    items.append(one)
    return size


@case(*of(), *of_arrays())
def copies_are_others(items):
    other = items.copy()
    third = items[:]
    fourth = list(items)
    other.append(items[0])
    third.pop()
    return len(items), other, third, fourth, other is items


@case(*of(), *of_arrays())
def reverse_in_place(items):
    items.reverse()
    return items[0]


@case(*of(), *of_arrays())
def extend_by_itself(items):
    items.extend(items)
    items += items[:1]
    return len(items)


@case(*with_item())
def count_index_and_in(items, one):
    return items.count(one), items.index(one), one in items, one not in items


@case(*with_item())
def remove_one(items, one):
    items.remove(one)
    return one in items


@case(([1, 2], 3), ([], 1), (["a"], "b"), ([1.5], 1), ([[1]], [2]), ([(1, 2)], (2, 1)))
def remove_what_is_not_there(items, one):
    items.append(one)
    items.pop()
    items.remove(one)
    return items


@case(([1, 2, 1, 2], 2, 2, 4), ([1, 2, 1, 2], 1, -2, -1), ([1, 2], 2, 0, 1), ([1], 1, 5, 9))
def index_between(items, one, start, stop):
    return items.index(one, start, stop)


@case(([1, 2, 1], 1, 1), ([1, 2, 1], 2, 2), ([1, 2, 1], 1, -100))
def index_from(items, one, start):
    return items.index(one, start)


@case(([1, 2, 3],), ([],))
def extend_by_everything(items):
    items.extend((1, 2))
    items.extend(range(3))
    items.extend([4, 5])
    items.extend(x for x in (6, 7))
    items += (8,)
    return len(items)


@case(([1.5, 2.5], np.arange(3.0)), ([1, 2], np.arange(2)), ([], np.ones(2, np.float32)))
def extend_by_an_array(items, a):
    items.extend(a)
    items.extend(a[1:])
    return items


# --- operators ----------------------------------------------------------------------------------


@case(*pairs())
def equality(a, b):
    return a == b, a != b, b == a, a == a, a is b, a is not a


@case(*pairs(*ORDERED))
def order(a, b):
    return a < b, a <= b, a > b, a >= b


@case(([1, 2], [1.0, 2.0]), ([True], [1]), ([], [1.5]), ([0.5], [1]), ([1], []))
def comparisons_of_two_types(a, b):
    return a == b, a != b, a < b, a >= b


@case(*pairs())
def concatenation(a, b):
    c = a + b
    c.append(a[0])
    return c, len(a), len(b), a + a + b


@case(*of(), *of_arrays())
def repetition(items):
    return items * 2, 2 * items, items * 0, items * -1, len(items * 3)


@case(*of(), *of_arrays())
def repetition_in_place(items):
    same = items
    items *= 3
    return items is same, len(same)


@case(([1, 2], 0), ([1, 2], -2), (["a"], 1), ([[1]], 2), ([], 3))
def repeated_in_place(items, n):
    items *= n
    return items


@case(([], [1]), (["a"], []), ([], []), ([[1]], [[]]), ([[]], [[1]]))
def sum_with_what_is_empty(a, b):
    return a + b


# --- slices -------------------------------------------------------------------------------------

BOUNDS = [(a, b, c) for a in (None, 1, -2, 9, -9) for b in (None, 0, 3, -1) for c in (1, 2, -1, -3)]


@case(*[lambda s=s: ([1, 2, 3, 4, 5], slice(*s)) for s in BOUNDS])
def sliced(items, s):
    return items[s]


@case(*[lambda s=s: ([1, 2, 3, 4, 5], slice(*s)) for s in BOUNDS])
def slice_deleted(items, s):
    del items[s]
    return items


@case(*[lambda s=s: ([1, 2, 3, 4, 5], slice(*s), [9, 8]) for s in BOUNDS])
def slice_stored(items, s, new):
    items[s] = new
    return items


@case(*of(), *of_arrays())
def slices_with_steps(items):
    return items[1:], items[:-1], items[::2], items[::-1], items[-1:0:-2], items[5:2], items[:9]


@case(*of(), *of_arrays())
def slices_deleted(items):
    items += items
    del items[1:3]
    del items[::2]
    return items


@case(*of(), *of_arrays())
def slices_stored(items):
    items[1:1] = items
    items[:2] = items[-1:]
    items[::-1] = items[:]
    items[len(items) :] = items[:1]
    return items


@case(*of(), *of_arrays())
def items_deleted(items):
    del items[0]
    del items[-1:]
    return items


@case(([1, 2, 3], 3), ([1, 2, 3], -4), ([], 0), (["a"], -1), ([[1], [2]], 1))
def item_deleted(items, k):
    del items[k]
    return items


@case(([1, 2, 3, 4],), ([5] * 6,), ([],))
def slices_of_other_sizes(items):
    items[1:3] = range(5)
    items[2:2] = (7, 8)
    items[:0] = [9]
    items[-1:] = []
    return items


@case(([1, 2, 3],), ([1],))
def extended_slice_of_another_size(items):
    items[0] = 9
    items[::2] = [1, 2, 3]
    return items


@case(([1, 2, 3], 0), ([1], 0))
def zero_step(items, k):
    items.append(4)
    return items[::k]


@case(
    ([1, 2, 3], 0),
)
def zero_step_of_a_store(items, k):
    items.append(4)
    items[::k] = [1]
    return items


# --- sorting ------------------------------------------------------------------------------------


@case(*of(*ORDERED))
def sorted_in_place(items):
    items.sort()
    return items


@case(*of(*ORDERED))
def sorted_backward(items):
    items.sort(reverse=True)
    return sorted(items), sorted(items, reverse=True)


@case(([(1, "b"), (0, "a"), (1, "a"), (0, "b")],), ([(1, "x")] * 3,))
def stable_by_key(items):
    items.sort(key=lambda pair: pair[0])
    a = sorted(items, key=lambda pair: pair[1], reverse=True)
    items.sort(key=lambda pair: pair[1], reverse=True)
    return items, a


@case((["bb", "a", "ccc", ""],))
def sorted_by_length(items):
    items.sort(key=len)
    return items, sorted(items, key=len, reverse=True)


@case(([3, -1, 2, -2, 1],), ([0.5, -1.5],), ([],))
def sorted_by_absolute_value(items):
    items.sort(key=abs)
    return items, max(items, key=abs, default=0), min(items, key=lambda x: -x, default=0)


@case((0,), (1,), (2,), (7,), (50,), (333,))
def sorted_runs(n):
    a = [(k * 37) % 101 for k in range(n)]
    b = list(range(n)) + list(range(n, 0, -1))
    c = [k // 3 for k in range(n)][::-1]
    for one in (a, b, c):
        one.sort()
    return a, b, c, sorted(a, reverse=True)


# --- Python's functions -------------------------------------------------------------------------


@case(*of(*NUMBERS))
def sums(items):
    return sum(items), sum(items, 10), sum(items, start=0.5)


@case(*of(*ORDERED))
def least_and_greatest(items):
    return min(items), max(items)


@case(([],), ([1],))
def least_of_nothing(items):
    return min(items)


@case(([],), ([1.5],))
def greatest_with_a_default(items):
    return max(items, default=7.5), min(items, default=0.5)


@case(*of())
def truths(items):
    return any(items), all(items)


@case(*of(), *of_arrays())
def enumerated(items):
    out = []
    for k, one in enumerate(items):
        out.append((k, one))
    for k, one in enumerate(items, 5):
        out.append((k, one))
    return out


@case(*of(), *of_arrays())
def zipped(items):
    out = []
    for a, b, k in zip(items, items[1:], range(9)):
        out.append((b, a, k))
    return out


@case(*of(), *of_arrays())
def in_reverse(items):
    out = []
    for one in reversed(items):
        out.append(one)
    return out, list(reversed(items))


@case(*of("ints", "floats", "texts"))
def made_of_others(items):
    return list(range(2)), list((1.5, 2.5)), list(items), list(enumerate(items))


@case((np.arange(4.0),), (np.arange(6).reshape(2, 3)[0],), (np.array([True, False]),))
def made_of_an_array(a):
    items = list(a)
    items.append(a[0])
    return items


@case(
    (3,),
)
def made_of_nothing(n):
    items = list()
    for k in range(n):
        items.append(k)
    return items, len(list())


@case(([1, 2, 3],), ([1.5, 2.5, 0.5],), (["a", "b", "c"],), ([(1, 2)] * 3,), ([[1], [], [2]],))
def unpacked(items):
    a, b, c = items
    items.append(a)
    return c, b, a


@case(([1, 2],), ([1, 2, 3, 4],), ([],))
def unpacked_wrongly(items):
    items.append(5)
    a, b, c = items
    return a, b, c


@case(
    ([1, 2, 3],),
)
def swapped(items):
    items[0], items[2] = items[2], items[0]
    return items


@case(*of(*NUMBERS), *of("texts", "tuples", "lists", "optional ints"))
def as_text(items):
    print(items, str(items), repr(items))
    raise ValueError(f"{items!s} and {items!r}")


@case(*of(*NUMBERS), *of("texts", "tuples", "lists", "optional ints"))
def as_an_argument_of_an_exception(items):
    raise ValueError(items, items[0])


@case(*of())
def unequal_to_what_is_no_list(items):
    return items == 1, items != (1,), items == "a", 2.5 == items, items is None, items == None  # noqa: E711
