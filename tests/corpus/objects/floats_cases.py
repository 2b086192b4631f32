"""Floats and complex numbers, with those that are not finite, and zeros with signs."""

# ruff: noqa: F601, UP031  programs as they may be written

from __future__ import annotations

import math

from corpus.control.cases import Cases

CASES = Cases()

INF = float("inf")
NAN = float("nan")
SPECIAL = (0.0, -0.0, 1.0, -1.5, INF, -INF, NAN, 5e-324, 1.7976931348623157e308)


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


def signed(x):
    """A number with the sign that zeros have as well."""
    return x, math.copysign(1.0, x)


# --- special values -------------------------------------------------------------------------------


@CASES.case((SPECIAL,))
def floats_that_are_special_are_added(numbers):
    """Sums, differences and products of all pairs."""
    found = []
    for a in numbers:
        for b in numbers:
            found.append((a + b, a - b, a * b))
    return found


@CASES.case((SPECIAL,))
def floats_that_are_special_are_divided(numbers):
    """Quotients, floors and rests, and zeros as divisors."""
    found = []
    for a in numbers:
        for b in numbers:
            try:
                found.append((a / b, a // b, a % b, divmod(a, b)))
            except ZeroDivisionError as error:
                found.append(said(error))
    return found


@CASES.case((SPECIAL,))
def floats_that_are_special_are_compared(numbers):
    """NaN is not equal to itself, and zeros of both signs are equal."""
    found = []
    for a in numbers:
        for b in numbers:
            found.append((a == b, a != b, a < b, a <= b, a > b, a >= b))
    return found


@CASES.case(*((a, b) for a in (0.0, -0.0, -8.0, INF, NAN, 1.0) for b in (0, -1, 0.5, 3, -INF)))
def floats_that_are_special_as_powers(a, b):
    """Anything to the power of nothing is one."""
    try:
        return a**b, b**a if b else None
    except ZeroDivisionError as error:
        return said(error)


@CASES.case((0.0,), (-0.0,), (1e-320,))
def floats_keep_the_sign_of_zero(x):
    """Negation flips the sign, a difference loses it."""
    found = [signed(value) for value in (x, -x, 0 - x, x - 0, x + 0, x * -1, abs(x), +x, x * 0)]
    return found, -0.0, [0.0, -0.0].index(-0.0), {0.0: 1, -0.0: 2}, 0.0 == -0.0


@CASES.case((NAN,), (1.0,), (INF,))
def floats_that_are_not_themselves_in_containers(x):
    """Containers ask for identity first, so that they hold NaN."""
    other = float("nan")
    items = [x, other]
    return x in items, x == x, items == [x, other], items.count(x), (x,) == (x,), {x: 1}[x], x is x


@CASES.case((NAN, 1.0), (1.0, NAN), (INF, -INF), (0.0, -0.0))
def floats_in_min_and_max_and_sort(a, b):
    """NaN is neither less nor more, so the first item stays."""
    return min(a, b), max(a, b), min(b, a), max(b, a), sorted([a, 0.5, b]), a < b < INF, not a < b


# --- conversions ----------------------------------------------------------------------------------


@CASES.case(
    *((t,) for t in ("1.5", " -1e3 ", "inf", "-Infinity", "NaN", "1_0.5", "", "1e", "0x1", "1e400"))
)
def floats_from_texts(text):
    """Words for what is not finite, blanks around, underscores between digits."""
    x = float(text)
    return x, repr(x), x == x


@CASES.case((0.1,), (1e16,), (1e-5,), (123456789.125,), (1e22,), (-0.0,), (3.0,), (1 / 3,))
def floats_as_texts(x):
    """The shortest text that gives the number again, and fixed formats."""
    return (
        repr(x),
        str(-x),
        f"{x:.3f} {x:e} {x:g} {x:.0f} {x:%} {x:>+12.2} {x:,}",
        "%r %.2e" % (x, x),
    )


@CASES.case((0.5,), (1.5,), (2.5,), (-0.5,), (2.675,), (1e300,), (INF,), (NAN,))
def floats_are_rounded(x):
    """Halves go to the even number; with digits a float comes out."""
    found = [round(x, 1), round(x, 2), round(x, -1)]
    try:
        found.append(round(x))
        found.append((math.floor(x), math.ceil(x), math.trunc(x), int(x)))
    except (OverflowError, ValueError) as error:
        found.append(said(error))
    return found


@CASES.case((0.1,), (-2.75,), (1e300,), (0.0,), (INF,))
def floats_have_methods(x):
    """Hexadecimal texts, exact ratios, and whether it is a whole number."""
    text = x.hex()
    return text, float.fromhex(text) == x, x.is_integer(), x.as_integer_ratio()


@CASES.case((10**400, 1.0), (-(10**309), 2.0), (2**1023, 1.5))
def floats_next_to_integers_that_are_too_large(n, x):
    """An integer that no float can hold compares, and cannot be added."""
    found = [n > x, n == x, x < n]
    try:
        found.append(n + x)
    except OverflowError as error:
        found.append(said(error))
    try:
        found.append(n / 10**300)
        found.append(math.sqrt(n))
    except OverflowError as error:
        found.append(said(error))
    return found, float(n)


@CASES.case((1e308, 10), (-1e308, 2), (1e-300, 1e-300), (5e-324, 2))
def floats_that_leave_their_range(a, b):
    """Products overflow without an exception, powers do not."""
    found = [a * b, a * b * 0, a / b]
    try:
        found.append(a**b)
    except OverflowError as error:
        found.append(said(error))
    return found, a * b - a * b


# --- sums -----------------------------------------------------------------------------------------


@CASES.case(([0.1] * 10,), ([1e16, 1.0, -1e16],), ([],), ([1, 2.5, True],))
def floats_added_in_different_ways(items):
    """A loop rounds at each step, `fsum` only at the end."""
    total = 0.0
    for x in items:
        total += x
    backward = 0.0
    for x in reversed(items):
        backward += x
    return total, backward, math.fsum(items), total == sum(items), math.prod(items)


@CASES.case((0.1, 0.2, 0.3), (1e16, 1.0, -1e16), (3.0, 2.0, 1.0))
def floats_are_not_added_in_another_order(a, b, c):
    """Nothing is regrouped, and nothing is fused."""
    return a + b + c, a + (b + c), a * b + c, a * (b + c), a * b - b * a, a / c * c, (a - a) + b


@CASES.case((0.0, 1.0, 10), (1.0, 1.0, 3), (0.0, 0.1, 7))
def floats_that_count(start, step, n):
    """A loop over floats ends by a comparison, with the errors that add up."""
    seen, x = [], start
    while x < start + n * step and len(seen) < 20:
        seen.append(x)
        x += step
    return seen, x, x == start + n * step


# --- complex numbers ------------------------------------------------------------------------------


@CASES.case((INF, 0.0), (NAN, 1.0), (-0.0, -0.0), (1.0, INF))
def complex_numbers_with_special_parts(a, b):
    """Each part has its own sign, and its own NaN."""
    z = complex(a, b)
    return z, -z, z.conjugate(), [signed(z.real), signed(z.imag)], z == z, z + 1, z * 2, repr(z)


@CASES.case(("1+2j",), ("j",), (" -1.5 ",), ("1 + 2j",), ("(1j)",), ("nanj",), ("",))
def complex_numbers_from_texts(text):
    """No blanks in the middle."""
    z = complex(text)
    return z, z.real, str(z)


@CASES.case((2, 3.0), (1j, 1j), (True, 2), ("1", 2), (1, "2"), (None, 0))
def complex_numbers_from_two_parts(a, b):
    """Both parts may themselves be complex."""
    return complex(a, b), complex(real=b, imag=a)


@CASES.case((1 + 1j, 2), (1j, 1j), (0j, 0), (2 + 0j, -1), (-1 + 0j, 0.5))
def complex_numbers_as_powers(z, n):
    """Whole powers and roots."""
    w = z**n
    return w, abs(w - z**n), complex(round(w.real, 9), round(w.imag, 9)) if w == w else "nan"


@CASES.case((12, 30), (4, 5))
def complex_numbers_of_an_escape(width, limit):
    """How many steps a point takes to leave a circle."""
    rows = []
    for row in range(-4, 5, 2):
        line = []
        for column in range(width):
            c = complex(-2 + 3 * column / width, row / 4)
            z, n = 0j, 0
            while abs(z) <= 2 and n < limit:
                z = z * z + c
                n += 1
            line.append(n)
        rows.append(line)
    return rows
