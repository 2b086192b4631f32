"""The number of bins of a histogram, estimated from its elements: `bins="auto"` and its like.

Each estimator gives the width of a bin, by a formula in the number of elements and their spread.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.typers import is_array, left_out, private
from cutaway.typing import types

# --- widths, of at least one element ------------------------------------------------------------


@private
def _spread(line):
    return float(line.max()) - float(line.min())


@private
def _by_square_root(line, low, high):
    return _spread(line) / math.sqrt(line.size)


@private
def _by_sturges(line, low, high):
    return _spread(line) / (np.log2(line.size) + 1.0)


@private
def _by_rice(line, low, high):
    return _spread(line) / (2.0 * line.size ** (1.0 / 3))


@private
def _by_scott(line, low, high):
    return (24.0 * math.pi**0.5 / line.size) ** (1.0 / 3.0) * np.std(line)


@private
def _by_quartiles(line, low, high):
    """The rule of Freedman and Diaconis."""
    between = np.percentile(line, 75) - np.percentile(line, 25)
    return 2.0 * between * line.size ** (-1.0 / 3.0)


@private
def _by_doane(line, low, high):
    """Sturges' rule, for what leans to one side."""
    n = line.size
    if n <= 2:
        return 0.0
    sigma = np.std(line)
    if not sigma > 0.0:
        return 0.0
    lean = np.mean(np.power((line - np.mean(line)) / sigma, 3))
    usual = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return _spread(line) / (1.0 + np.log2(n) + np.log2(1.0 + abs(lean) / usual))


@private
def _by_cross_validation(line, low, high):
    """The width for which Stone's estimate of the error is least."""
    n, spread = line.size, _spread(line)
    if n <= 1 or spread == 0:
        return 0.0
    best, least = 1, 0.0
    for count in range(1, max(100, int(math.sqrt(n))) + 1):
        part = np.histogram(line, count, (low, high))[0] / n
        error = (2 - (n + 1) * np.dot(part, part)) / (spread / count)
        if count == 1 or error < least:
            best, least = count, error
    return spread / best


@private
def _automatic(line, low, high):
    """The smaller of two widths, and not so small that there are bins without end."""
    by_quartiles = max(_by_quartiles(line, low, high), _by_square_root(line, low, high) / 2)
    return min(by_quartiles, _by_sturges(line, low, high))


_WIDTHS = {
    "auto": _automatic,
    "fd": _by_quartiles,
    "doane": _by_doane,
    "scott": _by_scott,
    "stone": _by_cross_validation,
    "rice": _by_rice,
    "sturges": _by_sturges,
    "sqrt": _by_square_root,
}


# --- counts -------------------------------------------------------------------------------------


def estimator(array: Any, name: str, limits: Any, weights: Any) -> Any:
    """The function of an array and a range that gives the number of bins; None where that is not
    compiled.

    Raises TypingError where NumPy has no such estimator, or takes no weights with one.
    """
    if name not in _WIDTHS:
        raise TypingError(f"{name!r} is not a valid estimator for `bins`", hint=", ".join(_WIDTHS))
    if not left_out(weights):
        raise TypingError(
            "Automated estimation of the number of bins is not supported for weighted data"
        )
    floats = array.dtype is types.float64
    if not is_array(array) or not (floats or types.is_integral(array.dtype)):
        return None
    width_of, least = _WIDTHS[name], 0.0 if floats else 1.0

    line_of = private(
        (lambda a: a.ravel().astype(np.uint8))
        if array.dtype is types.boolean
        else (lambda a: a.ravel())
    )

    @private
    def count_of(line, low, high):
        if line.size == 0:
            return 1
        width = float(width_of(line, low, high))
        if width == 0:
            return 1
        return int(math.ceil((high - low) / max(width, least)))

    def of_all(a, limits):
        line = line_of(a)
        if line.size == 0:
            return 1
        low, high = float(line.min()), float(line.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
        if low == high:
            return count_of(line, low - 0.5, high + 0.5)
        return count_of(line, low, high)

    def of_some(a, limits):
        line, low, high = line_of(a), float(limits[0]), float(limits[1])
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if low == high:
            low, high = low - 0.5, high + 0.5
        return count_of(line[(line >= low) & (line <= high)], low, high)

    return private(of_all if left_out(limits) else of_some)
