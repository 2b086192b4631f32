"""Joins the instructions that enter a `with` into one, as before Python 3.14.

COPY 1
LOAD_SPECIAL __exit__
SWAP 2                         BEFORE_WITH
SWAP 3                   =>
LOAD_SPECIAL __enter__
CALL 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction

_ENTERING = ["COPY", "LOAD_SPECIAL", "SWAP", "SWAP", "LOAD_SPECIAL", "CALL"]


def with_entries(instructions: list[Instruction]) -> list[Instruction]:
    """Replace each such sequence by BEFORE_WITH."""
    joined: list[Instruction] = []
    count = 0
    while count < len(instructions):
        one = instructions[count]
        if one.name == "COPY" and _enters(instructions, count):
            special = instructions[count + 1]
            entry = replace(special, offset=one.offset, name="BEFORE_WITH", arg=0, value=None)
            joined.append(entry)
            count += len(_ENTERING)
        else:
            joined.append(one)
            count += 1
    return joined


def _enters(instructions: list[Instruction], start: int) -> bool:
    names = [one.name for one in instructions[start : start + len(_ENTERING)]]
    return names == _ENTERING
