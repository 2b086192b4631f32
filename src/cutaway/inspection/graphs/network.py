"""The constraint network of type inference as a graph: boxes are constraints, ovals variables.

Lines go from the variables that an op reads to it, and from it to those that it defines. The
changes of one step of inference stand out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cutaway.drawing.model import Edge, Graph, Node, cut
from cutaway.inspection.graphs.flow import short_text
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses
from cutaway.typing.inference.events import RETURN
from cutaway.typing.types import Type


def type_network(
    name: str,
    ops: Sequence[Op],
    table: Mapping[str, Type],
    changed: Collection[str] = (),
    visited: Op | None = None,
) -> Graph:
    """The network of a function's ops with the types in `table`; `changed` are the variables of the
    last step, and `visited` is its op."""
    boxes: dict[str, Node] = {}
    edges: list[Edge] = []
    for number, op in enumerate(ops):
        read, written = uses(op), _results(op)
        if isinstance(op, nodes.LIFETIMES) or not (read or written):  # no constraint on types
            continue
        box = f"op {number}"
        for variable in (*read, *written):
            boxes.setdefault(variable, _variable(variable, table, changed))
        kind = "constraint visited" if op is visited else "constraint"
        boxes[box] = Node(box, cut(short_text(op)), (), kind, op.loc.line)
        step = " changed" if op is visited else ""
        edges += [Edge(variable, box, "", f"data{step}") for variable in read]
        edges += [
            Edge(box, variable, "", f"data{step}" if variable in changed else "data")
            for variable in written
        ]
    return Graph(name, tuple(boxes.values()), tuple(edges), "network")


def _variable(name: str, table: Mapping[str, Type], changed: Collection[str]) -> Node:
    ty = table.get(name)
    words = ["variable"]
    if ty is None:
        words.append("unknown")
    elif is_temporary(name):
        words.append("temporary")
    if name in changed:
        words.append("changed")
    return Node(name, name, ("?" if ty is None else str(ty),), " ".join(words), link=name)


def _results(op: Op) -> tuple[str, ...]:
    return (RETURN,) if isinstance(op, nodes.Return) else definitions(op)
