"""Decode the bytecode, with the same instruction names on all versions of Python (stage 1).

a + b    ->    LOAD_FAST 'a'    LOAD_FAST 'b'    BINARY_OP '+'
"""

from __future__ import annotations

from cutaway.frontend.bytecode import decode
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Decode the function's code object."""
    unit.bytecode = decode(unit.pyfunc.__code__)
