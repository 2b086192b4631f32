"""Control flow of machine code as graphs, read from assembly as LLVM writes it: x86-64, AArch64.

A block begins at a label or after a jump. A jump through a table leads to all labels of the tables
that its block names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cutaway.drawing.model import Edge, Graph, Node, merged
from cutaway.foundation.dataclass import dataclass, field
from cutaway.inspection.graphs.roles import control_flow

_FUNCTION = re.compile(r'^\s*\.type\s+"?([^",]+)"?\s*,\s*[@%]function')
_LABEL = re.compile(r'^"?([^\s":]+)"?:')
_LOCAL = re.compile(r"\.?L[\w.$]+")
_PLACE = re.compile(r"^\s*\.loc\s+\d+\s+(\d+)")
_ENTRY_OF_TABLE = re.compile(r"^\s*\.(?:quad|long|word|hword|byte|xword)\s+\(?(\.?L\w+)")
_MARKER = re.compile(r"^\.?L(func_|tmp|cfi|Lexception)")
_COMMENT = re.compile(r"\s#\s|\s*//|;")  # `#1` is a number on AArch64

# Mnemonics by their effect on control flow.
_ALWAYS = re.compile(r"^(jmpq?|b|br)$")
_SOMETIMES = re.compile(r"^(j[a-z]+|loop\w*|b\.\w+|b(eq|ne|lt|le|gt|ge|hi|lo|hs|ls|mi|pl|vs|vc)"
                        r"|cbn?z|tbn?z)$")  # fmt: skip
_NEVER_ON = re.compile(r"^(ret\w*|ud2|udf|brk|hlt|eret)$")
_STOPS = re.compile(r"^(ud2|udf|brk|hlt)$")


@dataclass(slots=True)
class _AsmBlock:
    label: str
    lines: list[str] = field(default_factory=list)
    locs: list[int] = field(default_factory=list)

    @property
    def last(self) -> tuple[str, str]:
        """The mnemonic and the operands of the last instruction."""
        mnemonic, _, operands = (self.lines[-1] if self.lines else "").partition(" ")
        return mnemonic, operands


def assembly_flow(name: str, text: str) -> Graph:
    """Return the blocks of every function, a cluster each."""
    return merged(name, "cfg", assembly_functions(text))


def assembly_functions(text: str) -> Iterator[Graph]:
    """One graph per function."""
    tables = _tables(text)
    for name, blocks in _functions(text):
        labels = {block.label for block in blocks}
        following = [*blocks[1:], None]
        edges = [
            edge
            for block, after in zip(blocks, following, strict=True)
            for edge in _edges(block, after, labels, tables)
        ]
        yield control_flow(name, [_box(block) for block in blocks], edges)


def _box(block: _AsmBlock) -> Node:
    first = next((line for line in block.locs if line), 0)
    kind = "cold" if _STOPS.match(block.last[0]) else ""
    text = tuple(block.lines)
    return Node(block.label, block.label, text, kind, first, locs=tuple(block.locs))


def _functions(text: str) -> Iterator[tuple[str, list[_AsmBlock]]]:
    names = {match[1] for line in text.splitlines() if (match := _FUNCTION.match(line))}
    name = ""
    blocks: list[_AsmBlock] = []
    line_number = 0
    for line in text.splitlines():
        if place := _PLACE.match(line):
            line_number = int(place[1])
        label = _LABEL.match(line)
        if label and label[1] in names:
            if name:
                yield name, _with_lines(blocks)
            name, blocks, line_number = label[1], [_AsmBlock(label[1])], 0
        elif name and label and label[1].startswith((".Lfunc_end", "Lfunc_end")):
            yield name, _with_lines(blocks)
            name = ""
        elif name and label and not _MARKER.match(label[1]):
            blocks.append(_AsmBlock(label[1]))
        elif name and not label:
            _add(blocks, line, line_number)
    if name:
        yield name, _with_lines(blocks)


def _add(blocks: list[_AsmBlock], line: str, line_number: int) -> None:
    code = " ".join(_COMMENT.split(line)[0].split())
    if not code or code.startswith((".", "#")):
        return
    if blocks[-1].lines and _ends(blocks[-1].last[0]):
        stem, _, number = blocks[-1].label.partition("+")
        blocks.append(_AsmBlock(f"{stem}+{int(number or 0) + 1}"))
    blocks[-1].lines.append(code)
    blocks[-1].locs.append(line_number)


def _ends(mnemonic: str) -> bool:
    return any(kind.match(mnemonic) for kind in (_ALWAYS, _SOMETIMES, _NEVER_ON))


def _with_lines(blocks: list[_AsmBlock]) -> list[_AsmBlock]:
    """Return the blocks without trailing tables, which have labels but no code."""
    while len(blocks) > 1 and not blocks[-1].lines:
        blocks.pop()
    return blocks


def _edges(
    block: _AsmBlock, after: _AsmBlock | None, labels: set[str], tables: dict[str, list[str]]
) -> list[Edge]:
    mnemonic, operands = block.last
    through = [Edge(block.label, after.label, "", "branch")] if after else []
    if _NEVER_ON.match(mnemonic):
        return []
    named = [label for label in _LOCAL.findall(operands) if label in labels]
    if _ALWAYS.match(mnemonic):
        if named:
            return [Edge(block.label, named[-1], "", "branch")]
        return [
            Edge(block.label, target, "", "branch")
            for target in _table_targets(block.lines, tables)
            if target in labels
        ]
    if not _SOMETIMES.match(mnemonic):
        return through
    taken = [Edge(block.label, named[-1], mnemonic, "branch")] if named else []
    return taken + through


def _tables(text: str) -> dict[str, list[str]]:
    """Return the labels that each jump table lists."""
    result: dict[str, list[str]] = {}
    label = ""
    for line in text.splitlines():
        if named := _LABEL.match(line):
            label = named[1]
        elif entry := _ENTRY_OF_TABLE.match(line):
            result.setdefault(label, []).append(entry[1])
    return result


def _table_targets(lines: Sequence[str], tables: dict[str, list[str]]) -> list[str]:
    named = [label for line in lines for label in _LOCAL.findall(line) if label in tables]
    return list(dict.fromkeys(target for label in named for target in tables[label]))
