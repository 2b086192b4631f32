"""The number of bins of a histogram, estimated from its elements: `bins="auto"` and its like.

Each estimator gives the width of a bin, by a formula in the number of elements and their spread.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.typers import left_out, private
from cutaway.typing import types

# --- widths, of at least one element ------------------------------------------------------------

_ESTIMATORS = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")


@private
def _width(line, low, high, name):
    """The width of a bin by an estimator."""
    n = line.size
    if name == "scott":
        return (24.0 * math.pi**0.5 / n) ** (1.0 / 3.0) * np.std(line)
    if name == "fd":  # the rule of Freedman and Diaconis
        return 2.0 * (np.percentile(line, 75) - np.percentile(line, 25)) * n ** (-1.0 / 3.0)
    if name == "auto":  # not so small that there are bins without end
        by_quartiles = max(_width(line, low, high, "fd"), _width(line, low, high, "sqrt") / 2)
        return min(by_quartiles, _width(line, low, high, "sturges"))
    spread = float(line.max()) - float(line.min())
    if name == "sqrt":
        return spread / math.sqrt(n)
    if name == "sturges":
        return spread / (np.log2(n) + 1.0)
    if name == "rice":
        return spread / (2.0 * n ** (1.0 / 3))
    return _by_doane(line, spread) if name == "doane" else _by_stone(line, low, high, spread)


@private
def _by_doane(line, spread):
    """Sturges' rule, for what leans to one side."""
    n = line.size
    if n <= 2:
        return 0.0
    sigma = np.std(line)
    if not sigma > 0.0:
        return 0.0
    lean = np.mean(np.power((line - np.mean(line)) / sigma, 3))
    usual = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return spread / (1.0 + np.log2(n) + np.log2(1.0 + abs(lean) / usual))


@private
def _by_stone(line, low, high, spread):
    """The width for which Stone's estimate of the error, by cross-validation, is least."""
    n = line.size
    if n <= 1 or spread == 0:
        return 0.0
    best, least = 1, 0.0
    for count in range(1, max(100, int(math.sqrt(n))) + 1):
        part = np.histogram(line, count, (low, high))[0] / n
        error = (2 - (n + 1) * np.dot(part, part)) / (spread / count)
        if count == 1 or error < least:
            best, least = count, error
    return spread / best


# --- counts -------------------------------------------------------------------------------------


@static
def _require_estimator(a: Any, name: Any, weights: Any) -> None:
    """Refuse what NumPy has no estimator for, and floats that it computes in another precision."""
    if name.value not in _ESTIMATORS:
        raise TypingError(
            f"{name.value!r} is not a valid estimator for `bins`", hint=", ".join(_ESTIMATORS)
        )
    if not left_out(weights):
        raise TypingError(
            "Automated estimation of the number of bins is not supported for weighted data"
        )
    if a.dtype is not types.float64 and not types.is_integral(a.dtype):
        raise TypingError(
            "numbers of bins are estimated from integers and float64", hint="a.astype(np.float64)"
        )


@private
def estimated(a, name, limits, weights):
    """The number of bins of an array by an estimator, in a range or in that of its elements."""
    _require_estimator(a, name, weights)
    line = a.ravel().astype(np.uint8) if a.dtype == np.bool_ else a.ravel()
    if limits is None:
        if line.size == 0:
            return 1
        low, high = float(line.min()), float(line.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    else:
        low, high = float(limits[0]), float(limits[1])
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    if low == high:
        low, high = low - 0.5, high + 0.5
    kept = line if limits is None else line[(line >= low) & (line <= high)]
    width = float(_width(kept, low, high, name)) if kept.size else 0.0
    if width == 0:
        return 1
    return int(math.ceil((high - low) / max(width, 0.0 if a.dtype.kind == "f" else 1.0)))
