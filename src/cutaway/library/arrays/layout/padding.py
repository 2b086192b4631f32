"""Padded arrays: `pad`, in all modes but that of a function.

The new array is filled axis by axis: along each axis, lines are padded from their own elements,
while earlier axes are padded already and later ones are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import inexact, joint
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.several_axes import in_shape
from cutaway.library.arrays.kit.shapes import replaced, strided
from cutaway.library.arrays.kit.takes import Anything, Numbers, Text, is_several, numpy
from cutaway.library.arrays.kit.typers import (
    element,
    is_array,
    is_integral,
    is_number,
    private,
    said,
)
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.typing import types
from cutaway.typing.types import Tuple, Type

_STATISTICS = ("maximum", "minimum", "mean", "median")
_MODES = ("constant", "edge", "wrap", "empty", "reflect", "symmetric", "linear_ramp", *_STATISTICS)

# --- pairs of numbers for each axis -----------------------------------------------------------


def _leaves(given: Any) -> list[Type] | None:
    """The types of all numbers in an argument for axes; None if it holds other items."""
    if isinstance(given, types.Omitted):
        return [types.int64]
    if is_number(given) or is_array(given):
        return [element(given)]
    if not isinstance(given, Tuple) or not given.items:
        return None
    inner = [_leaves(item) for item in given.items]
    return None if None in inner else [leaf for leaves in inner if leaves for leaf in leaves]


def _is_for(given: Any, ndim: int) -> bool:
    """True if an argument provides values for each of `ndim` axes."""
    if not isinstance(given, Tuple):
        return _leaves(given) is not None
    if all(map(is_number, given.items)):
        return len(given.items) <= 2
    rows_fit = all(isinstance(row, Tuple) and _is_for(row, 0) for row in given.items)
    return rows_fit and len(given.items) in (1, ndim)


@static
def _dtype_of_pairs(given: Any, array: Any, name: Any) -> np.dtype[Any]:
    """The dtype of an argument for the axes of an array. Raises TypingError if it does not fit
    them."""
    leaves = _leaves(given)
    if leaves is None or not _is_for(given, array.ndim):
        raise TypingError(
            f"`{name.value}` must be a number, a pair for all axes, or a pair for each axis",
            hint="for example ((before_1, after_1), (before_2, after_2))",
        )
    if name.value == "pad_width" and not all(map(is_integral, leaves)):
        raise TypingError(
            "`pad_width` must be of integral type.", hint="write a pair for each axis"
        )
    return joint(*leaves)


@static
def _are_numbers(given: Any) -> bool:
    return all(map(is_number, given.items))


@private
def _fill_pairs(out, given):
    """Store the values for the front and back of each axis in a row per axis."""
    if not is_several(given):
        out[...] = given
    elif len(given) == 1:
        _fill_pairs(out, given[0])
    elif _are_numbers(given):
        for k in range(len(out)):
            out[k, 0], out[k, 1] = given[0], given[1]
    else:
        _fill_rows(out, given)


@private
def _fill_rows(out, given):
    k = 0
    for row in literal_unroll(given):
        _fill_pairs(out[k : k + 1], row)
        k += 1


@private
def _pairs(given, array, name):
    """An argument for the axes of an array as a table, a row per axis."""
    out = np.empty((max(array.ndim, 1), 2), _dtype_of_pairs(given, array, name))
    _fill_pairs(out, given)
    return out


@private
def _require_widths(widths):
    for size in widths.flat:
        if size < 0:
            raise ValueError("index can't contain negative values")


# --- one axis, by mode: the functions fill the ends of all lines -------------------------------
# `lines` has the axis last; `left` and `right` are the numbers of elements to fill.


@private
def _fill_ends(lines, left, right, before, after):
    """Store one value per line at each end."""
    lines[..., :left] = before
    lines[..., lines.shape[-1] - right :] = after


@private
def _extend_edges(lines, left, right):
    stop = lines.shape[-1] - right
    _fill_ends(lines, left, right, lines[..., left : left + 1], lines[..., stop - 1 : stop])


@private
def _wrap(lines, left, right):
    size = lines.shape[-1] - left - right
    for n in range(line_count(lines)):
        line = line_at(lines, n)
        for k in range(left):
            line[k] = line[left + (k - left) % size]
        for k in range(left + size, len(line)):
            line[k] = line[left + (k - left) % size]


@static
def _mirror_dtype(lines: Any) -> np.dtype[Any]:
    """The dtype in which mirrored values are computed."""
    return np.dtype(np.int64) if lines.dtype is types.boolean else types.to_dtype(lines.dtype)


@private
def _mirrored(line, end, k, reflect_type):
    if reflect_type == "even":
        return line[k]
    cast = _mirror_dtype(line).type
    return cast(cast(cast(2) * line[end]) - line[k])


@private
def _reflect_line(line, left, right, period, with_edge, reflect_type):
    """Mirror a line at its ends as often as needed; `with_edge` 1 repeats the end element."""
    step = period if with_edge else period - 1
    while left > 0 or right > 0:
        size = len(line) - left - right
        most = (size if with_edge else size - 1) // step * step
        count = min(most, left)
        for k in range(count):
            line[left - 1 - k] = _mirrored(line, left, left + 1 - with_edge + k, reflect_type)
        left -= count
        count, start = min(most, right), len(line) - right
        for k in range(count):
            source = start + with_edge - 2 - k
            line[start + k] = _mirrored(line, start - 1, source, reflect_type)
        right -= count


@private
def _reflect(lines, left, right, with_edge, reflect_type):
    period = lines.shape[-1] - left - right
    if period == 1:
        _extend_edges(lines, left, right)
    else:
        for n in range(line_count(lines)):
            _reflect_line(line_at(lines, n), left, right, period, with_edge, reflect_type)


@private
def _stat_length(length, size):
    """The number of elements that a statistic covers; all for a negative length."""
    return size if length < 0 or length > size else length


@private
def _statistic_of(part, mode):
    if mode in ("maximum", "minimum") and part.shape[-1] == 0:
        raise ValueError("stat_length of 0 yields no value for padding")
    shape = replaced(part.shape, part.ndim - 1, 1)
    if mode == "maximum":
        return in_shape(np.max(part, -1), shape)
    if mode == "minimum":
        return in_shape(np.min(part, -1), shape)
    found = in_shape(np.mean(part, -1) if mode == "mean" else np.median(part, -1), shape)
    return np.round(found) if part.dtype.kind in "iu" else found


@private
def _fill_with_statistics(lines, left, right, own, mode):
    size = lines.shape[-1] - left - right
    first, last = _stat_length(own[0], size), _stat_length(own[1], size)
    before = _statistic_of(lines[..., left : left + first], mode)
    after = _statistic_of(lines[..., left + size - last : left + size], mode)
    _fill_ends(lines, left, right, before.astype(lines.dtype), after.astype(lines.dtype))


@static
def _ramp_dtype(lines: Any, own: Any) -> np.dtype[Any]:
    return inexact(joint(lines, own))


@private
def _ramp(start, edges, count, dtype):
    """A linear ramp from an end value to the first or last element of each line."""
    rise = edges.astype(dtype) - dtype.type(start)
    step, n = rise / dtype.type(count), np.arange(count).astype(dtype)
    out = (n / dtype.type(count)) * rise if np.any(step == 0) else n * step
    out = out + dtype.type(start)
    return (np.floor(out) if edges.dtype.kind in "iu" else out).astype(edges.dtype)


@private
def _fill_with_ramps(lines, left, right, own):
    stop, dtype = lines.shape[-1] - right, _ramp_dtype(lines, own)
    if left:
        lines[..., :left] = _ramp(own[0], lines[..., left : left + 1], left, dtype)
    if right:
        lines[..., stop:] = _ramp(own[1], lines[..., stop - 1 : stop], right, dtype)[..., ::-1]


@private
def _fill(lines, left, right, own, mode, reflect_type):
    """Fill the ends of lines in a mode; `own` holds the axis's values or lengths."""
    if mode == "constant":
        _fill_ends(lines, left, right, own[0], own[1])
    elif mode == "edge":
        _extend_edges(lines, left, right)
    elif mode == "wrap":
        _wrap(lines, left, right)
    elif mode == "reflect":
        _reflect(lines, left, right, 0, reflect_type)
    elif mode == "symmetric":
        _reflect(lines, left, right, 1, reflect_type)
    elif mode == "linear_ramp":
        _fill_with_ramps(lines, left, right, own)
    elif mode != "empty":
        _fill_with_statistics(lines, left, right, own, mode)


