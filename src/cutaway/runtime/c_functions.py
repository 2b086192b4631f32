"""C functions of ctypes that compiled code calls: the addresses, by the names that it has for them.

    ctypes.3.lgamma     the third that was asked for

A number, since another function may have the same name, or later the same place.  No other process
knows such a name, so that what calls one is never cached.
"""

from __future__ import annotations

import itertools
from weakref import WeakValueDictionary

PREFIX = "ctypes."


class HeldFunction:
    """A function, which stays while this is held, with its address and the name of that."""

    __slots__ = ("name", "address", "function", "__weakref__")

    def __init__(self, function: object, address: int, shown: str) -> None:
        self.name = f"{PREFIX}{next(_NUMBERS)}.{shown}"
        self.address, self.function = address, function


_NUMBERS = itertools.count(1)
_LIVE: WeakValueDictionary[str, HeldFunction] = WeakValueDictionary()


def hold(function: object, address: int, shown: str) -> HeldFunction:
    """Return what holds a function for code that calls it."""
    held = HeldFunction(function, address, shown)
    _LIVE[held.name] = held
    return held


def held(name: str) -> HeldFunction | None:
    """Return what holds the function of a name; None where nothing in this process does."""
    return _LIVE.get(name)


def live() -> dict[str, HeldFunction]:
    """Return all that is held, by name."""
    return dict(_LIVE)
