"""Derivatives and integrals of series along an axis: `der int` of each family."""

from __future__ import annotations

import numpy as np

from cutaway.extending.bodies import Takes, refuse
from cutaway.library.arrays.curves.polys import inexact_line_dtype, line
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.takes import Integer, Real, numpy
from cutaway.library.arrays.kit.typers import element, is_complex, is_number, private
from cutaway.library.polynomial_families.families import (
    FAMILIES,
    Coefficients,
    function_of,
    is_series,
)
from cutaway.typing.types import Tuple

Scale = Takes("a number", lambda scl: is_number(element(scl)))


@private
def _table_along(c, axis):
    """A table of new coefficients with one axis first and all others merged."""
    moved = np.moveaxis(c, axis, 0)
    size = len(moved)
    table = np.ascontiguousarray(moved).reshape(size, c.size // max(size, 1))
    return table.astype(inexact_line_dtype(c))


@private
def _back(table, c, axis, place):
    """A table reshaped to the coefficients' axes, the first of which moves to `place`."""
    shape = (len(table),) + np.moveaxis(c, axis, 0).shape[1:]  # noqa: RUF005
    return np.moveaxis(table.reshape(shape), 0, place)


# --- derivatives ------------------------------------------------------------------------------
#
# Each function takes the coefficients `c`, which it may change, along the first axis, and fills
# `out`, which has one less.


@private
def _slope_of_powers(out, c):
    for k in range(len(out), 0, -1):
        out[k - 1] = k * c[k]


@private
def _chebyshev_slope(out, c):
    for k in range(len(out), 2, -1):
        out[k - 1] = (2 * k) * c[k]
        c[k - 2] += (k * c[k]) / (k - 2)
    if len(out) > 1:
        out[1] = 4 * c[2]
    out[0] = c[1]


@private
def _legendre_slope(out, c):
    for k in range(len(out), 2, -1):
        out[k - 1] = (2 * k - 1) * c[k]
        c[k - 2] += c[k]
    if len(out) > 1:
        out[1] = 3 * c[2]
    out[0] = c[1]


@private
def _hermite_slope(out, c):
    for k in range(len(out), 0, -1):
        out[k - 1] = (2 * k) * c[k]


@private
def _laguerre_slope(out, c):
    for k in range(len(out), 1, -1):
        out[k - 1] = -c[k]
        c[k - 1] += c[k]
    out[0] = -c[1]


_SLOPES = {
    "poly": _slope_of_powers,
    "cheb": _chebyshev_slope,
    "leg": _legendre_slope,
    "herm": _hermite_slope,
    "herme": _slope_of_powers,
    "lag": _laguerre_slope,
}


def _register_derivatives(family: str) -> None:
    slope, name = _SLOPES[family], function_of(family, "der")
    leaves_in_front = name(np.ones((2, 1)), 1, 1, 1).shape != (2, 1)  # as one in NumPy does

    @numpy(name)
    def der(c: Coefficients, m: Integer = 1, scl: Scale = 1, axis: Integer = 0):
        given, kind = line(c), inexact_line_dtype(c)
        if is_complex(scl) and kind.kind != "c":
            refuse("real coefficients are scaled by real numbers", "use c.astype(np.complex128)")
        if m < 0:
            raise ValueError("The order of derivation must be non-negative")
        first = axis_of(given, axis)
        table = _table_along(given, first)
        size = len(table)
        if m > 0 and m >= size:
            table = table[:1] * kind.type(0)
        elif m > 0:
            for _ in range(m):
                table *= kind.type(scl)
                out = np.empty((len(table) - 1, table.shape[1]), kind)
                slope(out, table)
                table = out
        return _back(table, given, first, 0 if leaves_in_front and 0 < m >= size else first)


# --- integrals --------------------------------------------------------------------------------
#
# Each function takes the coefficients along the first axis, and fills `out`, which has one more.


@private
def _integral_of_powers(out, c):
    out[0] = c[0] * 0
    out[1] = c[0]
    for k in range(1, len(c)):
        out[k + 1] = c[k] / (k + 1)


@private
def _chebyshev_integral(out, c):
    out[0] = c[0] * 0
    out[1] = c[0]
    if len(c) > 1:
        out[2] = c[1] / 4
    for k in range(2, len(c)):
        out[k + 1] = c[k] / (2 * (k + 1))
        out[k - 1] -= c[k] / (2 * (k - 1))


@private
def _legendre_integral(out, c):
    out[0] = c[0] * 0
    out[1] = c[0]
    if len(c) > 1:
        out[2] = c[1] / 3
    for k in range(2, len(c)):
        part = c[k] / (2 * k + 1)
        out[k + 1] = part
        out[k - 1] -= part


@private
def _hermite_integral(out, c):
    out[0] = c[0] * 0
    out[1] = c[0] / 2
    for k in range(1, len(c)):
        out[k + 1] = c[k] / (2 * (k + 1))


@private
def _laguerre_integral(out, c):
    out[0] = c[0]
    out[1] = -c[0]
    for k in range(1, len(c)):
        out[k] += c[k]
        out[k + 1] = -c[k]


_INTEGRALS = {
    "poly": _integral_of_powers,
    "cheb": _chebyshev_integral,
    "leg": _legendre_integral,
    "herm": _hermite_integral,
    "herme": _integral_of_powers,
    "lag": _laguerre_integral,
}


Constants = Takes(
    "a line or a tuple of numbers, or a number",
    lambda k: is_series(k) or (isinstance(k, Tuple) and not k.items),
)


def _register_integrals(family: str) -> None:
    fill, name, value = _INTEGRALS[family], function_of(family, "int"), function_of(family, "val")

    @numpy(name)
    def integral(
        c: Coefficients,
        m: Integer = 1,
        k: Constants = None,
        lbnd: Real = 0,
        scl: Real = 1,
        axis: Integer = 0,
    ):
        given, kind = line(c), inexact_line_dtype(c)
        begin = np.zeros(0, kind) if k is None else line(k).astype(kind)
        if m < 0:
            raise ValueError("The order of integration must be non-negative")
        if len(begin) > m:
            raise ValueError("Too many integration constants")
        first = axis_of(given, axis)
        table = _table_along(given, first)
        for n in range(m):
            constant = begin[n] if n < len(begin) else kind.type(0)
            table *= kind.type(scl)
            if len(table) == 1 and (table == 0).all():
                table += constant
            else:
                out = np.empty((len(table) + 1, table.shape[1]), kind)
                fill(out, table)
                out[0] += constant - value(kind.type(lbnd), out)
                table = out
        return _back(table, given, first, first)


for _family in FAMILIES:
    _register_derivatives(_family)
    _register_integrals(_family)
