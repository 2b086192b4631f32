"""Interns types: calls of type classes return one object for each distinct type.

A type of this package is identified by the arguments of the call.  A class of an extension may have
any arguments, so its types are identified by the `key` of the created object, by default its name.
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
_INTERNING = threading.RLock()  # reentrant: creating a type may create its inner types
_CODES = itertools.count(1)
# The class of the types of a Python class's direct instances, by the id of the Python class.
BY_CLASS: dict[int, Any] = {}
# The type classes whose arguments are types, by their names in signatures.
WRITTEN: dict[str, Any] = {}
BY_CODE: WeakValueDictionary[int, Any] = WeakValueDictionary()


class Interning(type):
    """The metaclass of types: a call of a class returns the interned object."""

    arity: int  # for a class with defaults: the number of arguments
    trailing: tuple[Any, ...]
    by_key: bool  # whether types of the class are identified by their `key`
    adapts: bool  # whether `adapt` is called for all arguments
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
            if len(args) < cls.arity:  # defaults are part of the key, else one type would be two
                args += cls.trailing[len(args) - cls.arity :]
            key = (actual, *args)
            try:
                interned_type = _INTERNED.get(key)
            except TypeError:
                raise TypeError(
                    f"{cls.__name__} has arguments that cannot be part of its key"
                ) from None
            return actual._new(key) if interned_type is None else interned_type

    def _new(cls, key: tuple[Any, ...]) -> Any:
        with _INTERNING:
            ty = _INTERNED.get(key)  # another thread may have created it meanwhile
            return _numbered(super().__call__(*key[1:]), key) if ty is None else ty


def _numbered(ty: Any, key: tuple[Any, ...]) -> Any:
    ty.typecode = next(_CODES)
    BY_CODE[ty.typecode] = ty
    _INTERNED[key] = ty
    return ty


def interned(ty: Any) -> Any:
    """Return the existing type of the same class and `key`, or this one.

    Raises TypeError for a type without a name, and for a key that is not hashable.
    """
    cls = type(ty)
    if not isinstance(getattr(ty, "name", None), str):
        raise TypeError(f"{cls.__name__}.__init__ must call super().__init__(name=...)")
    try:
        key = (cls, Interning, ty.key)  # distinct from all keys of arguments
        with _INTERNING:
            existing = _INTERNED.get(key)
            return _numbered(ty, key) if existing is None else existing
    except TypeError:
        raise TypeError(f"the key of {cls.__name__} {ty.name!r} is not hashable") from None


def restored(cls: Interning, state: dict[str, Any]) -> Any:
    """Restore a type that is identified by its key from a pickle."""
    ty: Any = object.__new__(cls)  # Any: a type of this class
    for name, value in state.items():
        setattr(ty, name, value)
    return interned(ty)


class Identity:
    """A value as a key, equal to another if both type and value are (1 and True differ)."""

    __slots__ = ("value", "_key")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key: tuple[Any, ...]
        if issubclass(type(value), type | BuiltinFunctionType):  # never by a user's `==`
            owner = attribute(value, "__self__", None)
            if is_a(owner, np.ufunc):  # each read of `np.add.reduce` creates a new object
                self._key = (id(type(value)), id(owner), value.__name__)
            else:
                self._key = (id(type(value)), id(value))
            return
        if not is_compared_by_value(value):
            self._key = (id(type(value)), id(value))
            return
        self._key = (type(value), float.__repr__(value) if is_a(value, float) else value)
        if is_a(value, np.dtype):  # some equal dtypes have different scalar classes
            self._key += (value.type,)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Identity, (self.value,))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self._key == other._key


def identified(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with the first one wrapped in an Identity."""
    first, *rest = args
    return (first if isinstance(first, Identity) else Identity(first), *rest)
