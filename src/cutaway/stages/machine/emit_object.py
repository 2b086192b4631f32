"""Generate machine code for the chosen processor (stage 7).

The result is an object file in memory; the assembly is derived on request.
"""

from __future__ import annotations

from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Emit the object."""
    unit.object_code = unit.module.object_code()
