"""The functions of `cmath`, written over `math` so that a numerical compiler can take them.

Each function returns the same bits as CPython's `cmath` and raises the same errors. That ties down
more than the formulas: the order of the floating operations matters too, so none of them may be
regrouped or fused (no fused multiply-add). Real and imaginary parts are always handled apart,
because complex arithmetic would turn inf * 0 into nan in the wrong places.

Sources of the formulas: W. Kahan, "Branch cuts for complex elementary functions" (1987);
Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using
exception handling" (1997); C99 Annex G for infinities, nans and signed zeros.
"""

import math

INF = math.inf
NAN = math.nan
E = math.e
HALF_PI = math.pi / 2.0
LN2 = 0.6931471805599453
LN10 = 2.302585092994046
SMALLEST_NORMAL = 2.2250738585072014e-308
SQRT_SMALLEST = 1.4916681462400413e-154  # square root of SMALLEST_NORMAL
LARGE = 4.4942328371557893e307  # a quarter of the largest float: sums and doubles stay finite
SQRT_LARGE = 6.703903964971298e153
LOG_LARGE = 708.3964185322641  # exp, cosh and sinh are safe up to here


# Helpers


def _hypot(x, y):
    # abs() of a complex is the C library's hypot, as in cmath; math.hypot is another algorithm,
    # now and then one unit in the last place away.  Halving large arguments keeps abs() from
    # raising: like C, this returns inf where the result overflows.
    if math.fabs(x) > LARGE or math.fabs(y) > LARGE:
        return 2.0 * abs(complex(x / 2.0, y / 2.0))
    return abs(complex(x, y))


def _is_moderate(x, y):
    # False for large parts, and for inf and nan too.
    return math.fabs(x) <= LARGE and math.fabs(y) <= LARGE


def _log_half(x, y):
    # log(|z| / 2) without overflow; inf if either part is inf, otherwise nan if either is nan.
    return math.log(_hypot(x / 2.0, y / 2.0))


def _signed(magnitude, sign):
    # Like copysign, but ignores the sign of a nan.
    if math.isnan(sign):
        return magnitude
    return math.copysign(magnitude, sign)


def _turn(c, s, y):
    # (c * cos(y), s * sin(y)) for finite y; c and s may be infinite, so inf * 0 is kept out.
    if y == 0.0:
        return (c, _signed(1.0, s) * y)
    return (c * math.cos(y), s * math.sin(y))


def _no_angle(x, y):
    # exp, cosh, sinh, tanh and rect of magnitude x at an infinite or nan angle y.
    if math.isinf(y) and not math.isnan(x):
        raise ValueError("math domain error")
    if math.isinf(x):
        return complex(INF, NAN)
    return complex(NAN, NAN)


def _grown(x, re, im):
    # An infinite result is right for infinite x only.
    if math.isfinite(x) and (math.isinf(re) or math.isinf(im)):
        raise OverflowError("math range error")
    return complex(re, im)


def _step_back(x):
    # (t, k) with exp(|x|) = k * exp(|t|), for large x one step nearer to zero: the product with a
    # small sine or cosine may be finite where exp(|x|) alone is not.
    if math.fabs(x) > LOG_LARGE and math.isfinite(x):
        return (x - math.copysign(1.0, x), E)
    return (x, 1.0)


# Classification


def isfinite(z: complex) -> bool:
    """Return True if both parts of z are finite."""
    return math.isfinite(z.real) and math.isfinite(z.imag)


def isinf(z: complex) -> bool:
    """Return True if either part of z is infinite."""
    return math.isinf(z.real) or math.isinf(z.imag)


def isnan(z: complex) -> bool:
    """Return True if either part of z is a nan."""
    return math.isnan(z.real) or math.isnan(z.imag)


