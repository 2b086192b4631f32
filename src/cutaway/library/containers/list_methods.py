"""Methods and operators of lists, written in Python over the primitives of `lists.py`."""

from __future__ import annotations

import operator
from typing import Any

from cutaway.extending.bodies import Takes, body, refuse, static
from cutaway.extending.overloads import overload
from cutaway.extending.registry import method
from cutaway.ir.operators import BINARY
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.lists import (
    OUT_OF_RANGE,
    STORE_OUT_OF_RANGE,
    AnyList,
    AnyRow,
    Changing,
    Sliced,
    add,
    cut,
    extent,
    fill,
    gap,
    list_over,
    new_list,
    opened,
    sealed,
    unchecked,
)
from cutaway.library.core.messages import message_of
from cutaway.typing import types
from cutaway.typing.types import Deque, List, ListDisplay, ListLike, OpenTuple, Slice, Tuple
from cutaway.typing.types.containers import item_of, united_items

LARGEST = 2**63 - 1
Index = Takes("an int", types.is_integral)
Items = Takes(
    "something with items of one type",
    lambda ty: item_type_of(ty) is not None,
    takes_lists=True,
)
Several = Takes(  # with `+=` an array makes an array, and its `min` is its own
    "something with items of one type",
    lambda ty: item_type_of(ty) is not None and not isinstance(ty, types.Array),
    takes_lists=True,
)
Unlike = Takes("a number, a tuple or a text", lambda ty: is_unlike(ty))
AnyTuple = Takes("a tuple", lambda ty: isinstance(ty, OpenTuple))
Fixed = Takes("a tuple with items of one type", lambda ty: is_fixed(ty))
Part = Takes("a slice", lambda ty: isinstance(ty, Slice))


def is_unlike(ty):
    """True for the type of a value that is equal to no list, nor to a tuple of run-time length."""
    if isinstance(ty, Tuple):
        return not isinstance(ty, ListDisplay)
    return types.is_number(ty) or types.text_classes(ty)


def is_fixed(ty):
    """True for the type of a plain tuple of known length whose items have a common type."""
    plain = isinstance(ty, Tuple) and ty.value_class is tuple
    return plain and united_items(ty.items) is not None


def item_type_of(ty):
    """Return the type of the items that a loop over a value reads; None if there is none."""
    iterator = ty.iterator()
    return None if iterator is None else item_of(iterator.item)


@static
def is_list(value):
    """True for a list, or a tuple of run-time length."""
    return isinstance(value, ListLike)


@static
def is_tuple(value):
    """True for a tuple of run-time length."""
    return isinstance(value, OpenTuple)


@static
def is_deque(value):
    """True for a deque."""
    return isinstance(value, Deque)


@static
def can_open(value):
    """True for a tuple of known length that can be one of run-time length."""
    return is_fixed(value)


@static
def are_alike(first, second):
    """True for two lists, or two tuples of run-time length."""
    return type(first) is type(second)


@private
def _like(items, made):
    """Return a list that an operation has made, as a tuple if its operand is one."""
    return sealed(made) if is_tuple(items) else made


@static
def have_same_items(first, second):
    """True for two lists with items of the same type."""
    return isinstance(second, ListLike) and first.item is second.item


@static
def tells_value():
    """True if Python's own `index` names the value in its message."""
    return _NOT_THERE.startswith("0")


_NOT_THERE = message_of(lambda: [].index(0))


@static
def is_sized(value):
    """True for an iterable that has a length."""
    return isinstance(value, (types.Container, Tuple, types.Range, types.Array))


@static
def has_items(items):
    """True for an iterable that may have items: others have no type of item."""
    return item_type_of(items) is not types.undefined


# --- methods --------------------------------------------------------------------------------------


@body(method(List, "extend"), **OPTIONS)
def extend(items: AnyList, iterable: Items):
    if have_same_items(items, iterable):
        _add_all(items, iterable)
    else:
        for item in iterable:
            items.append(item)


@body(operator.iadd, **OPTIONS)
def extended(items: AnyList, iterable: Several):
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


@body(method(List, "clear"), method(Deque, "clear"), **OPTIONS)
def clear(items: AnyRow):
    cut(items, 0, len(items))


@body(method(List, "copy"), **OPTIONS)
def copy(items: AnyList):
    made = new_list(items, items, len(items))
    _add_all(made, items)
    return made


@body(method(ListLike, "count"), **OPTIONS)
def count(items: AnyRow, value):
    total = 0
    for item in items:
        if item == value:
            total += 1
    return total


@body(method(ListLike, "index"), **OPTIONS)
def index(items: AnyRow, value, start: Index = 0, stop: Index = LARGEST):
    size = len(items)
    if start < 0:
        start = max(start + size, 0)
    if stop < 0:
        stop = max(stop + size, 0)
    for k in range(start, min(stop, size)):
        if items[k] == value:
            return k
    if is_tuple(items):
        raise ValueError("tuple.index(x): x not in tuple")
    if is_deque(items):
        raise ValueError(f"{value!r} is not in deque")
    if tells_value():
        raise ValueError(f"{value!r} is not in list")
    raise ValueError(_NOT_THERE)


@private
@body(BINARY["in"].function, **OPTIONS)
def contains(value, items: AnyRow):
    for item in items:
        if item == value:
            return True
    return False


@body(BINARY["not in"].function, **OPTIONS)
def lacks(value, items: AnyRow):
    return not contains(value, items)


# --- operators ------------------------------------------------------------------------------------


