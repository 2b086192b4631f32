"""Library functions as machine code of their own, called by address from the modules of others.

One with a loop, or with many lines, is optimized and generated once per process, and not again in
the module of each caller; short straight-line code stays in the callers' modules, where it is
inlined.
"""

from __future__ import annotations

from cutaway.lowering.callee import Callee, CodePart, Linked
from cutaway.lowering.module import exported_text, plan_for, runtime_symbols
from cutaway.runtime import symbols
from cutaway.targets.cpu.engine import Library, Module


def link(callee: Callee) -> None:
    """Compile a finished function to machine code, which callers lowered from now on call."""
    module = Module(exported_text(callee))
    module.optimize(plan_for(callee))
    load(callee, module.object_code())


def load(callee: Callee, object_code: bytes) -> None:
    """Link a function with existing machine code."""
    needed = {**symbols, **runtime_symbols(callee)}
    library = Library.load(object_code, (callee.symbol,), needed)
    members = [member for member in callee.closure() if member.linked is None]
    parts = linked_parts(callee)
    parts[callee.symbol] = CodePart(
        object_code,
        callee.symbol,
        tuple(member.symbol for member in members),
        tuple(member.table for member in members if member.table is not None),
    )
    callee.linked = Linked(library, library.address(callee.symbol), parts)


def linked_parts(callee: Callee) -> dict[str, CodePart]:
    """Return the parts that a function's module requires, each after its own requirements."""
    parts: dict[str, CodePart] = {}
    for member in callee.closure():
        if member.linked is not None:
            parts.update(member.linked.parts)
    return parts
