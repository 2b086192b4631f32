"""Joins the loop of `yield from` into one instruction.

GET_YIELD_FROM_ITER             YIELD_FROM
LOAD_CONST None
SEND end                 =>
YIELD_VALUE
JUMP to SEND
end: END_SEND
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction
    from cutaway.frontend.reaches import Reach


def without_delegation(
    instructions: list[Instruction], reaches: tuple[Reach, ...]
) -> tuple[list[Instruction], tuple[Reach, ...]]:
    """Replace each such loop by YIELD_FROM; the ranges of handlers stay the same."""
    joined: list[Instruction] = []
    skipped_to = -1
    for position, one in enumerate(instructions):
        if one.offset < skipped_to:
            continue
        if one.name != "GET_YIELD_FROM_ITER":
            joined.append(one)
            continue
        joined.append(replace(one, name="YIELD_FROM", value=None))
        skipped_to = _end_of(instructions, position)
    return joined, reaches


def _end_of(instructions: Sequence[Instruction], position: int) -> int:
    """Return the offset of the first instruction after the loop."""
    send = next(one for one in instructions[position:] if one.name == "SEND")
    target = next(k for k, one in enumerate(instructions) if one.offset >= send.value)
    if instructions[target].name == "END_SEND":
        target += 1
    return instructions[target].offset
