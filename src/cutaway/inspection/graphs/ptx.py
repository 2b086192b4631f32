"""Control flow of PTX as a graph, read from its text.

A block begins at a label or after a branch. It may end in two branches, `@%p1 bra A; bra.uni B;`. A
branch through a table leads to all labels of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cutaway.drawing.model import Edge, Graph, Node, merged
from cutaway.foundation.dataclass import dataclass, field
from cutaway.inspection.graphs.roles import control_flow
from cutaway.inspection.llvm import ptx_text

_BRANCH = re.compile(r"^(?:@(!?)(%p\d+) )?bra(?:\.uni)? (\$L\w+);")
_BY_TABLE = re.compile(r"^(?:@!?%p\d+ )?brx\.idx(?:\.uni)? \S+, (\$L\w+);")
_TABLE = re.compile(r"^\s*(\$L\w+): \.branchtargets")
_TARGET = re.compile(r"\$L\w+")
_CONDITIONAL = re.compile(r"^@!?%p\d+ bra\b")
_ENDS = re.compile(r"^(@!?%p\d+ )?(bra|brx|ret|exit|trap)\b")
_LEAVES = re.compile(r"^(ret|exit|trap)\b")

Row = tuple[str, int]  # a line of PTX, and its source line


@dataclass(slots=True)
class _Block:
    label: str
    lines: list[str] = field(default_factory=list)
    locs: list[int] = field(default_factory=list)


def ptx_flow(name: str, rows: Iterable[Row]) -> Graph:
    """Return the blocks of every function, a cluster each."""
    return merged(name, "cfg", ptx_functions(list(rows)))


def ptx_functions(rows: list[Row]) -> Iterator[Graph]:
    """One graph per function, named as in PTX."""
    tables = _tables(rows)
    for name, blocks in _functions(rows):
        labels = {block.label for block in blocks}
        edges = [
            edge
            for block, after in zip(blocks, [*blocks[1:], None], strict=True)
            for edge in _edges(block, after, tables)
            if edge.target in labels
        ]
        yield control_flow(name, [_box(block) for block in blocks], edges)


def _box(block: _Block) -> Node:
    first = next(filter(None, block.locs), 0)
    kind = "cold" if block.lines and block.lines[-1].startswith("trap") else ""
    return Node(block.label, block.label, tuple(block.lines), kind, first, locs=tuple(block.locs))


def _functions(rows: list[Row]) -> Iterator[tuple[str, list[_Block]]]:
    blocks: list[_Block] = []
    for text, line in rows:
        if head := ptx_text.HEAD.match(text):
            blocks = [_Block(head[1])]
        elif not blocks:
            continue
        elif text.startswith("}"):
            if len(blocks) > 1 or blocks[0].lines:  # else a declaration
                yield blocks[0].label, blocks
            blocks = []
        elif label := ptx_text.LABEL.match(text):
            if not ptx_text.is_of_table(text) and not _TABLE.match(text):
                blocks.append(_Block(label[1]))
        elif ptx_text.INSTRUCTION.match(text):
            _add(blocks, ptx_text.bare(text), line)


def _add(blocks: list[_Block], code: str, line: int) -> None:
    """Add an instruction to the last block, or, after its end, to a new one; a branch after a
    conditional branch stays in the block."""
    before = blocks[-1].lines[-1] if blocks[-1].lines else ""
    if _ENDS.match(before) and not (_CONDITIONAL.match(before) and _ENDS.match(code)):
        stem, _, number = blocks[-1].label.partition("+")
        blocks.append(_Block(f"{stem}+{int(number or 0) + 1}"))
    blocks[-1].lines.append(code)
    blocks[-1].locs.append(line)


def _tables(rows: list[Row]) -> dict[str, list[str]]:
    """Return the labels that each branch table lists."""
    tables: dict[str, list[str]] = {}
    table: list[str] | None = None
    for text, _ in rows:
        if head := _TABLE.match(text):
            table = tables[head[1]] = []
        elif table is not None:
            table += _TARGET.findall(text)
            table = None if ";" in text else table
    return tables


def _edges(block: _Block, after: _Block | None, tables: dict[str, list[str]]) -> Iterator[Edge]:
    otherwise = ""  # the condition under which no branch of this block was taken
    for line in block.lines:
        if branch := _BRANCH.match(line):
            condition = f"{branch[1]}{branch[2]}" if branch[2] else otherwise
            yield Edge(block.label, branch[3], condition, "branch")
            if not branch[2]:
                return
            otherwise = branch[2] if branch[1] else f"!{branch[2]}"
        elif by_table := _BY_TABLE.match(line):
            for target in dict.fromkeys(tables.get(by_table[1], ())):
                yield Edge(block.label, target, "", "branch")
            return
        elif _LEAVES.match(line):
            return
    if after is not None:
        yield Edge(block.label, after.label, otherwise, "branch")
