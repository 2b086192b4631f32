"""`functools.reduce`."""

from __future__ import annotations

import functools

from cutaway.extending.bodies import body
from cutaway.library.containers.list_methods import Items
from cutaway.library.containers.list_order import OPTIONS
from cutaway.typing.inference.displays import fills_lists


@body(functools.reduce, **OPTIONS)
def reduced(function, iterable: Items, /):
    is_first = True
    for item in iterable:
        if is_first:
            total, is_first = item, False
        else:
            total = function(total, item)
    if is_first:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


@body(functools.reduce, **OPTIONS)
@fills_lists
def reduced_from(function, iterable: Items, initial, /):
    total = initial
    for item in iterable:
        total = function(total, item)
    return total
