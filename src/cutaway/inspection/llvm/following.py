"""The locations in which LLVM holds each user variable, as LLVM itself reports them.

    f = followed(unit, values)
    f.values["s.1"]       its value in the optimized LLVM IR: %s.1.23.i
    f.places["s.1"]       its location in machine code: at row 35 in %xmm0

A copy of the module gets a `#dbg_value` record, as debuggers use them, after each instruction that
computes a variable. LLVM's passes update these records: they follow a value that is renamed, copied
or derived from others, and write `poison` where it is lost. The copy is compiled to assembly in a
child process, and counts only if its instructions equal the real ones.
"""

from __future__ import annotations

import os
import re
import struct
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import BinaryIO

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import dataclass, field, replace
from cutaway.foundation.sandbox import in_child
from cutaway.inspection.llvm import ptx_registers
from cutaway.inspection.llvm.text import without_metadata
from cutaway.lowering.llvm_values import LlvmPart
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import Module, set_option
from cutaway.targets.cpu.line_table import NO_TABLE, TABLE, numbered, shown

LONGEST = 60.0  # seconds of processor time

_IN_MEMORY = "DW_OP_deref"  # the operand is an address
_FREE = 1_000_000  # the first number of our own nodes; LLVM renumbers them
_DEFINED = re.compile(r'^  (%(?:"[^"]*"|[\w.$-]+)) = (phi )?')
_DEFINE = re.compile(r"^define .*?@(\"[^\"]*\"|[\w.$-]+)\(")
_SCOPE = re.compile(r" !dbg !(\d+)")
_RECORD = re.compile(r"^\s+#dbg_value\((.*), !(\d+), !DIExpression\((.*)\), !\d+\)$")
_VARIABLE = re.compile(r'^!(\d+) = !DILocalVariable\(name: "([^"]*)"')
_VALUE = re.compile(r'%(?:"[^"]*"|[\w.$-]+)')
_NOTHING = re.compile(r" (poison|undef)(?=[,)]|$)")
_NUMBER = re.compile(r"!\d+")
_DEBUG_VALUE = re.compile(r"^\s*#DEBUG_VALUE: .*?:(\S+) <- (.*)$")
_COMMENT = re.compile(r"\s*#.*$")
_LABEL = re.compile(r'^"[^"#]*":')
_STACK = re.compile(
    r"^\[((?:DW_OP_plus_uconst \d+, )+)DW_OP_deref(?:, DW_OP_stack_value)?\] \$(\w+)$"
)
_OFFSET = re.compile(r"\d+")
_AT = re.compile(r"^\[\$(\w+)\+0\]$")
_DERIVED = re.compile(r"^\[.*\] \$(\w+)$")
_CONSTANT = re.compile(r"^-?[\d.]+(e[+-]?\d+)?$")
_HEX = re.compile(r"^0x[0-9A-Fa-f]{16}$")
_BELOW = re.compile(r"^\[DW_OP_constu (\d+), DW_OP_minus, DW_OP_deref\] \$(\w+)$")


@dataclass(frozen=True, slots=True)
class PartHolder:
    """The holder of a part of a variable in LLVM IR: a value or a constant, or, if not `direct`, a
    value from which it can be computed; an empty text means that it is lost at some point."""

    part: str
    text: str
    direct: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a part of a variable: a register, a constant, or a stack slot; if not
    `direct`, a register from which it can be computed. It starts at each of the rows."""

    part: str
    text: str
    direct: bool = True
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Followed:
    """The value of each variable in the optimized IR, and its locations in machine code.

    A followed variable that has neither is lost: LLVM itself has no value of it. `is_known` and
    `has_places` say whether the copy's instructions equal the real ones; `error` ends a sentence on
    a failed attempt.
    """

    is_known: bool = False
    has_places: bool = False
    values: Mapping[str, tuple[PartHolder, ...]] = field(default_factory=dict)
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    error: str = ""


def followed(unit: CompileUnit, values: Mapping[str, Sequence[LlvmPart]]) -> Followed:
    """Follow variables, whose parts in the unit's LLVM IR are `values`, to machine code."""
    marked_text = marked(unit.llvm, values)
    if marked_text is None:
        return Followed()
    text, labels = marked_text
    code = unit.asm if unit.has("asm") else unit.ptx if unit.has("ptx") else ""
    answer = in_child(lambda: _read(text, labels, unit, code), LONGEST)
    return answer.value or Followed(error=answer.words)


