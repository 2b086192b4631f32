"""The entries of the value stack that are not names of variables."""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import Loc


@dataclass(frozen=True, slots=True)
class Display:
    """A list display on the stack, not yet an op."""

    items: tuple[str, ...]
    loc: Loc
    starred: frozenset[int] = frozenset()  # the positions of the items that are unpacked

    def renamed(self, old: str, new: str) -> Display:
        """Return the display with a variable renamed."""
        return replace(self, items=tuple(new if item == old else item for item in self.items))


@dataclass(frozen=True, slots=True)
class Handled:
    """The stack entry of an exception that is being handled."""

    exception: str


def depth_of(stack: list[Any]) -> int:
    """Return the number of exceptions that are being handled."""
    return sum(isinstance(entry, Handled) for entry in stack)
