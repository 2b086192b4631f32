"""One object for each distinct type: how calls of type classes find it, and its number.

A class of this package is known by the arguments that it is called with.  A class that somebody
else writes may take any, so it is known by the `key` that the object has once it is made, which
is its name unless the class says otherwise.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from cutaway.foundation import registrations
from cutaway.foundation.foreign import attribute, is_a, is_compared_by_value
from cutaway.foundation.source import is_ours

_INTERNED: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_INTERNING = threading.RLock()  # again by a type that is made of others
_CODES = itertools.count(1)
# By the identity of a Python class: the class of the types of its own values.
BY_CLASS: dict[int, Any] = {}
# By what signatures call it: a class of types whose arguments are types.
WRITTEN: dict[str, Any] = {}
BY_CODE: WeakValueDictionary[int, Any] = WeakValueDictionary()


class Interning(type):
    """The class of type classes: a call of one gives the one object that is meant."""

    arity: int  # of a class with defaults: how many arguments
    trailing: tuple[Any, ...]
    by_key: bool  # whether types of the class are known by their `key`
    adapts: bool  # whether `adapt` is asked for all arguments
    adapt: Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, tuple[Any, ...]]]

    def __init__(cls, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        cls.by_key = not is_ours(cls)
        registrations.register("type", cls)
        for own in vars(cls).get("python_classes", ()):
            BY_CLASS[id(own)] = cls
        if not cls.by_key:  # a user's class may have an attribute of that name
            WRITTEN.update(dict.fromkeys(vars(cls).get("notation", ()), cls))

    if not TYPE_CHECKING:  # a checker reads the arguments of each class from its `__init__`

        def __call__(cls, *args, **named):
            if cls.by_key:
                return interned(super().__call__(*args, **named))
            actual, args = cls.adapt(args, named) if named or cls.adapts else (cls, args)
            if len(args) < cls.arity:  # defaults count as given, or one type would be two
                args += cls.trailing[len(args) - cls.arity :]
            key = (actual, *args)
            try:
                known = _INTERNED.get(key)
            except TypeError:
                raise TypeError(
                    f"{cls.__name__} has arguments that cannot be part of its key"
                ) from None
            return actual._new(key) if known is None else known

    def _new(cls, key: tuple[Any, ...]) -> Any:
        with _INTERNING:
            known = _INTERNED.get(key)  # another thread may have been here
            return _numbered(super().__call__(*key[1:]), key) if known is None else known


def _numbered(ty: Any, key: tuple[Any, ...]) -> Any:
    ty.typecode = next(_CODES)
    BY_CODE[ty.typecode] = ty
    _INTERNED[key] = ty
    return ty


def interned(ty: Any) -> Any:
    """The type of the same class and `key` that there is already, or this one.

    Raises TypeError for a type without a name, and for a key that is not hashable.
    """
    cls = type(ty)
    if not isinstance(getattr(ty, "name", None), str):
        raise TypeError(f"{cls.__name__}.__init__ must call super().__init__(name=...)")
    try:
        key = (cls, Interning, ty.key)  # one that no arguments make
        with _INTERNING:
            known = _INTERNED.get(key)
            return _numbered(ty, key) if known is None else known
    except TypeError:
        raise TypeError(f"the key of {cls.__name__} {ty.name!r} is not hashable") from None


def restored(cls: Interning, state: dict[str, Any]) -> Any:
    """A type that is known by its key, out of a pickle."""
    ty: Any = object.__new__(cls)  # each such class makes types
    for name, value in state.items():
        setattr(ty, name, value)
    return interned(ty)


class Identity:
    """A value as a key, equal to another when type and value are (1 and True differ)."""

    __slots__ = ("value", "_key")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key: tuple[Any, ...]
        if issubclass(type(value), type | BuiltinFunctionType):  # never by an `==` of the user's
            owner = attribute(value, "__self__", None)
            if is_a(owner, np.ufunc):  # each reading of `np.add.reduce` makes a new object
                self._key = (id(type(value)), id(owner), value.__name__)
            else:
                self._key = (id(type(value)), id(value))
            return
        if not is_compared_by_value(value):
            self._key = (id(type(value)), id(value))
            return
        self._key = (type(value), float.__repr__(value) if is_a(value, float) else value)
        if is_a(value, np.dtype):  # NumPy holds some equal that are of different scalars
            self._key += (value.type,)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Identity, (self.value,))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self._key == other._key


def identified(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with the first as an Identity, which it need not be yet."""
    first, *rest = args
    return (first if isinstance(first, Identity) else Identity(first), *rest)
