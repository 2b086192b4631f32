"""`x, y = iterator`: generators, ranges and whatever else has an iterator, taken apart."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.typing import types
from cutaway.typing.inference.questions import unpack
from cutaway.typing.types import Array, Enumerated, Iterator, Tuple, Type, Zipped


@overload(unpack, prefer_literal=True)
def _unpack_iterator(values, count):  # type: ignore[no-untyped-def]
    """`x, y = values`: as many items as there are targets, and a look whether there are more."""
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
    return _taking(count.literal_value, iterator is values)


def _mixed(ty: Type) -> Tuple | None:
    """A tuple of items of several types that an iterator goes through; None if there is none."""
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
def _taking(wanted: int, is_iterator: bool) -> FunctionType:
    """A function that takes so many items of an iterator, or of what is gone through by one."""
    short = "not enough values to unpack (expected {}, got {})"
    names = [f"item{k}" for k in range(wanted)]
    lines = [] if is_iterator else ["values = zip(values)"]
    for k, name in enumerate(names):
        target = name if is_iterator else f"({name},)"
        lines += [f"for {target} in values:", "    break", "else:"]
        lines.append(f"    raise ValueError({short.format(wanted, k)!r})")
    lines += ["for _ in values:"]
    lines.append(f"    raise ValueError('too many values to unpack (expected {wanted})')")
    lines.append(f"return ({''.join(f'{name}, ' for name in names)})")
    space: dict[str, Any] = {}  # Any: the function
    exec("def taken(values, count):\n    " + "\n    ".join(lines), space)  # noqa: S102  our own text
    function: FunctionType = space["taken"]
    return function
