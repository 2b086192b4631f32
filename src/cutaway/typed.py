"""Native containers: the lists, dicts and sets of compiled code as objects of Python.

    from cutaway import typed, types

    prices = typed.Dict.empty(types.str, types.float64)
    prices["tea"] = 2.5
    f(prices)                       # compiled code works on the same dict; nothing is copied

They have the protocol of the built-in containers.  The methods that are called most are in C
(`dispatch_c/native_lists.c`, `native_tables.c`); all others are written here, over these.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import (
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
    ValuesView,
)
from typing import Any

import numpy as np

from cutaway.dispatch_c._dispatch import Layout, NativeDict, NativeList, NativeSet, adopt
from cutaway.errors import TypingError
from cutaway.lowering.layout import descriptor
from cutaway.typing import types
from cutaway.typing.types import Type
from cutaway.typing.types.containers import can_be_item, can_be_key, item_of, native_of
from cutaway.typing.types.conversions import Conversion, conversion
from cutaway.typing.types.interning import BY_CLASS
from cutaway.typing.values.annotations import type_of_class
from cutaway.typing.values.typeof import typeof

# --- types and layouts ----------------------------------------------------------------------------

_LAYOUTS: dict[Type, Layout] = {}


def layout_of(ty: Type) -> Layout:
    """Return the layout of the containers of a type.

    Raises ValueError for any other type.
    """
    if not isinstance(ty, types.Container) or not ty.native:
        raise ValueError(f"{ty} is not the type of a native container")
    if ty not in _LAYOUTS:
        is_empty = types.undefined in ty.contents
        constants: list[object] = []
        inside = [b"N" if is_empty else descriptor(one, constants, True) for one in ty.contents]
        text, letter = b"(" + b"".join(inside) + b")", ty.letter.decode()
        row = (ty, ty.typecode, ty.contents, CLASSES[type(ty)], letter, is_empty, text)
        _LAYOUTS.setdefault(ty, Layout(*row, tuple(constants)))
    return _LAYOUTS[ty]


def _layout_of_kind(kind: type[types.Container], ty: Any) -> Layout:
    """Return the layout of the containers of a type, which is of a kind.

    Raises TypeError for any other type.
    """
    if not isinstance(ty, kind):
        raise TypeError(f"{ty!r} is not the type of a {kind.word}")
    return layout_of(ty.natively())


def fitting(ty: Type, value: Any) -> Any:
    """Return a value that a container of values of type `ty` can hold.

    Raises TypeError for a value that it cannot hold.
    """
    if isinstance(ty, _NUMBERS) and not isinstance(ty, types.Boolean):
        kind = next(kind for cls, kind in _KINDS.items() if isinstance(ty, cls))
        fits = isinstance(value, (kind, np.bool_))
    else:
        own = item_of(_type_of(value))
        fits = own is not None and conversion(native_of(own), ty) <= Conversion.SAFE
    if not fits:
        raise TypeError(f"a container of {ty} cannot hold {value!r}: what it contains has one type")
    return value


_NUMBERS = (types.Integer, types.Float, types.Complex, types.Boolean)
_KINDS = {
    types.Integer: numbers.Integral,
    types.Float: numbers.Real,
    types.Complex: numbers.Complex,
}


def _type_of(value: Any) -> Type:
    try:
        return typeof(value)
    except TypingError as error:
        raise TypeError(error.message) from None


def content_type(wanted: Any, is_key: bool) -> Type:
    """Return the type of contents that is given by a type or a Python class.

    Raises TypeError for anything else, and for a type that no container can hold.
    """
    ty = wanted if isinstance(wanted, Type) else type_of_class(wanted)
    if ty is None or not (can_be_key if is_key else can_be_item)(ty):
        raise TypeError(
            f"containers in compiled code hold no {'keys' if is_key else 'values'} of type {wanted}"
        )
    return native_of(ty)


class _Typed:
    """The methods of all native containers."""

    __slots__ = ()
    _type: Any  # these are of C, or of each class
    _begin: Any
    _built_in: Any
    _plain: Any
    _fill: Any
    copy: Any

    def _settle(self, *contents: Any) -> None:
        """Take the type that the contents of such a built-in container have."""
        ty = _type_of(self._built_in(*contents))
        self._begin(layout_of(native_of(ty)))

    def __reduce__(self) -> tuple[Any, ...]:
        ty = self._type
        return (type(self), ()) if ty is None else (restored, (ty, self._plain()))

    def __repr__(self) -> str:
        return repr(self._plain())

    def __copy__(self) -> Any:
        return self.copy()

    def _like(self, items: Iterable[Any] = ()) -> Any:
        """Return a container of the same type with these items."""
        made = type(self)()
        if self._type is not None:
            made._begin(layout_of(self._type))
        made._fill(items)
        return made


def restored(ty: types.Container, items: Any) -> Any:
    """Return a container of a type with these items, from a pickle."""
    made = CLASSES[type(ty)]()
    made._begin(layout_of(ty))
    made._fill(items)
    return made


# Compiled code identifies a function by its object, which a method of a class is not twice.


def empty_list(item_type: Any, allocated: int = 0) -> List:
    """Return an empty list for items of a type."""
    return restored(types.List(content_type(item_type, False), 0, True), ())


def empty_dict(key_type: Any, value_type: Any, n_keys: int = 0) -> Dict:
    """Return an empty dict for keys and values of these types."""
    contents = content_type(key_type, True), content_type(value_type, False)
    return restored(types.Dict(*contents, 0, True), ())


def empty_set(item_type: Any) -> Set:
    """Return an empty set for items of a type."""
    return restored(types.Set(content_type(item_type, True), 0, True), ())


# --- lists ----------------------------------------------------------------------------------------


@adopt
class List(_Typed, NativeList):
    """A list of items of one type, which compiled code shares.

    Without `lsttype` the items, or the first one that is put into it, determine the type.
    """

    __slots__ = ()

    def __init__(self, iterable: Iterable[Any] = (), *, lsttype: Any = None, allocated: int = 0):
        if lsttype is not None:
            self._begin(_layout_of_kind(types.List, lsttype))
        elif isinstance(iterable, np.ndarray) and iterable.ndim == 1:
            item = types.from_dtype(iterable.dtype)
            if item is not None:
                self._begin(layout_of(types.List(item, 0, True)))
                iterable = iterable.tolist()
        self._fill(iterable)

    empty_list = staticmethod(empty_list)

    @staticmethod
    def _built_in(*items: Any) -> list[Any]:
        return list(items)

    def _plain(self) -> list[Any]:
        return list(self)

    def _fill(self, values: Iterable[Any]) -> None:
        self._put(len(self), len(self), values)

    def _put(self, start: int, stop: int, values: Iterable[Any]) -> None:
        """Put values in the place of the items between two indices."""
        if not isinstance(values, (list, tuple, List)):
            values = list(values)
        if self._type is None and values:
            self._settle(*values)
        self._replace(start, stop, values)

    # --- more and fewer items ---------------------------------------------------------------------

    def extend(self, iterable: Iterable[Any]) -> None:
        """Put the items of an iterable at the end."""
        self._fill(iterable)

    def insert(self, index: int, item: Any) -> None:
        """Put an item in front of the one at an index."""
        at = slice(index, None).indices(len(self))[0]
        self._put(at, at, (item,))

    def remove(self, value: Any) -> None:
        """Remove the first item that is equal to a value."""
        for k, item in enumerate(self):
            if item is value or item == value:
                del self[k]
                return
        raise ValueError("list.remove(x): x not in list")

    def clear(self) -> None:
        """Remove all items."""
        self._replace(0, len(self), ())

    def copy(self) -> List:
        """Return another list with the same items."""
        return self[:]

    def _store_part(self, part: slice, values: Iterable[Any]) -> None:
        start, stop, step = part.indices(len(self))
        if step == 1:
            self._put(start, max(start, stop), values)
            return
        new, places = list(values), range(start, stop, step)
        if len(new) != len(places):
            raise ValueError(
                f"attempt to assign sequence of size {len(new)} to extended slice of size"
                f" {len(places)}"
            )
        new = self._like(new)[:]
        for k, value in zip(places, new, strict=True):
            self[k] = value

    def _remove_part(self, part: slice) -> None:
        start, stop, step = part.indices(len(self))
        if step == 1:
            self._replace(start, max(start, stop), ())
        elif range(start, stop, step):
            gone = set(range(start, stop, step))
            self._replace(0, len(self), [item for k, item in enumerate(self) if k not in gone])

    # --- search and order -------------------------------------------------------------------------

    def count(self, value: Any) -> int:
        """Return how many items are equal to a value."""
        return operator.countOf(self, value)

    def index(self, value: Any, start: int = 0, stop: int = 2**63 - 1) -> int:
        """Return the index of the first item that is equal to a value."""
        start, stop, _ = slice(start, stop).indices(len(self))
        for k in range(start, stop):
            item = self[k]
            if item is value or item == value:
                return k
        [].index(value)  # raises Python's own exception
        raise AssertionError

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort the items; equal ones stay in their order."""
        self._replace(0, len(self), sorted(self, key=key, reverse=reverse))

    # --- operators --------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, (list, List)):
            return NotImplemented
        made = self[:]
        made.extend(other)
        return made

    def __radd__(self, other: Any) -> Any:
        return self._like(other) + self if isinstance(other, list) else NotImplemented

    def __iadd__(self, other: Iterable[Any]) -> List:  # type: ignore[misc]
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        try:
            times = operator.index(times)
        except TypeError:
            return NotImplemented
        made = self._like()
        for _ in range(times):
            made.extend(self)
        return made

    __rmul__ = __mul__

    def __imul__(self, times: int) -> List:  # type: ignore[misc]
        self[:] = self * operator.index(times)
        return self

    def __eq__(self, other: object) -> Any:
        return _compared(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _compared(operator.ne, self, other)

    def __lt__(self, other: Any) -> Any:
        return _compared(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return _compared(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return _compared(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return _compared(operator.ge, self, other)

    __hash__ = None  # type: ignore[assignment]


def _compared(comparison: Any, first: List, second: Any) -> Any:
    if not isinstance(second, (list, List)):
        return NotImplemented
    return comparison(list(first), list(second))


# --- dicts ----------------------------------------------------------------------------------------


class _Keys(KeysView[Any]):
    __slots__ = ()
    _mapping: Any

    def __iter__(self) -> Iterator[Any]:
        return iter(self._mapping)

    def __reversed__(self) -> Iterator[Any]:
        return self._mapping._each("K")


class _Values(ValuesView[Any]):
    __slots__ = ()
    _mapping: Any

    def __iter__(self) -> Iterator[Any]:
        return self._mapping._each("v")

    def __reversed__(self) -> Iterator[Any]:
        return self._mapping._each("V")


class _Items(ItemsView[Any, Any]):
    __slots__ = ()
    _mapping: Any

    def __iter__(self) -> Iterator[Any]:
        return self._mapping._each("i")

    def __reversed__(self) -> Iterator[Any]:
        return self._mapping._each("I")


@adopt
class Dict(_Typed, NativeDict, MutableMapping[Any, Any]):
    """A dict with keys and values of one type each, which compiled code shares.

    Without `dcttype` the entries, or the first one that is put into it, determine the types.
    """

    __slots__ = ()

    def __init__(self, entries: Any = (), *, dcttype: Any = None, n_keys: int = 0):
        if dcttype is not None:
            self._begin(_layout_of_kind(types.Dict, dcttype))
        self._fill(entries)

    empty = staticmethod(empty_dict)

    @classmethod
    def fromkeys(cls, keys: Iterable[Any], value: Any = None) -> Dict:
        """Return a dict with these keys and one value for all."""
        return cls(dict.fromkeys(keys, value))

    @staticmethod
    def _built_in(*entries: Any) -> dict[Any, Any]:
        return dict(entries)

    def _plain(self) -> dict[Any, Any]:
        return dict(self._each("i"))

    def _fill(self, entries: Any) -> None:
        if self._type is None:
            entries = dict(entries)
            if entries:
                self._settle(*entries.items())
        self.update(entries)

    def keys(self) -> _Keys:
        """Return a view of the keys."""
        return _Keys(self)

    def values(self) -> _Values:
        """Return a view of the values."""
        return _Values(self)

    def items(self) -> _Items:
        """Return a view of the entries."""
        return _Items(self)

    def popitem(self) -> tuple[Any, Any]:
        """Remove the last entry, and return it."""
        for key, value in self._each("I"):
            del self[key]
            return key, value
        raise KeyError("popitem(): dictionary is empty")

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        return self._like(other) | self if isinstance(other, Mapping) else NotImplemented

    def __ior__(self, other: Any) -> Dict:
        self.update(other)
        return self


# --- sets -----------------------------------------------------------------------------------------


@adopt
class Set(_Typed, NativeSet, MutableSet[Any]):
    """A set of items of one type, which compiled code shares.

    The items, or the first one that is put into it, determine the type.
    """

    __slots__ = ()

    def __init__(self, iterable: Iterable[Any] = ()):
        self._fill(iterable)

    empty = staticmethod(empty_set)

    @staticmethod
    def _built_in(*items: Any) -> set[Any]:
        return set(items)

    def _plain(self) -> set[Any]:
        return set(self)

    def _fill(self, items: Iterable[Any]) -> None:
        if self._type is None:
            items = list(items)
            if items:
                self._settle(*items)
        for item in items:
            self.add(item)

    def _from_iterable(self, items: Iterable[Any]) -> Set:  # type: ignore[override]
        made: Set = self._like(items)
        return made

    def pop(self) -> Any:
        """Remove the first item, and return it."""
        for item in self:
            self.discard(item)
            return item
        raise KeyError("pop from an empty set")

    def update(self, *others: Iterable[Any]) -> None:
        """Put the items of all others into the set."""
        for other in others:
            self._fill(other)

    def union(self, *others: Iterable[Any]) -> Set:
        """Return a set with the items of all."""
        made = self.copy()
        made.update(*others)
        return made

    def intersection(self, *others: Iterable[Any]) -> Set:
        """Return a set with the items that all have."""
        kept = [set(other) for other in others]
        made: Set = self._like(item for item in self if all(item in other for other in kept))
        return made

    def difference(self, *others: Iterable[Any]) -> Set:
        """Return a set with the items that no other has."""
        gone = set().union(*others)
        made: Set = self._like(item for item in self if item not in gone)
        return made

    def symmetric_difference(self, other: Iterable[Any]) -> Set:
        """Return a set with the items that one of two has."""
        made: Set = self._like(self ^ set(other))
        return made

    def intersection_update(self, *others: Iterable[Any]) -> None:
        """Keep the items that all others have."""
        self &= self.intersection(*others)

    def difference_update(self, *others: Iterable[Any]) -> None:
        """Remove the items of all others."""
        self -= set().union(*others)

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        """Keep the items that one of two has."""
        self ^= set(other)

    def issubset(self, other: Iterable[Any]) -> bool:
        """Return whether another one has all items."""
        return self <= set(other)

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Return whether all items of another one are here."""
        return self >= set(other)


CLASSES: dict[type[Type], Any] = {types.List: List, types.Dict: Dict, types.Set: Set}
MutableSequence.register(List)
for _kind, _cls in CLASSES.items():
    BY_CLASS[id(_cls)] = _kind
