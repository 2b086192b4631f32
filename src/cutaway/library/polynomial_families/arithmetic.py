"""Sums, products and quotients of series: `add sub mul mulx div pow` of each family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.takes import numpy
from cutaway.library.arrays.kit.typers import (
    is_complex,
    is_integral_or_default,
    is_number,
    private,
    said,
)
from cutaway.library.polynomial_families.families import (
    FAMILIES,
    ORTHOGONAL,
    Series,
    function_of,
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
    def add(c1: Series, c2: Series):
        return plus(series(c1, series_dtype(c1, c2)), series(c2, series_dtype(c1, c2)))

    @numpy(function_of(family, "sub"))
    def sub(c1: Series, c2: Series):
        return minus(series(c1, series_dtype(c1, c2)), series(c2, series_dtype(c1, c2)))


# --- products with x --------------------------------------------------------------------------
#
# Each function fills `out`, which has one place more than `c`, and zeros.


@private
def _powers_times_x(out, c):
    out[1:] = c


@private
def _chebyshev_times_x(out, c):
    cast = element_dtype(c).type
    out[1] = c[0]
    if len(c) > 1:
        half = c[1:] / cast(2)
        out[2:] = half
        out[:-2] += half


@private
def _legendre_times_x(out, c):
    cast = element_dtype(c).type
    out[1] = c[0]
    for k in range(1, len(c)):
        both = cast(2 * k + 1)
        out[k + 1] = divided(c[k] * cast(k + 1), both)
        out[k - 1] += divided(c[k] * cast(k), both)


@private
def _hermite_times_x(out, c):
    cast = element_dtype(c).type
    out[1] = c[0] / cast(2)
    for k in range(1, len(c)):
        out[k + 1] = c[k] / cast(2)
        out[k - 1] += c[k] * cast(k)


@private
def _hermite_e_times_x(out, c):
    cast = element_dtype(c).type
    out[1] = c[0]
    for k in range(1, len(c)):
        out[k + 1] = c[k]
        out[k - 1] += c[k] * cast(k)


@private
def _laguerre_times_x(out, c):
    cast = element_dtype(c).type
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


@private
def divided(a, b):
    """The quotient of two numbers as in NumPy: complex ones are divided like arrays."""
    return (np.full(1, a) / np.full(1, b))[0] if is_complex(a) else a / b


def _times_x(family: str) -> Any:
    """Register `mulx` of a family; returns the function that multiplies a line by x."""
    fill = _TIMES_X[family]

    @private
    def times_x(c):
        if len(c) == 1 and c[0] == 0:
            return c
        out = np.zeros(len(c) + 1, c.dtype)
        out[0] = c[0] * element_dtype(c).type(0)
        fill(out, c)
        return out

    @numpy(function_of(family, "mulx"))
    def mulx(c: Series):
        return times_x(series(c, series_dtype(c)))

    return times_x


# --- products ---------------------------------------------------------------------------------


def _by_recurrence(family: str, times_x: Any) -> Any:
    """The function that multiplies two lines by Clenshaw's recurrence over lines."""

    @private
    def low_of(high, n):
        """The term that a step subtracts: from the upper sum and the step's number."""
        cast = element_dtype(high).type
        if family == "herm":
            return high * cast(2 * (n - 1))
        if family == "herme":
            return high * cast(n - 1)
        return (high * cast(n - 1)) / cast(n)

    @private
    def high_of(low, high, n):
        """The upper sum after a step."""
        cast = element_dtype(high).type
        if family == "leg":
            return plus(low, (times_x(high) * cast(2 * n - 1)) / cast(n))
        if family == "herm":
            return plus(low, times_x(high) * cast(2))
        if family == "herme":
            return plus(low, times_x(high))
        return plus(low, minus(trimmed(cast(2 * n - 1) * high), trimmed(times_x(high))) / cast(n))

    @private
    def last(low, high):
        """The product, from both final sums."""
        if family == "herm":
            return plus(low, trimmed(times_x(high) * element_dtype(high).type(2)))
        if family == "lag":
            return plus(low, minus(high, trimmed(times_x(high))))
        return plus(low, times_x(high))

    @private
    def product(a, b):
        short, long = (b, a) if len(a) > len(b) else (a, b)
        n = len(short)
        if n == 1:
            low, high = short[0] * long, np.zeros(1, a.dtype)
        else:
            low, high = short[n - 2] * long, short[n - 1] * long
        for k in range(n - 1, 1, -1):
            down = minus(trimmed(short[k - 2] * long), trimmed(low_of(high, k)))
            high = high_of(trimmed(low), trimmed(high), k)
            low = down
        return last(trimmed(low), trimmed(high))

    return product


