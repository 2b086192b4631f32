"""Exceptions on a GPU: the first thread that raises writes a record, and ends.

Nothing can be thrown to the host, and other threads go on.  The record contains the number of the
raise site, which is a hash of its source location, so that the same program has the same code; the
host makes the exception at its next check (`cuda/launching.py`).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.foundation.source import is_our_file
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import (
    PAYLOAD_SLOTS,
    RAISED,
    RaiseSite,
    said,
    with_frame,
)
from cutaway.lowering.layout import Value, slot_types
from cutaway.lowering.slots import store_slots, values_from_slots
from cutaway.targets.target import Exceptions

RECORD = "cutaway_raise"
_NUMBER = re.compile(r"\{[^{}]*\}")  # in the template of a text


def number_of(site: RaiseSite) -> int:
    """Return the number of a raise site, from 1 on: the same in each process."""
    loc, cls = site.loc, site.exception
    place = (loc.filename, loc.line, loc.col, loc.end_line, loc.end_col, site.function)
    text = repr((place, getattr(cls, "__qualname__", cls), site.args, str(site.types)))
    return (zlib.crc32(text.encode(errors="backslashreplace")) & 0x7FFFFFFE) + 1


class ByRecord(Exceptions):
    """The first thread that raises writes a record; a status leads each to its end."""

    def raise_site(self, build: FunctionBuilder, site: RaiseSite, payload: Sequence[str]) -> None:
        """Raise the exception of a site; the payload are the integers for its format string."""
        build.table.add(site)
        words = [*payload, *(["0"] * PAYLOAD_SLOTS)][:PAYLOAD_SLOTS]
        operands = [("i32", str(number_of(site))), *(("i64", word) for word in words)]
        build.call("void", RECORD, operands)
        build.leave(RAISED)

    def raise_values(
        self,
        build: FunctionBuilder,
        exception: type[BaseException],
        args: Sequence[Value],
        keywords: tuple[str, ...],
    ) -> None:
        """Raise an exception with computed arguments, the last of them by these names.

        Raises UnsupportedError if they take more room than the record has; exceptions of the
        library then have dots in place of numbers.
        """
        kinds = tuple(value.ty for value in args)
        count = sum(len(slot_types(ty)) for ty in kinds)
        if count > PAYLOAD_SLOTS and is_our_file(build.loc.filename):
            templates = filter(None, (getattr(ty, "template", "") for ty in kinds))
            texts = tuple(_NUMBER.sub("...", template) for template in templates)
            self.raise_site(build, RaiseSite(exception, texts, build.loc, build.function), [])
            return
        if count > PAYLOAD_SLOTS:
            raise UnsupportedError(
                "an exception with so many values is not supported in code for a GPU",
                build.loc,
                f"it can carry {PAYLOAD_SLOTS} numbers",
            )
        slots, at = build.alloca("i64", PAYLOAD_SLOTS), 0
        for value in args:
            store_slots(build, value, build.offset(slots, str(8 * at)))
            at += len(slot_types(value.ty))
        words = [build.load("i64", build.offset(slots, str(8 * k)), 8) for k in range(count)]
        site = RaiseSite(exception, (), build.loc, build.function, types=kinds, keywords=keywords)
        self.raise_site(build, site, words)

    def propagate(self, build: FunctionBuilder, status: str) -> None:
        """Leave with the status of a callee that failed."""
        build.leave(status)


Place = tuple[int, int, int]


class Explanations:
    """The raise sites of a kernel and its callees, by their numbers."""

    def __init__(self, kernel: str, sites: Iterable[RaiseSite]) -> None:
        self.kernel = kernel
        self._sites = {number_of(site): site for site in sites}

    def __call__(
        self, number: int, block: Place, thread: Place, payload: tuple[int, ...]
    ) -> BaseException:
        """Make the exception of a record: `payload` are its integers."""
        site = self._sites[number]
        exception = _made(site, payload)
        exception.add_note(f"in block {block}, thread {thread} of kernel {self.kernel}")
        return exception.with_traceback(with_frame(None, site))


def _made(site: RaiseSite, payload: tuple[int, ...]) -> BaseException:
    assert site.exception is not None
    args: tuple[Any, ...] = site.args
    if site.types is not None:
        data = b"".join((word & (2**64 - 1)).to_bytes(8, "little") for word in payload)
        args = values_from_slots(site.types, data)
    elif site.formatted:
        args = (said(site, payload),)
    args, named = site.split(args)
    try:
        exception = site.exception(*args, **named)
    except Exception as error:  # noqa: BLE001  the user's class failed: Python raises that
        return error
    return exception if isinstance(exception, BaseException) else TypeError(f"{exception!r}")