# --- all axes ---------------------------------------------------------------------------------


@private
def _longer(shape, widths):
    for k in range(len(shape)):
        shape = replaced(shape, k, shape[k] + widths[k, 0] + widths[k, 1])
    return shape


@private
def _inner(out, shape, widths, first):
    """A view of the new array without the padding of axes from `first` on."""
    view = strided(out, out.shape, out.strides)
    for k in range(first, out.ndim):
        view = part_along(view, k, widths[k, 0], widths[k, 0] + shape[k])
    return view


@private
def _own_values(array, mode, constant_values, end_values, stat_length):
    """The fill values of each axis, or the lengths that its statistics cover."""
    if mode == "linear_ramp":
        return _pairs(end_values, array, "end_values")
    if mode not in _STATISTICS:
        return _pairs(constant_values, array, "constant_values")
    if stat_length is None:
        return np.full((array.ndim, 2), -1)
    lengths = _pairs(stat_length, array, "stat_length")
    _require_widths(lengths)
    return lengths


@static
def _check_mode(array: Any, mode: Any, reflect_type: Any, own: Any) -> None:
    """Refuse an unknown mode, and values that the elements cannot hold."""
    if said(mode) not in _MODES:
        raise TypingError(f"mode '{said(mode)}' is not supported", hint="use a mode that NumPy has")
    if said(reflect_type) not in ("even", "odd"):
        raise TypingError(f"there is no reflect_type {said(reflect_type)!r}", hint="'even', 'odd'")
    if isinstance(own.dtype, types.Complex) and not isinstance(array.dtype, types.Complex):
        raise TypingError("real numbers are padded with real numbers", hint="convert the array")


@numpy(np.pad)
def pad(
    array: Numbers,
    pad_width: Anything,
    mode: Text = "constant",
    *,
    constant_values: Anything = 0,
    end_values: Anything = 0,
    stat_length: Anything = None,
    reflect_type: Text = "even",
):
    """A padded array."""
    widths = _pairs(pad_width, array, "pad_width")
    _require_widths(widths)
    if array.ndim == 0:
        return array.copy()
    own = _own_values(array, mode, constant_values, end_values, stat_length)
    _check_mode(array, mode, reflect_type, own)
    out = np.empty(_longer(array.shape, widths), array.dtype)
    _inner(out, array.shape, widths, 0)[...] = array
    for k in range(array.ndim):
        left, right = int(widths[k, 0]), int(widths[k, 1])
        extends_nothing = mode in ("constant", "empty")
        if not extends_nothing and array.shape[k] == 0 and left + right > 0:
            raise ValueError(
                f"can't extend empty axis {k} using modes other than 'constant' or 'empty'"
            )
        if array.shape[k] or extends_nothing:
            lines = lines_along(_inner(out, array.shape, widths, k + 1), k)
            _fill(lines, left, right, own[k], mode, reflect_type)
    return out