@body(operator.add, **OPTIONS)
def concatenated(first: Sliced, second: Sliced):
    _check_alike(first, second, "+")
    made = new_list(first, second, len(first) + len(second))
    _add_all(made, first)
    _add_all(made, second)
    return _like(first, made)


@private
def _size_of_all(items, times):
    """Return the number of items of a list that is repeated."""
    if times > LARGEST // max(len(items), 1):
        raise MemoryError
    return len(items) * max(times, 0)


@body(operator.mul, **OPTIONS)
def repeated(items: Sliced, times: Index):
    size = _size_of_all(items, times)
    made = new_list(items, items, size)
    _add_all(made, items[:size])
    while len(made) < size:  # twice as many each time
        add(made, made, 0, 1, min(len(made), size - len(made)))
    return _like(items, made)


@body(operator.mul, **OPTIONS)
def repeated_from_left(times: Index, items: Sliced):
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
def equal(first: AnyRow, second: AnyRow):
    if not are_alike(first, second):
        return False
    if len(first) != len(second):
        return False
    for k in range(len(first)):
        if not first[k] == second[k]:
            return False
    return True


@body(operator.ne, **OPTIONS)
def unequal(first: AnyRow, second: AnyRow):
    return not first == second


@body(operator.eq, **OPTIONS)
def equal_to_other(first: AnyRow, second: Unlike):
    return first == opened(second) if is_tuple(first) and can_open(second) else False


@body(operator.eq, **OPTIONS)
def other_equal(first: Unlike, second: AnyRow):
    return second == first


@body(operator.ne, **OPTIONS)
def unequal_to_other(first: AnyRow, second: Unlike):
    return not first == second


@body(operator.ne, **OPTIONS)
def other_unequal(first: Unlike, second: AnyRow):
    return not second == first


@private
def _check_alike(first, second, symbol):
    if not are_alike(first, second):
        refuse(f"{symbol} has a list and a tuple")


@private
def _first_difference(first, second):
    _check_alike(first, second, "<")
    size = min(len(first), len(second))
    for k in range(size):
        if not first[k] == second[k]:
            return k
    return size


@body(operator.lt, **OPTIONS)
def less(first: AnyRow, second: AnyRow):
    k = _first_difference(first, second)
    if k == len(first) or k == len(second):
        return len(first) < len(second)
    return first[k] < second[k]


@body(operator.le, **OPTIONS)
def less_or_equal(first: AnyRow, second: AnyRow):
    k = _first_difference(first, second)
    if k == len(first) or k == len(second):
        return len(first) <= len(second)
    return first[k] <= second[k]


@body(operator.gt, **OPTIONS)
def greater(first: AnyRow, second: AnyRow):
    return second < first


@body(operator.ge, **OPTIONS)
def greater_or_equal(first: AnyRow, second: AnyRow):
    return second <= first


# --- slices ---------------------------------------------------------------------------------------


@body(operator.getitem, **OPTIONS)
def part(items: Sliced, index: Part):
    first, size, step = extent(index, len(items))
    made = new_list(items, items, size)
    add(made, items, first, step, size)
    return _like(items, made)


@body(operator.setitem, **OPTIONS)
def store_part(items: AnyList, index: Part, values: Items):
    new = list(values)
    first, size, step = extent(index, len(items))
    if step != 1 and len(new) != size:
        raise ValueError(
            f"attempt to assign sequence of size {len(new)} to extended slice of size {size}"
        )
    if step != 1 or len(new) == size:
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
def remove_item(items: Changing, index: Index):
    size = len(items)
    if index < 0:
        index += size
    if index < 0 or index >= size:
        raise IndexError(OUT_OF_RANGE if is_deque(items) else STORE_OUT_OF_RANGE)
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


@private
def _items_of(iterable):
    """Return a new list."""
    made = list_over(iterable, len(iterable) if is_sized(iterable) else 0)
    if is_list(iterable):
        _add_all(made, iterable)
        return made
    for item in iterable:
        made.append(item)
    return made


@body(list, **OPTIONS)
def made_of(iterable: Items):
    return _items_of(iterable)


# --- tuples of run-time length --------------------------------------------------------------------


@body(tuple, **OPTIONS)
def tuple_of(iterable: Items):
    return iterable if is_tuple(iterable) else sealed(list(iterable))


@body(operator.iadd, **OPTIONS)
def added(first: AnyTuple, second: AnyTuple):
    return first + second


@body(operator.imul, **OPTIONS)
def multiplied(items: AnyTuple, times: Index):
    return items * times


@body(operator.mul, **OPTIONS)
def fixed_repeated(items: Fixed, times: Index):
    return opened(items) * times


@body(operator.mul, **OPTIONS)
def fixed_repeated_from_left(times: Index, items: Fixed):
    return opened(items) * times


@body(operator.imul, **OPTIONS)
def fixed_multiplied(items: Fixed, times: Index):
    return opened(items) * times


@body(operator.getitem, **OPTIONS)
def fixed_part(items: Fixed, index: Part):
    return opened(items)[index]


def _register_mixed(function: Any) -> None:
    """Let an operator take a tuple of known length beside one of run-time length."""

    @overload(function)
    def mixed(lhs, rhs):
        if isinstance(lhs, OpenTuple) and Fixed.fits(rhs):
            return lambda lhs, rhs: function(lhs, opened(rhs))
        if Fixed.fits(lhs) and isinstance(rhs, OpenTuple):
            return lambda lhs, rhs: function(opened(lhs), rhs)
        return None


for _name in "add iadd lt le gt ge".split():
    _register_mixed(getattr(operator, _name))
