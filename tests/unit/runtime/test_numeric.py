"""The runtime's number functions against Python's own, on made-up values.

How many for each function, and which, is the corpus VALUES of `tests/corpora.py`.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import random
import struct

import numpy as np
import pytest

import corpora
import cutaway
from cutaway.runtime import symbols

pytestmark = pytest.mark.sampled(fast=4)

VALUES = corpora.count("VALUES")
WORD, DOUBLE = ctypes.c_int64, ctypes.c_double
LOW, HIGH = -(2**63), 2**63 - 1
EDGES = [0, 1, -1, 2, -2, 3, 5, 10, 2**31, 2**32, 3037000499, 3037000500, 2**62, HIGH, LOW]
EDGES += [HIGH - 1, LOW + 1, -(2**62), 2**53, 2**53 + 1]


def function(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)(symbols[name])


def wrapped(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def fitting(value: int) -> int:
    return value if value <= HIGH else -1


def an_integer(rng: random.Random) -> int:
    if rng.random() < 0.15:
        return rng.choice(EDGES)
    return rng.randrange(-(2 ** rng.randrange(1, 64)), 2 ** rng.randrange(1, 64))


def a_float(rng: random.Random) -> float:
    way = rng.randrange(6)
    if way == 0:
        return rng.choice([0.0, -0.0, 0.5, 1.5, 2.5, -0.5, 1e22, 1e23, 5e-324, math.inf, math.nan])
    if way == 1:
        return float(an_integer(rng))
    if way == 2:
        return round(rng.uniform(-1000, 1000), rng.randrange(6))
    if way == 3:
        return rng.randrange(-(10**9), 10**9) / rng.choice([2, 4, 8, 10, 100, 1000, 2**20])
    return struct.unpack("<d", rng.randbytes(8))[0]


def same(a: float, b: float) -> bool:
    return struct.pack("<d", a) == struct.pack("<d", b) or (a != a and b != b)


def natural(rng: random.Random) -> int:
    return rng.choice([rng.randrange(70), rng.randrange(10**6), min(abs(an_integer(rng)), HIGH)])


def powers(base: int, exponent: int) -> int:
    return wrapped(pow(base, exponent, 2**64))


def inverse(base: int, modulus: int) -> int:
    """The inverse within 0 and the modulus's size; 0 where there is none."""
    try:
        return pow(base, -1, abs(modulus))
    except ValueError:
        return 0


def pair(rng):
    return an_integer(rng), an_integer(rng)


def with_modulus(rng):
    return an_integer(rng), min(abs(an_integer(rng)), HIGH), an_integer(rng) or 7


def for_inverse(rng):
    modulus = an_integer(rng)
    return an_integer(rng), modulus if abs(modulus) > 1 else 12


def with_tens(rng):
    return an_integer(rng), rng.randrange(-25, 3)


def of_few(rng):
    return natural(rng), rng.choice([rng.randrange(70), natural(rng)])


def perm(n: int, k: int) -> int:
    if k > 21 and n >= k:  # at least 22!
        return -1
    return fitting(math.perm(n, k))


def comb(n: int, k: int) -> int:
    if n >= 70 and 35 <= k <= n - 35:
        return -1
    return fitting(math.comb(n, k))


WHOLE = [
    ("cutaway_math_powmod", with_modulus, pow),
    ("cutaway_math_inverse", for_inverse, inverse),
    ("cutaway_math_round_signed", with_tens, lambda x, n: wrapped(round(x, n))),
    ("cutaway_math_round_unsigned", with_tens, lambda x, n: wrapped(round(x % 2**64, n))),
    ("cutaway_math_isqrt", lambda r: (natural(r),), math.isqrt),
    ("cutaway_math_comb", of_few, comb),
    ("cutaway_math_perm", of_few, perm),
]


