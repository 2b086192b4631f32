"""The order of lists: `sort`, `sorted`, and the `min` and `max` of a list."""

from __future__ import annotations

from cutaway.extending.bodies import body, static
from cutaway.extending.overloads import register_jitable
from cutaway.extending.registry import method
from cutaway.library.arrays.kit import typers
from cutaway.library.containers.list_methods import Items, Several, _items_of, has_items
from cutaway.library.containers.lists import AnyList, numbers_of, swap
from cutaway.library.core.messages import message_of
from cutaway.typing import types
from cutaway.typing.types import List

# A key is the user's own function, which divides as Python does.
OPTIONS = {**typers.OPTIONS, "error_model": "python"}
private = register_jitable(**OPTIONS)
_NO_MIN = message_of(lambda: min([]))
_NO_MAX = message_of(lambda: max([]))


@body(method(List, "sort"), **OPTIONS)
def sort(items: AnyList, *, key=None, reverse=False):
    if has_items(items):
        _sort(items, key, bool(reverse))


@body(sorted, **OPTIONS)
def sorted_items(iterable: Items, *, key=None, reverse=False):
    made = _items_of(iterable)
    if has_items(made):
        _sort(made, key, bool(reverse))
    return made


@private
def _sort(items, key, backward):
    if key is None:
        _merge_sort(items, None, backward)
        return
    keys = [key(items[0])] if items else []
    for k in range(1, len(items)):
        keys.append(key(items[k]))
    order = list(range(len(keys)))
    _merge_sort(order, keys, backward)
    before = items.copy()
    for k in range(len(order)):
        items[k] = before[order[k]]


@private
def _merge_sort(items, keys, backward):
    """Sort items, or the numbers of `keys`, by merging runs that are in order already: linear where
    the list is one run."""
    size = len(items)
    if size < 2:
        return
    starts = [0]
    k = 1
    while k < size:
        if _precedes(items[k], items[k - 1], keys, backward):
            while k < size and _precedes(items[k], items[k - 1], keys, backward):
                k += 1
            low, high = starts[-1], k - 1
            while low < high:
                swap(items, low, high)
                low += 1
                high -= 1
        while k < size and not _precedes(items[k], items[k - 1], keys, backward):
            k += 1
        starts.append(k)
        k += 1
    if starts[-1] != size:
        starts.append(size)
    if len(starts) > 2 and keys is None and has_numbers(items) and _has_one_order(items):
        numbers = numbers_of(items)
        numbers.sort()
        if backward:
            items.reverse()
        return
    spare = items.copy() if len(starts) > 2 else items
    while len(starts) > 2:
        merged = [0]
        for run in range(0, len(starts) - 1, 2):
            if run + 2 < len(starts):
                _merge(items, spare, starts[run], starts[run + 1], starts[run + 2], keys, backward)
                merged.append(starts[run + 2])
            else:
                merged.append(starts[run + 1])
        starts = merged


@static
def has_numbers(items):
    """True for a list of integers or floats."""
    return isinstance(items.item, types.Integer | types.Float)


@static
def has_floats(items):
    """True for a list of floats."""
    return isinstance(items.item, types.Float)


@private
def _has_one_order(items):
    """True if equal numbers have the same bits, so that any sort has the same result."""
    if has_floats(items):
        for item in items:
            if item == 0.0 or item != item:
                return False
    return True


@private
def _precedes(first, second, keys, backward):
    if keys is None:
        return second < first if backward else first < second
    return keys[second] < keys[first] if backward else keys[first] < keys[second]


@private
def _merge(items, spare, low, middle, high, keys, backward):
    for k in range(low, middle):
        spare[k] = items[k]
    left, right, k = low, middle, low
    while left < middle and right < high:
        if _precedes(items[right], spare[left], keys, backward):
            items[k] = items[right]
            right += 1
        else:
            items[k] = spare[left]
            left += 1
        k += 1
    while left < middle:
        items[k] = spare[left]
        left += 1
        k += 1


# --- the least and the greatest -----------------------------------------------------------------


@body(min, **OPTIONS)
def least(items: Several, *, key=None):
    if not has_items(items):
        raise ValueError(_NO_MIN)
    return _first_by(items, key, False)


@body(max, **OPTIONS)
def greatest(items: Several, *, key=None):
    if not has_items(items):
        raise ValueError(_NO_MAX)
    return _first_by(items, key, True)


@body(min, **OPTIONS)
def least_or_default(items: Several, *, key=None, default):
    return _first_or_default(items, key, default, False) if has_items(items) else default


@body(max, **OPTIONS)
def greatest_or_default(items: Several, *, key=None, default):
    return _first_or_default(items, key, default, True) if has_items(items) else default


@private
def _first_by(items, key, backward):
    is_first = True
    for item in items:
        rank = item if key is None else key(item)
        if is_first:
            best, highest, is_first = item, rank, False
        elif rank > highest if backward else rank < highest:
            best, highest = item, rank
    if is_first:
        raise ValueError(_NO_MAX if backward else _NO_MIN)
    return best


@private
def _first_or_default(items, key, default, backward):
    best, is_first = default, True
    for item in items:
        rank = item if key is None else key(item)
        if is_first:
            best, highest, is_first = item, rank, False
        elif rank > highest if backward else rank < highest:
            best, highest = item, rank
    return best
