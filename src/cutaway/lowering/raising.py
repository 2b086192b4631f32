"""Exceptions that compiled code raises: the table of raise sites, and the way out.

Compiled code never makes an exception object.  It stores the number of a *raise site* and a
few integers into the exception record, frees what it owns and returns status 1; the site,
known to Python alone, says which exception with which arguments and from which source line.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any
from weakref import WeakValueDictionary

from cutaway.source import Loc

OK, RAISED = "0", "1"

PAYLOAD_SLOTS = 4  # integers that a raise site may take along
STACK_LIMIT = 48  # offset in bytes into `cutaway_exc`, see runtime/cutaway_runtime.h


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


def exception_at(symbol: str, index: int, payload: tuple[int, ...]) -> BaseException:
    """The exception of a site, with a traceback that says where in the source it was raised.

    The dispatcher's C code calls this when compiled code returned `RAISED`, and raises it.
    """
    site = RAISE_TABLES[symbol].sites[index]
    args = (site.args[0].format(*payload),) if site.formatted else site.args
    exception = site.exception(*args)
    try:
        exec(_raising_code(site), {"exception": exception})  # noqa: S102
    except BaseException as raised:  # noqa: BLE001  whatever class the user's program raises
        assert raised is exception and raised.__traceback__ is not None
        return raised.with_traceback(raised.__traceback__.tb_next)
    raise AssertionError("the code raises")


def _raising_code(site: RaiseSite) -> CodeType:
    """Code that stands at the site's source line, in a function of its name, and raises."""
    code = compile("raise exception", site.loc.filename or "<cutaway>", "exec")
    return code.replace(
        co_name=site.function,
        co_qualname=site.function,
        co_firstlineno=max(site.loc.line, 1),
        co_linetable=_line_table(len(code.co_code)),
    )


def _line_table(length: int) -> bytes:
    # PEP 626 location table: entries of at most 8 code units, kind 13 (no columns), line delta 0.
    units = length // 2
    table = bytearray()
    while units > 0:
        count = min(units, 8)
        table += bytes([0x80 | (13 << 3) | (count - 1), 0])
        units -= count
    return bytes(table)
