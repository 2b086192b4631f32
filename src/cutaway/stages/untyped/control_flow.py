"""Split the bytecode into blocks and analyze the control flow between them (stage 1).

while c:        {0: (4, 20), 4: (4, 20), 20: ()}
    f()    ->   back edges: (4, 4), and one loop with header 4
"""

from __future__ import annotations

from cutaway.frontend.control_flow import analyze
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Find blocks, dominators and loops."""
    unit.control_flow = analyze(unit.bytecode)
