"""Integers of any size: the borders of their digits, bits, texts, and their methods."""

from __future__ import annotations

import math
import operator

from corpus.control.cases import Cases

CASES = Cases()

# One more and one less than where CPython's integers get another digit, or leave a machine word.
BORDERS = tuple((1 << bits) + by for bits in (15, 30, 31, 60, 62, 63, 64) for by in (-1, 0, 1))
SIGNED = BORDERS + tuple(-n for n in BORDERS)


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Few(int):
    """An integer of a class of its own."""

    def __add__(self, other):
        return "few", int(self), other


# --- borders --------------------------------------------------------------------------------------


@CASES.case(*((n,) for n in SIGNED))
def integers_next_to_a_border(n):
    """One up, one down, twice, half, the square, and the opposite."""
    return n + 1, n - 1, n + n, n // 2, n * n, -n, n - n, n ^ 1, abs(n), n == n + 0


@CASES.case(*((n,) for n in SIGNED))
def integers_shifted_at_a_border(n):
    """Shifts to the left and back give the number again; to the right they round down."""
    return n << 1, n >> 1, n << 30 >> 30 == n, n << 31, n >> 29, n >> 100, n << 0, 1 << n % 70


@CASES.case((SIGNED,))
def integers_add_and_subtract_at_borders(numbers):
    """Sums and differences of all pairs that are next to each other, and their signs."""
    found = []
    for k in range(len(numbers) - 1):
        a, b = numbers[k], numbers[k + 1]
        found.append((a + b, a - b, b - a, (a > b) - (a < b)))
    return found


@CASES.case((BORDERS,))
def integers_divide_at_borders(numbers):
    """Quotients and rests fit together for all signs."""
    for a in numbers:
        for b in numbers[:6]:
            for x, y in ((a, b), (-a, b), (a, -b), (-a, -b)):
                q, r = x // y, x % y
                if q * y + r != x or not (0 <= r < y or y < r <= 0):
                    return "wrong", x, y, q, r
                if divmod(x, y) != (q, r):
                    return "odd", x, y
    return "right", numbers[-1] // numbers[0], -numbers[-1] // numbers[0]


@CASES.case((BORDERS,))
def integers_are_equal_to_floats_exactly(numbers):
    """A float is compared by its exact value, also where the integer cannot be made a float."""
    found = []
    for n in numbers:
        x = float(n)
        found.append((n == x, n < x, n > x, int(x) - n, x == n, x != n, -n == -x))
    return found


@CASES.case((SIGNED,))
def integers_and_bits_of_negative_numbers(numbers):
    """`&`, `|`, `^` and `~` take integers as if they had endless signs."""
    found = []
    for n in numbers:
        found.append((n & 0xFF, n | 1 << 65, n ^ -1, ~n, n & -n, n & ~n, n | ~n, n & 2**63))
    return found


@CASES.case((30,), (60,), (63,), (200,))
def integers_that_grow_in_a_loop(bits):
    """Doubling, with what a machine's integer would give next to it."""
    n, wrapped, differ = 1, 1, None
    for k in range(bits + 5):
        n *= 2
        wrapped = wrapped * 2 & 0xFFFFFFFFFFFFFFFF
        if n != wrapped and differ is None:
            differ = k
    while n:
        n >>= 7
        bits += 1
    return differ, bits, n


@CASES.case((20,), (25,), (60,))
def integers_of_factorials(n):
    """A product that leaves machine integers, and comes back by divisions."""
    product = 1
    for k in range(1, n + 1):
        product *= k
    digits = str(product)
    for k in range(n, 0, -1):
        product, rest = divmod(product, k)
        if rest:
            return "rest", k
    return digits, product, len(digits), digits.rstrip("0")[-3:]