@pytest.mark.parametrize(("name", "values", "expected"), WHOLE, ids=[row[0] for row in WHOLE])
def test_integers(name, values, expected):
    rng = random.Random(corpora.seed("VALUES", name))
    call = function(name, WORD, *[WORD] * len(values(rng)))
    for _ in range(VALUES):
        given = values(rng)
        assert call(*given) == expected(*given), given


@pytest.mark.parametrize("signed", [True, False])
def test_true_division_of_integers(signed):
    rng = random.Random(corpora.seed("VALUES", 3))
    name = f"cutaway_math_divide_{'signed' if signed else 'unsigned'}"
    kind = WORD if signed else ctypes.c_uint64
    call = function(name, DOUBLE, kind, kind)
    for _ in range(VALUES):
        a, b = pair(rng)
        if not signed:
            a, b = a % 2**64, b % 2**64
        if b:
            expected = a / b if a or b > 0 else -0.0
            assert same(call(a, b), expected), (a, b)
        else:
            assert not math.isfinite(call(a, b))


def test_rounding_to_decimals():
    rng, call = (
        random.Random(corpora.seed("VALUES", 4)),
        function("cutaway_round", DOUBLE, DOUBLE, WORD),
    )
    digits = [*range(-25, 25), -400, -309, -308, -307, -300, 300, 308, 322, 323, 324, 400]
    digits += [2**62, -(2**62)]
    for _ in range(VALUES):
        x, n = a_float(rng), rng.choice(digits)
        try:
            expected = round(x, n)
        except OverflowError:
            expected = math.copysign(math.inf, x)
        assert same(call(x, n), expected), (x, n)


def test_rounding_of_single_precision():
    rng, single = random.Random(corpora.seed("VALUES", 5)), ctypes.c_float
    call = function("cutaway_math_round_single", single, single, WORD)
    with np.errstate(all="ignore"):
        for _ in range(VALUES):
            x, n = np.float32(a_float(rng)), rng.randrange(-8, 9)
            assert same(call(float(x), n), float(round(x, n))), (x, n)


def test_a_float_as_a_ratio():
    rng = random.Random(corpora.seed("VALUES", 6))
    call, place = function("cutaway_ratio", WORD, DOUBLE, ctypes.c_void_p), WORD()

    def ratio(x: float) -> tuple[int, int]:
        return call(x, ctypes.addressof(place)), place.value

    for _ in range(VALUES):
        x = a_float(rng)
        if not math.isfinite(x):
            continue
        n, d = x.as_integer_ratio()
        if LOW <= n <= HIGH and d <= HIGH:
            assert ratio(x) == (n, d), x
        else:
            assert ratio(x) == (0, 0), x
    assert ratio(-(2.0**63)) == (LOW, 1)
    assert ratio(2.0**63) == (0, 0)


FLOATS = [
    ("cutaway_math_fmod", math.fmod),
    ("cutaway_math_remainder", math.remainder),
    ("cutaway_math_hypot", math.hypot),
    ("cutaway_math_pow", math.pow),
]


def test_a_remainder_of_zero_has_the_sign_of_what_is_divided():
    call = function("cutaway_math_remainder", DOUBLE, DOUBLE, DOUBLE)
    for x in (6.010085614277608e-278, -6.010085614277608e-278, 8.0, -8.0):
        assert same(call(x, 5e-324), math.copysign(0.0, x)), x


def test_a_remainder_in_the_middle_goes_to_the_even_side():
    call = function("cutaway_math_remainder", DOUBLE, DOUBLE, DOUBLE)
    largest = 1.7976931348623157e308
    for x, y in ((187792426.5, 49.0), (3.0, 2.0), (5.0, 2.0), (largest / 2, largest)):
        for pair in ((x, y), (-x, y), (x, -y), (-x, -y)):
            assert same(call(*pair), math.remainder(*pair)), pair


