"""Counts of elements between edges: `histogram histogram_bin_edges`.

For bins of equal width, the bin of an element is computed, block by block with vector instructions;
only elements so near an edge that rounding decides are compared with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.extending.overloads import register_jitable
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.dtypes import element_dtype, joint_dtype
from cutaway.library.arrays.kit.places import place_from_right
from cutaway.library.arrays.kit.takes import Flag, Numbers, Output, numpy
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    is_array,
    is_complex,
    is_integral_or_default,
    left_out,
    private,
)
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Signature
from cutaway.typing.types import Tuple

# --- edges ------------------------------------------------------------------------------------


@private
def _outer_edges(a, limits):
    """The ends of the given range, or of the range of the elements."""
    if limits is None:
        low, high = (float(a.min()), float(a.max())) if a.size else (0.0, 1.0)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    else:
        low, high = float(limits[0]), float(limits[1])
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


@private
def _single_edges(low, high, count):
    """The edges computed in single precision."""
    first, last = np.float32(low), np.float32(high)
    step = np.float32(np.float32(last - first) / np.float32(count))
    edges = np.empty(count + 1, np.float32)
    for k in range(count):
        edges[k] = np.float32(np.float32(np.float32(k) * step) + first)
    edges[count] = last
    return edges


@private
def even_edges(a, count, limits, are_rounded):
    """The edges of `count` bins of equal width, in the given range or that of the elements."""
    low, high = _outer_edges(a, limits)
    if limits is None and a.dtype == np.float32:
        return _single_edges(low, high, count)
    edges = np.linspace(low, high, count + 1)
    return edges.astype(np.float32) if are_rounded and a.dtype == np.float32 else edges


@private
def _equal_edges(a, count, limits):
    """The edges of `count` bins of equal width, each wider than zero."""
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if count > LARGEST:
        raise MemoryError(f"{count} bins are too many")
    edges = even_edges(a, count, limits, True)
    for k in range(count):
        if edges[k] >= edges[k + 1]:
            raise ValueError(
                f"Too many bins for data range. Cannot create {count} finite-sized bins."
            )
    return edges


@private
def _given_edges(bins):
    if not are_in_order(bins):
        raise ValueError("`bins` must increase monotonically, when an array")
    return np.asarray(bins)


@private
def are_in_order(edges):
    """True if the edges ascend, not strictly."""
    for k in range(len(edges) - 1):
        if edges[k] > edges[k + 1]:
            return False
    return True


# --- bins of equal width ----------------------------------------------------------------------

# For loops whose callers guarantee nonnegative indices in range.
unchecked = register_jitable(**{**OPTIONS, "boundscheck": False})

UNSURE = np.int32(-1)  # marks an element so near an edge that rounding decides
BLOCK = 2048  # elements whose bins are computed in one pass
LARGEST = 1 << 30  # beyond, a bin number may not fit in 32 bits


def whole_part(x):
    """The integer part of a number, which must fit in 32 bits."""
    return np.int32(x)


@primitive(whole_part, lambda arguments: Signature(types.int32, (types.float64,)))
def cut_whole_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one instruction, which vectorizes; `int` would check the range."""
    return Value(types.int32, (build.convert("fptosi", "double", args[0].parts[0], "i32"),))


def truncated(x):
    """A float rounded toward zero."""
    return np.trunc(x)


