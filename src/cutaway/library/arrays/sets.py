"""Arrays as sets: `unique isin in1d intersect1d union1d setdiff1d setxor1d`.

All of them sort once and go through the sorted elements once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.dtypes import joint, promoted
from cutaway.library.arrays.kit.order import before, is_new
from cutaway.library.arrays.kit.places import place_from_left
from cutaway.library.arrays.kit.typers import flag, has_real_elements, is_array, numpy, private
from cutaway.library.arrays.sorting import sort_all
from cutaway.typing.types import Array


@private
def distinct(line):  # type: ignore[no-untyped-def]
    """The elements of a sorted line, each once; of several NaNs the first."""
    count = 0
    for k in range(len(line)):
        if k == 0 or is_new(line[k], line[k - 1]):
            line[count] = line[k]
            count += 1
    return line[:count].copy()


@private
def sorted_elements(a, dtype):  # type: ignore[no-untyped-def]
    """All elements in one sorted line, as a dtype."""
    line = np.empty(a.size, dtype)
    k = 0
    for x in a.flat:
        line[k] = x
        k += 1
    sort_all(line)
    return line


@private
def _groups(ar):  # type: ignore[no-untyped-def]
    """The distinct elements, where each is first, which of them each element is, and how often
    each is there."""
    line = ar.ravel()
    order = np.argsort(line, kind="stable")
    first, counts = np.empty(len(line), np.int64), np.zeros(len(line), np.int64)
    inverse = np.empty(len(line), np.int64)
    n = -1
    for k in range(len(line)):
        if k == 0 or is_new(line[order[k]], line[order[k - 1]]):
            n += 1
            first[n] = order[k]
        counts[n] += 1
        inverse[order[k]] = n
    count = n + 1
    places = first[:count].copy()
    return np.take(line, places), places, inverse.reshape(ar.shape), counts[:count].copy()


def _part_if(wanted):  # type: ignore[no-untyped-def]
    """A function that puts a part of the result into a tuple, or returns an empty one."""
    return private((lambda part: (part,)) if wanted else (lambda part: ()))


@numpy(np.unique)
def _unique(ar, return_index=False, return_inverse=False, return_counts=False):  # type: ignore[no-untyped-def]
    wanted = flag(return_index), flag(return_inverse), flag(return_counts)
    if not is_array(ar) or None in wanted:
        return None
    index, inverse, counts = map(_part_if, wanted)

    def values(ar, return_index=False, return_inverse=False, return_counts=False):  # type: ignore[no-untyped-def]
        line = ar.flatten()
        sort_all(line)
        return distinct(line)

    def parts(ar, return_index=False, return_inverse=False, return_counts=False):  # type: ignore[no-untyped-def]
        result = _groups(ar)
        return (result[0],) + index(result[1]) + inverse(result[2]) + counts(result[3])  # noqa: RUF005

    return parts if any(wanted) else values


def _isin(a, b):  # type: ignore[no-untyped-def]
    """The implementation that tests whether each element, or a number, is in another array."""
    if not has_real_elements(a, b) or not isinstance(b, Array):
        return None
    dtype = joint(a, b)
    cast = dtype.type

    @private
    def contains(line, x):  # type: ignore[no-untyped-def]
        k = place_from_left(line, x, cast)
        return k < len(line) and line[k] == x

    def of_array(a, b):  # type: ignore[no-untyped-def]
        line = sorted_elements(b, dtype)
        out = np.empty(a.shape, np.bool_)
        flat = out.ravel()
        k = 0
        for x in a.flat:
            flat[k] = contains(line, cast(x))
            k += 1
        return out

    def of_number(a, b):  # type: ignore[no-untyped-def]
        return np.array((contains(sorted_elements(b, dtype), cast(a)),)).reshape(())

    return private(of_array if isinstance(a, Array) else of_number)


@numpy(np.isin)
def _isin_typer(element, test_elements):  # type: ignore[no-untyped-def]
    isin = _isin(element, test_elements)
    return None if isin is None else (lambda element, test_elements: isin(element, test_elements))


def _register_in1d(function: Any) -> None:  # Any: a function of NumPy, gone since 2.4
    @numpy(function)
    def in1d(ar1, ar2):  # type: ignore[no-untyped-def]
        result = _isin(ar1, ar2) if is_array(ar1) else None
        return None if result is None else (lambda ar1, ar2: result(ar1.ravel(), ar2))


if hasattr(np, "in1d"):
    _register_in1d(np.in1d)


def _distinct_of_both(ar1, ar2):  # type: ignore[no-untyped-def]
    return is_array(ar1) and is_array(ar2)


@numpy(np.union1d)
def _union1d(ar1, ar2):  # type: ignore[no-untyped-def]
    if not _distinct_of_both(ar1, ar2):
        return None
    dtype = promoted(ar1, ar2)

    def union1d(ar1, ar2):  # type: ignore[no-untyped-def]
        line = np.empty(ar1.size + ar2.size, dtype)
        k = 0
        for x in ar1.flat:
            line[k] = x
            k += 1
        for x in ar2.flat:
            line[k] = x
            k += 1
        sort_all(line)
        return distinct(line)

    return union1d


def _register_of_two(function: Any, both: bool, first: bool, second: bool, keeps: bool) -> None:
    """`function` keeps what is in both arrays, only in the first, only in the second; with
    `keeps` in the dtype of the first."""

    @numpy(function)
    def of_two(ar1, ar2):  # type: ignore[no-untyped-def]
        if not has_real_elements(ar1, ar2) or not _distinct_of_both(ar1, ar2):
            return None
        dtype = promoted(ar1, ar2)
        result = promoted(ar1) if keeps else dtype

        def of_two(ar1, ar2):  # type: ignore[no-untyped-def]
            a, b = distinct(sorted_elements(ar1, dtype)), distinct(sorted_elements(ar2, dtype))
            out = np.empty(len(a) + len(b), result)
            i, j, count = 0, 0, 0
            while i < len(a) or j < len(b):
                behind_b = j < len(b) and (i == len(a) or before(b[j], a[i]))
                in_both = i < len(a) and j < len(b) and a[i] == b[j]
                taken = both if in_both else (second if behind_b else first)
                if taken:
                    out[count] = b[j] if behind_b else a[i]
                    count += 1
                j += behind_b or in_both
                i += not behind_b
            return out[:count].copy()

        return of_two


_register_of_two(np.intersect1d, True, False, False, False)
_register_of_two(np.setdiff1d, False, True, False, True)
_register_of_two(np.setxor1d, False, True, True, False)
