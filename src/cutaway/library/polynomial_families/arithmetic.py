"""Sums, products and quotients of series: `add sub mul mulx div pow` of each family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.typers import is_number, left_out, numpy, private
from cutaway.library.polynomial_families.families import (
    FAMILIES,
    ORTHOGONAL,
    are_series,
    function_of,
    is_series,
    is_whole,
    refuse,
    series,
    series_dtype,
    trimmed,
)

# --- sums -------------------------------------------------------------------------------------


@private
def plus(a, b):
    """The sum of two lines of one dtype."""
    if len(a) > len(b):
        out = a.copy()
        out[: len(b)] += b
    else:
        out = b.copy()
        out[: len(a)] += a
    return trimmed(out)


@private
def minus(a, b):
    """The difference of two lines of one dtype."""
    if len(a) > len(b):
        out = a.copy()
        out[: len(b)] -= b
    else:
        out = -b
        out[: len(a)] += a
    return trimmed(out)


def _register_sums(family: str) -> None:
    @numpy(function_of(family, "add"))
    def of_sums(c1, c2):
        if not are_series(c1, c2):
            return None
        kind = series_dtype(c1, c2)
        return lambda c1, c2: plus(series(c1, kind), series(c2, kind))

    @numpy(function_of(family, "sub"))
    def of_differences(c1, c2):
        if not are_series(c1, c2):
            return None
        kind = series_dtype(c1, c2)
        return lambda c1, c2: minus(series(c1, kind), series(c2, kind))


# --- products with x --------------------------------------------------------------------------
#
# Each function fills `out`, which has one place more than `c`, and zeros.


@private
def _powers_times_x(out, c, cast, over):
    out[1:] = c


@private
def _chebyshev_times_x(out, c, cast, over):
    out[1] = c[0]
    if len(c) > 1:
        half = c[1:] / cast(2)
        out[2:] = half
        out[:-2] += half


@private
def _legendre_times_x(out, c, cast, over):
    out[1] = c[0]
    for k in range(1, len(c)):
        both = cast(2 * k + 1)
        out[k + 1] = over(c[k] * cast(k + 1), both)
        out[k - 1] += over(c[k] * cast(k), both)


@private
def _hermite_times_x(out, c, cast, over):
    out[1] = c[0] / cast(2)
    for k in range(1, len(c)):
        out[k + 1] = c[k] / cast(2)
        out[k - 1] += c[k] * cast(k)


@private
def _hermite_e_times_x(out, c, cast, over):
    out[1] = c[0]
    for k in range(1, len(c)):
        out[k + 1] = c[k]
        out[k - 1] += c[k] * cast(k)


@private
def _laguerre_times_x(out, c, cast, over):
    out[0] = c[0]
    out[1] = -c[0]
    for k in range(1, len(c)):
        out[k + 1] = -c[k] * cast(k + 1)
        out[k] += c[k] * cast(2 * k + 1)
        out[k - 1] -= c[k] * cast(k)


_TIMES_X = {
    "poly": _powers_times_x,
    "cheb": _chebyshev_times_x,
    "leg": _legendre_times_x,
    "herm": _hermite_times_x,
    "herme": _hermite_e_times_x,
    "lag": _laguerre_times_x,
}


def dividing(kind: np.dtype[Any]) -> Any:
    """The function that divides numbers as NumPy does: complex ones as it divides arrays."""
    if kind.kind == "c":
        return private(lambda a, b: (np.full(1, a) / np.full(1, b))[0])
    return private(lambda a, b: a / b)


def times_x(family: str, kind: np.dtype[Any]) -> Any:
    """The function that multiplies a line of a dtype by x."""
    fill, over = _TIMES_X[family], dividing(kind)
    cast = private(lambda k: kind.type(k))

    def mulx(c):
        if len(c) == 1 and c[0] == 0:
            return c
        out = np.zeros(len(c) + 1, kind)
        out[0] = c[0] * cast(0)
        fill(out, c, cast, over)
        return out

    return private(mulx)


def _register_times_x(family: str) -> None:
    @numpy(function_of(family, "mulx"))
    def typer(c):
        if not is_series(c):
            return None
        kind = series_dtype(c)
        multiplied = times_x(family, kind)
        return lambda c: multiplied(series(c, kind))


# --- products ---------------------------------------------------------------------------------


def _low(family: str) -> Any:
    """What a step of a product takes away: of the upper sum, by the number of the step."""
    if family == "herm":
        return private(lambda high, n, cast: high * cast(2 * (n - 1)))
    if family == "herme":
        return private(lambda high, n, cast: high * cast(n - 1))
    return private(lambda high, n, cast: (high * cast(n - 1)) / cast(n))


def _high(family: str, mulx: Any) -> Any:
    """The upper sum of a step of a product."""
    if family == "leg":
        return private(
            lambda low, high, n, cast: plus(low, (mulx(high) * cast(2 * n - 1)) / cast(n))
        )
    if family == "herm":
        return private(lambda low, high, n, cast: plus(low, mulx(high) * cast(2)))
    if family == "herme":
        return private(lambda low, high, n, cast: plus(low, mulx(high)))
    return private(
        lambda low, high, n, cast: plus(
            low, minus(trimmed(cast(2 * n - 1) * high), trimmed(mulx(high))) / cast(n)
        )
    )


def _last(family: str, mulx: Any) -> Any:
    """The product of both sums at the end."""
    if family == "herm":
        return private(lambda low, high, cast: plus(low, trimmed(mulx(high) * cast(2))))
    if family == "lag":
        return private(lambda low, high, cast: plus(low, minus(high, trimmed(mulx(high)))))
    return private(lambda low, high, cast: plus(low, mulx(high)))


def _by_recurrence(family: str, kind: np.dtype[Any]) -> Any:
    """The function that multiplies two lines by Clenshaw's rule, with lines for numbers."""
    mulx = times_x(family, kind)
    low_of, high_of, last = _low(family), _high(family, mulx), _last(family, mulx)
    cast = private(lambda k: kind.type(k))

    def product(a, b):
        short, long = (b, a) if len(a) > len(b) else (a, b)
        n = len(short)
        if n == 1:
            low, high = short[0] * long, np.zeros(1, kind)
        else:
            low, high = short[n - 2] * long, short[n - 1] * long
        for k in range(n - 1, 1, -1):
            down = minus(trimmed(short[k - 2] * long), trimmed(low_of(high, k, cast)))
            high = high_of(trimmed(low), trimmed(high), k, cast)
            low = down
        return last(trimmed(low), trimmed(high), cast)

    return private(product)