@primitive(truncated, "float64(float64)")
def truncate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one instruction, which vectorizes."""
    return Value(types.float64, (build.math("trunc", types.float64, args[0].parts[0]),))


@private
def _bin_by_edges(edges, x, low, high, count):
    """The bin of an element between the outer edges: computed, then moved by one if rounding took
    it past an edge."""
    width, last = high - low, count - 1
    scale, beyond = count / width, float(x) - low
    # The range may be so narrow that its inverse is infinite.
    k = min(int(beyond * scale if np.isfinite(scale) else beyond / width * count), last)
    if x < edges[k]:
        return k - 1
    return k + 1 if k != last and x >= edges[k + 1] else k


@private
def _margin(unit, low, high, count):
    """The distance from an edge, in bins, below which rounding may decide the bin of an element.

    Edges and bins take a few roundings, each with an error of half a unit in the last place of the
    range's width or of its larger end.
    """
    return 16.0 * unit * count * (1.0 + max(abs(low), abs(high)) / (high - low))


@unchecked
def _place_block(bins, line, start, size, low, scale, margin, count):
    """Compute the bin number of each element: 1 and up, 0 below the bins, `count` + 1 above.

    All selects are between doubles, followed by one conversion: masks of other widths would have to
    be narrowed first, which costs more vector instructions than the select itself.
    """
    first, below, above, most = low - 1.0 / scale, 0.5, count + 1.5, 1.0 - margin
    for k in range(size):
        place = (float(line[np.uint64(start + k)]) - first) * scale
        place = place if place > below else below  # for a NaN too
        place = place if place < above else above
        rest = place - truncated(place)
        bins[np.uint64(k)] = whole_part(place if (rest > margin) & (rest < most) else -1.0)


@private
def _place_unsure(bins, line, start, size, low, high):
    for k in range(size):
        bins[k] = UNSURE if low <= line[start + k] <= high else np.int32(0)


@static
def _unit(edges: Any) -> float:
    """The machine epsilon of the dtype of the edges."""
    return float(np.finfo(element_dtype(edges)).eps)


@private
def _counts(a, edges):
    """The number of elements in each bin.

    Four tables are used, since adding to a count that was just written stalls the processor.
    """
    count = len(edges) - 1
    low, high = float(edges[0]), float(edges[count])
    first, second = np.zeros(count + 2, np.int64), np.zeros(count + 2, np.int64)
    third, fourth = np.zeros(count + 2, np.int64), np.zeros(count + 2, np.int64)
    bins, line = np.empty(BLOCK, np.int32), a.ravel()
    margin, scale = _margin(_unit(edges), low, high, count), count / (high - low)
    are_computed = margin < 0.25 and np.isfinite(scale)
    for start in range(0, len(line), BLOCK):
        size = min(BLOCK, len(line) - start)
        if are_computed:
            _place_block(bins, line, start, size, low, scale, margin, float(count))
        else:
            _place_unsure(bins, line, start, size, low, high)
        done = _count_sure(first, second, third, fourth, bins, 0, size)
        while done < size:
            stop = min(done + 4, size)
            _count_slowly(first, bins, line, start, done, stop, edges, low, high)
            done = _count_sure(first, second, third, fourth, bins, stop, size)
    first += second
    third += fourth
    first += third
    return first[1 : count + 1].copy()


@unchecked
def _count_sure(first, second, third, fourth, bins, start, size):
    """Count elements in fours; returns the position of the first four with an uncertain bin.

    The tables cover all bins, and UNSURE is negative: one test covers all four. LLVM cannot infer
    this, so bounds are not checked again.
    """
    stop = size - (size - start) % 4
    for k in range(start, stop, 4):
        m, n = bins[np.uint64(k)], bins[np.uint64(k + 1)]
        o, p = bins[np.uint64(k + 2)], bins[np.uint64(k + 3)]
        if (m | n | o | p) < 0:
            return k
        first[np.uint32(m)] += 1
        second[np.uint32(n)] += 1
        third[np.uint32(o)] += 1
        fourth[np.uint32(p)] += 1
    return stop


@private
def _count_slowly(out, bins, line, start, done, stop, edges, low, high):
    """Count elements some of which may have uncertain bins."""
    for k in range(done, stop):
        n, x, count = int(bins[k]), line[start + k], len(edges) - 1
        if n < 0:
            n = _bin_by_edges(edges, x, low, high, count) + 1 if low <= x <= high else 0
        out[n] += 1


@static
def _sum_dtype(weights: Any) -> np.dtype[Any]:
    """The dtype in which weights are summed."""
    return np.dtype(np.complex128 if is_complex(weights) else np.float64)


@private
def _sums(line, weights, edges, low, high):
    """The sum of the weights in each bin."""
    count = len(edges) - 1
    out = np.zeros(count, _sum_dtype(weights))
    for k in range(len(line)):
        if low <= line[k] <= high:
            out[_bin_by_edges(edges, line[k], low, high, count)] += weights[k]
    return out


# --- bins between given edges -----------------------------------------------------------------


@private
def _count_between(a, bins):
    cast = joint_dtype(a, bins).type  # the dtype in which elements and edges are compared
    out = np.zeros(max(len(bins) - 1, 0), np.int64)
    last = len(bins) - 1
    if last > 0:
        for one in a.flat:
            x = cast(one)
            if x == cast(bins[last]):
                out[last - 1] += 1
            elif cast(bins[0]) <= x < cast(bins[last]):
                out[place_from_right(bins, x, cast) - 1] += 1
    return out


@private
def _add_below(below, part, weights, bins):
    """Add the sum of the weights below each edge."""
    order = np.argsort(part, kind="stable")
    line, total = np.take(part, order), np.cumsum(np.take(weights, order))
    last = len(bins) - 1
    for k in range(len(bins)):
        side = "right" if k == last else "left"
        n = np.searchsorted(line, bins[k], side)
        if n > 0:
            below[k] += total[n - 1]


# --- weights ----------------------------------------------------------------------------------

NUMPYS_BLOCK = 65536  # NumPy sums weights in blocks of this size, then adds the sums


@private
def _weighed(a, edges, weights, are_even):
    """The sum of the weights in each bin, rounded as in NumPy."""
    if a.shape != weights.shape:
        raise ValueError("weights should have the same shape as a.")
    line, heavy = a.ravel(), weights.ravel()
    size = len(edges) - 1 if are_even else len(edges)
    out = np.zeros(size, weights.dtype)  # per bin, or below each edge
    for start in range(0, len(line), NUMPYS_BLOCK):
        part = line[start : start + NUMPYS_BLOCK]
        own = heavy[start : start + NUMPYS_BLOCK]
        if are_even:
            low, high = float(edges[0]), float(edges[size])
            out += _sums(part, own, edges, low, high).astype(weights.dtype)
        else:
            _add_below(out, part, own, edges)
    return out if are_even else np.diff(out)


@private
def _densities(counts, edges):
    total = counts.sum()
    out = np.empty(len(counts), _density_dtype(counts))
    for k in range(len(counts)):
        out[k] = counts[k] / float(edges[k + 1] - edges[k]) / total
    return out


@static
def _density_dtype(counts: Any) -> np.dtype[Any]:
    return np.result_type(element_dtype(counts), np.float64)


# --- estimated numbers of bins ----------------------------------------------------------------

# Each computes a bin's width by a formula in the number of elements and their spread.
_ESTIMATORS = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")


@private
def _width(line, low, high, name):
    """The width of a bin by an estimator."""
    n = line.size
    if name == "scott":
        return (24.0 * math.pi**0.5 / n) ** (1.0 / 3.0) * np.std(line)
    if name == "fd":  # the rule of Freedman and Diaconis
        return 2.0 * (np.percentile(line, 75) - np.percentile(line, 25)) * n ** (-1.0 / 3.0)
    if name == "auto":  # bounded, to limit the number of bins
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
    """Doane's variant of Sturges' rule, for skewed data."""
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
    """The width that minimizes Stone's cross-validation estimate of the error."""
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


