"""Runs a compiled function and sees which thread runs which piece of its parallel loops, and when.

It runs twice in a forked child, on copies of the arguments: the first time the threads begin and
caches fill, the second time is the one that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from struct import Struct
from time import perf_counter
from typing import Any

from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.sandbox import in_child
from cutaway.foundation.source import is_our_file
from cutaway.inspection.parallel.facts import facts_of
from cutaway.inspection.parallel.nests import Plain
from cutaway.inspection.recording.recording import Recording
from cutaway.inspection.witness.copies import fresh
from cutaway.inspection.witness.witness import arguments_for
from cutaway.ir.levels import Level
from cutaway.lowering.module import entry_name
from cutaway.runtime import _runtime
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.object_file import places_in_code

_SEEN = Struct("<10qd7q")  # `cutaway_seen` of runtime/watching.h
_PIECE = 0  # the kind of what is no loop
_DIMENSIONS = 3
_SCHEDULE_BITS = 8  # what stands above is the id of the loop
_SCHEDULES = ("static", "dynamic")
_KERNEL = re.compile(r"(.*)\.parfor\.(\d+)\.part$")


@dataclass(frozen=True, slots=True)
class _Seen:
    """One thing that was seen; times are nanoseconds."""

    kind: int
    loop: int
    kernel: int
    part: int
    parts: int
    thread: int
    schedule: int
    ndim: int
    begin: int
    end: int
    cost: float
    bounds: tuple[tuple[int, int], ...]

    @staticmethod
    def of(row: tuple[Any, ...]) -> _Seen:
        """A row of the table that the runtime has filled."""
        *fields, _ = row
        pairs = zip(fields[11::2], fields[12::2], strict=True)
        bounds = tuple(pairs)[: min(fields[7], _DIMENSIONS)]
        return _Seen(*fields[:11], bounds)  # type: ignore[call-arg]


@dataclass(frozen=True, slots=True)
class _Ran:
    """What a run in a child gave: rows of the runtime, how many had no room, and how it ended."""

    seen: bytes
    lost: int
    seconds: float
    threads: int
    error: str


def run_watched(compilation: Recording, args: tuple[Any, ...], seconds: float) -> Plain:
    """Run a compilation's machine code and give who ran what, as plain data.

    Raises PipelineError where there is no machine code, the arguments do not fit, or it cannot be
    run; the error of the program where that cannot be compiled.
    """
    view = compilation.at(Level.asm)
    native, unit = compilation.native, view.unit
    if native is None:
        raise PipelineError("this compilation has no machine code that can be called")
    arguments, sampled = arguments_for(compilation, args)

    def work() -> _Ran:
        call = native(unit, Level.asm)
        _ended(call, fresh(arguments))
        copies = fresh(arguments)
        _runtime.watch_loops()
        started = perf_counter()
        error = _ended(call, copies)
        elapsed = perf_counter() - started
        seen, lost = _runtime.loops_seen()
        return _Ran(seen, lost, elapsed, _runtime.thread_count(), error)

    answer = in_child(work, seconds)
    ran = answer.value
    if ran is None:
        raise PipelineError(f"the function {answer.words}", hint="pass arguments that take less")
    rows = [_Seen.of(row) for row in _SEEN.iter_unpack(ran.seen)]
    return {
        "function": compilation.signature,
        "threads": ran.threads,
        "seconds": ran.seconds,
        "error": ran.error,
        "sampled": sampled,
        "lost": ran.lost,
        "regions": list(_regions(rows, _Names(compilation, unit))),
    }


def _ended(call: Any, args: tuple[Any, ...]) -> str:
    """How a call ended: empty where it returned."""
    try:
        call(*args)
    except Exception as error:  # of the user's program: it is told
        return f"{type(error).__name__}: {error}"
    return ""


# --- what was seen, by loops ----------------------------------------------------------------------


def _regions(rows: list[_Seen], names: _Names) -> Iterator[Plain]:
    pieces: dict[int, list[_Seen]] = {}
    for row in rows:
        if row.kind == _PIECE:
            pieces.setdefault(row.loop, []).append(row)
    first = min((row.begin for row in rows), default=0)
    loops = sorted((row for row in rows if row.kind != _PIECE), key=lambda row: row.loop)
    for loop in loops:
        own = sorted(pieces.get(loop.loop, ()), key=lambda row: row.part)
        yield {
            **names.of(loop),
            "sizes": [high for _, high in loop.bounds],
            "dimensions": loop.ndim,
            "schedule": _SCHEDULES[loop.schedule & (1 << _SCHEDULE_BITS) - 1],
            "parts": loop.parts,
            "cost": loop.cost,
            "begin": (loop.begin - first) / 1e3,
            "end": (loop.end - first) / 1e3,
            "pieces": [
                {
                    "part": row.part,
                    "thread": row.thread,
                    "begin": (row.begin - first) / 1e3,
                    "end": (row.end - first) / 1e3,
                    "bounds": [list(pair) for pair in row.bounds],
                }
                for row in own
            ],
        }


class _Names:
    """The loops of a program by the addresses of the functions that run their pieces."""

    def __init__(self, compilation: Recording, unit: CompileUnit) -> None:
        self.by_symbol = dict(_known_loops(compilation))
        self.addresses = _addresses(unit)

    def of(self, loop: _Seen) -> Plain:
        """Line, text and function of a loop; line 0 where it is not known."""
        match = _KERNEL.match(self.addresses.get(loop.kernel, ""))
        if match:
            known = self.by_symbol.get(match[1], {}).get(int(match[2]))
            name = match[1].partition("$")[0]
            return known or {"line": 0, "text": f"a loop of {name}", "function": name}
        found = {row["line"]: row for row in self._called(loop)}
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            lines = ", ".join(map(str, sorted(found)))
            return {**min(found.values(), key=_line), "text": f"one of the loops of lines {lines}"}
        return {"line": 0, "text": "a loop of another function", "function": ""}

    def _called(self, loop: _Seen) -> Iterator[Plain]:
        """The loops that one may be of which only is known what its function calls it."""
        for rows in self.by_symbol.values():
            row = rows.get(loop.schedule >> _SCHEDULE_BITS)
            if row is not None:
                yield row


def _line(row: Plain) -> int:
    return int(row["line"])


def _known_loops(compilation: Recording) -> Iterator[tuple[str, Mapping[int, Plain]]]:
    """The parfors by their ids, of each function of a compilation by its symbol."""
    waiting = [compilation]
    while waiting:
        one = waiting.pop(0)
        waiting += [inner for record in one.passes for inner in record.nested]
        last = next((r.unit_after for r in reversed(one.passes) if r.unit_after is not None), None)
        if last is None or last.callee is None:
            continue
        rows: dict[int, Plain] = {}
        is_ours = is_our_file(one.unit.pyfunc.__code__.co_filename)
        for row in facts_of(one)["loops"]:
            for number in row.get("ids", ()):
                rows[number] = {
                    "line": 0 if is_ours else row["line"],
                    "text": f"a loop of {one.name}" if is_ours else row["text"],
                    "function": one.name,
                }
        yield last.callee.symbol, rows


def _addresses(unit: CompileUnit) -> dict[int, str]:
    """The names of the functions of a unit's machine code, by their addresses."""
    assert unit.callee is not None
    places = places_in_code(unit.object_code)
    entry = entry_name(unit.callee)
    if entry not in places:
        return {}
    base = unit.library.address(entry) - places[entry]
    return {base + place: name for name, place in places.items()}
