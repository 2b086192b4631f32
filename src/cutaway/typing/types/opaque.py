"""The types of objects that compiled code only passes on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.base import OpaqueType, describe
from cutaway.typing.types.interning import Identity


class Opaque(OpaqueType):
    """An object of exactly the class `cls`: compiled code can pass it on, return it, and compare it
    with `is`."""

    __slots__ = ("identity",)
    passable = may_be_none = True

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.name = f"object({describe(identity.value)})"

    def members(self) -> primitives.Members:
        return (("object", primitives.OWNER),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"X" + cross.constant(self.cls)

    @property
    def value_class(self) -> type:
        return self.cls

    def taken_apart(self, value: Any) -> None:
        return None

    def put_together(self, items: Iterable[Any]) -> Any:
        raise LookupError(f"no Python value of type {self}")

    def sample(self) -> Any:
        return object()

    @property
    def cls(self) -> type:
        """The class."""
        cls: type = self.identity.value
        return cls


def opaque(cls: type) -> Opaque:
    """Return the type of a class's objects, which compiled code only passes on."""
    return Opaque(Identity(cls))
