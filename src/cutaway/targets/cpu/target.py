"""The processors of this machine as a target."""

from __future__ import annotations

from cutaway.extending.registry import CONTEXT
from cutaway.lowering import table_probe
from cutaway.lowering.build.status import ByStatus
from cutaway.lowering.module import entry_text
from cutaway.runtime import symbols
from cutaway.targets.cpu.optimization import HOST
from cutaway.targets.target import Definition, Target


def _definition(name: str) -> Definition | None:
    """Return the code of a runtime function that is inlined; None for any other one."""
    return table_probe.definition(name) if name.startswith("cutaway_table_") else None


CPU = Target("cpu", CONTEXT, HOST, symbols, ByStatus(), entry_text, definitions=_definition)