@private
def _both_ways(c, kind):
    """A series of Chebyshev's as one of powers of z and of 1/z: x is half of z + 1/z."""
    n = len(c)
    out = np.zeros(2 * n - 1, kind)
    out[n - 1 :] = c / kind.type(2)
    return out + out[::-1]


@private
def _one_way(z, kind):
    """The series of Chebyshev's that has these powers of z."""
    n = (len(z) + 1) // 2
    out = z[n - 1 :].copy()
    out[1:n] *= kind.type(2)
    return out


def product_of(family: str, kind: np.dtype[Any]) -> Any:
    """The function that multiplies two trimmed lines of a dtype."""
    if family == "poly":
        return private(lambda a, b: trimmed(np.convolve(a, b)))
    if family == "cheb":
        return private(
            lambda a, b: trimmed(
                _one_way(np.convolve(_both_ways(a, kind), _both_ways(b, kind)), kind)
            )
        )
    return _by_recurrence(family, kind)


def _register_products(family: str) -> None:
    @numpy(function_of(family, "mul"))
    def typer(c1, c2):
        if not are_series(c1, c2):
            return None
        kind = series_dtype(c1, c2)
        product = product_of(family, kind)
        return lambda c1, c2: product(series(c1, kind), series(c2, kind))


# --- powers -----------------------------------------------------------------------------------


def _power_of(family: str, kind: np.dtype[Any]) -> Any:
    """The function that raises a line to a power of two or more."""
    product = product_of(family, kind)

    def power(c, count):
        out = c
        for _ in range(2, count + 1):
            out = product(out, c)
        return out

    def power_of_powers(c, count):
        out = c
        for _ in range(2, count + 1):
            out = np.convolve(out, c)
        return out

    def power_by_z(c, count):
        first = _both_ways(c, kind)
        out = first
        for _ in range(2, count + 1):
            out = np.convolve(out, first)
        return _one_way(out, kind)

    return private({"poly": power_of_powers, "cheb": power_by_z}.get(family, power))


