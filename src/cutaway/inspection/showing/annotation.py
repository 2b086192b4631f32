"""The user's source with the typed IR of each line above it.

annotation_text(unit)        as text
annotation_info(unit)        as plain data
Annotation(...)              as a page for a notebook: each line opens
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import shown_file, source_line, source_lines
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import definitions, located
from cutaway.stages.unit import CompileUnit


def annotation_text(unit: CompileUnit) -> str:
    """Format each source line of a typed function, with its ops as comments above it."""
    lines = [f"# File: {shown_file(unit.fn.filename)}"]
    for line in annotated(unit):
        margin = " " * line.indent
        lines.append(f"{margin}# --- LINE {line.number} ---")
        lines += [f"{margin}# {' ' * indent}{text}" for text, indent in line.ops]
        lines += ["", line.source, ""]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Line:
    """One source line, and its typed IR: texts with their indentation."""

    number: int
    source: str
    ops: tuple[tuple[str, int], ...]

    @property
    def indent(self) -> int:
        """The indentation of the source."""
        return len(self.source) - len(self.source.lstrip())


def annotated(unit: CompileUnit) -> tuple[Line, ...]:
    """Return the lines of a typed function."""
    by_line = _ops_by_line(unit)
    result = []
    for number in _line_numbers(unit, by_line):
        texts = list(_op_lines(unit, by_line.get(number, [])))
        ops = tuple((text.strip(), len(text) - len(text.lstrip())) for text in texts)
        result.append(Line(number, source_line(unit.fn.filename, number), ops))
    return tuple(result)


def annotation_info(unit: CompileUnit) -> dict[str, Any]:
    """Return the annotation as plain data, under the field names of the reference compiler."""
    lines = annotated(unit)
    return {
        "num_lifted_loops": sum(one.lifted is not None for one in unit.loops),
        "filename": unit.fn.filename,
        "funcname": unit.name,
        "python_lines": [(line.number, line.source.strip()) for line in lines],
        "python_indent": {line.number: line.indent for line in lines},
        "python_tags": {line.number: "" for line in lines},
        "ir_lines": {line.number: [(text, "") for text, _ in line.ops] for line in lines},
        "ir_indent": {line.number: [indent for _, indent in line.ops] for line in lines},
    }


@dataclass(frozen=True, eq=False)
class Annotation(Displayed):
    """Functions with the typed IR of each line: a page with foldable lines in a notebook, and text
    elsewhere. Each part is a title, the text, and the lines."""

    parts: tuple[tuple[str, str, tuple[Line, ...]], ...]

    def _repr_html_(self) -> str:
        return "".join(
            f'<div style="{_BOX}"><b>{escape(title)}</b>{"".join(map(_line_html, lines))}</div>'
            for title, _, lines in self.parts
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    def __str__(self) -> str:
        return "\n".join(f"{title}\n{text}" for title, text, _ in self.parts)


_BOX = "font-family:monospace;white-space:pre;overflow-x:auto;line-height:1.4"
_OPS = "margin:0 0 0 5em;padding:0 .5em;border-left:2px solid #888;font:inherit;opacity:.85"


def _line_html(line: Line) -> str:
    text = f"{line.number:>4}  {escape(line.source)}"
    if not line.ops:
        return f"<div>  {text}</div>"
    ops = "\n".join(" " * indent + escape(op) for op, indent in line.ops)
    return f'<details><summary>{text}</summary><pre style="{_OPS}">{ops}</pre></details>'


def _ops_by_line(unit: CompileUnit) -> dict[int, list[tuple[int, Op]]]:
    result: dict[int, list[tuple[int, Op]]] = {}
    for block, _, op in located(unit.fn):
        result.setdefault(op.loc.line or unit.fn.first_line, []).append((block.label, op))
    return result


def _line_numbers(unit: CompileUnit, by_line: dict[int, list[tuple[int, Op]]]) -> range:
    first, last = unit.fn.first_line, max(by_line, default=0)
    first = min([first, *by_line])
    end = len(source_lines(unit.fn.filename))
    return range(first, min(last, end) + 1 if end else last + 1)


def _op_lines(unit: CompileUnit, ops: list[tuple[int, Op]]) -> Iterator[str]:
    shown = None
    for label, op in ops:
        if label != shown:
            yield f"label {label}"
            shown = label
        types = ", ".join(str(unit.types[name]) for name in definitions(op) if name in unit.types)
        yield f"  {op_text(op)}" + (f"  :: {types}" if types else "")
