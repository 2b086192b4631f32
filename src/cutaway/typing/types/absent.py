"""What stands where there is no value, or may be none."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types.base import Type
from cutaway.typing.types.compound import Holder
from cutaway.typing.types.interning import Identity, identified
from cutaway.typing.types.primitives import FLAG, Crossing, Members


class NoneType(Type):
    """`None`."""

    __slots__ = ()
    is_none = True

    def __init__(self) -> None:
        self.name = "none"

    def members(self) -> Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return b"N"


class EllipsisType(Type):
    """`...`."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "ellipsis"

    def members(self) -> Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return b"K" + cross.constant(...)


class Undefined(Type):
    """No value at all: a variable on a path where it is unbound; unifies with anything."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "undefined"

    def members(self) -> Members:
        """See Type: none are needed."""
        return ()


class Omitted(Type):
    """An argument that the caller left out; stands for the parameter's default."""

    __slots__ = ("default",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type; the default can be given as it is."""
        return cls, identified(args)

    def __init__(self, default: Identity) -> None:
        self.default = default
        self.name = f"omitted(default={default.value!r})"

    def members(self) -> Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return b"O"

    @property
    def value(self) -> Any:  # Any: a default is any object
        """The default value."""
        return self.default.value

    @property
    def is_none(self) -> bool:  # type: ignore[override]
        """Whether the default is None."""
        return self.default.value is None


def omitted(default: Any) -> Omitted:  # Any: a default is any object
    """The type of an argument left out whose parameter has `default`."""
    return Omitted(Identity(default))


class Optional(Holder):
    """A value of type `inner`, or None."""

    __slots__ = ("inner",)
    is_none = None

    def __init__(self, inner: Type) -> None:
        self.inner = inner
        self.name = f"optional({inner})"

    def members(self) -> Members:
        """See Type."""
        return (("there", FLAG), ("inner", self.inner))

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return b"M" + cross.items((self.inner,))

    @property
    def type(self) -> Type:
        """The same as `inner`."""
        return self.inner

    held = type


none = NoneType()
ellipsis = EllipsisType()
undefined = Undefined()
