"""Finds the local variables that a read may find unbound (stage 1).

Python raises where a variable is read, which is before whatever else an expression does:

    u += a[9]        UnboundLocalError for u, whatever a[9] does

A read puts the variable's own name on the stack, and an op uses it later; a variable that is listed
here is copied where it is read, so that the check has the right place (check_unbound.py).
"""

from __future__ import annotations

import inspect
from types import CodeType

from cutaway.frontend.bytecode import Instruction
from cutaway.frontend.control_flow import ControlFlow
from cutaway.frontend.versions import VERSION


def maybe_unbound(code: CodeType, flow: ControlFlow) -> frozenset[str]:
    """The local variables that are unbound at one of their reads, on some path to it.

    Sets of variables are bits of integers: most functions have few variables and no such read.
    """
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    own = (i.value for block in flow.blocks.values() for i in block if i.name == "STORE_FAST")
    bits = {name: 1 << k for k, name in enumerate(dict.fromkeys((*code.co_varnames, *own)))}
    effects = {offset: _effect(block, bits) for offset, block in flow.blocks.items()}
    # Parameters are bound from the start: where nothing else is read before it is bound in its own
    # block, and nothing is deleted, there is nothing to solve.
    if not any(effect[0] & -(1 << count) or effect[2] for effect in effects.values()):
        return frozenset()
    bound = _bound_before(flow, effects, (1 << count) - 1)
    unbound = 0
    for offset, (reads, _, _, _) in effects.items():
        unbound |= reads & ~bound[offset]
    unbound |= _read_after_deletion(flow, bits)
    # A cell is read as a variable where a function is made, and has no value to be asked for.
    cells = () if VERSION.splices else code.co_cellvars
    return frozenset(name for name, bit in bits.items() if unbound & bit and name not in cells)


# Read before they are bound here; bound at the end; unbound there; unbound somewhere in it.
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


def _read_after_deletion(flow: ControlFlow, bits: dict[str, int]) -> int:
    """The variables that a block reads which it has deleted itself."""
    found = 0
    for block in flow.blocks.values():
        deleted = 0
        for one in block:
            match one.name:
                case "LOAD_FAST" | "DELETE_FAST" if bits.get(one.value, 0) & deleted:
                    found |= bits[one.value]
                case "STORE_FAST":
                    deleted &= ~bits[one.value]
            if one.name == "DELETE_FAST":
                deleted |= bits[one.value]
    return found


def _bound_before(flow: ControlFlow, effects: dict[int, Effect], params: int) -> dict[int, int]:
    """The variables that are bound at the beginning of each block on every path to it."""
    order = flow.graph.reverse_postorder()
    before = dict.fromkeys(order, -1)  # all of them, until a path shows otherwise
    before[order[0]] = params
    changed = True
    while changed:
        changed = False
        for offset in order:
            _, bound, unbound, deleted = effects[offset]
            after = (before[offset] | bound) & ~unbound
            reach = flow.handlers.get(offset)
            for target in flow.graph.successors(offset):
                # Whatever the block binds may be unbound yet when it raises.
                raised = reach is not None and target == reach.target
                known = before[offset] & ~deleted if raised else after
                if before[target] & ~known:
                    before[target] &= known
                    changed = True
    return before
