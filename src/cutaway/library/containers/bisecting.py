"""`bisect`, of lists, arrays, ranges and tuples."""

from __future__ import annotations

import bisect

from cutaway.extending.bodies import Takes, body
from cutaway.library.containers.list_methods import Index
from cutaway.library.containers.list_order import OPTIONS, private
from cutaway.library.containers.lists import AnyList
from cutaway.typing.types import Array, Collected, List, Range, Tuple

Sorted = Takes("a list, an array, a range or a tuple", lambda ty: is_sequence(ty))


def is_sequence(ty):
    """True for a type of values with items in an order."""
    is_flat = isinstance(ty, (Array, Collected)) and ty.ndim == 1
    return is_flat or isinstance(ty, (List, Range, Tuple))


@private
def _place(items, x, low, high, key, after):
    """Return the first index whose item is not in front of x, or is behind it."""
    if low < 0:
        raise ValueError("lo must be non-negative")
    if high is None or high == -1:
        high = len(items)
    while low < high:
        middle = (low + high) >> 1
        item = items[middle] if key is None else key(items[middle])
        if not x < item if after else item < x:
            low = middle + 1
        else:
            high = middle
    return low


@body(bisect.bisect_left, **OPTIONS)
def before(a: Sorted, x, lo: Index = 0, hi=None, *, key=None):
    return _place(a, x, lo, hi, key, False)


@body(bisect.bisect_right, **OPTIONS)
def behind(a: Sorted, x, lo: Index = 0, hi=None, *, key=None):
    return _place(a, x, lo, hi, key, True)


@body(bisect.insort_left, **OPTIONS)
def put_before(a: AnyList, x, lo: Index = 0, hi=None, *, key=None):
    a.insert(_place(a, x if key is None else key(x), lo, hi, key, False), x)


@body(bisect.insort_right, **OPTIONS)
def put_behind(a: AnyList, x, lo: Index = 0, hi=None, *, key=None):
    a.insert(_place(a, x if key is None else key(x), lo, hi, key, True), x)
