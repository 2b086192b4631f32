"""`x, y = iterator`: unpacking of generators, ranges and all other iterables."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.python_words import too_many
from cutaway.library.containers.list_methods import item_type_of
from cutaway.typing import types
from cutaway.typing.inference.questions import unpack, unpack_starred
from cutaway.typing.types import (
    Array,
    Collected,
    Dict,
    Enumerated,
    Iterator,
    List,
    Tuple,
    Type,
    Zipped,
)


@overload(unpack, prefer_literal=True)
def _unpack_iterator(values, count):
    """`x, y = values`: take as many items as there are targets, and check that no more follow."""
    known = isinstance(values, Type) and isinstance(count, types.Literal)
    if not known or isinstance(values, Array):
        return None
    iterator = values.iterator()
    if iterator is None:
        return None
    if (mixed := _mixed(iterator)) is not None:
        raise TypingError(
            f"an iterator over {mixed} cannot be unpacked: its items have one type",
            hint="take the items by their index, t[0]",
        )
    has_length = isinstance(values, (Collected, List, Dict))  # that the message names
    return _taking(count.literal_value, iterator is values, has_length)


def _mixed(ty: Type) -> Tuple | None:
    """The tuple of mixed item types under an iterator, or None."""
    match ty:
        case Tuple(items=items):
            return ty if len(items) > 1 and ty.uniform is None else None
        case Iterator(source=source):
            return _mixed(source)
        case Enumerated(inner=inner):
            return _mixed(inner)
        case Zipped(inner=several):
            return next(filter(None, map(_mixed, several)), None)
    return None


@cache
def _taking(wanted: int, is_iterator: bool, has_length: bool) -> FunctionType:
    """A function that takes a number of items from an iterator, or from an iterable."""
    short = "not enough values to unpack (expected {}, got {})"
    long = f"f{too_many(wanted, '{len(values)}')!r}" if has_length else repr(too_many(wanted))
    names = [f"item{k}" for k in range(wanted)]
    source = "values" if is_iterator else "items"
    lines = [] if is_iterator else ["items = zip(values)"]
    for k, name in enumerate(names):
        target = name if is_iterator else f"({name},)"
        lines += [f"for {target} in {source}:", "    break", "else:"]
        lines.append(f"    raise ValueError({short.format(wanted, k)!r})")
    lines += [f"for _ in {source}:"]
    lines.append(f"    raise ValueError({long})")
    lines.append(f"return ({''.join(f'{name}, ' for name in names)})")
    space: dict[str, Any] = {}
    exec("def taken(values, count):\n    " + "\n    ".join(lines), space)  # noqa: S102  our own text
    function: FunctionType = space["taken"]
    return function


@overload(unpack_starred, prefer_literal=True)
def _unpack_starred(values, before, after):
    """`x, *y, z = values`: the starred target is a list of the rest."""
    known = isinstance(values, Type) and isinstance(before, types.Literal)
    if not known or item_type_of(values) is None:
        return None
    return _sharing_out(before.literal_value, after.literal_value)


@cache
def _sharing_out(before: int, after: int) -> FunctionType:
    """A function that takes items from both ends of an iterable, and a list of those between."""
    first = "".join(f"items[{k}], " for k in range(before))
    last = "".join(f", items[size - {after - k}]" for k in range(after))
    text = f"""
def taken(values, before, after):
    items = list(values)
    size = len(items)
    if size < {before + after}:
        raise ValueError(
            f"not enough values to unpack (expected at least {before + after}, got {{size}})"
        )
    return ({first}items[{before} : size - {after}]{last},)
"""
    space: dict[str, Any] = {}
    exec(text, space)  # noqa: S102  our own text
    function: FunctionType = space["taken"]
    return function
