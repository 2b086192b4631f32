"""The flow of values through IR as a graph: one box per op, lines from definitions to uses.

The user's variables stand out, temporaries are quiet, and constants and globals appear in the text
of their users. A line from a value to a merge is marked with the label of the predecessor; one that
goes back is a loop-carried value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cutaway.drawing.model import Edge, Graph, Node, cut
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.graphs.flow import Types, short_text
from cutaway.ir import nodes
from cutaway.ir.constants import constant_text
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, rename_uses, uses, walk_block

_GIVEN = (nodes.Const, nodes.Global, nodes.FreeVar)
_INSIDE = (nodes.Element, nodes.Give)  # an array expression shows them as its formula
_CONSTANT = 24  # longest constant, in characters, in the text of another op


@dataclass(frozen=True, slots=True)
class _Placed:
    """An op with its block and its number in the function."""

    number: int
    op: Op
    label: int


def value_flow(fn: Function, types: Types | None = None) -> Graph:
    """Return the flow of values in a function; with types, each value shows its own."""
    everything = [(op, label) for label, block in fn.blocks.items() for op in walk_block(block)]
    ops = [_Placed(k, op, label) for k, (op, label) in enumerate(everything)]
    spelled = _constants(ops)
    shown = [p for p in ops if _is_shown(p.op, spelled)]
    makers: dict[str, list[_Placed]] = {}
    for placed in shown:
        for name in definitions(placed.op):
            makers.setdefault(name, []).append(placed)
    boxes = tuple(_box(placed, spelled, types or {}) for placed in shown)
    edges = tuple(edge for placed in shown for edge in _edges(placed, makers))
    return Graph(fn.name, boxes, edges, "dataflow")


def _constants(ops: Iterable[_Placed]) -> dict[str, str]:
    """Return the text of each temporary that only holds a constant or a global."""
    result: dict[str, str] = {}
    for op in (placed.op for placed in ops):
        match op:
            case nodes.Const() if is_temporary(op.result):
                result[op.result] = cut(constant_text(op.value), _CONSTANT)
            case nodes.Global() | nodes.FreeVar() if is_temporary(op.result):
                result[op.result] = op.name
    return result


def _is_shown(op: Op, spelled: Mapping[str, str]) -> bool:
    if isinstance(op, (*nodes.LIFETIMES, *_INSIDE, nodes.Jump)):
        return False
    return not (isinstance(op, _GIVEN) and op.result in spelled)


def _box(placed: _Placed, spelled: Mapping[str, str], types: Types) -> Node:
    op = placed.op
    defined = definitions(op)
    text = _text(op, spelled)
    known = ", ".join(str(types[name]) for name in defined if name in types)
    title = ", ".join(defined) if defined else text
    title += f" :: {known}" if known else ""
    lines = (text.partition(" = ")[2],) if defined else ()
    line = op.loc.line
    return Node(
        _id(placed), cut(title), lines, _kind(op), line, ",".join(defined), (line,) * bool(defined)
    )


def _text(op: Op, spelled: Mapping[str, str]) -> str:
    match op:
        case nodes.ArrayExpr(result, expr=expr):
            return f"{result} = each element: {expr}"
        case nodes.ArrayReduce(result, axis=axis):
            elements = "all elements" if axis is None else f"the elements along axis {axis}"
            return f"{result} = of {elements}: {op.formula}"
        case nodes.ArrayStore(target, expr):
            return f"each element of {target} becomes {expr}"
    return short_text(rename_uses(op, lambda name: spelled.get(name, name)))


def _id(placed: _Placed) -> str:
    # A value id stays from pass to pass; an op without one is identified by its number.
    defined = definitions(placed.op)
    return f"{defined[0]}" if defined and placed.op.id == 0 else f"%{placed.op.id or placed.number}"


def _kind(op: Op) -> str:
    if isinstance(op, nodes.Phi):
        return "phi"
    defined = definitions(op)
    if isinstance(op, nodes.Return):
        return "exit"
    if isinstance(op, nodes.Arg):
        return "entry"
    if not defined:
        return "effect"
    return "temporary" if all(map(is_temporary, defined)) else "user"


def _edges(placed: _Placed, makers: Mapping[str, list[_Placed]]) -> Iterable[Edge]:
    labels: dict[str, list[int]] = {}
    if isinstance(placed.op, nodes.Phi):
        for name, label in zip(placed.op.values, placed.op.labels, strict=True):
            labels.setdefault(name, []).append(label)
    kind = "data control" if isinstance(placed.op, nodes.Branch) else "data"
    for name in dict.fromkeys(uses(placed.op)):
        mark = ", ".join(map(str, labels.get(name, ())))
        for maker in makers.get(name, ()):
            back = " back" if maker.number >= placed.number else ""
            yield Edge(_id(maker), _id(placed), mark, kind + back)
