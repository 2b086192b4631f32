"""The orders of numbers: that of `min` and `max`, that of sorted arrays, and what is in neither."""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.typing import types
from cutaway.typing.types import Complex, Float

# --- real numbers, and complex ones by their real parts first ---------------------------------


def below(x, y):
    """True if a number is less than another one."""
    return x.real < y.real or (x.real == y.real and x.imag < y.imag)


@overload(below)
def _below(x, y):
    return (lambda x, y: x < y) if types.is_real(x) else below


def above(x, y):
    """True if a number is greater than another one."""
    return x.real > y.real or (x.real == y.real and x.imag > y.imag)


@overload(above)
def _above(x, y):
    return (lambda x, y: x > y) if types.is_real(x) else above


def at_least(x, y):
    """True if a number, not NaN, is not less than another one that is not NaN."""
    return x == x and not below(x, y)  # noqa: PLR0124


@overload(at_least)
def _at_least(x, y):
    return (lambda x, y: x >= y) if types.is_real(x) else at_least


def at_most(x, y):
    """True if a number, not NaN, is not greater than another one that is not NaN."""
    return x == x and not above(x, y)  # noqa: PLR0124


@overload(at_most)
def _at_most(x, y):
    return (lambda x, y: x <= y) if types.is_real(x) else at_most


@private
def larger(x, y):
    """The larger number; a NaN where there is one."""
    return x if x >= y or x != x else y  # noqa: PLR0124


@private
def smaller(x, y):
    """The smaller number; a NaN where there is one."""
    return x if x <= y or x != x else y  # noqa: PLR0124


# --- what is no number, or not finite ---------------------------------------------------------


@private
def is_nan(x):
    """True if a real number is NaN."""
    return x != x  # noqa: PLR0124


@private
def is_inf(x):
    """True if a real number is infinite."""
    return x == np.inf or x == -np.inf


@private
def is_finite(x):
    """True if a real number is neither infinite nor NaN."""
    return x == x and x != np.inf and x != -np.inf  # noqa: PLR0124


# --- the order of sorted arrays ---------------------------------------------------------------


@private
def before(x, y):
    """True if a number is sorted before another one; NaN comes last."""
    return x < y or (y != y and x == x)  # noqa: PLR0124


def less(x, y):
    """True if x is before y; where there are NaNs, of complex numbers only."""
    return bool(np.sort(np.array([x, y]))[0] == x and x != y)


@overload(less, jit_options=OPTIONS)
def _less(x, y):
    def of_complex(x, y):
        a, b = x.imag, y.imag
        if x.real < y.real:
            return a == a or b != b
        if x.real > y.real:
            return b != b and a == a
        if x.real == y.real or (x.real != x.real and y.real != y.real):
            return a < b or (b != b and a == a)
        return y.real != y.real

    return of_complex if isinstance(x, Complex) else (lambda x, y: x < y)


def numbers_first(line):
    """Move what is no number to the end, which leaves the rest in order; gives how many are."""
    if line.dtype.kind != "f":
        return len(line)
    kept = line[~np.isnan(line)]
    line[: len(kept)], line[len(kept) :] = kept, np.nan
    return len(kept)


@overload(numbers_first, jit_options=OPTIONS)
def _numbers_first(line):
    def of_floats(line):
        count = 0
        for x in line:
            count += x == x  # noqa: PLR0124
        if count < len(line):
            n = 0
            for k in range(len(line)):
                x = line[k]
                if x == x:  # noqa: PLR0124
                    line[n] = x
                    n += 1
            line[count:] = np.nan
        return count

    return of_floats if isinstance(line.dtype, Float) else (lambda line: len(line))


@private
def is_new(x, last):
    """True if an element differs from the one before it; NaN is like NaN."""
    return x != last and (x == x or last == last)  # noqa: PLR0124
