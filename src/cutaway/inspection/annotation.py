"""The user's source with the typed IR of each line above it."""

from __future__ import annotations

import linecache
from collections.abc import Iterator

from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import definitions
from cutaway.source import shown_file, source_line
from cutaway.stages.unit import CompileUnit


def annotation_text(unit: CompileUnit) -> str:
    """Each source line of a typed function, its ops as comments above it."""
    by_line = _ops_by_line(unit)
    lines = [f"# File: {shown_file(unit.fn.filename)}"]
    for number in _line_numbers(unit, by_line):
        source = source_line(unit.fn.filename, number)
        indent = " " * (len(source) - len(source.lstrip()))
        lines.append(f"{indent}# --- LINE {number} ---")
        lines += [f"{indent}# {text}" for text in _op_lines(unit, by_line.get(number, []))]
        lines += ["", source, ""]
    return "\n".join(lines)


def _ops_by_line(unit: CompileUnit) -> dict[int, list[tuple[int, Op]]]:
    found: dict[int, list[tuple[int, Op]]] = {}
    for block in unit.fn.blocks.values():
        for op in block.ops:
            found.setdefault(op.loc.line or unit.fn.first_line, []).append((block.label, op))
    return found


def _line_numbers(unit: CompileUnit, by_line: dict[int, list[tuple[int, Op]]]) -> range:
    first, last = unit.fn.first_line, max(by_line, default=0)
    first = min([first, *by_line])
    end = len(linecache.getlines(unit.fn.filename))
    return range(first, min(last, end) + 1 if end else last + 1)


def _op_lines(unit: CompileUnit, ops: list[tuple[int, Op]]) -> Iterator[str]:
    shown = None
    for label, op in ops:
        if label != shown:
            yield f"label {label}"
            shown = label
        types = ", ".join(str(unit.types[name]) for name in definitions(op) if name in unit.types)
        yield f"  {op_text(op)}" + (f"  :: {types}" if types else "")
