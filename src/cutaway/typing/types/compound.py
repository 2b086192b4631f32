"""Types made of others: how large they may become."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.errors import TypingError
from cutaway.typing.types.base import Type

LARGEST_TUPLE = 5000  # numbers in a tuple, those in tuples in it included
DEEPEST_TUPLE = 100  # tuples one in the other


def checked_extent(items: Iterable[Type]) -> tuple[int, int]:
    """The numbers in a tuple of these items, and its nesting.

    Raises TypingError where it is too large: the size of types can double with each line.
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
    """A type that is as large as one other, which `held` gives."""

    __slots__ = ()

    @property
    def held(self) -> Type:
        """The type that it is made of."""
        raise NotImplementedError

    @property
    def extent(self) -> int:
        """See Type."""
        return self.held.extent

    @property
    def nesting(self) -> int:
        """See Type."""
        return self.held.nesting


class Compound(Type):
    """A type made of several others, of limited size."""

    __slots__ = ("_size",)
    _size: tuple[int, int]

    @property
    def extent(self) -> int:
        """See Type."""
        return self._size[0]

    @property
    def nesting(self) -> int:
        """See Type."""
        return self._size[1]
