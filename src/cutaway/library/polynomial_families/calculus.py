"""Derivatives and integrals of series along an axis: `der int` of each family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.typers import is_array, is_number, is_real, left_out, numpy, private
from cutaway.library.polynomial_families.families import (
    FAMILIES,
    as_line,
    double_dtype,
    function_of,
    is_series,
    is_whole,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

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


def _is_table(c: Any) -> bool:
    """True if an argument is coefficients along one of its axes."""
    return is_array(c) or is_series(c)


def _register_derivatives(family: str) -> None:
    slope, name = _SLOPES[family], function_of(family, "der")
    leaves_in_front = name(np.ones((2, 1)), 1, 1, 1).shape != (2, 1)  # as one of NumPy's does

    @numpy(name)
    def typer(c, m=1, scl=1, axis=0):
        if not _is_table(c) or not is_whole(m) or not is_whole(axis):
            return None
        if isinstance(scl, types.Type) and not (isinstance(scl, types.Omitted) or is_number(scl)):
            return None
        if not isinstance(c, Array) or not c.ndim:
            return lambda c, m=1, scl=1, axis=0: name(as_line(c), m, scl, axis)
        kind = double_dtype(c)
        if isinstance(scl, types.Complex) and kind.kind != "c":
            return None

        def derivative(c, m=1, scl=1, axis=0):
            if m < 0:
                raise ValueError("The order of derivation must be non-negative")
            first = axis_of(c, axis)
            moved = np.moveaxis(c, first, 0)
            size = len(moved)
            table = np.ascontiguousarray(moved).reshape(size, c.size // max(size, 1)).astype(kind)
            if m > 0 and m >= size:
                table = table[:1] * kind.type(0)
            elif m > 0:
                for _ in range(m):
                    table *= kind.type(scl)
                    out = np.empty((len(table) - 1, table.shape[1]), kind)
                    slope(out, table)
                    table = out
            back = table.reshape((len(table),) + moved.shape[1:])  # noqa: RUF005
            return np.moveaxis(back, 0, 0 if leaves_in_front and 0 < m >= size else first)

        return derivative


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


def _constants_of(k: Any, kind: np.dtype[Any]) -> Any:
    """The function that gives the constants of integration, of a dtype."""
    if isinstance(k, types.Type) and not isinstance(k, types.Omitted):
        return private(lambda k: as_line(k).astype(kind))
    return private(lambda k: np.zeros(0, kind))


def _register_integrals(family: str) -> None:
    fill, name, value = _INTEGRALS[family], function_of(family, "int"), function_of(family, "val")

    @numpy(name)
    def typer(c, m=1, k=None, lbnd=0, scl=1, axis=0):
        if not _is_table(c) or not is_whole(m) or not is_whole(axis):
            return None
        numbers = [one for one in (lbnd, scl) if isinstance(one, types.Type)]
        if not all(isinstance(one, types.Omitted) or is_real(one) for one in numbers):
            return None
        given = isinstance(k, types.Type) and not isinstance(k, types.Omitted)
        if given and (left_out(k) or not (is_series(k) or isinstance(k, Tuple) and not k.items)):
            return None
        if not isinstance(c, Array) or not c.ndim:
            return None
        kind = double_dtype(c)
        constants, cast = _constants_of(k, kind), kind.type

        def integral(c, m=1, k=None, lbnd=0, scl=1, axis=0):
            begin = constants(k)
            if m < 0:
                raise ValueError("The order of integration must be non-negative")
            if len(begin) > m:
                raise ValueError("Too many integration constants")
            first = axis_of(c, axis)
            moved = np.moveaxis(c, first, 0)
            size = len(moved)
            table = np.ascontiguousarray(moved).reshape(size, c.size // max(size, 1)).astype(kind)
            for n in range(m):
                constant = begin[n] if n < len(begin) else cast(0)
                table *= cast(scl)
                if len(table) == 1 and (table == 0).all():
                    table += constant
                else:
                    out = np.empty((len(table) + 1, table.shape[1]), kind)
                    fill(out, table)
                    out[0] += constant - value(cast(lbnd), out)
                    table = out
            back = table.reshape((len(table),) + moved.shape[1:])  # noqa: RUF005
            return np.moveaxis(back, 0, first)

        return integral


for _family in FAMILIES:
    _register_derivatives(_family)
    _register_integrals(_family)
