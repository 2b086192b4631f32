"""The structure of values of a type, derived from its `members`: leaves, parts, owners, slots.

An extension's type has no members of its own: it is *represented* by another type.  Types that
contain others are limited in size.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from cutaway.errors import TypingError
from cutaway.typing.types import primitives
from cutaway.typing.types.base import Type

# By an extension's class of types: the function that returns the representation of a type.
REPRESENTATIONS: dict[type[Type], Callable[[Type], Type]] = {}


def represented(ty: Type) -> Type | None:
    """Return the type that represents an extension's type; None for any other type.

    Raises ExtensionError if the data model of an extension fails.
    """
    if not REPRESENTATIONS:
        return None
    for cls in type(ty).__mro__:
        if cls in REPRESENTATIONS:
            return REPRESENTATIONS[cls](ty)
    return None


def passable(ty: Type) -> bool:
    """True if values of the type cross between Python and compiled code."""
    return ty.passable or represented(ty) is not None


@cache
def members_of(ty: Type) -> primitives.Members | None:
    """Return the members of a value, by name; None for a type without values in compiled code.

    The nearest class in the method resolution order that defines them counts.
    """
    for cls in type(ty).__mro__:
        if cls in REPRESENTATIONS:
            return (("", REPRESENTATIONS[cls](ty)),)
        if "members" in vars(cls) and not cls.by_key:
            break
    return ty.known_members()


@cache
def leaves(ty: Type) -> tuple[primitives.Leaf, ...]:
    """Return the leaves of a value, flattened."""
    members = members_of(ty)
    if members is None:
        return (primitives.Unknown(ty),)
    return tuple(leaf for _, member in members for leaf in leaves_of(member))


def leaves_of(member: primitives.Member) -> Iterator[primitives.Leaf]:
    """Yield the leaves of one member."""
    match member:
        case Type():
            yield from leaves(member)
        case primitives.Repeated(inner, count):
            for _ in range(count):
                yield from leaves_of(inner)
        case _:
            yield member


@cache
def owners(ty: Type) -> tuple[int, ...]:
    """Return the positions of the parts of a value that own memory."""
    parts = [leaf for leaf in leaves(ty) if not isinstance(leaf, primitives.Known)]
    return tuple(k for k, leaf in enumerate(parts) if isinstance(leaf, primitives.Owner))


@cache
def cells(ty: Type) -> tuple[int, ...]:
    """Return the positions of the parts of a value that own the state of an iterator."""
    parts = [leaf for leaf in leaves(ty) if not isinstance(leaf, primitives.Known)]
    return tuple(k for k, leaf in enumerate(parts) if isinstance(leaf, primitives.Cell))


@cache
def composites(ty: Type) -> tuple[tuple[type, tuple[str, ...]], ...]:
    """Return the classes of the objects in a value that cross by their attributes, and these."""
    members = members_of(ty) or ()
    classes = [one for _, inner in members if isinstance(inner, Type) for one in composites(inner)]
    cls = ty.value_class
    if cls is not None and members and type(ty).crossing is Type.crossing:
        classes.append((cls, tuple(name for name, _ in members)))
    return tuple(classes)


def forget_structures() -> None:
    """Drop the cached structures: a data model was registered."""
    for cached in (members_of, leaves, owners, cells, composites):
        cached.cache_clear()


def parts(ty: Type) -> Iterator[Type]:
    """Yield a type, and those that it is built from."""
    yield ty
    for inner in components(ty):
        yield from parts(inner)


@cache
def components(ty: Type) -> tuple[Type, ...]:
    """Return the types among the arguments of a type's class, in tuples too."""
    return tuple(_types_in(() if type(ty).by_key else ty.__reduce__()[1]))


def _types_in(args: tuple[Any, ...]) -> Iterator[Type]:
    for arg in args:
        if isinstance(arg, Type):
            yield arg
        elif isinstance(arg, tuple):
            yield from _types_in(arg)


def rebuilt(ty: Type, change: Callable[[Type], Type]) -> Type:
    """Return a type in which each component is replaced by the result of `change`."""
    if not components(ty):
        return ty
    cls, args = ty.__reduce__()
    changed = _changed(args, change)
    return ty if changed is args else cls(*changed)


def _changed(args: tuple[Any, ...], change: Callable[[Type], Type]) -> tuple[Any, ...]:
    made = []
    for arg in args:
        is_row = isinstance(arg, tuple)
        made.append(
            change(arg) if isinstance(arg, Type) else _changed(arg, change) if is_row else arg
        )
    return args if all(map(operator.is_, made, args)) else tuple(made)


LARGEST_TUPLE = 5000  # numbers in a tuple, those of nested tuples included
DEEPEST_TUPLE = 100  # nested tuples


def checked_extent(items: Iterable[Type]) -> tuple[int, int]:
    """Return the number of numbers in a tuple of these items, and its nesting depth.

    Raises TypingError if it is too large: the size of types can double with each line.
    """
    items = tuple(items)
    extent = sum(item.extent for item in items) + 1
    nesting = max((item.nesting for item in items), default=0) + 1
    if extent > LARGEST_TUPLE:
        raise TypingError(
            f"a tuple has at most {LARGEST_TUPLE:,} numbers in compiled code",
            hint="use a NumPy array",
        )
    if nesting > DEEPEST_TUPLE:
        raise TypingError(
            f"values can be nested at most {DEEPEST_TUPLE} levels deep in compiled code",
            hint="use a NumPy array for data that grows with each iteration or call",
        )
    return extent, nesting


class Holder(Type):
    """A type of the same extent as one other, `held`."""

    __slots__ = ()

    @property
    def held(self) -> Type:
        """The contained type."""
        raise NotImplementedError

    @property
    def extent(self) -> int:
        return self.held.extent

    @property
    def nesting(self) -> int:
        return self.held.nesting


class Compound(Type):
    """A type that contains several others, of limited size."""

    __slots__ = ("_size",)
    _size: tuple[int, int]

    @property
    def extent(self) -> int:
        return self._size[0]

    @property
    def nesting(self) -> int:
        return self._size[1]
