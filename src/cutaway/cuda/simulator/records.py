"""Records: an element of an array of records, whose fields are read and written one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.cuda.simulator.memory import View
from cutaway.cuda.simulator.values import plain
from cutaway.typing.types import Array, Record

Log = Callable[[int], None]


class Row:
    """A record of an array; `unit` counts from the first of the view."""

    __slots__ = ("dtype", "unit", "view")

    def __init__(self, view: View, unit: int) -> None:
        self.view, self.unit = view, view.first + unit
        self.dtype: Any = view.dtype  # Any: a record type

    def _address(self, offset: int) -> int:
        storage = self.view.storage
        return storage.base + self.unit * storage.stretch + offset

    def field(self, name: Any, log: Log) -> Any:  # Any: a constant, a value of the program
        """The value of a field."""
        name = self.dtype.fields[name][0] if isinstance(name, int) else name
        ty, offset = self.dtype.field(name)
        log(self._address(offset))
        held = self.view.storage.cells[self.unit][name]
        if isinstance(ty, Record | Array):
            raise NotImplementedError("a record in a record")
        return plain(ty, held)

    def put(self, name: Any, value: Any, log: Log) -> None:  # Any: see field
        """Give a field a value."""
        name = self.dtype.fields[name][0] if isinstance(name, int) else name
        _, offset = self.dtype.field(name)
        log(self._address(offset))
        self.view.storage.cells[self.unit][name] = value

    def take(self, other: Row, log: Log, thread: Any) -> None:  # Any: a thread
        """Take all fields of another record."""
        held = other.view.storage.cells[other.unit]
        for _, _, offset in self.dtype.fields:
            log(self._address(offset))
        self.view.storage.cells[self.unit] = held
