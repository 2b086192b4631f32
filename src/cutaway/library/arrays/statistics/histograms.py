"""Multidimensional histograms, and counts of integers: `histogram2d histogramdd bincount`.

The number of dimensions must be known at compile time: the sample is a tuple of its columns, or a
table with a tuple of bins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import joint
from cutaway.library.arrays.kit.places import place_from_right
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.sizes import size_of_both
from cutaway.library.arrays.kit.takes import Flag, Integer, Integers, Numbers, Output, numpy
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_complex,
    is_integral_or_default,
    left_out,
    private,
)
from cutaway.library.arrays.statistics.histogram import (
    are_in_order,
    even_edges,
    is_line_of_reals,
    is_pair,
)
from cutaway.typing.types import Array, Tuple

# --- the edges along an axis ------------------------------------------------------------------


@private
def _edges_along(line, bins, limits, axis):
    """The edges of bins along an axis, as given or evenly spaced."""
    if isinstance(bins, np.ndarray):
        if not are_in_order(bins):
            raise ValueError(f"`bins[{axis}]` must be monotonically increasing, when an array")
        return np.asarray(bins)
    if bins < 1:
        raise ValueError(f"`bins[{axis}]` must be positive, when an integer")
    return even_edges(line, int(bins), limits, False)


@private
def _all_edges(columns, bins, ranges, axis):
    first = (_edges_along(columns[0], bins[0], ranges[0], axis),)
    if len(columns) == 1:
        return first
    return first + _all_edges(columns[1:], bins[1:], ranges[1:], axis + 1)


@private
def _add_places(places, line, edges):
    """Extend flat box numbers by the bins of a line; bins 0 and the last hold outside elements."""
    last, cast = edges[len(edges) - 1], edges.dtype.type
    for k in range(len(line)):
        n = place_from_right(edges, line[k], cast)
        if cast(line[k]) == last:
            n -= 1
        places[k] = places[k] * (len(edges) + 1) + n


# --- several dimensions -----------------------------------------------------------------------


@static
def _sample_dtype(sample: Tuple) -> np.dtype[Any]:
    """The dtype of the table that NumPy makes of the columns."""
    return joint(*sample.items)


@private
def _columns_of_table(table, bins):
    first = (table[:, table.shape[1] - len(bins)],)
    return first if len(bins) == 1 else first + _columns_of_table(table, bins[1:])


@private
def _columns_of_lines(lines):
    columns, dtype = (), _sample_dtype(lines)
    for one in literal_unroll(lines):
        if len(one) != len(lines[0]):
            raise ValueError(
                "setting an array element with a sequence. The requested array has an inhomogeneous"
                f" shape after 1 dimensions. The detected shape was ({len(lines)},) +"
                " inhomogeneous part."
            )
        columns = columns + (one.astype(dtype),)  # noqa: RUF005  a list cannot be typed
    return columns


@private
def _columns(sample, bins):
    """The columns of a sample as a tuple."""
    if not isinstance(sample, np.ndarray):
        return _columns_of_lines(sample)
    if sample.shape[1] != len(bins):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    return _columns_of_table(sample, bins)


@private
def _counted(columns, edges, weights):
    """The number of points in each box, or the sum of their weights."""
    shape = (1,) * len(edges)
    places = np.zeros(len(columns[0]), np.int64)
    k, size = 0, 1
    for one in literal_unroll(edges):
        _add_places(places, columns[k], one)
        shape = replaced(shape, k, len(one) + 1)
        size *= len(one) + 1
        k += 1
    counts = np.bincount(places, weights, size).astype(np.float64)
    return counts.reshape(shape)[(slice(1, -1),) * len(edges)]


@private
def _densities(counts, edges):
    total, out, k = counts.sum(), counts, 0
    for one in literal_unroll(edges):
        width = np.diff(one)
        out = out / width.reshape(replaced((1,) * len(edges), k, len(width)))
        k += 1
    return out / total


# --- parameters -------------------------------------------------------------------------------


def _is_sample(argument: Any) -> bool:
    if isinstance(argument, Tuple):
        return all(is_array(one) and one.ndim == 1 for one in argument.items)
    return is_array(argument) and argument.ndim == 2


def _is_bins(argument: Any) -> bool:
    return is_integral_or_default(argument) or is_line_of_reals(argument)


Sample = Takes("a tuple of columns, or a table", _is_sample)
Boxes = Takes(
    "an int, a line of edges, or a tuple of such",
    lambda bins: all(map(_is_bins, bins.items)) if isinstance(bins, Tuple) else _is_bins(bins),
)
Pairs = Takes(
    "a pair of numbers for each axis, or None",
    lambda ranges: (
        left_out(ranges) or (isinstance(ranges, Tuple) and all(map(is_pair, ranges.items)))
    ),
)


@static
def _dimension(sample: Any, bins: Any, ranges: Any) -> int:
    """The number of dimensions of a histogram."""
    if isinstance(sample, Array) and not isinstance(bins, Tuple):
        raise TypingError(
            "the dimension of a histogram must be known when compiling",
            hint="give bins for each dimension in a tuple, or the columns of the sample",
        )
    count = len((sample if isinstance(sample, Tuple) else bins).items)
    for each in (bins, ranges):
        if isinstance(each, Tuple) and len(each.items) != count:
            raise TypingError(
                f"the sample has {count} dimensions, but the tuple {len(each.items)} items",
                hint="give bins and a range for each dimension",
            )
    return count


@static
def _is_for_all(bins: Any) -> bool:
    """True for bins shared by all dimensions, False for a tuple or list of bins."""
    return not isinstance(bins, Tuple)


@numpy(np.histogramdd)
def histogramdd(
    sample: Sample,
    bins: Boxes = 10,
    range: Pairs = None,  # noqa: A002  NumPy's name
    density: Flag = None,
    weights: Output = None,
):
    """The number of points in each box, or the sum of their weights; and the edges."""
    count = _dimension(sample, bins, range)
    all_bins = (bins,) * count if _is_for_all(bins) else bins
    columns = _columns(sample, all_bins)
    if columns[0].dtype.kind not in "iuf" or columns[0].dtype == np.float16:
        refuse("points are of integers, float32 or float64", "convert them with astype")
    edges = _all_edges(columns, all_bins, (None,) * count if range is None else range, 0)
    counts = _counted(columns, edges, weights)
    return (_densities(counts, edges) if density else counts), edges


@numpy(np.histogram2d)
def histogram2d(
    x: Numbers,
    y: Numbers,
    bins: Boxes = 10,
    range: Pairs = None,  # noqa: A002  NumPy's name
    density: Flag = None,
    weights: Output = None,
):
    """The number of points in each box, or the sum of their weights; and the edges."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    both = (bins, bins) if isinstance(bins, np.ndarray) else bins
    counts, edges = np.histogramdd((x, y), both, range, density, weights)
    return counts, edges[0], edges[1]


# --- counts of integers -----------------------------------------------------------------------


@private
def _bins_of(x, minlength):
    """The number of bins needed for the numbers."""
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
    """The number of occurrences of each number, or the sum of its weights."""
    if x.ndim != 1:
        refuse("the numbers that are counted have one axis", "x.ravel()")
    count = _bins_of(x, minlength)
    if weights is None:
        out = np.zeros(count, np.int64)
        for k in range(len(x)):
            out[np.int64(x[k])] += 1  # an index, even for a bool
        return out
    if weights.ndim != 1 or is_complex(weights):
        refuse("weights are real numbers, one for each that is counted")
    if len(x) and len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    heavy = np.zeros(count)
    for k in range(len(x)):
        heavy[np.int64(x[k])] += weights[k]
    return heavy
