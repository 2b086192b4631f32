"""Renames the variables of comprehensions that Python 3.12 and later compile inline.

    LOAD_FAST_AND_CLEAR x        the x of the function is kept on the stack
    ... FOR_ITER, STORE_FAST x   the comprehension has its own x
    END_FOR, SWAP
    STORE_FAST x                 the function has its x again

Here the variables of a comprehension get unique names, as if it were an inner function, which it
is in Python 3.11: so no value has to be saved.
"""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction

_LOCALS = frozenset(
    "LOAD_FAST STORE_FAST DELETE_FAST LOAD_DEREF STORE_DEREF DELETE_DEREF LOAD_CLOSURE".split()
)
_KINDS = {"BUILD_LIST": "listcomp", "BUILD_SET": "setcomp", "BUILD_MAP": "dictcomp"}


def with_own_variables(instructions: list[Instruction]) -> list[Instruction]:
    """Return the instructions with unique names for the variables of each comprehension."""
    renamed = list(instructions)
    starts = [
        k
        for k, one in enumerate(instructions)
        if one.name == "LOAD_FAST_AND_CLEAR" and not _goes_on(instructions, k)
    ]
    for number, start in reversed(list(enumerate(starts, 1))):  # inner ones first
        names = _names_from(instructions, start)
        end = _end_of(instructions, start)
        kind = next(_KINDS[one.name] for one in instructions[start:] if one.name in _KINDS)
        suffix = f"@{kind}" if number == 1 else f"@{kind}{number}"
        captured = {
            name
            for one in instructions[start:end]
            if one.name == "LOAD_CONST" and isinstance(one.value, CodeType)
            for name in one.value.co_freevars
        }
        for k in range(start, start + len(names)):
            one = renamed[k]
            renamed[k] = replace(one, value=one.value + suffix, arg=int(one.value in captured))
        for k in range(start + len(names), end):
            one = renamed[k]
            if one.name in _LOCALS and one.value in names:
                renamed[k] = replace(one, value=one.value + suffix)
        for k in _restoring(instructions, end, names):
            renamed[k] = replace(renamed[k], name="POP_TOP", value=None)
    return renamed


def _restoring(instructions: list[Instruction], end: int, names: list[str]) -> list[int]:
    """Return the positions of the instructions that restore the function's variables."""
    positions = {}
    for k in range(end, len(instructions)):
        one = instructions[k]
        if one.name == "STORE_FAST" and one.value in names:
            positions.setdefault(one.value, k)
    return list(positions.values())


def _goes_on(instructions: list[Instruction], position: int) -> bool:
    return position > 0 and instructions[position - 1].name == "LOAD_FAST_AND_CLEAR"


def _names_from(instructions: list[Instruction], start: int) -> list[str]:
    """Return the variables of the comprehension that begins at a position."""
    names = []
    while instructions[start].name == "LOAD_FAST_AND_CLEAR":
        names.append(instructions[start].value)
        start += 1
    return names


def _end_of(instructions: list[Instruction], start: int) -> int:
    """Return the position after the outermost loop of a comprehension."""
    loop = next(k for k in range(start, len(instructions)) if instructions[k].name == "FOR_ITER")
    target = instructions[loop].value
    return next(k for k in range(loop, len(instructions)) if instructions[k].offset >= target)