def isclose(a: complex, b: complex, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    """Return True if a and b are close by the relative or the absolute tolerance."""
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a.real == b.real and a.imag == b.imag:
        return True
    if isinf(a) or isinf(b):
        return False
    distance = _hypot(a.real - b.real, a.imag - b.imag)
    return (
        distance <= rel_tol * _hypot(b.real, b.imag)
        or distance <= rel_tol * _hypot(a.real, a.imag)
        or distance <= abs_tol
    )


# Polar coordinates


def phase(z: complex) -> float:
    """Return the angle of z, from -pi to pi."""
    angle = math.atan2(z.imag, z.real)
    if angle == 0.0 and z.imag != 0.0 and math.isfinite(z.real):
        # cmath reports the underflow of atan2 by this error (polar does not).
        raise OverflowError("math range error")
    return angle


def polar(z: complex) -> tuple[float, float]:
    """Return the distance of z from 0 and its angle."""
    r = _hypot(z.real, z.imag)
    if math.isinf(r) and isfinite(z):
        raise OverflowError("math range error")
    return (r, math.atan2(z.imag, z.real))


def rect(r: float, phi: float) -> complex:
    """Return the complex number at distance r and angle phi."""
    if not math.isfinite(phi):
        if r == 0.0:
            return complex(0.0, 0.0)
        return _no_angle(r, phi)
    if math.isnan(r) and phi == 0.0:
        return complex(r, 0.0)
    re, im = _turn(r, r, phi)
    return complex(re, im)


# Exponential and logarithms


def exp(z: complex) -> complex:
    """Return e to the power z."""
    x = z.real
    y = z.imag
    if not math.isfinite(y):
        if x == -INF:
            return complex(0.0, 0.0)
        return _no_angle(x, y)
    t = x
    k = 1.0
    if x > 0.0:  # a step back from large negative x would only lose subnormal bits
        t, k = _step_back(x)
    size = math.exp(t)
    re, im = _turn(size, size, y)
    return _grown(x, re * k, im * k)


def _log(z):
    # The logarithm; -inf for the real part at zero, where `log` raises.
    x = math.fabs(z.real)
    y = math.fabs(z.imag)
    if not _is_moderate(x, y):
        re = _log_half(x, y) + LN2
    elif x == 0.0 and y == 0.0:
        re = -INF
    elif x < SMALLEST_NORMAL and y < SMALLEST_NORMAL:
        # Scaled up, as hypot of subnormal numbers has few bits.
        re = math.log(_hypot(math.ldexp(x, 53), math.ldexp(y, 53))) - 53.0 * LN2
    else:
        h = _hypot(x, y)
        if h >= 0.71 and h <= 1.73:
            # log(h) = log1p(h * h - 1) / 2, where h * h - 1 is computed free of cancellation
            if x < y:
                x, y = y, x
            re = math.log1p((x - 1.0) * (x + 1.0) + y * y) / 2.0
        else:
            re = math.log(h)
    return complex(re, math.atan2(z.imag, z.real))


def log(z: complex) -> complex:
    """Return the natural logarithm of z, cut along the negative real axis."""
    if z.real == 0.0 and z.imag == 0.0:
        raise ValueError("math domain error")
    return _log(z)


def log_base(z: complex, base: complex) -> complex:
    """Return the logarithm of z to the given base: cmath.log(z, base)."""
    # Only the base decides about the error; at z = 0 cmath divides an infinite logarithm.
    a = _log(z)
    b = log(base)
    if b.real == 0.0 and b.imag == 0.0:
        raise ValueError("math domain error")
    # Smith's division, which in cmath has no special cases for infinities
    if math.fabs(b.real) >= math.fabs(b.imag):
        ratio = b.imag / b.real
        bottom = b.real + b.imag * ratio
        return complex((a.real + a.imag * ratio) / bottom, (a.imag - a.real * ratio) / bottom)
    ratio = b.real / b.imag  # b.imag is not zero: a logarithm with a nan has it there
    bottom = b.real * ratio + b.imag
    return complex((a.real * ratio + a.imag) / bottom, (a.imag * ratio - a.real) / bottom)


def log10(z: complex) -> complex:
    """Return the logarithm of z to base 10."""
    w = log(z)
    return complex(w.real / LN10, w.imag / LN10)


def sqrt(z: complex) -> complex:
    """Return the square root of z with real part >= 0."""
    x = z.real
    y = z.imag
    if math.isinf(y):
        return complex(INF, y)
    if x == INF:
        return complex(x, 0.0 * y)
    if x == -INF:
        return complex(0.0 * math.fabs(y), _signed(INF, y))
    if x == 0.0 and y == 0.0:
        return complex(0.0, y)
    # s = sqrt((|x| + |z|) / 2), computed on numbers scaled clear of overflow and subnormals
    ax = math.fabs(x)
    ay = math.fabs(y)
    if ax < SMALLEST_NORMAL and ay < SMALLEST_NORMAL:
        ax = math.ldexp(ax, 53)
        s = math.ldexp(math.sqrt(ax + _hypot(ax, math.ldexp(ay, 53))), -27)
    else:
        ax = ax / 8.0
        s = 2.0 * math.sqrt(ax + _hypot(ax, ay / 8.0))
    d = ay / (2.0 * s)
    if x >= 0.0:
        return complex(s, math.copysign(d, y))
    return complex(d, math.copysign(s, y))


# Hyperbolic functions


def cosh(z: complex) -> complex:
    """Return the hyperbolic cosine of z."""
    x = z.real
    y = z.imag
    if not math.isfinite(y):
        if x == 0.0 and math.isnan(y):
            return complex(NAN, 0.0)
        return _no_angle(x, y)
    if math.isnan(x) and y == 0.0:
        return complex(NAN, 0.0)
    t, k = _step_back(x)
    re, im = _turn(math.cosh(t), math.sinh(t), y)
    return _grown(x, re * k, im * k)


def sinh(z: complex) -> complex:
    """Return the hyperbolic sine of z."""
    x = z.real
    y = z.imag
    if not math.isfinite(y):
        if x == 0.0 and math.isnan(y):
            return complex(0.0, NAN)
        return _no_angle(x, y)
    t, k = _step_back(x)
    re, im = _turn(math.sinh(t), math.cosh(t), y)
    return _grown(x, re * k, im * k)


def tanh(z: complex) -> complex:
    """Return the hyperbolic tangent of z."""
    x = z.real
    y = z.imag
    if math.isinf(x):
        if math.isfinite(y):
            return complex(math.copysign(1.0, x), math.copysign(0.0, math.sin(y) * math.cos(y)))
        return complex(math.copysign(1.0, x), 0.0)
    if not math.isfinite(y):
        return _no_angle(x, y)
    if math.isnan(x) and y == 0.0:
        return z
    if math.fabs(x) > LOG_LARGE:
        im = 4.0 * math.sin(y) * math.cos(y) * math.exp(-2.0 * math.fabs(x))
        return complex(math.copysign(1.0, x), im)
    # Kahan's form, from the real tangents only
    tx = math.tanh(x)
    ty = math.tan(y)
    sech = 1.0 / math.cosh(x)
    product = tx * ty
    bottom = 1.0 + product * product
    return complex(tx * (1.0 + ty * ty) / bottom, ty / bottom * sech * sech)


def acosh(z: complex) -> complex:
    """Return the inverse hyperbolic cosine of z, cut along the real axis below 1."""
    x = z.real
    y = z.imag
    if not _is_moderate(x, y):
        return complex(_log_half(x, y) + 2.0 * LN2, math.atan2(y, x))
    a = sqrt(complex(x - 1.0, y))
    b = sqrt(complex(x + 1.0, y))
    re = math.asinh(a.real * b.real + a.imag * b.imag)
    return complex(re, 2.0 * math.atan2(a.imag, b.real))


def asinh(z: complex) -> complex:
    """Return the inverse hyperbolic sine of z, cut along the imaginary axis beyond -i and i."""
    x = z.real
    y = z.imag
    if math.isnan(x) and y == 0.0:
        return z
    if not _is_moderate(x, y):
        return complex(_signed(_log_half(x, y) + 2.0 * LN2, x), math.atan2(y, math.fabs(x)))
    a = sqrt(complex(1.0 + y, -x))
    b = sqrt(complex(1.0 - y, x))
    re = math.asinh(a.real * b.imag - b.real * a.imag)
    return complex(re, math.atan2(y, a.real * b.real - a.imag * b.imag))


def _atanh_special(x, y):
    # Some part is inf or nan.
    re = NAN
    if math.isinf(x) or math.isinf(y) or x == 0.0:
        re = _signed(0.0, x)
    im = NAN
    if math.isinf(y) or (math.isinf(x) and not math.isnan(y)):
        im = math.copysign(HALF_PI, y)
    return complex(re, im)


def atanh(z: complex) -> complex:
    """Return the inverse hyperbolic tangent of z, cut along the real axis beyond -1 and 1."""
    if not isfinite(z):
        return _atanh_special(z.real, z.imag)
    # The function is odd: work with real part >= 0, the sign goes back on at the end.
    sign = math.copysign(1.0, z.real)
    x = sign * z.real
    y = sign * z.imag
    ay = math.fabs(y)
    if x > SQRT_LARGE or ay > SQRT_LARGE:
        # re(1 / z), with the division by |z| done twice as |z| squared would overflow
        h = _hypot(x / 2.0, y / 2.0)
        re = x / 4.0 / h / h
        im = math.copysign(HALF_PI, y)
    elif x == 1.0 and ay < SQRT_SMALLEST:
        if ay == 0.0:
            raise ValueError("math domain error")
        re = -math.log(math.sqrt(ay) / math.sqrt(_hypot(ay, 2.0)))
        im = math.copysign(math.atan2(2.0, -ay) / 2.0, y)
    else:
        re = math.log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + ay * ay)) / 4.0
        im = -math.atan2(-2.0 * y, (1.0 - x) * (1.0 + x) - ay * ay) / 2.0
    return complex(sign * re, sign * im)


