"""The types of lists that a comprehension builds: growing sequences of numbers."""

from __future__ import annotations

from cutaway.typing.types import primitives
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import IterableType, Type
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, unify
from cutaway.typing.types.numbers import int64
from cutaway.typing.types.tuples import ListDisplay, Tuple


class Collected(IterableType):
    """A list of numbers, or of lists of equal length, with `ndim` dimensions in total.

    All numbers are stored contiguously in an array with spare capacity.  A size is -1 if the inner
    lists differ in length.
    """

    __slots__ = ("dtype", "ndim")
    value_class = list
    can_leave = False
    may_be_none = True

    def __init__(self, dtype: Type, ndim: int) -> None:
        self.dtype = dtype
        self.ndim = ndim
        self.name = f"list({dtype}, {ndim}d)"

    def members(self) -> primitives.Members:
        sizes = Tuple((int64,) * (self.ndim - 1))
        return (("room", Array(self.dtype, 1, "C")), ("count", int64), ("sizes", sizes))

    def sample(self) -> list[object]:
        item = self.dtype.sample()
        for _ in range(self.ndim):
            item = [item]
        return item

    def crossing(self, cross: object) -> None:
        """Return None: it is neither passed from Python nor returned to it."""

    def taken_apart(self, value: object) -> None:
        """Return None: constants cannot have this type."""

    def iterator(self) -> Type | None:
        return self.array.iterator() if self.ndim == 1 else None

    @property
    def array(self) -> Array:
        """The type of the array with the same elements."""
        return Array(self.dtype, self.ndim, "C")


@UNIONS.add(Collected, Collected)
def _unify_lists(first: Collected, second: Collected) -> Type | None:
    dtype = unify(first.dtype, second.dtype) if first.ndim == second.ndim else None
    return None if dtype is None else Collected(dtype, first.ndim)


@CONVERSIONS.add(ListDisplay, Collected)
def _from_display(source: ListDisplay, wanted: Collected) -> Conversion:
    return Conversion.NONE if source.items else Conversion.PROMOTION


@UNIONS.add(ListDisplay, Collected)
def _with_display(display: ListDisplay, collected: Collected) -> Type | None:
    return None if display.items else collected


@UNIONS.add(Collected, ListDisplay)
def _with_list(collected: Collected, display: ListDisplay) -> Type | None:
    return _with_display(display, collected)
