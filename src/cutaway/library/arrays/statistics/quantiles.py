"""Quantiles: `median percentile quantile` and their forms that ignore NaN, by all methods that
NumPy has, along any axes.

Each line is copied and partitioned at the needed ranks. Its results fill a column of a table, which
is then reshaped.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.blocks import (
    block_at,
    order_of_axes,
    require_distinct,
    tuple_of_axes,
)
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact_dtype
from cutaway.library.arrays.kit.means import quotient
from cutaway.library.arrays.kit.several_axes import shape_with_ones, store_result
from cutaway.library.arrays.kit.shapes import shape_of
from cutaway.library.arrays.kit.sorts import PARTED_FROM, can_be_parted, part_by_numpy, sort_all
from cutaway.library.arrays.kit.takes import Axes, Flag, Numbers, Output, numpy
from cutaway.library.arrays.kit.typers import (
    element,
    is_array,
    is_complex,
    is_integral,
    is_real,
    left_out,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- lines ------------------------------------------------------------------------------------


@private
def _whole_lines(a, axis):
    """A view with the reduced axes last, and these axes."""
    if a.ndim == 0 and axis is not None:
        axis_of(a, axis)  # raises AxisError
    if axis is None or a.ndim == 0:
        return a.ravel(), (0,)
    axes = tuple_of_axes(a, axis)
    require_distinct(axes, "repeated axis")
    return order_of_axes(a, a, axes), axes


@private
def _beside(x, a, axis):
    """A view of `x`, of the shape of `a`, with its axes in the order of `_whole_lines(a, axis)`."""
    if axis is None or a.ndim == 0:
        return x.ravel()
    return order_of_axes(x, a, tuple_of_axes(a, axis))


@private
def _outer_sizes(shape, axes):
    """A shape without its last `len(axes)` sizes."""
    return shape[:-1] if len(axes) == 1 else _outer_sizes(shape[:-1], axes[1:])


@private
def _shaped(table, first, sizes, out, always):
    """The results in a table as an array whose shape is that of the shares and of the kept axes.
    One without axes is a number, unless `always` an array."""
    shape = first + sizes
    if out is not None:
        store_result(out, table.reshape(shape))
        return out
    return table.reshape(shape) if always or len(shape) > 0 else table[0, 0]


@private
def _line_of_block(lines, k, axes):
    """A copy of the k-th block as one line."""
    return block_at(lines, k, axes).flatten()


@private
def _count_numbers(line, skips):
    """The number of elements that are not NaN, after moving NaNs to the end if they are skipped."""
    if not skips or line.dtype.kind not in "fc":
        return len(line)
    count = 0
    for x in line:
        if x == x:  # noqa: PLR0124
            line[count] = x
            count += 1
    line[count:] = np.nan
    return count


@static
def _is_parted_by_numpy(line: Array) -> bool:
    return can_be_parted(line)


@private
def _part_at_ranks(line, ranks):
    """Partition a line at some ranks; NaN is last."""
    if _is_parted_by_numpy(line) and len(line) >= PARTED_FROM:
        part_by_numpy(line, ranks, np.empty(0, np.int64))
    else:
        sort_all(line)


@private
def _is_missing(x):
    """True if a number is NaN."""
    return x != x if element_dtype(x).kind in "fc" else False  # noqa: PLR0124


# --- medians ----------------------------------------------------------------------------------


@private
def _middle(line, count):
    """The median of the first `count` elements of a line, which are reordered; NaN if one of them
    is."""
    cast = inexact_dtype(line).type
    wide = np.float32 if line.dtype == np.float16 else cast  # the type in which NumPy adds
    if count == 0:
        return cast(np.nan)
    half, ranks = count >> 1, np.empty(3, np.int64)
    ranks[0], ranks[1], ranks[2] = half, max(half - 1, 0), count - 1
    _part_at_ranks(line[:count], ranks)
    last = line[count - 1]
    if _is_missing(last):
        return cast(last)
    if count % 2:
        return cast(quotient(wide(line[half]), 1))
    return cast(quotient(wide(line[half - 1]) + wide(line[half]), 2))


def _register_median(function: Any, skips: bool) -> None:
    @numpy(function)
    def median(
        a: Numbers,
        axis: Axes = None,
        out: Output = None,
        overwrite_input: Any = False,
        keepdims: Flag = False,
    ):
        if axis is None and out is None and not keepdims:
            line = a.flatten()
            return _middle(line, _count_numbers(line, skips))
        lines, axes = _whole_lines(a, axis)
        outer = _outer_sizes(lines.shape, axes)
        table = np.empty((1, math.prod(outer)), inexact_dtype(a))
        for k in range(table.shape[1]):
            line = _line_of_block(lines, k, axes)
            table[0, k] = _middle(line, _count_numbers(line, skips))
        sizes = shape_with_ones(a, axis) if keepdims else outer
        return _shaped(table, (), sizes, out, keepdims)


_register_median(np.median, skips=False)
_register_median(np.nanmedian, skips=True)


# --- shares, and methods by name --------------------------------------------------------------

# Methods select an element, or interpolate between two. Two parameters distinguish most of the
# interpolating ones (Hyndman and Fan, 1996).
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
_DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
_ALL = (*_CONTINUOUS, *_DISCRETE, "averaged_inverted_cdf", "linear", "midpoint")


@private
def _shares_in(q, whole, message):
    """The requested shares as fractions in a line. Raises ValueError for one outside the range."""
    if _is_single(q):
        shares = np.full(1, q, _share_dtype(q))
    else:
        shares = np.array(q).ravel().astype(_share_dtype(q))
    shares /= whole
    for share in shares:
        if not 0 <= share <= 1:
            raise ValueError(message)
    return shares


@static
def _is_single(q: Any) -> bool:
    """True for a single number, False for an array, a tuple or a list."""
    return not isinstance(q, Array | Tuple)


@static
def _share_dtype(q: Any) -> np.dtype[Any]:
    """The dtype of the shares: float64 unless they are floats already."""
    given = np.dtype(np.float64) if isinstance(q, Tuple) else element_dtype(q)
    return np.dtype(np.float64) if given.kind in "biu" else given


def _is_shares(q: Any) -> bool:
    if isinstance(q, Tuple):
        return len(q.items) > 0 and all(map(is_real, q.items))
    return is_real(element(q)) and (is_array(q) or is_real(q))


Shares = Takes("a number, or several in a line or a tuple", _is_shares)
Method = Takes("the name of a method", lambda argument: isinstance(_name_of(argument), str))


def _name_of(method: Any) -> Any:
    return method.value if isinstance(method, types.String | types.Omitted) else method


def _are_counts(q: Any, whole: Any) -> bool:
    """True if shares are integers as fractions of one, which are 0 or 1."""
    items = q.items if isinstance(q, Tuple) else (element(q),)
    return whole.literal_value == 1 and all(map(is_integral, items))


@static
def _is_weak(q: Any) -> bool:
    """True if the share is a Python number, which adopts the array's dtype."""
    return _is_single(q) and element(q) in (types.int64, types.float64)


