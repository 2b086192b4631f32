"""Ranges and iterators: what `for` goes through."""

from __future__ import annotations

from cutaway.typing.types.base import IterableType, IteratorType, Type
from cutaway.typing.types.compound import Compound, Holder, checked_extent
from cutaway.typing.types.numbers import Integer


class Range(IterableType):
    """A `range` over `dtype`; `step` is the step where it is a constant, else None."""

    __slots__ = ("dtype", "step")
    arity = 2
    trailing = (None,)

    def __init__(self, dtype: Integer, step: int | None) -> None:
        self.dtype = dtype
        self.step = step
        self.name = f"range({dtype})" if step is None else f"range({dtype}, step={step})"


class Iterator(Holder, IteratorType):
    """An iterator; `item` is what it yields."""

    __slots__ = ("source", "item")

    def __init__(self, source: Type, item: Type) -> None:
        self.source = source
        self.item = item
        self.name = f"iter({source})"

    @property
    def held(self) -> Type:
        """See Holder."""
        return self.source

    @property
    def yield_type(self) -> Type:
        """The same as `item`."""
        return self.item


class Enumerated(Compound, IterableType):
    """What `enumerate` goes through: another iterator."""

    __slots__ = ("inner",)

    def __init__(self, inner: Iterator) -> None:
        self.inner = inner
        self._size = checked_extent((inner,))
        self.name = f"enumerate({inner.source})"


class Zipped(Compound, IterableType):
    """What `zip` goes through: iterators side by side."""

    __slots__ = ("inner",)

    def __init__(self, inner: tuple[Iterator, ...]) -> None:
        self.inner = inner
        self._size = checked_extent(one.source for one in inner)
        self.name = f"zip({', '.join(str(one.source) for one in inner)})"
