"""A property that is computed once, without a lock.

`functools.cached_property` of Python 3.11 holds a lock, shared by all objects of a class, while
it computes: two threads would wait for each other's compilations, and a process that is forked
meanwhile would deadlock.  Here two threads may both compute, and one of the results is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

T = TypeVar("T")


class _Once(Generic[T]):
    """The descriptor behind `cached_property` at run time."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


if TYPE_CHECKING:  # type checkers treat the standard one specially
    from functools import cached_property as cached_property
else:
    cached_property = _Once
