"""Run a compiled function and record the thread and the time of each piece of its parallel loops.

It runs twice in a forked child, on copies of the arguments: the first run starts the threads and
fills the caches, the second is reported.
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
_PIECE = 0  # the kind of a piece; the others are loops
_DIMENSIONS = 3
_SCHEDULE_BITS = 8  # the bits above are the loop's id
_SCHEDULES = ("static", "dynamic")
_KERNEL = re.compile(r"(.*)\.parfor\.(\d+)\.part$")


@dataclass(frozen=True, slots=True)
class _SeenLoop:
    """A recorded loop or piece; times are nanoseconds."""

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
    def of(row: tuple[Any, ...]) -> _SeenLoop:
        """Unpack a row of the runtime's table."""
        *fields, _ = row
        pairs = zip(fields[11::2], fields[12::2], strict=True)
        bounds = tuple(pairs)[: min(fields[7], _DIMENSIONS)]
        return _SeenLoop(*fields[:11], bounds)  # type: ignore[call-arg]


@dataclass(frozen=True, slots=True)
class _Ran:
    """The result of a run in a child: rows of the runtime, the count of dropped ones, the error."""

    seen: bytes
    lost: int
    seconds: float
    threads: int
    error: str


def run_watched(compilation: Recording, args: tuple[Any, ...], seconds: float) -> Plain:
    """Run a compilation's machine code and return its loops and their threads, as plain data.

    Raises PipelineError without machine code, if the arguments do not fit, or if it cannot be run;
    the compilation's error if that failed.
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
    rows = [_SeenLoop.of(row) for row in _SEEN.iter_unpack(ran.seen)]
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
    """Call a function and return its error, empty if it returned."""
    try:
        call(*args)
    except Exception as error:  # of the user's program, which is shown
        return f"{type(error).__name__}: {error}"
    return ""


# --- the recorded loops ---------------------------------------------------------------------------


def _regions(rows: list[_SeenLoop], names: _Names) -> Iterator[Plain]:
    pieces: dict[int, list[_SeenLoop]] = {}
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
    """The loops of a program by the addresses of their kernels."""

    def __init__(self, compilation: Recording, unit: CompileUnit) -> None:
        self.by_symbol = dict(_known_loops(compilation))
        self.addresses = _addresses(unit)

    def of(self, loop: _SeenLoop) -> Plain:
        """Return the line, text and function of a loop; line 0 if unknown."""
        match = _KERNEL.match(self.addresses.get(loop.kernel, ""))
        if match:
            known = self.by_symbol.get(match[1], {}).get(int(match[2]))
            name = match[1].partition("$")[0]
            return known or {"line": 0, "text": f"a loop of {name}", "function": name}
        loops = {row["line"]: row for row in self._called(loop)}
        if len(loops) == 1:
            return next(iter(loops.values()))
        if loops:
            lines = ", ".join(map(str, sorted(loops)))
            return {**min(loops.values(), key=_line), "text": f"one of the loops of lines {lines}"}
        return {"line": 0, "text": "a loop of another function", "function": ""}

    def _called(self, loop: _SeenLoop) -> Iterator[Plain]:
        """Yield the loops that share the id of a loop whose function is not known."""
        for rows in self.by_symbol.values():
            row = rows.get(loop.schedule >> _SCHEDULE_BITS)
            if row is not None:
                yield row


def _line(row: Plain) -> int:
    return int(row["line"])


def _known_loops(compilation: Recording) -> Iterator[tuple[str, Mapping[int, Plain]]]:
    """Yield the symbol of each function of a compilation, with its parfors by id."""
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
    """Return the names of the functions in a unit's machine code, by address."""
    assert unit.callee is not None
    places = places_in_code(unit.object_code)
    entry = entry_name(unit.callee)
    if entry not in places:
        return {}
    base = unit.library.address(entry) - places[entry]
    return {base + place: name for name, place in places.items()}
