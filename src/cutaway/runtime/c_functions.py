"""C functions of ctypes that compiled code calls: their addresses, by symbols.

    ctypes.3.lgamma     the third function

The number distinguishes functions with the same name, or later the same address.  No other process
has such a symbol, so that code that calls one is never cached.
"""

from __future__ import annotations

import itertools
from weakref import WeakValueDictionary

PREFIX = "ctypes."


class HeldFunction:
    """A function, kept alive as long as this object, with its address and its symbol."""

    __slots__ = ("name", "address", "function", "__weakref__")

    def __init__(self, function: object, address: int, shown: str) -> None:
        self.name = f"{PREFIX}{next(_NUMBERS)}.{shown}"
        self.address, self.function = address, function


_NUMBERS = itertools.count(1)
_LIVE: WeakValueDictionary[str, HeldFunction] = WeakValueDictionary()


def hold(function: object, address: int, shown: str) -> HeldFunction:
    """Return an object that keeps a function alive for code that calls it."""
    held = HeldFunction(function, address, shown)
    _LIVE[held.name] = held
    return held


def held(name: str) -> HeldFunction | None:
    """Return the object that holds the function of a symbol; None if this process has none."""
    return _LIVE.get(name)


def live() -> dict[str, HeldFunction]:
    """Return all held functions, by symbol."""
    return dict(_LIVE)
