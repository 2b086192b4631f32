"""Objects that compiled code only passes on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.base import OpaqueType, describe
from cutaway.typing.types.interning import Identity


class Opaque(OpaqueType):
    """An object of the very class `cls`, of which compiled code knows nothing else: it can be
    passed on, returned, and compared with `is`."""

    __slots__ = ("identity",)
    passable = may_be_none = True

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.name = f"object({describe(identity.value)})"

    def members(self) -> primitives.Members:
        """See Type."""
        return (("object", primitives.OWNER),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"X" + cross.constant(self.cls)

    @property
    def value_class(self) -> type:
        """See Type."""
        return self.cls

    def taken_apart(self, value: Any) -> None:
        """See Type."""
        return None

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type."""
        raise LookupError(f"no Python value of type {self}")

    def sample(self) -> Any:
        """See Type."""
        return object()

    @property
    def cls(self) -> type:
        """The class."""
        cls: type = self.identity.value
        return cls


def opaque(cls: type) -> Opaque:
    """The type of the objects of a class that compiled code only passes on."""
    return Opaque(Identity(cls))
