"""The types of enumeration members: `enum.Enum`, and those that are integers (`enum.IntEnum`).

A member is represented by its position among the members of its class.  Classes that override
comparisons or arithmetic of Enum or int have no type: compiled code would not call their methods.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from functools import cache
from typing import Any

from cutaway.typing import types
from cutaway.typing.types import Class, Tuple, Type, primitives
from cutaway.typing.types.conversions import (
    CONVERSIONS,
    UNIONS,
    Conversion,
    RuleOrder,
    conversion,
    unify,
)

LARGEST = 10_000  # members of a class: the look-up is a linear search


class EnumMember(Type):
    """A member of an enumeration."""

    __slots__ = ("cls",)
    passable = may_be_none = can_be_written = adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Drop the type of the values, which Numba's class takes, too: the class determines it."""
        return cls, (*args, *named.values())[:1]

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.name = cls.__name__

    def members(self) -> primitives.Members:
        return (("place", primitives.COUNT),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"E" + cross.constant(self.values)

    @property
    def value_class(self) -> Any:
        return self.cls

    instance_class = value_class

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (self.place(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        (place,) = items
        return self.values[place]

    def sample(self) -> Any:
        return self.values[0]

    @property
    def values(self) -> tuple[Any, ...]:
        """All members in the order of their definition, without aliases."""
        return members_of(self.cls)

    def place(self, member: object) -> int:
        """Return the position of a member."""
        return next(k for k, one in enumerate(self.values) if one is member)


class IntEnumMember(EnumMember):
    """A member of an enumeration whose members are integers."""

    __slots__ = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The integer value of each member."""
        return tuple(map(int, self.values))


def members_of(cls: Any) -> tuple[Any, ...]:
    """Return the members of a class, without aliases."""
    return tuple(cls._member_map_[name] for name in cls._member_names_)


def typeof_member(value: enum.Enum) -> EnumMember | None:
    """Return the type of a member; None if its class has none, or does not contain the member."""
    cls = type(value)
    is_member = any(member is value for member in members_of(cls))
    return enum_type(cls) if is_member and untyped_reason(cls) is None else None


def enum_type(cls: Any) -> EnumMember:
    """Return the type of the members of a supported class."""
    return IntEnumMember(cls) if cls._member_type_ is int else EnumMember(cls)


_SAME = ("__eq__", "__ne__", "__bool__", "__len__")
_OF_INTEGERS = tuple(
    f"__{name}__"
    for name in (
        "eq ne lt le gt ge bool int float index abs neg pos invert round trunc floor ceil add sub"
        " mul truediv floordiv mod divmod pow lshift rshift and or xor radd rsub rmul rtruediv"
        " rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor"
    ).split()
)


def untyped_reason(cls: Any) -> tuple[str, str] | None:
    """Return the reason why members of a class have no type, and what to pass instead; None if
    they have one."""
    name, hint = cls.__name__, "pass its value: x.value"
    if issubclass(cls, enum.Flag):
        return f"a member of {name} (a class of flags)", hint
    mixed = cls._member_type_
    if mixed not in (object, int):
        return f"a member of {name} (an enumeration of {mixed.__name__})", hint
    for method in _OF_INTEGERS if mixed is int else _SAME:
        if _inherited(cls, method) is not _inherited(mixed, method):
            return f"a member of {name} (which has its own {method})", hint
    if len(cls._member_names_) > LARGEST:
        return f"a member of {name} (one of more than {LARGEST:,})", hint
    if mixed is int and not all(-(2**63) <= number < 2**63 for number in map(int, members_of(cls))):
        return f"a member of {name} (some have more than 64 bits)", hint
    return None


def _inherited(cls: type, name: str) -> Any:
    """Return an attribute that instances of a class inherit, not one of its metaclass."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def member_of(owner: Type, name: str) -> enum.Enum | None:
    """Return the member `owner.name`; None if it is not a member with a type."""
    if not isinstance(owner, Class) or not isinstance(owner.value, enum.EnumMeta):
        return None
    member = owner.value._member_map_.get(name)
    return member if member is not None and typeof_member(member) is not None else None


def is_plain_member(ty: Type) -> bool:
    """True if values of the type are enumeration members and not integers."""
    return isinstance(ty, EnumMember) and not isinstance(ty, IntEnumMember)


@cache
def as_number(ty: Type) -> Type:
    """Return the type with members of integer enumerations replaced by int64."""
    if isinstance(ty, IntEnumMember):
        return types.int64
    return ty.of(tuple(map(as_number, ty.items))) if isinstance(ty, Tuple) else ty


@CONVERSIONS.add(IntEnumMember, (types.Boolean, types.Integer, types.Float, types.Complex))
def _to_number(source: Type, wanted: Type) -> Conversion:
    return max(Conversion.SAFE, conversion(types.int64, wanted))


@UNIONS.add_both(IntEnumMember, Type, RuleOrder.NUMBERS)
def _unify_as_number(first: Type, second: Type) -> Type | None:
    return unify(types.int64, second)
