"""Division of integers: each way that lowering knows, at the edges of each type."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.library.math import integer_division
from cutaway.typing.analysis import guesses, steps
from cutaway.typing.analysis.intervals import Interval

LEAST, MOST = -(2**63), 2**63 - 1
SIZES = (0, 1, 2, 3, 6, 7, 8, 9, 10, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
SIZES += (2**32, 2**32 + 7, 2**53, 2**61, 2**62 - 1, 2**62, MOST - 1, MOST)
NUMBERS = sorted({sign * size for size in SIZES for sign in (1, -1)} | {LEAST})
DIVISORS = (1, 2, 3, 5, 7, 10, 60, 641, 1000, 65521, 2**31, 2**31 - 1, 2**32 + 7, 2**61, 2**62 - 57)
DIVISORS += (MOST, -1, -2, -3, -10, -(2**40), LEAST + 1)
DTYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


def wrapped(number):
    return (number - LEAST) % 2**64 + LEAST


def compiled(source, **options):
    space: dict = {}
    exec(source, space)
    return cutaway.jit(space["f"], **options), space["f"]


def by_constants(a):
    return tuple(wrapped(x) for n in DIVISORS for x in divmod(a, n))


def of_constants():
    pairs = ", ".join(f"a // ({n}), a % ({n})" for n in DIVISORS)
    return compiled(f"def f(a):\n    return {pairs}")[0]


def wrong_by_constants():
    f = of_constants()
    return [a for a in NUMBERS if f(a) != by_constants(a)]


def test_constants_divide_all_edges():
    assert not wrong_by_constants()


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_each_type_are_divided_by_constants(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    numbers = [a for a in (*NUMBERS, 2**63, 2**64 - 1) if low <= a <= high]
    divisors = [n for n in (1, 2, 3, 7, 10, 100, 641, 2**31 - 1, -3, -10) if dtype != "u8" or n > 0]
    pairs = ", ".join(f"a[i] // ({n}), a[i] % ({n})" for n in divisors)
    f, _ = compiled(f"def f(a, i):\n    return {pairs}")
    elements = np.array(numbers, dtype)
    for i, a in enumerate(numbers):
        assert f(elements, i) == tuple(x for n in divisors for x in divmod(a, n))


def test_the_factor_of_a_division_has_as_many_bits_as_the_numbers_or_one_more():
    # The constants that compilers divide 32 bits by with a factor of 33 bits.
    long = [n for n in range(3, 60) if not integer_division._has_short_factor(n, 32)]
    assert long == [7, 19, 21, 27, 31, 35, 37, 39, 45, 53, 55, 57]


NEAR = """
def f(a, b):
    x, y = a % {n}, b % {n}
    return (x + y) % {n}, (x - y) % {n}, (x + y) // {n}, (x - y) // {n}, (x - y + {n}) % {n}, \\
        divmod(x + y, {n}), divmod(x - y, {n}), (2 * x - y) % {n}, (x - 2 * y) % {n}
"""


def wrong_near():
    wrong = []
    for n in (1, 2, 3, 7, 1000, 65521, 2**31 - 1, 2**61, 2**61 + 1):
        f, plain = compiled(NEAR.format(n=n))
        for a in NUMBERS[::3]:
            for b in NUMBERS[1::3]:
                if abs(a % n) + 2 * (b % n) + n <= MOST and f(a, b) != plain(a, b):
                    wrong.append((n, a, b))
    return wrong


def test_numbers_near_to_the_divisor_are_divided_by_steps():
    assert not wrong_near()


VARIABLES = """
def f(a, b):
    if b == 0:
        return None
    x, y, u, v = a & 255, (b & 127) + 1, max(a, 0), max(b, 1)
    s, t = a & 0xFFFFFFFF, (b & 0xFFFFFFFF) | 1
    c, d = a & 0x1FFFFFFFF, (b & 0x1FFFFFFFF) | 1
    return a // b, a % b, divmod(a, b), x // y, a % y, u // v, a % v, s % t, s // t, c % d, \
        c // d, (x - 1) // y, (x - 1) % y
