"""Trigonometric functions and their inverses.

An angle is `k * pi / 2 + r`. Large angles are reduced by a C function; see `far.py`. `short` is as
in `exponentials`.
"""

from __future__ import annotations

import math

from cutaway.foundation.dataclass import dataclass
from cutaway.library.polynomials import coefficients as of
from cutaway.library.polynomials.far import or_far
from cutaway.library.polynomials.formulas import (
    Condition,
    Real,
    Whole,
    fused,
    nearest,
    number,
    polynomial,
    root,
    signed,
    size,
    sum_of,
    sum_of_sorted,
    upper_half,
    where,
)

_TWO_OVER_PI = 0.6366197723675814
# pi / 2 in parts of 33 bits, whose products with 20 bits are exact, and a remainder.
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)

QUARTER = (0.7853981633974483, 3.061616997868383e-17)
HALF = (1.5707963267948966, 6.123233995736766e-17)
THREE_QUARTERS = (2.356194490192345, 9.184850993605148e-17)
WHOLE = (3.141592653589793, 1.2246467991473532e-16)
_STEEP = 0.41421356237309503  # tan(pi / 8)


# --- sine, cosine, tangent ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waves:
    """The sine and cosine of a reduced angle, and the number of quarter turns subtracted from
    it."""

    sine: Real
    cosine: Real
    quarters: Whole


def _waves(x: Real, short: bool) -> Waves:
    k, whole = nearest(x * _TWO_OVER_PI)
    first = fused(k, -_HALF_PI[0], x)
    if short:
        r = fused(k, -_HALF_PI[2], fused(k, -_HALF_PI[1], first))
        z = r * r
        sine = fused(r * z, polynomial(z, of.SIN_SHORT), r)
        return Waves(sine, fused(z * z, polynomial(z, of.COS_SHORT), fused(z, -0.5, 1.0)), whole)
    second = sum_of(first, k * -_HALF_PI[1])
    third = sum_of(second.high, k * -_HALF_PI[2])
    low = fused(k, -_HALF_PI[3], second.low + third.low)
    r = sum_of_sorted(third.high, low)
    z = r.high * r.high
    half = z * 0.5
    sine = r.high + fused(r.high * z, polynomial(z, of.SIN), r.low * (1.0 - half))
    one = 1.0 - half
    rest = fused(z * z, polynomial(z, of.COS), ((1.0 - one) - half) - r.high * r.low)
    return Waves(sine, one + rest, whole)


def _turned(waves: Waves, quarters: Whole) -> Real:
    """The sine of the angle plus a number of quarter turns."""
    value = where((quarters & 1).is_zero(), waves.sine, waves.cosine)
    return (value.bits() ^ ((quarters & 2) << 62)).real()


def sin(x: Real, short: bool) -> Real:
    """The sine."""
    waves = _waves(x, short)
    return or_far("sin", x, where(x.equals(0.0), x, _turned(waves, waves.quarters)))


def cos(x: Real, short: bool) -> Real:
    """The cosine."""
    waves = _waves(x, short)
    return or_far("cos", x, _turned(waves, waves.quarters + 1))


def tan(x: Real, short: bool) -> Real:
    """The tangent."""
    waves = _waves(x, short)
    even = (waves.quarters & 1).is_zero()
    above = where(even, waves.sine, waves.cosine)
    below = where(even, waves.cosine, -waves.sine)
    return or_far("tan", x, where(x.equals(0.0), x, above / below))


# --- angles of a slope ----------------------------------------------------------------------------


def _angle(
    above: Real, below: Real, swapped: Condition, left: Condition | None, short: bool
) -> Real:
    """The angle of the slope `above / below`, which is at most 1; its complement to a quarter turn
    (`swapped`), and of either the complement to half a turn (`left`).

    A steep slope is computed as pi / 4 minus the angle of a flat one.
    """
    steep = above > below * _STEEP
    t = where(steep, above - below, above) / where(steep, above + below, below)
    z = t * t
    tail = t * z * polynomial(z, of.ATAN_SHORT if short else of.ATAN)
    turned = swapped
    if left is not None:
        turned = (swapped & ~left) | (left & ~swapped)
    t, tail = where(turned, -t, t), where(turned, -tail, tail)
    high = _base(0, steep, swapped, left)
    return high + (t + tail) if short else high + (t + (tail + _base(1, steep, swapped, left)))


