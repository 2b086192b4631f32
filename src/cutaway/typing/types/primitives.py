"""Primitives: the few building blocks in which a type's `members` are written.

A member is one of these, or another type, whose members it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from cutaway.foundation.dataclass import dataclass

if TYPE_CHECKING:
    from cutaway.typing.types.base import Type


@dataclass(frozen=True, slots=True)
class Word:
    """A value that the machine holds in one register, by its LLVM type; whether it has a sign
    matters where it is widened to a slot."""

    llvm: str
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Owner:
    """A counted reference to memory or to a Python object; null where nothing is counted."""

    llvm: ClassVar[str] = "ptr"
    signed: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Cell(Owner):
    """The owner of memory for what changes while a value is used, such as an iterator's position;
    null where that memory is on the stack of the function that made the value."""


@dataclass(frozen=True, slots=True)
class Known:
    """An integer that the type says: for Python it has a slot, in compiled code no part."""

    value: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same member so many times, with one name."""

    member: Member
    count: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of a type whose members are not known."""

    ty: Type


Leaf: TypeAlias = "Word | Owner | Known | Unknown"
Member: TypeAlias = "Word | Owner | Known | Repeated | Type"
Members: TypeAlias = "tuple[tuple[str, Member], ...]"

OWNER = Owner()
POINTER = Word("ptr")  # of which nobody keeps account
FLAG = Word("i1")
COUNT = Word("i64", signed=True)
STATE: Members = (("memory", Cell()), ("place", POINTER))


@dataclass(frozen=True, slots=True)
class Kept:
    """The value of an owner in a constant: an object that is kept for good."""

    value: Any


@dataclass(frozen=True, slots=True)
class Frozen:
    """The value of a pointer member in a constant: bytes that go into the code, and where in them
    it points."""

    data: bytes | bytearray
    offset: int = 0


# The value of a member in a constant that needs none: all of its parts are zero.
NOTHING: Any = object()


class Crossing:
    """The writer of descriptors that a type is handed: the text by which the dispatcher knows
    it."""

    def constant(self, value: Any) -> bytes:
        """The place of an object among the constants, as the byte that refers to it."""
        raise NotImplementedError

    def dtype(self, ty: Type) -> bytes:
        """The same for the dtype of a type of elements."""
        raise NotImplementedError

    def items(self, types: Sequence[Type]) -> bytes:
        """The descriptors of several types, one after the other."""
        raise NotImplementedError
