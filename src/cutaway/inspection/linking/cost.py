"""The cost of each source line: numbers of ops, LLVM and machine instructions, and vectors.

line  ops  LLVM  machine  vectors         source
   6    3    54       27  4 x double      d = a[i] - b[i]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import source_line
from cutaway.inspection.linking.lines import LinkedLine
from cutaway.inspection.showing.displayed import Displayed


@dataclass(slots=True)
class LineCost:
    """A line of the source, 0 for instructions without one.

    `bytes` and `machine` count instructions whose location LLVM knows; the others are on line 0.
    Rarely run copies of loops, taken if a check before the loop fails, are counted apart, in `rare`
    and `rare_bytes`. `vectors` names the widest vector, `4 x double`; it is empty in scalar code.
    """

    line: int
    source: str
    ops: int = 0
    llvm: int = 0
    machine: int = 0
    bytes: int = 0
    vectors: str = ""
    rare: int = 0
    rare_bytes: int = 0


@dataclass(frozen=True, eq=False)
class Costs(Displayed):
    """The lines of a function with their costs; an instruction counts once, wherever it is."""

    function: str
    rows: tuple[LineCost, ...]
    code: str = "machine"  # of the last instructions; or "PTX", which has no bytes

    def __iter__(self) -> Iterator[LineCost]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        has_rare = any(row.rare for row in self.rows)
        head = f"{'line':>4} {'ops':>4} {'LLVM':>5} {self.code:>7} {'bytes':>6}"
        lines = [f"{head}{'  rare' * has_rare}  {'vectors':12} source"]
        for row in self.rows:
            numbers = f"{row.line or '-':>4} {row.ops:4} {row.llvm:5} {row.machine:7} {row.bytes:6}"
            rare = f"{row.rare or '':6}" if has_rare else ""
            lines.append(f"{numbers}{rare}  {row.vectors:12} {row.source}".rstrip())
        if has_rare:
            lines.append(RARE)
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON."""
        rows = [{name: getattr(row, name) for name in LineCost.__slots__} for row in self.rows]
        return {"function": self.function, "lines": rows}


RARE = "rare: machine instructions of the copies of loops that run if a check before the loop fails"


def costs_of(
    function: str,
    filename: str,
    ops: tuple[LinkedLine, ...],
    llvm: tuple[LinkedLine, ...],
    machine: tuple[LinkedLine, ...],
    sizes: dict[int, int],
) -> Costs:
    """Build the table from the linked lines of three levels, and the machine code bytes of each
    line of LLVM text."""
    rows: dict[int, LineCost] = {}
    widest: dict[int, int] = {}

    def row(line: int) -> LineCost:
        if line not in rows:
            rows[line] = LineCost(line, source_line(filename, line))
        return rows[line]

    for linked in ops:
        if linked.op:
            row(linked.line).ops += 1
    for linked in llvm:
        if linked.is_instruction and not linked.rare:
            cost = row(linked.line)
            cost.llvm += 1
            size, name = _vector(linked.text)
            if size > widest.get(linked.line, 0):
                widest[linked.line], cost.vectors = size, name
    for linked in machine:
        if linked.is_instruction:
            cost = row(0 if linked.near else linked.line)
            cost.machine += not linked.rare
            cost.rare += linked.rare
    for number, size in sizes.items():
        origin = llvm[number - 1] if 0 < number <= len(llvm) else None
        cost = row(0 if origin is None else origin.line)
        if origin is not None and origin.rare:
            cost.rare_bytes += size
        else:
            cost.bytes += size
    return Costs(function, tuple(rows[line] for line in sorted(rows, key=lambda k: (not k, k))))


_VECTOR = re.compile(r"<(\d+) x (\w+)>")
_BITS = {"double": 64, "float": 32, "half": 16, "ptr": 64}


def _vector(text: str) -> tuple[int, str]:
    """Return the bits and the name of the widest vector of an instruction."""
    vectors = [
        (int(count) * _bits(kind), f"{count} x {kind}") for count, kind in _VECTOR.findall(text)
    ]
    return max(vectors, default=(0, ""))


def _bits(kind: str) -> int:
    if kind in _BITS:
        return _BITS[kind]
    return int(kind[1:]) if kind[1:].isdecimal() else 1