"""


def wrong_of_variables(**options):
    f, plain = compiled(VARIABLES, **options)
    return [
        (a, b) for a in NUMBERS for b in NUMBERS if (a, b) != (LEAST, -1) and f(a, b) != plain(a, b)
    ]


@pytest.mark.parametrize("options", [{}, {"error_model": "numpy"}, {"overflow": "raise"}])
def test_variables_divide_all_edges(options):
    assert not wrong_of_variables(**options)


def test_the_least_integer_by_minus_one_wraps_around_or_raises():
    f, _ = compiled("def f(a, b):\n    return a // b, a % b")
    assert f(LEAST, -1) == (LEAST, 0)
    f, _ = compiled("def f(a, b):\n    return a // b, a % b", overflow="raise")
    with pytest.raises(OverflowError):
        f(LEAST, -1)


@pytest.mark.parametrize("what", ["a // b", "a % b", "divmod(a, b)", "max(a, 0) % max(b, 0)"])
def test_zero_raises_or_gives_zero(what):
    f, plain = compiled(f"def f(a, b):\n    return {what}")
    for a in (LEAST, -1, 0, 1, MOST):
        with pytest.raises(ZeroDivisionError) as ours:
            f(a, 0)
        with pytest.raises(ZeroDivisionError) as theirs:
            plain(a, 0)
        assert str(ours.value) == str(theirs.value)
    f, _ = compiled(f"def f(a, b):\n    return {what}", error_model="numpy")
    assert f(5, 0) in (0, (0, 0))


@pytest.mark.parametrize("dtype", ["u8", "u4"])
def test_unsigned_numbers_are_divided_without_signs(dtype):
    f, _ = compiled("def f(a, b):\n    return a // b, a % b, a // 7")
    numbers = [n for n in (1, 3, 2**31, 2**32 - 1, 2**63, 2**64 - 1) if n <= np.iinfo(dtype).max]
    cast = np.dtype(dtype).type
    for a in numbers:
        for b in numbers:
            assert f(cast(a), cast(b)) == (a // b, a % b, a // 7)


ASKED = """
def f(a, b):
    found = 0
    for k, n in enumerate((2, 3, 7, 10, 641)):
        if a % n == 0:
            found += 1
        if not (a + k) % n:
            found += 10
    if a % 3 == 0:
        found += 100
    if 0 != a % 7:
        found += 1000
    if a % -10:
        found += 10000
    if b != 0:
        while a % b != 0 and found % 5 != 3:
            found += 1
        if a // b == 0 or divmod(a, b)[1] == 0 or a % b == 1:
            found += 7
    return found
"""


def wrong_when_asked():
    f, plain = compiled(ASKED)
    numbers = [a for a in NUMBERS if a < MOST - 4]
    return [(a, b) for a in numbers for b in NUMBERS[::2] if f(a, b) != plain(a, b)]


def test_rests_that_are_only_compared_with_zero():
    assert not wrong_when_asked()


def test_a_rest_that_is_only_compared_with_zero_is_not_corrected():
    f, _ = compiled("def f(a):\n    return 1 if a % 10 == 0 else 2")
    assert [f(-10), f(-3), f(0)] == [1, 2, 1]
    assert "xor" not in f.inspect_llvm(f.signatures[0])
    f, _ = compiled("def f(a):\n    rest = a % 10\n    return rest if rest == 0 else 2")
    f(5)
    assert "xor" in f.inspect_llvm(f.signatures[0])


# --- limits that are variables ----------------------------------------------------------------

LOOPS = {
    "counter": """
def f(n, k):
    total = 0
    for i in range(n):
        total = total * 3 + (i + 1) % n + (i - 1) % n * 5 + (i - 1) // n + (i + 1) // n * 7
    return total
""",
    "far from a counter": """
def f(n, k):
    total = 0
    for i in range(n):
        total = total * 3 + (i + k) % n + (i - 2) % n * 5 + (k - i) % n * 7 + (i + 2) // n
    return total
""",
    "away from a counter": """
def f(n, k):
    total = 0
    for i in range(-3, n):
        total = total * 3 + (i + 2) % n + (i - 1) % n * 5 + (i + k) % n * 7 + (i - k) % n
    return total
""",
    "counter by twos": """
def f(n, k):
    total = 0
    for i in range(1, n, 2):
        for d in range(-1, 2):
            total = total * 3 + (i + d) % n + (d + i) // n
    return total
