"""Cases about what holds on to memory, about closures, and about values that may be None."""

from __future__ import annotations

import collections
import operator
import typing

import numpy as np

import cutaway
from corpus.programs.cases import case, matrix, vector

# --- iterators, tuples and the functions of `operator` hold on to arrays ------------------------

Pair = collections.namedtuple("Pair", "x y", defaults=(5,))  # noqa: PYI024


@case((5,), (1,))
def loops_over_arrays_that_nothing_else_holds(n):
    s = 0.0
    for x in np.arange(n * 1.0):
        c = np.full(n, 99.0)
        s = s * 10 + x + c[0]
    for row in np.ones((n, n)):
        m = np.full((n, n), 98.0)
        s = s * 10 + row[0] + m[0, 0]
    for x in np.ones((n, n)).flat:
        m = np.full((n, n), 97.0)
        s += x + m[0, 0]
    return s


@case((4,))
def loops_over_tuples_of_new_arrays(n):
    s = 0.0
    for a in (np.ones(n), np.zeros(n)):
        c = np.full(n, 99.0)
        s = s * 10 + a[0] + c[0]
    pairs = zip((np.zeros(n), np.ones(n)), reversed((np.ones(n), np.zeros(n))))
    for i, (x, y) in enumerate(pairs):
        c = np.full(n, 98.0)
        s = s * 10 + x[0] + c[0] + i * y[0]
        if i == 1:
            return x, s
    return x, s


@case((5,), (0,))
def iterators_in_variables_keep_their_arrays(n):
    held = (enumerate(np.ones(n)), n)
    r = enumerate(np.ones(n)) if n else enumerate(np.zeros(3))
    s = 0.0
    for k in range(3):
        if k == 1:
            r = enumerate(np.full(4, 2.0))
        c, d = np.full(n, 99.0), np.full(4, 98.0)
        s += c.sum() + d[0]
        for i, x in r:
            s = s * 2 + x
            if i == 2:
                break
    for i, x in held[0]:
        s += i * x
    return s


@case((4,))
def rows_outlive_the_loop(n):
    rows = np.zeros((n, 2))
    last = rows[0]
    for i, row in enumerate(rows):
        row[:] = i
        last = row
    return last


@case(lambda: (vector(),))
def named_tuples_of_arrays(a):
    p = Pair(a, a.copy())
    for i in range(3):
        p = Pair(p.y, p.x[1:])
        if i == 1:
            break
    return p, Pair(a), Pair(y=a[1:], x=p)


@case(lambda: (vector(),))
def functions_that_hand_arrays_on(a):
    b = tuple((a.copy(), a[1:]))
    c = operator.getitem(a, slice(1, 3))
    d = operator.add((c, a.copy()), b)
    e = sum(((np.ones(2),), (c,)), ())
    return b[0], c, d, operator.iadd(a, 1.0), e, tuple(d)


@case(lambda: (matrix(), 3), lambda: (matrix(), 9))
def rows_by_a_function_in_a_loop(m, n):
    s = 0.0
    for i in range(n):
        row = operator.getitem(m, i)
        s += row[0]
    return s


# --- inner functions ----------------------------------------------------------------------------


@case((3,), (0,), (1,))
def a_default_of_a_function_made_in_a_loop(n):
    for i in range(n):
        a = np.full(3, i * 1.0)

        def f(x, y=a, z=i):
            return x * y[1], z

        if i == 1:
            break
    b = np.full(3, 77.0)
    return f(2.0), b[0], f(1.0)


@case((3,), (0,))
def a_default_of_a_function_made_on_a_branch(n):
    if n > 1:
        a = np.full(3, n * 1.0)

        def f(x, y=a, *, k=n):
            return x * y[1], k

        a = np.zeros(3)
    n = 9
    return f(2.0), f(1.0, k=a[0]), n


@case((3,), (0,))
def a_captured_variable_is_deleted_twice(n):
    x = n

    def forget():
        nonlocal x
        del x

    forget()
    if n:
        forget()
    return n


# --- exceptions whose message cannot be written -------------------------------------------------


@case((3, 2.5))
def a_format_that_does_not_fit(n, x):
    raise ValueError(n, f"{x:d}")


class Numbered(Exception):
    def __init__(self, *args, number=0):
        super().__init__(*args, number)


@case((("a", 2.5), 0), (("a", 2.5), 1), (("a", 2.5), 2), (("a", 2.5), 3))
def exceptions_with_arguments_by_name_and_by_star(t, n):
    if n > 2:
        raise KeyError(n, *t)
    try:
        if n > 1:
            raise Numbered(number=n)
        if n > 0:
            raise Numbered(*t, number=n)
    except Numbered as e:
        raise Numbered(*t, str(e), number=n) from e
    return np.sum(*(np.ones(3),), axis=n)


# --- named tuples and classes -------------------------------------------------------------------


@case((Pair(1, 2),), ((1, 2),))
def classes_of_named_tuples(p):
    return isinstance(p, Pair), isinstance(p, tuple), type(p) is Pair, type(p) is tuple


class Named(typing.NamedTuple):
    a: float
    p: Pair = Pair(1, 2)

    def norm(self):
        return abs(self.a)


