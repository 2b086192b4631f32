"""`np.nditer`: several arrays that are gone through side by side."""

from __future__ import annotations

from cutaway.typing.types import primitives
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import IterableType, Type
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.tuples import Tuple


class NdIter(IterableType):
    """An `np.nditer`.

    `arrays` are the types of the operands, each with all axes that the walk has, in the order of
    the walk: "C", "F", or "K", which is known when it runs.  An item is an array without
    axes, or in `lines` one of the innermost axis; of one operand that is `alone`, else a tuple.
    `tracked` is what the iterator keeps account of: "multi_index", "c_index", "f_index".
    """

    __slots__ = ("arrays", "order", "alone", "lines", "tracked")
    can_leave = False

    def __init__(
        self,
        arrays: tuple[Array, ...],
        order: str,
        alone: bool,
        lines: bool,
        tracked: tuple[str, ...],
    ) -> None:
        self.arrays = arrays
        self.order = order
        self.alone = alone
        self.lines = lines
        self.tracked = tracked
        shown = [*map(str, arrays), order, *["one"] * alone, *["external_loop"] * lines, *tracked]
        self.name = f"nditer({', '.join(shown)})"

    @property
    def ndim(self) -> int:
        """The number of axes that it goes along, one element after the other."""
        return self.arrays[0].ndim - self.lines

    def members(self) -> primitives.Members:
        """See Type: the axes, and the arrays; after the position, the axes' order in memory."""
        arrays = tuple(("array", array) for array in self.arrays)
        sizes = ("shape", primitives.Repeated(primitives.COUNT, self.ndim))
        return (*primitives.STATE, sizes, *arrays)

    def iteration(self) -> primitives.Members:
        """See Type."""
        return (("walk", self),)

    @property
    def item(self) -> Type:
        """The type of what it gives each time."""
        layout = "A" if self.lines else "C"
        items = tuple(array.viewed(int(self.lines), layout) for array in self.arrays)
        return items[0] if self.alone else Tuple(items)

    def iterator(self) -> Type:
        """See Type."""
        return Iterator(self, self.item)
