"""Primitives: the building blocks of a type's `members`.

A member is one of these, or another type with its own members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from cutaway.foundation.dataclass import dataclass

if TYPE_CHECKING:
    from cutaway.typing.types.base import Type


@dataclass(frozen=True, slots=True)
class Word:
    """A value in one register, by its LLVM type; `signed` matters when it is widened to a slot."""

    llvm: str
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Owner:
    """A counted reference to memory or to a Python object; null if nothing is counted."""

    llvm: ClassVar[str] = "ptr"
    signed: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Cell(Owner):
    """The owner of the memory with a value's mutable state, such as an iterator's position; null
    if that memory is on the stack of the function that created the value."""


@dataclass(frozen=True, slots=True)
class Known:
    """An integer that the type determines: it has a slot for Python, but none in compiled code."""

    value: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """A member that is repeated `count` times under one name."""

    member: Member
    count: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of a type whose members are unknown."""

    ty: Type


Leaf: TypeAlias = "Word | Owner | Known | Unknown"
Member: TypeAlias = "Word | Owner | Known | Repeated | Type"
Members: TypeAlias = "tuple[tuple[str, Member], ...]"

OWNER = Owner()
POINTER = Word("ptr")  # not counted
FLAG = Word("i1")
COUNT = Word("i64", signed=True)
STATE: Members = (("memory", Cell()), ("place", POINTER))


@dataclass(frozen=True, slots=True)
class Kept:
    """The value of an owner in a constant: an object that is kept alive forever."""

    value: Any


@dataclass(frozen=True, slots=True)
class Frozen:
    """The value of a pointer member in a constant: bytes that are embedded in the code, and the
    offset that it points to."""

    data: bytes | bytearray
    offset: int = 0


# The value of an unused member in a constant: all of its parts are zero.
NOTHING: Any = object()


class Crossing:
    """The writer of type descriptors, by which the dispatcher identifies types.

    A call may change containers in an argument that is `changed`.
    """

    changed: bool

    def constant(self, value: Any) -> bytes:
        """Add an object to the constants, and return the byte that refers to it."""
        raise NotImplementedError

    def dtype(self, ty: Type) -> bytes:
        """Add the dtype of an element type, and return the byte that refers to it."""
        raise NotImplementedError

    def items(self, types: Sequence[Type]) -> bytes:
        """Return the concatenated descriptors of several types."""
        raise NotImplementedError
