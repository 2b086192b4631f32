"""Translate Python's stack code into register IR (stage 2).

LOAD_FAST 'a'    LOAD_FAST 'b'    BINARY_OP '+'    ->    $0.1 = a + b
"""

from __future__ import annotations

from cutaway.frontend.build import MISSING, translate
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Translate the function."""
    unit.fn = translate(
        unit.pyfunc,
        unit.bytecode,
        unit.control_flow,
        itself=MISSING if unit.itself is None else unit.itself,
        live=unit.flags.forceobj,
    )
