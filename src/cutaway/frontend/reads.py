"""Finds the local variables that may be unbound at a read (stage 1).

Python raises where a variable is read, before the rest of the expression is evaluated:

    u += a[9]        UnboundLocalError for u, even if a[9] would raise

A read pushes the variable's own name, and an op uses it later; a variable found here is copied
where it is read, so that the check happens at the right location (check_unbound.py).
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Mapping
from types import CodeType

from cutaway.foundation.dataclass import replace
from cutaway.frontend.bytecode import Instruction
from cutaway.frontend.control_flow import ControlFlow
from cutaway.frontend.versions import VERSION


def maybe_unbound(code: CodeType, flow: ControlFlow) -> frozenset[str]:
    """Return the local variables that are unbound at one of their reads, on some path to it."""
    every = (one for block in flow.blocks.values() for one in block)
    own = (one.value for one in every if one.name in ("STORE_FAST", "DELETE_FAST"))
    names = dict.fromkeys((*code.co_varnames, *own))
    # Creating a function reads its cells as variables, and does not need their values.
    cells = () if VERSION.splices else code.co_cellvars
    return _read_unbound(tuple(names), _parameters(code), flow, flow.blocks).difference(cells)


def maybe_empty(code: CodeType, flow: ControlFlow) -> frozenset[str]:
    """Return the cell variables, shared with inner functions, that may be unbound at a read."""
    own = frozenset(code.co_cellvars)
    blocks = {
        offset: tuple(
            replace(one, name=one.name.replace("_DEREF", "_FAST"))
            for one in block
            if one.name.endswith("_DEREF") and one.value in own
        )
        for offset, block in flow.blocks.items()
    }
    read = {one.value for block in blocks.values() for one in block if one.name == "LOAD_FAST"}
    if not read:
        return frozenset()
    params = own & set(code.co_varnames[: _parameters(code)])
    names = tuple(sorted(own, key=lambda name: (name not in params, name)))
    return _read_unbound(names, len(params), flow, blocks) | (read & _deleted_inside(code))


def _deleted_inside(code: CodeType) -> set[str]:
    """Return the outer variables that inner functions delete."""
    deleted: set[str] = set()
    for one in code.co_consts:
        if isinstance(one, CodeType):
            deleted |= _deleted_inside(one)
            deleted |= {i.argval for i in dis.get_instructions(one) if i.opname == "DELETE_DEREF"}
    return deleted


def _parameters(code: CodeType) -> int:
    """Return how many of a function's variables, its first ones, are parameters."""
    count = code.co_argcount + code.co_kwonlyargcount
    flags = code.co_flags
    return count + bool(flags & inspect.CO_VARARGS) + bool(flags & inspect.CO_VARKEYWORDS)


Blocks = Mapping[int, tuple[Instruction, ...]]


def _read_unbound(
    names: tuple[str, ...], count: int, flow: ControlFlow, blocks: Blocks
) -> frozenset[str]:
    """Return the variables that may be unbound at a read; the first `count` are bound at entry.

    Sets of variables are bits of integers: most functions have few variables and no such read.
    """
    bits = {name: 1 << k for k, name in enumerate(names)}
    effects = {offset: _effect(block, bits) for offset, block in blocks.items()}
    # Parameters are bound at entry: if every other read follows an assignment in its own block, and
    # nothing is deleted, there is nothing to solve.
    if not any(effect[0] & -(1 << count) or effect[2] for effect in effects.values()):
        return frozenset()
    bound = _bound_before(flow, effects, (1 << count) - 1)
    unbound = _read_after_deletion(blocks, bits)
    for offset, (reads, _, _, _) in effects.items():
        unbound |= reads & ~bound[offset]
    return frozenset(name for name, bit in bits.items() if unbound & bit)


# The effect of a block: variables read before they are bound in it; bound at its end; unbound at
# its end; deleted somewhere in it.
Effect = tuple[int, int, int, int]


def _effect(block: tuple[Instruction, ...], bits: dict[str, int]) -> Effect:
    reads = bound = unbound = deleted = 0
    for instruction in block:
        match instruction.name:
            case "LOAD_FAST":
                reads |= bits.get(instruction.value, 0) & ~bound
            case "STORE_FAST":
                bound |= bits[instruction.value]
                unbound &= ~bits[instruction.value]
            case "DELETE_FAST":
                reads |= bits[instruction.value] & ~bound
                bound &= ~bits[instruction.value]
                unbound |= bits[instruction.value]
                deleted |= bits[instruction.value]
    return reads, bound, unbound, deleted


def _read_after_deletion(blocks: Blocks, bits: dict[str, int]) -> int:
    """Return the variables that a block reads after deleting them itself."""
    unbound = 0
    for block in blocks.values():
        deleted = 0
        for one in block:
            match one.name:
                case "LOAD_FAST" | "DELETE_FAST" if bits.get(one.value, 0) & deleted:
                    unbound |= bits[one.value]
                case "STORE_FAST":
                    deleted &= ~bits[one.value]
            if one.name == "DELETE_FAST":
                deleted |= bits[one.value]
    return unbound


def _bound_before(flow: ControlFlow, effects: dict[int, Effect], params: int) -> dict[int, int]:
    """Return the variables that are bound at the beginning of each block on every path to it."""
    order = flow.graph.reverse_postorder()
    before = dict.fromkeys(order, -1)  # greatest fixed point: starts with all variables
    before[order[0]] = params
    changed = True
    while changed:
        changed = False
        for offset in order:
            _, bound, unbound, deleted = effects[offset]
            after = (before[offset] | bound) & ~unbound
            reach = flow.handlers.get(offset)
            for target in flow.graph.successors(offset):
                # A variable that the block binds may still be unbound when the block raises.
                raised = reach is not None and target == reach.target
                bound_there = before[offset] & ~deleted if raised else after
                if before[target] & ~bound_there:
                    before[target] &= bound_there
                    changed = True
    return before
