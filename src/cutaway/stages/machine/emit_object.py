"""Generate machine code for this computer (stage 7).

The result is an object file in memory; the assembly is made when it is asked for.
"""

from __future__ import annotations

from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Emit the object."""
    unit.object_code = unit.module.object_code()