def test_a_power_is_one_beside_a_signaling_nan_too():
    call = function("cutaway_math_pow", DOUBLE, DOUBLE, DOUBLE)
    signaling = struct.unpack("<d", bytes.fromhex("010000000000f07f"))[0]
    assert call(signaling, 0.0) == call(1.0, signaling) == math.pow(signaling, 0.0) == 1.0


@pytest.mark.parametrize(("name", "expected"), FLOATS, ids=[row[0] for row in FLOATS])
def test_floats(name, expected):
    rng, call = random.Random(corpora.seed("VALUES", name)), function(name, DOUBLE, DOUBLE, DOUBLE)
    for _ in range(VALUES):
        x, y = a_float(rng), a_float(rng)
        try:
            wanted = expected(x, y)
        except (ValueError, OverflowError):
            assert not math.isfinite(call(x, y)), (x, y)
        else:
            assert same(call(x, y), wanted), (x, y)


def test_parts_of_a_float():
    rng = random.Random(corpora.seed("VALUES", 8))
    parts = cutaway.njit(lambda x: (math.frexp(x), math.ulp(x)))
    load = function("cutaway_math_ldexp", DOUBLE, DOUBLE, WORD)
    for _ in range(VALUES):
        x, n = a_float(rng), rng.choice([rng.randrange(-2200, 2200), an_integer(rng)])
        found, wanted = parts(x), math.frexp(x)
        assert same(found[0][0], wanted[0]) and found[0][1] == wanted[1], x
        assert same(found[1], math.ulp(x)), x
        try:
            assert same(load(x, n), math.ldexp(x, n)), (x, n)
        except OverflowError:
            assert math.isinf(load(x, n))


def test_units_in_the_last_place_at_the_edges():
    ulp = cutaway.njit(lambda x: math.ulp(x))
    for x in (math.inf, -math.inf, math.nan, 1.7976931348623157e308, 5e-324, 0.0, -0.0):
        assert same(ulp(x), math.ulp(x)), x


COMPILED = [
    (lambda a, b: math.gcd(a, b), pair, lambda a, b: wrapped(math.gcd(a, b))),
    (lambda a, b: math.lcm(a, b), pair, lambda a, b: wrapped(math.lcm(a, b))),
    (lambda a, b: a**b, lambda r: (an_integer(r), min(abs(an_integer(r)), HIGH)), powers),
]


@pytest.mark.parametrize(("written", "values", "expected"), COMPILED, ids=["gcd", "lcm", "power"])
def test_integers_by_instructions(written, values, expected):
    rng = random.Random(corpora.seed("VALUES", "instructions"))
    compiled = cutaway.njit(written)
    for _ in range(VALUES):
        given = values(rng)
        assert compiled(*given) == expected(*given), given
    for given in itertools.product(EDGES, [abs(edge) for edge in EDGES if edge != LOW]):
        assert compiled(*given) == expected(*given), given


def test_factorials():
    compiled = cutaway.njit(lambda n: math.factorial(n))
    for n in range(21):
        assert compiled(n) == math.factorial(n)
    for n in (21, 22, 100, 2**40, HIGH):
        with pytest.raises(OverflowError):
            compiled(n)


def test_exact_sums():
    rng = random.Random(corpora.seed("VALUES", 9))
    add = function("cutaway_fsum_add", ctypes.c_int32, ctypes.c_void_p, DOUBLE)
    end = function("cutaway_fsum_end", ctypes.c_int32, ctypes.c_void_p)
    for _ in range(VALUES // 10):
        values = [a_float(rng) for _ in range(rng.randrange(12))]
        state = (DOUBLE * 70)()
        place = ctypes.addressof(state)
        try:
            wanted = math.fsum(values)
        except (OverflowError, ValueError) as error:
            failed = any([add(place, x) == 1 for x in values]) or end(place) == 2
            assert failed, (values, error)
            continue
        assert not any([add(place, x) for x in values]) and end(place) == 0, values
        assert same(state[1], wanted), values
