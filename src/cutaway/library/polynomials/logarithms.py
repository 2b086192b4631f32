"""Logarithms: a number is `2**k * m`, with `m` near 1, and a polynomial in `s = (m - 1) / (m + 1)`
is evaluated: `log(m)` is `2 * (s + s**3 / 3 + ...)`.

`short` is as in `exponentials`.
"""

from __future__ import annotations

import math

from cutaway.foundation.dataclass import dataclass
from cutaway.library.polynomials import coefficients as of
from cutaway.library.polynomials.exponentials import LN2, LN2_HIGH, LN2_LOW
from cutaway.library.polynomials.formulas import (
    DoublePair,
    Real,
    as_real,
    fused,
    number,
    polynomial,
    product_of,
    sum_of,
    sum_of_sorted,
    upper_half,
    where,
    wide_polynomial,
)

# In two parts, the upper one short enough for exact products.
_LOG2_E = (1.4426950216293335, 1.9259629911266175e-08)
_LOG10_E = (0.4342944771051407, 4.798111141615973e-09)
_LOG10_2 = (0.30102999566395283, 2.8363394551044964e-14)
_TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17)

LEAST_NORMAL = 2.0**-1022
_ONE, _ROOT_OF_HALF = 0x3FF0_0000_0000_0000, 0x3FE6_A09E_667F_3BCD
_FRACTION = (1 << 52) - 1


@dataclass(frozen=True, slots=True)
class Split:
    """`2 ** k * m`, with `m` between the square roots of 1/2 and 2."""

    k: Real
    m: Real


def split(x: Real, subnormal: bool = True) -> Split:
    """Split a positive number; `subnormal` says that it may be subnormal."""
    count: Real | None = None
    if subnormal:
        tiny = x < LEAST_NORMAL
        count = where(tiny, -54.0, 0.0)
        x = where(tiny, x * 2.0**54, x)
    bits = x.bits() + (_ONE - _ROOT_OF_HALF)
    k = as_real((bits >> 52) - 1023)
    m = ((bits & _FRACTION) + _ROOT_OF_HALF).real()
    return Split(k if count is None else k + count, m)


@dataclass(frozen=True, slots=True)
class Terms:
    """`log(1 + f)` as `f - half + rest`, where `half` is `f**2 / 2`."""

    f: Real
    half: Real
    rest: Real


def _terms(f: Real) -> Terms:
    s = f / (f + 2.0)
    z = s * s
    half = f * 0.5 * f
    more = z * polynomial(z, of.LOG)
    return Terms(f, half, s * (half + more))


def _of_all(result: Real, x: Real, low: float = 0.0) -> Real:
    """The result with a logarithm's special values outside its domain, from `low` on."""
    result = where(x < math.inf, result, x)
    result = where(x.equals(low), -math.inf, result)
    return where(x < low, math.nan, result)


def _short_log(f: Real) -> Real:
    """`log(1 + f)` for a small `f`, in float32's precision."""
    s = f / (f + 2.0)
    z = s * s
    return s * fused(z, polynomial(z, of.LOG_SHORT), 2.0)


def log(x: Real, short: bool) -> Real:
    """The natural logarithm."""
    return _of_all(log_of_positive(x, short), x)


def log_of_positive(x: Real, short: bool) -> Real:
    """The natural logarithm of a finite positive number."""
    parts = split(x, subnormal=not short)
    if short:
        return fused(parts.k, LN2, _short_log(parts.m - 1.0))
    terms = _terms(parts.m - 1.0)
    rest = terms.half - fused(parts.k, LN2_LOW, terms.rest)
    return fused(parts.k, LN2_HIGH, terms.f - rest)


def log1p(x: Real, short: bool) -> Real:
    """`log(1 + x)`; the rounding error of the sum is added relative to it."""
    total = sum_of(x, 1.0)
    parts = split(total.high, subnormal=False)
    none = parts.k.equals(0.0)
    f = where(none, x, parts.m - 1.0)
    if short:
        result = fused(parts.k, LN2, _short_log(f))
        return where(x.equals(0.0), x, _of_all(result, x, -1.0))
    terms = _terms(f)
    lost = where(none, 0.0, total.low / total.high)
    rest = terms.half - (terms.rest + fused(parts.k, LN2_LOW, lost))
    result = fused(parts.k, LN2_HIGH, terms.f - rest)
    return where(x.equals(0.0), x, _of_all(result, x, -1.0))


def _pair_of(terms: Terms) -> DoublePair:
    """`log(1 + f)` in two parts, the upper one with 26 bits."""
    high = upper_half(terms.f - terms.half)
    return DoublePair(high, ((terms.f - high) - terms.half) + terms.rest)


def log2(x: Real, short: bool) -> Real:
    """The logarithm to base 2."""
    parts = split(x, subnormal=not short)
    if short:
        return _of_all(fused(_short_log(parts.m - 1.0), sum(_LOG2_E), parts.k), x)
    log = _pair_of(_terms(parts.m - 1.0))
    high = log.high * _LOG2_E[0]
    low = fused(log.low, _LOG2_E[0], (log.low + log.high) * _LOG2_E[1])
    total = sum_of_sorted(parts.k, high)
    return _of_all(total.high + (total.low + low), x)


def log10(x: Real, short: bool) -> Real:
    """The logarithm to base 10."""
    parts = split(x, subnormal=not short)
    if short:
        return _of_all(fused(parts.k, sum(_LOG10_2), _short_log(parts.m - 1.0) * sum(_LOG10_E)), x)
    log = _pair_of(_terms(parts.m - 1.0))
    high = log.high * _LOG10_E[0]
    low = fused(log.low, _LOG10_E[0], (log.low + log.high) * _LOG10_E[1])
    total = sum_of_sorted(parts.k * _LOG10_2[0], high)
    return _of_all(total.high + (total.low + fused(parts.k, _LOG10_2[1], low)), x)


def log_in_pair(x: Real) -> DoublePair:
    """The natural logarithm of a finite positive number, with 65 bits.

    Parts are added as late as possible, to keep dependency chains short.
    """
    parts = split(x)
    f = parts.m - 1.0
    under = sum_of(parts.m, 1.0)
    inverse = 1.0 / under.high
    high = f * inverse
    exact = product_of(high, under.high)
    low = fused(-high, under.low, (f - exact.high) - exact.low) * inverse
    square = product_of(high, high)
    z, z_low = square.high, fused(high + high, low, square.low)
    third = product_of(z, number(z, _TWO_THIRDS[0]))
    third_low = fused(z_low, _TWO_THIRDS[0], fused(z, _TWO_THIRDS[1], third.low))
    more_low = fused(z * z, wide_polynomial(z, of.LOG_TAIL), third_low)
    more = product_of(high, third.high)
    rest = fused(high, more_low, fused(low, third.high, more.low))
    first = sum_of_sorted(parts.k * LN2_HIGH, high + high)
    total = sum_of_sorted(first.high, more.high)
    small = fused(parts.k, LN2_LOW, low + low)
    return sum_of_sorted(total.high, (first.low + total.low) + (small + rest))
