"""The graphs of a program at each level: one row per level, one function per kind.

To add a graph, write its builder beside the others and add it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.drawing.model import Graph
from cutaway.errors import PipelineError, did_you_mean
from cutaway.frontend.control_flow import analyze
from cutaway.inspection.graphs.assembly import assembly_flow
from cutaway.inspection.graphs.dataflow import value_flow
from cutaway.inspection.graphs.flow import bytecode_flow, ir_flow
from cutaway.inspection.graphs.llvm import llvm_calls, llvm_flow
from cutaway.inspection.graphs.loops import loop_flow
from cutaway.inspection.graphs.network import type_network
from cutaway.inspection.graphs.ptx import ptx_flow
from cutaway.inspection.graphs.suspensions import generator_frame
from cutaway.inspection.graphs.trees import dominator_tree
from cutaway.inspection.linking.lines import unit_lines
from cutaway.ir.levels import Level
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.events import RETURN
from cutaway.typing.types import Type

MakeGraph = Callable[[CompileUnit], Graph]


def graph_of(unit: CompileUnit, kind: str) -> Graph:
    """Return a graph of a program at the level that its unit has reached.

    Raises PipelineError if there is none of that kind.
    """
    makers = KINDS.get(unit.level, {})
    if kind in makers:
        return makers[kind](unit)
    level = unit.level.value
    if not makers:
        raise PipelineError(f"level {level} has no graph", hint="use cfg, ssa, llvm, asm or ptx")
    raise PipelineError(f"level {level} has no graph {kind!r}", hint=_hint(kind, makers))


def _hint(kind: str, makers: Mapping[str, MakeGraph]) -> str:
    there = f"graphs: {', '.join(makers)}"
    if kind == "calls":
        return f"{there}; use c.graph() for calls of compiled functions"
    levels = [level.value for level, row in KINDS.items() if kind in row]
    if levels:
        return f"{there}; {kind!r} is at {', '.join(levels)}"
    return f"{did_you_mean(kind, makers, there)}"


def _bytecode_flow(unit: CompileUnit) -> Graph:
    return bytecode_flow(unit.name, unit.control_flow)


def _blocks(unit: CompileUnit) -> Graph:
    return bytecode_flow(unit.name, analyze(unit.bytecode))


def _types(unit: CompileUnit) -> Mapping[str, Type]:
    return unit.types if unit.has("types") else {}


def _ir_flow(unit: CompileUnit) -> Graph:
    return ir_flow(unit.fn, _types(unit))


def _value_flow(unit: CompileUnit) -> Graph:
    return value_flow(unit.fn, _types(unit))


def _frame(unit: CompileUnit) -> Graph:
    return generator_frame(unit.fn, _types(unit))


def _loop_flow(unit: CompileUnit) -> Graph:
    return loop_flow(unit.fn, unit.types)


def _network(unit: CompileUnit) -> Graph:
    known = {RETURN: unit.return_type} if unit.has("return_type") else {}
    return type_network(unit.name, list(walk(unit.fn)), {**_types(unit), **known})


def _flow_and_tree(flow: MakeGraph) -> dict[str, MakeGraph]:
    return {"cfg": flow, "dominators": lambda unit: dominator_tree(flow(unit))}


def _llvm_graphs(text: Callable[[CompileUnit], str]) -> dict[str, MakeGraph]:
    return {
        **_flow_and_tree(lambda unit: llvm_flow(unit.name, text(unit))),
        "calls": lambda unit: llvm_calls(unit.name, text(unit)),
    }


def _asm_flow(unit: CompileUnit) -> Graph:
    return assembly_flow(unit.name, unit.asm)


def _ptx_flow(unit: CompileUnit) -> Graph:
    return ptx_flow(unit.name, [(row.text, row.line) for row in unit_lines(unit)])


_IR = {
    **_flow_and_tree(_ir_flow),
    "dataflow": _value_flow,
    "network": _network,
    "frame": _frame,
}

KINDS: dict[Level, Mapping[str, MakeGraph]] = {
    Level.bytecode: _flow_and_tree(_blocks),
    Level.cfg: _flow_and_tree(_bytecode_flow),
    Level.ir: _IR,
    Level.objects: _IR,
    Level.ssa: _IR,
    Level.typed: _IR,
    Level.arrayexpr: {**_IR, "loops": _loop_flow},
    Level.parfor: _IR,
    Level.llvm: _llvm_graphs(lambda unit: unit.llvm),
    Level.llvm_opt: _llvm_graphs(lambda unit: unit.llvm_opt),
    Level.asm: _flow_and_tree(_asm_flow),
    Level.ptx: _flow_and_tree(_ptx_flow),
}
