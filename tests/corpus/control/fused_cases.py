"""Functions of numbers and arrays that take the values of generators: machine code does what Python
does."""

from __future__ import annotations

import math

import numpy as np

from corpus.control.cases import Cases

CASES = Cases()

# --- generators that are compiled by themselves -----------------------------------------------


def counted(n, step=1):
    k = 0
    while k < n:
        yield k
        k += step


def pairs(a):
    for i in range(len(a)):
        for j in range(i):
            if a[i] != a[j]:
                yield i, j


GENERATORS = {"counted": counted, "pairs": pairs}


@CASES.case((5,), (0,))
def sum_of_squares(n):
    return sum(i * i for i in range(n))


@CASES.case((np.arange(6.0),), (np.arange(9),))
def sum_over_an_array(a):
    return sum(2 * x for x in a if x > 1) + sum((x for x in a), 10)


@CASES.case((np.array([3, 1, 2]),), (np.array([-1, -4]),))
def smallest_and_largest(a):
    return min(x * x for x in a), max(x for x in a), max((x for x in a if x > 2), default=-1)


@CASES.case((0,), (3,))
def the_smallest_of_nothing(n):
    return min(k + 1 for k in range(n))


@CASES.case((3,), (9,))
def some_and_all(n):
    return any(i == 5 for i in range(n)), all(i < 5 for i in range(n))


@CASES.case((4,), (0,), (60,))
def any_ends_early(n):
    seen = 0

    def noted(k):
        nonlocal seen
        seen += k
        return seen > 100

    return any(noted(k) for k in range(n)), seen


@CASES.case((9, 2), (0, 1))
def a_compiled_generator(n, step):
    s = 0
    for k in counted(n, step):
        s = 2 * s + k
    for k in counted(n):
        s += k
    return s + sum(counted(step=step, n=n))


@CASES.case((np.array([1, 2, 1, 3]),), (np.zeros(0),))
def tuples_are_yielded(a):
    s = 0
    for i, j in pairs(a):
        s += 10 * i + j
    return s


@CASES.case((5,), (12,), (0,))
def break_continue_and_else(n):
    s = 0
    for k in counted(n):
        if k % 3 == 0:
            continue
        if k > 9:
            break
        s += k
    else:
        s = -s
    return s


@CASES.case((5,), (12,), (0,))
def return_from_within(n):
    for k in counted(n, 2):
        if k > 7:
            return k
    return -1


@CASES.case((0,), (1,), (2,), (7,))
def many_yields(n):
    def several():
        yield 1
        if n > 1:
            yield n
            return
        for k in range(3):
            if k != n:
                yield 10 + k
        yield 99

    s = 0
    for x in several():
        if x == 11:
            continue
        s = 10 * s + x
        if s > 10_000_000:
            break
    return s


@CASES.case((4,), (0,))
def nothing_is_yielded(n):
    def none_of_them():
        if n > 100:
            yield 1

    s = 0
    for x in none_of_them():
        s += x
    for _ in none_of_them():
        return -1
    return s


@CASES.case((4,), (1,))
def the_body_reads_what_changes(n):
    step = 1

    def steps():
        for k in range(n):
            yield k * step

    s = 0
    for x in steps():
        s += x
        step += 1
    return s, step


@CASES.case((5,), (0,))
def the_generator_writes_outside(n):
    count = 0

    def counting():
        nonlocal count
        for k in range(n):
            count += k
            yield k

    s = 0
    for x in counting():
        s += x * count
    return s, count


@CASES.case((3,), (0,))
def nested_generators(n):
    def inner(k):
        for i in range(k):
            yield i + 1

    def outer():
        for k in range(n):
            yield sum(inner(k))
            for x in inner(k):
                yield -x

    s = 0
    for x in outer():
        for y in inner(2):
            s = 3 * s + x * y
    return s


@CASES.case((3,), (0,))
def yield_from_others(n):
    def inner(k):
        yield from range(k)

    def outer():
        yield -1
        yield from inner(n)
        yield from (10 * k for k in range(n))
        yield from (7, 8)

    s = 0
    for x in outer():
        s = 2 * s + x
    return s


@CASES.case((np.arange(6).reshape(2, 3), 2), (np.ones((3, 0), int), 1))
def a_nested_generator_expression(a, k):
    return sum(x * k for row in a for x in row if x != 3)


@CASES.case((5,), (0,))
def generators_of_generators(n):
    squares = (i * i for i in range(n))
    odd = (x for x in squares if x % 2)
    return sum(x + 1 for x in odd)


@CASES.case((4,), (0,))
def numbered(n):
    s = 0
    for i, x in enumerate(counted(n), 3):
        s += i * x
    for i, (j, x) in enumerate(enumerate(k * k for k in range(n))):
        s += i + 2 * j + x
    return s


@CASES.case((4,), (0,))
def what_yield_gives_is_none(n):
    def asking():
        for k in range(n):
            answer = yield k
            if answer is None:
                yield -k

    s = 0
    for x in asking():
        s = 3 * s + x
    return s


@CASES.case((6, 3), (6, 0), (0, 0))
def an_exception_in_the_generator(n, m):
    def dividing():
        for k in range(n):
            yield 10 // (m - k)

    s = 0
    try:
        for x in dividing():
            s += x
    except ZeroDivisionError:
        s = -1 - s
    return s


@CASES.case((6, 3), (6, 9))
def an_exception_in_the_loop(n, m):
    def safe(x):
        try:
            return 10 // x
        except ZeroDivisionError:
            return -1

    def plain():
        for k in range(n):
            yield safe(k)

    s = 0
    for x in plain():
        try:
            s += 100 // (x - m)
        except ZeroDivisionError:
            s += 1000
            continue
    return s


@CASES.case((6, 3), (6, 9))
def an_exception_leaves_both(n, m):
    def plain():
        for k in range(n):
            if k == m:
                raise ValueError("k is", k)
            yield k

    return sum(plain())


@CASES.case((3,), (0,))
def a_generator_in_a_loop(n):
    s = 0
    for k in range(n):
        values = (i * k for i in range(n))
        for x in values:
            s += x
            if x > 2:
                break
    return s


@CASES.case((np.arange(4.0),), (np.zeros(0),))
def arrays_are_yielded(a):
    def shifted(n):
        b = a + 1
        for k in range(n):
            c = b * k
            yield c[k:]

    s = 0.0
    for b in shifted(4):
        if len(b) == 2:
            continue
        s += b.sum()
    return s


@CASES.case((3,), (-1,))
def an_argument_is_taken_when_it_is_called(n):
    values = counted(n)
    n = 100
    s = n
    for x in values:
        s += x
    return s


@CASES.case((3,), (5,))
def while_loops(n):
    def collatz(x):
        while x != 1:
            yield x
            x = x // 2 if x % 2 == 0 else 3 * x + 1

    s = 0
    for x in collatz(n):
        s += x
    return s, max(collatz(n)), sum(1 for _ in collatz(n))


@CASES.case((1,), (4,))
def products(n):
    kept = (k + 1 for k in range(n))
    return math.prod(k + 2 for k in range(n)), next(kept), math.prod(kept, start=2.5)


@CASES.case((2,), (0,))
def what_the_loop_raises_is_not_in_the_context_of_a_handler_of_the_generator(n):
    def warned(n):
        for k in range(3):
            try:
                if n:
                    raise LookupError(n)
            except LookupError:
                yield -k
                k += 1
            yield k

    s = 0
    for k in warned(n):
        s += 6 // (k + 1)
    return s
