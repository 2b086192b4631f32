"""Windows: positions in arrays, from which the elements around them are read."""

from __future__ import annotations

from cutaway.typing.types import primitives
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import Type


class Window(Type):
    """An array in the kernel of a stencil: `w[0, -1]` is the element to the left.

    `neighborhood` has the lowest and the highest relative index of each axis.  A window borrows
    the array's memory, which the caller of the kernel keeps alive.
    """

    __slots__ = ("array", "neighborhood")
    can_leave = False

    def __init__(self, array: Array, neighborhood: tuple[tuple[int, int], ...]) -> None:
        self.array = array
        self.neighborhood = neighborhood
        shown = ", ".join(f"{low}..{high}" for low, high in neighborhood)
        self.name = f"window({array}, {shown})"

    def members(self) -> primitives.Members:
        """Return the members: the address of the element with index 0, the shape, the strides."""
        sizes = primitives.Repeated(primitives.COUNT, self.array.ndim)
        return (("data", primitives.POINTER), ("shape", sizes), ("strides", sizes))
