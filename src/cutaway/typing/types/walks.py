"""The type of `np.nditer`, the joint iteration over several arrays."""

from __future__ import annotations

from cutaway.typing.types import primitives
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import IterableType, Type
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.tuples import Tuple


class NdIter(IterableType):
    """An `np.nditer`.

    `arrays` are the types of the operands, each with all axes of the iteration.  `order` is "C",
    "F", or "K", which is determined at run time.  An item is a 0-dimensional array, or with
    `lines` a 1-dimensional one along the innermost axis; with a single operand, `alone`, that
    array itself, else a tuple.  `tracked` are the indices that the iterator maintains:
    "multi_index", "c_index", "f_index".
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
        """The number of axes that it iterates over element by element."""
        return self.arrays[0].ndim - self.lines

    def members(self) -> primitives.Members:
        """Return the members: the state (position and order of the axes), the shape, and the
        arrays."""
        arrays = tuple(("array", array) for array in self.arrays)
        sizes = ("shape", primitives.Repeated(primitives.COUNT, self.ndim))
        return (*primitives.STATE, sizes, *arrays)

    def iteration(self) -> primitives.Members:
        return (("walk", self),)

    @property
    def item(self) -> Type:
        """The iterator's item type."""
        layout = "A" if self.lines else "C"
        items = tuple(array.viewed(int(self.lines), layout) for array in self.arrays)
        return items[0] if self.alone else Tuple(items)

    def iterator(self) -> Type:
        return Iterator(self, self.item)
