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
    return frozenset(name for name, bit in bits.items() if unbound & bit)


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
