"""The locations where LLVM keeps each user variable, as LLVM itself reports them.

    f = followed(unit, values)
    f.values["s.1"]       what holds it in the optimized LLVM IR: %s.1.23.i
    f.places["s.1"]       where machine code has it: at row 35 in %xmm0

A copy of the module gets a `#dbg_value` record behind each instruction that gives a variable its
value, as debuggers use them.  LLVM's passes keep these records right: they follow a value that is
renamed, copied or worked out of others, and say `poison` where it is lost.  The copy is optimized
and turned to assembly in a child process, and counts only if its instructions are those that run.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.sandbox import in_child
from cutaway.inspection.llvm import ptx_registers
from cutaway.inspection.llvm.text import without_metadata
from cutaway.stages.unit import CompileUnit, LlvmPart
from cutaway.targets.cpu.engine import Module, set_option
from cutaway.targets.cpu.line_table import NO_TABLE, TABLE, numbered, shown

LONGEST = 60.0  # seconds of processor time

_FREE = 1_000_000  # the first number of our own nodes; LLVM numbers them anew
_DEFINED = re.compile(r'^  (%(?:"[^"]*"|[\w.$-]+)) = (phi )?')
_DEFINE = re.compile(r"^define .*@(\"[^\"]*\"|[\w.$-]+)\(")
_SCOPE = re.compile(r" !dbg !(\d+)")
_RECORD = re.compile(r"^\s+#dbg_value\((.*), !(\d+), !DIExpression\((.*)\), !\d+\)$")
_VARIABLE = re.compile(r'^!(\d+) = !DILocalVariable\(name: "([^"]*)"')
_VALUE = re.compile(r'%(?:"[^"]*"|[\w.$-]+)')
_NOTHING = re.compile(r" (poison|undef)(?=[,)]|$)")
_NUMBER = re.compile(r"!\d+")
_DEBUG_VALUE = re.compile(r"^\s*#DEBUG_VALUE: .*?:(\S+) <- (.*)$")
_COMMENT = re.compile(r"\s*#.*$")
_STACK = re.compile(r"^\[DW_OP_plus_uconst (\d+), DW_OP_deref\] \$(\w+)$")
_AT = re.compile(r"^\[\$(\w+)\+0\]$")
_DERIVED = re.compile(r"^\[.*\] \$(\w+)$")
_CONSTANT = re.compile(r"^-?[\d.]+(e[+-]?\d+)?$")
_BELOW = re.compile(r"^\[DW_OP_constu (\d+), DW_OP_minus, DW_OP_deref\] \$(\w+)$")


@dataclass(frozen=True, slots=True)
class Held:
    """The holder of a part of a variable in LLVM IR: a value or a constant, or, if not
    `direct`, a value from which it can be computed; no text means that it is lost somewhere."""

    part: str
    text: str
    direct: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a part of a variable from a row on: a register, a constant, or stack
    slot; if not `direct`, a register from which it can be computed."""

    part: str
    row: int
    text: str
    direct: bool = True


@dataclass(frozen=True, slots=True)
class Followed:
    """By variable what holds it in the optimized IR, and its places in machine code.

    A variable that was followed and has neither is lost: LLVM itself knows of no value that it
    has.  `is_known` and `has_places` say whether the copy's instructions are those that run;
    `error` ends a sentence on an attempt that failed.
    """

    is_known: bool = False
    has_places: bool = False
    values: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    error: str = ""


def followed(unit: CompileUnit, values: Mapping[str, Sequence[LlvmPart]]) -> Followed:
    """Follow variables, whose parts in the unit's LLVM IR are `values`, to machine code."""
    marked_text = marked(unit.llvm, unit.symbol, values)
    if marked_text is None:
        return Followed()
    text, labels = marked_text
    code = unit.asm if unit.has("asm") else unit.ptx if unit.has("ptx") else ""
    answer = in_child(lambda: _read(text, labels, unit, code), LONGEST)
    return answer.value or Followed(error=answer.words)


