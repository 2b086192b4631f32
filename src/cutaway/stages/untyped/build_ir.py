"""Translate Python's stack code into register IR (stage 2).

LOAD_FAST 'a'    LOAD_FAST 'b'    BINARY_OP '+'    ->    $0.1 = a + b
"""

from __future__ import annotations

from cutaway.frontend.build import translate
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Translate the function."""
    own = () if unit.itself is None else (None, unit.itself)
    unit.fn = translate(unit.pyfunc, unit.bytecode, unit.control_flow, *own)
