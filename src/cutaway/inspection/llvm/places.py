"""The source locations of lines of LLVM IR, read from its metadata.

    %s.i = fadd double %a, %b, !dbg !7
    !7 = !DILocation(line: 5, column: 9, scope: !8, inlinedAt: !12)

A location is a chain: that of the instruction, that of the call that inlined it, and so on.
"""

from __future__ import annotations

import os
import re

from cutaway.foundation.dataclass import dataclass

_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)$")
_FIELD = re.compile(r'(\w+): ("(?:[^"\\]|\\.)*"|!\d+|[\w|]+)')
_DBG = re.compile(r"!dbg !(\d+)")
_ESCAPED = re.compile(rb"\\([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a source file; the line counts from 1, the column from 0."""

    filename: str
    line: int
    column: int
    function: str

    @property
    def where(self) -> str:
        """The position without its function."""
        return f"{os.path.basename(self.filename)}:{self.line}:{self.column}"

    def __str__(self) -> str:
        return f"{self.where} in {self.function.partition('$')[0]}"


class Places:
    """The locations of a module's text."""

    def __init__(self, text: str) -> None:
        self._nodes: dict[str, tuple[str, dict[str, str]]] = {}
        for line in text[max(0, text.find("\n!")) :].split("\n"):
            if match := _NODE.match(line):
                self._nodes[f"!{match[1]}"] = (match[2], dict(_FIELD.findall(match[3])))
        self._chains: dict[str, tuple[Place, ...]] = {}
        self._files: dict[str, str] = {}

    def of(self, line: str) -> tuple[Place, ...]:
        """Return a line's chain, from the outermost call to its own location; empty without one."""
        match = _DBG.search(line)
        return () if match is None else self.chain(f"!{match[1]}")

    def file_of(self, function: str) -> str:
        """Return the file of a function by its symbol; empty if it is not known."""
        if not self._files:
            for kind, fields in self._nodes.values():
                if kind == "DISubprogram":
                    self._files[_text(fields.get("name", ""))] = self._filename(fields)
        return self._files.get(function, "")

    def chain(self, node: str) -> tuple[Place, ...]:
        """Return the chain of a location; empty for other nodes."""
        known = self._chains.get(node)
        if known is not None:
            return known
        chain: list[Place] = []
        seen = {node}
        at: str | None = node
        while at is not None and (place := self._place(at)) is not None:
            chain.append(place)
            at = self._nodes[at][1].get("inlinedAt")
            if at in seen:  # a cycle: the module is invalid
                break
            seen.add(at or "")
        result = self._chains[node] = tuple(reversed(chain))
        return result

    def _place(self, node: str) -> Place | None:
        kind, fields = self._nodes.get(node, ("", {}))
        if kind != "DILocation":
            return None
        filename, function = self._scope(fields.get("scope", ""))
        column = max(0, _number(fields, "column") - 1)
        return Place(filename, _number(fields, "line"), column, function)

    def _scope(self, node: str) -> tuple[str, str]:
        """Return the file and the function of a scope."""
        filename = ""
        for _ in range(_DEEPEST):
            kind, fields = self._nodes.get(node, ("", {}))
            filename = filename or self._filename(fields)
            if kind == "DISubprogram":
                return filename, _text(fields.get("name", ""))
            node = fields.get("scope", "")
        return filename, ""

    def _filename(self, fields: dict[str, str]) -> str:
        kind, file = self._nodes.get(fields.get("file", ""), ("", {}))
        if kind != "DIFile":
            return ""
        folder, name = _text(file.get("directory", "")), _text(file.get("filename", ""))
        return name if folder in ("", ".") else os.path.join(folder, name)


_DEEPEST = 50  # nested lexical blocks


def _number(fields: dict[str, str], name: str) -> int:
    text = fields.get(name, "0")
    return int(text) if text.isdecimal() else 0


def _text(quoted: str) -> str:
    data = quoted.strip('"').encode()
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), data).decode(errors="replace")
