"""Exceptions that compiled code raises: the table of raise sites, and the exits.

Compiled code never makes an exception object.  It stores the number of a *raise site* and a few
integers into the exception record, frees the memory it owns and returns status 1; the site, known
to Python alone, holds the exception's class and arguments and its source line.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any, TypeVar
from weakref import ref

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import Loc
from cutaway.ir.traversal import by_place_and_name
from cutaway.lowering.slots import owners_in_slots, values_from_slots
from cutaway.runtime import _runtime, pending_tables
from cutaway.typing.types import Type

OK, RAISED = "0", "1"

PAYLOAD_SLOTS = 4  # integers that a raise site may carry

# Offsets in bytes into `cutaway_exc`, see runtime/exc.h.
STACK_LIMIT = 48
HANDLED = 64
VALUES = 72
VALUE_SLOTS = 32


@dataclass(frozen=True, slots=True)
class RaiseSite:
    """A location of a compiled function that may raise, or (without an exception) call a function
    that did.

    With `formatted` the one argument is a format string for the integers of the payload.  With
    `types` the arguments are values of these types, computed at run time, the last of them by the
    names that are `keywords`.  `frames` is the number of frames, its own included, that it adds to
    the traceback, of the functions that it was inlined through.
    """

    exception: type[BaseException] | None
    args: tuple[Any, ...]
    loc: Loc
    function: str
    formatted: bool = False
    types: tuple[Type, ...] | None = None
    frames: int | None = None  # all
    keywords: tuple[str, ...] = ()

    def split(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments by position, and those by name."""
        return by_place_and_name(args, self.keywords)


@dataclass(frozen=True, slots=True)
class CallSite:
    """A location of a compiled function that calls Python, with values of types."""

    called: Callable[..., object]
    types: tuple[Type, ...]
    loc: Loc
    function: str


@dataclass(frozen=True, slots=True)
class Compared:
    """The classes that an exception is compared with, by C code alone."""

    classes: tuple[type[BaseException], ...]

    def __call__(self, exception: BaseException) -> bool:
        """True if an exception is an instance of one of them, as for `except`."""
        return any(cls in type(exception).__mro__ for cls in self.classes)


Site = TypeVar("Site", RaiseSite, CallSite)


class RaiseTable:
    """The exceptions that one compiled function may raise, its calls of Python, and its blocks that
    run as Python.  Looked up at run time by the function's symbol, whose `address` compiled code
    holds.

    A `hidden` one, of a library function, does not show in tracebacks.
    """

    __slots__ = ("symbol", "address", "sites", "calls", "blocks", "hidden", "_text", "__weakref__")

    def __init__(self, symbol: str, hidden: bool = False) -> None:
        self.symbol = symbol
        self.hidden = hidden
        # Compiled code passes the address of this text, which identifies the table: CPython never
        # moves an object.
        self._text = symbol.encode()
        self.address = _runtime.address_of_bytes(self._text)
        self.sites: list[RaiseSite] = []
        self.calls: list[CallSite] = []
        self.blocks: list[object] = []  # those that run as Python
        # Weakly, since it lives as long as the code that names it, which the specialization keeps.
        RAISE_TABLES[symbol] = ref(self, lambda _: _forget(symbol))
        _runtime.forget_sites(symbol)

    def add(self, site: RaiseSite) -> int:
        """Add a site; returns its number."""
        self.sites.append(site)
        return len(self.sites) - 1

    def add_call(self, site: CallSite) -> int:
        """Add a call of Python; returns its number."""
        self.calls.append(site)
        return len(self.calls) - 1

    def add_block(self, block: object) -> str:
        """Add a block that runs as Python; returns its name in LLVM."""
        self.blocks.append(block)
        return block_name(self.symbol, len(self.blocks) - 1)


def block_name(symbol: str, number: int) -> str:
    """Return the LLVM name of a block that runs as Python."""
    return f"{symbol}.block{number}"


def _forget(symbol: str) -> None:
    RAISE_TABLES.pop(symbol, None)
    _runtime.forget_sites(symbol)


def table_name(symbol: str) -> str:
    """Return the LLVM name of the text that identifies a function's table."""
    return f"{symbol}.table"


