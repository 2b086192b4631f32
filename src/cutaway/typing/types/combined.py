"""The types of iterables that are made of other ones: `enumerate`, `zip` and `reversed`."""

from __future__ import annotations

from typing import Any, ClassVar

from cutaway.typing.types import primitives
from cutaway.typing.types.base import IterableType, Type
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.numbers import int64
from cutaway.typing.types.structure import Compound, checked_extent
from cutaway.typing.types.tuples import Tuple


class Combined(Compound, IterableType):
    """An iterable that goes through others: `inner` is the type of one, or a tuple of several."""

    __slots__ = ("inner",)
    word: ClassVar[str]  # the function that makes it

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        inside = inner if isinstance(inner, tuple) else (inner,)
        sources = [one.source if isinstance(one, Iterator) else one for one in inside]
        self._size = checked_extent(sources)
        self.name = f"{self.word}({', '.join(map(str, sources))})"

    def iterator(self) -> Type:
        return Iterator(self, self.item)

    @property
    def item(self) -> Type:
        """The type of a value that a loop over it reads."""
        raise NotImplementedError


class Enumerated(Combined):
    """An `enumerate` of an iterator."""

    __slots__ = ()
    word = "enumerate"
    inner: Iterator

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("inner", self.inner))

    @property
    def item(self) -> Type:
        return Tuple((int64, self.inner.item))

    @property
    def items_are_new(self) -> bool:  # of a class it is an attribute
        return self.inner.source.items_are_new


class Zipped(Combined):
    """A `zip` of iterators.  `shared` are the indices of those that others may go on with; a
    `strict` one raises where one ends before the others."""

    __slots__ = ("shared", "strict")
    arity = 3
    trailing = ((), False)
    word = "zip"
    inner: tuple[Iterator, ...]

    def __init__(
        self, inner: tuple[Iterator, ...], shared: tuple[int, ...] = (), strict: bool = False
    ) -> None:
        super().__init__(inner)
        self.shared = shared
        self.strict = strict
        own = [f"{'*' * (k in shared)}{one.source}" for k, one in enumerate(inner)]
        self.name = f"zip({', '.join(own)}{', strict=True' * strict})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Zipped, (self.inner, self.shared, self.strict)

    def iteration(self) -> primitives.Members:
        return tuple(("inner", one) for one in self.inner)

    @property
    def item(self) -> Type:
        return Tuple(tuple(one.item for one in self.inner))

    @property
    def items_are_new(self) -> bool:  # of a class it is an attribute
        """True if the items of one iterator are new; then those of all become new."""
        return any(one.source.items_are_new for one in self.inner)


class Reversed(Combined):
    """A `reversed` of a container, which goes through it as it is then."""

    __slots__ = ()
    word = "reversed"
    inner: IterableType

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("container", self.inner))

    @property
    def item(self) -> Type:
        return self.inner.item

    @property
    def items_are_new(self) -> bool:  # of a class it is an attribute
        return self.inner.items_are_new
