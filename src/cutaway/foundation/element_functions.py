"""Ufuncs by the names that operations on elements have: NumPy's own, and those of users.

NumPy's have the names that NumPy gives them.  A user's, made by `vectorize`, gets a name that
nothing else ever has in this process; what it is made of is its *owner*, which is found by this name
and by the ufunc.
"""

from __future__ import annotations

import itertools
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np


class Owner(Protocol):
    """The part of a user's function that compiled code needs (Any: a dispatcher, a ufunc, types).

    `kernel` computes one element, `public` is what users call, and `loop_for` gives the dtypes of
    the loop that a call gets for what it is given.
    """

    area: str  # the module of the library that registers calls of it
    element_name: str
    kernel: Any
    public: Any
    nin: int
    nout: int

    def loop_for(self, given: Any, casting: str, signature: Any) -> Any: ...


_BY_NAME: WeakValueDictionary[str, Any] = WeakValueDictionary()
_BY_IDENTITY: WeakValueDictionary[int, Any] = WeakValueDictionary()
_SERIAL = itertools.count(1)


def new_name(stem: str) -> str:
    """A name for a user's function that was never used before."""
    letters = "".join(c if c.isalnum() else "_" for c in stem) or "element"
    return f"{letters}_{next(_SERIAL)}"


def register(owner: Any, public: Any) -> None:  # Any: an Owner, and what users call
    """Let an owner be found by its name, and by what users call."""
    _BY_NAME[owner.element_name] = owner
    _BY_IDENTITY[id(public)] = owner


def owner_of(function: Any) -> Any:  # Any: anything; an Owner
    """The owner of a user's function; None for anything else."""
    owner = _BY_IDENTITY.get(id(function))
    return owner if owner is not None and owner.public is function else None


def owner_named(name: str) -> Any:  # Any: an Owner
    """The owner of the user's function that has a name; None for NumPy's."""
    return _BY_NAME.get(name)


def name_of(function: Any) -> str:  # Any: a ufunc
    """The name of a ufunc as an operation on elements."""
    owner = owner_of(function)
    name: str = function.__name__ if owner is None else owner.element_name
    return name


def called(name: str) -> Any:  # Any: a ufunc, or None
    """The ufunc that has a name; None where there is none."""
    owner = _BY_NAME.get(name)
    return getattr(np, name, None) if owner is None else owner.public