# --- marking ------------------------------------------------------------------------------------


def marked(
    text: str, function: str, values: Mapping[str, Sequence[LlvmPart]]
) -> tuple[str, list[tuple[str, str]]] | None:
    """A module with a record for each part, and the variable and the label of each; None where
    the function has no place in the source, or no variable to follow."""
    labels: list[tuple[str, str]] = []
    by_value: dict[str, list[str]] = defaultdict(list)
    for name, parts in values.items():
        for label, kind, value in parts:
            if value.startswith("%"):
                by_value[value].append(f"{kind} {value}, !{_FREE + 1 + len(labels)}")
                labels.append((name, label))
    lines, scope = _with_records(text, function, by_value)
    if not labels or not scope:
        return None
    return "\n".join([*lines, *_nodes(len(labels), scope)]) + "\n", labels


def _nodes(count: int, scope: str) -> Iterator[str]:
    """The nodes that records refer to: their place, a type for all, and the variables."""
    kind = _FREE + 1 + count
    yield f"!{_FREE} = !DILocation(line: 1, column: 1, scope: !{scope})"
    yield f'!{kind} = !DIBasicType(name: "value", size: 64, encoding: DW_ATE_unsigned)'
    for k in range(count):
        yield f'!{_FREE + 1 + k} = !DILocalVariable(name: "v{k}", scope: !{scope}, type: !{kind})'


def _with_records(
    text: str, function: str, by_value: dict[str, list[str]]
) -> tuple[list[str], str]:
    """The lines of a module with records behind what defines a value, and the function's scope."""
    lines: list[str] = []
    waiting: list[str] = []  # behind the last phi of a block
    scope, inside = "", False
    for line in text.split("\n"):
        match = _DEFINED.match(line) if inside else None
        if waiting and not (match and match[2]):
            lines += waiting
            waiting = []
        lines.append(line)
        if defined := _DEFINE.match(line):
            inside = defined[1].strip('"') == function.strip('"')
            place = _SCOPE.search(line)
            scope = place[1] if inside and place else scope
        elif line.startswith("}"):
            inside = False
        elif inside and line == "entry:":
            arguments = (v for v in by_value if v.strip('%"').startswith("arg."))
            waiting += [_record(row) for value in arguments for row in by_value[value]]
        elif match:
            rows = [_record(row) for row in by_value.get(match[1], ())]
            if match[2]:
                waiting += rows
            else:
                lines += rows
    return lines, scope


def _record(row: str) -> str:
    return f"    #dbg_value({row}, !DIExpression(), !{_FREE})"


# --- reading ------------------------------------------------------------------------------------


def _read(text: str, labels: list[tuple[str, str]], unit: CompileUnit, code: str) -> Followed:
    """Optimize and emit a marked module; in a child process, which LLVM may end."""
    said = tempfile.TemporaryFile()  # noqa: SIM115  where LLVM says why, and what it is asked for
    os.dup2(said.fileno(), 2)
    module = Module(text, unit.plan.cpu)
    module.optimize(unit.plan)
    optimized = module.text
    if instructions(optimized) != instructions(unit.llvm_opt):
        return Followed()
    values: dict[str, dict[Held, None]] = {name: {} for name, _ in labels}
    for k, held in _held(optimized):
        name, label = labels[k]
        values[name].setdefault(Held(label, *held))
    known = {name: tuple(found) for name, found in values.items()}
    if not code:
        return Followed(True, False, known)
    try:
        if unit.has("ptx"):
            places = _places_in_ptx(optimized, unit, labels, said)
        else:
            places = _places(_commented(optimized, unit), labels, code)
    except InternalError:
        places = None
    return Followed(True, places is not None, known, places or {})


