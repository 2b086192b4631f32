"""The registers and stack slots that an instruction of assembly writes to."""

from __future__ import annotations

import re
from functools import lru_cache

# Instructions without a written operand: comparisons, jumps, stores to the stack's top.
_WRITES_NOTHING = re.compile(
    r"v?u?comis|v?ptest|vtestp|kortest|cmp[bwlq]|test[bwlq]|bt[wlq]|j|ret|push|nop"
)
_ONE_OPERAND = re.compile(r"(?:i?mul|i?div)[bwlq]$")
_RESULTS = ("rax", "xmm0", "rdx")  # of a call, and of a product or a quotient
_OLD = re.compile(r"^[re]?(ax|bx|cx|dx|si|di|sp|bp)$")
_BYTES = re.compile(r"^([abcd])[lh]$|^(si|di|sp|bp)l$")
_NUMBERED = re.compile(r"^(r\d+)[bwd]?$")
_VECTOR = re.compile(r"^[xyz](mm\d+)$")
_MASK = re.compile(r"(?: \{%\w+\})+(?: \{z\})?$")


def register_of(operand: str) -> str:
    """Return one name for all parts of a register: `rdi` for `%edi`; memory is unchanged."""
    if not operand.startswith("%"):
        return operand
    name = operand[1:]
    if match := _OLD.match(name):
        return f"r{match[1]}"
    if match := _BYTES.match(name):
        return f"r{match[1]}x" if match[1] else f"r{match[2]}"
    if match := _VECTOR.match(name):
        return f"x{match[1]}"
    match = _NUMBERED.match(name)
    return match[1] if match else name


@lru_cache(maxsize=10_000)
def targets_of(text: str) -> tuple[str, ...]:
    """Return the registers or memory operands that a machine instruction writes to."""
    opcode, _, operands = text.strip().partition("\t")
    if opcode.startswith("call"):
        return _RESULTS
    if not operands or _WRITES_NOTHING.match(opcode):
        return ()
    last = re.split(r",\s+(?![^()]*\))", _MASK.sub("", operands))
    if len(last) == 1 and _ONE_OPERAND.match(opcode):
        return _RESULTS
    return (register_of(last[-1].strip()),)


@lru_cache(maxsize=10_000)
def targets_in_ptx(text: str) -> tuple[str, ...]:
    """Return the register that a PTX instruction writes to: its first operand."""
    words = text.split()
    first = 2 if words and words[0].startswith("@") else 1
    return (register_of(words[first].strip(",;")),) if len(words) > first else ()
