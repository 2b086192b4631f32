"""Arrays as sets: `unique`, also of rows, `unique_all unique_counts unique_inverse unique_values`,
`isin in1d intersect1d union1d setdiff1d setxor1d`.

All of them sort, and go through the sorted elements once; of integers in a small range `unique` and
`isin` look into a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import element_dtype, promoted
from cutaway.library.arrays.kit.lines import layers_along
from cutaway.library.arrays.kit.order import is_new
from cutaway.library.arrays.kit.places import place_from_left
from cutaway.library.arrays.kit.sorts import is_sortable, sort_all
from cutaway.library.arrays.kit.spans import distinct_in_span, span_of
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    flag,
    has_real_elements,
    is_array,
    is_integral,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- distinct elements ------------------------------------------------------------------------


@private
def differs(x, last):
    """True if an element differs from the one before it, as NaN does from all."""
    return x != last


@private
def distinct(line):
    """The elements of a sorted line, each once; of several NaNs the first."""
    count = 0
    for k in range(len(line)):
        if k == 0 or is_new(line[k], line[k - 1]):
            line[count] = line[k]
            count += 1
    return line[:count].copy()


@private
def distinct_apart(line):
    """The elements of a sorted line, each once, and all NaNs."""
    count = 0
    for k in range(len(line)):
        if k == 0 or differs(line[k], line[k - 1]):
            line[count] = line[k]
            count += 1
    return line[:count].copy()


def elements(a, dtype):
    """All elements in one line, as a dtype."""
    return np.array(a, dtype).flatten()


@overload(elements, jit_options=OPTIONS)
def _elements(a, dtype):
    if isinstance(a, Tuple):
        return lambda a, dtype: np.array(a).ravel().astype(dtype)
    if isinstance(a, Array):
        return lambda a, dtype: a.ravel().astype(dtype)
    return lambda a, dtype: np.full(1, a, dtype)


@private
def sorted_elements(a, dtype):
    """All elements in one sorted line, as a dtype."""
    line = elements(a, dtype)
    sort_all(line)
    return line


def _grouping(apart: bool) -> Any:
    """What gives the distinct elements of a line, where each is first, which of them each element
    is, and how often each is there; NaNs may stay apart."""
    new = differs if apart else is_new

    @private
    def groups(line):
        order = np.argsort(line, kind="stable")
        first, counts = np.empty(len(line), np.int64), np.zeros(len(line), np.int64)
        inverse, values = np.empty(len(line), np.int64), np.empty(len(line), line.dtype)
        n = -1
        for k in range(len(line)):
            if k == 0 or new(line[order[k]], line[order[k - 1]]):
                n += 1
                first[n], values[n] = order[k], line[order[k]]
            counts[n] += 1
            inverse[order[k]] = n
        count = n + 1
        return values[:count].copy(), first[:count].copy(), inverse, counts[:count].copy()

    return groups


def _part_if(wanted):
    """A function that puts a part of the result into a tuple, or returns an empty one."""
    return private((lambda part: (part,)) if wanted else (lambda part: ()))


@numpy(np.unique)
def _unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,  # noqa: A002  NumPy's name
):
    wanted = flag(return_index), flag(return_inverse), flag(return_counts)
    apart = flag(equal_nan)
    if not is_sortable(ar) or None in wanted or apart is None or flag(sorted) is None:
        return None
    if left_out(axis) or (ar.ndim == 1 and is_integral(axis)):
        reduced = _unique_elements(ar, axis, wanted, not apart)
    elif is_integral(axis) and ar.ndim and types.is_number(ar.dtype):
        reduced = _unique_rows(wanted)
    else:
        return None

    def unique(
        ar,
        return_index=False,
        return_inverse=False,
        return_counts=False,
        axis=None,
        *,
        equal_nan=True,
        sorted=True,  # noqa: A002
    ):
        return reduced(ar, axis)

    return unique


def _unique_elements(ar: Array, axis: Any, wanted: Any, apart: bool) -> Any:
    """The implementation for all elements, of `ar axis`."""
    index, inverse, counts = map(_part_if, wanted)
    groups, found = _grouping(apart), distinct_apart if apart else distinct
    checks = not left_out(axis)

    narrow = types.is_integral(ar.dtype) and not isinstance(ar.dtype, types.Boolean)

    @private
    def values(ar, axis):
        if checks:
            layers_along(ar, axis)
        if narrow:
            low, span = span_of(ar.ravel())
            if span >= 0:
                return distinct_in_span(ar.ravel(), low, span)
        line = ar.flatten()
        sort_all(line)
        return found(line)

    @private
    def parts(ar, axis):
        if checks:
            layers_along(ar, axis)
        result = groups(ar.ravel())
        places = result[2].reshape(ar.shape)
        return (result[0],) + index(result[1]) + inverse(places) + counts(result[3])  # noqa: RUF005

    return parts if any(wanted) else values


@private
def _order_of_rows(rows):
    """The places of rows in their order, which the first elements decide first."""
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


def _unique_rows(wanted: Any) -> Any:
    """The implementation for the parts of an array along an axis, of `ar axis`."""
    index, inverse, counts = map(_part_if, wanted)
    pack = private((lambda parts: parts) if any(wanted) else (lambda parts: parts[0]))

    @private
    def unique(ar, axis):
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
        parts = index(first[:found].copy()) + inverse(groups) + counts(times[:found].copy())
        return pack((np.moveaxis(out, 0, axis),) + parts)  # noqa: RUF005

    return unique


# --- as the array API has them ----------------------------------------------------------------


def _result_class(function: Any) -> Any:
    return type(function(np.zeros(1)))


def _register_parts(function: Any, makes: Any) -> None:
    """Register a function that gives a named tuple."""

    @numpy(function)
    def parts_of(x):
        if not is_array(x):
            return None
        groups = _grouping(True)
        return lambda x: makes(groups(x.ravel()), x.shape)


_All, _Counts, _Inverse = map(_result_class, (np.unique_all, np.unique_counts, np.unique_inverse))


@private
def _all_parts(parts, shape):
    return _All(parts[0], parts[1], parts[2].reshape(shape), parts[3])


_register_parts(np.unique_all, _all_parts)
_register_parts(np.unique_counts, private(lambda parts, shape: _Counts(parts[0], parts[3])))
_register_parts(
    np.unique_inverse, private(lambda parts, shape: _Inverse(parts[0], parts[2].reshape(shape)))
)


@numpy(np.unique_values)
def _unique_values(x):
    return (lambda x: np.unique(x, equal_nan=False)) if is_array(x) else None


# --- what is in another array -----------------------------------------------------------------


def _whole_numbers(argument: Any) -> np.dtype[Any] | None:
    """The dtype of integers as which elements are looked for in a table; None for floats."""
    dtype = _dtype_of(argument)
    return np.dtype(np.uint8) if dtype.kind == "b" else dtype if dtype.kind in "iu" else None


def _dtype_of(argument: Any) -> np.dtype[Any]:
    if isinstance(argument, Tuple):
        return (
            np.result_type(*map(element_dtype, argument.items)) if argument.items else np.dtype("d")
        )
    return element_dtype(argument)


def _finder(a: Any, b: Any, kind: str | None) -> Any:
    """What tells for each element of a line `a` whether it is in `b`, a function of these."""
    first, second = _whole_numbers(a), _whole_numbers(b)
    if first is None or second is None:
        return _finder_of_floats(np.result_type(_dtype_of(a), _dtype_of(b)))
    own, other = np.iinfo(first), np.iinfo(second)
    low, high = first.type(max(own.min, other.min)), first.type(min(own.max, other.max))
    cast, keep, room = second.type, first.type, min(int(other.max), 2**63 - 1)
    may_look, must_look = kind != "sort", kind == "table"
    mixed = np.result_type(first, second).kind == "f"
    of_floats = _finder_of_floats(np.dtype(np.float64))

    @private
    def by_table(line, sought, least, largest, out):
        table = np.zeros(np.int64(np.uint64(largest) - np.uint64(least)) + 1, np.bool_)
        for y in sought:
            table[np.int64(np.uint64(y) - np.uint64(least))] = True
        for k in range(len(line)):
            x = keep(line[k])
            y = cast(x)
            inside = low <= x and x <= high and least <= y and y <= largest
            out[k] = inside and table[np.int64(np.uint64(y) - np.uint64(least)) if inside else 0]

    @private
    def find(line, b, out):
        sought = elements(b, second)
        if len(sought) == 0:
            out[:] = False
            return
        least, largest = sought.min(), sought.max()
        span = np.uint64(largest) - np.uint64(least)
        if may_look and span <= np.uint64(room):
            if must_look or span <= np.uint64(6 * (len(line) + len(sought))):
                by_table(line, sought, least, largest, out)
                return
        elif must_look:
            raise RuntimeError(
                "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed"
                " the maximum integer of the datatype. Please set `kind` to None or 'sort'."
            )
        if mixed and len(sought) >= 10 * len(line) ** 0.145:
            of_floats(line, b, out)
            return
        sort_all(sought)
        for k in range(len(line)):
            x = keep(line[k])
            y = cast(x)
            n = place_from_left(sought, y, cast)
            out[k] = low <= x and x <= high and n < len(sought) and sought[n] == y

    return find


def _finder_of_floats(dtype: np.dtype[Any]) -> Any:
    cast = dtype.type

    @private
    def find(line, b, out):
        sought = sorted_elements(b, dtype)
        for k in range(len(line)):
            x = cast(line[k])
            n = place_from_left(sought, x, cast)
            out[k] = n < len(sought) and sought[n] == x

    return find


def _kind_of(kind: Any, a: Any, b: Any) -> str | None:
    """How `isin` is to find elements.  Raises TypingError where NumPy does not."""
    name = None if left_out(kind) else getattr(kind, "value", kind)
    if name not in (None, "sort", "table"):
        raise TypingError(f"Invalid kind: {name!r}", hint="use None, 'sort' or 'table'")
    if name == "table" and None in (_whole_numbers(a), _whole_numbers(b)):
        raise TypingError(
            "The 'table' method is only supported for boolean or integer arrays",
            hint="select 'sort' or None for kind",
        )
    return name


def _is_set(argument: Any) -> bool:
    """True if an argument has elements to look for: numbers with an order."""
    if isinstance(argument, Tuple):
        return all(map(types.is_real, argument.items))
    return has_real_elements(argument)


def _isin(a: Any, b: Any, invert: Any, kind: Any) -> Any:
    """The implementation that tests whether each element of an array, or a number, is in another
    one, a function of these."""
    inverts = flag(invert)
    if not has_real_elements(a) or not _is_set(b) or inverts is None:
        return None
    if isinstance(kind, types.Type) and not left_out(kind) and not hasattr(kind, "value"):
        return None
    find, dtype = _finder(a, b, _kind_of(kind, a, b)), element_dtype(a)

    @private
    def isin(a, b):
        line = elements(a, dtype)
        out = np.empty(len(line), np.bool_)
        find(line, b, out)
        if inverts:
            for k in range(len(out)):
                out[k] = not out[k]
        return out

    return isin


@numpy(np.isin)
def _isin_typer(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    isin = _isin(element, test_elements, invert, kind)

    def of_array(element, test_elements, assume_unique=False, invert=False, *, kind=None):
        return isin(element, test_elements).reshape(element.shape)

    def of_number(element, test_elements, assume_unique=False, invert=False, *, kind=None):
        return isin(element, test_elements).reshape(())

    if isin is None:
        return None
    return of_array if isinstance(element, Array) else of_number


def _register_in1d(function: Any) -> None:
    @numpy(function)
    def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
        isin = _isin(ar1, ar2, invert, kind)

        def of_array(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
            return isin(ar1, ar2)

        return None if isin is None else of_array


if hasattr(np, "in1d"):
    _register_in1d(np.in1d)


# --- two arrays -------------------------------------------------------------------------------


def _set_of(plain: bool | None) -> Any:
    """What gives the distinct elements in their order, or all that are told to be distinct."""
    return private((lambda a: a.ravel()) if plain else (lambda a: np.unique(a)))


def _in_one_line(dtype: np.dtype[Any]) -> Any:
    @private
    def both(first, second):
        line = np.empty(first.size + second.size, dtype)
        line[: first.size] = first
        line[first.size :] = second
        return line

    return both


@numpy(np.union1d)
def _union1d(ar1, ar2):
    if not is_array(ar1) or not is_array(ar2):
        return None
    both = _in_one_line(promoted(ar1, ar2))
    return lambda ar1, ar2: np.unique(both(ar1.ravel(), ar2.ravel()))


@numpy(np.intersect1d)
def _intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    plain, places = flag(assume_unique), flag(return_indices)
    if not is_array(ar1) or not is_array(ar2) or plain is None or places is None:
        return None
    both, set_of = _in_one_line(promoted(ar1, ar2)), _set_of(plain)

    def values(ar1, ar2, assume_unique=False, return_indices=False):
        line = both(set_of(ar1), set_of(ar2))
        sort_all(line)
        count = 0
        for k in range(len(line) - 1):
            if line[k] == line[k + 1]:
                line[count] = line[k]
                count += 1
        return line[:count].copy()

    @private
    def with_places(first, second):
        line = both(first, second)
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

    def of_all(ar1, ar2, assume_unique=False, return_indices=False):
        return with_places(ar1.ravel(), ar2.ravel())

    def of_sets(ar1, ar2, assume_unique=False, return_indices=False):
        first, own = np.unique(ar1, return_index=True)
        second, other = np.unique(ar2, return_index=True)
        out, at_first, at_second = with_places(first, second)
        return out, np.take(own, at_first), np.take(other, at_second)

    if not places:
        return values
    return of_all if plain else of_sets


@numpy(np.setxor1d)
def _setxor1d(ar1, ar2, assume_unique=False):
    if not is_array(ar1) or not is_array(ar2) or flag(assume_unique) is None:
        return None
    both, set_of = _in_one_line(promoted(ar1, ar2)), _set_of(flag(assume_unique))

    def setxor1d(ar1, ar2, assume_unique=False):
        line = both(set_of(ar1), set_of(ar2))
        sort_all(line)
        count = 0
        out = np.empty(len(line), line.dtype)
        for k in range(len(line)):
            alone = k == 0 or line[k] != line[k - 1]
            if alone and (k == len(line) - 1 or line[k] != line[k + 1]):
                out[count] = line[k]
                count += 1
        return out[:count].copy()

    return setxor1d


@numpy(np.setdiff1d)
def _setdiff1d(ar1, ar2, assume_unique=False):
    if not is_array(ar1) or not is_array(ar2) or flag(assume_unique) is None:
        return None
    isin, set_of = _isin(ar1, ar2, False, None), _set_of(flag(assume_unique))

    def setdiff1d(ar1, ar2, assume_unique=False):
        line, count = set_of(ar1), 0
        found = isin(line, ar2)
        out = np.empty(len(line), line.dtype)
        for k in range(len(line)):
            if not found[k]:
                out[count] = line[k]
                count += 1
        return out[:count].copy()

    return None if isin is None else setdiff1d
