"""Matrices of polynomials at places, and fits by them: `vander fit` of each family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.curves.polys import require_points
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact
from cutaway.library.arrays.kit.typers import (
    flag,
    is_array,
    is_integral,
    is_left_out_or,
    is_number,
    left_out,
    numpy,
    private,
)
from cutaway.library.polynomial_families.families import FAMILIES, function_of, refuse
from cutaway.typing import types

# --- matrices ---------------------------------------------------------------------------------


def _first(family: str) -> Any:
    """The function that gives the polynomial of degree one."""
    if family == "herm":
        return private(lambda x: x * 2)
    return private((lambda x: 1 - x) if family == "lag" else (lambda x: x))


def _next(family: str) -> Any:
    """The function that gives a polynomial of the last two, the one of degree one, and x."""
    if family == "poly":
        return private(lambda v, u, first, x, k: v * x)
    if family == "cheb":
        return private(lambda v, u, first, x, k: v * (2 * x) - u)
    if family == "leg":
        return private(lambda v, u, first, x, k: (v * x * (2 * k - 1) - u * (k - 1)) / k)
    if family == "herm":
        return private(lambda v, u, first, x, k: v * first - u * (2 * (k - 1)))
    if family == "herme":
        return private(lambda v, u, first, x, k: v * x - u * (k - 1))
    return private(lambda v, u, first, x, k: (v * (2 * k - 1 - x) - u * (k - 1)) / k)


def _register_matrices(family: str) -> None:
    first_of, next_of = _first(family), _next(family)

    @numpy(function_of(family, "vander"))
    def typer(x, deg):
        if not (is_array(x) or is_number(x)) or not is_integral(deg):
            return None
        kind = inexact(element_dtype(x))

        def vander(x, deg):
            if deg < 0:
                raise ValueError("deg must be non-negative")
            places = np.atleast_1d(x).astype(kind) + 0.0  # so NumPy has no -0.0
            flat = places.ravel()
            out = np.empty((deg + 1, flat.size), kind)
            out[0] = flat * 0 + 1
            if deg > 0:
                first = first_of(flat)
                out[1] = first
                for k in range(2, deg + 1):
                    out[k] = next_of(out[k - 1], out[k - 2], first, flat, k)
            back = out.reshape((deg + 1,) + places.shape)  # noqa: RUF005
            return np.moveaxis(back, 0, -1)

        return vander


# --- fits -------------------------------------------------------------------------------------


def _squares(a):
    return np.square(a.real) + np.square(a.imag)


def _weighing(w: Any) -> Any:
    """The function that weighs the equations, which are columns."""

    def weighed(lhs, rhs, w):
        if lhs.shape[1] != len(w):
            raise TypeError("expected x and w to have same length")
        return lhs * w, rhs * w

    return private((lambda lhs, rhs, w: (lhs, rhs)) if left_out(w) else weighed)


def _register_fits(family: str) -> None:
    vander = function_of(family, "vander")

    @numpy(function_of(family, "fit"), by_value=True)
    def typer(x, y, deg, rcond=None, full=False, w=None):
        if not is_array(x) or not is_array(y) or x.ndim != 1 or y.ndim not in (1, 2):
            return None
        if not is_left_out_or(types.is_real, rcond):
            return None
        if not is_integral(deg) or not (left_out(w) or (is_array(w) and w.ndim == 1)):
            return None
        if flag(full) is not False:
            refuse(f"`{family}fit` with full", f"leave it out: `{family}fit` gives coefficients")
        first, second = (inexact(element_dtype(one)) for one in (x, y))
        eps, weigh, machine = float(np.finfo(first).eps), _weighing(w), left_out(rcond)
        is_complex = first.kind == "c"
        squares = private(_squares if is_complex else (lambda a: np.square(a)))

        def fit(x, y, deg, rcond=None, full=False, w=None):
            require_points(x, y, deg)
            places = x.astype(first)
            lhs, rhs = weigh(vander(places, deg).T, y.astype(second).T, w)
            limit = len(x) * eps if machine else rcond
            scale = np.sqrt(squares(lhs).sum(1))
            scale[scale == 0] = 1
            found = np.linalg.lstsq(lhs.T / scale, rhs.T, limit)[0]
            return (found.T / scale).T

        return fit


for _family in FAMILIES:
    _register_matrices(_family)
    _register_fits(_family)
