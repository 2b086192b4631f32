"""The types of ranges, iterators and generators, which `for` iterates over."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as Iterating
from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.absent import none
from cutaway.typing.types.base import IterableType, IteratorType, Naming, Type, Typeof
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, promoted, unify
from cutaway.typing.types.numbers import Integer, int64
from cutaway.typing.types.structure import Holder


class Range(IterableType):
    """A `range` over `dtype`; `step` is the step if it is a constant, else None."""

    __slots__ = ("dtype", "step")
    value_class = range
    arity = 2
    trailing = (None,)
    passable = may_be_none = can_be_written = True
    python_classes = (range,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return cls(int64, None)

    def __init__(self, dtype: Integer, step: int | None = None) -> None:
        self.dtype = dtype
        self.step = step
        self.name = f"range({dtype})" if step is None else f"range({dtype}, step={step})"

    def members(self) -> primitives.Members:
        step = primitives.COUNT if self.step is None else primitives.Known(self.step)
        return (("start", primitives.COUNT), ("stop", primitives.COUNT), ("step", step))

    def returned(self) -> Type:
        """Return the type without the constant step."""
        return Range(self.dtype, None)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"R"

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return value.start, value.stop, value.step

    def put_together(self, items: Iterable[Any]) -> Any:
        return range(*items)

    def sample(self) -> Any:
        return range(1)

    def argument(self, numbers: Iterating[int]) -> Any:
        raise LookupError(f"no sample of type {self}")

    def iterator(self) -> Type:
        return Iterator(self, self.dtype)

    def cache_name(self, name: Naming) -> str | None:
        return "range" if self.step is None else None

    def iteration(self) -> primitives.Members:
        """Return the members, always with a step, so that all loops over ranges have one form."""
        return (*primitives.STATE, ("stop", primitives.COUNT), ("step", primitives.COUNT))


class Iterator(Holder, IteratorType):
    """An iterator over `source` with items of type `item`."""

    __slots__ = ("source", "item")
    can_leave = False

    def __init__(self, source: Type, item: Type) -> None:
        self.source = source
        self.item = item
        self.name = f"iter({source})"

    def members(self) -> primitives.Members | None:
        """Return the members, which the iterable defines."""
        return self.source.iteration()

    def iterator(self) -> Type:
        return self

    @property
    def held(self) -> Type:
        return self.source

    @property
    def yield_type(self) -> Type:
        """The same as `item`."""
        return self.item


IterableType.iterating = Iterator


@CONVERSIONS.add(Range, Range)
def _between_ranges(source: Range, wanted: Range) -> Conversion:
    return promoted(source.dtype is wanted.dtype and wanted.step is None)


@UNIONS.add(Range, Range)
def _unify_ranges(first: Range, second: Range) -> Type | None:
    return Range(first.dtype, None) if first.dtype is second.dtype else None


class Generator(Holder, IteratorType):
    """An object with the frame of a suspended function; `item` is the type that it yields, and
    `value` the type that it returns at its end."""

    __slots__ = ("item", "value")
    arity = 2
    trailing = (none,)
    may_be_none = True
    items_are_new = True  # a property in some classes

    def __init__(self, item: Type, value: Type = none) -> None:
        self.item = item
        self.value = value
        returned = "" if value is none else f", returns {value}"
        self.name = f"generator({item}{returned})"

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Drop all arguments but `yield_type`: Numba's class takes the contents of the frame, too,
        on which the type does not depend here."""
        if "yield_type" in named:
            return cls, (named["yield_type"],)
        return super().adapt(args, named)

    def members(self) -> primitives.Members:
        return (("object", primitives.OWNER),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"J" + cross.items((self.item.returned(), self.value))

    def taken_apart(self, value: Any) -> None:
        return None

    def iterator(self) -> Type:
        return self

    @property
    def can_leave(self) -> bool:
        return self.item.returned().can_leave and self.value.can_leave

    @property
    def source(self) -> Type:
        """The generator itself; iterators have their iterable here."""
        return self

    @property
    def held(self) -> Type:
        return self.item

    @property
    def yield_type(self) -> Type:
        """The same as `item`."""
        return self.item


@UNIONS.add(Generator, Generator)
def _union(first: Generator, second: Generator) -> Type | None:
    item, value = unify(first.item, second.item), unify(first.value, second.value)
    return None if item is None or value is None else Generator(item, value)
