"""The types of generators, the results of calls of compiled functions with `yield`."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.absent import none
from cutaway.typing.types.base import IteratorType, Type
from cutaway.typing.types.compound import Holder
from cutaway.typing.types.conversions import UNIONS, unify


class Generator(Holder, IteratorType):
    """An object with the frame of a suspended function; `item` is the type that it yields, and
    `value` the type that it returns at its end."""

    __slots__ = ("item", "value")
    arity = 2
    trailing = (none,)
    may_be_none = True
    items_are_new = True  # a property in some classes

    def __init__(self, item: Type, value: Type = none) -> None:
        self.item = item
        self.value = value
        returned = "" if value is none else f", returns {value}"
        self.name = f"generator({item}{returned})"

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Drop all arguments but `yield_type`: Numba's class takes the contents of the frame, too,
        on which the type does not depend here."""
        if "yield_type" in named:
            return cls, (named["yield_type"],)
        return super().adapt(args, named)

    def members(self) -> primitives.Members:
        return (("object", primitives.OWNER),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"J" + cross.items((self.item, self.value))

    def taken_apart(self, value: Any) -> None:
        return None

    def iterator(self) -> Type:
        return self

    @property
    def can_leave(self) -> bool:
        return self.item.can_leave and self.value.can_leave

    @property
    def source(self) -> Type:
        """The generator itself; iterators have their iterable here."""
        return self

    @property
    def held(self) -> Type:
        return self.item

    @property
    def yield_type(self) -> Type:
        """The same as `item`."""
        return self.item


@UNIONS.add(Generator, Generator)
def _union(first: Generator, second: Generator) -> Type | None:
    item, value = unify(first.item, second.item), unify(first.value, second.value)
    return None if item is None or value is None else Generator(item, value)
