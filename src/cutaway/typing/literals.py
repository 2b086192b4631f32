"""Types that hold a value: what extensions see of arguments that are constants.

Inference itself knows constants apart from types (`Arguments.constants`); a literal type is made
where somebody asks by types alone, and taken off again before anything is compiled for it.
"""

from __future__ import annotations

from typing import Any

from cutaway.errors import TypingError
from cutaway.typing import types
from cutaway.typing.buffers import bytes_type
from cutaway.typing.conversions import of_constant
from cutaway.typing.templates import MISSING, Arguments
from cutaway.typing.types import Boolean, Integer, Literal, String, Tuple, Type, describe


class IntegerLiteral(Literal, Integer):
    """An integer that is known."""

    __slots__ = ("value",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type."""
        (value,) = args
        if type(value) is not int or of_constant(value) is None:
            raise TypeError(f"an integer literal is an int of 64 bits, not {describe(value)}")
        return cls, args

    def __init__(self, value: int) -> None:
        self.value = value
        plain = self.literal_type
        super().__init__(plain.bits, plain.signed)
        self.name = f"Literal[int]({value})"

    @property
    def literal_value(self) -> int:
        """See Literal."""
        return self.value

    @property
    def literal_type(self) -> Integer:
        """See Literal."""
        found = of_constant(self.value)
        assert isinstance(found, Integer)
        return found


class BooleanLiteral(Literal, Boolean):
    """A bool that is known."""

    __slots__ = ("value",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type."""
        (value,) = args
        if type(value) is not bool:
            raise TypeError(f"a bool literal is True or False, not {describe(value)}")
        return cls, args

    def __init__(self, value: bool) -> None:
        self.value = value
        super().__init__()
        self.name = f"Literal[bool]({value})"

    @property
    def literal_value(self) -> bool:
        """See Literal."""
        return self.value

    @property
    def literal_type(self) -> Type:
        """See Literal."""
        return types.boolean


def maybe_literal(value: Any) -> Type | None:  # Any: a constant
    """The type that holds a value; None for one that no type holds."""
    match value:
        case bool():
            return BooleanLiteral(value)
        case int() if type(value) is int and of_constant(value) is not None:
            return IntegerLiteral(value)
        case str() | bytes() if type(value) in (str, bytes):
            return String(value)
    return None


def literal(value: Any) -> Type:  # Any: a constant
    """The type that holds a value: an int, a bool, a str or bytes.

    Raises TypingError for any other.
    """
    found = maybe_literal(value)
    if found is None:
        message = f"no type holds the value {describe(value)}"
        raise TypingError(message, hint="ints of 64 bits, bools and strings have literal types")
    return found


def unliteral(ty: Type) -> Type:
    """The type of values that are not known, in the place of a literal one; also in tuples."""
    match ty:
        case String(value=bytes()):
            return bytes_type
        case Literal():
            return ty.literal_type
        case Tuple(items=items) if any(unliteral(item) is not item for item in items):
            return ty.of(tuple(map(unliteral, items)))
    return ty


def literal_types(arguments: Arguments) -> tuple[Type, ...]:
    """The types of arguments, literal ones for those that are constants."""
    found = []
    for ty, value in zip(arguments.types, arguments.constants, strict=True):
        held = None if value is MISSING else maybe_literal(value)
        found.append(ty if held is None else held)
    return tuple(found)


def plain_types(arguments: Arguments) -> tuple[Type, ...]:
    """The types of arguments, none of them literal."""
    return tuple(map(unliteral, arguments.types))
