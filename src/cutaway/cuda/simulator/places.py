"""Locations in a program that have a meaning at run time."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.typing.types import Type


@dataclass(frozen=True, slots=True)
class Site:
    """A location of memory accesses: `kind` is "r", "w" or "a", for an atomic operation; `name` is
    the array in the user's words."""

    number: int
    kind: str
    loc: Loc
    name: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A location where a thread waits, and its reason."""

    kind: str
    loc: Loc
    ty: Type | None = None


@dataclass(frozen=True, slots=True)
class Allocation:
    """A location that makes a shared or a local array."""

    number: int
    name: str
    dtype: Type
    shape: tuple[int, ...]
    loc: Loc
