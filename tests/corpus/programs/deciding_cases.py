"""Cases about branches that types and constants decide: what the other side does has no types."""

from __future__ import annotations

import numpy as np

import cutaway
from corpus.programs.cases import case

LINES = np.arange(3.0)
TABLES = np.arange(6.0).reshape(2, 3)


@case(lambda: (LINES,), lambda: (TABLES,), lambda: (TABLES.T > 2,), lambda: (LINES[::2],))
def dimensions_decide(a):
    if a.ndim == 1:
        return a[0], a.shape[0]
    rows, columns = a.shape
    return a[0, 0], rows * columns


@case(lambda: (LINES,), lambda: (LINES.astype("i2"),), lambda: (LINES > 1,), lambda: (LINES + 1j,))
def dtypes_decide(a):
    if a.dtype.kind == "c":
        return a.imag + a.real
    if a.dtype == np.bool_:
        return a & ~a
    if np.issubdtype(a.dtype, np.floating):
        return np.floor(a)
    if a.dtype.itemsize < 4:
        return a << 2
    return a.no_method_of_arrays()


@case(lambda: (TABLES,), lambda: (np.asfortranarray(TABLES),), lambda: (TABLES[:, ::2],))
def orders_decide(a):
    if a.flags.c_contiguous:
        b = a.copy()
        b[0, 0] = 7
    else:
        b = a + 1
    return b, a[0, 0]


@case((3,), (2.5,), lambda: (LINES,), ((1, 2.5),))
def classes_of_results_decide(x):
    y = x * 2
    if isinstance(y, tuple):
        return y[1] + len(y)
    elif isinstance(y, int):
        return y << 1
    return np.floor(y) if isinstance(y, (float, np.ndarray)) else y.no_attribute


@case(((1, 2.5, True),), ((7,),), ((),))
def lengths_of_tuples_decide(t):
    if len(t) == 0:
        return -1
    if len(t) > 1 and isinstance(t[1], float):
        return t[1] / 4
    return t[0] + 1


@case(lambda: (LINES,), lambda: (TABLES,))
def a_side_with_nothing_on_it_is_not_taken(a):
    x = "a line"
    if a.ndim != 1:
        x = a[0, 1]
    return x


@case(lambda: (LINES, True), lambda: (TABLES, False))
def a_flag_that_both_ways_set_alike(a, c):
    if c:
        flat = a.ndim == 1
        k = 2
    else:
        flat = a.ndim == 1
        k = 3
    return a[0] * k if flat else a[0, 1] * k


@case((0,), (5,))
def a_class_that_changes_in_a_loop(n):
    x = 1
    whole = 0
    for k in range(n):
        if isinstance(x, int):
            whole += k
        x = x / (k + 2)
    return x + 0.5, isinstance(x, float) or n == 0


@case((0,), (6,))
def a_constant_until_a_loop_changes_it(n):
    k = 0
    first = 0
    total = 0
    while k < n:
        if k == 0:
            first += 1
        elif k == 3:
            first += 10
        total += k
        k += 1
    return first, total, k


@case(*[lambda f=f, n=n: (LINES.copy(), f, n) for f, n in ((1, 3), (0, 3), (1, 0))])
def a_variable_that_some_runs_of_a_loop_set(a, flag, n):
    for k in range(n):
        if flag:
            c = a[k] * 2
        if flag:
            a[k] += c
    return c if flag and n else 0.0


@case((5,), (0,))
def a_branch_on_a_recursive_result(n):
    def depth(m):
        if m <= 0:
            return 0
        if depth(m - 1) > 2:
            return depth(m - 2) + 1
        return m

    return depth(n)


@case(lambda: (TABLES, None), lambda: (TABLES, 1))
def what_is_none_decides_in_loops(a, axis):
    total = 0.0
    for k in range(2):
        part = a.sum() if axis is None else a.sum(axis)
        if isinstance(part, float):
            total += part
        else:
            total += part[k]
    return total


@case(lambda: (LINES,), lambda: (TABLES,))
def decided_where_it_raises(a):
    try:
        if a.ndim > 1:
            raise ValueError(a.shape[1])
        return a[7]
    except ValueError as error:
        return float(error.args[0]) + a.ndim
    except IndexError:
        return -1.0


def total(a, keepdims=False, whole=True):
    if keepdims:
        return np.full((1,) * a.ndim, a.sum())
    if whole:
        return a.sum()
    return a.sum(0)


TOTAL = cutaway.jit(total)


@case(lambda: (TABLES,), lambda: (TABLES.astype("u2"),))
def constants_of_a_call_decide_in_the_callee(a):
    return TOTAL(a, True)[0, 0] + TOTAL(a), TOTAL(a, whole=False)[0] + TOTAL(a, False, True)


def steps(n, up):
    if up:
        return 1 + steps_(n - 1, True) if n else 0
    return -1 if n else -2


steps_ = cutaway.jit(steps)


@case((4,), (0,))
def a_constant_is_passed_on_by_a_recursive_function(n):
    return steps_(n, True), steps_(n, False)


def along(a, axis=None, ddof=0):
    if axis is None:
        return a.sum() / (a.size - ddof)
    if axis < 0:
        axis += a.ndim
    if axis == 0:
        return a[0]
    elif axis in (1, 2):
        return (a[:, 0], axis + ddof)
    return axis


ALONG = cutaway.jit(along)


@case(lambda: (TABLES,), lambda: (TABLES.T > 2,))
def integers_of_a_call_decide_in_the_callee(a):
    line, (column, one), last = ALONG(a, -2), ALONG(a, axis=1, ddof=3), ALONG(a, -1)
    return ALONG(a), line, column, one, last[1], ALONG(a, 7), ALONG(a, None, 1)


def wrapped(x, k, low):
    if k + 1 == -(2**63):
        return 0, low
    while k != 2 and k != 9:
        k += 1
    if k == 2:
        return x + k, low
    return x * low, k


WRAPPED = cutaway.jit(wrapped)


@case(lambda: (np.float32(1.5),), (3,))
def known_integers_are_ordinary_numbers(x):
    return WRAPPED(x, 2, 1), WRAPPED(x, 5, 0), WRAPPED(x, 2, -1)


@case(lambda: (LINES,), lambda: (LINES > 1,), lambda: (LINES.astype("u2"),), (2,), (2.5,))
def classes_and_kinds_among_others_decide(x):
    if type(x) in (int, float):
        return x / 4
    if x.dtype.kind not in "iu":
        return x[0], x.dtype in (np.float32, np.float64)
    return x << 1


@case(*[lambda x=x: (LINES, x) for x in (np.int8(3), np.float32(2.5), np.ones(2, np.int8))])
def a_number_that_a_decided_branch_sets(a, x):
    if a.ndim == 1:
        k = 1
    else:
        k = 2
    return x + k, x * 1.5 + k
