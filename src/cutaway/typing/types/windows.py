"""Windows: places in arrays, from which the elements around them are read."""

from __future__ import annotations

from cutaway.typing.types import primitives
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import Type


class Window(Type):
    """An array as the kernel of a stencil sees it: `w[0, -1]` is the element to the left.

    `neighborhood` has the lowest and the highest relative index of each axis.  A window borrows
    the array's memory, which whoever calls the kernel keeps.
    """

    __slots__ = ("array", "neighborhood")
    can_leave = False

    def __init__(self, array: Array, neighborhood: tuple[tuple[int, int], ...]) -> None:
        self.array = array
        self.neighborhood = neighborhood
        shown = ", ".join(f"{low}..{high}" for low, high in neighborhood)
        self.name = f"window({array}, {shown})"

    def members(self) -> primitives.Members:
        """See Type: where the element is that has the index 0, and how the others lie."""
        sizes = primitives.Repeated(primitives.COUNT, self.array.ndim)
        return (("data", primitives.POINTER), ("shape", sizes), ("strides", sizes))
