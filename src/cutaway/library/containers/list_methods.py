"""Methods and operators of lists, written in Python over the primitives of `lists.py`."""

from __future__ import annotations

import operator

from cutaway.extending.bodies import Takes, body, static
from cutaway.extending.registry import method
from cutaway.ir.operators import BINARY
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.lists import (
    STORE_OUT_OF_RANGE,
    AnyList,
    add,
    cut,
    extent,
    fill,
    gap,
    list_over,
    new_list,
    unchecked,
)
from cutaway.library.core.messages import message_of
from cutaway.typing import types
from cutaway.typing.types import List, ListDisplay, Slice, Tuple
from cutaway.typing.types.containers import item_of

LARGEST = 2**63 - 1
Index = Takes("an int", types.is_integral)
Items = Takes(
    "something with items of one type",
    lambda ty: item_type_of(ty) is not None,
    takes_lists=True,
)
Extending = Takes(  # by `+=`, which makes an array with an array
    "something with items of one type",
    lambda ty: item_type_of(ty) is not None and not isinstance(ty, types.Array),
    takes_lists=True,
)
Unlike = Takes("a number, a tuple or a text", lambda ty: is_unlike(ty))
Part = Takes("a slice", lambda ty: isinstance(ty, Slice))


def is_unlike(ty):
    """True for the type of a value that is equal to no list."""
    if isinstance(ty, Tuple):
        return not isinstance(ty, ListDisplay)
    return types.is_number(ty) or types.text_classes(ty)


def item_type_of(ty):
    """Return the type of the items that a loop over a value reads; None if there is none."""
    iterator = ty.iterator()
    return None if iterator is None else item_of(iterator.item)


@static
def is_list(value):
    """True for a list."""
    return isinstance(value, List)


@static
def have_same_items(first, second):
    """True for two lists with items of the same type."""
    return isinstance(second, List) and first.item is second.item


@static
def tells_value():
    """True if Python's own `index` names the value in its message."""
    return _NOT_THERE.startswith("0")


_NOT_THERE = message_of(lambda: [].index(0))


@static
def is_sized(value):
    """True for an iterable that has a length."""
    return isinstance(value, (List, Tuple, types.Range, types.Array))


# --- methods --------------------------------------------------------------------------------------


@body(method(List, "extend"), **OPTIONS)
def extend(items: AnyList, iterable: Items):
    if have_same_items(items, iterable):
        _add_all(items, iterable)
    else:
        for item in iterable:
            items.append(item)


@body(operator.iadd, **OPTIONS)
def extended(items: AnyList, iterable: Extending):
    if have_same_items(items, iterable):
        _add_all(items, iterable)
    else:
        for item in iterable:
            items.append(item)
    return items


@private
def _add_all(items, others):
    if have_same_items(items, others):
        add(items, others, 0, 1, len(others))
    else:
        for item in others:
            items.append(item)


@body(method(List, "insert"), **OPTIONS)
def insert(items: AnyList, index: Index, item):
    size = len(items)
    if index < 0:
        index += size
        if index < 0:
            index = 0
    if index > size:
        index = size
    gap(items, index, 1)
    fill(items, index, item)


@body(method(List, "pop"), **OPTIONS)
def pop(items: AnyList, index: Index = -1):
    size = len(items)
    if size == 0:
        raise IndexError("pop from empty list")
    if index < 0:
        index += size
    if index < 0 or index >= size:
        raise IndexError("pop index out of range")
    item = unchecked(items, index)
    cut(items, index, 1)
    return item


@body(method(List, "remove"), **OPTIONS)
def remove(items: AnyList, value):
    for k in range(len(items)):
        if items[k] == value:
            cut(items, k, 1)
            return
    raise ValueError("list.remove(x): x not in list")


@body(method(List, "clear"), **OPTIONS)
def clear(items: AnyList):
    cut(items, 0, len(items))


@body(method(List, "copy"), **OPTIONS)
def copy(items: AnyList):
    made = new_list(items, items, len(items))
    _add_all(made, items)
    return made


@body(method(List, "count"), **OPTIONS)
def count(items: AnyList, value):
    total = 0
    for item in items:
        if item == value:
            total += 1
    return total


@body(method(List, "index"), **OPTIONS)
def index(items: AnyList, value, start: Index = 0, stop: Index = LARGEST):
    size = len(items)
    if start < 0:
        start = max(start + size, 0)
    if stop < 0:
        stop = max(stop + size, 0)
    for k in range(start, min(stop, size)):
        if items[k] == value:
            return k
    if tells_value():
        raise ValueError(f"{value!r} is not in list")
    raise ValueError(_NOT_THERE)


@private
@body(BINARY["in"].function, **OPTIONS)
def contains(value, items: AnyList):
    for item in items:
        if item == value:
            return True
    return False