@static
def _require_estimator(a: Any, name: Any, weights: Any) -> None:
    """Refuse arguments that NumPy's estimators refuse, and floats of other precisions."""
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
def _estimated(a, name, limits, weights):
    """The number of bins by an estimator, in the given range or that of the elements."""
    _require_estimator(a, name, weights)
    line = a.ravel().astype(np.uint8) if a.dtype == np.bool_ else a.ravel()
    low, high = _outer_edges(a, limits)
    kept = line if limits is None else line[(line >= low) & (line <= high)]
    width = float(_width(kept, low, high, name)) if kept.size else 0.0
    if width == 0:
        return 1
    return int(math.ceil((high - low) / max(width, 0.0 if a.dtype.kind == "f" else 1.0)))


# --- parameters -------------------------------------------------------------------------------


def is_line_of_reals(argument: Any) -> bool:
    """True if an argument is a one-dimensional array of real numbers."""
    return is_array(argument) and argument.ndim == 1 and types.is_real(argument.dtype)


def is_pair(argument: Any) -> bool:
    """True if an argument is a pair of real numbers, or None."""
    pair = isinstance(argument, Tuple) and len(argument.items) == 2
    return left_out(argument) or (pair and all(map(types.is_real, argument.items)))


Bins = Takes(
    "an int, a line of edges, or the name of an estimator",
    lambda argument: (
        is_integral_or_default(argument)
        or is_line_of_reals(argument)
        or isinstance(argument, types.String)
    ),
)
Pair = Takes("a pair of numbers, or None", is_pair)


@static
def _require_elements(a: Any, weights: Any) -> None:
    """Refuse complex elements, and dtypes that NumPy rounds or adds in a special way."""
    if is_complex(a) or a.dtype is types.float16:
        raise TypingError(
            "elements are compared with edges in integers, float32 or float64",
            hint="a.astype(np.float64)",
        )
    if is_array(weights) and weights.dtype is types.boolean:
        raise TypingError(
            "weights are numbers that can be added up, not bools", hint="weights.astype(int)"
        )


@numpy(np.histogram)
def histogram(
    a: Numbers,
    bins: Bins = 10,
    range: Pair = None,  # noqa: A002  NumPy's name
    density: Flag = None,
    weights: Output = None,
):
    """The number of elements in each bin, or the sum of their weights; and the edges."""
    _require_elements(a, weights)
    if isinstance(bins, str):
        return np.histogram(a, _estimated(a, bins, range, weights), range, density)
    if isinstance(bins, np.ndarray):
        edges = _given_edges(bins)
        counts = _count_between(a, bins) if weights is None else _weighed(a, bins, weights, False)
    else:
        edges = _equal_edges(a, int(bins), range)
        counts = _counts(a, edges) if weights is None else _weighed(a, edges, weights, True)
    return (_densities(counts, edges) if density else counts), edges


@numpy(np.histogram_bin_edges)
def histogram_bin_edges(
    a: Numbers,
    bins: Bins = 10,
    range: Pair = None,  # noqa: A002  NumPy's name
    weights: Output = None,
):
    """The edges of a histogram's bins."""
    _require_elements(a, weights)
    if isinstance(bins, str):
        return np.histogram_bin_edges(a, _estimated(a, bins, range, weights), range)
    if isinstance(bins, np.ndarray):
        return _given_edges(bins)
    return _equal_edges(a, int(bins), range)
