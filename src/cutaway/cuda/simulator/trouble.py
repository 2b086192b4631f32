"""The errors for threads that wait for each other in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cutaway.errors import SimulationError
from cutaway.foundation.source import Loc, short_file, source_line

if TYPE_CHECKING:
    from cutaway.cuda.simulator.blocks import ThreadBlock
    from cutaway.cuda.simulator.places import Wait


def line_text(loc: Loc) -> str:
    """Format a location as a line of text: `line 12: cuda.syncthreads()`."""
    text = source_line(loc.filename, loc.line).strip()
    return f"line {loc.line}: {text}" if text else f"line {loc.line} of {short_file(loc.filename)}"


def stuck(block: ThreadBlock) -> SimulationError:
    """Return the error for a block in which no thread can continue."""
    if block.in_warps:
        return _warp_error(block)
    sites: dict[int, list[Any]] = {}
    for one in block.at_barrier:
        sites.setdefault(id(one[1]), []).append(one)
    groups = sorted(sites.values(), key=len, reverse=True)
    thread, wait, _ = groups[0][0]
    notes = [f"{_count(group)} at {line_text(group[0][1].loc)}" for group in groups]
    if len(groups) > 1:
        message = f"threads of block {_index(block)} wait at different barriers"
    else:
        message = f"not all threads of block {_index(block)} reach this barrier"
    if block.ended:
        ended = sorted(block.ended, key=lambda one: one.number)
        places = {one.ended for one in ended if one.ended is not None}
        text = f"{len(ended)} thread{'s' * (len(ended) > 1)} ended before it"
        text += f", the first is {ended[0].shown}"
        notes += [text, *(f"    in {line_text(place)}" for place in places)]
    hint = "let all threads of a block reach each barrier: put `if` around the work, not around it"
    return SimulationError(message, wait.loc, hint, tuple(notes))


def _count(group: list[Any]) -> str:
    first = min((one[0] for one in group), key=lambda one: one.number)
    if len(group) == 1:
        return f"{first.shown} waits"
    return f"{len(group)} threads wait, the first is {first.shown},"


def _index(block: ThreadBlock) -> str:
    x, y, z = block.index
    return str(block.index) if z else str((x, y)) if y else str(x)


def _warp_error(block: ThreadBlock) -> SimulationError:
    thread, wait, given = block.in_warps[0]
    mask = given[0]
    there = {one[0].lane for one in block.in_warps if one[0].warp == thread.warp and one[1] is wait}
    missing = [
        lane
        for lane in range(block.lanes_of(thread.warp))
        if mask >> lane & 1 and lane not in there
    ]
    lanes = ", ".join(map(str, missing[:8])) + (", ..." if len(missing) > 8 else "")
    notes = [_where(block, thread.warp, lane) for lane in missing[:4]]
    plural = "s" if len(missing) > 1 else ""
    return SimulationError(
        f"the mask {mask:#010x} of {wait.kind} names lane{plural} {lanes}, which do"
        f"{'' if plural else 'es'} not take part",
        wait.loc,
        "name the lanes that come here, as cuda.ballot_sync finds them before they part",
        tuple(notes),
    )


def _where(block: ThreadBlock, warp: int, lane: int) -> str:
    for thread, wait, _ in (*block.in_warps, *block.at_barrier):
        if thread.warp == warp and thread.lane == lane:
            return f"lane {lane} waits at {line_text(wait.loc)}"
    for thread in block.ended:
        if thread.warp == warp and thread.lane == lane:
            return f"lane {lane} has ended" + (
                f" in {line_text(thread.ended)}" if thread.ended else ""
            )
    return f"lane {lane} is not there"


def endless(thread: Any, wait: Wait, hint: str) -> SimulationError:
    """Return the error for a loop whose condition no thread can make true."""
    return SimulationError(
        f"{thread.shown} waits in a loop for what no thread does", wait.loc, hint
    )
