"""Counts of elements in boxes, and the edges of bins: `histogram2d histogramdd
histogram_bin_edges`.

How many dimensions a histogram has is known when compiling: the sample is a tuple of its columns,
or a table whose bins are in a tuple.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import element_dtype, joint
from cutaway.library.arrays.kit.places import place_from_right
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.statistics.bin_counts import estimator
from cutaway.library.arrays.statistics.histogram import edges_of_line, is_pair, single_edges_of_line
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- the edges along an axis ------------------------------------------------------------------


def edges_along(line, bins, range, axis):  # noqa: A002  NumPy's name
    """The edges of bins along an axis: those that are given, or so many at equal distances."""
    if np.ndim(bins):
        return np.asarray(bins)
    return np.histogramdd((line,), (bins,), None if range is None else (range,))[1][0]


@overload(edges_along, jit_options=OPTIONS)
def _edges_along(line, bins, range, axis):  # noqa: A002
    def given(line, bins, range, axis):  # noqa: A002
        for k in np.arange(len(bins) - 1):
            if bins[k] > bins[k + 1]:
                raise ValueError(f"`bins[{axis}]` must be monotonically increasing, when an array")
        return np.asarray(bins)

    def even(line, bins, range, axis):  # noqa: A002
        if bins < 1:
            raise ValueError(f"`bins[{axis}]` must be positive, when an integer")
        return edges(line, range, int(bins))

    if isinstance(bins, Array):
        return given
    single = line.dtype is types.float32 and left_out(range)
    edges = single_edges_of_line if single else edges_of_line
    return even


@private
def _add_places(places, line, edges):
    """Count places on by the bins of a line; bins of what is outside are at both ends."""
    last, cast = edges[len(edges) - 1], edges.dtype.type
    for k in range(len(line)):
        n = place_from_right(edges, line[k], cast)
        if cast(line[k]) == last:
            n -= 1
        places[k] = places[k] * (len(edges) + 1) + n


# --- several dimensions -----------------------------------------------------------------------


def _columns_of(sample: Any, count: int) -> Any:
    """The function that gives the columns of a sample in a tuple."""
    numbers = tuple(range(count))

    def of_table(sample):
        if sample.shape[1] != count:
            raise ValueError(
                "The dimension of bins must be equal to the dimension of the sample x."
            )
        columns = ()
        for k in literal_unroll(numbers):
            columns = columns + (sample[:, k],)  # noqa: RUF005  a list cannot be typed
        return columns

    if isinstance(sample, Array):
        return private(of_table)
    kind = joint(*sample.items)
    ragged = (
        "setting an array element with a sequence. The requested array has an inhomogeneous shape"
        f" after 1 dimensions. The detected shape was ({count},) + inhomogeneous part."
    )

    def of_lines(sample):
        columns = ()
        for one in literal_unroll(sample):
            if len(one) != len(sample[0]):
                raise ValueError(ragged)
            columns = columns + (one.astype(kind),)  # noqa: RUF005
        return columns

    return private(of_lines)


def _dimension(sample: Any, bins: Any) -> int | None:
    """How many dimensions a histogram has; None where it is not known."""
    if isinstance(sample, Tuple):
        fits = all(is_array(one) and one.ndim == 1 for one in sample.items)
        return len(sample.items) if fits else None
    if isinstance(sample, Array) and sample.ndim == 2:
        if not isinstance(bins, Tuple):
            raise TypingError(
                "the dimension of a histogram must be known when compiling",
                hint="give bins for each dimension in a tuple, or the columns of the sample",
            )
        return len(bins.items)
    return None


def _are_ranges(ranges: Any, count: int) -> bool:
    if left_out(ranges):
        return True
    return (
        isinstance(ranges, Tuple)
        and len(ranges.items) == count
        and all(is_pair(one) or left_out(one) for one in ranges.items)
    )


def _are_bins(bins: Any, count: int) -> bool:
    if is_integral_or_default(bins):
        return True
    if not isinstance(bins, Tuple) or len(bins.items) != count:
        return False
    return all(is_integral(one) or (is_array(one) and one.ndim == 1) for one in bins.items)


@numpy(np.histogramdd)
def _histogramdd(sample, bins=10, range=None, density=None, weights=None):  # noqa: A002
    count = _dimension(sample, bins)
    if count is None or not _are_ranges(range, count) or not _are_bins(bins, count):
        return None
    if not left_out(weights) and not is_array(weights):
        return None
    kind = joint(*sample.items) if isinstance(sample, Tuple) else element_dtype(sample)
    scaled = flag(density)
    if scaled is None or kind.char == "e" or kind.kind not in "iuf":
        return None
    columns_of, nothing = _columns_of(sample, count), (None,) * count
    bins_of = private(
        (lambda bins: bins) if isinstance(bins, Tuple) else (lambda bins: (bins,) * count)
    )
    ranges_of = private((lambda given: nothing) if left_out(range) else (lambda given: given))
    unweighted = left_out(weights)
    core = (slice(1, -1),) * count
    ones = (1,) * count

    @private
    def counted(columns, edges, weights):
        shape = ones
        places = np.zeros(len(columns[0]), np.int64)
        k, size = 0, 1
        for one in literal_unroll(edges):
            _add_places(places, columns[k], one)
            shape = replaced(shape, k, len(one) + 1)
            size *= len(one) + 1
            k += 1
        if unweighted:
            return np.bincount(places, minlength=size).astype(np.float64).reshape(shape)[core]
        return np.bincount(places, weights, size).reshape(shape)[core]

    @private
    def densities(hist, edges):
        total, out, k = hist.sum(), hist, 0
        for one in literal_unroll(edges):
            width = np.diff(one)
            out = out / width.reshape(replaced(ones, k, len(width)))
            k += 1
        return out / total

    def histogramdd(sample, bins=10, range=None, density=None, weights=None):  # noqa: A002
        columns = columns_of(sample)
        edges = all_edges(columns, bins_of(bins), ranges_of(range), 0)
        hist = counted(columns, edges, weights)
        return (densities(hist, edges) if scaled else hist), edges

    return histogramdd


def all_edges(columns, bins, ranges, axis):
    """The edges along each axis."""
    triples = zip(columns, bins, ranges, strict=True)
    return tuple(edges_along(*three, axis + k) for k, three in enumerate(triples))


@overload(all_edges, jit_options=OPTIONS)
def _all_edges(columns, bins, ranges, axis):
    def last(columns, bins, ranges, axis):
        return (edges_along(columns[0], bins[0], ranges[0], axis),)

    def several(columns, bins, ranges, axis):
        first = (edges_along(columns[0], bins[0], ranges[0], axis),)
        return first + all_edges(columns[1:], bins[1:], ranges[1:], axis + 1)

    return last if len(columns.items) == 1 else several


# --- two dimensions, and edges alone ----------------------------------------------------------


@numpy(np.histogram2d)
def _histogram2d(x, y, bins=10, range=None, density=None, weights=None):  # noqa: A002
    if not is_array(x) or not is_array(y) or x.ndim != 1 or y.ndim != 1:
        return None
    twice, scaled = is_array(bins), flag(density)
    if scaled is None:
        return None
    bins_of = private((lambda bins: (bins, bins)) if twice else (lambda bins: bins))

    def histogram2d(x, y, bins=10, range=None, density=None, weights=None):  # noqa: A002
        if len(x) != len(y):
            raise ValueError("x and y must have the same length.")
        hist, edges = np.histogramdd((x, y), bins_of(bins), range, scaled, weights)
        return hist, edges[0], edges[1]

    return histogram2d


def _estimated_edges(a, name, limits, weights):
    """The implementation for a number of bins that is estimated."""
    count_of = estimator(a, name, limits, weights)
    if count_of is None:
        return None

    def estimated(a, bins=10, range=None, weights=None):  # noqa: A002
        return np.histogram_bin_edges(a, count_of(a, range), range)

    return estimated


@numpy(np.histogram_bin_edges)
def _histogram_bin_edges(a, bins=10, range=None, weights=None):  # noqa: A002
    if not is_array(a) or not types.is_real(a.dtype) or a.dtype is types.float16:
        return None
    if is_array(bins) and bins.ndim == 1:

        def given(a, bins=10, range=None, weights=None):  # noqa: A002
            for k in np.arange(len(bins) - 1):
                if bins[k] > bins[k + 1]:
                    raise ValueError("`bins` must increase monotonically, when an array")
            return np.asarray(bins)

        return given
    if not left_out(range) and not is_pair(range):
        return None
    if isinstance(bins, types.String):
        return _estimated_edges(a, bins.value, range, weights)
    if not is_integral_or_default(bins):
        return None
    single = a.dtype is types.float32
    rounded = single and not left_out(range)
    edges = single_edges_of_line if single and not rounded else edges_of_line

    def even(a, bins=10, range=None, weights=None):  # noqa: A002
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        return edges(a, range, int(bins))

    def even_rounded(a, bins=10, range=None, weights=None):  # noqa: A002
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        return edges(a, range, int(bins)).astype(np.float32)

    return even_rounded if rounded else even
