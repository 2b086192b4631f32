"""The orders of numbers: that of `min` and `max`, that of sorted arrays; and NaN's place in
them."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.typers import is_complex, private

# --- real numbers, and complex ones by their real parts first ---------------------------------


@private
def below(x, y):
    """True if a number is less than another one."""
    if is_complex(x):
        return x.real < y.real or (x.real == y.real and x.imag < y.imag)
    return x < y


@private
def above(x, y):
    """True if a number is greater than another one."""
    if is_complex(x):
        return x.real > y.real or (x.real == y.real and x.imag > y.imag)
    return x > y


@private
def at_least(x, y):
    """True if a number, not NaN, is not less than another one that is not NaN."""
    if is_complex(x):
        return x == x and not below(x, y)  # noqa: PLR0124
    return x >= y


@private
def at_most(x, y):
    """True if a number, not NaN, is not greater than another one that is not NaN."""
    if is_complex(x):
        return x == x and not above(x, y)  # noqa: PLR0124
    return x <= y


@private
def larger(x, y):
    """The larger number, or NaN if either is."""
    return x if x >= y or x != x else y  # noqa: PLR0124


@private
def smaller(x, y):
    """The smaller number, or NaN if either is."""
    return x if x <= y or x != x else y  # noqa: PLR0124


# --- NaN and infinity -------------------------------------------------------------------------


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
    """True if x sorts before y; NaN sorts last."""
    return x < y or (y != y and x == x)  # noqa: PLR0124


@private
def less(x, y):
    """True if x sorts before y; only complex numbers may be NaN."""
    if not is_complex(x):
        return x < y
    a, b = x.imag, y.imag
    if x.real < y.real:
        return a == a or b != b  # noqa: PLR0124
    if x.real > y.real:
        return b != b and a == a  # noqa: PLR0124
    if x.real == y.real or (x.real != x.real and y.real != y.real):
        return a < b or (b != b and a == a)  # noqa: PLR0124
    return y.real != y.real


@private
def numbers_first(line):
    """Move NaNs to the end of a line, keeping the others in order; returns the others' number."""
    if line.dtype.kind != "f":
        return len(line)
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


@private
def is_new(x, last):
    """True if an element differs from the one before it; NaNs are equal."""
    return x != last and (x == x or last == last)  # noqa: PLR0124
