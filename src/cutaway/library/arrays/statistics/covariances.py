"""Covariances and correlations of variables: `cov corrcoef`, with weights of observations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import mean_dtype
from cutaway.library.arrays.kit.elements import plain
from cutaway.library.arrays.kit.shapes import expanded
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    is_array,
    is_integral,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array

# --- products of distances --------------------------------------------------------------------


def _rows_of(m: Array, in_rows: bool, dtype: np.dtype[Any], is_second: bool) -> Any:
    """What gives the variables of a table as rows, which may be those of the table."""
    if m.ndim == 1:
        return private(lambda m: expanded(plain(m, dtype), 0))
    if in_rows:
        return private(lambda m: plain(m, dtype))
    if is_second:  # one row stays one
        return private(lambda m: plain(m, dtype) if len(m) == 1 else plain(m, dtype).copy().T)
    return private(lambda m: plain(m, dtype).T)


def weight_of(fweights, aweights, count):
    """The weights of observations, and these without the frequencies among them."""
    both = [np.asarray(w, float) for w in (fweights, aweights) if w is not None]
    return np.prod(both, axis=0), np.ones(count) if aweights is None else both[-1]


@overload(weight_of, jit_options=OPTIONS)
def _weight_of(fweights, aweights, count):
    counts, weighs = not left_out(fweights), not left_out(aweights)

    def weights(fweights, aweights, count):
        w, own = np.ones(count), np.ones(count)
        if counts:
            _require_weights(fweights, count, "incompatible numbers of samples and fweights")
            for k in range(count):
                w[k] = fweights[k]
                if w[k] != np.rint(w[k]):
                    raise TypeError("fweights must be integer")
                if w[k] < 0:
                    raise ValueError("fweights cannot be negative")
        if weighs:
            _require_weights(aweights, count, "incompatible numbers of samples and aweights")
            for k in range(count):
                own[k] = aweights[k]
                if own[k] < 0:
                    raise ValueError("aweights cannot be negative")
                w[k] *= own[k]
        return w, own

    return weights


@private
def _require_weights(weights, count, message):
    if len(weights) != count:
        raise RuntimeError(message)


def _are_weights(*weights: Any) -> bool:
    return all(
        left_out(one) or (is_array(one) and one.ndim == 1 and types.is_real(one.dtype))
        for one in weights
    )


def _covariance(m: Array, y: Any, told: tuple[Any, ...], weights: tuple[Any, ...]) -> Any:
    """The table of covariances by `rowvar bias ddof dtype` and weights, a function of `m y ddof
    fweights aweights`; None where it is not compiled."""
    rowvar, bias, ddof, dtype = told
    in_rows, biased = flag(rowvar), flag(bias)
    given = [m] if left_out(y) else [m, y]
    if in_rows is None or biased is None or not all(map(_is_table, given)):
        return None
    whole = any(map(_is_complex, given))
    computed = mean_dtype(Array(types.complex128 if whole else types.float64, 1, "C"), dtype)
    if computed is None or computed.kind != ("c" if whole else "f"):
        return None
    if not _are_weights(*weights):
        return None
    if not left_out(ddof) and not is_integral(ddof):
        return None
    first = _rows_of(m, in_rows, computed, False)
    second = None if left_out(y) else _rows_of(y, in_rows, computed, True)
    weighs = not all(map(left_out, weights))
    freedom = private((lambda ddof: 0 if biased else 1) if left_out(ddof) else (lambda ddof: ddof))
    frequent = left_out(weights[1])

    turned = private((lambda rows: rows.T.conj()) if whole else (lambda rows: rows.T))

    @private
    def rows_of_both(m, y):
        """The variables as rows of a new array."""
        if second is None:
            return first(m).copy()
        return np.concatenate((first(m), second(y)))

    @private
    def plain(m, y, ddof, fweights, aweights):
        rows = rows_of_both(m, y)
        for k in range(len(rows)):
            rows[k] -= rows[k].mean()
        factor = max(float(rows.shape[1] - freedom(ddof)), 0.0)
        return np.dot(rows, turned(rows)) * (1 / factor)

    @private
    def weighted(m, y, ddof, fweights, aweights):
        rows = rows_of_both(m, y)
        w, own = weight_of(fweights, aweights, rows.shape[1])
        total, free = w.sum(), freedom(ddof)
        if total == 0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        factor = total - free
        if not frequent and free:
            factor = total - free * (w * own).sum() / total
        weighed = np.empty(rows.shape, rows.dtype)
        for k in range(len(rows)):
            rows[k] -= (rows[k] * w).sum() / total
            weighed[k] = rows[k] * w
        return np.dot(rows, turned(weighed)) * (1 / max(factor, 0.0))

    return weighted if weighs else plain


def _is_complex(m: Any) -> bool:
    return is_array(m) and isinstance(m.dtype, types.Complex)


def _is_table(m: Any) -> bool:
    return is_array(m) and m.ndim in (1, 2)


@numpy(np.cov)
def _cov(
    m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None
):
    weights = (fweights, aweights)
    table = _covariance(m, y, (rowvar, bias, ddof, dtype), weights) if _is_table(m) else None
    if table is None:
        return None
    single = m.ndim == 1 and left_out(y)

    def cov(
        m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None
    ):
        found = table(m, y, ddof, fweights, aweights)
        if single:
            return found.reshape(())
        return found

    return cov


@numpy(np.corrcoef)
def _corrcoef(x, y=None, rowvar=True, *, dtype=None):
    if not _is_table(x):
        return None
    table = _covariance(x, y, (rowvar, False, None, dtype), (None, None))
    single = x.ndim == 1 and left_out(y)
    whole = any(_is_complex(one) for one in (x, y))
    normalized = _normalized_of_complex if whole else _normalized

    def corrcoef(x, y=None, rowvar=True, *, dtype=None):
        found = table(x, y, None, None, None)
        if single:
            return np.divide(found, found)[0, 0]
        return normalized(found)

    return None if table is None else corrcoef


@private
def _normalized_of_complex(table):
    deviation = np.sqrt(np.diag(table).real)
    for i in range(len(table)):
        for j in range(len(table)):
            coefficient = table[i, j] / deviation[i] / deviation[j]
            table[i, j] = complex(
                np.clip(coefficient.real, -1.0, 1.0), np.clip(coefficient.imag, -1.0, 1.0)
            )
    return table


@private
def _normalized(table):
    deviation = np.empty(len(table), table.dtype)
    for k in range(len(table)):
        deviation[k] = math.sqrt(table[k, k])
    for i in range(len(table)):
        for j in range(len(table)):
            coefficient = table[i, j] / deviation[i] / deviation[j]
            table[i, j] = np.clip(coefficient, -1.0, 1.0)
    return table