""",
    "ring": """
def f(n, k):
    head = tail = total = 0
    for i in range(40):
        total = total * 3 + head + tail * 5
        head = (head + 1) % n
        tail = (tail - 1) % n
        if i % 7 == 3:
            head = (head + k) % n
    return total
""",
    "another start": """
def f(n, k):
    head = 9
    total = 0
    for i in range(20):
        head = (head + 1) % n
        total = total * 3 + head
    return total
""",
    "another limit each time": """
def f(n, k):
    place = total = 0
    for i in range(1, 40):
        limit = (i * 5 + n) % 11 + 1
        place = (place + 1) % limit
        total = total * 3 + place
    return total
""",
    "a limit that changes": """
def f(n, k):
    place = total = 0
    limit = n
    for i in range(30):
        place = (place + 1) % limit
        total = total * 3 + place
        limit = max(limit - 1, 1)
    return total
""",
    "a limit of the outer loop": """
def f(n, k):
    total = 0
    place = 0
    for limit in range(9, 0, -1):
        for j in range(k):
            place = (place + 1) % limit
            total = total * 3 + place
    return total
""",
    "products": """
def f(n, k):
    x, total = 3, 0
    for i in range(70):
        x = w(x * x + k) % n
        total = w(total * 3 + x + w(x * x) // n)
    return total
""",
    "counted down": """
def f(n, k):
    total = 0
    for i in range(n - 1, -1, -1):
        total = total * 3 + (i + 1) % n + (i - 1) % n * 5
    return total
""",
}


def outcome(function, *args):
    try:
        return wrapped(function(*args))
    except ZeroDivisionError as error:
        return str(error)


def wrong_in_loop(name):
    source = LOOPS[name]
    f = compiled(source.replace("w(", "("))[0]
    space = {"w": wrapped}
    exec(source, space)
    cases = [(n, k) for n in (-7, -1, 0, 1, 2, 3, 5, 16) for k in (0, 1, 3, -3, 40)]
    if name == "products":
        cases += [(n, k) for n in (2**31 + 11, 2**40 + 15, 2**62 + 1, MOST, -MOST) for k in (0, 5)]
    return [case for case in cases if outcome(f, *case) != outcome(space["f"], *case)]


@pytest.mark.parametrize("name", LOOPS)
def test_loops_divide_by_their_limits(name):
    assert not wrong_in_loop(name)


def test_a_step_is_recognized_and_needs_no_division():
    f, _ = compiled(LOOPS["counter"])
    f(5, 0)
    text = f.inspect_llvm(f.signatures[0])
    assert " srem " not in text and " urem " not in text and "sdiv" not in text


# --- planted faults -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place, name, fault, found",
    [
        (integer_division, "_is_near", lambda left, right: right.low > 0, wrong_near),
        (integer_division, "SHORT", Interval(0, 2**33), wrong_of_variables),
        (integer_division, "SIGNED_SHORT", Interval(LEAST, MOST), wrong_by_constants),
        (integer_division, "_turned_over", integer_division._plain, wrong_by_constants),
        (integer_division, "is_power_of_two", lambda n: n & 1 == 0, wrong_by_constants),
        (integer_division, "_by_positive_of_any_sign", integer_division._plain, wrong_of_variables),
        (
            integer_division,
            "_with_signs",
            lambda one, check: integer_division._plain(one),
            wrong_of_variables,
        ),
        (steps.Steps, "_is_renewed_by", lambda self, phi: True, "another limit each time"),
        (steps.Steps, "_is_renewed_by", lambda self, phi: True, "a limit of the outer loop"),
        (guesses, "is_asked_for_zero", lambda intervals, op: True, wrong_of_variables),
        (guesses, "is_asked_for_zero", lambda intervals, op: True, wrong_when_asked),
        (steps.Steps, "_counts_up", lambda self, iterator: True, "away from a counter"),
        (steps.Steps, "_is_one", lambda self, name: True, "far from a counter"),
        (steps.Steps, "_below", lambda self, name: (), "another start"),
    ],
)
def test_a_wrong_way_is_found(monkeypatch, place, name, fault, found):
    monkeypatch.setattr(place, name, fault)
    assert wrong_in_loop(found) if isinstance(found, str) else found()