@static
def _is_exact(q: Any, whole: Any, method: Any) -> bool:
    """True if quantiles are elements without interpolation."""
    return method.value in _DISCRETE or (method.value == "linear" and _are_counts(q, whole))


@static
def _quantile_dtype(a: Array, q: Any, exact: Any) -> np.dtype[Any]:
    """The dtype of quantiles."""
    if exact.literal_value:
        return element_dtype(a)
    return np.result_type(element_dtype(a), 0.0 if _is_weak(q) else _share_dtype(q))


@static
def _require_method(q: Any, whole: Any, method: Any, weights: Any) -> None:
    """Refuse methods and weights that NumPy refuses, and shares that it treats specially."""
    name = _name_of(method)
    if name not in _ALL:
        raise TypingError(f"{name!r} is not a valid method", hint=f"use one of {', '.join(_ALL)}")
    if not left_out(weights) and name != "inverted_cdf":
        raise TypingError(
            f"only method 'inverted_cdf' supports weights, not {name!r}",
            hint="write method='inverted_cdf'",
        )
    if is_array(q) and q.ndim > 2:
        raise TypingError("q must be a scalar or 1d", hint="flatten q")
    if _are_counts(q, whole):
        narrow = not isinstance(q, Tuple) and element(q) not in (types.int64, types.boolean)
        if narrow or (name == "averaged_inverted_cdf" and not _is_weak(q)):
            raise TypingError("shares of one are floats here", hint="q.astype(np.float64)")


# --- methods ----------------------------------------------------------------------------------


