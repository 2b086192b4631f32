"""Counts of elements between edges: `histogram`.

With bins of one width the bin of an element is computed, for a block of elements at a time by
vector instructions; only what is so near an edge that rounding decides is compared with it.
"""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload, register_jitable
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.places import place_from_right
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    is_array,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.statistics.bin_counts import estimator
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Signature
from cutaway.typing.types import Tuple

# --- edges ------------------------------------------------------------------------------------


@private
def _outer_edges(a, low, high):
    """The edges of a range that was given."""
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    return _apart(low, high)


@private
def _apart(low, high):
    return (low - 0.5, high + 0.5) if low == high else (low, high)


@private
def _own_edges(a):
    """The edges of the range that the elements are in."""
    if a.size == 0:
        return 0.0, 1.0
    low, high = float(a.min()), float(a.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return _apart(low, high)


@private
def _edges(low, high, count):
    return np.linspace(low, high, count + 1)


@private
def _rounded_edges(low, high, count):
    return np.linspace(low, high, count + 1).astype(np.float32)


@private
def _single_edges(low, high, count):
    """Edges that are computed in single precision."""
    first, last = np.float32(low), np.float32(high)
    step = np.float32(np.float32(last - first) / np.float32(count))
    edges = np.empty(count + 1, np.float32)
    for k in range(count):
        edges[k] = np.float32(np.float32(np.float32(k) * step) + first)
    edges[count] = last
    return edges


def edges_of_line(line, limits, count):
    """The edges of so many bins of one width, in a range or in that of the elements."""
    low, high = _own_edges(line) if limits is None else _outer_edges(line, *limits)
    return _edges(low, high, count)


def single_edges_of_line(line, limits, count):
    """The same in single precision."""
    return _single_edges(*_own_edges(line), count)


@overload(edges_of_line, jit_options=OPTIONS)
def _edges_of_line(line, limits, count):
    def between(line, limits, count):
        low, high = _outer_edges(line, float(limits[0]), float(limits[1]))
        return _edges(low, high, count)

    def around(line, limits, count):
        low, high = _own_edges(line)
        return _edges(low, high, count)

    return around if left_out(limits) else between


@overload(single_edges_of_line, jit_options=OPTIONS)
def _single_edges_of_line(line, limits, count):
    def around(line, limits, count):
        low, high = _own_edges(line)
        return _single_edges(low, high, count)

    return around


@private
def _check_edges(edges, count):
    for k in range(count):
        if edges[k] >= edges[k + 1]:
            raise ValueError(
                f"Too many bins for data range. Cannot create {count} finite-sized bins."
            )


# --- bins of one width ------------------------------------------------------------------------

# For loops whose indices are in range by what their callers pass, and that are not negative.
unchecked = register_jitable(**{**OPTIONS, "boundscheck": False})

UNSURE = np.int32(-1)  # the place of an element so near an edge that rounding decides
BLOCK = 2048  # elements whose bins are computed at once
LARGEST = 1 << 30  # more bins than that have no number of 32 bits


def whole_part(x):
    """The whole part of a number that 32 bits hold."""
    return np.int32(x)


@primitive(whole_part, lambda arguments: Signature(types.int32, (types.float64,)))
def cut_whole_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One instruction, also of vectors; `int` would look at what does not fit."""
    return Value(types.int32, (build.convert("fptosi", "double", args[0].parts[0], "i32"),))


def truncated(x):
    """A float without what follows its point."""
    return np.trunc(x)


@primitive(truncated, "float64(float64)")
def truncate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One instruction, also of vectors."""
    return Value(types.float64, (build.math("trunc", types.float64, args[0].parts[0]),))


@private
def _bin_by_edges(edges, x, low, high, count):
    """The bin of an element between the outer edges: it is computed, then moved by one where
    rounding took it past an edge."""
    width, last = high - low, count - 1
    scale, beyond = count / width, float(x) - low
    # The range may be so narrow that its inverse is no number.
    k = min(int(beyond * scale if np.isfinite(scale) else beyond / width * count), last)
    if x < edges[k]:
        return k - 1
    return k + 1 if k != last and x >= edges[k + 1] else k


@private
def _margin(unit, low, high, count):
    """The distance from an edge, in bins, below which rounding may decide the bin of an element.

    Edges and bins are computed in a few steps, each of which is off by half a unit in the last
    place of the range's width or of its larger end.
    """
    return 16.0 * unit * count * (1.0 + max(abs(low), abs(high)) / (high - low))


@unchecked
def _place_block(bins, line, start, size, low, scale, margin, count):
    """The place of each element: 1 and more for the bins, 0 below them, `count` + 1 above.

    All choices are made between doubles, and one conversion ends it: masks of other widths would
    have to be narrowed first, which costs vector instructions more than the choice itself.
    """
    first, below, above, most = low - 1.0 / scale, 0.5, count + 1.5, 1.0 - margin
    for k in range(size):
        place = (float(line[np.uint64(start + k)]) - first) * scale
        place = place if place > below else below  # a NaN too
        place = place if place < above else above
        rest = place - truncated(place)
        bins[np.uint64(k)] = whole_part(place if (rest > margin) & (rest < most) else -1.0)


@private
def _place_unsure(bins, line, start, size, low, high):
    for k in range(size):
        bins[k] = UNSURE if low <= line[start + k] <= high else np.int32(0)


@private
def _check_count(count):
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if count > LARGEST:
        raise MemoryError(f"{count} bins are too many")


@private
def _counts(a, edges, low, high, unit):
    """The number of elements in each bin.

    There are four tables, for the processor waits where it adds to a count that it has just
    written.
    """
    count = len(edges) - 1
    first, second = np.zeros(count + 2, np.int64), np.zeros(count + 2, np.int64)
    third, fourth = np.zeros(count + 2, np.int64), np.zeros(count + 2, np.int64)
    bins, line = np.empty(BLOCK, np.int32), a.ravel()
    margin, scale = _margin(unit, low, high, count), count / (high - low)
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
    """Count in fours; returns where there are no four bins that are sure.

    The tables have all places, and UNSURE is negative: one test of all four is what LLVM cannot
    know, so bounds are not checked again.
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
    """Count elements of which some may be so near an edge that their bins are not known."""
    for k in range(done, stop):
        n, x, count = int(bins[k]), line[start + k], len(edges) - 1
        if n < 0:
            n = _bin_by_edges(edges, x, low, high, count) + 1 if low <= x <= high else 0
        out[n] += 1


@private
def _sums(line, weights, edges, low, high, zero):
    """The sum of the weights in each of the bins."""
    count = len(edges) - 1
    out = np.full(count, zero)
    for k in range(len(line)):
        if low <= line[k] <= high:
            out[_bin_by_edges(edges, line[k], low, high, count)] += weights[k]
    return out


def _kind_of_histogram(weights, density):
    """The dtype of the counts, and that of the result; None where weights are none."""
    kind = np.dtype(np.int64) if left_out(weights) else element_dtype(weights)
    return kind, np.result_type(kind, np.float64) if density else kind


def _result(made, density):
    """The function that turns counts into the result."""

    @private
    def densities(counts, edges):
        out, total = np.empty(len(counts), made), counts.sum()
        for k in range(len(counts)):
            out[k] = counts[k] / float(edges[k + 1] - edges[k]) / total
        return out

    return densities if density else private(lambda counts, edges: counts)


@private
def _require_weights(a, weights):
    if a.shape != weights.shape:
        raise ValueError("weights should have the same shape as a.")


NUMPYS_BLOCK = 65536  # NumPy adds up that many weights, then adds the sums


def is_pair(ty):
    """True if a type is that of a range: two numbers."""
    return isinstance(ty, Tuple) and len(ty.items) == 2 and all(map(types.is_real, ty.items))


def _are_weights(weights):
    return left_out(weights) or (is_array(weights) and weights.dtype is not types.boolean)


@numpy(np.histogram)
def _histogram(a, bins=10, range=None, density=None, weights=None):
    scaled = flag(density)
    if not is_array(a) or not types.is_real(a.dtype) or not _are_weights(weights):
        return None
    if a.dtype is types.float16:  # whose edges are in steps that are rounded
        return None
    if scaled is None or not (left_out(range) or is_pair(range)):
        return None
    if isinstance(bins, types.String):
        return _estimated(a, bins.value, range, weights, scaled)
    kind, made = _kind_of_histogram(weights, scaled)
    finish = _result(made, scaled)
    if is_array(bins) and bins.ndim == 1 and types.is_real(bins.dtype):
        joint = np.result_type(element_dtype(a), element_dtype(bins))
        return _between(kind, finish, left_out(weights), joint)
    if not is_integral_or_default(bins):
        return None
    single = a.dtype is types.float32
    edges_between = _edges
    if single:
        edges_between = _single_edges if left_out(range) else _rounded_edges
    edges_of = private(
        (lambda a, range: _own_edges(a))
        if left_out(range)
        else (lambda a, range: _outer_edges(a, float(range[0]), float(range[1])))
    )
    fill = _weighted(kind) if not left_out(weights) else _unweighted(single)

    def histogram(a, bins=10, range=None, density=None, weights=None):
        _check_count(bins)
        first, last = edges_of(a, range)
        edges = edges_between(first, last, bins)
        _check_edges(edges, bins)
        low, high = float(edges[0]), float(edges[bins])
        return finish(fill(a, weights, edges, low, high), edges), edges

    return histogram


def _estimated(a, name, limits, weights, scaled):
    """The implementation for a number of bins that is estimated."""
    count_of = estimator(a, name, limits, weights)
    if count_of is None:
        return None

    def histogram(a, bins=10, range=None, density=None, weights=None):
        return np.histogram(a, count_of(a, range), range, scaled)

    return histogram


def _unweighted(single):
    unit = float(np.finfo(np.float32 if single else np.float64).eps)

    @private
    def counts(a, weights, edges, low, high):
        return _counts(a, edges, low, high, unit)

    return counts


def _weighted(kind):
    zero = 0j if kind.kind == "c" else 0.0

    @private
    def sums(a, weights, edges, low, high):
        _require_weights(a, weights)
        out = np.zeros(len(edges) - 1, kind)
        line, heavy = a.ravel(), weights.ravel()
        for start in range(0, len(line), NUMPYS_BLOCK):
            part = line[start : start + NUMPYS_BLOCK]
            own = heavy[start : start + NUMPYS_BLOCK]
            out += _sums(part, own, edges, low, high, zero).astype(kind)
        return out

    return sums


# --- bins between edges that are given --------------------------------------------------------


@private
def _check_order(bins):
    for k in range(len(bins) - 1):
        if bins[k] > bins[k + 1]:
            raise ValueError("`bins` must increase monotonically, when an array")


def _counter_between(joint):
    """The function that counts between edges; elements and edges are compared in one dtype."""
    cast = joint.type

    @private
    def count_between(a, bins):
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

    return count_between


def _between(kind, finish, plain, joint):
    count_between = _counter_between(joint)

    @private
    def sums(a, weights, bins):
        """Differences of sums up to each edge, as NumPy has them."""
        _require_weights(a, weights)
        below = np.zeros(len(bins), kind)
        line, heavy = a.ravel(), weights.ravel()
        for start in range(0, len(line), NUMPYS_BLOCK):
            part = line[start : start + NUMPYS_BLOCK]
            _add_below(below, part, heavy[start : start + NUMPYS_BLOCK], bins)
        return np.diff(below)

    def counted(a, bins=10, range=None, density=None, weights=None):
        _check_order(bins)
        return finish(count_between(a, bins), bins), np.asarray(bins)

    def weighed(a, bins=10, range=None, density=None, weights=None):
        _check_order(bins)
        return finish(sums(a, weights, bins), bins), np.asarray(bins)

    return counted if plain else weighed


@private
def _add_below(below, part, weights, bins):
    order = np.argsort(part, kind="stable")
    line, total = np.take(part, order), np.cumsum(np.take(weights, order))
    last = len(bins) - 1
    for k in range(len(bins)):
        side = "right" if k == last else "left"
        n = np.searchsorted(line, bins[k], side)
        if n > 0:
            below[k] += total[n - 1]
