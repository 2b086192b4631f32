"""Records what programs register with the compiler: their functions, types and models, in order.

Code that uses an extension depends on these registrations, so they are part of its key on
disk (`caching.extensions`).  The library's own registrations are not recorded.
"""

from __future__ import annotations

from types import FunctionType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cutaway.foundation.source import is_ours


class Registration(NamedTuple):
    """One use of a decorator of `cutaway.extending`: the decorator's name, and its arguments.

    With `is_told`, code that comes of the registration names its maker, so that other code need
    not check whether another process can identify it.
    """

    role: str
    parts: tuple[object, ...]
    is_told: bool


REGISTERED: list[Registration] = []
_PLACES: dict[int, list[int]] = {}  # indices in REGISTERED by the id of a part, kept alive there
_MAKERS: WeakKeyDictionary[FunctionType, object] = WeakKeyDictionary()


def register(role: str, source: object, *parts: object, is_told: bool = False) -> None:
    """Record a registration, unless this package defines `source`, the function or class."""
    if is_ours(source):
        return
    for part in (source, *parts):
        _PLACES.setdefault(id(part), []).append(len(REGISTERED))
    REGISTERED.append(Registration(role, (source, *parts), is_told))


def places_of(thing: object) -> list[int]:
    """Return the indices in `REGISTERED` of the registrations that have an object as a part."""
    return _PLACES.get(id(thing), [])


def made_by(function: FunctionType, maker: object) -> None:
    """Record the function of an extension that returned another function."""
    _MAKERS[function] = maker


def maker_of(function: object) -> object | None:
    """Return the function of an extension that returned a function; None if there is none."""
    return _MAKERS.get(function) if isinstance(function, FunctionType) else None