def instructions(text: str) -> list[str]:
    """The instructions of a module, without metadata and debug records."""
    result = []
    for line in text.split("\n"):
        if line.startswith(("!", "attributes #", ";")) or "#dbg_" in line or not line.strip():
            continue
        result.append(_NUMBER.sub("!", without_metadata(line)))
    return result


def _variables(text: str) -> dict[str, int]:
    """The number of the variable of each node."""
    matches = (_VARIABLE.match(line) for line in text.split("\n"))
    return {row[1]: int(row[2][1:]) for row in matches if row}


def _held(text: str) -> Iterator[tuple[int, tuple[str, bool]]]:
    """The holders of each variable, as far as LLVM reports them."""
    variables = _variables(text)
    for line in text.split("\n"):
        row = _RECORD.match(line)
        if row is None or row[2] not in variables:
            continue
        if _NOTHING.search(row[1]):
            yield variables[row[2]], ("", False)
        elif not row[3]:
            yield variables[row[2]], (row[1].partition(" ")[2], True)
        else:
            of = dict.fromkeys(_VALUE.findall(row[1])) or [row[1].partition(" ")[2]]
            yield variables[row[2]], (", ".join(of), False)


def _commented(text: str, unit: CompileUnit) -> str:
    """The assembly of a marked module, with LLVM's comments of where variables are."""
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
            # Each instruction has got a place in the function that it now stands in.
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


def _places(
    commented: str, labels: list[tuple[str, str]], asm: str
) -> dict[str, tuple[Place, ...]] | None:
    """The places of variables by the rows of assembly; None if the rows are others."""
    rows, notes = _rows(commented)
    if rows != asm.removesuffix("\n").split("\n"):
        return None
    located: dict[str, dict[tuple[str, str], Place]] = {}
    for number, said in notes:
        for k, text in said:
            name, label = labels[k]
            if place := _place(text):
                key = (label, place[0])
                located.setdefault(name, {}).setdefault(key, Place(label, number, *place))
    return {name: tuple(places.values()) for name, places in located.items()}


def _places_in_ptx(
    optimized: str, unit: CompileUnit, labels: list[tuple[str, str]], said: BinaryIO
) -> dict[str, tuple[Place, ...]] | None:
    """The places of variables by the rows of PTX; None if the rows are others."""
    set_option(ptx_registers.PRINTS)
    commented = _commented(optimized, unit)
    said.seek(0)
    names = ptx_registers.register_names(said.read().decode(errors="replace"))
    found = ptx_registers.places(commented, names, unit.ptx)
    if found is None:
        return None
    located: dict[str, dict[tuple[str, str], Place]] = {}
    for k, row, place in found:
        name, label = labels[k]
        located.setdefault(name, {}).setdefault((label, place[0]), Place(label, row, *place))
    return {name: tuple(places.values()) for name, places in located.items()}


_Notes = list[tuple[int, list[tuple[int, str]]]]


def _rows(commented: str) -> tuple[list[str], _Notes]:
    """The rows that a reader is shown, without comments, and in front of which of them LLVM said
    where variables are."""
    lines: list[str] = []
    said: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for line in commented.splitlines():
        if note := _DEBUG_VALUE.match(line):
            said[len(lines)].append((int(note[1][1:]), note[2].strip()))
        elif not line.lstrip().startswith("#"):
            lines.append(line if '"' in line.partition("#")[0] else _COMMENT.sub("", line))
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
    """A place of LLVM's as assembly writes it: `%xmm0`, `56(%rsp)`, and whether the value is just
    there; None for none."""
    if text.startswith("$"):
        return f"%{text[1:]}", True
    if match := _STACK.match(text):
        return f"{match[1]}(%{match[2]})", True
    if match := _BELOW.match(text):
        return f"-{match[1]}(%{match[2]})", True
    if match := _AT.match(text):
        return f"(%{match[1]})", True
    if match := _DERIVED.match(text):
        return f"%{match[1]}", False
    return (text, True) if _CONSTANT.match(text) else None
