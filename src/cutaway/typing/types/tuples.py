"""The types of tuples of known length, plain and named."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as Iterating
from operator import is_
from typing import TYPE_CHECKING, Any

from cutaway.foundation.foreign import attribute, bases_of, class_attribute, is_a
from cutaway.typing.types import primitives
from cutaway.typing.types.base import IterableType, Naming, Type, Typeof, describe, in_place
from cutaway.typing.types.conversions import (
    CONVERSIONS,
    UNIONS,
    Conversion,
    conversion,
    unify,
    unify_all,
)
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.structure import LARGEST_TUPLE, Compound, checked_extent, owners, passable


class Tuple(Compound, IterableType):
    """A tuple of known length; each item has its own type.

    A call returns one of the classes below, depending on whether all items have one type.
    """

    __slots__ = ("items",)
    value_class = tuple
    word = "tuple"  # the name of such values in messages
    adapts = True
    may_be_none = True
    python_classes = (tuple,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Tuple | None:
        items = [typeof(item) for item in value]
        if None in items:
            return None
        named = type(value) is not tuple
        return NamedTuple(tuple(items), type(value)) if named else Tuple(tuple(items))

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Accept the items in any sequence."""
        (items,) = args or in_place(cls, args, named)
        return UniTuple if _alike(items) else MixedTuple, (tuple(items),)

    def __init__(self, items: tuple[Type, ...]) -> None:
        _check_types(items)
        self.items = items
        self._size = checked_extent(items)
        if len(items) > 1 and self.uniform is not None:
            self.name = f"UniTuple({items[0]} x {len(items)})"
        else:
            self.name = f"Tuple({', '.join(map(str, items))})"

    def members(self) -> primitives.Members:
        return tuple(("", item) for item in self.items)

    @property
    def can_be_written(self) -> bool:
        return all(item.can_be_written for item in self.items)

    @property
    def can_be_printed(self) -> bool:
        return all(item.can_be_printed for item in self.items)

    def returned(self) -> Type:
        return self.of(tuple(item.returned() for item in self.items))

    def iteration(self) -> primitives.Members:
        """Return the members of an iterator: its state, the position and the items, and owners."""
        item_owners = primitives.Repeated(primitives.OWNER, len(owners(self)))
        return (*primitives.STATE, ("owners", item_owners))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"(" + cross.items(self.items) + b")"

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return tuple(value)

    def coerced(self, value: Any) -> Any:
        if not isinstance(value, tuple | list) or len(value) != len(self.items):
            return value
        items = [ty.coerced(item) for ty, item in zip(self.items, value, strict=True)]
        is_same = type(value) is self.value_class and all(map(is_, items, value))
        return value if is_same else self.put_together(items)

    def sample(self) -> Any:
        return self.put_together([item.sample() for item in self.items])

    def argument(self, numbers: Iterating[int]) -> Any:
        return self.put_together([item.argument(numbers) for item in self.items])

    def iterator(self) -> Type | None:
        item = unify_all(self.items)
        return None if item is None else Iterator(self, item)

    @property
    def passable(self) -> bool:
        return all(map(passable, self.items))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Tuple, (self.items,))

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return True  # also without items

    def __iter__(self) -> Iterating[Type]:
        return iter(self.items)

    def __getitem__(self, place: Any) -> Any:
        return self.items[place]

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of the items."""
        return self.items

    @property
    def count(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def uniform(self) -> Type | None:
        """The type that all items share, None if they differ or there are none."""
        return self.items[0] if _alike(self.items) else None

    def of(self, items: tuple[Type, ...]) -> Tuple:
        """Return the type of the same kind with other items."""
        return Tuple(items)

    def put_together(self, items: Iterable[Any]) -> Any:
        return tuple(items)

    def part(self, items: tuple[Type, ...]) -> Tuple:
        """Return the type of a slice with these items."""
        return Tuple(items)


def _alike(items: Any) -> bool:
    return len(items) > 0 and all(item is items[0] for item in items)


def _check_types(items: Iterable[Any]) -> None:
    wrong = next((item for item in items if not isinstance(item, Type)), None)
    if wrong is not None:
        raise TypeError(f"the items of a tuple type must be types, not {describe(wrong)}")


class AnonymousTuple(Tuple):
    """A plain tuple, not of a named tuple class."""

    __slots__ = ()

    def cache_name(self, name: Naming) -> str:
        return f"({' '.join(map(name, self.items))})"


class MixedTuple(AnonymousTuple):
    """A plain tuple without items, or with items that differ in type."""

    __slots__ = ()


class UniTuple(AnonymousTuple):
    """A plain tuple whose items have one type: `UniTuple(dtype, count)`."""

    __slots__ = ()
    if TYPE_CHECKING:

        def __init__(self, dtype: Type, count: int) -> None: ...

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        dtype, count = _repeated(*args, **named)
        return Tuple.adapt(((dtype,) * count,), {})

    @property
    def dtype(self) -> Type:
        """The type of an item."""
        return self.items[0]


def _repeated(dtype: Any, count: Any) -> tuple[Any, int]:
    if type(count) is not int or count < 0:
        raise TypeError(f"the length of a tuple must be an int, not {describe(count)}")
    _check_types((dtype,))
    if count * dtype.extent > LARGEST_TUPLE:
        checked_extent((dtype,) * (LARGEST_TUPLE + 1))
    return dtype, count


class ListDisplay(Tuple):
    """A list display, `[a, b]`, that is never modified: each item has its type, as in a tuple."""

    __slots__ = ()
    value_class = list
    word = "list"
    python_classes = ()
    can_leave = False
    passable = False

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        (items,) = args or in_place(cls, args, named)
        return cls, (tuple(items),)

    def __init__(self, items: tuple[Type, ...]) -> None:
        super().__init__(items)
        several = len(items) > 1 and self.uniform is not None
        written = f"{items[0]} x {len(items)}" if several else ", ".join(map(str, items))
        self.name = f"ListDisplay({written})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (ListDisplay, (self.items,))

    def crossing(self, cross: primitives.Crossing) -> None:
        """Return None: it is neither passed from Python nor returned to it."""

    def of(self, items: tuple[Type, ...]) -> ListDisplay:
        return ListDisplay(items)

    def part(self, items: tuple[Type, ...]) -> ListDisplay:
        return ListDisplay(items)

    def put_together(self, items: Iterable[Any]) -> list[Any]:
        return list(items)


class NamedTuple(Tuple):
    """A tuple of a class created by `collections.namedtuple` or `typing.NamedTuple`."""

    __slots__ = ("cls",)

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        items, of = (*args, *in_place(NamedTuple, args, named))
        if not is_named_tuple(of) or len(of._fields) != len(items):
            raise TypeError(f"{describe(of)} is not a named tuple class with {len(items)} fields")
        return NamedUniTuple if _alike(items) else MixedNamedTuple, (tuple(items), of)

    def __init__(self, items: tuple[Type, ...], cls: Any) -> None:
        super().__init__(items)
        self.cls = cls
        fields = zip(cls._fields, items, strict=True)
        self.name = f"{cls.__name__}({', '.join(f'{name}: {ty}' for name, ty in fields)})"

    def members(self) -> primitives.Members:
        return tuple(zip(self.fields, self.items, strict=True))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"T" + cross.constant(self.cls) + cross.items(self.items) + b")"

    @property
    def value_class(self) -> Any:
        return self.cls

    def __reduce__(self) -> tuple[Any, ...]:
        return (NamedTuple, (self.items, self.cls))

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the items."""
        names: tuple[str, ...] = self.cls._fields
        return names

    @property
    def instance_class(self) -> Any:
        """The class."""
        return self.cls

    def of(self, items: tuple[Type, ...]) -> Tuple:
        """Return the type of the same class with other items."""
        return NamedTuple(items, self.cls)

    def put_together(self, items: Iterable[Any]) -> tuple[Any, ...]:
        value: tuple[Any, ...] = self.cls._make(items)
        return value

    def field(self, name: str) -> int | None:
        """Return the position of a field; None if there is none of that name."""
        return self.cls._fields.index(name) if name in self.cls._fields else None


