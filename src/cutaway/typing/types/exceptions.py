"""An exception that compiled code handles: one of Python's own objects."""

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
    value_class = None  # what it is shows when the program runs

    def __init__(self) -> None:
        super().__init__(Identity(BaseException))
        self.name = "exception"

    def taken_apart(self, value: Any) -> Any:
        """See Type."""
        return (primitives.Kept(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type: an owner is the object's address, with a mark."""
        (owner,) = items
        if isinstance(owner, primitives.Kept):
            return owner.value
        return ctypes.cast(owner & ~1, ctypes.py_object).value

    def sample(self) -> Any:
        """See Type."""
        return BaseException()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), ())


class ExceptionPart(CaughtException):
    """What an exception that is handled has: its class, its arguments, or one of these, of which
    only the program that runs knows more."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        Opaque.__init__(self, Identity(object))
        self.name = name

    def sample(self) -> Any:
        """See Type."""
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.name,))


def classes_of(ty: Any) -> tuple[type[BaseException], ...] | None:
    """The classes after `except`, of the type of what is written there; None if it is something
    else."""
    if isinstance(ty, Class):
        return (ty.value,) if issubclass(ty.value, BaseException) else None
    if not isinstance(ty, Tuple) or not all(isinstance(item, Class) for item in ty.items):
        return None
    found = [classes_of(item) for item in ty.items]
    if None in found:
        return None
    return tuple(cls for classes in found for cls in classes or ())
