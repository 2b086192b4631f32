"""The case table: small programs with arguments, one idea each.

`ARGS` gives a fresh tuple of arguments each time, since programs may change arrays.  A case
whose compiled code may differ from Python names the entry of the ledger that allows it.
"""

from __future__ import annotations

import collections
import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import cutaway

INF, NAN = float("inf"), float("nan")
SCALE = 3
OFFSETS = (1, 2.5)
TABLE = np.array([10, 20, 30])


@dataclass(frozen=True)
class Case:
    """One program and ways to call it."""

    function: Callable[..., Any]
    arguments: tuple[Callable[[], tuple[Any, ...]], ...]

    @property
    def name(self) -> str:
        return self.function.__name__


CASES: list[Case] = []


def case(*arguments: Any) -> Callable[[Any], Any]:
    """Add a function to the table; each argument is a tuple, or makes one; lists are copied for
    each call."""

    def register(function: Any) -> Any:
        makers = tuple(a if callable(a) else (lambda a=a: copied(a)) for a in arguments)
        CASES.append(Case(function, makers))
        return function

    return register


def copied(value: Any) -> Any:
    """A value whose lists are copies; one that stands in two places does so again."""
    return copy.deepcopy(value, {id(one): one for one in _others(value)})


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for one in value:
            yield from _others(one)
    else:
        yield value


def vector(n: int = 6) -> np.ndarray:
    return np.arange(n, dtype=np.float64) * 1.5 - 2


def matrix(rows: int = 4, columns: int = 5) -> np.ndarray:
    return np.arange(rows * columns, dtype=np.float64).reshape(rows, columns) % 7


# --- arithmetic -------------------------------------------------------------------------------

PAIRS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3), (5, 0), (2**40, 3)]
FLOAT_PAIRS = [
    (7.5, 2.0),
    (-7.5, 2.0),
    (7.5, -2.0),
    (0.0, -3.0),
    (-0.0, 3.0),
    (1.0, 0.0),
    (INF, 2.0),
    (NAN, 1.0),
    (5.0, INF),
    (-5.0, INF),
]


@case(*PAIRS, *FLOAT_PAIRS, (True, 2), (3, 0.5), (2, 3j))
def add_subtract_multiply(a, b):
    return a + b, a - b, a * b


@case(*PAIRS, *FLOAT_PAIRS, (1 + 2j, 3 - 1j), (1j, 0j))
def true_division(a, b):
    return a / b


@case(*PAIRS, *FLOAT_PAIRS)
def floor_division(a, b):
    return a // b


@case(*PAIRS, *FLOAT_PAIRS)
def modulo(a, b):
    return a % b


@case(*PAIRS, *FLOAT_PAIRS)
def both_of_divmod(a, b):
    return divmod(a, b)


@case((2, 10), (-3, 3), (0, 0), (2.0, 0.5), (2.0, -1.0), (0.0, 2.0), (1j, 2), (0.0, -1.0))
def power(a, b):
    return a**b


@case((3,), (-3,), (2.5,), (1 + 1j,), (True,))
def constant_powers(a):
    return a**2, a**3, a**0, a**1


@case((5,), (-5,), (0,), (2.5,), (-0.0,), (True,), (3 - 4j,))
def signs(a):
    return -a, +a, abs(a)


@case((5, 3), (-5, 3), (True, False), (2**62, 1))
def bits(a, b):
    return a & b, a | b, a ^ b, ~a


@case((5, 3), (-5, 1), (1, 0), (5, -1), (-1, 70))
def shift_right(a, n):
    return a >> n


@case((5, 3), (-5, 1), (1, 0), (5, -1))
def shift_left(a, n):
    return a << n


