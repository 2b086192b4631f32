"""Control flow of bytecode and of our own IR as graphs: one box per block."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cutaway.drawing.model import Edge, Graph, Node
from cutaway.foundation.dataclass import replace
from cutaway.inspection.graphs.parfors import parfor_heads
from cutaway.inspection.graphs.roles import control_flow
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op
from cutaway.ir.printer import op_text
from cutaway.ir.regions import FrozenBlock
from cutaway.ir.traversal import definitions, targets, walk

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction
    from cutaway.frontend.control_flow import ControlFlow

Types = Mapping[str, object]

_NOTHING = re.compile(r", kws=\(\), vararg=None(?=\)$)|(?<=\()kws=\(\), vararg=None(?=\)$)")
_RAISES = (
    *(nodes.Raise, nodes.StaticRaise, nodes.RaiseComputed, nodes.Unreachable),
    *(nodes.Reraise, nodes.RaiseFrom, nodes.RaiseComputedFrom, nodes.RaiseCurrent),
)
RAISED = "raises"  # the mark of an edge to a handler


def bytecode_flow(name: str, flow: ControlFlow) -> Graph:
    """Return the blocks of bytecode by offset."""
    boxes = [_bytecode_box(label, block) for label, block in flow.blocks.items()]
    lines = []
    for label, block in flow.blocks.items():
        reach = flow.handlers.get(label)
        handler = None if reach is None else reach.target
        successors = [one for one in flow.graph.successors(label) if one != handler]
        marks = _jump_marks(block[-1]) if len(successors) == 2 else ("",) * len(successors)
        lines += [
            Edge(str(label), str(target), mark, "branch")
            for target, mark in zip(successors, marks, strict=True)
        ]
        if handler is not None:
            lines.append(Edge(str(label), str(handler), RAISED, "branch cold"))
    return control_flow(name, boxes, lines)


def _bytecode_box(label: int, block: tuple[Instruction, ...]) -> Node:
    locs = tuple(instruction.loc.line for instruction in block)
    kind = "cold" if block[-1].name in ("RAISE_VARARGS", "RERAISE") else ""
    if block[0].name == "PUSH_EXC_INFO":
        kind = f"handler {kind}".strip()
    text = tuple(map(str, block))
    return Node(str(label), f"offset {label}", text, kind, _first(locs), locs=locs)


def _jump_marks(last: Instruction) -> tuple[str, str]:
    """Return the marks of a conditional jump's fall-through and of its target."""
    if last.name == "FOR_ITER":
        return "item", "end"
    if "NONE" in last.name:
        is_none = last.name.endswith("IF_NONE")
        return ("not None", "None") if is_none else ("None", "not None")
    return ("F", "T") if "TRUE" in last.name else ("T", "F")


def ir_flow(fn: Function, types: Types | None = None) -> Graph:
    """The blocks of a function in IR; with types, each definition shows its own. The body of each
    parallel loop is a cluster beside them, titled with its iteration space."""
    heads = parfor_heads(fn)
    whole = _ir_part(fn.name, tuple(fn.blocks.values()), types or {}, heads)
    boxes, lines = list(whole.nodes), list(whole.edges)
    for op in walk(fn):
        if isinstance(op, nodes.Parfor):
            body = _ir_part(fn.name, op.body.blocks, types or {}, heads, f"p{op.id}:")
            boxes += [replace(box, cluster=heads[op.id]) for box in body.nodes]
            lines += body.edges
    return replace(whole, nodes=tuple(boxes), edges=tuple(lines))


def _ir_part(
    name: str,
    blocks: Sequence[Block | FrozenBlock],
    types: Types,
    heads: Mapping[int, str],
    mark: str = "",
) -> Graph:
    """Connected blocks as a graph; `mark` is a prefix of their ids."""
    boxes = [_ir_box(block, types, heads, mark) for block in blocks]
    lines = []
    for block in blocks:
        after = targets(block.terminator)
        marks = ("T", "F") if isinstance(block.terminator, nodes.Branch) else ("",) * len(after)
        lines += [
            Edge(f"{mark}{block.label}", f"{mark}{target}", sign, "branch")
            for target, sign in zip(after, marks, strict=True)
        ]
        if block.handler is not None:
            ends = (f"{mark}{block.label}", f"{mark}{block.handler}")
            lines.append(Edge(*ends, RAISED, "branch cold"))
    return control_flow(name, boxes, lines)


def _ir_box(block: Block | FrozenBlock, types: Types, heads: Mapping[int, str], mark: str) -> Node:
    locs = tuple(op.loc.line for op in block.ops)
    kind = "cold" if isinstance(block.terminator, _RAISES) else ""
    if any(isinstance(op, nodes.Caught) for op in block.ops):
        kind = f"handler {kind}".strip()
    text = tuple(heads.get(op.id) or line_of(op, types) for op in block.ops)
    label = str(block.label)
    title = f"label {label}"
    return Node(f"{mark}{label}", title, text, kind, _first(locs), link=label, locs=locs)


def line_of(op: Op, types: Types) -> str:
    """Format an op as a line of a box, with the types of its results as far as they are known."""
    known = [str(types[name]) for name in definitions(op) if name in types]
    return " :: ".join([short_text(op), *([" | ".join(known)] if known else [])])


def short_text(op: Op) -> str:
    """Return the text of an op, without empty keyword and variable arguments."""
    return _NOTHING.sub("", op_text(op))


def _first(locs: tuple[int, ...]) -> int:
    return next((line for line in locs if line), 0)
