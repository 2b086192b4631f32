"""What can be read from the text of LLVM IR alone: its functions, and their control flow."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r'"(?:[^"\\]|\\.)*"|[\w.$-]+'
_DEFINE = re.compile(rf"^define .*?@({_NAME})\(")
_LABEL = re.compile(rf"^({_NAME}):")
_TARGET = re.compile(rf"label %({_NAME})")
_METADATA = re.compile(r"(,? ![a-z]\w* !\d+)+(?= \{$|$)")
_ENTRY = "entry"  # the optimizer drops the name of the first block


def to_dot(text: str) -> str:
    """The control flow of every function that a module defines, one cluster each."""
    lines = ["digraph llvm {", '  node [shape=box, fontname="monospace"];']
    for number, (name, blocks) in enumerate(functions_of(text)):
        lines.append(f"  subgraph cluster_{number} {{ label={_quoted(name)};")
        for label, body in blocks.items():
            lines.append(f"    {_node(number, label)} [label={_box(label, body)}];")
        for label, body in blocks.items():
            for target in _targets(body):
                lines.append(f"    {_node(number, label)} -> {_node(number, target)};")
        lines.append("  }")
    return "\n".join([*lines, "}"])


def functions_of(text: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each function that a module defines: its name, and its blocks' lines by label."""
    blocks: dict[str, list[str]] = {}
    name = ""
    label = _ENTRY
    for line in text.splitlines():
        if defined := _DEFINE.match(line):
            name, label, blocks = defined[1].strip('"'), _ENTRY, {}
        elif name and line.startswith("}"):
            yield name, blocks
            name = ""
        elif name and (labelled := _LABEL.match(line)):
            label = labelled[1].strip('"')
        elif name and line.strip():
            blocks.setdefault(label, []).append(line.strip())


def definitions(text: str) -> str:
    """The functions that a module defines, without declarations and metadata: for reading."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        inside = inside or _DEFINE.match(line) is not None
        if inside:
            lines.append(_METADATA.sub("", line))
        if line.startswith("}"):
            inside = False
            lines.append("")
    return "\n".join(lines).rstrip("\n")


def _targets(body: list[str]) -> list[str]:
    # Only the last instruction of a block names labels, but a `switch` takes several lines.
    found = [target.strip('"') for line in body for target in _TARGET.findall(_code(line))]
    return list(dict.fromkeys(found))


def _code(line: str) -> str:
    return line.partition(";")[0]


def _box(label: str, body: list[str]) -> str:
    shown = "".join(_escaped(_METADATA.sub("", line)) + r"\l" for line in body)
    return f'"{_escaped(label)}:\\l{shown}"'


def _node(number: int, label: str) -> str:
    return _quoted(f"{number}:{label}")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