@case(*PAIRS, *FLOAT_PAIRS, (3, 3.0), (2**53 + 1, float(2**53)), (True, 1))
def comparisons(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b


@case((1 + 2j, 1 + 2j), (1j, 2j), (1 + 0j, 1))
def complex_equality(a, b):
    return a == b, a != b


@case((1, 2, 3), (3, 2, 1), (1, 1, 2), (1.0, 2, 3.5))
def chained_comparison(a, b, c):
    return a < b < c, a < b <= c != a


@case((0, 5), (3, 0), (0, 0), (7, 7))
def boolean_values(a, b):
    return a and b, a or b, not a, (a or b) and b


@case((1, 2), (2, 1), (0, 0))
def ternary(a, b):
    return a if a > b else b


@case((5,), (15,), (-1,))
def augmented(a):
    a += 3
    a *= 2
    a -= 1
    a //= 3
    a <<= 2
    a |= 1
    return a


@case((2.7,), (-2.7,), (2.5,), (3.5,), (NAN,), (INF,), (1e18,), (7,), (True,))
def to_integer(x):
    return int(x)


@case((2.5,), (3.5,), (-2.5,), (0.4,), (1e15,))
def rounding(x):
    return round(x), math.floor(x), math.ceil(x), math.trunc(x)


@case((2.675, 2), (1234.5, -2), (0.5, 0), (NAN, 2), (1e300, 2))
def round_to_digits(x, n):
    return round(x, n)


@case((3,), (2.5,), (True,))
def conversions(x):
    return float(x), bool(x), complex(x), int(x)


@case((3, 1, 2), (1.5, 2.5, -1.0), (2, 2, 2))
def extremes(a, b, c):
    return min(a, b, c), max(a, b, c), min(a, b), max((a, b, c))


# --- math -------------------------------------------------------------------------------------


@case((0.5,), (-0.5,), (0.0,), (1.0,), (NAN,))
def trigonometry(x):
    return math.sin(x), math.cos(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x)


@case((0.5,), (2.0,), (-1.0,), (0.0,))
def hyperbolic(x):
    return math.sinh(x), math.cosh(x), math.tanh(x), math.asinh(x)


@case((2.0,), (0.5,), (0.0,), (-1.0,), (INF,), (NAN,))
def square_root(x):
    return math.sqrt(x)


@case((2.0,), (0.0,), (-1.0,), (INF,), (3,))
def logarithm(x):
    return math.log(x), math.log2(x), math.log10(x)


@case((1.0,), (1000.0,), (-1000.0,), (NAN,))
def exponential(x):
    return math.exp(x), math.expm1(x)


@case((3.0, 4.0), (-1.0, 0.0), (0.0, -0.0))
def two_arguments(x, y):
    return math.atan2(x, y), math.hypot(x, y), math.copysign(x, y)


@case((7.5, 2.0), (1.0, 0.0), (-7.5, 2.0), (1.0, INF))
def float_remainders(x, y):
    return math.fmod(x, y)


@case((2.5,), (-2.5,), (0.0,))
def parts_of_floats(x):
    return math.modf(x), math.frexp(x), math.ldexp(x, 3)


@case((12, 18), (0, 5), (-4, 6))
def common_divisors(a, b):
    return math.gcd(a, b), math.lcm(a, b)


@case((5, 2), (10, 0), (3, 5), (-1, 2))
def combinations(n, k):
    return math.comb(n, k), math.perm(n, k)


@case((5,), (20,), (0,), (-1,))
def factorials(n):
    return math.factorial(n)


@case((5.0,), (-0.5,), (0.0,), (-2.0,))
def gamma_function(x):
    return math.gamma(x)


@case((NAN,), (INF,), (1.0,), (-INF,))
def classification(x):
    return math.isnan(x), math.isinf(x), math.isfinite(x)


@case(
    (90.0,),
)
def constants_of_math(x):
    return math.radians(x) * 2 / math.pi, math.degrees(math.e), math.tau


@case((1.0, 1.0 + 1e-10), (1.0, 1.1), (INF, INF))
def closeness(a, b):
    return math.isclose(a, b), math.isclose(a, b, rel_tol=0.5)


# --- control flow -----------------------------------------------------------------------------


@case((0,), (1,), (10,))
def while_with_else(n):
    total = 0
    while n > 0:
        n -= 1
        if n == 5:
            continue
        if n == 100:
            break
        total += n
    else:
        total += 1000
    return total


@case((10,), (3,), (0,))
def for_with_break(n):
    found = -1
    for i in range(n):
        if i * i > 10:
            found = i
            break
    else:
        found = -2
    return found


@case((2, 11, 3), (11, 2, -3), (0, 5, 1), (5, 0, 1), (0, 5, 0))
def range_with_step(start, stop, step):
    total = 0
    last = 0
    for i in range(start, stop, step):
        total = total * 3 + i
        last = i
    return total, last, len(range(start, stop, step))


@case((5,), (0,))
def ranges_backward(n):
    total = 0
    for i in range(n, 0, -1):
        for j in range(i, -1, -2):
            total = total * 2 + j
    return total


@case((4, 3), (0, 2))
def nested_loops(n, m):
    total = 0
    for i in range(n):
        for j in range(m):
            if (i + j) % 2:
                continue
            if i * j > 6:
                break
            total += i * 10 + j
    return total


@case((3, True), (3, False), (0, True))
def unbound_variable(n, c):
    for i in range(n):
        if c:
            last = i
    return last + i


@case((1,), (2,), (3,))
def elif_chain(x):
    if x == 1:
        y = 10
    elif x == 2:
        y = 20
    else:
        y = 30
    return y


@case((5,), (-5,), (0,))
def early_returns(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@case((1,), (0,))
def returns_nothing(x):
    if x:
        return
    x += 1


@case((5,), (-1,), (50,))
def raises_and_asserts(x):
    if x < 0:
        raise ValueError("negative", -1)
    assert x < 10, "too large"
    return x


@case((1,), (2,), (3,), (4,))
def match_on_literals(x):
    match x:
        case 1:
            return 10
        case 2 | 3:
            return 20
        case _:
            return 30


@case((3, 4), (0, 0))
def walrus(a, b):
    if (c := a + b) > 3:
        return c
    return -c


# --- tuples -----------------------------------------------------------------------------------


@case((1, 2.5), (3, 4.0))
def swapping(a, b):
    a, b = b, a
    (c, d), e = (a, b), a
    return a, b, c, d, e


@case(((1, 2, 3),), ((4.5, 5.5, -1.0),))
def tuple_items(t):
    total = t[0]
    for x in t:
        total += x
    return total, t[-1], len(t), t[1:], t == (1, 2, 3)


@case(((1, (2.5, True)),))
def nested_tuples(t):
    a, (b, c) = t
    return t[1][0] + b, a, c


@case(((1, 2),))
def index_beyond_a_tuple(t):
    return t[5]


@case(((1, 2, 3),), ((1,),))
def unpacking_of_the_wrong_length(t):
    a, b = t
    return a


@case((2,), (5,))
def membership(x):
    return x in (1, 2, 3), x not in (1, 2, 3)


@case((2,), (2.5,))
def strings_equal_strings_only(x):
    return x == "2", "a" == "a", x != "2", None == x  # noqa: E711


@case((0,), (2,))
def global_constants(k):
    return SCALE * k + OFFSETS[0], OFFSETS[1], TABLE[k]


# --- calls ------------------------------------------------------------------------------------


@cutaway.jit
def helper(a, b=2, c=0.5):
    return a * b + c


@cutaway.jit
def choose(x, y=None):
    if y is None:
        return x
    return x + y


@case((3,), (2.5,))
def calls_compiled(x):
    return helper(x), helper(x, 5), helper(x, c=1.5), helper(b=1, a=x), choose(x), choose(x, 1)


@cutaway.jit
def raises_inside(x):
    if x > 2:
        raise KeyError("inside", 3)
    return x


@case((1,), (5,))
def exception_of_callee(x):
    return raises_inside(x) + 1


@cutaway.jit
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@case((0,), (10,))
def recursion(n):
    return fibonacci(n)


@case((3, 4))
def inner_functions(a, b):
    def scaled(x, k=2):
        return x * k + a

    double = lambda y: scaled(y) + scaled(y, k=b)  # noqa: E731
    a = 100
    return double(1) + scaled(2)


# --- arrays -----------------------------------------------------------------------------------


@case(
    lambda: (vector(),),
    lambda: (vector(10)[::2],),
    lambda: (np.arange(5),),
    lambda: (np.arange(0),),
    lambda: (np.array([True, False, True]),),
    lambda: (np.array([1, 250, 3], np.uint8),),
    lambda: (np.array([1.5, 2.5], np.float32),),
    lambda: (np.array([1j, 2.5], np.complex128),),
)
def sum_of_array(a):
    total = 0
    for i in range(len(a)):
        total += a[i]
    return total


@case(
    lambda: (vector(), vector(), 3),
    lambda: (vector(9)[::-2], vector(1), 2),
    lambda: (np.float32([1.5, 2.5]), np.uint8([7, 250]), 2),
    lambda: (matrix(), matrix()[0], -1),
    lambda: (np.asfortranarray(matrix()), np.asfortranarray(matrix()), 0),
    lambda: (matrix(3, 1), matrix(1, 5), 4),
    lambda: (np.zeros((0, 4)), np.ones(4), 4),
    lambda: (np.complex64([1j, 2.5]), np.array(2), 4),
    lambda: (vector(), vector(4), 3),
)
def array_expression(a, b, n):
    t = a * b + n
    return t - a * 0.5


@case(
    lambda: (np.arange(5), np.arange(1, 6)),
    lambda: (np.int8([-128, 5, 7]), np.int8([-1, 0, -3])),
    lambda: (np.uint32([7, 1 << 31]), np.uint16([0, 3])),
    lambda: (vector(), 1.5),
)
def divisions_of_arrays(a, b):
    q, r = divmod(a, b)
    return q, r, a // 7, a % b, np.fmod(a, b)


@case(
    lambda: (np.arange(5), 3),
    lambda: (np.uint8([1, 250]), 300),
    lambda: (vector(), -1),
    lambda: (np.uint64([1 << 63, 5]), -1),
)
def choices_of_arrays(a, n):
    return np.where(a < n, a, 2), np.maximum(a, 3), (a >= n) ^ (a == 2), a.astype(np.float32)


@case(lambda: (vector(), np.zeros(5)), lambda: (np.arange(5), np.zeros(5)), lambda: (vector(), 0))
def powers_and_outputs(a, b):
    c = np.square(a, out=a) ** 0.5
    b += c**2
    np.add(a, 1, out=a, where=a > 2, casting="unsafe")
    return a, b, c**-1.0, np.modf(c)


@case(
    lambda: (np.array(["2000-02-29", "NaT"], "M8[D]"), np.array([1, -3600], "m8[s]")),
    lambda: (np.array(["2000-02"], "M8[M]"), np.array([25], "m8[D]")),
    lambda: (np.array([5, 7], "m8[ms]"), np.array([3, 0], "m8[us]")),
)
def times_of_several_units(a, d):
    return a + d, a - d, (a + d) - a, a + 1


@case(lambda: (vector(), vector()), lambda: (vector(3), vector(4)))
def array_expression_that_is_used_twice(a, b):
    d = a - b
    s = d * d
    return np.sqrt(s + 1.0), d / (s + 2.0), s


@case(
    lambda: (vector(), vector()),
    lambda: (np.arange(5), np.arange(5)),
    lambda: (vector(), vector(4)),
    lambda: (vector(3), vector(1)),
    lambda: (np.float32([1.5, 2.5, 3.5]), np.float32([2, 3, 4])),
    lambda: ((a := vector(9))[1:], a[:-1]),
)
def updates_in_one_loop(a, b):
    s = np.zeros(len(a) - 2)
    s += a[1:-1] * 0.25
    s += a[2:] * 0.5
    s -= a[:-2]
    t = s * 2
    u = t
    t *= 3
    t += s
    a += b
    a *= 2
    a -= b
    return s, t, u, a


@case(
    lambda: (matrix(), np.zeros((4, 5))),
    lambda: (matrix(), matrix()),
    lambda: (matrix(2, 2), np.zeros((4, 5))),
    lambda: (matrix(), np.zeros((4, 6))),
)
def stencil_of_slices(a, b):
    b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    a[1:, :] = a[:-1, :] + 1.0
    return a


@case(
    lambda: (matrix(), matrix()),
    lambda: (np.asfortranarray(matrix()), np.asfortranarray(matrix())),
    lambda: (matrix(200, 3), matrix(1, 3)),
    lambda: (np.float32(matrix(3, 130)), np.float32(matrix(3, 130))),
    lambda: (np.ones((3, 0)), np.ones((3, 0))),
    lambda: (np.arange(12).reshape(3, 4), np.arange(12).reshape(3, 4)),
)
def reductions_of_expressions(a, b):
    rows = (a * b).sum(axis=1, keepdims=True)
    return (a - b).sum(), np.mean(a + b, axis=0), np.any(a * b), a / (rows + 1.0)


@case(lambda: (vector(),), lambda: (vector(9)[::-2],), lambda: (np.float32([1.5, 2.5, 4]),))
def parts_of_an_array_that_change(a):
    a[1:] -= 0.5 * (a[1:] - a[:-1])
    a[0] += np.var(a) + np.std(a * 2.0)
    return a


@case(lambda: (vector(), 2.5), lambda: (vector(9)[::-2], 3))
def masked_stores(a, x):
    a[a > x] = 0.5
    a[a < -x] = x
    return a, a.sum()


@case(
    lambda: (np.arange(6), 2),
    lambda: (np.int8([100, 100, 3, -5]), 3),
    lambda: (np.arange(24).reshape(2, 3, 4)[::-1, :, ::2], 30),
    lambda: (vector(), 1),
)
def masked_sums(a, x):
    later = a[a < x]
    sums = (a[a > x] * 2).sum(), (a[a > x] > 3).sum(), np.prod(a[a < x]), later.sum()
    a[...] = 0
    return sums, (a[a >= x] > x).any(), (a[a <= x] < x).all(), later.sum()


@case(lambda: (vector(), vector(), 2.5), lambda: (vector(9)[::-2], vector(5), 3))
def array_updates(a, b, x):
    c = a
    a += b * x
    a -= b
    b *= 2.0
    return a, b, c


@case(lambda: (vector(), 2), lambda: (np.arange(6), 7))
def rows_of_an_array_that_is_changed(a, n):
    total = np.zeros(len(a))
    for i in range(n):
        row = a * i
        a[0] = i
        total = total + row
    return total, a


@case(lambda: (vector(9)[::-2],), lambda: (vector(),))
def iteration_over_array(a):
    total = 0.0
    for x in a:
        if x < 0:
            continue
        total += x
    return total


@case(lambda: (matrix(),), lambda: (np.asfortranarray(matrix()),), lambda: (matrix()[::2, 1:],))
def iteration_over_rows(a):
    total = 0.0
    for row in a:
        for x in row:
            total = total * 0.5 + x
    return total, a.shape, a.ndim, a.size, len(a)


@case(lambda: (vector(), 2), lambda: (vector(), -1), lambda: (vector(), 6), lambda: (vector(), -7))
def index_of_any_kind(a, i):
    return a[i], a[0], a[-1]


@case(lambda: (matrix(), 1, 2), lambda: (matrix(), -1, -5), lambda: (matrix(), 4, 0))
def index_in_two_dimensions(a, i, j):
    return a[i, j], a[i][j], a[1, -1]


@case(
    lambda: (matrix(), matrix(5, 3)),
    lambda: (np.asfortranarray(matrix()), matrix(3, 5).T),
    lambda: (matrix(4, 6), matrix(5, 3)),
)
def matrix_product(a, b):
    n, m = a.shape
    p = b.shape[1]
    c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return c


@case(lambda: (matrix(6, 7), np.zeros((6, 7))), lambda: (matrix(6, 7), np.zeros((6, 5))))
def jacobi(a, b):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return b


@case(
    lambda: (np.array([0, 1, 2, 2, -1]), np.zeros(4, np.int64)),
    lambda: (np.array([0, 9]), np.zeros(4, np.int64)),
)
def histogram(values, counts):
    for i in range(values.shape[0]):
        counts[values[i]] += 1
    return counts


@case(lambda: (vector(), 4), lambda: (vector(), 6), lambda: (vector(), 9), lambda: (vector(), -3))
def bounds_by_a_limit(a, n):
    total = 0.0
    for i in range(n):
        total += a[i]
        a[i] = total
    return total


@case(lambda: (vector(), 4), lambda: (vector(), 2**63 - 1), lambda: (vector(), 2**63 - 2))
def bounds_of_the_next_element(a, n):
    total = 0.0
    for i in range(n):
        total += a[i + 1]
    return total


@case(
    lambda: (vector(), 2), lambda: (vector(), -3), lambda: (vector(), 2**62), lambda: (vector(), -7)
)
def bounds_of_a_start(a, first):
    total = 0.0
    for i in range(first + 1, len(a)):
        total = total * 2 + a[i]
    for i in range(len(a) - 1, first + 1, -1):
        total = total * 2 + a[i - 1]
    return total


@case(lambda: (matrix(4, 4), 4), lambda: (matrix(4, 4), 5), lambda: (matrix(4, 3), 4))
def bounds_of_a_triangle(a, n):
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            total = total * 0.5 + a[i, j] - a[j, i]
        for j in range(i):
            a[i, j] = total
    return a, total


@case(lambda: (vector(), 3), lambda: (vector(), 8))
def bounds_with_a_break(a, n):
    i = 0
    total = 0.0
    for i in range(n):
        if a[i] > 2:
            break
        total += a[i + 1] - a[i]
    return total, i


@case(lambda: (vector(8),), lambda: (vector(1),))
def slices(a):
    b = a[1:5]
    c = a[::-1]
    d = a[-3:]
    e = a[5:2:-1]
    return b[0] + c[0] + d[-1], len(b), len(e), b.shape, a[2:2].size


@case(lambda: (matrix(),), lambda: (np.asfortranarray(matrix()),), lambda: (matrix(8, 5)[::2],))
def views_of_views(a):
    b = a[1:3, ::-1]
    c = b.T
    b[0] = 7
    c[:, 1] = a[0, :5]
    d = a[..., None]
    return c[1, 0] + d.shape[2], d.ndim, c.shape, a.T.shape


@case(lambda: (vector(), 1, 4, 2), lambda: (vector(), -9, 99, 1), lambda: (vector(), 1, 2, 0))
def slice_by_variables(a, start, stop, step):
    return a[start:stop:step], a[start:], a[:stop]


@case(lambda: (vector(8),))
def overlapping_assignment(a):
    a[1:] = a[:-1]
    a[::2] = a[4:]
    return a


@case(lambda: (matrix(), vector(5)), lambda: (matrix(), vector(4)))
def broadcast_assignment(a, row):
    a[:] = row
    a[1:3, 0] = 9
    a[3] = row[0]
    return a


@case(lambda: (np.zeros(3, np.int32), 2.7), lambda: (np.zeros(3, np.int32), NAN))
def store_float_as_integer(a, x):
    a[1] = x
    a[2:] = x
    return a


@case((3,), (0,), (-1,))
def created_arrays(n):
    a = np.zeros(n)
    b = np.ones((n, 2), dtype=np.int32)
    c = np.empty((2, n), np.float32)
    c[:] = 1.5
    d = np.zeros_like(b)
    e = np.ones_like(a, dtype=np.bool_)
    return a, b, c, d, e


@case(lambda: (vector(3), 5), lambda: (vector(3), 4), lambda: (vector(3), 0))
def buffers_swapped_in_a_loop(a, n):
    b = np.zeros_like(a)
    c = a
    for _ in range(n):
        b, c = c, b
        c[0] += 1
    return c, b[0]


@case(lambda: (vector(2),), lambda: (vector(3),), lambda: (matrix(2, 3),))
def unpacking_of_arrays(a):
    x, y = a
    return x, y


@case(lambda: (vector(),))
def same_array_comes_back(a):
    a[0] = 42.0
    return a


@case(lambda: (vector(),))
def arrays_in_tuples(a):
    pair = (a[1:], np.ones(2))
    first, second = pair
    return pair, first[0] + second[1]


@case(lambda: (matrix(),))
def attributes(a):
    return a.shape, a.ndim, a.size, a.itemsize, a.nbytes, a.strides, a.T.shape


def read_only() -> np.ndarray:
    a = vector()
    a.flags.writeable = False
    return a


@case(lambda: (read_only(),))
def read_only_array(a):
    return a[1] + a[2:][0]


@case((10,), (0,), (3,))
def sieve(n):
    flags = np.ones(n + 1, dtype=np.bool_)
    count = 0
    for i in range(2, n + 1):
        if flags[i]:
            count += 1
            for j in range(i * i, n + 1, i):
                flags[j] = False
    return count


@case((-0.5, 0.5, 50), (1.0, 1.0, 50))
def mandelbrot(x, y, limit):
    c = complex(x, y)
    z = 0j
    for i in range(limit):
        if z.real * z.real + z.imag * z.imag > 4:
            return i
        z = z * z + c
    return limit


# --- inner functions: what they share, and when -----------------------------------------------


@case((3,), (-3,))
def a_default_is_evaluated_at_the_definition(a):
    def inner(x, k=a):
        return x * 10 + k

    a = a + 100
    return inner(a), a


@case((3,))
def a_captured_variable_is_read_at_the_call(a):
    def inner(x):
        return x * 10 + a

    first = inner(1)
    a = a + 100
    return first, inner(1)


@case((4,))
def a_captured_variable_changes_between_two_arguments(a):
    def bump():
        nonlocal a
        a += 1
        return a

    return (a, bump(), a), bump() * 100 + a


@case((5,))
def two_levels_of_capture(a):
    b = 2

    def outer(x):
        def inner(y):
            return y * 1000 + a * 10 + x + b

        return inner(x + 1) + inner(b)

    return outer(3), outer(4)


@case((True,), (False,))
def an_inner_function_may_be_unbound(c):
    if c:

        def inner(x):
            return x + 1

    return inner(2)


@case((3,))
def a_local_of_an_inner_function_is_unbound_at_each_call(n):
    def inner(c):
        if c:
            y = 5
        return y

    total = 0
    for k in range(n):
        total += inner(k == 0)
    return total


@case((True,), (False,))
def a_captured_variable_may_be_unbound(c):
    def inner():
        return later

    if c:
        later = 3
    return inner()


@case((4,))
def functions_made_in_a_loop(n):
    total = 0
    for k in range(n):

        def inner(x, factor=k):
            return x * factor + k

        total = total * 10 + inner(2)
    return total


@case((2, 3.5))
def keyword_only_and_star_of_inner_functions(a, b):
    def inner(x, *rest, scale=a, shift=1):
        return x * scale + shift + len(rest)

    return inner(b), inner(b, 1, 2), inner(b, scale=3), inner(x=b, shift=0, scale=a)


@case((3,))
def argument_order_of_inner_functions(a):
    def inner(a, b):
        return a * 10 + b

    b = 7
    return inner(b, a), inner(inner(a, b), inner(b, a)), inner(b=a, a=b)


@case((2,))
def a_function_passed_to_an_inner_function(a):
    def apply(function, x):
        return function(x) + a

    return apply(lambda x: x * 3, 5), apply(lambda y: y + a, a)


@case((1, 2))
def a_closure_returned_by_an_inner_function(a, b):
    def adder(n):
        def add(x):
            return x + n

        return add

    by_a, by_b = adder(a), adder(b)
    return by_a(10), by_b(10)


# --- deleting variables, starred targets ------------------------------------------------------


@case((3, True), (3, False))
def deleted_variables(a, c):
    b = a + 1
    if c:
        del b
        b = 10
    total = a + b
    del a
    return total


@case((True,), (False,))
def reading_a_deleted_variable(c):
    a = 1
    if c:
        del a
    return a


@case((1,))
def deleting_twice(a):
    del a
    del a  # noqa: F821
    return 1


@case((3, True), (3, False))
def a_parameter_deleted_on_a_path(a, c):
    if c:
        del a
    return a + 1


@case((3, 1), (3, 3), (3, 5))
def a_parameter_deleted_and_bound_in_a_loop(a, n):
    for i in range(n):
        if i == 2:
            del a
        if i > 3:
            a = 7
    return a


@case((1, 2.5, 3))
def nested_unpacking(a, b, c):
    (p, q), r = (a, b), c
    p, r = r, p
    [s, (t, u)] = (q, (p, r))
    return p, q, r, s, t, u


# --- calls: every kind of parameter -----------------------------------------------------------


@case((1,), (1, 2), (1, 2, 3.5, 4), (1.5, True))
def rest_of_the_arguments(a, *rest):
    total = a
    for k in rest:
        total = total + k
    return total, len(rest), rest


@cutaway.jit
def every_kind(a, b=2, /, c=3, *rest, d=4, e=5.5):
    return a + 10 * b + 100 * c + 1000 * d + e, rest


@case((1, 2.5))
def calls_with_every_kind_of_parameter(x, y):
    pair = (x, y)
    return (
        every_kind(x),
        every_kind(x, y),
        every_kind(x, c=y),
        every_kind(x, 5, 6, 7, 8.5, e=y),
        every_kind(*pair),
        every_kind(x, *pair, *pair),
    )


# --- recursion of two functions ---------------------------------------------------------------


@cutaway.jit
def _is_even(n):
    if n == 0:
        return True
    return _is_odd(n - 1)


@cutaway.jit
def _is_odd(n):
    if n == 0:
        return False
    return _is_even(n - 1)


@case((4,), (7,))
def mutual_recursion(n):
    return _is_even(n), _is_odd(n)


@cutaway.jit
def _down(n):
    return _further_down(n - 1)


@cutaway.jit
def _further_down(n):
    if n <= 0:
        return 0.5
    return _down(n - 1)


@case((5,))
def mutual_recursion_where_only_the_second_function_ends(n):
    return _down(n)


@cutaway.jit
def _as_int(n):
    if n == 0:
        return 1
    return _as_float(n - 1) * 2


@cutaway.jit
def _as_float(n):
    if n == 0:
        return 0.25
    return _as_int(n - 1) + 0


@case((5,), (4,))
def mutual_recursion_that_widens_a_type(n):
    return _as_int(n) + 0.0


# --- values that may be None ------------------------------------------------------------------


@case((0,), (5,), (8,))
def none_until_a_loop_sets_it(n):
    best = None
    for i in range(n):
        if best is None or i * i % 7 > best:
            best = i * i % 7
    return best


@case((3.5, True), (3.5, False))
def arithmetic_with_what_may_be_none(x, c):
    y = x if c else None
    return y + 1, 2 * y, -y


@case((3, True), (3, False))
def order_of_what_may_be_none(x, c):
    y = None
    if c:
        y = x
    return x < y


@case((3, True), (0, True), (3, False))
def equality_and_truth_of_what_may_be_none(x, c):
    y = x if c else None
    z = None if c else x
    return y == 3, y != x, y == None, y == y, y == z, bool(y), not y, y is None, y is not None  # noqa: E711


@case((4.0, True), (4.0, False))
def an_array_or_none(x, c):
    a = None
    if c:
        a = np.zeros(3)
        a[1] = x
    if a is not None:
        a[0] = 2 * x
    return a


@case((True,), (False,))
def item_of_an_array_or_none(c):
    a = np.ones(3) if c else None
    return a[1]


@case((True,), (False,))
def loop_over_a_tuple_or_none(c):
    t = (1, 2, 3) if c else None
    total = 0
    for item in t:
        total += item
    return total


@case((True,), (False,))
def call_with_what_may_be_none(c):
    x = 2.0 if c else None
    return math.sqrt(x)


@case((4, True), (4, False), (4.5, True))
def optional_through_a_function(x, c):
    y = maybe(x, c)
    return (0 if y is None else y), y


@cutaway.jit
def maybe(x, c):
    if c:
        return x
    return None


@case((1, None), (1, 2.5), (1, 2))
def argument_that_is_none(x, y=None):
    if y is None:
        y = x
    return x + y


# --- named tuples, slices ---------------------------------------------------------------------

Point = collections.namedtuple("Point", "x y", defaults=[7])


@case((Point(1, 2.5),), (Point(True, 2),))
def named_tuple_fields(p):
    x, y = p
    return p.x + p.y, p, p[0], p[::-1], len(p), Point(1), Point(y=2.5, x=p.x), (x, y) == p


@case((Point(1, 2.5),), (Point(np.arange(3), 1),))
def named_tuple_replaced(p):
    q = p._replace(x=p.y, y=p.x)
    for k in range(3):
        q = q._replace(y=q.y + k)
    count = 0
    for name in p._fields:
        count += len(name)
    return q, p._replace(x="text"), p._replace(), p._fields, count


@case((Point(Point(1, 2), (3.5, np.arange(3))),))
def nested_named_tuples(p):
    return p.x.y + p.y[0], p.y[1][1], p.x, p + (1,)


@case((2, True), (3, False))
def named_tuple_on_two_paths(x, c):
    p = Point(x, 1) if c else Point(1, x)
    return p.x, p.y, p


SLICES = (slice(1, 4), slice(None), slice(None, None, -1), slice(-2, None, 2), slice(4, 1))


@case(*[(s, 5) for s in SLICES])
def slices_as_values(s, n):
    a = np.arange(6)
    b = a[s].copy()
    a[s] = 7
    return b, a, s, s.start, s.stop, s.step, s.indices(n), slice(n), a[slice(1, n, 2)]


@case((3, -1), (3, 0))
def indices_of_a_bad_slice(a, b):
    return slice(a, None, b).indices(b + 4), slice(a).indices(b)


# --- exceptions with computed arguments -------------------------------------------------------


class Trouble(Exception):
    pass


@case((1, 2.5), (-1, 2.5), (0, -0.0))
def computed_exception(n, x):
    if n > 0:
        raise Trouble(n, x, "text", (n, (x, True)), None, n * 1j)
    if n < 0:
        raise ValueError(f"n is {n}, x is {x!r:>10}, both {(n, x)} and {x:.3f}{n:04d}")
    assert x != 0, f"x is {x}"
    return x


@case((Point(1, 2.5), True), (Point(1, 2.5), False))
def exception_with_a_named_tuple(p, c):
    y = p.x if c else None
    raise KeyError(p, range(1, 5, 2), y)


@cutaway.jit
def _fails_inside(n):
    if n > 2:
        raise IndexError("too far", n)
    return n


@case((1,), (3,))
def exception_through_a_call(n):
    return _fails_inside(n) + math.gamma(n)


# --- functions as values ----------------------------------------------------------------------


@cutaway.jit
def apply_twice(function, x):
    return function(function(x))


@cutaway.jit
def reduce(function, a, start):
    total = start
    for x in a:
        total = function(total, x)
    return total


@case((3, 2.5))
def inner_functions_passed_on(a, b):
    k = a + 1

    def scaled(x, factor=b, *, shift=1):
        return x * factor + shift + k

    return (
        apply_twice(scaled, a),
        apply_twice(lambda x: x * k + b, 1),
        reduce(lambda s, x: s * 10 + x, (1, 2, 3), 0),
        scaled(2),
        scaled(2, shift=5, factor=a),
    )


@case((np.arange(4.0),))
def inner_function_that_carries_an_array(a):
    b = a.copy()

    def item(k):
        return b[k % len(b)] + a[0]

    total = 0.0
    for k in range(6):
        total += reduce(lambda s, x: s + item(x), (k, k + 1), 0.0)
    return total


@case((2,), (0.25,))
def compiled_and_library_functions_as_values(x):
    f = math.sqrt
    return apply_twice(f, x), apply_twice(abs, -x), apply_twice(is_it_none, x), f(x)


@cutaway.jit
def is_it_none(x):
    return x * 2


@case((3,))
def choose_a_function(n):
    def one(x):
        return x + 1

    return reduce(lambda s, x: s + apply_twice(one, x), range(n), 0)


@case((is_it_none, 3), (math.sqrt, 2.5))
def function_as_an_argument(f, x):
    return f(x) + f(f(x))


@case((5,), (0,))
def an_inner_function_that_calls_itself(n):
    step = 1

    def down(k, total):
        if k <= 0:
            return total
        return down(k - step, total + k)

    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return down(n, 0), fib(n), apply_twice(fib, n)


# --- strings that are one of several constants ------------------------------------------------


@cutaway.jit
def size_of(n):
    if n > 100:
        return "large"
    return "medium" if n > 10 else ""


@case((1,), (50,), (500,))
def one_of_several_strings(n):
    kind = "upper" if n > 60 else "lower"
    size = size_of(n)
    other = b"bytes" if n > 60 else "lower"
    score = 0
    if kind == "upper":
        score += 1
    if size != "medium" and size:
        score += 10
    if size in ("large", "small", kind):
        score += 100
    if kind == other:
        score += 1000
    assert n != 50 or kind != "lower", f"{kind} {size!r:>8}"
    return kind, size, other, score, size is None, size == 3


@case((True,), (False,))
def a_string_or_none(c):
    mode = "fast" if c else None
    return mode, mode == "fast", mode is None


@case((1, True), (2, True), (1, False))
def membership_and_equality_of_all_kinds(n, c):
    x = n if c else None
    s = "one" if n == 1 else "two"
    return (
        x in (1, None),
        n in (None, 2.0),
        (x, 1) == (n, 1),
        (s, x) != ("one", n),
        s in ("two", None),
        (n, (x, s)) == (n, (1, "one")),
        isinstance(x, int),
        isinstance(x, (float, type(None))),
        None not in (x, 3),
        (1, s, None).count(x),
    )


@case((1, True), (0, False), (2, True))
def identity_of_different_kinds(n, c):
    match n:
        case True:
            kind = 1
        case None:
            kind = 2
        case _:
            kind = 3
    match c:
        case True:
            kind += 10
        case False:
            kind += 20
    return kind, n is c, (n,) is not c


from corpus.programs import (  # noqa: E402, F401
    array_cases,
    container_cases,
    deciding_cases,
    dict_cases,
    getter_cases,
    heap_cases,
    iterable_cases,
    iterator_cases,
    list_alias_cases,
    list_cases,
    list_lending_cases,
    list_numpy_cases,
    list_typing_cases,
    native_cases,
    newer_cases,
    number_cases,
    numpy_cases,
    object_cases,
    raising_cases,
)
