"""The types of lists, sets and dicts: they grow, change, and are shared by reference."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as Iterating
from typing import Any, ClassVar

from cutaway.typing.types import primitives
from cutaway.typing.types.absent import NoneType, Optional, undefined
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import IterableType, Literal, Type, Typeof
from cutaway.typing.types.collected import Collected
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, conversion, unify
from cutaway.typing.types.elements import Dated
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.numbers import Boolean, Number
from cutaway.typing.types.structure import Compound, checked_extent, leaves, owners
from cutaway.typing.types.texts import Choice, Str, String, str_type
from cutaway.typing.types.tuples import ListDisplay, Tuple

MOST_SLOTS = 64  # of an item: the owners among them are bits of one word


class Container(Compound, IterableType):
    """A container whose `contents` have one type each: the items, or the keys and the values.

    `undefined` stands in a container that stays empty.  While a function is inferred, `site`
    numbers the display that made the container, whose contents may still be widened; it is 0 in a
    final type.
    """

    __slots__ = ("site",)
    site: int
    word: ClassVar[str]  # the name of the Python class
    passable = may_be_none = mutable = can_leave = True
    can_be_written = False

    def __init__(self, *contents: Type) -> None:
        self._size = checked_extent(contents)
        inside = ", ".join(map(str, contents))
        self.name = f"{self.word}[{'' if {*contents} == {undefined} else inside}]"

    @property
    def contents(self) -> tuple[Type, ...]:
        """The types of its items, or of its keys and its values."""
        raise NotImplementedError

    def of(self, contents: tuple[Type, ...], site: int = 0) -> Container:
        """Return the type of such a container with other contents."""
        made: Container = type(self)(*contents, site)
        return made

    @property
    def is_pending(self) -> bool:
        """True if no use has determined all of the contents yet."""
        return self.site != 0 and undefined in self.contents

    @property
    def item(self) -> Type:
        """The type of a value that a loop over it reads."""
        return self.contents[0]

    def members(self) -> primitives.Members:
        return (("owner", primitives.OWNER),)

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("container", self))

    def iterator(self) -> Type:
        return Iterator(self, self.item)

    @property
    def items_are_new(self) -> bool:  # of a class it is an attribute
        """True if items own memory, which the container may release while they are used."""
        return bool(owners(self.item))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        is_empty = undefined in self.contents
        contents = b"N" * len(self.contents) if is_empty else cross.items(self.contents)
        return self.letter + bytes([is_empty]) + contents

    letter: ClassVar[bytes]  # of its descriptor

    def taken_apart(self, value: Any) -> None:
        """Return None: constants cannot have this type."""

    def put_together(self, items: Iterable[Any]) -> Any:
        raise LookupError(f"no Python value of type {self}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (*self.contents, self.site))


class Collection(Container):
    """A container of items of one type."""

    __slots__ = ("_item",)
    arity = 2
    trailing = (0,)

    def __init__(self, item: Type, site: int = 0) -> None:
        self._item = item
        self.site = site
        super().__init__(item)

    @property
    def contents(self) -> tuple[Type, ...]:
        return (self._item,)


class List(Collection):
    """A list."""

    __slots__ = ()
    value_class = list
    python_classes = (list,)
    word, letter = "list", b"H"

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """Return the type of a list; None if an item has no type, or the items no common one."""
        item = _common(value, typeof)
        return List(item) if item is not None and can_be_item(item) else None

    @property
    def can_be_written(self) -> bool:
        return self.item is undefined or self.item.can_be_written

    @property
    def can_be_printed(self) -> bool:
        return self.item is undefined or self.item.can_be_printed

    def coerced(self, value: Any) -> Any:
        if type(value) is not list:
            return value
        value[:] = [self.item.coerced(item) for item in value]  # it may be shared
        return value

    def sample(self) -> Any:
        item = self.item.sample()
        return [] if item is None else [item]

    def argument(self, numbers: Iterating[int]) -> Any:
        return [self.item.argument(numbers) for _ in range(3)]


class Set(Collection):
    """A set."""

    __slots__ = ()
    value_class = set
    python_classes = (set,)
    word, letter = "set", b"Q"

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """Return the type of a set; None if an item has no type, or the items no common one."""
        item = _common(value, typeof)
        return Set(item) if item is not None and can_be_key(item) else None

    def sample(self) -> Any:
        item = self.item.sample()
        return set() if item is None else {item}

    def argument(self, numbers: Iterating[int]) -> Any:
        return {self.item.argument(numbers) for _ in range(3)}


class Dict(Container):
    """A dict, which keeps the order of its keys."""

    __slots__ = ("key", "value")
    value_class = dict
    arity = 3
    trailing = (0,)
    python_classes = (dict,)
    word, letter = "dict", b"I"

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """Return the type of a dict; None if its keys or its values have no common type."""
        key, held = _common(value, typeof), _common(value.values(), typeof)
        if key is None or held is None or not can_be_key(key) or not can_be_item(held):
            return None
        return Dict(key, held)

    def __init__(self, key: Type, value: Type, site: int = 0) -> None:
        self.key = key
        self.value = value
        self.site = site
        super().__init__(key, value)

    @property
    def contents(self) -> tuple[Type, ...]:
        return self.key, self.value

    def sample(self) -> Any:
        key, value = self.key.sample(), self.value.sample()
        return {} if key is None or value is None else {key: value}

    def argument(self, numbers: Iterating[int]) -> Any:
        return {self.key.argument(numbers): self.value.argument(numbers) for _ in range(3)}


class DictView(Type):
    """`d.keys()`, `d.values()` or `d.items()`, by its `kind`: it has the dict."""

    __slots__ = ("dict", "kind")
    can_leave = False

    def __init__(self, dict: Dict, kind: str) -> None:
        self.dict = dict
        self.kind = kind
        self.name = f"{kind} of {dict}"

    def members(self) -> primitives.Members:
        return (("dict", self.dict),)

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("dict", self.dict))

    @property
    def item(self) -> Type:
        """The type of a value that a loop over it reads."""
        match self.kind:
            case "keys":
                return self.dict.key
            case "values":
                return self.dict.value
        return Tuple(self.dict.contents)

    def iterator(self) -> Type:
        return Iterator(self, self.item)

    @property
    def items_are_new(self) -> bool:  # of a class it is an attribute
        return bool(owners(self.item))

    @property
    def extent(self) -> int:
        return self.dict.extent

    @property
    def nesting(self) -> int:
        return self.dict.nesting


def _common(values: Iterable[Any], typeof: Typeof) -> Type | None:
    """Return the common type of values; None if one has none, or they have none in common."""
    common: Type | None = undefined
    for one in _representatives(values):
        ty = typeof(one)
        common = None if ty is None or common is None else unify(common, ty)
    return common


def _representatives(value: Iterable[Any]) -> Iterable[Any]:
    """Return some of several values, whose types are those of all of them."""
    by_class = {type(one): one for one in value}
    if not _PLAIN.issuperset(by_class):
        return value
    if int in by_class:  # an int's type depends on its size
        integers = [one for one in value if type(one) is int]
        return (*by_class.values(), min(integers), max(integers))
    return by_class.values()


_PLAIN = frozenset((bool, int, float, complex, str, type(None)))


def item_of(ty: Type) -> Type | None:
    """Return the type of an item of a list that holds values of type `ty`; None if none can."""
    match ty:
        case String() | Choice():
            return str_type if unify(ty, str_type) is str_type else None
        case Literal():
            return ty.literal_type
        case ListDisplay(items=items):
            common = united_items(items)
            return None if common is None else List(common)
        case Collected(dtype=dtype, ndim=ndim):
            item: Type = dtype
            for _ in range(ndim):
                item = List(item)
            return item
        case Tuple(items=items):
            inner = [item_of(one) for one in items]
            if undefined in inner:
                return undefined  # such a tuple never exists
            return None if None in inner else ty.of(tuple(one for one in inner if one is not None))
    return ty if can_be_item(ty) else None


def united_items(items: Iterable[Type | None]) -> Type | None:
    """Return the common type of items of a list; None if one has no type, or there is none."""
    common: Type | None = undefined
    for ty in items:
        item = None if ty is None else item_of(ty)
        common = None if item is None or common is None else unify(common, item)
    return common


def can_be_item(ty: Type) -> bool:
    """True if lists can contain values of a type."""
    if ty is undefined:
        return True
    if isinstance(ty, Tuple):
        fits = all(map(can_be_item, ty.items))
    elif isinstance(ty, Optional):
        fits = can_be_item(ty.inner)
    else:
        fits = isinstance(ty, _ITEMS)
    return fits and len(leaves(ty)) <= MOST_SLOTS


_ITEMS = (Number, Boolean, Str, NoneType, Array, Dated, Container)


def can_be_key(ty: Type) -> bool:
    """True if dicts and sets can contain values of a type as keys."""
    if isinstance(ty, Tuple):
        return all(map(can_be_key, ty.items))
    if isinstance(ty, Optional):
        return can_be_key(ty.inner)
    return ty is undefined or isinstance(ty, _KEYS)


_KEYS = (Number, Boolean, Str, NoneType, Dated)


@CONVERSIONS.add(Container, Container)
def _between_containers(source: Container, wanted: Container) -> Conversion:
    if type(source) is not type(wanted):
        return Conversion.NONE
    kinds = [
        Conversion.EXACT if one is other else conversion(one, other)
        for one, other in zip(source.contents, wanted.contents, strict=True)
    ]
    if undefined in source.contents and undefined not in wanted.contents:
        return Conversion.PROMOTION
    return Conversion.EXACT if max(kinds) is Conversion.EXACT else Conversion.NONE


@UNIONS.add(Container, Container)
def _unify_containers(first: Container, second: Container) -> Type | None:
    if type(first) is not type(second):
        return None
    if undefined in first.contents or undefined in second.contents:
        return second if undefined in first.contents else first
    united = [unify(one, two) for one, two in zip(first.contents, second.contents, strict=True)]
    contents = tuple(one for one in united if one is not None)
    if len(contents) < len(united):
        return None
    union = first.of(contents)
    if Conversion.NONE in (conversion(first, union), conversion(second, union)):
        return None
    return first.of(contents, first.site or second.site)