RAISE_TABLES: dict[str, ref[RaiseTable]] = {}


def _table(symbol: str) -> RaiseTable:
    """Return the table of running compiled code, which keeps it alive."""
    if symbol not in RAISE_TABLES:
        _read(pending_tables.PENDING[symbol])
    table = RAISE_TABLES[symbol]()
    assert table is not None
    return table


def _read(pending: pending_tables.PendingTables) -> None:
    """Read the tables of code that was loaded from a cache."""
    # from a file whose digest was verified
    content = pickle.loads(pending.data)  # noqa: S301
    for symbol, (hidden, sites, calls) in zip(pending.symbols, content, strict=True):
        table = RaiseTable(symbol, hidden)
        table.sites += [_moved(site, pending.moved) for site in sites]
        table.calls += [_moved(site, pending.moved) for site in calls]
        pending.tables.append(table)


def _moved(site: Site, moved: tuple[str, str]) -> Site:
    loc = moved_loc(site.loc, *moved)
    return site if loc is site.loc else replace(site, loc=loc)


def moved_loc(loc: Loc, before: str, now: str) -> Loc:
    """Return a location, with the path of a file that was moved replaced."""
    through = loc.through
    if through is not None:
        call = moved_loc(through.call, before, now)
        through = through if call is through.call else replace(through, call=call)
    if loc.filename != before and through is loc.through:
        return loc
    return replace(loc, filename=now if loc.filename == before else loc.filename, through=through)


class _Shown(int):
    """An integer of a payload in a message: `{:double}` formats the float with its bits."""

    def __format__(self, spec: str) -> str:
        if spec == "double":
            return repr(struct.unpack("<d", struct.pack("<Q", self & (2**64 - 1)))[0])
        return super().__format__(spec)


def said(site: RaiseSite, payload: tuple[int, ...]) -> str:
    """Return the message of a site that is a format string for its payload."""
    return str(site.args[0].format(*map(_Shown, payload)))


Place = tuple[str, int]  # a table's symbol and the number of a site


def exception_at(
    place: Place, payload: tuple[int, ...], values: bytes, frames: tuple[Place, ...]
) -> BaseException:
    """Make the exception of a site, with a traceback of the source line that raised it and of the
    calls (`frames`, the innermost first) that it came through.

    The dispatcher's C code calls this when compiled code returned `RAISED`, and raises it.
    """
    sites = [(_table(symbol), index) for symbol, index in (place, *frames)]
    table, index = sites[0]
    site = table.sites[index]
    assert site.exception is not None
    inside: TracebackType | None = None
    if site.types is not None:
        try:
            args = values_from_slots(site.types, values)
        except Exception as error:  # noqa: BLE001  a format that does not fit its value
            return error.with_traceback(_traceback(sites, None))
        finally:
            for owner in owners_in_slots(site.types, values):
                _runtime.release(owner)
    else:
        args = (said(site, payload),) if site.formatted else site.args
    args, named = site.split(args)
    try:
        exception = _runtime.seen(site.exception, *args, **named)
        # A class may return anything when it is called.
        if not isinstance(exception, BaseException):
            exception = TypeError("exceptions must derive from BaseException")
    except BaseException as error:  # noqa: BLE001  the user's class failed: Python raises that
        assert error.__traceback__ is not None
        exception, inside = error, error.__traceback__.tb_next
    return exception.with_traceback(_traceback(sites, inside))


def add_frames(exception: BaseException, frames: tuple[Place, ...]) -> None:
    """Prepend the calls that an exception came through, the innermost first, to its traceback.

    C code calls this for an exception that Python raised in compiled code.
    """
    sites = [(_table(symbol), index) for symbol, index in frames]
    exception.__traceback__ = _traceback(sites, exception.__traceback__)