@body(BINARY["not in"].function, **OPTIONS)
def lacks(value, items: AnyList):
    return not contains(value, items)


# --- operators ------------------------------------------------------------------------------------


@body(operator.add, **OPTIONS)
def concatenated(first: AnyList, second: AnyList):
    made = new_list(first, second, len(first) + len(second))
    _add_all(made, first)
    _add_all(made, second)
    return made


@private
def _size_of_all(items, times):
    """Return the number of items of a list that is repeated."""
    if times > LARGEST // max(len(items), 1):
        raise MemoryError
    return len(items) * max(times, 0)


@body(operator.mul, **OPTIONS)
def repeated(items: AnyList, times: Index):
    size = _size_of_all(items, times)
    made = new_list(items, items, size)
    _add_all(made, items[:size])
    while len(made) < size:  # twice as many each time
        add(made, made, 0, 1, min(len(made), size - len(made)))
    return made


@body(operator.mul, **OPTIONS)
def repeated_from_left(times: Index, items: AnyList):
    return items * times


@body(operator.imul, **OPTIONS)
def repeat(items: AnyList, times: Index):
    size = _size_of_all(items, times)
    if size == 0:
        cut(items, 0, len(items))
    while len(items) < size:
        add(items, items, 0, 1, min(len(items), size - len(items)))
    return items


@body(operator.eq, **OPTIONS)
def equal(first: AnyList, second: AnyList):
    if len(first) != len(second):
        return False
    for k in range(len(first)):
        if not first[k] == second[k]:
            return False
    return True


@body(operator.ne, **OPTIONS)
def unequal(first: AnyList, second: AnyList):
    return not first == second


@body(operator.eq, **OPTIONS)
def equal_to_other(first: AnyList, second: Unlike):
    return False


@body(operator.eq, **OPTIONS)
def other_equal(first: Unlike, second: AnyList):
    return False


@body(operator.ne, **OPTIONS)
def unequal_to_other(first: AnyList, second: Unlike):
    return True


@body(operator.ne, **OPTIONS)
def other_unequal(first: Unlike, second: AnyList):
    return True


@private
def _first_difference(first, second):
    size = min(len(first), len(second))
    for k in range(size):
        if not first[k] == second[k]:
            return k
    return size


@body(operator.lt, **OPTIONS)
def less(first: AnyList, second: AnyList):
    k = _first_difference(first, second)
    if k == len(first) or k == len(second):
        return len(first) < len(second)
    return first[k] < second[k]


@body(operator.le, **OPTIONS)
def less_or_equal(first: AnyList, second: AnyList):
    k = _first_difference(first, second)
    if k == len(first) or k == len(second):
        return len(first) <= len(second)
    return first[k] <= second[k]


@body(operator.gt, **OPTIONS)
def greater(first: AnyList, second: AnyList):
    return second < first


@body(operator.ge, **OPTIONS)
def greater_or_equal(first: AnyList, second: AnyList):
    return second <= first


# --- slices ---------------------------------------------------------------------------------------


@body(operator.getitem, **OPTIONS)
def part(items: AnyList, index: Part):
    first, size, step = extent(index, len(items))
    made = new_list(items, items, size)
    add(made, items, first, step, size)
    return made


@body(operator.setitem, **OPTIONS)
def store_part(items: AnyList, index: Part, values: Items):
    new = list(values)
    first, size, step = extent(index, len(items))
    if step != 1:
        if len(new) != size:
            raise ValueError(
                f"attempt to assign sequence of size {len(new)} to extended slice of size {size}"
            )
        for k in range(size):
            items[first + k * step] = new[k]
        return
    if len(new) > size:  # first of all, since there may be no memory
        gap(items, first + size, len(new) - size)
        for k in range(size, len(new)):
            fill(items, first + k, new[k])
    else:
        cut(items, first + len(new), size - len(new))
    for k in range(min(size, len(new))):
        items[first + k] = new[k]


@body(operator.delitem, **OPTIONS)
def remove_item(items: AnyList, index: Index):
    size = len(items)
    if index < 0:
        index += size
    if index < 0 or index >= size:
        raise IndexError(STORE_OUT_OF_RANGE)
    cut(items, index, 1)


@body(operator.delitem, **OPTIONS)
def remove_part(items: AnyList, index: Part):
    first, size, step = extent(index, len(items))
    if step == 1:
        cut(items, first, size)
    elif step > 0:
        for k in range(size):
            cut(items, first + k * step - k, 1)
    else:
        for k in range(size):
            cut(items, first + k * step, 1)


# --- lists of other things ------------------------------------------------------------------------


@body(list, **OPTIONS)
def made_of(iterable: Items):
    if is_list(iterable):
        return iterable.copy()
    made = list_over(iterable, len(iterable) if is_sized(iterable) else 0)
    for item in iterable:
        made.append(item)
    return made
