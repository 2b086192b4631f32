"""Arithmetic of numbers of all kinds, alone and mixed."""

# ruff: noqa: B002  programs as they may be written

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from corpus.control.cases import Cases

CASES = Cases()

NUMBERS = (0, 1, -7, 3, True, 2.5, -0.0, 1j, 2 - 3j, Fraction(1, 3), Decimal("0.5"))


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


# --- the operators --------------------------------------------------------------------------------


@CASES.case((7, 2), (-7, 2), (7, -2), (2.5, 2), (True, 3), (1j, 2), (7, Fraction(2, 3)))
def arithmetic_with_the_four_operators(a, b):
    """The type of a result is that of the wider operand."""
    return a + b, a - b, a * b, a / b, b + a, b - a, b * a, b / a


@CASES.case((7, 2), (-7, 2), (7, -2), (-7, -2), (7.5, 2), (-7.5, 2), (True, True), (0, -3))
def arithmetic_of_floors_and_rests(a, b):
    """A floor goes down, and a rest has the sign of the divisor."""
    return a // b, a % b, divmod(a, b), a // b * b + a % b == a


@CASES.case(*((a, b) for a in (1, 0, 2.5, True, 1j, Fraction(1, 2)) for b in (0, 0.0, False, 0j)))
def arithmetic_divided_by_zero(a, b):
    """Each kind of division by zero has a message of its own."""
    found = []
    try:
        found.append(a / b)
    except ZeroDivisionError as error:
        found.append(said(error))
    try:
        found.append(a // b)
    except (ZeroDivisionError, TypeError) as error:
        found.append(said(error))
    try:
        found.append(a % b)
    except (ZeroDivisionError, TypeError) as error:
        found.append(said(error))
    return found


@CASES.case((2, 10), (2, -1), (0, 0), (-2, 3), (-8, 1 / 3), (2.0, 3), (4, 0.5), (True, 5), (1j, 2))
def arithmetic_of_powers(a, b):
    """Negative exponents make floats of integers, roots of negative numbers are complex."""
    return a**b, -(a**b), (-a) ** b, a ** (b + 1)


@CASES.case((0, -1), (0.0, -2), (0j, -1), (0, -2.5), (Fraction(0), -1), (10.0, 400), ("a", 2))
def arithmetic_of_powers_that_fail(a, b):
    """Zero to a negative power, and a power that is too large for a float."""
    return a**b


@CASES.case((3, 4, 5), (3, -1, 7), (2, -1, 4), (2, 5, 0), (2, 5, -3), (2.0, 5, 3), (2, True, 1))
def arithmetic_of_powers_with_a_modulus(a, b, c):
    """`pow` with three arguments takes inverses, where there is one."""
    return pow(a, b, c), pow(a + c, abs(b), c)


@CASES.case((2, 3, 2), (-1, 2, 3))
def arithmetic_precedence_of_powers(a, b, c):
    """Powers go from right to left, and bind more than a sign on the left of them."""
    return a**b**c, (a**b) ** c, -(a**b), a**-b, ~(a**2), -(a**-b), 2 * a**b + c


@CASES.case((5, 3), (-5, 1), (0, 0), (True, False), (True, 2), (2**70, 65))
def arithmetic_of_bits(a, b):
    """Booleans stay booleans for `&`, `|` and `^`, and become integers in shifts."""
    return a & b, a | b, a ^ b, a << b, a >> b, ~(a + 0), ~(b + 0), a & ~(b + 0)


@CASES.case((1, -1), (1.0, 2), (1, 2.0), ("a", 1), (None, None), (1, "b"), ([], {}))
def arithmetic_of_bits_that_fails(a, b):
    """Shifts by negative numbers, and operands that have no bits."""
    found = []
    try:
        found.append(a << b)
    except (TypeError, ValueError) as error:
        found.append(said(error))
    try:
        found.append(a >> b)
    except (TypeError, ValueError) as error:
        found.append(said(error))
    try:
        found.append(a & b)
    except TypeError as error:
        found.append(said(error))
    return found, a | b


@CASES.case((5,), (-5,), (0.0,), (-0.0,), (1 - 2j,), (Fraction(-1, 2),), ("x",), (None,))
def arithmetic_of_one_operand(a):
    """Signs make a new number of the same kind."""
    found = [not a]
    try:
        found += [+a, -a, --a, -(+a), abs(a)]
        found.append(~a)
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case((NUMBERS,))
def arithmetic_of_each_with_each(numbers):
    """Sums and products of all pairs, and the pairs that cannot be added."""
    found = []
    for a in numbers:
        for b in numbers:
            try:
                found.append((a + b, a * b, a == b))
            except TypeError as error:
                found.append(said(error))
    return found


@CASES.case((NUMBERS,))
def arithmetic_orders_each_with_each(numbers):
    """Complex numbers have no order; the others compare by their exact values."""
    found = []
    for a in numbers:
        for b in numbers:
            try:
                found.append((a < b, a <= b, a > b, a >= b))
            except TypeError as error:
                found.append(said(error))
    return found


# --- mixed kinds ----------------------------------------------------------------------------------


@CASES.case((True, True), (False, True), (True, False))
def arithmetic_of_booleans(a, b):
    """Booleans count as one and nothing."""
    return (
        a + b,
        a - b,
        a * b,
        a**b,
        -a,
        +a,
        a < b,
        a & b,
        [10, 20][a],
        "xy"[b] * (a + 2),
        sum([a, b]),
    )


@CASES.case((1, 3), (2, 4), (-1, 6), (5, 1))
def arithmetic_of_fractions(p, q):
    """Fractions are reduced, take integers, and become floats next to floats."""
    f = Fraction(p, q)
    g = f + 1
    f *= 3
    g -= Fraction(1, 2)
    return (
        f,
        g,
        f / q,
        2 / g if g else None,
        f**2,
        f // 1,
        g % 2,
        f + 0.5,
        f == g,
        1 - f,
        -g,
        int(f),
    )


@CASES.case(("1.10", "2"), ("0", "-3"), ("1E+3", "7"), ("NaN", "1"), ("-0", "0.0"))
def arithmetic_of_decimals(a, b):
    """Decimals keep their digits, and refuse floats."""
    x, y = Decimal(a), Decimal(b)
    found = [x + y, x * y, x - 1, 2 * y, -x, +y, x == y]
    try:
        found.append(x / 3)
        found.append(x + 0.5)
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case((Decimal("1.5"), Fraction(3, 2)), (Decimal(2), Fraction(2)), (1.5, Fraction(3, 2)))
def arithmetic_of_kinds_that_do_not_mix(a, b):
    """Decimals and fractions compare, and cannot be added."""
    found = [a == b, a < b, a >= b, hash(a) == hash(b)]
    try:
        found.append(a + b)
    except TypeError as error:
        found.append(said(error))
    found.append(b - a)
    return found


@CASES.case((3 + 4j,), (0j,), (complex(-0.0, 2),), (-1j,))
def arithmetic_of_complex_numbers(z):
    """Parts, size and conjugate, and products with real numbers."""
    w = z * 2 - 1
    w += 1j
    parts = z.real, z.imag, abs(z), z.conjugate()
    return parts, w, z * z.conjugate(), z == z.real, w - z, -z, z + 0, 0 - z, bool(z), z != z


@CASES.case((1 + 2j, 3), (1j, 1j), (2, 1j), (1j, "a"))
def arithmetic_complex_numbers_refuse(a, b):
    """No floor, no rest, no order."""
    found = []
    for k in range(4):
        try:
            if k == 0:
                found.append(a // b)
            elif k == 1:
                found.append(a % b)
            elif k == 2:
                found.append(a < b)
            else:
                found.append(divmod(a, b))
        except TypeError as error:
            found.append(said(error))
    return found, a + b


# --- programs -------------------------------------------------------------------------------------


@CASES.case((48, 36), (17, 5), (0, 9), (-48, 36), (2**80, 6**30), (7.5, 2.5))
def arithmetic_greatest_common_divisor(a, b):
    """Euclid's rests, for numbers of any size."""
    turns = 0
    while b:
        a, b = b, a % b
        turns += 1
    return a, turns


@CASES.case((2, 30), (10, 20), (1, 5), (Fraction(1, 2), 6), (1.5, 4), (0, 3))
def arithmetic_horner_sum(x, n):
    """A polynomial by its coefficients, where x is of any kind."""
    value, k = 0, n
    while k >= 0:
        value = value * x + (k if k % 3 else -k)
        k -= 1
    return value


@CASES.case((10,), (0,), (25,))
def arithmetic_sums_that_change_their_type(n):
    """A total that is an integer, then a fraction, a float, and a complex number."""
    total, kinds = 0, []
    for k in range(n):
        if k == 5:
            total += Fraction(1, 3)
        elif k == 10:
            total += 0.25
        elif k == 15:
            total -= 1j
        else:
            total += k
        if not kinds or kinds[-1] is not type(total):
            kinds.append(type(total))
    return total, [kind.__name__ for kind in kinds]


@CASES.case((100,), (2,), (1,))
def arithmetic_sieve_of_primes(n):
    """Primes by crossing out, with a slice that has a step."""
    crossed = [False] * (n + 1)
    primes = []
    for k in range(2, n + 1):
        if crossed[k]:
            continue
        primes.append(k)
        crossed[k * k :: k] = [True] * len(crossed[k * k :: k])
    return primes


@CASES.case((27,), (1,), (97,))
def arithmetic_three_n_plus_one(n):
    """The length and the peak of a sequence of Collatz."""
    steps, peak = 0, n
    while n != 1:
        n = 3 * n + 1 if n & 1 else n >> 1
        peak = n if n > peak else peak
        steps += 1
    return steps, peak


@CASES.case((2.0, 1e-12), (1e10, 1e-9), (0.25, 0.1), (-1.0, 1e-3))
def arithmetic_square_root_by_newton(x, close):
    """A root by Newton's steps; a negative number never gets there."""
    guess, turns = x / 2 or 1.0, 0
    while abs(guess * guess - x) > close * abs(x):
        guess = (guess + x / guess) / 2
        turns += 1
        if turns > 60:
            raise ArithmeticError("no root", x, turns)
    return guess, turns
