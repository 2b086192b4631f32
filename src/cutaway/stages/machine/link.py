"""Load the object into memory and resolve its calls of the runtime (stage 7).

The code generator turns some instructions into calls (`frem` into `fmod`), so that the whole
table of the runtime is offered, not only the functions that the module declares.
"""

from __future__ import annotations

from cutaway.lowering.module import entry_name
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import Library


def run(unit: CompileUnit) -> None:
    """Link the object; `unit.library` keeps it loaded."""
    assert unit.callee is not None
    exports = (entry_name(unit.callee),)
    unit.library = Library.load(unit.object_code, exports, {**unit.target.runtime, **unit.symbols})