# --- marking ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Label:
    """The variable and the part that a record describes.

    A record `in_block` stands in the block where the part belongs to the variable, besides the one
    at its computation; a record `in_memory` locates the variable's stack slot, for machine code.
    """

    name: str
    part: str
    in_block: bool = False
    in_memory: bool = False


def marked(text: str, values: Mapping[str, Sequence[LlvmPart]]) -> tuple[str, list[Label]] | None:
    """A module with a record for each part, and the labels of the records; None if the functions
    have no source location, or no variable to follow."""
    labels: list[Label] = []
    parts: dict[str, list[tuple[LlvmPart, int]]] = defaultdict(list)  # by function
    for name, row in values.items():
        for part in row:
            if part.text.startswith("%"):
                parts[part.function].append((replace(part, block=""), len(labels)))
                labels.append(Label(name, part.label))
                if part.block:
                    parts[part.function].append((part, len(labels)))
                    labels.append(Label(name, part.label, in_block=True))
                if part.memory:
                    place = replace(part, text=part.memory[0])
                    parts[part.function].append((place, len(labels)))
                    labels.append(Label(name, part.label, in_memory=True))
    lines, scopes = _with_records(text, parts)
    if not labels or not scopes:
        return None
    return "\n".join([*lines, *_nodes(parts, scopes)]) + "\n", labels


def _nodes(
    parts: Mapping[str, Sequence[tuple[LlvmPart, int]]],
    scopes: Mapping[str, str],
) -> Iterator[str]:
    """Yield the nodes that records refer to: one type, and each variable with its location."""
    kind = _FREE
    yield f'!{kind} = !DIBasicType(name: "value", size: 64, encoding: DW_ATE_unsigned)'
    for function, scope in scopes.items():
        for _, k in parts[function]:
            node = _variable(k)
            yield f'!{node} = !DILocalVariable(name: "v{k}", scope: !{scope}, type: !{kind})'
            yield f"!{node + 1} = !DILocation(line: 1, column: 1, scope: !{scope})"


def _variable(k: int) -> int:
    """Return the number of a variable's node; its location's node follows."""
    return _FREE + 1 + 2 * k


class _Marks:
    """The records of a function's parts, after a value or at the beginning of a block."""

    def __init__(self, parts: Sequence[tuple[LlvmPart, int]]) -> None:
        self.of_values: dict[str, list[str]] = defaultdict(list)
        self.of_blocks: dict[str, list[str]] = defaultdict(list)
        for part, k in parts:
            held = self.of_blocks[part.block] if part.block else self.of_values[part.text]
            node = _variable(k)
            steps = [_IN_MEMORY] if part.memory else []
            if part.memory and part.text == part.memory[0]:
                steps.insert(0, f"DW_OP_plus_uconst, {part.memory[1]}")
            value = f"{part.kind} {part.text}, !{node}, !DIExpression({', '.join(steps)})"
            held.append(f"    #dbg_value({value}, !{node + 1})")


def _with_records(
    text: str, parts: Mapping[str, Sequence[tuple[LlvmPart, int]]]
) -> tuple[list[str], dict[str, str]]:
    """Insert records after definitions of values; return the lines and the functions' scopes."""
    lines: list[str] = []
    waiting: list[str] = []  # written after the block's last phi
    scopes: dict[str, str] = {}
    marks = _Marks(())
    for line in text.split("\n"):
        match = _DEFINED.match(line)
        if waiting and not (match and match[2]) and not line.endswith(":"):
            lines += waiting
            waiting = []
        lines.append(line)
        if defined := _DEFINE.match(line):
            name, place = defined[1].strip('"'), _SCOPE.search(line)
            marks = _Marks(())
            if place and name in parts:
                marks, scopes[name] = _Marks(parts[name]), place[1]
            waiting = [
                row for value in _VALUE.findall(line) for row in marks.of_values.get(value, ())
            ]
        elif line.startswith("}"):
            marks = _Marks(())
        elif line.endswith(":"):
            waiting += marks.of_blocks.get(line[:-1].strip('"'), ())
        elif match:
            rows = marks.of_values.get(match[1], ())
            if match[2]:
                waiting += rows
            else:
                lines += rows
    return lines, scopes


# --- reading ------------------------------------------------------------------------------------