@private
def _index_of(count, share, method):
    """The position of the element that a discrete method selects."""
    cast = element_dtype(share).type
    if method == "lower" or method == "higher" or method == "nearest":
        place = cast(cast(count - 1) * share)
        if method == "lower":
            return min(int(np.floor(place)), count - 1)
        return min(int(np.ceil(place) if method == "higher" else np.rint(place)), count - 1)
    observed = method == "closest_observation"
    place = cast(cast(cast(count) * share) - cast(1))
    if observed:
        place = cast(place - cast(0.5))
    low = np.floor(place)
    exact = place == low and (not observed or low % 2 == 1)
    k = int(low) if exact else int(low) + 1
    return min(max(k, 0), count - 1)


@private
def _places_of(count, share, method):
    """The positions of the two elements that a method interpolates between, and the fraction."""
    place = float(_place(count, share, method))
    low = int(np.floor(place))
    first, second = low, low + 1
    if place >= count - 1:
        first, second = -1, -1  # NumPy counts the last element from the end
    if place < 0:
        first, second = 0, 0
    gamma = place - first
    if method == "averaged_inverted_cdf":
        gamma = 0.5 if gamma == 0 else 1.0
    if method == "midpoint":
        gamma = 0.0 if place % 1 == 0 else 0.5
    return (
        first + count if first < 0 else first,
        second + count if second < 0 else second,
        float(element_dtype(share).type(gamma)),
    )


@private
def _place(count, share, method):
    cast = element_dtype(share).type
    if method == "averaged_inverted_cdf":
        return cast(cast(cast(count) * share) - cast(1))
    if method == "linear" or method == "midpoint":
        place = cast(cast(count - 1) * share)
        if method == "linear":
            return place
        return cast(cast(0.5) * cast(np.floor(place) + np.ceil(place)))
    start, slope = cast(_term(method, 0)), cast(_term(method, 1))
    offset = cast(start + cast(share * slope))
    return cast(cast(cast(cast(count) * share) + offset) - cast(1))


@static
def _term(method: Any, index: Any) -> float:
    """A parameter of a continuous method: the offset's constant, or its factor of the share."""
    alpha, beta = _CONTINUOUS[method.value]
    return float((alpha, 1 - alpha - beta)[index.literal_value])


# --- quantiles of a line ----------------------------------------------------------------------


@private
def _between(first, second, gamma, cast, share):
    """The number at a fraction of the way from one element to the next, rounded as in NumPy."""
    step, part = cast(element_dtype(first).type(second - first)), share(gamma)
    if part >= 0.5:
        return cast(second) - step * cast(share(1) - part)
    return cast(first) + step * cast(part)


@private
def _take_elements(line, count, shares, column, method):
    """Store quantiles that are elements in a column."""
    ranks = np.empty(len(shares) + 1, np.int64)
    for k in range(len(shares)):
        ranks[k] = _index_of(count, shares[k], method)
    ranks[len(shares)] = count - 1
    _part_at_ranks(line[:count], ranks)
    last = line[count - 1]
    for k in range(len(shares)):
        column[k] = last if _is_missing(last) else line[ranks[k]]


@private
def _interpolate(line, count, shares, column, method, share):
    """Store interpolated quantiles in a column."""
    ranks, parts = np.empty(2 * len(shares) + 1, np.int64), np.empty(len(shares))
    for k in range(len(shares)):
        ranks[2 * k], ranks[2 * k + 1], parts[k] = _places_of(count, shares[k], method)
    ranks[2 * len(shares)] = count - 1
    _part_at_ranks(line[:count], ranks)
    last, cast = line[count - 1], column.dtype.type
    for k in range(len(shares)):
        if _is_missing(last):
            column[k] = last
        else:
            first, second = line[ranks[2 * k]], line[ranks[2 * k + 1]]
            column[k] = _between(first, second, parts[k], cast, share)


@private
def _require_none(line, shares, exact):
    """Raise NumPy's IndexError for shares of an empty line."""
    if len(shares) and exact and line.dtype.kind != "f":
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if len(shares):
        place = -1 if line.dtype.kind == "f" or shares[0] == 0 else 0
        raise IndexError(f"index {place} is out of bounds for axis 0 with size 0")


