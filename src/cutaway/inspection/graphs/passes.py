"""The control flow of a function from pass to pass, for drawings in which nothing jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.inspection.graphs.flow import ir_flow
from cutaway.inspection.graphs.layout import Layout, stable_layouts
from cutaway.inspection.graphs.model import Graph
from cutaway.ir.levels import Level

if TYPE_CHECKING:
    from cutaway.inspection.trace import Compilation


def flows_by_pass(compilation: Compilation) -> dict[str, Graph]:
    """The blocks as each pass over our own IR left them, in order."""
    found = {}
    for record in compilation.passes:
        unit = record.unit_after
        if unit is not None and unit.has("fn") and unit.level < Level.llvm:
            found[record.name] = ir_flow(unit.fn, unit.types if unit.has("types") else None)
    return found


def layouts_by_pass(compilation: Compilation) -> dict[str, tuple[Graph, Layout]]:
    """The same with their layouts; a block that several passes leave has one place in all."""
    flows = flows_by_pass(compilation)
    layouts = stable_layouts(list(flows.values()))
    return {
        name: (graph, places) for (name, graph), places in zip(flows.items(), layouts, strict=True)
    }
