"""The types of strings: constants, choices, f-strings, and strings from outside or from arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from cutaway.errors import TypingError
from cutaway.ir.operators import formatted
from cutaway.typing.types import primitives
from cutaway.typing.types.base import IterableType, Literal, Naming, Type, Typeof
from cutaway.typing.types.constants import MOST_CHOICES, Constant
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, promoted
from cutaway.typing.types.elements import UnicodeCharSeq
from cutaway.typing.types.structure import LARGEST_TUPLE, Compound, checked_extent


class String(Literal, Constant):
    """A string constant."""

    __slots__ = ()
    kind = "str"
    may_be_none = True

    @property
    def literal_value(self) -> Any:
        return self.value

    @property
    def literal_type(self) -> Type:
        return str_type

    def iterator(self) -> Type:
        return str_type.iterator()


class Choice(Type):
    """One of several string or bytes constants, known only at run time."""

    __slots__ = ("values",)
    may_be_none = can_be_written = True

    def __init__(self, values: tuple[str | bytes, ...]) -> None:
        self.values = values
        self.name = f"one of ({', '.join(map(repr, values))})"

    def members(self) -> primitives.Members:
        return (("which", primitives.COUNT),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"E" + cross.constant(self.values)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (self.values.index(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        (which,) = items
        return self.values[which]


# The encoding of a string, by the number of bytes per character.
_ENCODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


class Str(Type):
    """A string from outside or from an array; a constant in the program is a `String` or
    `Choice`."""

    __slots__ = ()
    value_class = str
    passable = may_be_none = can_be_written = True
    python_classes = (str,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return str_type

    def __init__(self) -> None:
        self.name = "str"

    def members(self) -> primitives.Members:
        """Return the members; `width` is the number of bytes per character."""
        return (
            ("owner", primitives.OWNER),
            ("data", primitives.POINTER),
            ("length", primitives.COUNT),
            ("width", primitives.COUNT),
        )

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("text", self))

    def iterator(self) -> Type:
        made: Type = IterableType.iterating(self, self)
        return made

    items_are_new = True

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"U"

    def taken_apart(self, value: str) -> tuple[Any, ...]:
        """Return the members of a constant, encoded as in Python: with the widest character's
        width."""
        widest = max(map(ord, value), default=0)
        width = next(width for width in _ENCODINGS if widest < 1 << 8 * width)
        data = value.encode(_ENCODINGS[width], "surrogatepass")
        return None, primitives.Frozen(data), len(value), width

    def put_together(self, items: Iterable[Any]) -> Any:
        owner, data, length, width = items
        if owner & 1:  # it is a Python object
            return ctypes.cast(owner & ~1, ctypes.py_object).value
        return ctypes.string_at(data, length * width).decode(_ENCODINGS[width], "surrogatepass")

    def sample(self) -> Any:
        return "a"

    def cache_name(self, name: Naming) -> str:
        return self.name


def text_classes(ty: Type) -> set[type]:
    """Return the possible classes of a string value, str and bytes; empty for other types."""
    match ty:
        case Str():
            return {str}
        case String(value=value):
            return {str if isinstance(value, str) else bytes}
        case Choice(values=values):
            return {str if isinstance(value, str) else bytes for value in values}
    return set()


def choice_of(first: String | Choice, second: String | Choice) -> Type | None:
    """Return the type of a value that is one of these; None if there are too many."""
    values: set[str | bytes] = set()
    for ty in (first, second):
        values.update(ty.values if isinstance(ty, Choice) else (ty.value,))
    if len(values) > MOST_CHOICES:
        return None
    return Choice(tuple(sorted(values, key=lambda value: (type(value).__name__, value))))


class Text(Compound):
    """A string that is formatted on demand: an f-string's pieces and values.

    Each piece is a literal string, or `(conversion, spec)` for the next of `items`.
    """

    __slots__ = ("pieces", "items")

    def __init__(self, pieces: tuple[str | tuple[str, str], ...], items: tuple[Type, ...]) -> None:
        self.pieces = pieces
        self.items = items
        self._size = checked_extent(items)
        if len(pieces) > LARGEST_TUPLE:
            raise TypingError(f"a string has at most {LARGEST_TUPLE:,} parts in compiled code")
        self.name = f"text({', '.join([repr(self.template), *map(str, items)])})"

    def members(self) -> primitives.Members:
        return tuple(("item", item) for item in self.items)

    can_leave = False

    @property
    def can_be_written(self) -> bool:
        return all(item.can_be_written for item in self.items)

    @property
    def can_be_printed(self) -> bool:
        return all(item.can_be_printed for item in self.items)

    def put_together(self, items: Iterable[Any]) -> str:
        return self.written(items)

    @property
    def template(self) -> str:
        """The pieces in the notation of `str.format`: `n is {}, x is {!r:>10}`."""
        written = []
        for piece in self.pieces:
            if isinstance(piece, str):
                written.append(piece.replace("{", "{{").replace("}", "}}"))
            else:
                conversion, spec = piece
                inside = f"!{conversion}" if conversion else ""
                written.append("{" + inside + (f":{spec}" if spec else "") + "}")
        return "".join(written)

    def written(self, values: Iterable[Any]) -> str:
        """Format the string with these values."""
        rest = iter(values)
        return "".join(
            piece if isinstance(piece, str) else formatted(next(rest), *piece)
            for piece in self.pieces
        )


str_type = Str()
UnicodeCharSeq.taken = str_type


def may_change(ty: Type) -> bool:
    """True for a container, an array, or a value with one in it, which may change before a text is
    made of it."""
    if isinstance(ty, Compound) and not ty.mutable:
        return any(may_change(one) for one in (*getattr(ty, "items", ()), *_contents(ty)))
    return ty.mutable and not isinstance(ty, Text)


def _contents(ty: Type) -> tuple[Type, ...]:
    contents: tuple[Type, ...] = getattr(ty, "contents", ())
    return contents


_WRITTEN = (String, Choice)


def is_written(source: Type, cls: type) -> bool:
    """True if a type is that of constants of a class, str or bytes."""
    return isinstance(source, _WRITTEN) and text_classes(source) == {cls}


@CONVERSIONS.add(_WRITTEN, Str)
def _to_any_text(source: Type, wanted: Type) -> Conversion:
    return promoted(is_written(source, str))


@CONVERSIONS.add(_WRITTEN, Choice)
def _to_choice(source: String | Choice, wanted: Choice) -> Conversion:
    return promoted(choice_of(source, wanted) is wanted)


@UNIONS.add_both(Str, _WRITTEN)
def _unify_text(first: Type, second: Type) -> Type | None:
    return first if is_written(second, str) else None


UNIONS.add(_WRITTEN, _WRITTEN)(choice_of)
