"""Undoes rewrites that some versions of Python make and others do not.

From 3.14 on `any(... for ...)` is a loop if the name is bound to the builtin, and otherwise the
call that follows the loop:

    LOAD_GLOBAL any                    LOAD_GLOBAL any
    COPY 1                             PUSH_NULL
    LOAD_COMMON_CONSTANT any           LOAD_CONST <code>
    IS_OP                              MAKE_FUNCTION
    POP_JUMP_IF_FALSE call     =>      ...
    ... the loop ...                   CALL
    call: PUSH_NULL
    LOAD_CONST <code> ... CALL

In 3.15 a comprehension creates its iterator after its variables are saved, and a generator when it
starts; before 3.15 the iterator is created first, by the caller of the generator:

    LOAD_FAST_AND_CLEAR x              GET_ITER
    SWAP 2                             LOAD_FAST_AND_CLEAR x
    BUILD_LIST 0               =>      SWAP 2
    SWAP 2                             BUILD_LIST 0
    GET_ITER                           SWAP 2
    PUSH_NULL                          PUSH_NULL

A list that a loop iterates over or `in` searches becomes a tuple; from 3.14 on not if it has stars.
A tuple of constants that is unpacked at once is not built; before 3.14 it is a constant.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace
from cutaway.frontend.versions import JUMPS, VERSION

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction

_TEST = ["COPY", "LOAD_BUILTIN", "IS_OP", "POP_JUMP_IF_FALSE"]
_ASIDE = frozenset({"LOAD_FAST_AND_CLEAR", "SWAP"})
_BUILDS = frozenset({"BUILD_LIST", "BUILD_MAP", "BUILD_SET"})


def in_one_form(instructions: list[Instruction]) -> list[Instruction]:
    """Return the instructions with all of the above rewritten to one form."""
    listed = with_early_iterators(as_calls(instructions))
    targets = sorted({one.value for one in listed if one.name in JUMPS})
    return _with_single_constants(_with_tuples(listed, targets), targets)


def _follows(first: Instruction, second: Instruction, targets: list[int]) -> bool:
    """True if no jump targets the second of two neighbors or an instruction between them."""
    return bisect_right(targets, first.offset) == bisect_right(targets, second.offset)


def _with_tuples(instructions: list[Instruction], targets: list[int]) -> list[Instruction]:
    kept: list[Instruction] = []
    for one in instructions:
        before = kept[-1] if kept else one
        if _goes_over(one) and _follows(before, one, targets):
            if before.name in ("LIST_APPEND", "LIST_EXTEND") and before.arg == 1:
                kept.append(replace(before, name="LIST_TO_TUPLE", arg=0))
            elif before.name == "BUILD_LIST":
                _make_tuple(kept, targets)
        kept.append(one)
    return kept


def _goes_over(one: Instruction) -> bool:
    """True for an instruction that iterates over its operand or searches it; in 3.15 also for the
    call of a generator, whose argument count is 0 in the bytecode."""
    calls = VERSION.pairs_iterators and one.name == "CALL" and not one.arg
    return calls or one.name in ("GET_ITER", "CONTAINS_OP")


def _make_tuple(kept: list[Instruction], targets: list[int]) -> None:
    """Replace the list that has just been built by a tuple."""
    last = kept.pop()
    items = kept[len(kept) - last.arg :]
    constant = all(item.name == "LOAD_CONST" for item in items)
    if constant and _follows(items[0] if items else last, last, targets):
        del kept[len(kept) - last.arg :]
        offset = items[0].offset if items else last.offset
        value = tuple(item.value for item in items)
        kept.append(replace(last, offset=offset, name="LOAD_CONST", arg=0, value=value))
    else:
        kept.append(replace(last, name="BUILD_TUPLE"))


MOST_APART = 3  # values that Python unpacks by moving them on its stack


def _with_single_constants(
    instructions: list[Instruction], targets: list[int]
) -> list[Instruction]:
    kept: list[Instruction] = []
    skipped = 0
    for position, one in enumerate(instructions):
        if skipped:
            skipped -= 1
            continue
        before = kept[-1] if kept else one
        if not (_takes_apart(before, one) and _follows(before, one, targets)):
            kept.append(one)
            continue
        kept.pop()
        kept += [replace(before, value=value) for value in before.value]
        stores = instructions[position + 1 : position + 1 + one.arg]
        if one.arg > 1 and _are_variables(stores) and _follows(one, stores[-1], targets):
            kept += reversed(stores)
            skipped = one.arg
        elif one.arg > 1:
            kept.append(replace(one, name="SWAP"))
    return kept


def _takes_apart(constant: Instruction, one: Instruction) -> bool:
    """True for a short tuple of constants and the instruction that unpacks it."""
    if one.name != "UNPACK_SEQUENCE" or constant.name != "LOAD_CONST":
        return False
    return type(constant.value) is tuple and len(constant.value) == one.arg <= MOST_APART


def _are_variables(stores: list[Instruction]) -> bool:
    names = [one.value for one in stores if one.name == "STORE_FAST"]
    return len(names) == len(stores) == len(set(names))


def as_calls(instructions: list[Instruction]) -> list[Instruction]:
    """Return the instructions without the loops that replace calls."""
    if not any(one.name == "LOAD_BUILTIN" for one in instructions):
        return instructions
    kept: list[Instruction] = []
    skipped_to = -1
    for position, one in enumerate(instructions):
        if one.offset < skipped_to:
            continue
        test = instructions[position : position + len(_TEST)]
        if [each.name for each in test] == _TEST:
            skipped_to = test[-1].value
        else:
            kept.append(one)
    return kept


def with_early_iterators(instructions: list[Instruction]) -> list[Instruction]:
    """Create the iterators of comprehensions and generators where Python did before 3.15; that of
    a generator is created by its caller (`stack.py`)."""
    if not VERSION.pairs_iterators:
        return instructions
    kept: list[Instruction] = []
    for position, one in enumerate(instructions):
        if one.name == "GET_ITER" and _is_argument(instructions, position):
            continue
        if one.name == "GET_ITER" and _builds(instructions, position - 2):
            start = len(kept) - 2
            while start and kept[start - 1].name in _ASIDE:
                start -= 1
            kept.insert(start, replace(one, offset=kept[start].offset))
        else:
            kept.append(one)
    return kept


def _is_argument(instructions: list[Instruction], position: int) -> bool:
    """True if the operand at a position is the argument `.0` of a generator."""
    before = instructions[position - 1]
    return position == 1 and before.name == "LOAD_FAST" and before.value == ".0"


def _builds(instructions: list[Instruction], position: int) -> bool:
    """True if a comprehension creates its empty container here, and swaps it below the iterator."""
    if position < 0 or instructions[position].name not in _BUILDS:
        return False
    return not instructions[position].arg and instructions[position + 1].name == "SWAP"
