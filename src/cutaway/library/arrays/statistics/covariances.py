"""Covariances and correlations of variables, with weighted observations: `cov corrcoef`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.library.arrays.kit.dtypes import mean_dtype
from cutaway.library.arrays.kit.elements import plain
from cutaway.library.arrays.kit.shapes import expanded
from cutaway.library.arrays.kit.takes import Dtype, Flag, numpy
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_complex,
    is_integral_or_default,
    left_out,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array

# --- parameters -------------------------------------------------------------------------------


def _is_table(m: Any) -> bool:
    return is_array(m) and m.ndim in (1, 2)


def _is_line_of_reals(weights: Any) -> bool:
    return is_array(weights) and weights.ndim == 1 and types.is_real(weights.dtype)


Table = Takes("an array of one axis or two", _is_table)
More = Takes("an array of one axis or two, or None", lambda y: left_out(y) or _is_table(y))
Weights = Takes(
    "a line of real numbers, or None", lambda one: left_out(one) or _is_line_of_reals(one)
)
Freedom = Takes("an int or None", lambda one: left_out(one) or is_integral_or_default(one))


@static
def _covariance_dtype(m: Any, y: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype in which covariances are computed."""
    whole = is_complex(m) or is_complex(y)
    own = types.complex128 if whole else types.float64
    computed = mean_dtype(Array(own, 1, "C"), dtype)
    if computed is None or computed.kind != ("c" if whole else "f"):
        raise TypingError(
            "covariances are computed in floats, or in complex numbers of such",
            hint="give another dtype, or none",
        )
    return computed


# --- products of deviations -------------------------------------------------------------------


@private
def _rows_of(m, in_rows, dtype, is_second):
    """The variables of a table as rows, which may share the table's memory."""
    if m.ndim == 1:
        return expanded(plain(m, dtype), 0)
    if in_rows:
        return plain(m, dtype)
    if is_second:  # a single row is not transposed
        return plain(m, dtype) if len(m) == 1 else plain(m, dtype).copy().T
    return plain(m, dtype).T


@private
def _require_weights(weights, count, name):
    """Raise NumPy's errors for missing or negative weights."""
    if len(weights) != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if name == "fweights":
        for weight in weights:
            if float(weight) != np.rint(float(weight)):
                raise TypeError("fweights must be integer")
    for weight in weights:
        if float(weight) < 0:
            raise ValueError(f"{name} cannot be negative")


@private
def _weights_of(fweights, aweights, count):
    """The product of both kinds of weights of each observation, and the `aweights` alone."""
    both, own = np.ones(count), np.ones(count)
    if fweights is not None:
        _require_weights(fweights, count, "fweights")
        both *= fweights
    if aweights is not None:
        _require_weights(aweights, count, "aweights")
        own *= aweights
        both *= aweights
    return both, own


@private
def _turned(rows):
    return rows.T.conj() if is_complex(rows) else rows.T


@private
def _covariance(m, y, rowvar, bias, ddof, dtype, fweights, aweights):
    """The covariance matrix, always as a table."""
    computed = _covariance_dtype(m, y, dtype)
    first = _rows_of(m, rowvar, computed, False)
    if y is None:
        rows = first.copy()
    else:
        rows = np.concatenate((first, _rows_of(y, rowvar, computed, True)))
    free = (0 if bias else 1) if ddof is None else ddof
    if fweights is None and aweights is None:
        for k in range(len(rows)):
            rows[k] -= rows[k].mean()
        factor = max(float(rows.shape[1] - free), 0.0)
        return np.dot(rows, _turned(rows)) * (1 / factor)
    weights, own = _weights_of(fweights, aweights, rows.shape[1])
    total = weights.sum()
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    factor = total - free
    if aweights is not None and free:
        factor = total - free * (weights * own).sum() / total
    weighed = np.empty(rows.shape, rows.dtype)
    for k in range(len(rows)):
        rows[k] -= (rows[k] * weights).sum() / total
        weighed[k] = rows[k] * weights
    return np.dot(rows, _turned(weighed)) * (1 / max(factor, 0.0))


@numpy(np.cov)
def cov(
    m: Table,
    y: More = None,
    rowvar: Flag = True,
    bias: Flag = False,
    ddof: Freedom = None,
    fweights: Weights = None,
    aweights: Weights = None,
    *,
    dtype: Dtype = None,
):
    """The covariance matrix of variables."""
    table = _covariance(m, y, rowvar, bias, ddof, dtype, fweights, aweights)
    return table.reshape(()) if m.ndim == 1 and y is None else table


# --- correlations -----------------------------------------------------------------------------


@private
def _clipped(x):
    if is_complex(x):
        return complex(np.clip(x.real, -1.0, 1.0), np.clip(x.imag, -1.0, 1.0))
    return np.clip(x, -1.0, 1.0)


@numpy(np.corrcoef)
def corrcoef(x: Table, y: More = None, rowvar: Flag = True, *, dtype: Dtype = None):
    """The correlation matrix of variables."""
    table = _covariance(x, y, rowvar, False, None, dtype, None, None)
    if x.ndim == 1 and y is None:
        return np.divide(table, table)[0, 0]
    deviation = np.sqrt(np.diag(table).real)
    for i in range(len(table)):
        for j in range(len(table)):
            table[i, j] = _clipped(table[i, j] / deviation[i] / deviation[j])
    return table
