"""Regular expressions that are compiled at their first use: most programs need few of them."""

from __future__ import annotations

import re
from typing import Any


class Pattern:
    """A regular expression that is compiled when one of its attributes is first read."""

    __slots__ = ("_compiled", "_flags", "_text")

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> Any:
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return getattr(self._compiled, name)
