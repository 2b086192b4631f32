"""Map operator symbols, names and functions to registry keys."""

from __future__ import annotations

import operator
from typing import Any

from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.typing.inference.questions import advance, iterate

_WORDS = {
    "getitem": operator.getitem,
    "setitem": operator.setitem,
    "static_getitem": operator.getitem,
    "static_setitem": operator.setitem,
    "getiter": iterate,
    "iternext": advance,
}
# An operator with two meanings is the binary one, as in the seed.
_SYMBOLS = {
    row.symbol: row.function for table in (UNARY, INPLACE, BINARY) for row in table.values()
}


def function_of(key: Any) -> Any:
    """Return the function of a key: itself, or the function of an operator's symbol or name."""
    if isinstance(key, str):
        return _SYMBOLS.get(key) or _WORDS.get(key) or key
    return key
