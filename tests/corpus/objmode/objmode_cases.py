"""Functions with blocks of `with objmode`: values of every kind, variables in and out in every
way."""

from __future__ import annotations

import math
import sys

import numpy as np

import cutaway
from corpus.control.cases import Cases
from cutaway import njit, objmode, types

CASES = Cases()

FLOATS = types.float64[:]
TEXT = "int64"
PAIR = np.dtype([("a", np.int64), ("b", np.float64)])
RECORD = cutaway.from_dtype(PAIR)
A = np.array([3.0, 1.0, 2.0])
GRID = np.arange(12.0).reshape(3, 4)
FACTOR = 3


# --- values of every kind -----------------------------------------------------------------------


@CASES.case((3, 2.5, True, 1 + 2j), (-(2**63), math.inf, False, -0j))
def numbers(i, x, b, z):
    with objmode(j="int64", y="float64", c="boolean", w="complex128"):
        j, y, c, w = i, x, b, z
    return j, y, c, w


@CASES.case((200,), (3,))
def small_numbers(n):
    with objmode(a="uint8", b="int16", c="uint64"):
        a = n % 256
        b = -n
        c = 2**64 - n
    return a + 1, b, c


@CASES.case((3,))
def converted_as_arguments_are(n):
    with objmode(x="float64", z="complex128", k="int64"):
        x = float(n)
        z = complex(x)
        k = int(np.int32(n))
    return x, z, k


@CASES.case((A, GRID), (A[::-1], GRID.T), (A[:0], GRID[::2, 1:3]))
def arrays(a, g):
    with objmode(b="float64[:]", h="float64[:, :]", n="int64"):
        b = np.sort(a)
        h = g[::-1] * 2
        n = a.strides[0] + g.strides[1]
    return b, h, n, float(b.sum() + h.sum())


@CASES.case((A.copy(),))
def the_same_memory(a):
    with objmode(b="float64[:]"):
        a[0] = 7
        b = a[1:]
    b[0] = 9
    return a, b


@CASES.case((5,))
def an_array_that_was_made_here(n):
    a = np.zeros(n)
    a[1:] = 2
    b = a[1:]
    with objmode(s="float64"):
        b[0] = 100
        s = float(sum(b))
    return a, float(s), float(b[0])


@CASES.case((A,))
def tuples(a):
    t = (1, a, (2.5, "x"))
    with objmode(u=types.Tuple((types.int64, FLOATS)), v="UniTuple(int64, 3)"):
        u = (len(t), t[1])
        v = (1, 2, t[0])
    return u[0], u[1], v


@CASES.case(("ab",), ("öß\N{SNOWMAN}",), ("",))
def texts(s):
    with objmode(t="unicode_type", n="int64"):
        t = s.upper() + "!"
        n = len(t)
    return t, n, t == "AB!"


@CASES.case((1,), (0,))
def none_or_a_number(n):
    x = None if n == 0 else 2.5
    with objmode(y=types.optional(types.float64), z="none"):
        y = None if x is not None else 1.0
        z = None
    return y, z, x


@CASES.case((1,), (0,))
def none_or_an_array(n):
    with objmode(y=types.optional(FLOATS)):
        y = None if n else np.ones(2)
    if y is None:
        return 0.0
    return float(y[0])


@CASES.case((np.zeros(2, PAIR),))
def records(r):
    with objmode(q=RECORD, x="float64"):
        r[0]["a"] = 5
        q = r[0]
        x = float(r["b"].sum())
    return int(q["a"]), float(q["b"]), x


@CASES.case((np.datetime64("2020-01-01", "D"),))
def times(t):
    with objmode(u="datetime64[D]", d="timedelta64[D]"):
        u = t + np.timedelta64(3, "D")
        d = u - t
    return u, d


@CASES.case((4,))
def ranges_and_slices(n):
    r = range(n)
    s = slice(1, n)
    with objmode(k="int64", q="range(int64)"):
        k = sum(r) + len(list(range(10))[s])
        q = range(n, 2 * n)
    t = 0
    for i in q:
        t += i
    return k, t


@CASES.case((2.0,))
def functions_and_modules(x):
    f, m = np.sin, math
    with objmode(y="float64"):
        y = float(f(x)) + m.sqrt(x)
    return y


@CASES.case(())
def a_constant_array():
    a = GRID
    with objmode(b="float64[:, :]", w="boolean"):
        b = a * 2
        w = bool(GRID.flags.writeable)
    return b, w


# --- what is in the block -----------------------------------------------------------------------


@CASES.case((5,))
def objects_live_in_it(n):
    with objmode(s="int64"):
        import collections

        names = {f"k{i}": [i] * i for i in range(n)}
        counts = collections.Counter(len(v) for v in names.values())
        s = sum(counts) + len(names["k3"])

        class Local:
            value = 4

        s += Local.value
    return s


@CASES.case((5,))
def functions_are_made_in_it(n):
    with objmode(s="int64"):

        def twice(x):
            return 2 * x + n

        s = sum(map(twice, range(n))) + sum(k * n for k in range(3)) + (lambda q: q + n)(1)
    return s + n


@njit
def compiled(x):
    return x * 2


@njit
def with_a_block(x):
    with objmode(y="float64"):
        y = float(x) + FACTOR
    return y


@CASES.case((2.0,))
def calls_of_compiled_functions(x):
    with objmode(y="float64"):
        y = compiled(x) + with_a_block(x)
    return y + with_a_block(y)


@CASES.case((6,), (1,))
def factorial(n):
    if n < 2:
        return 1
    with objmode(r="int64"):
        r = factorial_compiled(n - 1)
    return n * r


