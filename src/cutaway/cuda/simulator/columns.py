"""Growing columns of integers: written one by one, read as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Column:
    """A column; `append` is that of a list."""

    __slots__ = ("_array", "_count", "_new", "append")

    def __init__(self) -> None:
        self._array: Numbers = np.zeros(1024, np.int64)
        self._count = 0
        self._new: list[int] = []
        self.append = self._new.append

    def __len__(self) -> int:
        return self._count + len(self._new)

    def __getitem__(self, place: int) -> int:
        return int(self._array[place]) if place < self._count else self._new[place - self._count]

    @property
    def array(self) -> Numbers:
        """Return all numbers so far."""
        if self._new:
            count = len(self)
            if count > len(self._array):
                grown = np.zeros(2 * count, np.int64)
                grown[: self._count] = self._array[: self._count]
                self._array = grown
            self._array[self._count : count] = self._new
            self._count = count
            self._new.clear()
        return self._array[: self._count]


class Table:
    """A number for each address; `otherwise` for addresses without an entry."""

    __slots__ = ("_array", "otherwise")

    def __init__(self, otherwise: int, size: int = 0) -> None:
        self.otherwise = otherwise
        self._array: Numbers = np.full(size, otherwise, np.int64)

    def sized(self, size: int) -> Numbers:
        """Return the numbers of at least `size` addresses."""
        if size > len(self._array):
            room = size + size // 2 if len(self._array) else size
            grown = np.full(room, self.otherwise, np.int64)
            grown[: len(self._array)] = self._array
            self._array = grown
        return self._array
