"""The raise tables of code that came from a cache, before anything is raised.

Compiled code identifies a table by a text.  Its content refers to types and to exceptions, which
take long to load, and is seldom needed: `lowering/build/raising.py` reads it on demand.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from weakref import WeakValueDictionary

from cutaway.runtime import _runtime

_SERIAL = itertools.count(1)


class PendingTables:
    """The tables of one loaded specialization, which keeps them alive.

    `data` is a pickle of their contents, `tables` the tables read from it.  `moved` are the path of
    the file that the code was compiled from, and its path now.
    """

    def __init__(self, stems: Sequence[str], data: bytes, moved: tuple[str, str]) -> None:
        self.symbols = tuple(f"{stem}$cached{next(_SERIAL)}" for stem in stems)
        self.data = data
        self.moved = moved
        self.tables: list[object] = []
        # Kept as long as the code, which has their addresses.
        self._texts = [symbol.encode() for symbol in self.symbols]
        for symbol in self.symbols:
            PENDING[symbol] = self

    @property
    def addresses(self) -> list[int]:
        """Return the address of the text that identifies each table."""
        return [_runtime.address_of_bytes(text) for text in self._texts]


PENDING: WeakValueDictionary[str, PendingTables] = WeakValueDictionary()
