"""Distributions of several numbers at once, and orders of each line: NumPy draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.typers import is_array, is_integral, left_out
from cutaway.library.random.by_python import assign, do
from cutaway.library.random.choosing import dimensions
from cutaway.library.random.kit import BOTH, GENERATOR, STATE, is_size, methods
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple


def _is_line(ty: Any) -> bool:
    """True for an array with one axis, and for a tuple of numbers."""
    if isinstance(ty, Tuple):
        return all(isinstance(one, types.Type) and types.is_real(one) for one in ty.items)
    return is_array(ty) and ty.ndim == 1


@methods(BOTH, "dirichlet")
def _dirichlet(rng, alpha, size=None):
    def dirichlet(rng, alpha, size=None):
        out = np.empty(dimensions(size) + (len(alpha),))
        assign(rng, "dirichlet", out, (alpha, size))
        return out

    return dirichlet if _is_line(alpha) and is_size(size) else None


@methods(BOTH, "multinomial")
def _multinomial(rng, n, pvals, size=None):
    def multinomial(rng, n, pvals, size=None):
        out = np.empty(dimensions(size) + (len(pvals),), np.int64)
        assign(rng, "multinomial", out, (n, pvals, size))
        return out

    return multinomial if is_integral(n) and _is_line(pvals) and is_size(size) else None


@methods(GENERATOR, "multivariate_hypergeometric")
def _multivariate_hypergeometric(rng, colors, nsample, size=None, method="marginals"):
    def drawn(rng, colors, nsample, size=None, method="marginals"):
        out = np.empty(dimensions(size) + (len(colors),), np.int64)
        params = (colors, nsample, size, method)
        assign(rng, "multivariate_hypergeometric", out, params)
        return out

    fits = _is_line(colors) and is_integral(nsample) and is_size(size) and _is_text(method)
    return drawn if fits else None


def _is_text(ty: Any) -> bool:
    if isinstance(ty, types.Omitted):
        ty = ty.value
    return isinstance(ty, str | types.String)


def _is_matrix(ty: Any) -> bool:
    return is_array(ty) and ty.ndim == 2


@methods(STATE, "multivariate_normal")
def _frozen_normal(rng, mean, cov, size=None, check_valid="warn", tol=1e-8):
    def drawn(rng, mean, cov, size=None, check_valid="warn", tol=1e-8):
        out = np.empty(dimensions(size) + (len(mean),))
        assign(rng, "multivariate_normal", out, (mean, cov, size, check_valid, tol))
        return out

    fits = _is_line(mean) and _is_matrix(cov) and is_size(size) and _is_text(check_valid)
    return drawn if fits else None


@methods(GENERATOR, "multivariate_normal")
def _multivariate_normal(rng, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
    def drawn(rng, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        out = np.empty(dimensions(size) + (len(mean),))
        params = (mean, cov, size, check_valid, tol, method)
        assign(rng, "multivariate_normal.method", out, params)
        return out

    fits = _is_line(mean) and _is_matrix(cov) and is_size(size) and _is_text(check_valid)
    return drawn if fits and _is_text(method) else None


@methods(GENERATOR, "permuted")
def _permuted(rng, x, *, axis=None, out=None):
    if not is_array(x) or not x.ndim:
        return None
    if isinstance(out, Array):

        def into(rng, x, *, axis=None, out=None):
            do(rng, "permuted.axis.out", (x, axis, out))
            return out

        return into

    def anew(rng, x, *, axis=None, out=None):
        made = np.empty(x.shape, x.dtype)
        assign(rng, "permuted.axis", made, (x, axis))
        return made

    return anew if left_out(out) else None


@methods(STATE, "seed")
def _seed(rng, seed=None):
    return lambda rng, seed=None: do(rng, "seed", (seed,))
