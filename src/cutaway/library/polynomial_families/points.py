"""Roots of power series, and Chebyshev's points: `polycompanion polyroots chebpts1 chebpts2
chebgauss chebweight leggauss laggauss`; and trimming: `trimcoef trimseq`."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, laguerre, legendre, polynomial, polyutils

from cutaway.library.arrays.curves.polys import common_dtype
from cutaway.library.arrays.kit.takes import Integer, Line, Operands, Real, numpy
from cutaway.library.arrays.kit.typers import private
from cutaway.library.polynomial_families.families import (
    Series,
    checked_line,
    series,
    series_dtype,
    trimmed,
)

# --- roots ------------------------------------------------------------------------------------


@numpy(polynomial.polycompanion)
def polycompanion(c: Series):
    own = series(c, series_dtype(c))
    n = len(own) - 1
    if n < 1:
        raise ValueError("Series must have maximum degree of at least 1.")
    if n == 1:
        return (-own[:1] / own[1:]).reshape(1, 1)
    out = np.zeros((n, n), own.dtype)
    for k in range(1, n):
        out[k, k - 1] = 1
    out[:, n - 1] -= own[:n] / own[n]
    return out


@numpy(polynomial.polyroots)
def polyroots(c: Series):
    own, result = series(c, series_dtype(c)), common_dtype(series_dtype(c), np.complex64)
    if len(own) < 2:
        return np.empty(0, result)
    if len(own) == 2:
        return (-own[:1] / own[1:]).astype(result)
    return np.sort(np.linalg.eigvals(polynomial.polycompanion(own)))


# --- Gauss's points ---------------------------------------------------------------------------


@private
def _legendre_matrix(n):
    """The matrix whose eigenvalues are the zeros of a Legendre polynomial."""
    out = np.zeros((n, n))
    scale = 1 / np.sqrt(2 * np.arange(n) + 1)
    for k in range(1, n):
        out[k, k - 1] = k * scale[k - 1] * scale[k]
    return out


@private
def _laguerre_matrix(n):
    """The matrix whose eigenvalues are the zeros of a Laguerre polynomial."""
    out = np.zeros((n, n))
    for k in range(n):
        out[k, k] = 2.0 * k + 1
        if k:
            out[k, k - 1] = -k
    return out


@private
def _legendre_ends(x, w):
    """Symmetrized points and weights; the weights sum to the length of the interval."""
    w = (w + w[::-1]) / 2
    return (x - x[::-1]) / 2, w * (2.0 / w.sum())


@private
def _laguerre_ends(x, w):
    return x, w / w.sum()


def _register_gauss(module: ModuleType, family: str, matrix: Any, ends: Any) -> None:
    """Register Gaussian quadrature: zeros as eigenvalues, refined by a Newton step, and weights."""
    value, slope = getattr(module, f"{family}val"), getattr(module, f"{family}der")

    @numpy(getattr(module, f"{family}gauss"))
    def gauss(deg: Integer):
        if deg <= 0:
            raise ValueError("deg must be a positive integer")
        c = np.zeros(deg + 1)
        c[deg] = 1
        x = np.linalg.eigvalsh(matrix(deg))
        rise = value(x, slope(c))
        x = x - value(x, c) / rise
        other = value(x, c[1:])
        other /= np.abs(other).max()
        rise /= np.abs(rise).max()
        return ends(x, 1 / (other * rise))


_register_gauss(legendre, "leg", _legendre_matrix, _legendre_ends)
_register_gauss(laguerre, "lag", _laguerre_matrix, _laguerre_ends)


# --- Chebyshev's points -----------------------------------------------------------------------


@numpy(chebyshev.chebpts1)
def chebpts1(npts: Integer):
    if npts < 1:
        raise ValueError("npts must be >= 1")
    return np.sin(0.5 * np.pi / npts * np.arange(-npts + 1, npts + 1, 2))


@numpy(chebyshev.chebpts2)
def chebpts2(npts: Integer):
    if npts < 2:
        raise ValueError("npts must be >= 2")
    return np.cos(np.linspace(-np.pi, 0, npts))


@numpy(chebyshev.chebgauss)
def chebgauss(deg: Integer):
    if deg <= 0:
        raise ValueError("deg must be a positive integer")
    x = np.cos(np.pi * np.arange(1, 2 * deg, 2) / (2.0 * deg))
    return x, np.ones(deg) * (np.pi / deg)


@numpy(chebyshev.chebweight)
def chebweight(x: Operands):
    return 1.0 / (np.sqrt(1.0 + x) * np.sqrt(1.0 - x))


# --- trimming ---------------------------------------------------------------------------------


@numpy(polyutils.trimcoef)
def trimcoef(c: Series, tol: Real = 0):
    if tol < 0:
        raise ValueError("tol must be non-negative")
    own = checked_line(c).astype(series_dtype(c))
    size = len(own)
    while size > 0 and not abs(own[size - 1]) > tol:
        size -= 1
    return own[:size].copy() if size else own[:1] * 0


@numpy(polyutils.trimseq)
def trimseq(seq: Line):
    return trimmed(seq) if len(seq) else seq[:0]
