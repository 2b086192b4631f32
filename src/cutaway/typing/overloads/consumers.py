"""Loops over all values of an iterator, which replace calls of the builtins if the iterator is a
generator.

They are compiled, so they are written as plain loops.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

# Any, in all of them: values of the program

_WORDS = "iterable argument is empty" if sys.version_info >= (3, 12) else "arg is an empty sequence"
_NO_SMALLEST, _NO_LARGEST = f"min() {_WORDS}", f"max() {_WORDS}"


def summed(values: Iterable[Any], start: Any = 0) -> Any:
    """`sum(values, start)`."""
    total = start
    for value in values:
        total = total + value
    return total


def multiplied(values: Iterable[Any], *, start: Any = 1) -> Any:
    """`math.prod(values, start=start)`."""
    total = start
    for value in values:
        total = total * value
    return total


def one_is_true(values: Iterable[Any]) -> bool:
    """`any(values)`."""
    for value in values:  # noqa: SIM110  this is what `any` becomes
        if value:
            return True
    return False


def each_is_true(values: Iterable[Any]) -> bool:
    """`all(values)`."""
    for value in values:  # noqa: SIM110  this is what `all` becomes
        if not value:
            return False
    return True


def smallest(values: Iterable[Any]) -> Any:
    """`min(values)`."""
    is_first = True
    for value in values:
        if is_first:
            best = value
        is_first = False
        if value < best:
            best = value
    if is_first:
        raise ValueError(_NO_SMALLEST)
    return best


def largest(values: Iterable[Any]) -> Any:
    """`max(values)`."""
    is_first = True
    for value in values:
        if is_first:
            best = value
        is_first = False
        if value > best:
            best = value
    if is_first:
        raise ValueError(_NO_LARGEST)
    return best


def numbered(values: Iterable[Any], start: int = 0) -> Iterator[tuple[int, Any]]:
    """`enumerate(values, start)`."""
    for value in values:  # noqa: SIM113  this is what `enumerate` becomes
        yield start, value
        start += 1


def smallest_or(values: Iterable[Any], *, default: Any) -> Any:
    """`min(values, default=default)`."""
    is_first = True
    best = default
    for value in values:
        if is_first:
            best = value
        is_first = False
        if value < best:
            best = value
    return best


def largest_or(values: Iterable[Any], *, default: Any) -> Any:
    """`max(values, default=default)`."""
    is_first = True
    best = default
    for value in values:
        if is_first:
            best = value
        is_first = False
        if value > best:
            best = value
    return best


def contained(item: Any, values: Iterable[Any]) -> bool:
    """`item in values`."""
    for value in values:  # noqa: SIM110  this is what `in` becomes
        if value == item:
            return True
    return False


def missing(item: Any, values: Iterable[Any]) -> bool:
    """`item not in values`."""
    for value in values:  # noqa: SIM110  this is what `not in` becomes
        if value == item:
            return False
    return True


def smallest_by(values: Iterable[Any], *, key: Any) -> Any:
    """`min(values, key=key)`."""
    is_first = True
    for value in values:
        rank = key(value)
        if is_first:
            best, lowest = value, rank
        is_first = False
        if rank < lowest:
            best, lowest = value, rank
    if is_first:
        raise ValueError(_NO_SMALLEST)
    return best


def largest_by(values: Iterable[Any], *, key: Any) -> Any:
    """`max(values, key=key)`."""
    is_first = True
    for value in values:
        rank = key(value)
        if is_first:
            best, highest = value, rank
        is_first = False
        if rank > highest:
            best, highest = value, rank
    if is_first:
        raise ValueError(_NO_LARGEST)
    return best


def smallest_by_or(values: Iterable[Any], *, key: Any, default: Any) -> Any:
    """`min(values, key=key, default=default)`."""
    is_first = True
    best = default
    for value in values:
        rank = key(value)
        if is_first:
            best, lowest = value, rank
        is_first = False
        if rank < lowest:
            best, lowest = value, rank
    return best


def largest_by_or(values: Iterable[Any], *, key: Any, default: Any) -> Any:
    """`max(values, key=key, default=default)`."""
    is_first = True
    best = default
    for value in values:
        rank = key(value)
        if is_first:
            best, highest = value, rank
        is_first = False
        if rank > highest:
            best, highest = value, rank
    return best


def listed(values: Iterable[Any]) -> list[Any]:
    """`list(values)`."""
    return [value for value in values]  # noqa: C416  this is what `list` becomes


def as_set(values: Iterable[Any]) -> set[Any]:
    """`set(values)`."""
    return {value for value in values}  # noqa: C416  this is what `set` becomes


def as_dict(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """`dict(pairs)`."""
    return {key: value for key, value in pairs}  # noqa: C416  this is what `dict` becomes


def in_order(values: Iterable[Any], *, key: Any = None, reverse: Any = False) -> list[Any]:
    """`sorted(values, key=key, reverse=reverse)`."""
    made = [value for value in values]  # noqa: C416
    made.sort(key=key, reverse=reverse)
    return made


_KEY_AND_DEFAULT = (("key", "default"), ("default", "key"))
_ORDERS = ((), ("key",), ("reverse",), ("key", "reverse"), ("reverse", "key"))

# The function with the loop, by the called function and the keywords of the call.
CONSUMERS: dict[Any, dict[tuple[str, ...], FunctionType]] = {
    sum: {(): summed, ("start",): summed},
    math.prod: {(): multiplied, ("start",): multiplied},
    any: {(): one_is_true},
    all: {(): each_is_true},
    min: {
        (): smallest,
        ("default",): smallest_or,
        ("key",): smallest_by,
        **dict.fromkeys(_KEY_AND_DEFAULT, smallest_by_or),
    },
    max: {
        (): largest,
        ("default",): largest_or,
        ("key",): largest_by,
        **dict.fromkeys(_KEY_AND_DEFAULT, largest_by_or),
    },
    list: {(): listed},
    set: {(): as_set},
    dict: {(): as_dict},
    sorted: dict.fromkeys(_ORDERS, in_order),
}


def loop_of(function: Any, keywords: tuple[str, ...]) -> FunctionType | None:
    """Return the function with the loop that replaces a called function; None if there is none."""
    try:
        return CONSUMERS.get(function, {}).get(keywords)
    except TypeError:  # the callee is not hashable
        return None
