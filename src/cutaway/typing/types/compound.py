"""Types that contain others, and the limits of their size."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.errors import TypingError
from cutaway.typing.types.base import Type

LARGEST_TUPLE = 5000  # numbers in a tuple, those of nested tuples included
DEEPEST_TUPLE = 100  # nested tuples


def checked_extent(items: Iterable[Type]) -> tuple[int, int]:
    """Return the number of numbers in a tuple of these items, and its nesting depth.

    Raises TypingError if it is too large: the size of types can double with each line.
    """
    items = tuple(items)
    extent = sum(item.extent for item in items) + 1
    nesting = max((item.nesting for item in items), default=0) + 1
    if extent > LARGEST_TUPLE:
        raise TypingError(
            f"a tuple has at most {LARGEST_TUPLE:,} numbers in compiled code",
            hint="use a NumPy array",
        )
    if nesting > DEEPEST_TUPLE:
        raise TypingError(
            f"values can be nested at most {DEEPEST_TUPLE} levels deep in compiled code",
            hint="use a NumPy array for data that grows with each iteration or call",
        )
    return extent, nesting


class Holder(Type):
    """A type of the same extent as one other, `held`."""

    __slots__ = ()

    @property
    def held(self) -> Type:
        """The contained type."""
        raise NotImplementedError

    @property
    def extent(self) -> int:
        return self.held.extent

    @property
    def nesting(self) -> int:
        return self.held.nesting


class Compound(Type):
    """A type that contains several others, of limited size."""

    __slots__ = ("_size",)
    _size: tuple[int, int]

    @property
    def extent(self) -> int:
        return self._size[0]

    @property
    def nesting(self) -> int:
        return self._size[1]
