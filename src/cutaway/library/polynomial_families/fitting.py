"""Matrices of polynomials at points, and least-squares fits: `vander fit` of each family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import refuse
from cutaway.library.arrays.curves.polys import eps_of_line, inexact_line_dtype, require_points
from cutaway.library.arrays.kit.takes import (
    Flag,
    Integer,
    Numbers,
    Operands,
    Output,
    RealOrNone,
    numpy,
)
from cutaway.library.arrays.kit.typers import is_complex, private
from cutaway.library.polynomial_families.families import FAMILIES, function_of

# --- matrices ---------------------------------------------------------------------------------


def _next(family: str) -> Any:
    """The recurrence for a polynomial from the previous two, the one of degree one, and x."""

    @private
    def next_of(v, u, first, x, k):
        if family == "poly":
            return v * x
        if family == "cheb":
            return v * (2 * x) - u
        if family == "leg":
            return (v * x * (2 * k - 1) - u * (k - 1)) / k
        if family == "herm":
            return v * first - u * (2 * (k - 1))
        if family == "herme":
            return v * x - u * (k - 1)
        return (v * (2 * k - 1 - x) - u * (k - 1)) / k

    return next_of


def _register_matrices(family: str) -> None:
    next_of = _next(family)

    @numpy(function_of(family, "vander"))
    def vander(x: Operands, deg: Integer):
        if deg < 0:
            raise ValueError("deg must be non-negative")
        places = np.atleast_1d(x).astype(inexact_line_dtype(x)) + 0.0  # as in NumPy, not -0.0
        flat = places.ravel()
        out = np.empty((deg + 1, flat.size), flat.dtype)
        out[0] = flat * 0 + 1
        if deg > 0:
            first = flat * 2 if family == "herm" else 1 - flat if family == "lag" else flat
            out[1] = first
            for k in range(2, deg + 1):
                out[k] = next_of(out[k - 1], out[k - 2], first, flat, k)
        back = out.reshape((deg + 1,) + places.shape)  # noqa: RUF005
        return np.moveaxis(back, 0, -1)


# --- fits -------------------------------------------------------------------------------------


@private
def _squares(a):
    if is_complex(a):
        return np.square(a.real) + np.square(a.imag)
    return np.square(a)


def _register_fits(family: str) -> None:
    vander = function_of(family, "vander")

    @numpy(function_of(family, "fit"))
    def fit(
        x: Numbers,
        y: Numbers,
        deg: Integer,
        rcond: RealOrNone = None,
        full: Flag = False,
        w: Output = None,
    ):
        if x.ndim != 1 or y.ndim not in (1, 2) or (w is not None and w.ndim != 1):
            refuse("a series is fitted to a line of places, and to values in a line or a table")
        if full:
            refuse(
                f"`{family}fit` with full is not supported in compiled code",
                f"leave it out: `{family}fit` gives coefficients",
            )
        require_points(x, y, deg)
        lhs = vander(x.astype(inexact_line_dtype(x)), deg).T
        rhs = y.astype(inexact_line_dtype(y)).T
        if w is not None:
            if lhs.shape[1] != len(w):
                raise TypeError("expected x and w to have same length")
            lhs, rhs = lhs * w, rhs * w
        limit = len(x) * eps_of_line(x) if rcond is None else rcond
        scale = np.sqrt(_squares(lhs).sum(1))
        scale[scale == 0] = 1
        found = np.linalg.lstsq(lhs.T / scale, rhs.T, limit)[0]
        return (found.T / scale).T


for _family in FAMILIES:
    _register_matrices(_family)
    _register_fits(_family)
