"""Exceptions that compiled code raises: the table of raise sites, and the way out.

Compiled code never makes an exception object.  It stores the number of a *raise site* and a
few integers into the exception record, frees what it owns and returns status 1; the site,
known to Python alone, says which exception with which arguments and from which source line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from cutaway.source import Loc

OK, RAISED = "0", "1"

# Offsets in bytes into the exception record, `cutaway_exc` in runtime/cutaway_runtime.h.
TABLE, INDEX, PAYLOAD, STACK_LIMIT = 0, 8, 16, 48


@dataclass(frozen=True, slots=True)
class RaiseSite:
    """One place of a compiled function that may raise.

    With `formatted` the one argument is a format string for the integers of the payload.
    """

    exception: type[BaseException]
    args: tuple[Any, ...]  # Any: the arguments of the user's raise statement
    loc: Loc
    function: str
    formatted: bool = False


class RaiseTable:
    """The raise sites of one compiled function, found by the function's symbol at run time."""

    __slots__ = ("symbol", "sites", "__weakref__")

    def __init__(self, symbol: str) -> None:
        self.symbol = symbol
        self.sites: list[RaiseSite] = []
        RAISE_TABLES[symbol] = self

    def add(self, site: RaiseSite) -> int:
        """Add a site; gives its number."""
        self.sites.append(site)
        return len(self.sites) - 1


RAISE_TABLES: WeakValueDictionary[str, RaiseTable] = WeakValueDictionary()


def raise_site(symbol: str, index: int, payload: tuple[int, ...]) -> None:
    """Raise the exception of a site, with a traceback entry at its source line.

    The dispatcher's C code calls this when compiled code returned `RAISED`.
    """
    site = RAISE_TABLES[symbol].sites[index]
    args = (site.args[0].format(*payload),) if site.formatted else site.args
    _raise_at(site, site.exception(*args))


def _raise_at(site: RaiseSite, exception: BaseException) -> None:
    # A code object that stands at the source line and does nothing but raise gives the
    # traceback an entry with the user's file, function and line.
    code = compile("raise exception", site.loc.filename or "<cutaway>", "exec")
    code = code.replace(co_name=site.function, co_firstlineno=max(site.loc.line, 1))
    code = code.replace(co_linetable=_line_table(len(code.co_code)))
    exec(code, {"exception": exception})  # noqa: S102


def _line_table(length: int) -> bytes:
    # PEP 626 location table: entries of at most 8 code units, kind 13 (no columns), line delta 0.
    units = length // 2
    table = bytearray()
    while units > 0:
        count = min(units, 8)
        table += bytes([0x80 | (13 << 3) | (count - 1), 0])
        units -= count
    return bytes(table)
