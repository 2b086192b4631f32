"""Programs in which an operation surely raises, in every place where one can stand.

What surely raises ends its block: nothing after it is compiled, and no value that it would have
had is merged with others.  Each program is called with arguments that get there, and where there
are such, with arguments that do not.
"""

from __future__ import annotations

import numpy as np

import cutaway
from corpus.programs.cases import case

PAIR = (1, 2)


def vector() -> tuple[np.ndarray]:
    return (np.ones(3),)


@case(vector)
def a_matrix_is_expected_in_a_loop_head(a):
    s = 0
    for _ in range(a.shape[1]):
        s += 1
    return s


@case(vector)
def a_matrix_is_expected_by_name(a):
    n, m = a.shape
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += a[i] + j
    return s


@case(lambda: (np.array(1.5),))
def no_axis_at_all(a):
    s = 0
    for i in range(a.shape[0]):
        s += i
    return s


@case((PAIR,))
def in_a_condition(t):
    if t[3] > 0:
        return 1
    return 2


@case((PAIR,), ((0, 2),))
def in_one_side_of_a_condition(t):
    if t[0] > 0:
        x = t[2]
    else:
        x = 5
    return x + t[0]


@case((PAIR, True), (PAIR, False))
def in_a_conditional_expression(t, c):
    x = t[5] if c else 3
    return x + 1


@case((PAIR, 3), (PAIR, 0))
def in_a_loop(t, n):
    s = 0
    for _ in range(n):
        s += t[5]
    return s


@case((PAIR, 3), (PAIR, 0))
def at_the_end_of_a_loop(t, n):
    s = 0
    x = 1
    for i in range(n):
        s += x
        if i == 1:
            continue
        x = t[-3]
    else:
        s += 100
    return s, x


@case((PAIR,))
def in_the_head_of_an_endless_loop(t):
    s = 0
    while True:
        if s > t[8]:
            break
        s += 1
    return s


@case((PAIR, 4), (PAIR, 0))
def in_the_test_of_a_while(t, n):
    s = 0
    while n > 0 and t[2] > s:
        n -= 1
        s += n
    return s, n


@case((PAIR,))
def in_an_inner_loop(t):
    s = 0
    for i in range(2):
        for j in range(t[6]):
            s += i * j
    return s


@case((PAIR,), ((0, 2),))
def in_a_chain_of_and(t):
    return t[0] and t[3] and t[1]


@case((PAIR,), ((0, 2),))
def in_a_chain_of_or(t):
    return (t[0] or t[3] or t[1]) + 1


@case((PAIR,), ((-1, 2),))
def in_a_chained_comparison(t):
    return 0 < t[0] < t[9] < 3


@case((PAIR,))
def in_enumerate(t):
    s = 0
    for i, x in enumerate((t[4], 1)):
        s += x * i
    return s


@case((PAIR,))
def in_zip(t):
    s = 0
    for x, y in zip(t, t[4], strict=False):
        s += x * y
    return s


@case((PAIR, 2), (PAIR, 0))
def in_a_tuple_that_is_merged(t, n):
    pair = (0, 1.5)
    for i in range(n):
        pair = (i, t[2])
    return pair


@case((PAIR,))
def in_an_inner_function(t):
    def third(x):
        return x[2]

    return third(t) + 1


@case((PAIR,))
def in_a_lambda(t):
    return (lambda x: x[7] + 1)(t)


@case((PAIR, 1), (PAIR, 0))
def in_a_match(t, n):
    match n:
        case 0:
            x = t[0]
        case 1:
            x = t[2]
        case _:
            x = 9
    return x


@case((PAIR, 3), (PAIR, 0))
def in_an_argument(t, n):
    s = 0
    for i in range(n):
        s = max(s, t[i % 1], t[4])
    return s


@case((PAIR, 3), (PAIR, 0))
def in_an_index(t, n):
    a = np.zeros(4)
    for i in range(n):
        a[t[2]] = i
    return a


@case((PAIR, 3), (PAIR, 0))
def with_an_array_that_is_owned(t, n):
    a = np.zeros(4)
    for i in range(n):
        b = a.copy()
        b[i] = t[2]
        a = b
    return a


@case((PAIR, 3), (PAIR, 0))
def in_the_test_of_an_assertion(t, n):
    for i in range(n):
        assert t[2] > i, "not so"
    return n


@case((PAIR, True), (PAIR, False))
def with_another_use_of_what_never_is(t, c):
    x = 1
    if c:
        y = t[2]
        x = y + y
        y = (x, y)
    return x


@case((PAIR,), ((1, 2, 3),))
def too_few_items(t):
    total = 0
    for _ in range(2):
        x, y, z = t
        total += x + y + z
    return total


@case((PAIR, True), (PAIR, False))
def too_few_items_for_a_star(t, c):
    rest = (0,)
    if c:
        x, y, z, *rest = t
    return rest


@case((PAIR, True), (PAIR, False))
def no_items_are_expected(t, c):
    if c:
        [] = t
    return 1


@case(((),))
def a_loop_over_nothing(t):
    s = 0
    for x in t:
        s += x
        y = x * 2
        if y > s:
            break
    return s


@cutaway.jit
def never(x):
    raise ValueError("never")


@case((1, True), (1, False))
def a_call_that_never_returns(x, c):
    s = 0
    for i in range(3):
        s += i
        if c and i == 2:
            s = s + never(x)
    return s
