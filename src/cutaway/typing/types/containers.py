"""The types of lists, sets and dicts, which are shared by reference; most grow and change."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from collections.abc import Iterator as Iterating
from operator import is_
from typing import Any, ClassVar

from cutaway.foundation import loading
from cutaway.typing.types import primitives
from cutaway.typing.types.absent import NoneType, Optional, undefined
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import IterableType, Literal, Type, Typeof
from cutaway.typing.types.collected import Collected
from cutaway.typing.types.conversions import (
    CONVERSIONS,
    UNIONS,
    Conversion,
    conversion,
    unify,
    unify_all,
)
from cutaway.typing.types.elements import Dated
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.numbers import Boolean, Number
from cutaway.typing.types.structure import Compound, checked_extent, leaves, owners, rebuilt
from cutaway.typing.types.texts import Choice, Str, String, str_type
from cutaway.typing.types.tuples import ListDisplay, Tuple

MOST_SLOTS = 64  # of an item: the owners among them are bits of one word
NATIVE, FROZEN, UNCHANGED, DEQUE = 2, 4, 8, 16  # flags of a descriptor


class Container(Compound, IterableType):
    """A container whose `contents` have one type each: the items, or the keys and the values.

    `undefined` stands in a container that stays empty.  While a function is inferred, `site`
    numbers the display that made the container, whose contents may still be widened; it is 0 in a
    final type.  A `native` one crosses to and from Python as a `cutaway.typed` container, without
    a copy; in compiled code it is like any other, and so are the containers in it.
    """

    __slots__ = ("site", "native")
    site: int
    native: bool
    word: ClassVar[str]  # the name of the Python class
    trailing = (0, False)
    passable = may_be_none = mutable = can_leave = True

    def __init__(self, *contents: Type) -> None:
        self._size = checked_extent(contents)
        inside = ", ".join(map(str, contents))
        word = f"typed.{self.word.capitalize()}" if self.native else self.word
        self.name = f"{word}[{'' if {*contents} == {undefined} else inside}]"

    @property
    def contents(self) -> tuple[Type, ...]:
        """The types of its items, or of its keys and its values."""
        raise NotImplementedError

    def of(self, contents: tuple[Type, ...], site: int = 0) -> Container:
        """Return the type of such a container with other contents."""
        inside = map(native_of, contents) if self.native else contents
        made: Container = type(self)(*inside, site, self.native)
        return made

    def natively(self, native: bool = True) -> Container:
        """Return the type of a native container with such contents, or of one that is not; tuples
        and frozensets are never native, but the containers in them are."""
        inside = map(native_of, self.contents) if native else self.contents
        made: Container = type(self)(*inside, self.site, native and not self.variant)
        return made

    @property
    def is_pending(self) -> bool:
        """True if no use has determined all of the contents yet."""
        return self.site != 0 and undefined in self.contents

    @property
    def item(self) -> Type:
        """The type of a value that a loop over it reads."""
        return self.contents[0]

    built_in: ClassVar[type]

    @property
    def value_class(self) -> type:
        own: type = (
            loading.load("cutaway.typed").CLASSES[type(self)]
            if self.native
            else type(self).built_in
        )
        return own

    def of_items(self, items: Any) -> Any:
        """Return a container of the type, for a built-in one with its contents."""
        return loading.load("cutaway.typed").restored(self, items) if self.native else items

    @property
    def can_be_written(self) -> bool:
        return all(one is undefined or one.can_be_written for one in self.contents)

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
        own = cross.constant(self) if self.native else b"\0"
        flags = is_empty | self.native * NATIVE | self.variant | UNCHANGED * (not cross.changed)
        return self.letter + bytes([flags]) + own + contents

    def coerced(self, value: Any) -> Any:
        """Make a built-in container native where its type is."""
        return self.of_items(value) if self.native and type(value) is self.built_in else value

    letter: ClassVar[bytes]  # of its descriptor
    variant: ClassVar[int] = 0  # the flags there of its Python class (dispatch_c/containers.h)

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        """Return the owner of a native container; None for others, which cannot be constants."""
        return (primitives.Kept(value),) if self.native else None

    def put_together(self, items: Iterable[Any]) -> Any:
        raise LookupError(f"no Python value of type {self}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (*self.contents, self.site, self.native))


class Collection(Container):
    """A container of items of one type."""

    __slots__ = ("_item",)
    arity = 3

    def __init__(self, item: Type, site: int = 0, native: bool = False) -> None:
        self._item = item
        self.site, self.native = site, native
        super().__init__(item)

    @property
    def contents(self) -> tuple[Type, ...]:
        return (self._item,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """Return the type of a container; None if an item has no type, or the items no common
        one."""
        if type(value) is not cls.built_in:
            return _own_type(value) or cls(undefined, 0, True)
        item = _common(value, typeof)
        return cls(item) if item is not None and cls.fits(item) else None

    @classmethod
    def fits(cls, item: Type) -> bool:
        """True if such a container can have items of a type."""
        return can_be_item(item)

    def sample(self) -> Any:
        item = self.item.sample()
        return self.of_items(self.built_in(() if item is None else (item,)))

    def argument(self, numbers: Iterating[int]) -> Any:
        return self.of_items(self.built_in(self.item.argument(numbers) for _ in range(3)))


class ListLike(Collection):
    """Items of one type in an order, side by side in memory."""

    __slots__ = ()
    letter = b"H"

    @property
    def can_be_printed(self) -> bool:
        return self.item is undefined or self.item.can_be_printed


class List(ListLike):
    """A list."""

    __slots__ = ()
    built_in = list
    python_classes = (list,)
    word = "list"

    def coerced(self, value: Any) -> Any:
        if self.native or type(value) is not list:
            return super().coerced(value)
        value[:] = [self.item.coerced(item) for item in value]  # it may be shared
        return value


class OpenTuple(ListLike):
    """A tuple whose length shows when the program runs: it never changes."""

    __slots__ = ()
    built_in = tuple
    word, variant = "tuple", FROZEN
    mutable = False

    def __init__(self, item: Type, site: int = 0, native: bool = False) -> None:
        super().__init__(item)
        self.name = f"tuple[{item}, ...]"

    def coerced(self, value: Any) -> Any:
        if type(value) is not tuple:
            return value
        made = tuple(map(self.item.coerced, value))
        return value if all(map(is_, made, value)) else made  # the same one where nothing changes


class Deque(ListLike):
    """A deque, whose items are those of a list with room on both sides."""

    __slots__ = ()
    built_in = deque
    python_classes = (deque,)
    word, variant = "deque", DEQUE


class SetLike(Collection):
    """A set, frozen or not."""

    __slots__ = ()
    letter = b"Q"

    @classmethod
    def fits(cls, item: Type) -> bool:
        return can_be_key(item)


class Set(SetLike):
    """A set."""

    __slots__ = ()
    built_in = set
    python_classes = (set,)
    word = "set"


class FrozenSet(SetLike):
    """A frozenset, which can be a key."""

    __slots__ = ()
    built_in = frozenset
    python_classes = (frozenset,)
    word, variant = "frozenset", FROZEN
    mutable = False


class Dict(Container):
    """A dict, which keeps the order of its keys."""

    __slots__ = ("key", "value")
    built_in = dict
    arity = 4
    python_classes = (dict,)
    word, letter = "dict", b"I"

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """Return the type of a dict; None if its keys or its values have no common type."""
        if type(value) is not dict:
            return _own_type(value) or Dict(undefined, undefined, 0, True)
        key, held = _common(value, typeof), _common(value.values(), typeof)
        if key is None or held is None or not can_be_key(key) or not can_be_item(held):
            return None
        return Dict(key, held)

    def __init__(self, key: Type, value: Type, site: int = 0, native: bool = False) -> None:
        self.key = key
        self.value = value
        self.site, self.native = site, native
        super().__init__(key, value)

    @property
    def contents(self) -> tuple[Type, ...]:
        return self.key, self.value

    def sample(self) -> Any:
        key, value = self.key.sample(), self.value.sample()
        return self.of_items({} if key is None or value is None else {key: value})

    def argument(self, numbers: Iterating[int]) -> Any:
        pairs = [(self.key.argument(numbers), self.value.argument(numbers)) for _ in range(3)]
        return self.of_items(dict(pairs))


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


def native_of(ty: Type) -> Type:
    """Return the type of a value in a native container, in which all containers are native."""
    return ty.natively() if isinstance(ty, Container) else rebuilt(ty, native_of)


def _own_type(value: Any) -> Type | None:
    """Return the type of a native container; None while nothing has determined its contents."""
    ty: Type | None = value._type
    return ty


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
    if isinstance(ty, OpenTuple):
        return can_be_key(ty.item)
    return ty is undefined or isinstance(ty, _KEYS)


_KEYS = (Number, Boolean, Str, NoneType, Dated, FrozenSet)


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
    if source.native is wanted.native and max(kinds) is Conversion.EXACT:
        return Conversion.EXACT
    both = native_of(source), native_of(wanted)
    if both == (source, wanted):
        return Conversion.NONE
    return Conversion.PROMOTION if conversion(*both) is Conversion.EXACT else Conversion.NONE


@UNIONS.add(Container, Container)
def _unify_containers(first: Container, second: Container) -> Type | None:
    if type(first) is not type(second):
        return None
    if first.native is not second.native:
        return unify(native_of(first), native_of(second))
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


@CONVERSIONS.add(Tuple, OpenTuple)
def _opened(source: Tuple, wanted: OpenTuple) -> Conversion:
    if source.value_class is not tuple:
        return Conversion.NONE
    kinds = [conversion(item, wanted.item) for item in source.items]
    return max(kinds, default=Conversion.PROMOTION)


@UNIONS.add(Tuple, Tuple)
def _unify_lengths(first: Tuple, second: Tuple) -> Type | None:
    """Return the type of tuples of either length, if all items have one type."""
    is_named = first.value_class is not tuple or second.value_class is not tuple
    if is_named or len(first.items) == len(second.items):
        return None
    return _open_tuple((*first.items, *second.items))


@UNIONS.add_both(Tuple, OpenTuple)
def _unify_opened(first: Tuple, second: OpenTuple) -> Type | None:
    return _open_tuple((*first.items, second.item)) if first.value_class is tuple else None


def _open_tuple(items: tuple[Type, ...]) -> Type | None:
    """Return the type of a tuple of run-time length with such items; no number becomes another
    one."""
    item = unify_all(items)
    numbers = {one for one in items if isinstance(one, Number | Boolean)}
    fits = item is not None and can_be_item(item) and len(numbers) < 2
    return OpenTuple(item) if fits and item is not None else None


def opens(source: Type, wanted: Type) -> bool:
    """True if a conversion makes a tuple of run-time length of one of known length."""
    match source, wanted:
        case Tuple(), OpenTuple():
            return True
        case Tuple(), Tuple():
            return any(map(opens, source.items, wanted.items))
        case Optional(), Optional():
            return opens(source.inner, wanted.inner)
        case _, Optional():
            return opens(source, wanted.inner)
    return False
