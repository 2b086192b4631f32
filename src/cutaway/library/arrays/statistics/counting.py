"""Counts of values: `bincount`."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.sizes import size_of_both
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types


@private
def _bins_of(x, minlength):
    """The number of bins that the numbers need."""
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    low, high = 0, -1
    for k in range(len(x)):
        low = min(low, np.int64(x[k]))
        high = max(high, np.int64(x[k]))
    if low < 0:
        raise ValueError("'list' argument must have no negative elements")
    return max(size_of_both(high, 1), minlength)


@numpy(np.bincount)
def _bincount(x, weights=None, minlength=0):
    if not is_array(x) or x.ndim != 1 or not is_integral(x.dtype):
        return None
    if not is_integral_or_default(minlength):
        return None

    def plain(x, weights=None, minlength=0):
        out = np.zeros(_bins_of(x, minlength), np.int64)
        for k in range(len(x)):
            out[np.int64(x[k])] += 1  # a bool is no mask here
        return out

    def weighted(x, weights=None, minlength=0):
        count = _bins_of(x, minlength)
        if len(x) and len(weights) != len(x):
            raise ValueError("The weights and list don't have the same length.")
        out = np.zeros(count)
        for k in range(len(x)):
            out[np.int64(x[k])] += weights[k]
        return out

    if left_out(weights):
        return plain
    fits = is_array(weights) and weights.ndim == 1 and types.is_real(weights.dtype)
    return weighted if fits else None
