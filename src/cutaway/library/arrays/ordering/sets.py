"""Arrays as sets: `unique`, also of rows, `unique_all unique_counts unique_inverse unique_values`,
`isin in1d intersect1d union1d setdiff1d setxor1d`.

All of them sort and then scan the sorted elements once; for integers in a small range `unique` and
`isin` use a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.dtypes import element_dtype, joint_dtype
from cutaway.library.arrays.kit.lines import layers_along
from cutaway.library.arrays.kit.order import is_new
from cutaway.library.arrays.kit.places import place_from_left
from cutaway.library.arrays.kit.sorts import sort_all
from cutaway.library.arrays.kit.takes import (
    Flag,
    IntegerOrNone,
    Numbers,
    Reals,
    numpy,
)
from cutaway.library.arrays.kit.typers import has_real_elements, left_out, private, said
from cutaway.library.arrays.ordering.sorting import Sortable
from cutaway.typing import types
from cutaway.typing.types import Tuple

# --- integers in a small range, by a table of bytes ---------------------------------------------

_ROOM = 8  # table bytes per element up to which a table is faster than sorting
_LEAST = 1024


@private
def _span_of(line):
    """The smallest integer of a line and the distance of the largest from it; -1 if a table would
    be too large, or for an empty line."""
    if len(line) == 0:
        return np.uint64(0), -1
    low, high = np.uint64(line.min()), np.uint64(line.max())
    span = high - low  # wraps around correctly for negative numbers
    return low, np.int64(span) if span < np.uint64(max(_ROOM * len(line), _LEAST)) else np.int64(-1)


@private
def _distinct_in_span(line, low, span):
    """The distinct elements of a line in sorted order, by the range from `_span_of`."""
    table, count = np.zeros(span + 1, np.uint8), 0
    for x in line:
        table[np.int64(np.uint64(x) - low)] = 1
    for seen in table:
        count += seen
    out, n = np.empty(count, line.dtype), 0
    for k in range(len(table)):
        if table[k]:
            out[n] = line.dtype.type(np.uint64(k) + low)
            n += 1
    return out


# --- distinct elements ------------------------------------------------------------------------


def _is_reals_or_tuple(argument: Any) -> bool:
    several = isinstance(argument, Tuple) and all(map(types.is_real, argument.items))
    return several or has_real_elements(argument)


RealsOrTuple = Takes("real numbers in an array or a tuple, or one of them", _is_reals_or_tuple)


@private
def _differ(x, last, apart):
    """True if an element differs from the one before it; NaNs are equal unless `apart`."""
    return x != last if apart else is_new(x, last)


@private
def _distinct(line, apart):
    """The distinct elements of a sorted line; several NaNs are one unless `apart`."""
    count = 0
    for k in range(len(line)):
        if k == 0 or _differ(line[k], line[k - 1], apart):
            line[count] = line[k]
            count += 1
    return line[:count].copy()


@private
def _elements(a, dtype):
    """All elements as one line of a dtype."""
    if isinstance(a, (tuple, list)):
        return np.array(a).ravel().astype(dtype)
    return a.ravel().astype(dtype) if isinstance(a, np.ndarray) else np.full(1, a, dtype)


@private
def _groups(line, apart):
    """The distinct elements of a line, the first index of each, the group of each element, and the
    size of each group."""
    order = np.argsort(line, kind="stable")
    first, counts = np.empty(len(line), np.int64), np.zeros(len(line), np.int64)
    inverse, values = np.empty(len(line), np.int64), np.empty(len(line), line.dtype)
    n = -1
    for k in range(len(line)):
        if k == 0 or _differ(line[order[k]], line[order[k - 1]], apart):
            n += 1
            first[n], values[n] = order[k], line[order[k]]
        counts[n] += 1
        inverse[order[k]] = n
    count = n + 1
    return values[:count].copy(), first[:count].copy(), inverse, counts[:count].copy()


@private
def _chosen(groups, return_index, return_inverse, return_counts):
    """The distinct elements, with those of the three lines about them that are requested."""
    values, index, inverse, counts = groups
    parts = (values,)
    if return_index:
        parts = parts + (index,)  # noqa: RUF005  a list cannot be typed
    if return_inverse:
        parts = parts + (inverse,)  # noqa: RUF005
    if return_counts:
        parts = parts + (counts,)  # noqa: RUF005
    return parts


@numpy(np.unique)
def unique(
    ar: Sortable,
    return_index: Flag = False,
    return_inverse: Flag = False,
    return_counts: Flag = False,
    axis: IntegerOrNone = None,
    *,
    equal_nan: Flag = True,
    sorted: Flag = True,  # noqa: A002  NumPy's name
):
    """The distinct elements, or parts along an axis, in sorted order."""
    several = return_index or return_inverse or return_counts
    if axis is not None and ar.ndim != 1:
        if ar.ndim == 0 or ar.dtype.kind not in "biufc":
            refuse("only arrays of numbers have distinct parts along an axis", "leave out `axis`")
        rows = _chosen(_unique_rows(ar, axis), return_index, return_inverse, return_counts)
        return rows if several else rows[0]
    if axis is not None:
        layers_along(ar, axis)  # raises AxisError
    if several:
        values, index, inverse, counts = _groups(ar.ravel(), not equal_nan)
        groups = values, index, inverse.reshape(ar.shape), counts
        return _chosen(groups, return_index, return_inverse, return_counts)
    if ar.dtype.kind in "iu":
        low, span = _span_of(ar.ravel())
        if span >= 0:
            return _distinct_in_span(ar.ravel(), low, span)
    line = ar.flatten()
    sort_all(line)
    return _distinct(line, not equal_nan)


@private
def _order_of_rows(rows):
    """The positions of rows in lexicographic order."""
    places = np.arange(len(rows))
    for k in range(rows.shape[1] - 1, -1, -1):
        column = np.empty(len(rows), rows.dtype)
        for n in range(len(rows)):
            column[n] = rows[places[n], k]
        places = np.take(places, np.argsort(column, kind="stable"))
    return places


@private
def _same_rows(first, second):
    for k in range(len(first)):  # noqa: SIM110  loops are the point
        if first[k] != second[k]:
            return False
    return True


@private
def _unique_rows(ar, axis):
    """The distinct parts along an axis, and the same index arrays as `_groups`."""
    layers = layers_along(ar, axis)
    size = 1
    for one in layers.shape[1:]:
        size *= one
    count = len(layers)
    rows = layers.copy().reshape(count, size)
    order, n = _order_of_rows(rows), -1
    first, times = np.empty(count, np.int64), np.zeros(count, np.int64)
    groups = np.empty(count, np.int64)
    for k in range(count):
        if k == 0 or not _same_rows(rows[order[k]], rows[order[k - 1]]):
            n += 1
            first[n] = order[k]
        times[n] += 1
        groups[order[k]] = n
    found = n + 1
    out = np.empty((found, *layers.shape[1:]), ar.dtype)
    for k in range(found):
        out[k] = layers[first[k]]
    return np.moveaxis(out, 0, axis), first[:found].copy(), groups, times[:found].copy()


# --- array API functions ----------------------------------------------------------------------


def _result_class(function: Any) -> Any:
    return type(function(np.zeros(1)))


_All, _Counts, _Inverse = map(_result_class, (np.unique_all, np.unique_counts, np.unique_inverse))


@numpy(np.unique_all)
def unique_all(x: Numbers):
    """The distinct elements, with first indices, inverse and counts."""
    values, first, inverse, counts = _groups(x.ravel(), True)
    return _All(values, first, inverse.reshape(x.shape), counts)


@numpy(np.unique_counts)
def unique_counts(x: Numbers):
    """The distinct elements, and their counts."""
    groups = _groups(x.ravel(), True)
    return _Counts(groups[0], groups[3])


@numpy(np.unique_inverse)
def unique_inverse(x: Numbers):
    """The distinct elements, and the group of each element."""
    groups = _groups(x.ravel(), True)
    return _Inverse(groups[0], groups[2].reshape(x.shape))


@numpy(np.unique_values)
def unique_values(x: Numbers):
    """The distinct elements."""
    return np.unique(x, equal_nan=False)


# --- membership -------------------------------------------------------------------------------


@static
def _dtype_of(argument):
    if not isinstance(argument, Tuple):
        return element_dtype(argument)
    items = argument.items
    return np.result_type(*map(element_dtype, items)) if items else np.dtype("d")


@static
def _whole_numbers(argument):
    """The integer dtype in which elements are looked up in a table; None for floats."""
    dtype = _dtype_of(argument)
    return np.dtype(np.uint8) if dtype.kind == "b" else dtype if dtype.kind in "iu" else None


@static
def _joint_of(a, b):
    return np.result_type(_dtype_of(a), _dtype_of(b))


@static
def _least_of(a, b):
    """The least integer that elements of both arrays can have, in the dtype of the first."""
    first, second = _whole_numbers(a), _whole_numbers(b)
    return first.type(max(np.iinfo(first).min, np.iinfo(second).min))


@static
def _largest_of(a, b):
    """The largest integer that elements of both arrays can have, in the dtype of the first."""
    first, second = _whole_numbers(a), _whole_numbers(b)
    return first.type(min(np.iinfo(first).max, np.iinfo(second).max))


@static
def _room_of(b):
    """The maximum length of the table that NumPy makes for these integers."""
    return np.uint64(min(int(np.iinfo(_whole_numbers(b)).max), 2**63 - 1))


@static
def _way_of(kind, a, b):
    """The algorithm that `isin` uses. Raises TypingError for those that NumPy refuses."""
    name = "" if left_out(kind) else said(kind)
    if name not in ("", "sort", "table"):
        raise TypingError(f"Invalid kind: {name!r}", hint="use None, 'sort' or 'table'")
    if name == "table" and None in (_whole_numbers(a), _whole_numbers(b)):
        raise TypingError(
            "The 'table' method is only supported for boolean or integer arrays",
            hint="select 'sort' or None for kind",
        )
    return name


@private
def _find_by_table(line, sought, least, largest, out):
    """Look up each element of a line in a table of the sought ones."""
    table = np.zeros(np.int64(np.uint64(largest) - np.uint64(least)) + 1, np.bool_)
    for y in sought:
        table[np.int64(np.uint64(y) - np.uint64(least))] = True
    low, high = _least_of(line, sought), _largest_of(line, sought)
    keep, cast = _whole_numbers(line).type, sought.dtype.type
    for k in range(len(line)):
        x = keep(line[k])
        y = cast(x)
        inside = low <= x and x <= high and least <= y and y <= largest
        out[k] = inside and table[np.int64(np.uint64(y) - np.uint64(least)) if inside else 0]


@private
def _find_integers(line, b, out, way):
    """Store for each integer of a line whether it is in `b`."""
    sought = _elements(b, _whole_numbers(b))
    if len(sought) == 0:
        out[:] = False
        return
    least, largest = sought.min(), sought.max()
    span = np.uint64(largest) - np.uint64(least)
    if way != "sort" and span <= _room_of(b):
        if way == "table" or span <= np.uint64(6 * (len(line) + len(sought))):
            _find_by_table(line, sought, least, largest, out)
            return
    elif way == "table":
        raise RuntimeError(
            "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed"
            " the maximum integer of the datatype. Please set `kind` to None or 'sort'."
        )
    if _joint_of(line, sought).kind == "f" and len(sought) >= 10 * len(line) ** 0.145:
        _find_floats(line, b, out, np.float64)
        return
    sort_all(sought)
    low, high = _least_of(line, sought), _largest_of(line, sought)
    keep, cast = _whole_numbers(line).type, sought.dtype.type
    for k in range(len(line)):
        x = keep(line[k])
        y = cast(x)
        n = place_from_left(sought, y, cast)
        out[k] = low <= x and x <= high and n < len(sought) and sought[n] == y


@private
def _find_floats(line, b, out, cast):
    """Store for each element of a line whether it is in `b`, both converted by `cast`."""
    sought = _elements(b, cast)
    sort_all(sought)
    for k in range(len(line)):
        x = cast(line[k])
        n = place_from_left(sought, x, cast)
        out[k] = n < len(sought) and sought[n] == x


@private
def _isin(a, b, invert, kind):
    """Whether each element of an array, or a number, is in another array."""
    way = _way_of(kind, a, b)
    line = _elements(a, _dtype_of(a))
    out = np.empty(len(line), np.bool_)
    if _whole_numbers(a) is None or _whole_numbers(b) is None:
        _find_floats(line, b, out, _joint_of(a, b).type)
    else:
        _find_integers(line, b, out, way)
    if invert:
        for k in range(len(out)):
            out[k] = not out[k]
    return out


@numpy(np.isin)
def isin(
    element: Reals,
    test_elements: RealsOrTuple,
    assume_unique=False,
    invert: Flag = False,
    *,
    kind=None,
):
    """Whether each element of an array is in another one."""
    found = _isin(element, test_elements, invert, kind)
    return found.reshape(element.shape) if isinstance(element, np.ndarray) else found.reshape(())


def _register_in1d(function: Any) -> None:
    @numpy(function)
    def in1d(
        ar1: Reals, ar2: RealsOrTuple, assume_unique=False, invert: Flag = False, *, kind=None
    ):
        return _isin(ar1, ar2, invert, kind)


if hasattr(np, "in1d"):
    _register_in1d(np.in1d)


# --- two arrays -------------------------------------------------------------------------------


@private
def _set_of(a, plain):
    """The distinct elements in sorted order; all elements if they are declared distinct."""
    return a.ravel() if plain else np.unique(a)


@private
def _both(first, second):
    """The elements of two lines joined."""
    line = np.empty(first.size + second.size, joint_dtype(first, second))
    line[: first.size] = first
    line[first.size :] = second
    return line


@numpy(np.union1d)
def union1d(ar1: Numbers, ar2: Numbers):
    """The distinct elements of two arrays, sorted."""
    return np.unique(_both(ar1.ravel(), ar2.ravel()))


@private
def _common(first, second):
    """The common elements of two lines, and their positions in each."""
    line = _both(first, second)
    order = np.argsort(line, kind="stable")
    count, size = 0, max(len(line) - 1, 0)
    own, other = np.empty(size, np.int64), np.empty(size, np.int64)
    out = np.empty(size, line.dtype)
    for k in range(size):
        if line[order[k]] == line[order[k + 1]]:
            out[count] = line[order[k]]
            own[count], other[count] = order[k], order[k + 1] - len(first)
            count += 1
    return out[:count].copy(), own[:count].copy(), other[:count].copy()


@numpy(np.intersect1d)
def intersect1d(
    ar1: Numbers, ar2: Numbers, assume_unique: Flag = False, return_indices: Flag = False
):
    """The distinct elements that two arrays have in common, and their positions in each."""
    if return_indices:
        if assume_unique:
            return _common(ar1.ravel(), ar2.ravel())
        first, own = np.unique(ar1, return_index=True)
        second, other = np.unique(ar2, return_index=True)
        out, at_first, at_second = _common(first, second)
        return out, np.take(own, at_first), np.take(other, at_second)
    line = _both(_set_of(ar1, assume_unique), _set_of(ar2, assume_unique))
    sort_all(line)
    count = 0
    for k in range(len(line) - 1):
        if line[k] == line[k + 1]:
            line[count] = line[k]
            count += 1
    return line[:count].copy()


@numpy(np.setxor1d)
def setxor1d(ar1: Numbers, ar2: Numbers, assume_unique: Flag = False):
    """The distinct elements that are in exactly one of two arrays."""
    line = _both(_set_of(ar1, assume_unique), _set_of(ar2, assume_unique))
    sort_all(line)
    count = 0
    out = np.empty(len(line), line.dtype)
    for k in range(len(line)):
        alone = k == 0 or line[k] != line[k - 1]
        if alone and (k == len(line) - 1 or line[k] != line[k + 1]):
            out[count] = line[k]
            count += 1
    return out[:count].copy()


@numpy(np.setdiff1d)
def setdiff1d(ar1: Numbers, ar2: Numbers, assume_unique: Flag = False):
    """The distinct elements of an array that are not in another one."""
    line, count = _set_of(ar1, assume_unique), 0
    found = _isin(line, ar2, False, None)
    out = np.empty(len(line), line.dtype)
    for k in range(len(line)):
        if not found[k]:
            out[count] = line[k]
            count += 1
    return out[:count].copy()
