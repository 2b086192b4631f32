"""The types of exceptions that compiled code handles, which are Python objects."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.constants import Class
from cutaway.typing.types.interning import Identity
from cutaway.typing.types.opaque import Opaque
from cutaway.typing.types.tuples import Tuple


class CaughtException(Opaque):
    """An exception of any class."""

    __slots__ = ()
    passable = False
    can_be_written = can_be_printed = True
    value_class = None  # known only at run time

    def __init__(self) -> None:
        super().__init__(Identity(BaseException))
        self.name = "exception"

    def taken_apart(self, value: Any) -> Any:
        return (primitives.Kept(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        """Return the object; its owner is the object's address with a tag bit."""
        (owner,) = items
        if isinstance(owner, primitives.Kept):
            return owner.value
        return ctypes.cast(owner & ~1, ctypes.py_object).value

    def sample(self) -> Any:
        return BaseException()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), ())


class ExceptionPart(CaughtException):
    """A part of a handled exception, known only at run time: its class, its arguments, or one of
    these."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        Opaque.__init__(self, Identity(object))
        self.name = name

    def sample(self) -> Any:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.name,))


def classes_of(ty: Any) -> tuple[type[BaseException], ...] | None:
    """Return the classes after `except`, by the type of the expression there; None if it is neither
    a class nor a tuple of classes."""
    if isinstance(ty, Class):
        return (ty.value,) if issubclass(ty.value, BaseException) else None
    if not isinstance(ty, Tuple) or not all(isinstance(item, Class) for item in ty.items):
        return None
    nested = [classes_of(item) for item in ty.items]
    if None in nested:
        return None
    return tuple(cls for classes in nested for cls in classes or ())
