"""The control flow of a function as DOT text, with the ops in the boxes."""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import successors

LONGEST_LINE = 60


def to_dot(fn: Function) -> str:
    """A digraph with one box a block; edges of branches are marked T and F."""
    lines = [
        f'digraph "{escaped(fn.name)}" {{',
        '  node [shape=box fontname="monospace" fontsize=10];',
        '  edge [fontname="monospace" fontsize=9];',
    ]
    for label, block in fn.blocks.items():
        lines.append(f'  "{label}" [label="{_box(block)}"];')
    for label, block in fn.blocks.items():
        for target in successors(block):
            lines.append(f'  "{label}" -> "{target}"{_mark(block, target)};')
    return "\n".join([*lines, "}", ""])


def _box(block: Block) -> str:
    lines = [f"label {block.label}:", *map(op_text, block.ops)]
    short = (x if len(x) <= LONGEST_LINE else x[: LONGEST_LINE - 3] + "..." for x in lines)
    return "".join(f"{escaped(line)}\\l" for line in short)


def _mark(block: Block, target: int) -> str:
    end = block.terminator
    if not isinstance(end, nodes.Branch):
        return ""
    return ' [label="T"]' if target == end.then else ' [label="F"]'


def escaped(text: str) -> str:
    """A text as it stands between the quotes of DOT."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