factorial_compiled = njit(factorial)


def _closure(base, table):
    def f(x):
        with objmode(y="int64"):
            y = table[x] + base
        return y + base

    return f


CASES.case((1,), (2,))(_closure(10, {1: 100, 2: 200}))


@CASES.case((3,))
def inner_functions_have_blocks(n):
    def g(x):
        with objmode(y="int64"):
            y = x + n
        return y

    return g(1) + g(2)


@njit(inline="always")
def _inlined(x):
    with objmode(y="int64"):
        y = x * FACTOR
    return y


@CASES.case((3,))
def inlined_functions_have_blocks(n):
    return _inlined(n) - _inlined(1)


@CASES.case((4,))
def a_generator_with_blocks(n):
    for i in range(n):
        with objmode(y="int64"):
            y = i * i
        yield y


@CASES.case((4,))
def a_loop_over_such_a_generator(n):
    s = 0
    for x in _generated(n):
        with objmode(k="int64"):
            k = s + x
        s = k
    return s


@njit
def _generated(n):
    for i in range(n):
        with objmode(y="int64"):
            y = i * i
        yield y


# --- variables in and out -----------------------------------------------------------------------


@CASES.case((5,), (0,))
def loops_around(n):
    s = 0.0
    for i in range(n):
        with objmode(x="float64"):
            x = s + i
        s = x / 2
    return s


@CASES.case((5,))
def loops_inside(n):
    with objmode(s="int64", i="int64"):
        s = 0
        for i in range(n):
            if i == 3:
                continue
            s += i
        else:
            s += 100
    return s, i


@CASES.case((3, True), (1, False), (3, False))
def bound_in_an_earlier_run(n, c):
    for i in range(n):
        with objmode(last="int64", other="int64"):
            last = 1 if i == 0 else last + i  # noqa: F821
            other = last
            if c:
                other = i
    return last + other


@CASES.case((True, True), (True, False), (False, False))
def bound_on_one_way(c, d):
    if c:
        x = 3
    if d:
        y = 2.5
    with objmode(q="float64"):
        q = 1.0
        if c:
            q += x
        if d:
            q += y
    return q


@CASES.case((True,), (False,))
def assigned_on_one_way(c):
    y = 1
    with objmode(y="int64"):
        if c:
            y = y + 5
    return y


@CASES.case((4,))
def nothing_in_and_nothing_out(n):
    with objmode():
        sys.getsizeof(3)
    with objmode(z="int64"):  # which nobody needs
        z = 4  # noqa: F841
    return n


@CASES.case((4,))
def one_behind_the_other(n):
    with objmode(a="int64"):
        a = n + 1
    with objmode(b="int64"):
        b = a * 2
    if n > 3:
        with objmode(b="int64"):
            b = b + a
    return b


@CASES.case((4,))
def declared_in_every_way(n):
    with objmode(a=TEXT, b=types.int64, c=cutaway.types.float64[:], d=cutaway.float64):
        a, b, c, d = n, n + 1, np.ones(n), 2.5
    with cutaway.objmode(e="float64[::1]"):
        e = c * d
    return a, b, c, e


# --- exceptions ---------------------------------------------------------------------------------


@CASES.case((0,), (1,), (2,), (3,))
def caught_around_it(n):
    done = 0
    try:
        with objmode(y="int64"):
            if n == 1:
                raise ValueError("one", n)
            y = {0: 4, 3: 5}[n]
        done = y
    except ValueError as e:
        done = 10 + len(str(e))
    except KeyError:
        done = 20
    finally:
        done += 100
    return done


@CASES.case((0,), (1,))
def caught_in_it(n):
    with objmode(y="int64"):
        try:
            y = 1 // n
        except ZeroDivisionError:
            y = -1
        finally:
            n += 1
    return y


@CASES.case((0,), (4,))
def leaves_the_function(n):
    a = np.ones(10)
    b = a + n
    with objmode(y="float64"):
        y = 1 / n
    return y + float(b[0])


@CASES.case((5,), (1,))
def the_value_of_before_is_kept(n):
    y = 0
    try:
        with objmode(y="int64"):
            y = {5: 6}[n]
    except KeyError:
        y += 1
    return y


@CASES.case((0,))
def raised_while_another_is_handled(n):
    try:
        return 1 // n
    except ZeroDivisionError:
        with objmode(k="int64"):
            k = len(str(sys.exc_info()[1]))
            if k:
                raise KeyError(k)  # noqa: B904
        return k


@CASES.case((0,))
def raised_again_in_it(n):
    try:
        return 1 // n
    except ZeroDivisionError:
        with objmode():
            raise
    return 3


@CASES.case((0,))
def handled_in_it(n):
    try:
        return 1 // n
    except ZeroDivisionError as e:
        with objmode(k="int64"):
            k = len(str(e)) + isinstance(e, ArithmeticError)
    return k


@CASES.case((3,))
def never_ends_but_by_an_exception(n):
    a = np.ones(n)
    with objmode():
        raise ValueError(len(a))


@CASES.case((3,))
def a_name_that_is_not_there(n):
    with objmode(y="int64"):
        y = not_there + n  # noqa: F821
    return y


@CASES.case((0,), (1,))
def a_variable_without_a_value(n):
    with objmode(y="int64"):
        if n:
            y = 1
    return y


@CASES.case((0,), (1,))
def a_variable_that_is_deleted(n):
    y = 3
    with objmode(y="int64"):
        if not n:
            del y
    return y
