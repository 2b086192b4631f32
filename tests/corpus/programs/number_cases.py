"""Numbers at their edges: part of the case table, see `cases`."""

from __future__ import annotations

import math
import sys

import numpy as np

from corpus.programs.cases import case

INF, NAN = float("inf"), float("nan")
LOW, HIGH = -(2**63), 2**63 - 1
TINY, LARGEST = 5e-324, sys.float_info.max

INTEGERS = (0, 1, -1, 127, -128, 2**15 - 1, -(2**31), 2**32, 2**53 + 1, HIGH, LOW)
FLOATS = (0.0, -0.0, 1.0, -1.5, 2.5, 0.1, TINY, -TINY, 2.2e-308, 1e16, LARGEST, INF, -INF, NAN)


def each(values):
    """One call for each value."""
    return [(value,) for value in values]


# --- constants --------------------------------------------------------------------------------


@case(*each((0, 1, HIGH, True)))
def least_integer_as_a_literal(x):
    return x - 9223372036854775808, x * 0 - 9223372036854775808, -9223372036854775808


@case((1,), (2.5,))
def large_constants_that_fold_to_small_ones(x):
    return x + ((1 << 1000) >> 990), x + (10**400 // 10**399), x + (3**1000 % 7), x * 2**-5000


@case(*each((0, 1, -1, LOW, HIGH)))
def the_lowest_64_bits(x):
    return x & 0xFFFFFFFFFFFFFFFF


# --- ranges -----------------------------------------------------------------------------------


@case(*each((0, 1, 2**62 - 1, 2**62, HIGH)))
def length_of_a_long_range(n):
    return len(range(-n, n))


@case(*each((0, 1, 2**62, HIGH)))
def length_of_a_long_range_by_twos(n):
    return len(range(-n, n, 2)), len(range(n, -n, -2))


@case((np.uint64(3),), (np.uint64(0),))
def range_of_unsigned(n):
    total = 0
    for i in range(n):
        total += i
    return total, len(range(n))


# --- rounding ---------------------------------------------------------------------------------


@case(*[(x, n) for x in (*INTEGERS[:7], 15, 25, -25, 150, 2**53 + 5) for n in (0, 3, -1, -2, -18)])
def integers_rounded_to_digits(x, n):
    return round(x, n), round(x, None), round(x, ndigits=n), round(number=x)


@case(*[(x, n) for x in (2.675, -0.5, 1e300, 2.5, TINY, NAN, INF) for n in (0, 2, -1, -400, 400)])
def floats_rounded_to_digits(x, n):
    return round(x, n)


@case((2.5,), (-0.5,), (NAN,), (INF,))
def floats_rounded_to_none(x):
    return round(x, None)


# --- math -------------------------------------------------------------------------------------


@case(*each(FLOATS), *each(INTEGERS))
def unit_in_the_last_place(x):
    return math.ulp(x), math.fabs(x), math.copysign(3, x), math.copysign(x, -1)


@case(*[(x, y) for x in FLOATS for y in FLOATS[::3]], (3, 4), (LOW, 1), (True, 2.5))
def norms(x, y):
    return math.hypot(x, y), math.hypot(x, y, 1e-3), math.hypot(x), math.hypot(), math.hypot(x, x)


@case(*[(x, y) for x in FLOATS for y in FLOATS[::3]], (3, 4), (HIGH, 1))
def distances(x, y):
    return math.dist((x, y), (y, 1.5)), math.dist((x,), (y,)), math.dist((), ())


@case((1.0,))
def distance_in_different_dimensions(x):
    return math.dist((x,), (x, x))


SUMS = [
    (0.1, 0.2, 0.3, -0.6, 1e16, 1.0, -1e16),
    (1.0, 2.0**-53, 2.0**-106, 0.0, 0.0, 0.0, 0.0),
    (1.0, 2.0**-53, -(2.0**-106), 0.0, 0.0, 0.0, -0.0),
    (LARGEST, LARGEST, -LARGEST, 0.0, 0.0, 0.0, 0.0),
    (INF, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
    (INF, -INF, 2.0, 3.0, 4.0, 5.0, 6.0),
    (NAN, INF, 2.0, 3.0, 4.0, 5.0, 6.0),
    (-0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0),
    (TINY, TINY, -TINY, 1.0, 2.2e-308, 1e300, -1e300),
]


@case(*SUMS, (1, 2, 3, HIGH, 1.5, 2.5, True))
def exact_sums(a, b, c, d, e, f, g):
    return math.fsum((a, b, c, d, e, f, g)), math.fsum((a,)), math.fsum(())


@case(*[(lambda t=t: (np.array(t),)) for t in SUMS], lambda: (np.arange(20)[::3],))
def exact_sums_of_arrays(a):
    return math.fsum(a)


@case(*[(lambda t=t: (np.array(t),)) for t in SUMS], lambda: (np.arange(1, 9),))
def products_of_arrays(a):
    return math.prod(a), math.prod(a, start=2)


@case((2, 3), (2.5, 4.0), (1j, 2j))
def products(a, b):
    return math.prod((a, b, a)), math.prod((a,), start=b), math.prod(range(1, 10))


if sys.version_info >= (3, 12):

    @case(*[(x, y) for x in FLOATS for y in FLOATS[::3]])
    def neighbors(x, y):
        return (
            math.nextafter(x, y),
            math.nextafter(x, y, steps=0),
            math.nextafter(x, y, steps=3),
            math.nextafter(x, y, steps=2**62),
        )

    @case((1.0, 2.0, -1))
    def neighbor_backward(x, y, n):
        return math.nextafter(x, y, steps=n)

    @case((1.0, 1e16, -1.0, 0.1), (INF, 1.0, 0.0, 2.0), (LARGEST, 2.0, 1.0, -1.0))
    def sum_of_products_of_tuples(a, b, c, d):
        return math.sumprod((a, b, c), (d, c, b))

    @case(lambda: (np.arange(3), np.arange(3)), lambda: (np.arange(3), np.arange(2)))
    def sum_of_products_of_integers(a, b):
        return math.sumprod(a, b)

    @case(*each(INTEGERS), *each(FLOATS), (True,))
    def whole_numbers(x):
        return x.is_integer()


if sys.version_info >= (3, 13):

    @case(*[(x, y, z) for x in FLOATS[::2] for y in FLOATS[::3] for z in (0.0, -1e300, INF, NAN)])
    def fused(x, y, z):
        return math.fma(x, y, z)


@case(*each(INTEGERS), (True,), (False,))
def parts_of_integers(n):
    return (
        n.bit_length(),
        n.bit_count(),
        n.conjugate(),
        n.numerator,
        n.denominator,
        n.real,
        n.imag,
        n.as_integer_ratio(),
    )


@case(*each(FLOATS))
def parts_of_floats(x):
    return x.is_integer(), x.conjugate(), x.real, x.imag


@case((0.1,), (-0.0,), (2.5,), (-1e15,), (2.0**62,), (-(2.0**-60),), (INF,), (NAN,))
def ratio_of_a_float(x):
    return x.as_integer_ratio()


@case((1 + 2j,), (complex(-0.0, 0.0),), (complex(INF, NAN),))
def parts_of_complex(z):
    return z.conjugate(), z.real, z.imag


@case((1,))
def codes_of_characters(x):
    return x + ord("a") + len(chr(98))


# --- division and powers ----------------------------------------------------------------------


@case(*[(a, b) for a in INTEGERS for b in (3, -7, 2**53 + 1, HIGH, LOW, 0)], (True, 3), (5, True))
def exact_quotients(a, b):
    return a / b


@case(*[(a, n, m) for a in (0, 1, 2, 3, -5, HIGH) for n in (0, 5, -1, -3) for m in (1, -1, 7, -8)])
def powers_with_a_modulus(a, n, m):
    return pow(a, n, m)


@case((5, 3, 0), (5, -3, 0), (LOW, HIGH, HIGH), (3, -1, LOW))
def extreme_powers_with_a_modulus(a, n, m):
    return pow(a, n, m)


@case(*[(z, w) for z in (0j, 1j, 1e200 + 1j, complex(INF, 1)) for w in (2, -1, 0.5, 3j, 100, 200)])
def complex_powers(z, w):
    return z**w


@case(*[(x, y) for x in (0.0, -0.0, 1.0, 0.5, 2.5, INF) for y in FLOATS], (0.0, -1), (2.0, 1024))
def float_powers(x, y):
    return x**y


@case((1, TINY, -1), (1, 2.0**53, 2), (0.1, 1, 1e16), (1e16, True, -1e16), (INF, 1, -INF))
def sums_of_tuples_of_several_types(a, b, c):
    return sum((a, b, c)), sum((a, b, c, 0.1)), sum((a, b, c), 0.5), sum((0.1, 0.2, a, 1.5j, b))


@case((np.array([3, 200, 9], dtype=np.uint8),))
def a_narrow_integer_wraps_in_a_loop(a):
    s = np.uint8(250)
    for v in a:
        s = np.uint8(s + v)
    return s


# --- float16 ----------------------------------------------------------------------------------

HALVES = [np.float16(x) for x in (0.1, -2.5, 300, 65504, -0.0, 6e-8, INF, NAN)]


@case(*[(x, y) for x in HALVES for y in (np.float16(3.3), np.float16(-1e-3))])
def arithmetic_of_halves(x, y):
    z = x * y + x
    return z, x - y, x / y, x < y, -x, abs(z), min(x, y), np.float16(z), np.hypot(x, y)


@case(*[(x, y) for x in HALVES[:3] for y in (np.float16(3.3), np.float16(-0.5))])
def divisions_of_halves(x, y):
    return x // y, x % y, divmod(x, y), int(x), round(x, 1), float(x) * float(y), math.floor(x)


@case(*each((0.1, 65519.99, 65520.0, 1e300, -(2.0**-25), 3 * 2.0**-26, NAN)))
def numbers_become_halves(x):
    a = np.zeros(3, dtype=np.float16)
    a[0], a[1] = x, np.float32(x)
    a[2] = 2049
    return np.float16(x), a, a * 1.1, np.ones(2, "half") * 70000


@case((np.array([(1.1, 2), (3.3, 4)], [("h", "e"), ("n", "i4")]), (np.float16(0.7), 2)))
def halves_in_records_and_tuples(r, t):
    r[0]["h"] = t[0] * 3
    return r["h"].sum(), r[1]["h"] * t[0], t, r


@case(*each((0, 4)))
def constants_that_decide_an_or(x):
    total = x + int(2 and True or 3)
    for k in range(x):
        total += int(0 or False or 3) * k - abs(1 and 0 or -7)
    return total