def _read(text: str, labels: list[Label], unit: CompileUnit, code: str) -> Followed:
    """Optimize and emit a marked module; in a child process, since LLVM may abort."""
    said = tempfile.TemporaryFile()  # noqa: SIM115  LLVM's errors and prints
    os.dup2(said.fileno(), 2)
    module = Module(text, unit.plan.cpu)
    module.optimize(unit.plan)
    optimized = module.text
    if instructions(optimized) != instructions(unit.llvm_opt):
        return Followed()
    known = _values(optimized, labels)
    if not code:
        return Followed(True, False, known)
    try:
        if unit.has("ptx"):
            places = _places_in_ptx(optimized, unit, labels, said)
        else:
            places = _places(_commented(optimized, unit), labels, code)
    except InternalError:
        places = None
    kept = {name: _kept(row, known.get(name, ())) for name, row in (places or {}).items()}
    return Followed(True, places is not None, known, kept)


def _kept(places: Sequence[Place], values: Sequence[PartHolder]) -> tuple[Place, ...]:
    """Drop constants that a variable never equals from its locations."""
    ever = {_number(one.text) for one in values}
    return tuple(
        place for place in places if not _CONSTANT.match(place.text) or _number(place.text) in ever
    )


def _number(text: str) -> float | str:
    """Parse a constant in any notation as a number; return other texts unchanged."""
    if _HEX.match(text):
        return float(struct.unpack(">d", bytes.fromhex(text[2:]))[0])
    return float(text) if _CONSTANT.match(text) else text


def _values(optimized: str, labels: Sequence[Label]) -> dict[str, tuple[PartHolder, ...]]:
    """The values of each variable. A constant that is never an iterator's item in its block marks
    the end of the loop, and is not the variable's."""
    values: dict[str, dict[PartHolder, None]] = {x.name: {} for x in labels if not x.in_memory}
    inside: dict[str, set[str]] = {label.name: set() for label in labels if label.in_block}
    for k, held in _held(optimized):
        label = labels[k]
        if label.in_memory:
            continue
        if label.in_block:
            inside[label.name].add(held[0])
        else:
            values[label.name].setdefault(PartHolder(label.part, *held))
    return {
        name: tuple(
            one
            for one in found
            if name not in inside or not _CONSTANT.match(one.text) or one.text in inside[name]
        )
        for name, found in values.items()
    }


def instructions(text: str) -> list[str]:
    """Return the instructions of a module, without metadata and debug records."""
    result = []
    for line in text.split("\n"):
        if line.startswith(("!", "attributes #", ";")) or "#dbg_" in line or not line.strip():
            continue
        result.append(_NUMBER.sub("!", without_metadata(line)))
    return result


def _variables(text: str) -> dict[str, int]:
    """Return the number of each node's variable."""
    matches = (_VARIABLE.match(line) for line in text.split("\n"))
    return {row[1]: int(row[2][1:]) for row in matches if row}


def _held(text: str) -> Iterator[tuple[int, tuple[str, bool]]]:
    """Yield the value of each record, as far as LLVM reports it."""
    variables = _variables(text)
    for line in text.split("\n"):
        row = _RECORD.match(line)
        if row is None or row[2] not in variables:
            continue
        if _NOTHING.search(row[1]):
            yield variables[row[2]], ("", False)
        elif row[3] in ("", _IN_MEMORY):
            yield variables[row[2]], (row[1].partition(" ")[2], True)
        else:
            of = dict.fromkeys(_VALUE.findall(row[1])) or [row[1].partition(" ")[2]]
            yield variables[row[2]], (", ".join(of), False)


def _commented(text: str, unit: CompileUnit) -> str:
    """Return the assembly of a marked module, with LLVM's comments on variable locations."""
    table = numbered(text).replace(f"emissionKind: {TABLE}", "emissionKind: FullDebug")
    table = table.replace(f"emissionKind: {NO_TABLE}", "emissionKind: FullDebug")
    variables = _variables(table)
    nodes: dict[tuple[int, str], int] = {}
    lines: list[str] = []
    scope = ""
    for line in table.split("\n"):
        if line.startswith("define ") and (place := _SCOPE.search(line)):
            scope = place[1]
        row = _RECORD.match(line)
        if row and row[2] in variables:
            # Inlining has moved records: scope them to their function.
            at = 2 * nodes.setdefault((variables[row[2]], scope), len(nodes)) + _FREE + 1
            line = f"    #dbg_value({row[1]}, !{at}, !DIExpression({row[3]}), !{at + 1})"
        lines.append(line)
    lines.append(f'!{_FREE} = !DIBasicType(name: "value", size: 64, encoding: DW_ATE_unsigned)')
    for (k, own), number in nodes.items():
        at = 2 * number + _FREE + 1
        kind = f"scope: !{own}, type: !{_FREE}"
        lines.append(f'!{at} = !DILocalVariable(name: "v{k}", {kind})')
        lines.append(f"!{at + 1} = !DILocation(line: 1, column: 1, scope: !{own})")
    return Module("\n".join(lines) + "\n", unit.plan.cpu).commented(unit.plan)


