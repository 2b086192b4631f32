"""Finds ufuncs by the names of element-wise operations: NumPy's ufuncs, and those of users.

NumPy's ufuncs have their names in NumPy.  A user's, made by `vectorize`, gets a name that is unique
in this process; its compiler half, the *half*, is looked up by this name or by the ufunc.
"""

from __future__ import annotations

import itertools
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np

from cutaway.foundation.foreign import attribute


class UfuncHalf(Protocol):
    """The part of a user's ufunc that compiled code needs (Any: a dispatcher, a ufunc, types).

    `kernel` computes one element, `public` is the ufunc that users call, `loop_for` returns the
    dtypes of the loop that a call selects, and `gain_loop` compiles a loop that is missing.
    """

    area: str  # the module of the library that registers calls of it
    element_name: str
    kernel: Any
    public: Any
    nin: int
    nout: int

    def loop_for(self, given: Any, casting: str, signature: Any) -> Any: ...

    def gain_loop(self, wanted: Any) -> None: ...


_BY_NAME: WeakValueDictionary[str, Any] = WeakValueDictionary()
_BY_IDENTITY: WeakValueDictionary[int, Any] = WeakValueDictionary()
_BY_HALF: WeakValueDictionary[int, Any] = WeakValueDictionary()
_SERIAL = itertools.count(1)


def new_name(stem: str) -> str:
    """Return a name for a user's ufunc that is unique in this process."""
    letters = "".join(c if c.isalnum() else "_" for c in stem) or "element"
    return f"{letters}_{next(_SERIAL)}"


def register(half: Any, public: Any) -> None:
    """Register a half by its name, its identity and the identity of its ufunc."""
    _BY_NAME[half.element_name] = half
    _BY_IDENTITY[id(public)] = half
    _BY_HALF[id(half)] = half


def ufunc_half(function: Any) -> Any:
    """Return the half of a user's ufunc; None for anything else."""
    half = _BY_IDENTITY.get(id(function))
    return half if half is not None and half.public is function else None


def half_of_method(function: Any) -> Any:
    """Return the half of the user's ufunc that a method is bound to; None for anything else."""
    owner = attribute(function, "__self__", None)
    half = _BY_HALF.get(id(owner))
    return half if half is not None and half is owner else ufunc_half(owner)


def ufunc_half_named(name: str) -> Any:
    """Return the half of the user's ufunc with a name; None for NumPy's."""
    return _BY_NAME.get(name)


def name_of(function: Any) -> str:
    """Return the name of a ufunc as an element-wise operation."""
    half = ufunc_half(function)
    name: str = function.__name__ if half is None else half.element_name
    return name


def called(name: str) -> Any:
    """Return the ufunc with a name, a user's or NumPy's; None if there is neither."""
    half = _BY_NAME.get(name)
    return getattr(np, name, None) if half is None else half.public
