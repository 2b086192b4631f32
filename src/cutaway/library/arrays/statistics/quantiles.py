"""Values by their ranks: `median percentile quantile` and these without NaN, by each of NumPy's
methods, along any axes.

Each line is copied, and parted at the ranks that are needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact
from cutaway.library.arrays.kit.means import quotient
from cutaway.library.arrays.kit.sorts import PARTED_FROM, can_be_parted, part_by_numpy, sort_all
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    element,
    is_array,
    is_axes,
    is_integral,
    is_real,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.statistics.line_wise import (
    beside,
    line_of_block,
    reduced_to,
    table_of,
    whole_lines,
)
from cutaway.library.arrays.statistics.quantile_methods import ALL, DISCRETE, index_by, place_by
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex, Float, Tuple

# --- lines ------------------------------------------------------------------------------------


def numbers_of(line):
    """Move what is no number to the end; gives how many are."""
    kept = line[line == line]  # noqa: PLR0124
    line[: len(kept)], line[len(kept) :] = kept, np.nan
    return len(kept)


@overload(numbers_of, jit_options=OPTIONS)
def _numbers_of(line):
    def of_floats(line):
        count = 0
        for x in line:
            if x == x:  # noqa: PLR0124
                line[count] = x
                count += 1
        line[count:] = np.nan
        return count

    return of_floats if isinstance(line.dtype, Float | Complex) else (lambda line: len(line))


def part_at_ranks(line, ranks):
    """Move the elements of some ranks to their places; NaN is last."""
    line.partition(ranks)


@overload(part_at_ranks, jit_options=OPTIONS)
def _part_at_ranks(line, ranks):
    def by_size(line, ranks):
        if len(line) < PARTED_FROM:
            sort_all(line)
        else:
            nowhere = np.empty(0, np.int64)
            part_by_numpy(line, ranks, nowhere)

    return by_size if can_be_parted(line) else (lambda line, ranks: sort_all(line))


# --- medians ----------------------------------------------------------------------------------


def _middle_of_line(a: Array) -> Any:
    """The median of the first so many elements of a line, which change; the last of them is NaN
    where one is."""
    dtype = element_dtype(a)
    result = inexact(dtype).type
    wide = np.float32 if dtype == np.float16 else result  # what NumPy adds up in
    missing = result(np.nan)
    compared = isinstance(a.dtype, Float | Complex)

    @private
    def middle(line, count):
        if count == 0:
            return missing
        half, ranks = count >> 1, np.empty(3, np.int64)
        ranks[0], ranks[1], ranks[2] = half, max(half - 1, 0), count - 1
        part_at_ranks(line[:count], ranks)
        last = line[count - 1]
        if compared and last != last:  # noqa: PLR0124
            return result(last)
        if count % 2:
            return result(quotient(wide(line[half]), 1))
        return result(quotient(wide(line[half - 1]) + wide(line[half]), 2))

    return middle


def _median_by(a: Any, axis: Any, out: Any, keepdims: Any, skips: bool) -> Any:
    """The implementation of a median, a function of `a axis out`; None where it is not compiled."""
    if not is_array(a) or not is_axes(a, axis):
        return None
    result = reduced_to(0, a, axis, out, keepdims)
    middle, table_for = _middle_of_line(a), table_of(inexact(element_dtype(a)))

    @private
    def median(a, axis, out):
        lines, axes = whole_lines(a, axis)
        table = table_for(1, a, axis)
        for k in range(table.shape[1]):
            line = line_of_block(lines, k, axes)
            table[0, k] = middle(line, numbers_of(line) if skips else len(line))
        return result(table, (), a, axis, out)

    return None if result is None else median


def _register_median(function: Any, skips: bool) -> None:
    @numpy(function)
    def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
        reduced = _median_by(a, axis, out, keepdims, skips)

        def told(a, axis=None, out=None, overwrite_input=False, keepdims=False):
            return reduced(a, axis, out)

        if _is_plain(a, axis, out, keepdims):
            return _plain_median(a, skips)
        return None if reduced is None else told


def _is_plain(a: Any, axis: Any, out: Any, keepdims: Any) -> bool:
    """True if a call is of all elements of an array."""
    return is_array(a) and left_out(axis) and left_out(out) and keepdims is False


def _plain_median(a: Array, skips: bool) -> Any:
    middle = _middle_of_line(a)

    def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
        line = a.flatten()
        return middle(line, numbers_of(line) if skips else len(line))

    return median


_register_median(np.median, skips=False)
_register_median(np.nanmedian, skips=True)


# --- shares -----------------------------------------------------------------------------------


def shares_in(q, whole, dtype, message):
    """The shares that are asked for, as parts of one, in a line.  Raises ValueError where one is
    outside of the whole."""
    shares = np.true_divide(q, whole).astype(dtype) if whole != 1 else np.asarray(q).astype(dtype)
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError(message)
    return shares.ravel()


@overload(shares_in, jit_options=OPTIONS)
def _shares_in(q, whole, dtype, message):
    def of_one(q, whole, dtype, message):
        shares = np.empty(1, dtype)
        shares[0] = q
        shares /= whole
        if not 0 <= shares[0] <= 1:
            raise ValueError(message)
        return shares

    def of_many(q, whole, dtype, message):
        shares = np.array(q).ravel().astype(dtype)
        shares /= whole
        for share in shares:
            if not 0 <= share <= 1:
                raise ValueError(message)
        return shares

    return of_many if isinstance(q, Array | Tuple) else of_one


def shape_of_shares(q):
    """The axes of a result that the shares make."""
    return np.shape(q)


@overload(shape_of_shares, jit_options=OPTIONS)
def _shape_of_shares(q):
    if isinstance(q, Array):
        return lambda q: q.shape
    return (lambda q: (len(q),)) if isinstance(q, Tuple) else (lambda q: ())


def _type_of_shares(q: Any) -> types.Type | None:
    """The type of the elements of what shares are made of; None for other arguments."""
    if isinstance(q, Tuple):
        if not q.items or not all(map(is_real, q.items)):
            return None
        return types.int64 if all(map(is_integral, q.items)) else types.float64
    if is_array(q) and q.ndim > 2:
        raise TypingError("q must be a scalar or 1d", hint="flatten q")
    kind = element(q.literal_type if isinstance(q, types.Literal) else q)
    return kind if is_real(kind) and (is_array(q) or is_real(q)) else None


def _dimensions_of_shares(q: Any) -> int:
    return 1 if isinstance(q, Tuple) else q.ndim if isinstance(q, Array) else 0


class _Asked:
    """What a call asks for: how shares are given, and what a result is computed in."""

    def __init__(self, a: Array, q: Any, whole: int, method: str) -> None:
        kind = _type_of_shares(q)
        assert kind is not None
        given = types.to_dtype(kind)
        counts = types.is_integral(kind) and whole == 1
        self.possible = not counts or kind in (types.int64, types.boolean)
        self.exact = method in DISCRETE or (method == "linear" and counts)
        self.weak = not isinstance(q, Array | Tuple) and kind in (types.int64, types.float64)
        self.shares = np.dtype(np.float64) if given.kind in "biu" else given
        own = element_dtype(a)
        if self.exact:
            self.computed = own
        elif self.weak:
            self.computed = np.result_type(own, 0.0)
        else:
            self.computed = np.result_type(own, self.shares)
        if counts and method == "averaged_inverted_cdf" and not self.weak:
            self.possible = False


# --- between two elements ---------------------------------------------------------------------


def _between(a: Array, asked: _Asked) -> Any:
    """The number that is a part of the way from one element to the next, as NumPy rounds."""
    own, result = element_dtype(a).type, asked.computed.type
    share = np.float64 if asked.weak else asked.shares.type

    @private
    def between(first, second, gamma):
        step, part = result(own(second - first)), share(gamma)
        if part >= 0.5:
            return result(second) - step * result(share(1) - part)
        return result(first) + step * result(part)

    return between


def _of_line(a: Array, asked: _Asked, method: str, skips: bool) -> Any:
    """What writes the quantiles of a line into a column: by one element each, or between two."""
    missing = asked.computed.type(np.nan if asked.computed.kind == "f" else 0)
    compared = isinstance(a.dtype, Float)
    find = index_by(method if asked.exact else "lower", asked.shares)

    @private
    def by_element(line, count, shares, column):
        ranks = np.empty(len(shares) + 1, np.int64)
        for k in range(len(shares)):
            ranks[k] = find(count, shares[k])
        ranks[len(shares)] = count - 1
        part_at_ranks(line[:count], ranks)
        last = line[count - 1]
        for k in range(len(shares)):
            column[k] = last if compared and last != last else line[ranks[k]]  # noqa: PLR0124

    if asked.exact:
        return _unless_empty(by_element, missing, compared, skips, True)
    place, between = place_by(method, asked.shares), _between(a, asked)

    @private
    def between_two(line, count, shares, column):
        ranks, parts = np.empty(2 * len(shares) + 1, np.int64), np.empty(len(shares))
        for k in range(len(shares)):
            first, second, parts[k] = place(count, shares[k])
            ranks[2 * k], ranks[2 * k + 1] = first, second
        ranks[2 * len(shares)] = count - 1
        part_at_ranks(line[:count], ranks)
        last = line[count - 1]
        for k in range(len(shares)):
            if compared and last != last:  # noqa: PLR0124
                column[k] = last
            else:
                column[k] = between(line[ranks[2 * k]], line[ranks[2 * k + 1]], parts[k])

    return _unless_empty(between_two, missing, compared, skips, False)


def _unless_empty(of_line: Any, missing: Any, compared: bool, skips: bool, takes: bool) -> Any:
    """The same with a look at lines without elements."""

    @private
    def checked(line, shares, column):
        count = numbers_of(line) if skips else len(line)
        if count:
            of_line(line, count, shares, column)
        elif skips:
            column[:] = missing
        elif len(shares) and takes and not compared:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        elif len(shares):
            place = -1 if compared or shares[0] == 0 else 0
            raise IndexError(f"index {place} is out of bounds for axis 0 with size 0")

    return checked


# --- weights ----------------------------------------------------------------------------------


def _by_weight(a: Array, asked: _Asked, skips: bool) -> Any:
    """What writes the quantiles of a line with weights: NumPy has one method for them."""
    compared, cast = isinstance(a.dtype, Float), asked.shares.type

    @private
    def of_line(line, weights, shares, column):
        order = np.argsort(line)
        count, total = len(line), 0.0
        if compared and skips:
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
            column[k] = last if compared and last != last else line[order[n]]  # noqa: PLR0124

    return of_line


def same_weights(a, axis, weights):
    """Weights in the shape of an array.  Raises ValueError where they do not fit, or are
    negative."""
    shape = tuple(size if k == axis else 1 for k, size in enumerate(a.shape))
    spread = weights if np.shape(weights) == a.shape else np.reshape(weights, shape)
    return np.broadcast_to(spread, a.shape)


@overload(same_weights, jit_options=OPTIONS)
def _same_weights(a, axis, weights):
    def of_one_shape(a, axis, weights):
        if weights.shape != a.shape:
            raise ValueError(
                "Shape of weights must be consistent with shape of a along specified axis."
            )
        if weights.size and weights.min() < 0:
            raise ValueError("Weights must be non-negative.")
        return weights

    def of_line(a, axis, weights):
        lines, _ = whole_lines(a, axis)
        if lines.shape[-1] != len(weights):
            raise ValueError(
                "Shape of weights must be consistent with shape of a along specified axis."
            )
        if weights.size and weights.min() < 0:
            raise ValueError("Weights must be non-negative.")
        out = np.empty(a.shape, weights.dtype)
        whole_lines(out, axis)[0][...] = weights
        return out

    if weights.ndim == a.ndim:
        return of_one_shape
    return of_line if weights.ndim == 1 and is_integral(axis) else None


# --- the functions ----------------------------------------------------------------------------


def _method_of(method: Any, weights: Any) -> str | None:
    """The name of a method; None where it is not known.  Raises TypingError for another name."""
    name = method.value if isinstance(method, types.String | types.Omitted) else method
    if not isinstance(name, str):
        return None
    if name not in ALL:
        raise TypingError(f"{name!r} is not a valid method", hint=f"use one of {', '.join(ALL)}")
    if not left_out(weights) and name != "inverted_cdf":
        raise TypingError(
            f"only method 'inverted_cdf' supports weights, not {name!r}",
            hint="write method='inverted_cdf'",
        )
    return name


def _possible(a: Any, q: Any, axis: Any, weights: Any) -> bool:
    if not is_array(a) or not is_axes(a, axis) or _type_of_shares(q) is None:
        return False
    if isinstance(a.dtype, Complex):
        raise TypingError("a must be an array of real numbers", hint="take a.real, or abs(a)")
    return left_out(weights) or (is_array(weights) and types.is_real(weights.dtype))


def _quantile_by(a: Any, q: Any, told: tuple[Any, ...], whole: int, skips: bool) -> Any:
    """The implementation of a quantile, a function of `a q axis out weights`, by `axis out method
    keepdims weights`; None where it is not compiled."""
    axis, out, method, keepdims, weights = told
    name = _method_of(method, weights)
    if name is None or not _possible(a, q, axis, weights):
        return None
    asked = _Asked(a, q, whole, name)
    if isinstance(a.dtype, Boolean) and not asked.exact:
        raise TypingError(
            "booleans cannot be interpolated",
            hint="convert the array, or use a method that takes elements as they are",
        )
    weighed = not left_out(weights)  # NumPy gives an array without axes then, else a number
    result = reduced_to(_dimensions_of_shares(q), a, axis, out, keepdims, weighed)
    if result is None or not asked.possible:
        return None
    message = f"{'Quantiles' if whole == 1 else 'Percentiles'} must be in the range [0, {whole}]"
    dtype, table_for = asked.shares, table_of(asked.computed)
    of_line = _of_line(a, asked, name, skips)
    if weighed:
        weighted = _by_weight(a, asked, skips)

        @private
        def by_weight(a, q, axis, out, weights):
            shares = shares_in(q, whole, dtype, message)
            lines, axes = whole_lines(a, axis)
            all_weights = beside(same_weights(a, axis, weights), a, axis)
            table = table_for(len(shares), a, axis)
            for k in range(table.shape[1]):
                line, own = line_of_block(lines, k, axes), line_of_block(all_weights, k, axes)
                weighted(line, own, shares, table[:, k])
            return result(table, shape_of_shares(q), a, axis, out)

        return by_weight

    @private
    def quantile(a, q, axis, out, weights):
        shares = shares_in(q, whole, dtype, message)
        lines, axes = whole_lines(a, axis)
        table = table_for(len(shares), a, axis)
        for k in range(table.shape[1]):
            of_line(line_of_block(lines, k, axes), shares, table[:, k])
        return result(table, shape_of_shares(q), a, axis, out)

    return quantile


def _register_quantile(function: Any, whole: int, skips: bool) -> None:
    @numpy(function)
    def quantile(
        a,
        q,
        axis=None,
        out=None,
        overwrite_input=False,
        method="linear",
        keepdims=False,
        *,
        weights=None,
    ):
        reduced = _quantile_by(a, q, (axis, out, method, keepdims, weights), whole, skips)

        def told(
            a,
            q,
            axis=None,
            out=None,
            overwrite_input=False,
            method="linear",
            keepdims=False,
            *,
            weights=None,
        ):
            return reduced(a, q, axis, out, weights)

        return None if reduced is None else told


_register_quantile(np.percentile, 100, skips=False)
_register_quantile(np.quantile, 1, skips=False)
_register_quantile(np.nanpercentile, 100, skips=True)
_register_quantile(np.nanquantile, 1, skips=True)