def known_site(symbol: str, index: int) -> tuple[Any, ...] | None:
    """Return the constant class and arguments of a site that raises a builtin exception, or no
    class for a site that a call propagates through, and the code and line of each frame, the
    innermost first: from these C makes the exception itself.  For a negative index, the classes
    that the handler of a call compares.  None for any other site."""
    if symbol not in RAISE_TABLES and symbol not in pending_tables.PENDING:
        return None
    table = _table(symbol)
    if index < 0:
        compared = table.calls[-1 - index].called
        return compared.classes if isinstance(compared, Compared) else None
    site = table.sites[index]
    frames = () if table.hidden else frames_of(site)
    place = [part for loc, name in frames for part in (_code_of(loc, name), loc.line or 1)]
    cls = site.exception
    if cls is None:
        return None, None, *place
    if site.types is not None or site.formatted:
        return None
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        return None
    return (cls, site.args, *place) if cls.__module__ == "builtins" else None


def call_python(symbol: str, index: int, values: bytes) -> BaseException | None:
    """Run a call of Python from a compiled function: the runtime's C code calls this.

    Returns the exception to be raised, as if the compiled function's line had raised it.
    """
    site = _table(symbol).calls[index]
    try:
        arguments = values_from_slots(site.types, values)
    except Exception as error:  # noqa: BLE001  a format that does not fit its value
        return error.with_traceback(with_frame(None, site))
    try:
        site.called(*arguments)
    except BaseException as error:  # noqa: BLE001  passed on
        rest = error.__traceback__
        for _ in range(2):  # this function, and the library's
            rest = None if rest is None else rest.tb_next
        return error.with_traceback(with_frame(rest, site))
    return None


def drop_values(symbol: str, index: int, values: bytes) -> None:
    """Release the objects owned by the record of an exception that is never raised: of a parallel
    loop only the first one is.  The runtime's C code calls this."""
    site = _table(symbol).sites[index]
    if site.types is not None:
        for owner in owners_in_slots(site.types, values):
            _runtime.release(owner)


def _traceback(
    places: list[tuple[RaiseTable, int]], chain: TracebackType | None
) -> TracebackType | None:
    """Return the traceback of calls, the innermost first, in front of the `chain` that they led to;
    the library's own are left out."""
    for table, index in places:
        if not table.hidden:
            chain = with_frame(chain, table.sites[index])
    return chain


def with_frame(chain: TracebackType | None, site: RaiseSite | CallSite) -> TracebackType:
    """Return a traceback with the frames of a site in front."""
    for loc, function in frames_of(site):
        chain = traceback_at(loc, function, chain)
    assert chain is not None
    return chain


def frames_of(site: RaiseSite | CallSite) -> list[tuple[Loc, str]]:
    """Return the locations of a site and of the calls that it was inlined through, each with its
    function's name, the innermost first."""
    calls = site.loc.calls
    locs = (site.loc, *(one.call for one in calls))
    names = (*(one.function for one in calls), site.function)
    shown = site.frames if isinstance(site, RaiseSite) else None
    return list(zip(locs, names, strict=True))[:shown]


def traceback_at(loc: Loc, function: str, chain: TracebackType | None) -> TracebackType:
    """Return a traceback with a frame for a location in a function in front."""
    code = _code_of(loc, function)
    traceback: TracebackType = _runtime.traceback(code, loc.line or 1, chain)
    return traceback


def _code_of(loc: Loc, function: str) -> CodeType:
    return _code_at(loc.filename or "<cutaway>", loc.line or 1, function)


@lru_cache(maxsize=4096)
def _code_at(filename: str, line: int, function: str) -> CodeType:
    """Code that does nothing, at a source line, in a function of this name."""
    return _NOTHING.replace(
        co_filename=filename, co_name=function, co_qualname=function, co_firstlineno=line
    )


def _line_table(length: int) -> bytes:
    # PEP 626 location table: entries of at most 8 code units, kind 13 (no columns), line delta 0.
    units = length // 2
    counts = [8] * (units // 8) + [units % 8] * (units % 8 > 0)
    return b"".join(bytes([0x80 | (13 << 3) | (count - 1), 0]) for count in counts)


_PLAIN = compile("", "<cutaway>", "exec")
_NOTHING = _PLAIN.replace(co_linetable=_line_table(len(_PLAIN.co_code)))

# The C runtime imports no Python module: it gets the functions that it calls from here.
_runtime.set_raise_hook(exception_at)
_runtime.set_frames_hook(add_frames)
_runtime.set_site_hook(known_site)
_runtime.set_call_hook(call_python)
_runtime.set_drop_hook(drop_values)