class MixedNamedTuple(NamedTuple):
    """A named tuple without items, or with items that differ in type."""

    __slots__ = ()


class NamedUniTuple(NamedTuple):
    """A named tuple whose items have one type: `NamedUniTuple(dtype, count, cls)`."""

    __slots__ = ()
    if TYPE_CHECKING:

        def __init__(self, dtype: Type, count: int, cls: type) -> None: ...

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        if len(args) + len(named) != 3:
            raise TypeError("NamedUniTuple takes dtype, count, cls")
        of = args[2] if len(args) == 3 else named.pop("cls", None)
        dtype, count = _repeated(*args[:2], **named)
        return NamedTuple.adapt(((dtype,) * count, of), {})

    @property
    def dtype(self) -> Type:
        """The type of an item."""
        return self.items[0]


def is_named_tuple(cls: Any) -> bool:
    """True if a class is a named tuple's and overrides no operation of tuples."""
    if not (is_a(cls, type) and tuple in bases_of(cls) and class_attribute(cls, "_fields")):
        return False
    made_by = attribute(cls.__new__, "__globals__", {})
    written = made_by.get("__name__", "") if type(made_by) is dict else ""
    return written.startswith("namedtuple_") and all(
        getattr(cls, name, None) is getattr(tuple, name, None) for name in _OF_TUPLES
    )


_OF_TUPLES = tuple(
    f"__{name}__"
    for name in (
        "init getattribute getattr len iter reversed getitem contains add radd mul rmul bool index"
        " eq ne lt le gt ge"
    ).split()
)


@CONVERSIONS.add(Tuple, Tuple)
def _between_tuples(source: Tuple, wanted: Tuple) -> Conversion:
    if len(source.items) != len(wanted.items) or not _one_kind(source, wanted):
        return Conversion.NONE
    kinds = map(conversion, source.items, wanted.items)
    return max(kinds, default=Conversion.EXACT)


def _one_kind(first: Tuple, second: Tuple) -> bool:
    """True if both are plain tuples, named ones of one class, or lists."""
    return first.value_class is second.value_class


@UNIONS.add(Tuple, Tuple)
def _unify_tuples(first: Tuple, second: Tuple) -> Type | None:
    if len(first.items) != len(second.items) or not _one_kind(first, second):
        return None
    items = [unify(a, b) for a, b in zip(first.items, second.items, strict=True)]
    return None if None in items else first.of(tuple(items))
