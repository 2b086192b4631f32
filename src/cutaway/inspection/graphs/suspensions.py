"""The frame of a generator as a graph: its suspension points, their live variables and
successors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.drawing.model import Edge, Graph, Node, counted, cut, note
from cutaway.inspection.graphs.flow import RAISED, short_text
from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.suspensions import BEGIN, END, Suspension, suspensions, ways
from cutaway.typing.types import Type


def generator_frame(fn: Function, types: Mapping[str, Type]) -> Graph:
    """Return the suspension points of a generator."""
    points = suspensions(fn)
    if not points:
        return note(Graph(fn.name, (), (), "frame"), "it never waits: it has no `yield`")
    boxes = [_begin(fn, types)]
    boxes += [_box(number, one, types) for number, one in enumerate(points, 1)]
    boxes += [Node(str(END), "end", (), "exit"), _frame(points, types)]
    order = {one.op.id: number for number, one in enumerate(points)}
    lines = []
    for way in ways(fn):
        back = order.get(way.target, len(order)) <= order.get(way.source, -1)
        kind = " ".join(["back"] * back + ["cold"] * way.raises)
        lines.append(Edge(str(way.source), str(way.target), RAISED if way.raises else "", kind))
    return Graph(fn.name, tuple(boxes), tuple(lines), "frame")


def _begin(fn: Function, types: Mapping[str, Type]) -> Node:
    """Return the call, whose frame holds the arguments until the first value is requested."""
    names = [op.result for op in fn.entry.ops if isinstance(op, nodes.Arg)]
    return Node(str(BEGIN), "called", _kept(names, types), "entry", fn.first_line)


def _box(number: int, one: Suspension, types: Mapping[str, Type]) -> Node:
    op = one.op
    how = "yield" if isinstance(op, nodes.Suspend) else "yield from"
    lines = (cut(short_text(op)), *_kept(one.kept, types))
    return Node(str(op.id), f"{number}: {how}, line {op.loc.line}", lines, "", op.loc.line)


def _kept(names: Sequence[str], types: Mapping[str, Type]) -> tuple[str, ...]:
    if not names:
        return ("keeps nothing",)
    return tuple(f"keeps {_named(name, types)}" for name in names)


def _frame(found: Sequence[Suspension], types: Mapping[str, Type]) -> Node:
    """Return the variables of the frame, and the suspension points across which each is live."""
    places: dict[str, list[str]] = {}
    for number, one in enumerate(found, 1):
        for name in dict.fromkeys(_named(name, types) for name in one.kept):
            places.setdefault(name, []).append(str(number))
    lines = tuple(f"{name}: at {', '.join(places[name])}" for name in sorted(places))
    return Node("frame", f"frame: {counted(len(places), 'variable')}", lines, "note")


def _named(name: str, types: Mapping[str, Type]) -> str:
    shown = name if is_temporary(name) else user_name(name)
    return f"{shown} :: {types[name]}" if name in types else shown
