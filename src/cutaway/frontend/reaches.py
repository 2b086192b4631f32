"""Reads which instructions an exception handler guards from the exception table (stage 1).

Some handlers only clean up the state of CPython's stack machine, and raise the exception again.
They have no effect here, so the instructions that they guard get the handler that guards them:

    COPY 3, POP_EXCEPT, RERAISE             the end of a handler that an exception leaves
    SWAP, POP_TOP, ..., RERAISE             variables of a comprehension get their values back
    CLEANUP_THROW, ...                      the end of `yield from`
    CALL_INTRINSIC_1 3, RERAISE             a generator raises StopIteration
"""

from __future__ import annotations

import dis
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from types import CodeType
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import UNKNOWN, Loc

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction

STOP_ITERATION_ERROR = 3  # the argument of CALL_INTRINSIC_1


@dataclass(frozen=True, slots=True)
class Reach:
    """The instructions from `start` to before `end`, whose exceptions go to the handler at
    `target`, with `depth` entries of the stack, and an offset above them if `lasti`.  `loc` is the
    location of the statement."""

    start: int
    end: int
    target: int
    depth: int
    lasti: bool
    loc: Loc = UNKNOWN


def reaches_of(
    code: CodeType, instructions: Sequence[Instruction], place_of: Callable[[int], Loc]
) -> tuple[Reach, ...]:
    """Return the reaches of the handlers that have an effect.

    A handler has no location of its own: it gets that of the instruction before the first one that
    it guards, which `place_of` returns for an offset.
    """
    entries = [
        Reach(one.start, one.end, one.target, one.depth, one.lasti, place_of(one.start))
        for one in dis.Bytecode(code).exception_entries
    ]
    return _resolved(entries, instructions)


def _resolved(found: Iterable[Reach], instructions: Sequence[Instruction]) -> tuple[Reach, ...]:
    """Replace each handler without an effect by the handler that guards it."""
    table = sorted(found, key=lambda one: one.start)
    starts = [one.start for one in table]
    offsets = [one.offset for one in instructions]

    def covering(offset: int) -> Reach | None:
        k = bisect_right(starts, offset) - 1
        return table[k] if k >= 0 and offset < table[k].end else None

    kept = []
    for reach in table:
        last: Reach | None = reach
        while last is not None and _means_nothing(instructions, offsets, last.target):
            last = covering(_landing(instructions, offsets, last.target))
        if last is not None:
            loc = next(one.loc for one in table if one.target == last.target)
            kept.append(replace(last, start=reach.start, end=reach.end, loc=loc))
    return tuple(kept)


def _at(offsets: list[int], offset: int) -> int:
    """Return the position of the first instruction at or after an offset."""
    return bisect_right(offsets, offset - 1)


def _landing(instructions: Sequence[Instruction], offsets: list[int], target: int) -> int:
    return instructions[_at(offsets, target)].offset


def _means_nothing(instructions: Sequence[Instruction], offsets: list[int], target: int) -> bool:
    first, second = instructions[_at(offsets, target) :][:2]
    match first.name:
        case "COPY":
            return first.arg == 3 and second.name == "POP_EXCEPT"
        case "CALL_INTRINSIC_1":
            return first.arg == STOP_ITERATION_ERROR
    return first.name in ("SWAP", "CLEANUP_THROW")
