"""Methods and operators of dicts, written in Python over the primitives of `dicts.py`."""

from __future__ import annotations

import operator

from cutaway.extending.bodies import Takes, body, static
from cutaway.extending.registry import method
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.dicts import (
    AnyDict,
    dict_over,
    find,
    key_at,
    last,
    plain_copy,
    remove,
    value_at,
)
from cutaway.library.containers.list_methods import Items
from cutaway.typing.types import Dict, DictView, Tuple, undefined
from cutaway.typing.types.containers import item_of


def _has_pairs(ty):
    iterator = ty.iterator()
    item = None if iterator is None else item_of(iterator.item)
    is_pair = isinstance(item, Tuple) and len(item.items) == 2
    return isinstance(ty, Dict) or is_pair or item is undefined


Ordered = Takes("a dict or a view of one", lambda ty: isinstance(ty, Dict | DictView))
Pairs = Takes("a dict, or something with pairs", _has_pairs)


@static
def is_dict(value):
    """True for a dict."""
    return isinstance(value, Dict)


@body(method(Dict, "get"), **OPTIONS)
def get(table: AnyDict, key, default=None):
    number = find(table, key)
    return default if number < 0 else value_at(table, number)


@body(method(Dict, "setdefault"), **OPTIONS)
def setdefault(table: AnyDict, key, default=None):
    number = find(table, key)
    if number < 0:
        table[key] = default
        number = find(table, key)
    return value_at(table, number)


@body(method(Dict, "pop"), **OPTIONS)
def pop(table: AnyDict, key):
    number = find(table, key)
    if number < 0:
        raise KeyError(key)
    value = value_at(table, number)
    remove(table, number)
    return value


@body(method(Dict, "pop"), **OPTIONS)
def pop_or(table: AnyDict, key, default):
    number = find(table, key)
    if number < 0:
        return default
    value = value_at(table, number)
    remove(table, number)
    return value


@body(method(Dict, "popitem"), **OPTIONS)
def popitem(table: AnyDict):
    number = last(table)
    if number < 0:
        raise KeyError("popitem(): dictionary is empty")
    pair = key_at(table, number), value_at(table, number)
    remove(table, number)
    return pair


@body(operator.delitem, **OPTIONS)
def delete(table: AnyDict, key):
    number = find(table, key)
    if number < 0:
        raise KeyError(key)
    remove(table, number)


@private
def _update(table, other):
    if is_dict(other):
        for key, value in other.items():
            table[key] = value
    else:
        for key, value in other:
            table[key] = value


@body(method(Dict, "update"), **OPTIONS)
def update(table: AnyDict, other: Pairs):
    _update(table, other)


@body(operator.ior, **OPTIONS)
def update_in_place(table: AnyDict, other: Pairs):
    _update(table, other)
    return table


@body(operator.or_, **OPTIONS)
def merged(first: AnyDict, second: AnyDict):
    made = first.copy()
    _update(made, second)
    return made


@body(operator.eq, **OPTIONS)
def equal(first: AnyDict, second: AnyDict):
    if len(first) != len(second):
        return False
    for key, value in first.items():
        number = find(second, key)
        if number < 0 or not value_at(second, number) == value:
            return False
    return True


@body(operator.ne, **OPTIONS)
def unequal(first: AnyDict, second: AnyDict):
    return not first == second


@body(dict, **OPTIONS)
def made_of(pairs: Pairs):
    if is_dict(pairs):
        return plain_copy(pairs)
    made = dict_over(pairs)
    _update(made, pairs)
    return made


@body(dict.fromkeys, **OPTIONS)
def made_from_keys(iterable: Items, value=None, /):
    made = {}
    for key in iterable:
        made[key] = value
    return made


@body(reversed, **OPTIONS)
def backward(table: Ordered):
    yield from reversed(list(table))
