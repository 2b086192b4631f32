"""Exponentials: a number is `k * log(2) + r`, and a polynomial in the small `r` is evaluated.

With `short`, a function computes for float32: its argument and result are doubles with float32's
precision.
"""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.library.polynomials import coefficients as of
from cutaway.library.polynomials.formulas import (
    Real,
    Whole,
    at_least,
    at_most,
    fused,
    nearest,
    polynomial,
    power_of_two,
    scaled,
    signed,
    size,
    sum_of_sorted,
    where,
    wide_polynomial,
)

LOG2_E = 1.4426950408889634
LN2 = 0.6931471805599453
# The upper part has 42 bits, so that its products with exponents are exact.
LN2_HIGH, LN2_LOW = 0.6931471805598903, 5.497923018708371e-14
_LN2_REST = 2.3190468138462996e-17  # log(2) minus its two parts


@dataclass(frozen=True, slots=True)
class Reduced:
    """`k * log(2) + r + low`, with `k` as a double and as an integer."""

    k: Real
    whole: Whole
    r: Real
    low: Real


def reduced(x: Real) -> Reduced:
    """A number of moderate size reduced; `low` is the rounding error of `r`."""
    k, whole = nearest(x * LOG2_E)
    exact = fused(k, -LN2_HIGH, x)
    less = k * LN2_LOW
    r = exact - less
    return Reduced(k, whole, r, (exact - r) - less)


def exp(x: Real, short: bool) -> Real:
    """`e ** x`."""
    low, high = (-110.0, 90.0) if short else (-746.0, 710.0)
    x = at_least(at_most(x, high), low)
    k, whole = nearest(x * LOG2_E)
    r = fused(k, -LN2_LOW, fused(k, -LN2_HIGH, x))
    power = fused(r * r, polynomial(r, of.EXP_SHORT if short else of.EXP), r) + 1.0
    return power * power_of_two(whole) if short else scaled(power, whole)


def exp_of_pair(high: Real, low: Real) -> Real:
    """`e ** (high + low)`, for a sum of moderate size."""
    parts = reduced(high)
    r = parts.r
    square, tail = r * r, wide_polynomial(r, of.EXP)
    less = parts.low + low
    more = fused(less, fused(square, tail, r), less)  # less * e**r
    return scaled((r + fused(square, tail, more)) + 1.0, parts.whole)


def exp2(x: Real, short: bool) -> Real:
    """`2 ** x`."""
    low, high = (-160.0, 130.0) if short else (-1080.0, 1025.0)
    x = at_least(at_most(x, high), low)
    k, whole = nearest(x)
    r = x - k
    tail = fused(r * r, polynomial(r, of.EXP2_SHORT if short else of.EXP2), r * _LN2_REST)
    power = fused(r, LN2, tail) + 1.0
    return power * power_of_two(whole) if short else scaled(power, whole)


def expm1(x: Real, short: bool) -> Real:
    """`e ** x - 1`, which is `2**k * ((1 - 2**-k) + (e**r - 1))`."""
    if short:
        return _expm1_short(x)
    parts = reduced(at_least(at_most(x, 710.0), -50.0))
    r, k = parts.r, parts.k
    tail = fused(r * r, polynomial(r, of.EXP), parts.low)
    one = 1.0 - where(k > 100.0, 0.0, power_of_two(parts.whole ^ -1) * 2.0)
    total = sum_of_sorted(one, r)
    less = total.high + (total.low + tail)
    return where(x.equals(0.0), x, scaled(less, parts.whole))


def _expm1_short(x: Real) -> Real:
    parts = reduced(at_least(at_most(x, 90.0), -50.0))
    less = fused(parts.r * parts.r, polynomial(parts.r, of.EXP_SHORT), parts.r)
    power = power_of_two(parts.whole)
    return where(x.equals(0.0), x, fused(power, less, power - 1.0))


# --- hyperbolic functions -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Halves:
    """`sinh` and `cosh` of a magnitude, each as a large and a small term, to be multiplied by `2 **
    scale`."""

    sinh: Real
    cosh: Real
    scale: Whole | None


def _halves(x: Real, bound: float, short: bool, wide: bool) -> Halves:
    """`Halves` from `sinh(r)` and `cosh(r)` by the addition theorem; `wide`: `e**x` may overflow.

    sinh = cosh(r) * (a - b) + sinh(r) * (a + b)        a = 2**(k - 1), b = 2**(-k - 1)
    cosh = cosh(r) * (a + b) + sinh(r) * (a - b)
    """
    parts = reduced(at_most(size(x), bound))
    r, z = parts.r, parts.r * parts.r
    sine = r + fused(r * z, polynomial(z, of.SINH_SHORT if short else of.SINH), parts.low)
    more = z * polynomial(z, of.COSH_SHORT if short else of.COSH)  # cosh(r) - 1
    scale = parts.whole >> 1 if wide else None
    upper = parts.whole - 1 if scale is None else parts.whole - scale - 1
    a = power_of_two(upper)
    lower = (parts.whole ^ -1) if scale is None else (parts.whole ^ -1) - scale
    b = where(parts.k > 100.0, 0.0, power_of_two(lower))
    less, total = a - b, a + b
    return Halves(
        less + fused(sine, total, more * less), total + fused(sine, less, more * total), scale
    )


def _whole_of(half: Real, scale: Whole | None) -> Real:
    return half if scale is None else half * power_of_two(scale)


def sinh(x: Real, short: bool) -> Real:
    """The hyperbolic sine."""
    halves = _halves(x, 95.0 if short else 712.0, short, wide=not short)
    return signed(_whole_of(halves.sinh, halves.scale), x)


def cosh(x: Real, short: bool) -> Real:
    """The hyperbolic cosine."""
    halves = _halves(x, 95.0 if short else 712.0, short, wide=not short)
    return _whole_of(halves.cosh, halves.scale)


def tanh(x: Real, short: bool) -> Real:
    """The hyperbolic tangent."""
    halves = _halves(x, 22.0, short, wide=False)
    return signed(halves.sinh / halves.cosh, x)
