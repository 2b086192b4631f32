"""Find the parameters that a function writes to, by its bytecode."""

from __future__ import annotations

import dis
from types import CodeType

# Instructions that only pop values; any other leaves an unknown value on the stack.
_TAKING = ("POP_", "STORE_", "DELETE_", "RETURN_", "JUMP_", "NOP", "RESUME", "CACHE", "PRECALL")
_CONTAINER = {"STORE_SUBSCR": 2, "STORE_SLICE": 3}  # how deep it lies


def written_parameters(code: CodeType) -> tuple[str, ...]:
    """Return the parameters whose items the function stores by name: `out[i] = x`, `out[i] += x`.
    Stores through another name, or in a callee, are not found."""
    stack: list[str | None] = []  # the parameter that a value is, where it is one
    written: set[str | None] = set()
    for step in dis.get_instructions(code):
        depth = _CONTAINER.get(step.opname, 0)
        if depth and len(stack) >= depth:
            written.add(stack[-depth])
        _take(stack, step)
    parameters = code.co_varnames[: code.co_argcount]
    return tuple(name for name in parameters if name in written)


def _take(stack: list[str | None], step: dis.Instruction) -> None:
    """Simulate an instruction's effect on the stack."""
    match step.opname:
        case "COPY" if step.argval <= len(stack):
            stack.append(stack[-step.argval])
        case "SWAP" if step.argval <= len(stack):
            stack[-step.argval], stack[-1] = stack[-1], stack[-step.argval]
        case name if name.startswith("LOAD_FAST"):
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            stack += names
        case name:
            argument = step.arg if step.opcode >= dis.HAVE_ARGUMENT else None
            effect = dis.stack_effect(step.opcode, argument, jump=False)
            if effect < 0:
                del stack[effect:]
            stack += [None] * max(effect, 0)
            if stack and effect <= 0 and not name.startswith(_TAKING):
                stack[-1] = None
