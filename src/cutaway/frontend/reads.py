"""Finds the local variables that a read may find unbound (stage 1).

Python raises where a variable is read, which is before whatever else an expression does:

    u += a[9]        UnboundLocalError for u, whatever a[9] does

A read puts the variable's own name on the stack, and an op uses it later; a variable that is listed
here is copied where it is read, so that the check has the right place (check_unbound.py).
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
    """The local variables that are unbound at one of their reads, on some path to it."""
    every = (one for block in flow.blocks.values() for one in block)
    own = (one.value for one in every if one.name in ("STORE_FAST", "DELETE_FAST"))
    names = dict.fromkeys((*code.co_varnames, *own))
    # A cell is read as a variable where a function is made, and has no value to be asked for.
    cells = () if VERSION.splices else code.co_cellvars
    return _read_unbound(tuple(names), _parameters(code), flow, flow.blocks).difference(cells)


def maybe_empty(code: CodeType, flow: ControlFlow) -> frozenset[str]:
    """As maybe_unbound, of the variables that inner functions share."""
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
    given = own & set(code.co_varnames[: _parameters(code)])
    names = tuple(sorted(own, key=lambda name: (name not in given, name)))
    return _read_unbound(names, len(given), flow, blocks) | (read & _deleted_inside(code))


def _deleted_inside(code: CodeType) -> set[str]:
    """The variables from outside that inner functions delete."""
    found: set[str] = set()
    for one in code.co_consts:
        if isinstance(one, CodeType):
            found |= _deleted_inside(one)
            found |= {i.argval for i in dis.get_instructions(one) if i.opname == "DELETE_DEREF"}
    return found


def _parameters(code: CodeType) -> int:
    """How many variables of a function are parameters: its first ones."""
    count = code.co_argcount + code.co_kwonlyargcount
    flags = code.co_flags
    return count + bool(flags & inspect.CO_VARARGS) + bool(flags & inspect.CO_VARKEYWORDS)


Blocks = Mapping[int, tuple[Instruction, ...]]


def _read_unbound(
    names: tuple[str, ...], count: int, flow: ControlFlow, blocks: Blocks
) -> frozenset[str]:
    """The variables, the first so many of which are bound at the beginning, that are unbound at one
    of their reads.

    Sets of variables are bits of integers: most functions have few variables and no such read.
    """
    bits = {name: 1 << k for k, name in enumerate(names)}
    effects = {offset: _effect(block, bits) for offset, block in blocks.items()}
    # Parameters are bound from the start: where nothing else is read before it is bound in its own
    # block, and nothing is deleted, there is nothing to solve.
    if not any(effect[0] & -(1 << count) or effect[2] for effect in effects.values()):
        return frozenset()
    bound = _bound_before(flow, effects, (1 << count) - 1)
    unbound = _read_after_deletion(blocks, bits)
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


def _read_after_deletion(blocks: Blocks, bits: dict[str, int]) -> int:
    """The variables that a block reads which it has deleted itself."""
    found = 0
    for block in blocks.values():
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
