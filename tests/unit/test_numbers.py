"""Numbers where the compiler has its own say: refused constants, wrapping, NumPy's integers."""

from __future__ import annotations

import math
import random
import struct
import time

import numpy as np
import pytest

import cutaway
from corpus.programs.compare import outcome, same
from corpus.programs.number_cases import SUMS
from cutaway.errors import TypingError

pytestmark = pytest.mark.sampled(others=3, fast=5)

BIG = 10**5000


def _shifted(x):
    return x + (1 << 100000)


def _power(x):
    return 3**10**9 + x


def _global(x):
    return x + BIG


def _negative(x):
    return x - 2**64


def _product(x):
    return x + 2**4000 * 2**4000


@pytest.mark.parametrize("program", [_shifted, _power, _global, _negative, _product])
def test_a_constant_beyond_64_bits_is_refused_at_once(program):
    start = time.perf_counter()
    with pytest.raises(TypingError, match=r"the constant .{1,40} does not fit in 64 bits"):
        cutaway.jit(program)(1)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("symbol", ["+", "-", "*", "//", "%", "|", "^"])
def test_a_signed_integer_with_a_constant_of_uint64_is_refused(symbol):
    space: dict[str, object] = {}
    exec(f"def f(a):\n    return a {symbol} {2**63 + 1}\n", space)  # noqa: S102
    compiled = cutaway.jit(space["f"])
    with pytest.raises(TypingError, match="does not fit in int64"):
        compiled(1)
    if symbol not in "|^":
        assert compiled(1.5) == space["f"](1.5)
    assert compiled(np.uint64(2**63 + 1)) == space["f"](2**63 + 1) % 2**64


@cutaway.jit
def _small(a):
    return a[0] - a[1], a[0] * a[1], a[0] << 9, a[0] // a[1], a[0] - 1, -a[1], ~a[0]


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "i1", "i2", "i4"])
def test_small_integers_compute_as_python_integers_but_keep_the_type_of_signs(dtype):
    high = int(np.iinfo(dtype).max)
    for a, b in ((0, 3), (high, high), (1, high)):
        given = np.array([a, b], dtype)
        found = _small(given)
        assert found[:5] == (a - b, a * b - 2**64 * (a * b >= 2**63), a << 9, a // b, a - 1)
        assert found[5:] == (int((-given)[1]), int((~given)[0]))


def test_uint64_stays_unsigned():
    assert _small(np.array([0, 3], "u8"))[0] == 2**64 - 3


def test_a_range_of_unsigned_beyond_int64_is_refused():
    @cutaway.jit
    def f(n):
        for i in range(n):
            return i
        return -1

    assert f(np.uint64(2**63 - 1)) == 0
    with pytest.raises(OverflowError, match="does not fit in int64"):
        f(np.uint64(2**63))


@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="since Python 3.12")
def test_a_sum_of_products_of_arrays_is_that_of_the_plain_numbers():
    @cutaway.jit
    def f(a, b):
        return math.sumprod(a, b)

    for numbers in SUMS:
        a, b = list(numbers), list(numbers[::-1])
        found = f(np.array(a, float), np.array(b, float))
        assert same(found, math.sumprod(a, b)), numbers
    with pytest.raises(ValueError, match="not the same length"):
        f(np.zeros(2), np.zeros(3))


ONE = (
    "sqrt fabs exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh"
    " acosh atanh cbrt erf erfc lgamma gamma ulp degrees radians frexp modf isnan isinf isfinite"
)
TWO = "atan2 copysign fmod remainder nextafter pow log hypot isclose"
CALLS = [f"math.{name}(x)" for name in ONE.split()] + [f"math.{name}(x, y)" for name in TWO.split()]
CALLS += ["math.hypot(x, y, z)", "math.dist((x, y), (y, z))", "math.fsum((x, y, z, -x))"]
CALLS += ["math.ldexp(x, int(min(max(y, -2000), 2000)))", "math.hypot(x * 1e-310, y * 1e-310, 0)"]


def _number(chance: random.Random) -> float:
    """A float of any size."""
    match chance.randrange(4):
        case 0:
            return chance.uniform(-10, 10)
        case 1:
            return struct.unpack("<d", struct.pack("<Q", chance.getrandbits(64)))[0]
        case 2:
            return math.ldexp(chance.uniform(-1, 1), chance.randint(-40, 40))
    return chance.choice((0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 5e-324, math.inf, -math.inf, math.nan))


@pytest.mark.parametrize("call", [c for c in CALLS if hasattr(math, c[5 : c.index("(")])])
def test_math_is_the_same_to_the_last_bit(call):
    space: dict[str, object] = {"math": math}
    exec(f"def f(x, y, z):\n    return {call}\n", space)  # noqa: S102
    compiled, chance = cutaway.jit(space["f"]), random.Random(call)
    for _ in range(500):
        args = tuple(_number(chance) for _ in range(3))
        assert same(outcome(compiled, args)[:2], outcome(space["f"], args)[:2]), args


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("digits", [0, 1, 2, 5, -1, -3])
def test_a_narrow_float_is_rounded_as_numpy_rounds_it(digits, kind):
    @cutaway.jit
    def f(a, n):
        return round(a[0], n)

    chance = random.Random(digits)
    for _ in range(300):
        number = kind(chance.choice((1.0, 1e-3, 1e4)) * round(chance.uniform(-9, 9), 3))
        with np.errstate(all="ignore"):  # a power of ten may be too large
            wanted = float(round(number, digits))
        assert same(f(np.array([number]), digits), wanted), number


EDGES = (0, 1, -1, 2, -2, 3, 10, 2**31, 3037000499, 3037000500, -2097152, 2**63 - 1, -(2**63))


def _or_error(function, *args):
    try:
        return function(*args)
    except (ArithmeticError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize(
    ("function", "others"),
    [
        (lambda a, b: a**b, (0, 1, 2, 3, 18, 19, 62, 63, 64, 1000)),
        (lambda a, b: (a**2, b), (0,)),
        (lambda a, b: (a**3, b), (0,)),
        (lambda a, b: a << b, (0, 1, 31, 62, 63, 64, 100)),
        (lambda a, b: a // b, EDGES),
        (lambda a, b: divmod(a, b), EDGES),
        (lambda a, b: a % b, EDGES),
    ],
    ids=["power", "square", "cube", "shift", "floor", "divmod", "remainder"],
)
def test_overflow_raises_wherever_a_result_does_not_fit(function, others):
    compiled = cutaway.jit(overflow="raise")(function)
    for a in EDGES:
        for b in others:
            expected = _or_error(function, a, b)
            numbers = expected if isinstance(expected, tuple) else (expected,)
            if any(type(n) is int and not -(2**63) <= n < 2**63 for n in numbers):
                expected = OverflowError
            assert _or_error(compiled, a, b) == expected, (a, b)