@CASES.case((90,), (93,), (300,))
def integers_of_fibonacci(n):
    """Sums that leave machine integers, forward and backward."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    top = a
    for _ in range(n):
        a, b = b - a, a
    return top, a, b, top % 10**9


@CASES.case((2**63 - 1, 1), (-(2**63), -1), (2**62, 2**62), (2**31, 2**32), (-(2**63), 1))
def integers_at_the_end_of_machine_words(a, b):
    """What would overflow in a word of 64 bits."""
    total = a
    total += b
    product = a
    product *= b
    total -= -b
    return total, product, a - b, -a, abs(a), a // b, a << 1, a**2, (a + b) % 2**64, a * 3 - a * 2


# --- conversions ----------------------------------------------------------------------------------


@CASES.case(
    *((text,) for text in ("12", " -7 ", "1_000", "", "1.5", "0x1f", "--1", "1__0", "٣", "9" * 40))
)
def integers_from_texts(text):
    """Blanks and single underscores are permitted, and digits of other scripts."""
    return int(text)


@CASES.case(*(("ff", 16), ("0b101", 2), ("0o17", 0), ("z", 36), ("12", 2), ("1", 1), ("8", 37)))
def integers_from_texts_with_a_base(text, base):
    """The base is found by the prefix where it is zero."""
    return int(text, base), int(text + "1", base)


@CASES.case((2.9,), (-2.9,), (1e30,), (float("nan"),), (float("-inf"),), (None,), ([],), (1j,))
def integers_from_other_objects(value):
    """Floats are cut, and what is no number is refused."""
    return int(value), math.floor(value), math.ceil(value), round(value)


@CASES.case((255,), (-255,), (0,), (2**70,), (True,))
def integers_as_texts(n):
    """Texts in the usual bases, and what formats make of them."""
    return bin(n), oct(n), hex(n), str(n), repr(n), f"{n:x} {n:#b} {n:+} {n:,} {n:_x} {n:>25d}"


@CASES.case((0,), (1,), (-1,), (255,), (-256,), (2**64,), (-(2**64),), (False,))
def integers_have_methods(n):
    """Lengths in bits, ones, parts, and a ratio."""
    ratio = n.as_integer_ratio()
    return n.bit_length(), n.bit_count(), n.real, n.imag, ratio, n.conjugate(), n.denominator


@CASES.case((1000, 2), (-1000, 2), (1000, 1), (2**64, 9), (0, 0), (-1, 1))
def integers_as_bytes(n, length):
    """Bytes of both orders; negative numbers need a sign, and large ones room."""
    found = []
    for order in ("big", "little"):
        for signed in (True, False):
            try:
                found.append(n.to_bytes(length, order, signed=signed))
            except OverflowError as error:
                found.append(said(error))
    found.append([int.from_bytes(part, "big") for part in found if isinstance(part, bytes)])
    return found


@CASES.case((1234567, -3), (1550, -2), (-1550, -2), (25, -1), (35, -1), (2**70, -20), (5, 3))
def integers_are_rounded(n, digits):
    """Rounding to tens and hundreds goes to the even neighbor."""
    return round(n, digits), round(n), round(-n, digits), n.__round__(digits)


# --- small and special integers -------------------------------------------------------------------


@CASES.case((5,), (256,), (257,), (-5,))
def integers_of_a_subclass(n):
    """A subclass of `int` takes part in arithmetic, and loses its class there."""
    few = Few(n)
    times, minus = few * 2, 1 - few
    return few + 1, 1 + few, type(times) is int, times, minus, type(+few).__name__, few == n, -few


@CASES.case((7,), (True,), (2.0,), ("7",), (None,))
def integers_are_asked_for_as_an_index(value):
    """What takes an index takes integers and booleans, and no floats."""
    found = []
    try:
        found.append(operator.index(value))
        found.append(list(range(value))[-1:])
        found.append("abcdefghij"[value])
        found.append([0] * value)
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case((3, 10**20), (-3, -(10**20)), (0, 2**63), (1, 2**63 - 1))
def integers_too_large_for_an_index(small, large):
    """A sequence is not that long, a slice is cut, a repetition is refused."""
    items, found = [1, 2, 3], []
    for action in range(3):
        try:
            if action == 0:
                found.append(items[large])
            elif action == 1:
                found.append(items[small:large])
            else:
                found.append("ab" * large)
        except (IndexError, OverflowError, MemoryError) as error:
            found.append(type(error).__name__)
    return found, items[-large:]


@CASES.case(
    (10**18, 10**18), (2**100, 2**100 + 1), (1, True), (0, -0), (3, 3.0), (2**53 + 1, 2.0**53)
)
def integers_as_keys(a, b):
    """Equal numbers are one key, whatever their type."""
    named = {a: "first"}
    named[b] = "second"
    return named, a in named, b in {a}, hash(a) == hash(b), [a, b].index(b), (a,) == (b,)
