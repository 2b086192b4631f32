"""`heapq`: heaps in lists, in the order that CPython leaves in them."""

from __future__ import annotations

import heapq

from cutaway.extending.bodies import body
from cutaway.library.containers.list_methods import Index, Items, is_sized
from cutaway.library.containers.list_order import OPTIONS, private
from cutaway.library.containers.lists import AnyList, swap, unchecked

_EMPTY = "index out of range"


@private
def _rise(heap, start, place, backward):
    """Move the item at an index toward `start`, past larger ones."""
    item = unchecked(heap, place)
    while place > start:
        parent = (place - 1) >> 1
        above = unchecked(heap, parent)
        if not (above < item if backward else item < above):
            break
        swap(heap, place, parent)
        place = parent


@private
def _sink(heap, start, backward):
    """Move the item at an index to a leaf, past the smaller children, and from there to where it
    belongs: most items belong near the leaves."""
    place, size = start, len(heap)
    child = 2 * start + 1
    while child < size:
        if child + 1 < size:
            left, right = unchecked(heap, child), unchecked(heap, child + 1)
            if not (right < left if backward else left < right):
                child += 1
        swap(heap, place, child)
        place, child = child, 2 * child + 1
    _rise(heap, start, place, backward)


@private
def _push(heap, item, backward):
    heap.append(item)
    _rise(heap, 0, len(heap) - 1, backward)


@private
def _pop(heap, backward):
    if len(heap) == 0:
        raise IndexError(_EMPTY)
    last = heap.pop()
    return _replace(heap, last, backward) if heap else last


@private
def _replace(heap, item, backward):
    if len(heap) == 0:
        raise IndexError(_EMPTY)
    least = heap[0]
    heap[0] = item
    _sink(heap, 0, backward)
    return least


@private
def _push_pop(heap, item, backward):
    if len(heap) == 0:
        return item
    least = heap[0]
    is_first = not (item < least if backward else least < item)
    return item if is_first else _replace(heap, item, backward)


@private
def _arrange(heap, backward):
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, place, backward)


@private
def _first(n, iterable, key, backward):
    """Return the first n items in order, from a heap with the last of them on top: of each its
    rank, its turn, and its index in `kept`."""
    if is_sized(iterable) and n >= len(iterable):
        return sorted(iterable, key=key, reverse=backward)
    heap, kept, made = [], [], []
    items = iter(iterable)
    step = -1 if backward else 1
    for turn, item in zip(range(n), items):
        heap.append((item if key is None else key(item), turn * step, turn))
        kept.append(item)
    if len(heap) == 0:
        return made
    _arrange(heap, not backward)
    turn = n * step
    for item in items:
        rank = item if key is None else key(item)
        last = heap[0]
        if last[0] < rank if backward else rank < last[0]:
            kept[last[2]] = item
            _replace(heap, (rank, turn, last[2]), not backward)
            turn += step
    heap.sort(reverse=backward)
    for _, _, k in heap:
        made.append(kept[k])
    return made


@body(heapq.nsmallest, **OPTIONS)
def smallest(n: Index, iterable: Items, key=None):
    return _first(n, iterable, key, False)


@body(heapq.nlargest, **OPTIONS)
def largest(n: Index, iterable: Items, key=None):
    return _first(n, iterable, key, True)


@body(heapq.heappush, **OPTIONS)
def push(heap: AnyList, item):
    _push(heap, item, False)


@body(heapq.heappop, **OPTIONS)
def pop(heap: AnyList):
    return _pop(heap, False)


@body(heapq.heapify, **OPTIONS)
def arrange(heap: AnyList):
    _arrange(heap, False)


@body(heapq.heapreplace, **OPTIONS)
def replace(heap: AnyList, item):
    return _replace(heap, item, False)


@body(heapq.heappushpop, **OPTIONS)
def push_pop(heap: AnyList, item):
    return _push_pop(heap, item, False)


if hasattr(heapq, "heapify_max"):  # since Python 3.14

    @body(heapq.heappush_max, **OPTIONS)
    def push_max(heap: AnyList, item):
        _push(heap, item, True)

    @body(heapq.heappop_max, **OPTIONS)
    def pop_max(heap: AnyList):
        return _pop(heap, True)

    @body(heapq.heapify_max, **OPTIONS)
    def arrange_max(heap: AnyList):
        _arrange(heap, True)

    @body(heapq.heapreplace_max, **OPTIONS)
    def replace_max(heap: AnyList, item):
        return _replace(heap, item, True)

    @body(heapq.heappushpop_max, **OPTIONS)
    def push_pop_max(heap: AnyList, item):
        return _push_pop(heap, item, True)
