"""The raise tables of code that came from a cache, before anything is raised.

Compiled code names a table by a text.  Its content refers to types and to exceptions, which take
long to load, and is seldom wanted: `lowering/build/raising.py` reads it when it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from weakref import WeakValueDictionary

from cutaway.runtime import _runtime

_SERIAL = itertools.count(1)


class PendingTables:
    """The tables of one loaded specialization; kept by it.

    `data` is a pickle of what is in each, `tables` what was made of it.  `moved` says which file
    the code was compiled from, and where that is now.
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
        """The address of the text that names each table."""
        return [_runtime.address_of_bytes(text) for text in self._texts]


PENDING: WeakValueDictionary[str, PendingTables] = WeakValueDictionary()
