"""Powers and roots.

`short` is as in `exponentials`.
"""

from __future__ import annotations

import math

from cutaway.library.polynomials import coefficients as of
from cutaway.library.polynomials.exponentials import exp, exp_of_pair
from cutaway.library.polynomials.formulas import (
    Condition,
    Real,
    as_real,
    at_least,
    at_most,
    fused,
    nearest,
    number,
    polynomial,
    power_of_two,
    product_of,
    root,
    signed,
    size,
    upper_half,
    where,
)
from cutaway.library.polynomials.logarithms import LEAST_NORMAL, log_in_pair, log_of_positive

_ROOTS = (1.0, 1.2599210498948732, 1.5874010519681996)  # of 1, 2 and 4
_FRACTION, _ONE = (1 << 52) - 1, 0x3FF0_0000_0000_0000


def cbrt(x: Real, short: bool) -> Real:
    """The cube root: of a power of two whose exponent 3 divides, times that of a number below 8."""
    a = size(x)
    tiny = a < LEAST_NORMAL
    bits = (a if short else where(tiny, a * 2.0**54, a)).bits()
    exponent = as_real((bits >> 52) - 1023)
    third, whole = nearest(fused(exponent, 1.0 / 3.0, -1.0 / 3.0))
    rest = fused(third, -3.0, exponent)
    m = ((bits & _FRACTION) | _ONE).real()
    two, four = rest > 0.5, rest > 1.5
    factor = where(four, _ROOTS[2], where(two, _ROOTS[1], _ROOTS[0]))
    guess = polynomial(m, of.CBRT) * factor
    if not short:
        guess = upper_half(guess)  # so that its square is exact
    ratio = m * where(four, 4.0, where(two, 2.0, 1.0)) / (guess * guess)
    if short:
        better = fused(ratio - guess, 1.0 / 3.0, guess)
    else:
        better = fused(guess, (ratio - guess) / (guess + guess + ratio), guess)
    result = better * power_of_two(whole)
    result = signed(result if short else result * where(tiny, 2.0**-18, 1.0), x)
    return where((a > 0.0) & (a < math.inf), result, x)


def hypot(x: Real, y: Real, short: bool) -> Real:
    """The length of a vector, scaled so that squares neither overflow nor underflow."""
    a, b = size(x), size(y)
    large, small = where(a > b, a, b), where(a > b, b, a)
    if short:
        length = root(fused(large, large, small * small))
    else:
        huge, tiny = large > 2.0**500, large < 2.0**-480
        by = where(huge, 2.0**-600, where(tiny, 2.0**600, 1.0))
        back = where(huge, 2.0**600, where(tiny, 2.0**-600, 1.0))
        large, small = large * by, small * by
        length = root(fused(large, large, small * small)) * back
    infinite = a.equals(math.inf) | b.equals(math.inf)
    return where(infinite, math.inf, where(a.is_nan() | b.is_nan(), a + b, length))


# --- powers ---------------------------------------------------------------------------------------


def power(x: Real, y: Real, short: bool) -> Real:
    """`x ** y`, as `e ** (y * log(x))`."""
    a = size(x)
    inside = (a > 0.0) & (a < math.inf)
    base = where(inside, a, 1.0)
    result = _power_short(base, y) if short else _power_long(base, y)
    return _of_all_bases(result, x, y)


def _power_short(base: Real, y: Real) -> Real:
    limited = at_least(at_most(y, 2.0**64), -(2.0**64))
    return exp(limited * log_of_positive(base, True), True)


def _power_long(base: Real, y: Real) -> Real:
    log = log_in_pair(base)
    # A logarithm is 0 or at least 2**-53, so beyond this every power is infinite or 0.
    limited = at_least(at_most(y, 2.0**64), -(2.0**64))
    exact = product_of(limited, log.high)
    low = fused(limited, log.low, exact.low)
    within = size(exact.high) < 800.0
    high = at_least(at_most(exact.high, 800.0), -800.0)
    return exp_of_pair(high, where(within, low, 0.0))


def _of_all_bases(result: Real, x: Real, y: Real) -> Real:
    """The result with the sign of a negative base, and for bases that are 0 or infinite."""
    a = size(x)
    whole, odd = _kind(y)
    ends = a.equals(0.0) | a.equals(math.inf)
    grows = _differs(a > 1.0, y < 0.0)
    result = where(ends, where(grows, math.inf, 0.0), result)
    negative = signed(number(x, 1.0), x) < 0.0
    result = where(negative & odd, -result, result)
    undefined = (x < 0.0) & (x > -math.inf) & ~whole
    result = where(undefined | x.is_nan() | y.is_nan(), math.nan, result)
    return where(x.equals(1.0) | y.equals(0.0), 1.0, result)


def _differs(a: Condition, b: Condition) -> Condition:
    return (a & ~b) | (b & ~a)


def _kind(y: Real) -> tuple[Condition, Condition]:
    """Whether an exponent is an integer, and whether it is odd."""
    a = size(y)
    half = a * 0.5
    whole = _is_whole(a)
    return whole, whole & ~_is_whole(half)


def _is_whole(a: Real) -> Condition:
    """True for an integer; from 2 ** 52 on all floats are."""
    return (a >= 2.0**52) | ((a + 2.0**52) - 2.0**52).equals(a)