def _register_powers(family: str) -> None:
    limit = None if family == "poly" else 16

    @numpy(function_of(family, "pow"))
    def typer(c, pow, maxpower=limit):
        if not is_series(c) or not is_number(pow):
            return None
        if not left_out(maxpower) and not is_whole(maxpower):
            return None
        kind, limited = series_dtype(c), not left_out(maxpower)
        power = _power_of(family, kind)
        too_large = private(
            (lambda count, most: count > most) if limited else (lambda count, most: False)
        )

        def raised(c, pow, maxpower=limit):
            given, count = series(c, kind), int(pow)
            if count != pow or count < 0:
                raise ValueError("Power must be a non-negative integer.")
            if too_large(count, maxpower):
                raise ValueError("Power is too large")
            if count == 0:
                return np.ones(1, kind)
            return given if count == 1 else power(given, count)

        return raised


# --- quotients --------------------------------------------------------------------------------


@private
def _divided_powers(a, b, kind):
    more, scale = len(a) - len(b), b[len(b) - 1]
    rest, divisor = a.copy(), b[: len(b) - 1] / scale
    for k in range(more, -1, -1):
        top = k + len(b) - 1
        rest[k:top] -= divisor * rest[top]
    size = len(b) - 1
    return rest[size:] / scale, trimmed(rest[:size])


@private
def _divided_by_z(a, b, kind):
    """Both ends of what is left become zero at once, for such series are symmetric."""
    rest, divisor = _both_ways(a, kind), _both_ways(b, kind)
    scale, size = divisor[0], len(divisor)
    divisor = divisor / scale
    more = len(rest) - size
    out = np.empty(more + 1, kind)
    low, high = 0, more
    while low < high:
        factor = rest[low]
        out[low], out[high] = factor, factor
        part = factor * divisor
        rest[low : low + size] -= part
        rest[high : high + size] -= part
        low += 1
        high -= 1
    factor = rest[low]
    out[low] = factor
    rest[low : low + size] -= factor * divisor
    out = out / scale
    left = rest[low + 1 : low + size - 1].copy()
    return trimmed(_one_way(out, kind)), trimmed(_one_way(left, kind))


def _by_products(family: str, kind: np.dtype[Any]) -> Any:
    product, over = product_of(family, kind), dividing(kind)

    def divided(a, b, kind):
        more = len(a) - len(b)
        out, rest = np.empty(more + 1, kind), a
        for k in range(more, -1, -1):
            one = np.zeros(k + 1, kind)
            one[k] = 1
            part = product(one, b)
            last = len(rest) - 1
            factor = over(rest[last], part[len(part) - 1])
            rest = rest[:last] - factor * part[: len(part) - 1]
            out[k] = factor
        return out, trimmed(rest)

    return private(divided)


def _register_quotients(family: str) -> None:
    @numpy(function_of(family, "div"))
    def typer(c1, c2):
        if not are_series(c1, c2):
            return None
        kind = series_dtype(c1, c2)
        if family in ORTHOGONAL[1:] and kind.char not in "dD":
            refuse(f"`{family}div` of {kind}", "convert the coefficients: c.astype(np.float64)")
        divided = {"poly": _divided_powers, "cheb": _divided_by_z}.get(family)
        divided = divided or _by_products(family, kind)

        def quotient(c1, c2):
            first, second = series(c1, kind), series(c2, kind)
            last = second[len(second) - 1]
            if last == 0:
                raise ZeroDivisionError
            if len(first) < len(second):
                return first[:1] * kind.type(0), first
            if len(second) == 1:
                return first / last, first[:1] * kind.type(0)
            return divided(first, second, kind)

        return quotient


for _family in FAMILIES:
    _register_sums(_family)
    _register_times_x(_family)
    _register_products(_family)
    _register_powers(_family)
    _register_quotients(_family)
