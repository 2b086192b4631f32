"""Lists whose type is found from what a program does with them, and comprehensions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corpus.programs.cases import case


class Place(NamedTuple):
    row: int
    weight: float


# --- empty lists ----------------------------------------------------------------------------------


@case((3,), (0,))
def filled_in_a_loop(n):
    out = []
    for k in range(n):
        out.append(k * 1.5)
    return out


@case((3,), (0,))
def filled_in_one_branch(n):
    out = []
    if n > 1:
        out.append("many")
    return out, len(out)


@case((3,), (0,))
def read_before_it_is_filled(n):
    out = []
    total = 0
    for k in range(n):
        for one in out:
            total += one
        out.append(k)
    return total, out


@case((0,), (2,))
def made_in_two_branches(n):
    if n:
        out = []
    else:
        out = [7]
    out.append(n)
    return out


@case((0,), (2,))
def two_that_become_one(n):
    a = []
    b = []
    c = a if n else b
    c.append(n)
    return a, b, c is a


@case((3,))
def an_int_and_then_a_float(n):
    out = []
    out.append(n + 0.5)
    out.append(2.5)
    return out


@case((3,))
def filled_by_extend(n):
    a, b, c = [], [], []
    a.extend([n, 2])
    b += (1.5, n + 0.5)
    c.extend(range(n))
    return a, b, c


@case((3,))
def filled_by_insert(n):
    out = []
    out.insert(0, (n, "a"))
    out.insert(0, (n + 1, "b"))
    return out


@case((3,))
def filled_by_a_slice(n):
    out = []
    out[0:0] = [n, n + 1]
    out[:1] = range(n)
    return out


@case((3,))
def filled_by_concatenation(n):
    out = []
    for k in range(n):
        out = out + [k]
    return out


@case((3,), (0,))
def filled_by_a_copy_of_itself(n):
    out = []
    other = out[:]
    third = out.copy()
    if n:
        other.append(n)
    third.append(n)
    return out, other, third


@case((3,), (0,))
def rows_of_rows(n):
    rows = []
    for k in range(n):
        row = []
        rows.append(row)
        for m in range(k):
            row.append(m)
    return rows


@case((3,), (0,))
def rows_that_are_filled_by_index(n):
    rows = []
    for _ in range(n):
        rows.append([])
    for k in range(n):
        rows[k].append(k)
        rows[-1].append(-k)
    return rows


@case((2,))
def three_levels_of_nothing(n):
    cube = []
    for _ in range(n):
        cube.append([])
        cube[-1].append([])
        cube[-1][-1].append(1.5)
    return cube


@case(([],), ([1],))
def an_empty_argument_is_filled(a):
    a.append(5)
    return len(a)


@case(([],), ([1.5],))
def an_empty_argument_is_read(a):
    total = 0.0
    for one in a:
        total += one
    return total, len(a), a[1:], not a, a == a


@case(([[], []],), ([[1], []],))
def rows_of_an_argument_are_filled(rows):
    rows[1].append(3)
    rows.append([])
    return len(rows)


@case((([], 1),), (([2], 1),))
def an_empty_list_in_a_tuple(pair):
    pair[0].append(pair[1])
    return pair


@case(([], []), ([1], []), ([], [2]))
def two_empty_arguments(a, b):
    a.extend(b)
    b.append(1)
    return a + b


@case(())
def nothing_at_all():
    a = []
    return a, len(a), a == [], a * 3, a[:], a + a, list(reversed(a)), [a, a]


@case((3,))
def a_list_of_empty_lists(n):
    rows = [[]] * n
    more = [[] for _ in range(n)]
    return rows, more, rows == more


@case((2,))
def a_list_of_empty_lists_that_are_filled(n):
    rows = [[] for _ in range(n)]
    rows[1].append(5)
    same = [[]] * n
    same[0].append(2.5)
    return rows, same


@case((3,), (0,))
def popped_before_it_is_filled(n):
    stack = []
    out = []
    for k in range(n):
        if stack:
            out.append(stack.pop())
        stack.append((k, k * 0.5))
    return out, stack


@case((3,))
def compared_with_what_is_empty(n):
    out = []
    first = out == [n]
    out.append(n)
    return first, out == [n], out != [], out < [4], [] < out


@case((5,))
def a_name_of_two_lists(n):
    out = []
    for k in range(n):
        out.append(k)
        if len(out) == 2:
            out = []
    return out


@case((3,))
def optional_by_later_items(n):
    out = []
    out.append(None)
    out.append(n)
    return out, out[0] is None


@case((0,), (3,))
def a_list_or_nothing(n):
    out = None
    if n:
        out = []
        out.append(n)
    return out


@case((0,), (3,))
def a_list_that_may_be_missing(n):
    best = None
    for k in range(n):
        if best is None or len(best) < 2:
            best = [k, k] if k else [k]
    return best


# --- items of all kinds ---------------------------------------------------------------------------


@case(
    *[
        (dtype(3), dtype(1))
        for dtype in (
            *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
            *(np.float32, np.float64, np.bool_, np.complex64, np.complex128),
        )
    ]
)
def items_of_each_width(x, y):
    out = [x]
    out.append(y)
    out.insert(0, x)
    out.reverse()
    same = out[0] == y
    copy = out[::-1] + out
    copy[1] = x
    return same, len(copy), out.count(x), out.index(y), copy[-1], copy[1:], x in out


@case(
    (np.float32(1.5), np.float32(0.1)), (np.int8(100), np.int8(-128)), (np.uint8(255), np.uint8(1))
)
def order_of_each_width(x, y):
    out = [x, y]
    out.append(x)
    return min(out), max(out), sorted(out)


@case((2.5, 1j), (1, 2.5), (True, 3))
def numbers_that_become_one_type(x, y):
    out = [y]
    out.append(x + y)
    return out


@case(("a", "bc"), ("", "ü€"))
def texts(x, y):
    out = [x]
    out.append(y)
    out.append("constant")
    return out, out[1] == y, "constant" in out, y + "" == out[1] if False else 0


@case((3,))
def named_tuples(n):
    out = []
    for k in range(n):
        out.append(Place(k, k * 0.5))
    out[0] = Place(9, 9.5)
    return out, out[1].weight, sum([p.row for p in out])


@case((3,))
def arrays(n):
    out = []
    for k in range(n):
        out.append(np.arange(k) * 1.5)
    out[0] = out[-1][1:]
    return out, len(out[0])


@case((3,))
def arrays_and_numbers_in_tuples(n):
    out = []
    for k in range(n):
        out.append((k, np.ones(k), "x", [k]))
    a, b, c, d = out[-1]
    d.append(7)
    b[0] = 5.0
    return out, a, c


@case((3,))
def optional_tuples(n):
    out = [None, (1, 2.5)]
    for k in range(n):
        out.append((k, 0.5) if k % 2 else None)
    return out, out[0] is None, out[1] is not None


@case((np.datetime64("2020-01-01"), np.timedelta64(3, "D")))
def times(day, step):
    days = [day]
    days.append(day + step)
    return days, len(days), days[1] - days[0], max(days)


# --- comprehensions -------------------------------------------------------------------------------


@case((4,), (0,))
def comprehensions_that_change(n):
    a = [k * k for k in range(n)]
    a.append(-1)
    b = [k for k in a if k % 2]
    b += a
    return a, b


@case((4,), (0,))
def comprehensions_of_comprehensions(n):
    a = [[k * m for m in range(k)] for k in range(n)]
    a.append([7])
    return a, [len(row) for row in a], [x for row in a for x in row if x]


@case(([1, 2, 3],), ([],), ([0.5],))
def comprehensions_over_an_argument(a):
    return [x * 2 for x in a], [(x, k) for k, x in enumerate(a)], [x for x in a if x > 1], [a, a]


@case((["b", "a"],), ([],))
def comprehensions_of_texts(a):
    return [x for x in a], [(x, 1) for x in a], [x == "a" for x in a], [[x, x] for x in a]


@case((3,))
def comprehensions_of_lists(n):
    rows = [[k] for k in range(n)]
    rows[0].append(5)
    same = [row for row in rows]
    same[1].append(6)
    return rows, same[0] is rows[0]


@case((3,))
def a_list_is_filled_in_a_comprehension(n):
    seen = []
    out = [len(seen) for k in range(n) if not seen.append(k)]
    return seen, out


@case((3,))
def comprehensions_over_two(n):
    a = [(i, j) for i in range(n) for j in range(i)]
    b = [i * j for i, j in a if i > j]
    return a, b, sorted(a, reverse=True)


@case(([3, 1, 2],))
def conditional_items(a):
    return [x if x > 1 else -x for x in a], [None if x == 1 else x for x in a]


@case((5,))
def a_sieve(n):
    prime = [True] * (n * n)
    out = []
    for k in range(2, n * n):
        if prime[k]:
            out.append(k)
            for m in range(k * k, n * n, k):
                prime[m] = False
    return out


@case((4,), (6,))
def queens(n):
    found = 0
    stack = [[0][:0]]
    while stack:
        placed = stack.pop()
        row = len(placed)
        if row == n:
            found += 1
            continue
        for column in range(n):
            if all([c != column and abs(c - column) != row - r for r, c in enumerate(placed)]):
                stack.append(placed + [column])
    return found


@case(([[0, 1], [1, 0]],), ([[1.5]],))
def rows_are_turned(rows):
    turned = [[row[k] for row in rows] for k in range(len(rows[0]))]
    for row in turned:
        row.reverse()
    return turned


@case((10,), (0,), (1,))
def the_fibonacci_numbers(n):
    out = [0, 1]
    while len(out) < n:
        out.append(out[-1] + out[-2])
    return out[:n]


@case(([5, 3, 8, 1],), ([],), ([2, 2],))
def quicksort(a):
    stack = [(0, len(a) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot, k = a[high], low
        for m in range(low, high):
            if a[m] < pivot:
                a[k], a[m] = a[m], a[k]
                k += 1
        a[k], a[high] = a[high], a[k]
        stack.append((low, k - 1))
        stack.append((k + 1, high))
    return a


@case(([(3, 1), (0, 3), (0, 1)], 4), ([], 2))
def breadth_first(edges, n):
    neighbors = [[] for _ in range(n)]
    for a, b in edges:
        neighbors[a].append(b)
        neighbors[b].append(a)
    seen = [False] * n
    order = []
    queue = [0]
    seen[0] = True
    while queue:
        here = queue.pop(0)
        order.append(here)
        for other in neighbors[here]:
            if not seen[other]:
                seen[other] = True
                queue.append(other)
    return order, neighbors


@case(([1, 5, 9], [2, 3, 10, 11]), ([], [1]), ([1.5], []))
def merged(a, b):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return out


@case(([[1, 2], [3]], 2), ([[1]], 0))
def matches_of_lists(rows, k):
    match k:
        case 0:
            rows.append([0])
        case 2:
            rows[0] = rows[1] + [k]
    return rows


@case(([1, 2, 3],))
def numbers_by_while_and_else(a):
    out = []
    while a:
        one = a.pop()
        if one == 7:
            break
        out.append(one)
    else:
        out.append(-1)
    return out


@case(([1, 2], 1), ([1, 2], 5))
def conditional_expressions(a, k):
    b = a if k in a else [k]
    b.append(k)
    c = (a or [0])[:1]
    c.append(9)
    return a, b, c


@case(([3, 4],))
def items_as_counters(a):
    a[0] += 5
    a[-1] *= a[0]
    a[0] -= a[1]
    a[1] //= 3
    return a


@case(([[3, 4], [5]],))
def items_of_items_as_counters(rows):
    rows[0][1] += 5
    rows[-1][0] *= 2
    rows[0] += [1]
    rows[1] *= 2
    return rows


@case(([1, 2, 3], 1), ([1, 2, 3], -1))
def slices_by_variables(a, k):
    return a[k:], a[:k], a[k:-k], a[::k], a[k:k], a[slice(k, None)], a[slice(None, None, -1)]


@case((4,), (3,))
def two_names_of_one_list_within_another(n):
    a = [[]]
    b = a
    c = [a, b]
    if n > 3:
        c[0].append([n])
    return c


@case(({1: 2},), ({},))
def what_follows_from_empty_containers(d):
    t, p, q = set(), {}, []
    for i, j in q:
        p[i, len(d)] = j
    t ^= {x % 7 for x in t.union(d.values())}
    return t, p, q


@case(([1, 2],))
def a_list_that_stays_empty_is_added_to_others(a):
    b = []
    for x in b:
        a.append(x + 1)
    return b + a, a + b, b * 3, b == a, a < b, b[:], sorted(b), list(b), sum(b), b.count(1)


@case((3,), (0,))
def made_of_displays(n):
    rows = list([[n], [1, n]])
    rows[0].append(2)
    return rows, dict([(n, [n])]), list([(n, 1.5)])
