"""Methods and operators of sets, written in Python over the primitives of `dicts.py`."""

from __future__ import annotations

import operator
from typing import Any

from cutaway.extending.bodies import body, static
from cutaway.extending.overloads import overload
from cutaway.extending.registry import method
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.dicts import (
    AnySet,
    find,
    following,
    frozen,
    key_at,
    new_like,
    remove,
    set_over,
    thawed,
)
from cutaway.library.containers.list_methods import Items, has_items
from cutaway.typing.types import Dict, DictView, FrozenSet, Set, SetLike
from cutaway.typing.types.containers import can_be_key


@static
def is_set(value):
    """True for a set, and for a dict, whose keys are one."""
    return isinstance(value, SetLike | Dict)


@static
def is_frozen(value):
    """True for a frozenset."""
    return isinstance(value, FrozenSet)


@private
def _like(items, made):
    """Return a set that an operation has made, frozen if the one on the left is."""
    return frozen(made) if is_frozen(items) else made


# --- methods --------------------------------------------------------------------------------------


@body(method(Set, "discard"), **OPTIONS)
def discard(items: AnySet, item):
    number = find(items, item)
    if number >= 0:
        remove(items, number)


@body(method(Set, "remove"), **OPTIONS)
def remove_item(items: AnySet, item):
    number = find(items, item)
    if number < 0:
        raise KeyError(item)
    remove(items, number)


@body(method(Set, "pop"), **OPTIONS)
def pop(items: AnySet):
    number = following(items, 0)
    if number < 0:
        raise KeyError("pop from an empty set")
    item = key_at(items, number)
    remove(items, number)
    return item


@body(method(Set, "update"), **OPTIONS)
def update(items: AnySet, iterable: Items):
    for item in iterable:
        items.add(item)


@private
def _as_set(iterable):
    if is_set(iterable):
        return iterable
    return set(iterable)


@body(method(SetLike, "union"), **OPTIONS)
def union(items: AnySet, iterable: Items):
    made = thawed(items) if has_items(items) else set(iterable)
    made.update(iterable)
    return _like(items, made)


@body(method(SetLike, "intersection"), **OPTIONS)
def intersection(items: AnySet, iterable: Items):
    others = _as_set(iterable)
    made = new_like(items)
    for item in items:
        if item in others:
            made.add(item)
    return _like(items, made)


@body(method(SetLike, "difference"), **OPTIONS)
def difference(items: AnySet, iterable: Items):
    others = _as_set(iterable)
    made = new_like(items)
    for item in items:
        if item not in others:
            made.add(item)
    return _like(items, made)


@body(method(SetLike, "symmetric_difference"), **OPTIONS)
def symmetric_difference(items: AnySet, iterable: Items):
    others = _as_set(iterable)
    made = new_like(items)
    for item in items:
        if item not in others:
            made.add(item)
    for item in others:
        if item not in items:
            made.add(item)
    return _like(items, made)


@body(method(Set, "intersection_update"), **OPTIONS)
def intersection_update(items: AnySet, iterable: Items):
    _replace(items, items.intersection(iterable))


@body(method(Set, "difference_update"), **OPTIONS)
def difference_update(items: AnySet, iterable: Items):
    _replace(items, items.difference(iterable))


@body(method(Set, "symmetric_difference_update"), **OPTIONS)
def symmetric_difference_update(items: AnySet, iterable: Items):
    _replace(items, items.symmetric_difference(iterable))


@private
def _replace(items, others):
    items.clear()
    items.update(others)


@body(method(SetLike, "issubset"), **OPTIONS)
def issubset(items: AnySet, iterable: Items):
    others = _as_set(iterable)
    for item in items:
        if item not in others:
            return False
    return True


@body(method(SetLike, "issuperset"), **OPTIONS)
def issuperset(items: AnySet, iterable: Items):
    for item in iterable:
        if item not in items:
            return False
    return True


@body(method(SetLike, "isdisjoint"), **OPTIONS)
def isdisjoint(items: AnySet, iterable: Items):
    for item in iterable:
        if item in items:
            return False
    return True


# --- operators ------------------------------------------------------------------------------------


@body(operator.or_, **OPTIONS)
def or_(first: AnySet, second: AnySet):
    return first.union(second)


@body(operator.and_, **OPTIONS)
def and_(first: AnySet, second: AnySet):
    return first.intersection(second)


@body(operator.sub, **OPTIONS)
def minus(first: AnySet, second: AnySet):
    return first.difference(second)


@body(operator.xor, **OPTIONS)
def xor(first: AnySet, second: AnySet):
    return first.symmetric_difference(second)


@body(operator.ior, **OPTIONS)
def or_in_place(first: AnySet, second: AnySet):
    if is_frozen(first):
        return first | second
    first.update(second)
    return first


@body(operator.iand, **OPTIONS)
def and_in_place(first: AnySet, second: AnySet):
    if is_frozen(first):
        return first & second
    first.intersection_update(second)
    return first


@body(operator.isub, **OPTIONS)
def minus_in_place(first: AnySet, second: AnySet):
    if is_frozen(first):
        return first - second
    first.difference_update(second)
    return first


@body(operator.ixor, **OPTIONS)
def xor_in_place(first: AnySet, second: AnySet):
    if is_frozen(first):
        return first ^ second
    first.symmetric_difference_update(second)
    return first


@body(operator.eq, **OPTIONS)
def equal(first: AnySet, second: AnySet):
    return len(first) == len(second) and first.issubset(second)


@body(operator.ne, **OPTIONS)
def unequal(first: AnySet, second: AnySet):
    return not first == second


@body(operator.le, **OPTIONS)
def is_part(first: AnySet, second: AnySet):
    return first.issubset(second)


@body(operator.lt, **OPTIONS)
def is_smaller_part(first: AnySet, second: AnySet):
    return len(first) < len(second) and first.issubset(second)


@body(operator.ge, **OPTIONS)
def is_whole(first: AnySet, second: AnySet):
    return second.issubset(first)


@body(operator.gt, **OPTIONS)
def is_larger_whole(first: AnySet, second: AnySet):
    return len(first) > len(second) and second.issubset(first)


@body(set, **OPTIONS)
def made_of(iterable: Items):
    made = set_over(iterable)
    made.update(iterable)
    return made


@body(frozenset, **OPTIONS)
def made_frozen(iterable: Items):
    return iterable if is_frozen(iterable) else frozen(set(iterable))


# --- views of dicts -------------------------------------------------------------------------------


def is_view(ty):
    """True for the type of the keys or the items of a dict that a set can hold."""
    return isinstance(ty, DictView) and ty.kind != "values" and can_be_key(ty.item)


def _register_views(function: Any, takes_any: bool) -> None:
    """Let an operator take a view beside a set, and on its right any iterable if it `takes_any`."""

    @overload(function)
    def of_views(lhs, rhs):
        right = is_view(rhs) or isinstance(rhs, SetLike) or (takes_any and Items.fits(rhs))
        fits = (is_view(lhs) and right) or (isinstance(lhs, SetLike) and is_view(rhs))
        return (lambda lhs, rhs: function(set(lhs), set(rhs))) if fits else None


for _name in "or_ and_ sub xor eq ne lt le gt ge".split():
    _register_views(getattr(operator, _name), _name in ("or_", "and_", "sub", "xor"))