@case((Named(1.5),), (Named(2, Pair(3)),))
def a_named_tuple_with_methods(q):
    x, p = q
    return q, x, p.y, len(q), Named(x), Named(p=p, a=0.5), q == (x, p)


# --- what is read before something else happens --------------------------------------------------


@case((4,), (0,))
def a_value_is_read_before_it_is_assigned_anew(v):
    return (v and v) - (v := -7), ((v or 1), (v := -9), v), max(v or 1, (v := 5)) - v


@case((4,), (0,))
def one_of_two_values_is_read_before_it_is_assigned_anew(v):
    return (v if v else 3) - (v := -7) + v


@case((4,), (0,))
def values_are_read_in_a_loop_that_assigns_them(v):
    x = (v or 1) + (v := 5)
    while x > 0 and (v := v - 1) or (v and x > 3):
        x -= (v or 2) + (v := v + 1)
    return x, v


@case((np.ones(3), 0), (np.ones(3), 1))
def an_unbound_name_is_read_before_an_index_fails(a, n):
    if n:
        u = 1
    u += a[5]
    return u


@case((0,), (1,))
def the_first_of_two_unbound_names_is_reported(n):
    if n:
        u = 1
        w = 2
    return u * (w - w)


@case((np.ones(3), 0), (np.ones(3), 1))
def an_unbound_name_is_a_statement(a, n):
    if n:
        u = 1
    u  # noqa: B018
    return a[9]


@case((np.ones(3), 0), (np.ones(3), 1))
def a_deleted_name_is_read_after_an_index_fails(a, n):
    u = 1
    if n:
        del u
    return a[n * 5] + u


# --- types that grow while they are inferred -----------------------------------------------------


@case((np.arange(9, dtype=np.int16), 4))
def bounds_of_a_slice_grow_wider(a, n):
    v = a[0]
    s = 0
    for i in range(n):
        s += a[v::-1].size
        v = v & 3
        v = v + i
    return s


@case((True, 4))
def an_owner_of_a_method_grows_wider(v, n):
    s = 0
    for i in range(n):
        s += v.bit_length()
        v = v + i
    return s


@case((np.arange(9, dtype=np.int16), 4), (np.arange(9, dtype=np.int16), 3))
def slices_with_bounds_of_two_widths(a, n):
    s = slice(a[1], 7) if n > 3 else slice(n, 8)
    return a[s].copy()


# --- what classes hold --------------------------------------------------------------------------


class Settings:
    SIZE = 4
    SCALE = 2.5
    WEIGHTS = np.array([1.0, 2.0, 4.0])
    PAIR = Pair(3, 1.5)
    DEBUG = False

    class Limits:
        LOW = -2
        NAMES = ("low", "high")

    @staticmethod
    @cutaway.jit
    def doubled(x):
        return x * 2

    @cutaway.jit
    def halved(x):  # noqa: N805  a function that the class holds, not a method of objects
        return x / 2


class Narrower(Settings):
    SIZE = 2


@case((3,), (-1.5,))
def constants_of_a_class(x):
    s = Settings.SIZE + Settings.SCALE * x + Settings.WEIGHTS[1] + Settings.PAIR.y
    if Settings.DEBUG:
        s = -1.0
    return s, Narrower.SIZE, Narrower.SCALE, len(Settings.WEIGHTS), Settings.PAIR


@case((3,))
def a_class_in_a_class(x):
    low = Settings.Limits
    return max(x, Settings.Limits.LOW), low.LOW, Settings.Limits.NAMES[1] == "high"


@case((3,), (1.5,))
def compiled_functions_that_a_class_holds(x):
    f = Narrower.doubled
    return Settings.doubled(x), Settings.halved(x), f(x)


# --- bounds of slices that may be None ----------------------------------------------------------


@case(*[(vector(), m, x, y, z) for m in range(8) for x, y, z in [(1, 4, 2), (-9, -1, -1)]])
def slices_with_bounds_that_may_be_none(a, m, x, y, z):
    i = x if m & 1 else None
    j = y if m & 2 else None
    k = z if m & 4 else None
    s = slice(i, j, k)
    return a[i:], a[:j].copy(), a[i:j:k], s.indices(len(a)), s.start, a[s]


@case((vector(), 1), (vector(), 3))
def a_variable_with_slices_of_two_kinds(a, k):
    s = slice(1, 5)
    if k > 2:
        s = slice(k, None)
    a[s] = 7
    return a, s.start, s.stop


@case((np.arange(5, dtype=np.int16), 3))
def a_bound_that_becomes_wider_in_a_loop(a, n):
    v = a[1]
    s = 0
    for _ in range(n):
        s += a[v::-1].sum()
        v = v & 3
    return s


# --- classes of NumPy's numbers ------------------------------------------------------------------


@case((np.float32(0.1), np.arange(3, dtype=np.int8)), (0.1, np.ones(2, np.complex64)))
def classes_of_numbers_of_each_width(x, a):
    T, U = type(x), type(a[0])
    return np.full(2, x, T), np.zeros(2, U), T(1) / T(3), type(x) is np.float32
