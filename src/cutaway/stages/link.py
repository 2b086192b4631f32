"""Load the object into memory and resolve its calls of the runtime (stage 7)."""

from __future__ import annotations

from cutaway.lowering.engine import Library
from cutaway.lowering.module import entry_name
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Link the object; `unit.library` keeps it loaded."""
    assert unit.callee is not None
    exports = (entry_name(unit.callee),)
    unit.library = Library.load(unit.object_code, exports, unit.symbols)
