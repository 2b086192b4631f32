"""How often values are there: `bincount histogram`."""

from __future__ import annotations

import numpy as np

from cutaway.library.numpy_searching import place_from_right
from cutaway.library.numpy_typing import (
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Tuple

# --- bincount ---------------------------------------------------------------------------------


@private
def _bins_of(x, minlength):  # type: ignore[no-untyped-def]
    """How many bins the numbers need."""
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    low, high = 0, -1
    for k in range(len(x)):
        low = min(low, int(x[k]))
        high = max(high, int(x[k]))
    if low < 0:
        raise ValueError("'list' argument must have no negative elements")
    return max(high + 1, minlength)


@numpy(np.bincount)
def _bincount(x, weights=None, minlength=0):  # type: ignore[no-untyped-def]
    if not is_array(x) or x.ndim != 1 or not is_integral(x.dtype) or x.dtype is types.uint64:
        return None
    if not is_integral_or_default(minlength):
        return None

    def plain(x, weights=None, minlength=0):  # type: ignore[no-untyped-def]
        out = np.zeros(_bins_of(x, minlength), np.int64)
        for k in range(len(x)):
            out[x[k]] += 1
        return out

    def weighted(x, weights=None, minlength=0):  # type: ignore[no-untyped-def]
        count = _bins_of(x, minlength)
        if len(weights) != len(x):
            raise ValueError("The weights and list don't have the same length.")
        out = np.zeros(count)
        for k in range(len(x)):
            out[x[k]] += weights[k]
        return out

    if left_out(weights):
        return plain
    fits = is_array(weights) and weights.ndim == 1 and types.is_real(weights.dtype)
    return weighted if fits else None


# --- histogram --------------------------------------------------------------------------------


@private
def _outer_edges(a, low, high):  # type: ignore[no-untyped-def]
    """The edges of a range that was given."""
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    return _apart(low, high)


@private
def _apart(low, high):  # type: ignore[no-untyped-def]
    return (low - 0.5, high + 0.5) if low == high else (low, high)


@private
def _own_edges(a):  # type: ignore[no-untyped-def]
    """The edges of the range that the elements are in."""
    if a.size == 0:
        return 0.0, 1.0
    low, high = float(a.min()), float(a.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return _apart(low, high)


@private
def _edges(low, high, count):  # type: ignore[no-untyped-def]
    return np.linspace(low, high, count + 1)


@private
def _single_edges(low, high, count):  # type: ignore[no-untyped-def]
    """Edges that are computed in single precision."""
    first, last = np.float32(low), np.float32(high)
    step = np.float32(np.float32(last - first) / np.float32(count))
    edges = np.empty(count + 1, np.float32)
    for k in range(count):
        edges[k] = np.float32(np.float32(np.float32(k) * step) + first)
    edges[count] = last
    return edges


@private
def _check_edges(edges, count):  # type: ignore[no-untyped-def]
    for k in range(count):
        if edges[k] >= edges[k + 1]:
            raise ValueError(
                f"Too many bins for data range. Cannot create {count} finite-sized bins."
            )


@private
def _counts(a, edges, low, high, count):  # type: ignore[no-untyped-def]
    """How many elements are in each of the bins of one width: the bin is computed, then moved by
    one where rounding took it past an edge."""
    out = np.zeros(count, np.int64)
    width, last = high - low, count - 1
    scale = count / width
    if not np.isfinite(scale):  # the range is so narrow that its inverse is no number
        scale = 0.0
    for x in a.flat:
        if low <= x <= high:
            beyond = float(x) - low
            k = min(int(beyond * scale if scale else beyond / width * count), last)
            if x < edges[k]:
                k -= 1
            elif k != last and x >= edges[k + 1]:
                k += 1
            out[k] += 1
    return out


def _is_pair(ty):  # type: ignore[no-untyped-def]
    return isinstance(ty, Tuple) and len(ty.items) == 2 and all(map(types.is_real, ty.items))


@numpy(np.histogram)
def _histogram(a, bins=10, range=None):  # type: ignore[no-untyped-def]
    if not is_array(a) or not types.is_real(a.dtype):
        return None
    if is_array(bins) and bins.ndim == 1 and types.is_real(bins.dtype) and left_out(range):
        return _histogram_between
    if not is_integral_or_default(bins) or not (left_out(range) or _is_pair(range)):
        return None
    own = left_out(range)
    single = a.dtype is types.float32 and own
    edges_between = _single_edges if single else _edges
    edges_of = private(
        (lambda a, range: _own_edges(a))
        if own
        else (lambda a, range: _outer_edges(a, float(range[0]), float(range[1])))
    )

    def histogram(a, bins=10, range=None):  # type: ignore[no-untyped-def]
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        low, high = edges_of(a, range)
        edges = edges_between(low, high, bins)
        _check_edges(edges, bins)
        return _counts(a, edges, low, high, bins), edges

    return histogram


def _histogram_between(a, bins=10, range=None):  # type: ignore[no-untyped-def]
    for low, high in zip(bins[:-1], bins[1:]):  # noqa: B905
        if low > high:
            raise ValueError("`bins` must increase monotonically, when an array")
    out = np.zeros(len(bins) - 1, np.int64)
    last = len(bins) - 1
    for x in a.flat:
        if x == bins[last]:
            out[last - 1] += 1
        elif bins[0] <= x < bins[last]:
            out[place_from_right(bins, x, type(x)) - 1] += 1
    return out, np.asarray(bins)
