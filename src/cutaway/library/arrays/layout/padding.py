"""Arrays with something around them: `pad`, in all modes but that of a function.

The new array is filled axis by axis: along one axis each line is padded by its own elements, where
later axes are as they were and earlier ones are already longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import element_dtype, inexact, joint
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.several_axes import in_shape
from cutaway.library.arrays.kit.shapes import replaced, strided
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    element,
    is_array,
    is_integral,
    is_number,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.typing import types
from cutaway.typing.types import Tuple, Type

# --- pairs of numbers for each axis -----------------------------------------------------------


def fill_pairs(out, given):
    """Put what is given for the front and the back of axes into a row for each axis."""
    out[...] = np.array(given)


@overload(fill_pairs, jit_options=OPTIONS)
def _fill_pairs(out, given):
    def one(out, given):
        out[...] = given

    def one_of_tuple(out, given):
        fill_pairs(out, given[0])

    def front_and_back(out, given):
        for k in range(len(out)):
            out[k, 0], out[k, 1] = given[0], given[1]

    def rows(out, given):
        k = 0
        for row in literal_unroll(given):
            fill_pairs(out[k : k + 1], row)
            k += 1

    if is_number(given) or is_array(given):
        return one
    if len(given.items) == 1:
        return one_of_tuple
    return front_and_back if all(map(is_number, given.items)) else rows


def _leaves(given: Any) -> list[Type] | None:
    """The types of all numbers in what is given for axes; None where it is something else."""
    if is_number(given) or is_array(given):
        return [element(given)]
    if not isinstance(given, Tuple) or not given.items:
        return None
    inner = [_leaves(item) for item in given.items]
    return None if None in inner else [leaf for leaves in inner if leaves for leaf in leaves]


def _is_for(given: Any, ndim: int) -> bool:
    """True if what is given says something for each of so many axes."""
    if not isinstance(given, Tuple):
        return _leaves(given) is not None
    if all(map(is_number, given.items)):
        return len(given.items) <= 2
    rows_fit = all(isinstance(row, Tuple) and _is_for(row, 0) for row in given.items)
    return rows_fit and len(given.items) in (1, ndim)


def _of_point(widths: Any, has_lengths: bool) -> Any:
    """What pads an array without axes: it stays as it is, once the widths are looked at."""
    if not _is_for(widths, 0):
        return None
    table = _pairs_of(widths, 1, "`pad_width`")

    def pad(
        array,
        pad_width,
        mode="constant",
        *,
        constant_values=0,
        end_values=0,
        stat_length=None,
        reflect_type="even",
    ):
        _require_widths(table(pad_width))
        return array.copy()

    return None if has_lengths else pad


def _pairs_of(given: Any, ndim: int, name: str) -> Any:
    """The function that makes a table of what is given."""
    if not isinstance(given, Type) or isinstance(given, types.Omitted):
        value = said(given)
        return private(lambda given: np.full((ndim, 2), value))
    leaves = _leaves(given)
    if leaves is None or not _is_for(given, ndim):
        raise TypingError(
            f"{name} must be a number, a pair for all axes, or a pair for each axis",
            hint="for example ((before_1, after_1), (before_2, after_2))",
        )
    kind = joint(*leaves)

    @private
    def pairs(given):
        out = np.empty((ndim, 2), kind)
        fill_pairs(out, given)
        return out

    return pairs


@private
def _require_widths(widths):
    for size in widths.flat:
        if size < 0:
            raise ValueError("index can't contain negative values")


# --- one axis, by mode: the functions fill the ends of all lines -------------------------------
# `lines` has the axis last; `left` and `right` are how many places are to be filled.


@private
def _fill_ends(lines, left, right, before, after):
    """Give the places at each end one value for each line."""
    lines[..., :left] = before
    lines[..., lines.shape[-1] - right :] = after


@private
def _edge(lines, left, right, own):
    stop = lines.shape[-1] - right
    _fill_ends(lines, left, right, lines[..., left : left + 1], lines[..., stop - 1 : stop])


@private
def _wrap(lines, left, right, own):
    size = lines.shape[-1] - left - right
    for n in range(line_count(lines)):
        line = line_at(lines, n)
        for k in range(left):
            line[k] = line[left + (k - left) % size]
        for k in range(left + size, len(line)):
            line[k] = line[left + (k - left) % size]


def _reflecting(kind: np.dtype[Any], odd: bool, with_edge: int) -> Any:
    """The function that mirrors lines at their ends, as often as needed; an end is mirrored too
    `with_edge`.  Where it is `odd` the mirror turns values round as well."""
    cast = (np.dtype(np.int64) if kind.kind == "b" else kind).type
    two = cast(2)

    @private
    def mirrored(line, end, k):
        return cast(cast(two * line[end]) - line[k]) if odd else line[k]

    @private
    def reflect_line(line, left, right, period):
        step = period if with_edge else period - 1
        while left > 0 or right > 0:
            size = len(line) - left - right
            most = (size if with_edge else size - 1) // step * step
            count = min(most, left)
            for k in range(count):
                line[left - 1 - k] = mirrored(line, left, left + 1 - with_edge + k)
            left -= count
            count, start = min(most, right), len(line) - right
            for k in range(count):
                line[start + k] = mirrored(line, start - 1, start + with_edge - 2 - k)
            right -= count

    @private
    def reflect(lines, left, right, own):
        period = lines.shape[-1] - left - right
        if period == 1:
            _edge(lines, left, right, own)
        else:
            for n in range(line_count(lines)):
                reflect_line(line_at(lines, n), left, right, period)

    return reflect


@private
def _stat_length(length, size):
    """How many elements a statistic is of; all where the length is negative."""
    return size if length < 0 or length > size else length


def _by_statistic(function: Any, kind: np.dtype[Any], rounds: bool, extreme: bool) -> Any:
    to_whole = rounds and kind.kind in "iu"

    @private
    def statistic_of(part):
        if extreme and part.shape[-1] == 0:
            raise ValueError("stat_length of 0 yields no value for padding")
        shape = replaced(part.shape, part.ndim - 1, 1)
        found = in_shape(function(part, -1), shape)
        return np.round(found) if to_whole else found

    @private
    def statistics(lines, left, right, own):
        size = lines.shape[-1] - left - right
        first, last = _stat_length(own[0], size), _stat_length(own[1], size)
        before = statistic_of(lines[..., left : left + first])
        after = statistic_of(lines[..., left + size - last : left + size])
        _fill_ends(lines, left, right, before.astype(kind), after.astype(kind))

    return statistics


def _ramping(kind: np.dtype[Any], values: np.dtype[Any]) -> Any:
    """The function that leads from an end value to the first and the last element."""
    wide = inexact(np.result_type(kind, values))
    whole = kind.kind in "iu"

    @private
    def ramp(start, edges, count):
        rise = edges.astype(wide) - wide.type(start)
        step, n = rise / wide.type(count), np.arange(count).astype(wide)
        out = (n / wide.type(count)) * rise if np.any(step == 0) else n * step
        out = out + wide.type(start)
        return (np.floor(out) if whole else out).astype(kind)

    @private
    def linear_ramp(lines, left, right, own):
        stop = lines.shape[-1] - right
        if left:
            lines[..., :left] = ramp(own[0], lines[..., left : left + 1], left)
        if right:
            lines[..., stop:] = ramp(own[1], lines[..., stop - 1 : stop], right)[..., ::-1]

    return linear_ramp


@private
def _constant(lines, left, right, own):
    _fill_ends(lines, left, right, own[0], own[1])


@private
def _empty(lines, left, right, own):
    return None


# --- all axes ---------------------------------------------------------------------------------

_STATISTICS = {
    "maximum": (np.max, False, True),
    "minimum": (np.min, False, True),
    "mean": (np.mean, True, False),
    "median": (np.median, True, False),
}


def _filler(mode: str, kind: np.dtype[Any], odd: bool, values: np.dtype[Any]) -> Any:
    """The function that fills the ends of lines in a mode; None for a mode that there is not."""
    if mode in _STATISTICS:
        function, rounds, extreme = _STATISTICS[mode]
        return _by_statistic(function, kind, rounds, extreme)
    if mode in ("reflect", "symmetric"):
        return _reflecting(kind, odd, int(mode == "symmetric"))
    if mode == "linear_ramp":
        return _ramping(kind, values)
    return {"constant": _constant, "edge": _edge, "wrap": _wrap, "empty": _empty}.get(mode)


@private
def _longer(shape, widths):
    for k in range(len(shape)):
        shape = replaced(shape, k, shape[k] + widths[k, 0] + widths[k, 1])
    return shape


@private
def _inner(out, shape, widths, first):
    """A view of the new array that leaves the ends of axes out, from an axis on."""
    view = strided(out, out.shape, out.strides)
    for k in range(first, out.ndim):
        view = part_along(view, k, widths[k, 0], widths[k, 0] + shape[k])
    return view


def _padder(fill: Any, kind: np.dtype[Any], extends_nothing: bool) -> Any:
    """The function that makes a longer array; unless `extends_nothing`, no axis may be empty."""

    @private
    def padded(array, widths, own):
        _require_widths(widths)
        out = np.empty(_longer(array.shape, widths), kind)
        _inner(out, array.shape, widths, 0)[...] = array
        for k in range(array.ndim):
            left, right = int(widths[k, 0]), int(widths[k, 1])
            if not extends_nothing and array.shape[k] == 0 and left + right > 0:
                raise ValueError(
                    f"can't extend empty axis {k} using modes other than 'constant' or 'empty'"
                )
            if array.shape[k] or extends_nothing:
                lines = lines_along(_inner(out, array.shape, widths, k + 1), k)
                fill(lines, left, right, own[k])
        return out

    return padded


@numpy(np.pad, by_value=True)
def _pad(
    array,
    pad_width,
    mode="constant",
    *,
    constant_values=0,
    end_values=0,
    stat_length=None,
    reflect_type="even",
):
    how, kind_of_mirror = said(mode), said(reflect_type)
    if not is_array(array) or not isinstance(how, str) or kind_of_mirror not in ("even", "odd"):
        return None
    widths_given = _leaves(pad_width)
    if widths_given is None or not all(map(is_integral, widths_given)):
        raise TypingError(
            "`pad_width` must be of integral type.", hint="write a pair for each axis"
        )
    if not array.ndim:
        return _of_point(pad_width, not left_out(stat_length))
    kind, ndim = element_dtype(array), array.ndim
    ends = _leaves(end_values if how == "linear_ramp" else constant_values) or [types.int64]
    values = joint(*ends)
    if values.kind == "c" and kind.kind != "c":
        return None
    fill = _filler(how, kind, kind_of_mirror == "odd", values)
    if fill is None:
        raise TypingError(f"mode '{how}' is not supported", hint="use a mode that NumPy has")
    padded = _padder(fill, kind, how in ("constant", "empty"))
    widths = _pairs_of(pad_width, ndim, "`pad_width`")
    constants = _pairs_of(constant_values, ndim, "`constant_values`")
    last = _pairs_of(end_values, ndim, "`end_values`")
    every = left_out(stat_length)
    lengths = _pairs_of(-1 if every else stat_length, ndim, "`stat_length`")

    def pad(
        array,
        pad_width,
        mode="constant",
        *,
        constant_values=0,
        end_values=0,
        stat_length=None,
        reflect_type="even",
    ):
        return padded(array, widths(pad_width), own(constant_values, end_values, stat_length))

    def of_constants(constant_values, end_values, stat_length):
        return constants(constant_values)

    def of_ends(constant_values, end_values, stat_length):
        return last(end_values)

    def of_lengths(constant_values, end_values, stat_length):
        out = lengths(stat_length)
        if not every:
            _require_widths(out)
        return out

    ways = {"linear_ramp": of_ends, **dict.fromkeys(_STATISTICS, of_lengths)}
    own = private(ways.get(how, of_constants))
    return pad