@private
def _both_ways(c):
    """A Chebyshev series as powers of z and 1/z: x is half of z + 1/z."""
    n = len(c)
    out = np.zeros(2 * n - 1, c.dtype)
    out[n - 1 :] = c / element_dtype(c).type(2)
    return out + out[::-1]


@private
def _one_way(z):
    """The Chebyshev series of these powers of z."""
    n = (len(z) + 1) // 2
    out = z[n - 1 :].copy()
    out[1:n] *= element_dtype(z).type(2)
    return out


@private
def _product_of_powers(a, b):
    return trimmed(np.convolve(a, b))


@private
def _product_by_z(a, b):
    return trimmed(_one_way(np.convolve(_both_ways(a), _both_ways(b))))


def _product(family: str, times_x: Any) -> Any:
    """Register `mul` of a family; returns the function that multiplies two trimmed lines."""
    product = {"poly": _product_of_powers, "cheb": _product_by_z}.get(family)
    product = product or _by_recurrence(family, times_x)

    @numpy(function_of(family, "mul"))
    def mul(c1: Series, c2: Series):
        return product(series(c1, series_dtype(c1, c2)), series(c2, series_dtype(c1, c2)))

    return product


# --- powers -----------------------------------------------------------------------------------


def _register_powers(family: str, product: Any) -> None:
    limit = None if family == "poly" else 16

    @private
    def raised(c, count):
        """A power with an exponent of two or more."""
        first = _both_ways(c) if family == "cheb" else c
        out = first
        for _ in range(2, count + 1):
            if family in ("poly", "cheb"):
                out = np.convolve(out, first)
            else:
                out = product(out, first)
        return _one_way(out) if family == "cheb" else out

    @numpy(function_of(family, "pow"))
    def power(
        c: Series,
        pow: Takes("a number", is_number),  # noqa: A002
        maxpower: Takes("an int or None", is_integral_or_default) = limit,
    ):
        given, count = series(c, series_dtype(c)), int(pow)
        if count != pow or count < 0:
            raise ValueError("Power must be a non-negative integer.")
        if maxpower is not None and count > maxpower:
            raise ValueError("Power is too large")
        if count == 0:
            return np.ones(1, given.dtype)
        return given if count == 1 else raised(given, count)


# --- quotients --------------------------------------------------------------------------------


@private
def _divided_powers(a, b):
    more, scale = len(a) - len(b), b[len(b) - 1]
    rest, divisor = a.copy(), b[: len(b) - 1] / scale
    for k in range(more, -1, -1):
        top = k + len(b) - 1
        rest[k:top] -= divisor * rest[top]
    size = len(b) - 1
    return rest[size:] / scale, trimmed(rest[:size])


@private
def _divided_by_z(a, b):
    """The quotient and remainder of two series; by symmetry in z each step clears both ends."""
    rest, divisor = _both_ways(a), _both_ways(b)
    scale, size = divisor[0], len(divisor)
    divisor = divisor / scale
    more = len(rest) - size
    out = np.empty(more + 1, rest.dtype)
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
    return trimmed(_one_way(out)), trimmed(_one_way(left))


def _by_products(product: Any) -> Any:
    @private
    def divided_by_products(a, b):
        more = len(a) - len(b)
        out, rest = np.empty(more + 1, a.dtype), a
        for k in range(more, -1, -1):
            one = np.zeros(k + 1, a.dtype)
            one[k] = 1
            part = product(one, b)
            last = len(rest) - 1
            factor = divided(rest[last], part[len(part) - 1])
            rest = rest[:last] - factor * part[: len(part) - 1]
            out[k] = factor
        return out, trimmed(rest)

    return divided_by_products


@static
def _require_double(family: Any, dtype: Any) -> None:
    """Refuse a quotient of dtypes that NumPy divides in a special way."""
    if said(family) in ORTHOGONAL[1:] and dtype.value.char not in "dD":
        raise TypingError(
            f"`{said(family)}div` of {dtype.value} is not supported in compiled code",
            hint="convert the coefficients: c.astype(np.float64)",
        )


def _register_quotients(family: str, product: Any) -> None:
    quotient = {"poly": _divided_powers, "cheb": _divided_by_z}.get(family)
    quotient = quotient or _by_products(product)

    @numpy(function_of(family, "div"))
    def div(c1: Series, c2: Series):
        kind = series_dtype(c1, c2)
        _require_double(family, kind)
        first, second = series(c1, kind), series(c2, kind)
        last = second[len(second) - 1]
        if last == 0:
            raise ZeroDivisionError
        if len(first) < len(second):
            return first[:1] * kind.type(0), first
        if len(second) == 1:
            return first / last, first[:1] * kind.type(0)
        return quotient(first, second)


for _family in FAMILIES:
    _register_sums(_family)
    _of_two = _product(_family, _times_x(_family))
    _register_powers(_family, _of_two)
    _register_quotients(_family, _of_two)
