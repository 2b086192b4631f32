"""The types of lists whose items have one type: they grow, change, and are shared by reference."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as Iterating
from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.absent import NoneType, Optional, undefined
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import IterableType, Literal, Type, Typeof
from cutaway.typing.types.collected import Collected
from cutaway.typing.types.compound import Compound, checked_extent
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, conversion, unify
from cutaway.typing.types.elements import Dated
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.numbers import Boolean, Number
from cutaway.typing.types.structure import leaves, owners
from cutaway.typing.types.texts import Choice, Str, String, Text, str_type
from cutaway.typing.types.tuples import ListDisplay, Tuple

MOST_SLOTS = 64  # of an item: the owners among them are bits of one word


class List(Compound, IterableType):
    """A list of items of one type; `undefined` is the item type of a list that stays empty.

    While a function is inferred, `site` numbers the display that made the list, whose item type may
    still be widened.  It is 0 in a final type.
    """

    __slots__ = ("item", "site")
    value_class = list
    arity = 2
    trailing = (0,)
    passable = may_be_none = mutable = True
    can_leave = True
    can_be_written = False
    python_classes = (list,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """Return the type of a list; None if an item has no type, or the items no common one."""
        item: Type | None = undefined
        for one in _representatives(value):
            ty = typeof(one)
            item = None if ty is None or item is None else unify(item, ty)
        return List(item) if item is not None and can_be_item(item) else None

    def __init__(self, item: Type, site: int = 0) -> None:
        self.item = item
        self.site = site
        self._size = checked_extent((item,))
        self.name = f"list[{item}]" if item is not undefined else "list[]"

    @property
    def is_pending(self) -> bool:
        """True if no use has determined the item type yet."""
        return self.site != 0 and self.item is undefined

    def members(self) -> primitives.Members:
        return (("owner", primitives.OWNER),)

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("list", self))

    def iterator(self) -> Type:
        return Iterator(self, self.item)

    @property
    def items_are_new(self) -> bool:  # of a class it is an attribute
        """True if items own memory, which the list may give up while they are used."""
        return bool(owners(self.item))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        is_empty = self.item is undefined
        item = b"N" if is_empty else cross.items((self.item,))
        return b"H" + bytes([is_empty]) + item

    def taken_apart(self, value: Any) -> None:
        """Return None: constants cannot have this type."""

    def put_together(self, items: Iterable[Any]) -> Any:
        raise LookupError(f"no Python value of type {self}")

    def coerced(self, value: Any) -> Any:
        if type(value) is not list:
            return value
        items = [self.item.coerced(item) for item in value]
        same = all(one is other for one, other in zip(items, value, strict=True))
        return value if same else items

    def sample(self) -> Any:
        item = self.item.sample()
        return [] if item is None else [item]

    def argument(self, numbers: Iterating[int]) -> Any:
        return [self.item.argument(numbers) for _ in range(3)]

    def __reduce__(self) -> tuple[Any, ...]:
        return (List, (self.item, self.site))


def _representatives(value: list[Any]) -> Iterable[Any]:
    """Return items of a list whose types are those of all its items."""
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
        case String() | Choice() | Text():
            return str_type if unify(ty, str_type) is str_type or isinstance(ty, Text) else None
        case Literal():
            return ty.literal_type
        case ListDisplay(items=items):
            return list_type(items)
        case Collected(dtype=dtype, ndim=ndim):
            item: Type = dtype
            for _ in range(ndim):
                item = List(item)
            return item
        case Tuple(items=items):
            inner = [item_of(one) for one in items]
            return None if None in inner else ty.of(tuple(one for one in inner if one is not None))
    return ty if can_be_item(ty) else None


def list_type(items: Iterable[Type]) -> List | None:
    """Return the type of a list of these items; None if they have no common type."""
    common: Type | None = undefined
    for ty in items:
        item = item_of(ty)
        common = None if item is None or common is None else unify(common, item)
    return None if common is None else List(common)


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


_ITEMS = (Number, Boolean, Str, NoneType, Array, Dated, List)


def site_of(ty: Type) -> int:
    """Return the site of a list type; 0 for any other type."""
    return ty.site if isinstance(ty, List) else 0


@CONVERSIONS.add(List, List)
def _between_lists(source: List, wanted: List) -> Conversion:
    if source.item is wanted.item or conversion(source.item, wanted.item) is Conversion.EXACT:
        return Conversion.EXACT
    return Conversion.PROMOTION if source.item is undefined else Conversion.NONE


@UNIONS.add(List, List)
def _unify_lists(first: List, second: List) -> Type | None:
    if undefined in (first.item, second.item):
        return second if first.item is undefined else first
    item = unify(first.item, second.item)
    same = item is not None and Conversion.NONE not in (
        conversion(first, List(item)),
        conversion(second, List(item)),
    )
    return List(item, first.site or second.site) if item is not None and same else None