# Circular functions.  The sine, tangent, arcsine and arctangent are -i f(i z) of the hyperbolic
# ones; multiplying by i swaps the parts and one sign, with no rounding.


def acos(z: complex) -> complex:
    """Return the arc cosine of z, cut along the real axis beyond -1 and 1."""
    x = z.real
    y = z.imag
    if x == 0.0 and math.isnan(y):
        return complex(HALF_PI, NAN)
    if not _is_moderate(x, y):
        return complex(math.atan2(math.fabs(y), x), _signed(_log_half(x, y) + 2.0 * LN2, -y))
    a = sqrt(complex(1.0 - x, -y))
    b = sqrt(complex(1.0 + x, y))
    im = math.asinh(b.real * a.imag - b.imag * a.real)
    return complex(2.0 * math.atan2(a.real, b.real), im)


def asin(z: complex) -> complex:
    """Return the arc sine of z, cut along the real axis beyond -1 and 1."""
    w = asinh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def atan(z: complex) -> complex:
    """Return the arc tangent of z, cut along the imaginary axis beyond -i and i."""
    w = atanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def cos(z: complex) -> complex:
    """Return the cosine of z."""
    return cosh(complex(-z.imag, z.real))


def sin(z: complex) -> complex:
    """Return the sine of z."""
    w = sinh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def tan(z: complex) -> complex:
    """Return the tangent of z."""
    w = tanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)
