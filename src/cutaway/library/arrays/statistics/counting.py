"""Counts of values: `bincount`."""

from __future__ import annotations

import numpy as np

from cutaway.extending.bodies import refuse
from cutaway.library.arrays.kit.sizes import size_of_both
from cutaway.library.arrays.kit.takes import Integer, Integers, Output, numpy
from cutaway.library.arrays.kit.typers import is_complex, private


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
def bincount(x: Integers, weights: Output = None, minlength: Integer = 0):
    """How often each number is there, or the sum of its weights."""
    if x.ndim != 1:
        refuse("the numbers that are counted have one axis", "x.ravel()")
    count = _bins_of(x, minlength)
    if weights is None:
        out = np.zeros(count, np.int64)
        for k in range(len(x)):
            out[np.int64(x[k])] += 1  # a bool is no mask here
        return out
    if weights.ndim != 1 or is_complex(weights):
        refuse("weights are real numbers, one for each that is counted")
    if len(x) and len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    heavy = np.zeros(count)
    for k in range(len(x)):
        heavy[np.int64(x[k])] += weights[k]
    return heavy