def _places(commented: str, labels: list[Label], asm: str) -> dict[str, tuple[Place, ...]] | None:
    """Return the locations of variables by rows of assembly; None if the rows differ."""
    rows, notes = _rows(commented)
    numbers = [k for k, row in enumerate(asm.split("\n")) if _counts(row)]
    if list(filter(_counts, rows)) != list(filter(_counts, asm.split("\n"))):
        return None
    filled = list(accumulate(map(_counts, rows), initial=0))  # that count before each row
    found = [
        (k, numbers[min(filled[number], len(numbers) - 1)], place)
        for number, said in notes
        for k, text in said
        if (place := _place(text))
    ]
    return _located(found, labels)


def _counts(row: str) -> bool:
    """True for a row that comments do not change: a comment alone may leave a blank row, and a weak
    symbol that is not defined is declared in one text only."""
    return bool(row) and not row.startswith("\t.weak")


def _located(
    found: Iterable[tuple[int, int, tuple[str, bool]]], labels: Sequence[Label]
) -> dict[str, tuple[Place, ...]]:
    """Group the locations of records by variable, with their rows."""
    located: dict[str, dict[Place, list[int]]] = {}
    for k, row, place in found:
        label = labels[k]
        if not label.in_block:
            places = located.setdefault(label.name, {})
            places.setdefault(Place(label.part, *place), []).append(row)
    return {
        name: tuple(replace(place, rows=tuple(rows)) for place, rows in places.items())
        for name, places in located.items()
    }


def _places_in_ptx(
    optimized: str, unit: CompileUnit, labels: list[Label], said: BinaryIO
) -> dict[str, tuple[Place, ...]] | None:
    """The locations of variables by rows of PTX; None if the rows differ from the real ones."""
    set_option(ptx_registers.PRINTS)
    commented = _commented(optimized, unit)
    said.seek(0)
    names = ptx_registers.register_names(said.read().decode(errors="replace"))
    found = ptx_registers.places(commented, names, unit.ptx)
    if found is None:
        return None
    return _located(found, labels)


_Notes = list[tuple[int, list[tuple[int, str]]]]


def _rows(commented: str) -> tuple[list[str], _Notes]:
    """Return the rows without comments, and LLVM's variable locations before each of them."""
    lines: list[str] = []
    said: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for line in commented.splitlines():
        if note := _DEBUG_VALUE.match(line):
            said[len(lines)].append((int(note[1][1:]), note[2].strip()))
        elif not line.lstrip().startswith("#"):
            is_text = '"' in line.partition("#")[0] and not _LABEL.match(line)
            lines.append(line if is_text else _COMMENT.sub("", line))
    rows: list[str] = []
    notes: _Notes = []
    for k, row in enumerate(shown("\n".join(lines))):
        if k in said:
            notes.append((len(rows), said[k]))
        if row is not None:
            rows.append(row)
    while rows and not rows[-1]:
        rows.pop()
    return rows, notes


def _place(text: str) -> tuple[str, bool] | None:
    """Format a location in assembly syntax, `%xmm0`, `56(%rsp)`, and whether it holds the value
    itself; None if it is none of these."""
    if text.startswith("$"):
        return f"%{text[1:]}", True
    if match := _STACK.match(text):
        return f"{sum(map(int, _OFFSET.findall(match[1]))) or ''}(%{match[2]})", True
    if match := _BELOW.match(text):
        return f"-{match[1]}(%{match[2]})", True
    if match := _AT.match(text):
        return f"(%{match[1]})", True
    if match := _DERIVED.match(text):
        return f"%{match[1]}", False
    return (text, True) if _CONSTANT.match(text) else None