def _base(part: int, steep: Condition, swapped: Condition, left: Condition | None) -> Real:
    """A part of the constant angle that the slope's angle is added to."""
    level = where(steep, QUARTER[part], 0.0)
    base = where(swapped, where(steep, QUARTER[part], HALF[part]), level)
    if left is None:
        return base
    across = where(swapped, HALF[part], WHOLE[part])
    return where(left, where(steep, THREE_QUARTERS[part], across), base)


def arctan(x: Real, short: bool) -> Real:
    """The arc tangent."""
    a = size(x)
    swapped = a > 1.0
    above, below = where(swapped, 1.0, a), where(swapped, a, 1.0)
    return where(x.is_nan(), x, signed(_angle(above, below, swapped, None, short), x))


def arctan2(y: Real, x: Real, short: bool) -> Real:
    """The angle of a point."""
    across, up = size(x), size(y)
    swapped = up > across
    above, below = where(swapped, across, up), where(swapped, up, across)
    # Prevents an infinite sum and 0 / 0: scaling by a fourth is exact or negligible beside such
    # sizes.
    large = below > 2.0**1000
    infinite = below.equals(math.inf)
    both = where(above.equals(math.inf), 1.0, 0.0)
    above = where(infinite, both, where(large, above * 0.25, above))
    below = where(large, where(infinite, 1.0, below * 0.25), below)
    below = where(below.equals(0.0), 1.0, below)
    left = signed(number(x, 1.0), x) < 0.0
    angle = signed(_angle(above, below, swapped, left, short), y)
    return where(x.is_nan() | y.is_nan(), x + y, angle)


# --- angles of a sine -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sine:
    """The square root of a haversine (`large`) or of a squared sine: `root`, more precisely the sum
    of `high` and `low`, and the polynomial's factor."""

    large: Condition
    root: Real
    high: Real
    low: Real
    factor: Real


def _of_sine(x: Real, short: bool) -> Sine:
    a = size(x)
    large = a > 0.5
    z = where(large, (1.0 - a) * 0.5, a * a)
    factor = z * polynomial(z, of.ASIN_SHORT if short else of.ASIN)
    s = root(z)
    high = upper_half(s)
    low = (z - high * high) / where(s > 0.0, s + high, 1.0)
    return Sine(large, s, high, low, factor)


def arcsin(x: Real, short: bool) -> Real:
    """The arc sine."""
    given, a = _of_sine(x, short), size(x)
    small = fused(a, given.factor, a)
    if short:
        return signed(where(given.large, HALF[0] - _whole(given) * 2.0, small), x)
    rest = given.root * 2.0 * given.factor - (HALF[1] - given.low * 2.0)
    large = QUARTER[0] - (rest - (QUARTER[0] - given.high * 2.0))
    return signed(where(given.large, large, small), x)


def _whole(given: Sine) -> Real:
    return fused(given.root, given.factor, given.root)


def arccos(x: Real, short: bool) -> Real:
    """The arc cosine."""
    given = _of_sine(x, short)
    if short:
        double = _whole(given) * 2.0
        small = HALF[0] - fused(x, given.factor, x)
        return where(given.large, where(x < 0.0, WHOLE[0] - double, double), small)
    small = HALF[0] - (x - (HALF[1] - x * given.factor))
    rest = given.root * given.factor
    left = (HALF[0] - (given.root + (rest - HALF[1]))) * 2.0
    right = (given.high + (rest + given.low)) * 2.0
    return where(given.large, where(x < 0.0, left, right), small)
