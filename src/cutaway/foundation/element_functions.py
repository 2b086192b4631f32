"""Ufuncs by the names that operations on elements have: NumPy's own, and those of users.

NumPy's have the names that NumPy gives them.  A user's, made by `vectorize`, gets a name that
nothing else ever has in this process; what it is made of is its *half*, which is found by this name
and by the ufunc.
"""

from __future__ import annotations

import itertools
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np

from cutaway.foundation.foreign import attribute


class UfuncHalf(Protocol):
    """The part of a user's function that compiled code needs (Any: a dispatcher, a ufunc, types).

    `kernel` computes one element, `public` is what users call, and `loop_for` gives the dtypes of
    the loop that a call gets for what it is given; `gain_loop` compiles one where there is none.
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
    """A name for a user's function that was never used before."""
    letters = "".join(c if c.isalnum() else "_" for c in stem) or "element"
    return f"{letters}_{next(_SERIAL)}"


def register(half: Any, public: Any) -> None:
    """Let a half be found by its name, and by what users call."""
    _BY_NAME[half.element_name] = half
    _BY_IDENTITY[id(public)] = half
    _BY_HALF[id(half)] = half


def ufunc_half(function: Any) -> Any:
    """The half of a user's function; None for anything else."""
    half = _BY_IDENTITY.get(id(function))
    return half if half is not None and half.public is function else None


def half_of_method(function: Any) -> Any:
    """The half of the user's function that something is a method of; None for anything else."""
    owner = attribute(function, "__self__", None)
    half = _BY_HALF.get(id(owner))
    return half if half is not None and half is owner else ufunc_half(owner)


def ufunc_half_named(name: str) -> Any:
    """The half of the user's function that has a name; None for NumPy's."""
    return _BY_NAME.get(name)


def name_of(function: Any) -> str:
    """The name of a ufunc as an operation on elements."""
    half = ufunc_half(function)
    name: str = function.__name__ if half is None else half.element_name
    return name


def called(name: str) -> Any:
    """The ufunc that has a name; None where there is none."""
    half = _BY_NAME.get(name)
    return getattr(np, name, None) if half is None else half.public