@private
def _write_quantiles(line, shares, column, method, exact, share, skips):
    count = _count_numbers(line, skips)
    if count == 0:
        if skips:
            column[:] = np.nan if column.dtype.kind == "f" else 0
        else:
            _require_none(line, shares, exact)
    elif exact:
        _take_elements(line, count, shares, column, method)
    else:
        _interpolate(line, count, shares, column, method, share)


# --- weights ----------------------------------------------------------------------------------


@private
def _write_weighed(line, weights, shares, column, skips):
    """Store the quantiles of a weighted line, by NumPy's only method for weights."""
    order, cast = np.argsort(line), shares.dtype.type
    count, total = len(line), 0.0
    if skips and line.dtype.kind == "f":
        count -= int(np.isnan(line).sum())
    sums = np.empty(count)
    for k in range(count):
        total += float(weights[order[k]])
        sums[k] = total
    for k in range(count):
        sums[k] = float(cast(sums[k] / total))
    if count and not sums[count - 1] == sums[count - 1]:  # noqa: PLR0124
        raise ValueError("Weights included NaN, inf or were all zero.")
    last = line[order[max(count - 1, 0)]]
    for k in range(len(shares)):
        n = 0
        while n < count - 1 and (sums[n] < shares[k] or sums[n] == 0):
            n += 1
        column[k] = last if _is_missing(last) else line[order[n]]


@private
def _same_weights(a, axis, weights):
    """The weights broadcast to the array's shape. Raises ValueError if they do not fit or are
    negative."""
    if is_complex(weights):
        refuse("weights are numbers with an order")
    if weights.ndim != a.ndim and (weights.ndim != 1 or axis is None or isinstance(axis, tuple)):
        refuse("weights of fewer axes than the array are a line along one axis")
    if weights.ndim == a.ndim:
        fits = weights.shape == a.shape
    else:
        fits = len(weights) == _whole_lines(a, axis)[0].shape[-1]
    if not fits:
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    if weights.size and weights.min() < 0:
        raise ValueError("Weights must be non-negative.")
    if weights.ndim == a.ndim:
        return weights
    out = np.empty(a.shape, weights.dtype)
    _whole_lines(out, axis)[0][...] = weights
    return out


# --- the functions ----------------------------------------------------------------------------


def _register_quantile(function: Any, whole: int, skips: bool) -> None:
    kind = "Quantiles" if whole == 1 else "Percentiles"
    message = f"{kind} must be in the range [0, {whole}]"

    @numpy(function)
    def quantile(
        a: Numbers,
        q: Shares,
        axis: Axes = None,
        out: Output = None,
        overwrite_input: Any = False,
        method: Method = "linear",
        keepdims: Flag = False,
        *,
        weights: Output = None,
    ):
        if is_complex(a):
            refuse("a must be an array of real numbers", "take a.real, or abs(a)")
        _require_method(q, whole, method, weights)
        exact = _is_exact(q, whole, method)
        if a.dtype == np.bool_ and not exact:
            refuse(
                "booleans cannot be interpolated",
                "convert the array, or use a method that takes elements as they are",
            )
        shares = _shares_in(q, whole, message)
        share = np.float64 if _is_weak(q) else shares.dtype.type
        lines, axes = _whole_lines(a, axis)
        outer = _outer_sizes(lines.shape, axes)
        table = np.empty((len(shares), math.prod(outer)), _quantile_dtype(a, q, exact))
        if weights is None:
            for k in range(table.shape[1]):
                line = _line_of_block(lines, k, axes)
                _write_quantiles(line, shares, table[:, k], method, exact, share, skips)
        else:  # NumPy returns an array without axes here, else a number
            all_weights = _beside(_same_weights(a, axis, weights), a, axis)
            for k in range(table.shape[1]):
                line, own = _line_of_block(lines, k, axes), _line_of_block(all_weights, k, axes)
                _write_weighed(line, own, shares, table[:, k], skips)
        first = shape_of(q) if _is_single(q) or isinstance(q, np.ndarray) else (len(q),)
        sizes = shape_with_ones(a, axis) if keepdims else outer
        return _shaped(table, first, sizes, out, keepdims or weights is not None)


_register_quantile(np.percentile, 100, skips=False)
_register_quantile(np.quantile, 1, skips=False)
_register_quantile(np.nanpercentile, 100, skips=True)
_register_quantile(np.nanquantile, 1, skips=True)
