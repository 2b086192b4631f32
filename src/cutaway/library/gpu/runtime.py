"""Runtime functions in Python for the GPU: the counterparts of `runtime/numeric.c` and
`integers.c`, compiled like any library function into the caller's module.

Each returns the same bits as its C counterpart, which
`tests/unit/cuda/target/test_runtime_in_python.py` checks. 128-bit products are composed of halves.
"""

from __future__ import annotations

import math
from types import FunctionType

import numpy as np

from cutaway.extending.overloads import register_jitable

IMPLEMENTATIONS: dict[str, FunctionType] = {}


def _runtime(function: FunctionType) -> FunctionType:
    IMPLEMENTATIONS[f"cutaway_math_{function.__name__}"] = function
    return function


# --- integers ---------------------------------------------------------------------------------


@_runtime
def isqrt(n):
    """The square root of a nonnegative number, rounded down."""
    root = min(np.int64(math.sqrt(np.float64(n))), 3037000499)
    while root * root > n:
        root -= 1
    while root < 3037000499 and (root + 1) * (root + 1) <= n:
        root += 1
    return root


@register_jitable
def _falling(n, k):
    """n * (n - 1) * ..., a product of k factors; -1 if it exceeds 63 bits."""
    result = 1
    if k > n:
        return 0
    for i in range(k):
        factor = n - i
        if factor != 0 and result > 9223372036854775807 // factor:
            return -1
        result *= factor
    return result


@_runtime
def perm(n, k):
    """`math.perm`; -1 if it exceeds 63 bits."""
    return _falling(n, k)


@_runtime
def comb(n, k):
    """`math.comb`; -1 if it exceeds 63 bits."""
    if k > n:
        return 0
    k = min(k, n - k)
    result = 1
    for i in range(1, k + 1):
        # result * (n - k + i) / i, without an intermediate overflow.
        common = math.gcd(result, i)
        left, divisor = result // common, i // common
        factor = (n - k + i) // divisor
        if left > 9223372036854775807 // factor:
            return -1
        result = left * factor
    return result


@_runtime
def ipow_overflows(base, exponent, is_signed):
    """1 if a power exceeds 64 bits, else 0."""
    limit = np.uint64(9223372036854775807) if is_signed else np.uint64(18446744073709551615)
    negative = is_signed != 0 and base < 0
    size = np.uint64(abs(base)) if negative else np.uint64(base)
    if negative and exponent & 1:
        limit += np.uint64(1)
    if size < np.uint64(2):
        return 0
    result = np.uint64(1)
    for _ in range(exponent):  # at most 64 iterations
        if result > limit // size:
            return 1
        result *= size
    return 0


@_runtime
def powmod(base, exponent, modulus):
    """A power modulo a number, with the modulus's sign; the exponent is nonnegative."""
    m = np.uint64(abs(modulus))
    square, result = np.uint64(abs(base)) % m, np.uint64(1) % m
    if base < 0 and square != 0:
        square = m - square
    while exponent > 0:
        if exponent & 1:
            result = _product_modulo(result, square, m)
        square = _product_modulo(square, square, m)
        exponent >>= 1
    if modulus < 0 and result != 0:
        return np.int64(result) - np.int64(m)
    return np.int64(result)


@register_jitable
def _product_modulo(a, b, m):
    """a * b % m for numbers below m, which is at most 2 ** 63, bit by bit."""
    total = np.uint64(0)
    while b != 0:
        if b & np.uint64(1):
            total = (total + a) % m
        a = (a + a) % m
        b >>= np.uint64(1)
    return total


@_runtime
def inverse(base, modulus):
    """The modular inverse for a modulus other than -1, 0 and 1; 0 if there is none."""
    m = np.uint64(abs(modulus))
    size = np.uint64(abs(base)) % m
    rest, following = m, m - size if base < 0 and size != 0 else size
    factor, step = np.uint64(0), np.uint64(1)  # magnitudes: the signs alternate
    is_negative = True
    while following != 0:
        quotient = rest // following
        rest, following = following, rest - quotient * following
        factor, step = step, factor + quotient * step
        is_negative = not is_negative
    if rest != 1:
        return 0
    return np.int64(m - factor) if is_negative else np.int64(factor)


@_runtime
def round_signed(x, digits):
    """A number rounded to tens, hundreds, ... for negative digits; halves to even."""
    if digits >= 0:
        return x
    if digits < -19:
        return 0
    power = np.uint64(1)
    for _ in range(-digits):
        power *= np.uint64(10)
    size = np.uint64(abs(x))
    rest = size % power
    size -= rest
    if rest > power - rest or (rest == power - rest and size // power % np.uint64(2) != 0):
        size += power
    return -np.int64(size) if x < 0 else np.int64(size)


# --- floats -----------------------------------------------------------------------------------


@_runtime
def divide_signed(a, b):
    """a / b: beyond 2 ** 53 within 1.5 units in the last place."""
    return np.float64(a) / np.float64(b)


@_runtime
def divide_unsigned(a, b):
    """a / b of unsigned integers."""
    return np.float64(np.uint64(a)) / np.float64(np.uint64(b))


@_runtime
def ulp(x):
    """`math.ulp`."""
    size = abs(x)
    if not math.isfinite(size):
        return size
    above = math.nextafter(size, math.inf)
    return size - math.nextafter(size, 0.0) if math.isinf(above) else above - size


def _rounded(x, digits):
    """`round(x, n)` by a power of ten; near halves may be off by one in the last digit."""
    if not math.isfinite(x) or digits > 323:
        return x
    if digits < -308:
        return math.copysign(0.0, x)
    power = 10.0 ** abs(digits)
    moved = np.rint(x * power) / power if digits >= 0 else np.rint(x / power) * power
    return moved if math.isfinite(moved) else x


@_runtime
def round_single(x, digits):
    """`round(x, n)` of a float32, rounded as in NumPy."""
    if not math.isfinite(x):
        return x
    power = np.float32(10.0 ** np.float64(abs(digits)))
    return np.rint(x * power) / power if digits >= 0 else np.rint(x / power) * power


IMPLEMENTATIONS["cutaway_round"] = _rounded
