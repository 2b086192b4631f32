"""Graphs with their layouts, for the record, so that a page draws them without layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from cutaway.drawing.layout import Layout, layout, stable_layouts
from cutaway.drawing.model import Graph, is_only_a_note
from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import replace
from cutaway.inspection.graphs.kinds import graph_of
from cutaway.inspection.record.model import Plain
from cutaway.ir.levels import Level
from cutaway.stages.unit import CompileUnit

FLOW = "cfg"
LOOPS = "loops"
FRAME = "frame"

Renamed = Callable[[str], str]
# The recorded graphs of each level, besides the control flow of our own IR, which all states have;
# and their largest numbers of nodes: a larger one is drawn on request, by itself.
KEPT: dict[Level, tuple[str, ...]] = {
    Level.cfg: (FLOW,),
    Level.objects: ("dataflow",),
    Level.ssa: ("dominators", "dataflow", FRAME),
    Level.typed: ("network", "dataflow"),
    Level.arrayexpr: (LOOPS, "dataflow"),
    Level.parfor: ("dataflow",),
    Level.llvm: (FLOW,),
    Level.llvm_opt: (FLOW,),
    Level.asm: (FLOW,),
    Level.ptx: (FLOW,),
}
MOST_NODES = {
    **{FLOW: 300, "dominators": 300},
    **{"dataflow": 100, "network": 100, LOOPS: 100, FRAME: 100},
}

Placed = tuple[int, str, dict[str, Plain]]  # position of a state, kind, graph


def graphs_of(
    units: Mapping[int, CompileUnit], renamed: Renamed = str
) -> tuple[tuple[Plain, ...], dict[int, Plain]]:
    """Return the graphs of a function's states, each once, and for each state its graphs by kind.

    `units` are the units after the passes, by the position of their state. Blocks of our own IR
    keep their positions from pass to pass. `renamed` converts the names of LLVM functions to those
    of the record, before the layout: a number with more digits needs more room.
    """
    positions: dict[str, int] = {}
    drawn: list[Plain] = []
    by_state: dict[int, Plain] = {}
    for state, kind, graph in (*_flows(units), *_others(units, renamed)):
        key = json.dumps(graph, sort_keys=True)
        if key not in positions:
            positions[key] = len(drawn)
            drawn.append(graph)
        by_state.setdefault(state, {})[kind] = positions[key]
    return tuple(drawn), by_state


def _flows(units: Mapping[int, CompileUnit]) -> Iterator[Placed]:
    """Yield the control flow graphs of our own IR, which are laid out together."""
    own = [(k, unit) for k, unit in units.items() if unit.level.is_ir]
    graphs = [graph_of(unit, FLOW) for _, unit in own]
    if not graphs or max(len(graph.nodes) for graph in graphs) > MOST_NODES[FLOW]:
        return
    for (state, _), graph, places in zip(own, graphs, _stable(graphs), strict=True):
        yield state, FLOW, _placed(graph, places)


def _stable(graphs: Sequence[Graph]) -> Sequence[Layout]:
    try:
        return stable_layouts(graphs)
    except PipelineError:  # together they are too large
        return [layout(graph) for graph in graphs]


def _others(units: Mapping[int, CompileUnit], renamed: Renamed) -> Iterator[Placed]:
    """Yield the other graphs, of the last state of each level; for loops of every state, to compare
    them."""
    last = {unit.level: state for state, unit in units.items()}
    for state, unit in units.items():
        for kind in KEPT.get(unit.level, ()):
            if state != last[unit.level] and kind != LOOPS:
                continue
            graph = graph_of(unit, kind)
            if unit.level is not Level.ptx:  # PTX numbers its own symbols
                graph = _renamed(graph, renamed)
            if len(graph.nodes) <= MOST_NODES[kind] and not is_only_a_note(graph):
                yield state, kind, _placed(graph, layout(graph))


def _renamed(graph: Graph, new: Renamed) -> Graph:
    nodes = tuple(
        replace(
            node,
            id=new(node.id),
            title=new(node.title),
            lines=tuple(map(new, node.lines)),
            link=new(node.link),
            cluster=new(node.cluster),
            hidden=tuple(map(new, node.hidden)),
        )
        for node in graph.nodes
    )
    edges = tuple(replace(e, source=new(e.source), target=new(e.target)) for e in graph.edges)
    return replace(graph, nodes=nodes, edges=edges)


def _placed(graph: Graph, places: Layout) -> dict[str, Plain]:
    return {**graph.to_dict(), **places.to_dict()}
