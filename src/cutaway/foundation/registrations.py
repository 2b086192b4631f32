"""What programs have registered with compiled code: their functions, types and models, in order.

Code that uses an extension depends on what is registered, so that this is a part of its key on
disk (`caching.extensions`).  What the library registers is no part of this list.
"""

from __future__ import annotations

from types import FunctionType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cutaway.foundation.source import is_ours


class Registration(NamedTuple):
    """One use of a decorator of `cutaway.extending`: its name, and what it was given.

    `is_told` says that the code which comes of it names its maker, so that code of others need not
    ask whether another process can identify it.
    """

    role: str
    parts: tuple[object, ...]
    is_told: bool


REGISTERED: list[Registration] = []
_PLACES: dict[int, list[int]] = {}  # by what is registered, which the list keeps
_MAKERS: WeakKeyDictionary[FunctionType, object] = WeakKeyDictionary()


def register(role: str, source: object, *parts: object, is_told: bool = False) -> None:
    """Note a registration, unless `source`, the function or class that is registered, is ours."""
    if is_ours(source):
        return
    for part in (source, *parts):
        _PLACES.setdefault(id(part), []).append(len(REGISTERED))
    REGISTERED.append(Registration(role, (source, *parts), is_told))


def places_of(thing: object) -> list[int]:
    """The places in the list at which something is registered, or has something registered."""
    return _PLACES.get(id(thing), [])


def made_by(function: FunctionType, maker: object) -> None:
    """Note which function of an extension has given another one."""
    _MAKERS[function] = maker


def maker_of(function: object) -> object | None:
    """The function of an extension that has given a function, if there is one."""
    return _MAKERS.get(function) if isinstance(function, FunctionType) else None
